"""A gate's rulings as lines of text: a word first, so that they read without colour."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, Final

from pytest_comem.core.printable import printable
from pytest_comem.gate.results import EXIT_INCONCLUSIVE, GateResult, Result, Ruling

_COLORS: Final = {Result.PASS: "green", Result.FAIL: "red", Result.INCONCLUSIVE: "yellow"}
#: Why pytest ends with a status of its own.
_OTHERWISE: Final = {2: "The run was interrupted", 5: "No test ran"}
_WIDEST: Final = 100
_INDENT: Final = " " * 4
_UNDECIDED: Final = "--comem-inconclusive pass or fail makes the exit status 0 or 1."
_FOOT: Final = (
    "Intervals: 95 %, over whole episodes, families or tasks. A rule fails at 5 % over all rules "
    "together (Holm)."
)


def write_gate(reporter: Any, gate: GateResult, status: int) -> None:
    """Write a gate through pytest's terminal reporter.

    :param status: the exit status that pytest is about to end with.
    """
    reporter.ensure_newline()
    reporter.write_sep("=", f"gate: {gate.result}", **{_COLORS[gate.result]: True}, bold=True)
    for line in gate_lines(gate, reporter._tw.fullwidth):
        reporter.write_line(line)
    if status != gate.exit_status:
        why = _OTHERWISE.get(status, "Something else than steps went wrong")
        reporter.write_line(f"{why}: the exit status is {status}.")


def gate_lines(gate: GateResult, width: int) -> Iterator[str]:
    """Yield the gate's lines, the overall result last.

    Rules stay in one line, as they were written; everything else is wrapped.
    """
    width = min(width, _WIDEST)
    several = len({each.model for each in gate.rulings if each.model}) > 1
    for ruling in gate.rulings:
        yield f"{ruling.result:<12} {printable(ruling.rule)}"
        told = "; ".join(part for part in (_measured(ruling), ruling.reason) if part)
        told = f"{_who(ruling, several)}{told}"
        yield from _wrapped(f"{_INDENT}{printable(told)}", width)
    if any(ruling.low is not None for ruling in gate.rulings):
        yield from textwrap.wrap(_FOOT, width)
    if not gate.scored:
        yield "Nothing was scored."
    if gate.exit_status == EXIT_INCONCLUSIVE:
        yield from textwrap.wrap(_UNDECIDED, width)
    yield status_line(gate)


def status_line(gate: GateResult) -> str:
    """Return what the gate comes to, with the exit status."""
    counts = [
        f"{number} {result}"
        for result in Result
        if (number := sum(each.result is result for each in gate.rulings))
    ]
    status = gate.exit_status
    return f"gate: {gate.result} ({', '.join(counts) or 'no rule'}), exit status {status}"


def bound_of(ruling: Ruling) -> str:
    """Return what a ruling's value was held against; empty where nothing was."""
    if ruling.bound is None:
        return ""
    if ruling.relative:
        return _signed(ruling.bound)
    return f"{ruling.bound:g}" if ruling.unit == "steps" else _plain(ruling.bound)


def value_of(ruling: Ruling) -> str:
    """Return a ruling's value with its interval; empty where nothing was measured."""
    if ruling.value is None:
        return ""
    if ruling.unit == "steps":
        return f"{ruling.value:g}"
    show = _signed if ruling.relative else _plain
    text = show(ruling.value)
    if ruling.low is None or ruling.high is None:
        return text
    return f"{text} [{show(ruling.low)}, {show(ruling.high)}]"


def _plain(value: float) -> str:
    return f"{value:,.1f}"


def _signed(value: float) -> str:
    text = f"{value:+,.1f}"
    return text if text.strip("+-0.") else "0.0"


def _measured(ruling: Ruling) -> str:
    value, bound = value_of(ruling), bound_of(ruling)
    if not value:
        return ""
    unit = f" {ruling.unit}" if ruling.unit else ""
    if ruling.unit == "steps" and ruling.value == 1:
        unit = " step"
    against = " against the baseline" if ruling.relative else ""
    return f"{value}{unit}{against}, bound {bound}"


def _who(ruling: Ruling, several: bool) -> str:
    if not ruling.system:
        return ""
    return f"{ruling.system} with {ruling.model}: " if several else f"{ruling.system}: "


def _wrapped(text: str, width: int) -> list[str]:
    indent = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text,
        max(width, 40),
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    ) or [""]
