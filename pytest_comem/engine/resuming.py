"""What of an earlier run still holds, and why the rest does not.

An outcome is used again exactly when its key is what it would be today: the key covers the data's
row, the memory system and its configuration, prompts, models, judge, scoring, seed and repeat. A
step without a verdict is always played again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, final

from pytest_comem.core.outcomes import Attribution, Outcome
from pytest_comem.core.steps import RunKey, Step
from pytest_comem.engine.records import OUTCOMES, from_record, size_of
from pytest_comem.errors import DataError

#: Why an outcome is not used again.
CHANGED: Final = "changed"
INFRASTRUCTURE: Final = "infrastructure errors"
DEFECTS: Final = "benchmark defects"
PARTLY: Final = "of workflows that were not through"
#: Names shown of what has changed.
_SHOWN: Final = 5


@final
@dataclass(frozen=True, slots=True)
class Line:
    """One outcome of the earlier run that stays.

    :param outcome: as it was read.
    :param raw: its line, with the newline.
    """

    outcome: Outcome
    raw: bytes


@final
@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier run, sifted.

    :param lines: what stays, by the label of its step: what still holds, and steps that are none
        of this run's.
    :param holding: labels of the outcomes that still hold.
    :param reasons: why others are played again, by the label of their step.
    :param size: bytes of the file of outcomes when it was read.
    """

    lines: Mapping[str, Line] = field(default_factory=dict)
    holding: frozenset[str] = frozenset()
    reasons: Mapping[str, str] = field(default_factory=dict)
    size: int = 0

    def outcomes_of(self, steps: Iterable[Step]) -> dict[Step, Outcome]:
        """Return the outcomes that still hold of *steps*."""
        return {
            step: self.lines[step.label].outcome for step in steps if step.label in self.holding
        }

    def only_whole(self, steps: Iterable[Step]) -> Earlier:
        """Return the same without the outcomes of episodes of which not all hold.

        :param steps: all of the episodes whose outcomes hold only together.
        """
        together: dict[RunKey, list[str]] = {}
        for step in steps:
            together.setdefault(step.run, []).append(step.label)
        broken = {
            label
            for labels in together.values()
            if not self.holding.issuperset(labels)
            for label in labels
            if label in self.holding
        }
        return Earlier(
            {label: line for label, line in self.lines.items() if label not in broken},
            self.holding - broken,
            {**self.reasons, **dict.fromkeys(sorted(broken), PARTLY)},
            self.size,
        )


def sift(run: Path, keys: Mapping[str, Callable[[], str]]) -> Earlier:
    """Return what of the run in directory *run* still holds.

    A last line that was cut off, because the run was killed, is no outcome.

    :param keys: from the label of every step of this run to its key.
    :raises DataError: where another line is no outcome.
    """
    lines: dict[str, Line] = {}
    holding: set[str] = set()
    reasons: dict[str, str] = {}
    # What is appended while it is read makes it larger than this.
    size = size_of(run / OUTCOMES)
    for outcome, raw in _read(run / OUTCOMES):
        label = outcome.step.label
        key = keys.get(label)
        why = None if key is None else _why_not(outcome, key)
        # Of several outcomes of a step the last one counts.
        reasons.pop(label, None)
        holding.discard(label)
        if why is None:
            lines[label] = Line(outcome, raw)
            if key is not None:
                holding.add(label)
        else:
            lines.pop(label, None)
            reasons[label] = why
    return Earlier(lines, frozenset(holding), reasons, size)


def told(earlier: Earlier, planned: Mapping[str, str], differences: Sequence[str]) -> str:
    """Return how many of the *planned* steps were reused, and why the others were not.

    :param planned: by label.
    :param differences: names of what has changed since.
    """
    reused = sum(label in earlier.holding for label in planned)
    reasons = Counter(earlier.reasons[label] for label in planned if label in earlier.reasons)
    fresh = len(planned) - reused - reasons.total()
    parts = [f"{fresh:,} not played before"] if fresh else []
    for reason, count in sorted(reasons.items()):
        shown = ", ".join(differences[:_SHOWN])
        what = f" ({shown})" if reason == CHANGED and shown else ""
        parts.append(f"{count:,} {reason}{what}")
    played = f"; played: {', '.join(parts)}" if parts else ""
    return f"resumed: {reused:,} of {len(planned):,} steps reused{played}"


def _why_not(outcome: Outcome, key: Callable[[], str]) -> str | None:
    if outcome.verdict is None:
        failure = outcome.failure
        defect = failure is not None and failure.attribution is Attribution.BENCHMARK
        return DEFECTS if defect else INFRASTRUCTURE
    return None if outcome.key == key() else CHANGED


def _read(path: Path) -> Iterator[tuple[Outcome, bytes]]:
    if not path.is_file():
        return
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.endswith(b"\n"):
                return
            try:
                yield from_record(json.loads(raw)), raw
            except (KeyError, TypeError, ValueError) as error:
                raise DataError(
                    f"not an outcome of this version ({type(error).__name__}: {error}); "
                    "leave out --comem-resume, or remove the line",
                    file=str(path),
                    line=number,
                ) from None
