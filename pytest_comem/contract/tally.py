"""How the promises came out, system by system; kept from reports, so that it works under xdist."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, final

SYSTEM: Final = "comem.system"
PROMISE: Final = "comem.promise"

_KEPT, _BROKEN, _KNOWN, _NOT_APPLICABLE, _ERROR = "kept", "broken", "known", "n/a", "errors"
_COLUMNS: Final = (_KEPT, _BROKEN, _KNOWN, _NOT_APPLICABLE, _ERROR)


@final
class ContractTally:
    """Counts reports of the contract's items."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._named: dict[str, list[tuple[str, str, str]]] = {_BROKEN: [], _KNOWN: [], _ERROR: []}

    def add(self, report: Any) -> None:
        """Count a report where it decides about a promise."""
        properties = dict(report.user_properties)
        system, promise = properties.get(SYSTEM), properties.get(PROMISE)
        verdict = _verdict(report)
        if promise is None or system is None or verdict is None:
            return
        self._counts.setdefault(system, Counter())[verdict] += 1
        if verdict in self._named:
            self._named[verdict].append((system, promise, getattr(report, "wasxfail", "")))

    def as_json(self) -> dict[str, Any]:
        """Return the counts by system, and what is broken or known to be, for the manifest."""
        return {
            system: {
                **counts,
                "named": {
                    verdict: {promise: reason for name, promise, reason in rows if name == system}
                    for verdict, rows in self._named.items()
                },
            }
            for system, counts in sorted(self._counts.items())
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> ContractTally:
        """Return what :meth:`as_json` wrote."""
        tally = cls()
        for system, kept in found.items():
            tally._counts[system] = Counter({name: kept.get(name, 0) for name in _COLUMNS})
            for verdict, rows in kept.get("named", {}).items():
                tally._named[verdict] += [(system, promise, why) for promise, why in rows.items()]
        return tally

    def __bool__(self) -> bool:
        return bool(self._counts)

    def write(self, reporter: Any) -> None:
        """Write the table through pytest's terminal reporter; nothing where nothing was counted."""
        if self._counts:
            reporter.write_sep("=", "memory contract")
            for line in self.lines(min(reporter._tw.fullwidth, 100)):
                reporter.write_line(line)

    def lines(self, width: int) -> Iterator[str]:
        """Yield a table, and below it what is broken or known to be."""
        first = max(len("system"), *map(len, self._counts))
        yield "system".ljust(first) + "".join(head.rjust(8) for head in _COLUMNS)
        for system, counts in sorted(self._counts.items()):
            yield system.ljust(first) + "".join(str(counts[name]).rjust(8) for name in _COLUMNS)
        heads = {
            _BROKEN: "broken:",
            _KNOWN: "known deviations:",
            _ERROR: "errors (the memory could not be tried):",
        }
        for name, head in heads.items():
            rows = sorted(self._named[name])
            if rows:
                yield head
            for system, promise, reason in rows:
                text = f"{system}: {promise}" + (f": {reason}" if reason else "")
                yield from textwrap.wrap(
                    text,
                    max(width, 40),
                    initial_indent="  ",
                    subsequent_indent="      ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )


def _verdict(report: Any) -> str | None:
    if report.when == "setup":
        return _ERROR if report.failed else _NOT_APPLICABLE if report.skipped else None
    if report.when != "call":
        return None
    if report.passed:
        return _KEPT
    if report.failed:
        return _BROKEN
    return _KNOWN if hasattr(report, "wasxfail") else _NOT_APPLICABLE
