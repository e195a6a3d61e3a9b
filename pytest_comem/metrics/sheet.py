"""The running sums of a run: small, however many steps it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.gatemem import Tally

PHASES: Final = ("ingest", "recall", "answer", "judge")


@final
@dataclass(slots=True)
class SystemSheet:
    """What one memory system, with one model, has got so far.

    :param domains: tallies by domain, in order of appearance.
    :param attacks: tallies by attack type.
    :param seconds: wall-clock seconds by phase, summed.
    :param tokens: tokens (words, offline), summed.
    :param recorded: steps recorded, with or without a verdict.
    """

    reference: bool = False
    overall: Tally = field(default_factory=Tally)
    domains: dict[str, Tally] = field(default_factory=dict)
    attacks: dict[str, Tally] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    tokens: int = 0
    recorded: int = 0


@final
class Sheet:
    """All systems of a run, filled outcome by outcome."""

    def __init__(self) -> None:
        self._systems: dict[tuple[str, str], SystemSheet] = {}
        self._seen: dict[str, str | None] = {}
        self.scored = 0
        self.passed = 0

    def __len__(self) -> int:
        return len(self._seen)

    def __iter__(self) -> Iterator[tuple[tuple[str, str], SystemSheet]]:
        """Yield ``((system, model), sheet)`` in order of appearance."""
        yield from self._systems.items()

    def add(self, outcome: Outcome, name: str) -> bool:
        """Count one outcome under *name*; false where that name was counted before."""
        if name in self._seen:
            return False
        self._seen[name] = None if outcome.verdict else outcome.reason
        sheet = self._systems.setdefault(
            (outcome.system.name, outcome.model), SystemSheet(outcome.system.reference)
        )
        sheet.recorded += 1
        for phase, usage in outcome.usage.items():
            sheet.seconds[phase] = sheet.seconds.get(phase, 0.0) + usage.seconds
            sheet.tokens += usage.tokens
        if outcome.verdict is not None:
            self.scored += 1
            self.passed += outcome.verdict.passed
            category = outcome.labels["category"]
            attack = outcome.labels["attack_type"]
            tallies = [sheet.overall, sheet.domains.setdefault(outcome.step.domain, Tally())]
            if attack:
                tallies.append(sheet.attacks.setdefault(attack, Tally()))
            for tally in tallies:
                tally.add(category, outcome.verdict)
        return True

    def arrange(self, systems: Sequence[str], domains: Sequence[str]) -> None:
        """Put systems and domains into this order, whichever reported first."""
        self._systems = dict(
            sorted(self._systems.items(), key=lambda one: systems.index(one[0][0]))
        )
        for sheet in self._systems.values():
            sheet.domains = dict(
                sorted(sheet.domains.items(), key=lambda one: domains.index(one[0]))
            )

    def is_scored(self, name: str) -> bool:
        """Whether *name* was counted with a verdict."""
        return name in self._seen and self._seen[name] is None

    def reason_unscored(self, name: str) -> str | None:
        """Return why *name* was counted without a verdict, or ``None``."""
        return self._seen.get(name)
