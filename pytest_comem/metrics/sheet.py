"""The running sums of a run: small, however many steps it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from pytest_comem.core.notices import BROKEN, LOST, PROBE
from pytest_comem.core.outcomes import Attribution, Outcome, Usage, plus
from pytest_comem.core.replies import UNPARSABLE
from pytest_comem.metrics.contextweave import TaskSheet
from pytest_comem.metrics.contextweave_counts import OFFICE
from pytest_comem.metrics.gatemem_counts import GATEMEM
from pytest_comem.metrics.repeats import AllPassed, RepeatedTally, StepPasses
from pytest_comem.metrics.sample import EpisodeCounts
from pytest_comem.metrics.workflow_plays import WORKFLOWS, WorkflowSheet

PHASES: Final = ("ingest", "recall", "answer", "judge")


@final
@dataclass(slots=True)
class SystemSheet:
    """What one memory system, with one model, has got so far.

    :param reference: the system sees hidden annotations.
    :param overall: tallies of all its steps.
    :param domains: tallies by domain, in order of appearance.
    :param attacks: tallies by attack type.
    :param episodes: sums by episode, which intervals are computed from.
    :param usage: what each phase has cost, summed; the four usual ones first.
    :param passes: how often each step passed, kept where the run has repeats.
    :param recorded: steps recorded, with or without a verdict.
    :param unparsable: steps that have a verdict although nobody could read the answer's form.
    :param probed: episodes, with their repeats, after which the memory was probed.
    :param lost: those of them in which nothing recent was recallable.
    :param unanswered: those in which the probe itself failed.
    """

    reference: bool = False
    overall: RepeatedTally = field(default_factory=RepeatedTally)
    domains: dict[str, RepeatedTally] = field(default_factory=dict)
    attacks: dict[str, RepeatedTally] = field(default_factory=dict)
    episodes: EpisodeCounts = field(default_factory=lambda: EpisodeCounts(GATEMEM))
    usage: dict[str, Usage] = field(default_factory=lambda: dict.fromkeys(PHASES, Usage()))
    passes: StepPasses = field(default_factory=StepPasses)
    recorded: int = 0
    unparsable: int = 0
    probed: set[tuple[str, int]] = field(default_factory=set)
    lost: set[tuple[str, int]] = field(default_factory=set)
    unanswered: set[tuple[str, int]] = field(default_factory=set)

    @property
    def tokens(self) -> int:
        """Tokens (words, offline) of all phases."""
        return sum(usage.tokens for usage in self.usage.values())

    @property
    def calls(self) -> int:
        """Model calls of all phases."""
        return sum(usage.calls for usage in self.usage.values())

    @property
    def unscored(self) -> int:
        """Steps recorded without a verdict."""
        return self.recorded - self.overall.scored


@final
class Sheet:
    """All systems of a run, filled outcome by outcome.

    :param repeats: how often the run plays each step; more than that are noticed.
    """

    def __init__(self, repeats: int = 1) -> None:
        self._systems: dict[tuple[str, str], SystemSheet] = {}
        self._seen: dict[str, str | None] = {}
        self.repeats = repeats
        self.judges: dict[str, None] = {}
        self.scored = 0
        self.passed = 0
        #: CoMemBench's outcomes, which have rows of their own.
        self.workflows = WorkflowSheet()
        #: ContextWeave's, likewise.
        self.tasks = TaskSheet()

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
        if outcome.verdict is not None:
            self.scored += 1
            self.passed += outcome.verdict.passed
        if outcome.step.suite == WORKFLOWS:
            self.workflows.add(outcome)
            return True
        if outcome.step.suite == OFFICE:
            self.tasks.add(outcome)
            return True
        sheet = self._systems.setdefault(
            (outcome.system.name, outcome.model), SystemSheet(outcome.system.reference)
        )
        self.judges.setdefault(outcome.judge)
        sheet.recorded += 1
        for phase, usage in outcome.usage.items():
            sheet.usage[phase] = plus(sheet.usage.get(phase, Usage()), usage)
        _notice(outcome, sheet)
        if outcome.step.repeat is not None:
            self.repeats = max(self.repeats, outcome.repeat + 1)
            sheet.passes.add((outcome.step.episode, outcome.step.id), outcome.verdict)
        if outcome.verdict is not None:
            _count(outcome, sheet)
        return True

    def arrange(
        self, systems: Sequence[str], domains: Sequence[str], models: Sequence[str] = ()
    ) -> None:
        """Put systems, their models and domains into this order, whichever reported first.

        Models that are not named come last, by name.
        """
        places = {model: place for place, model in enumerate(models)}

        def place(row: tuple[str, str]) -> tuple[int, int, str]:
            system, model = row
            return systems.index(system), places.get(model, len(places)), model

        self._systems = {row: self._systems[row] for row in sorted(self._systems, key=place)}
        self.judges = dict.fromkeys(sorted(self.judges))
        self.workflows.arrange(systems)
        self.tasks.arrange(systems, models)
        for sheet in self._systems.values():
            sheet.domains = dict(
                sorted(sheet.domains.items(), key=lambda one: domains.index(one[0]))
            )

    def in_all_repeats(self, sheet: SystemSheet) -> AllPassed:
        """Return how many of a row's steps passed in every repeat of the run."""
        return sheet.passes.in_all(self.repeats)

    def reasons(self) -> Counter[str]:
        """Return why steps were counted without a verdict, and how many for each reason."""
        return Counter(reason for reason in self._seen.values() if reason is not None)

    def is_scored(self, name: str) -> bool:
        """Whether *name* was counted with a verdict."""
        return name in self._seen and self._seen[name] is None

    def reason_unscored(self, name: str) -> str | None:
        """Return why *name* was counted without a verdict, or ``None``."""
        return self._seen.get(name)


def _notice(outcome: Outcome, sheet: SystemSheet) -> None:
    played, notice = (outcome.step.episode, outcome.repeat), outcome.notice or ""
    if PROBE in outcome.usage:
        sheet.probed.add(played)
    if notice.startswith(LOST):
        sheet.lost.add(played)
    if notice.startswith(BROKEN):
        sheet.unanswered.add(played)


def _count(outcome: Outcome, sheet: SystemSheet) -> None:
    verdict, failure = outcome.verdict, outcome.failure
    assert verdict is not None
    sheet.unparsable += (
        failure is not None
        and failure.attribution is Attribution.METHOD
        and failure.type == UNPARSABLE
    )
    rows = [sheet.overall, sheet.domains.setdefault(outcome.step.domain, RepeatedTally())]
    if attack := outcome.labels["attack_type"]:
        rows.append(sheet.attacks.setdefault(attack, RepeatedTally()))
    sheet.episodes.add(outcome)
    for row in rows:
        row.add(outcome.repeat, outcome.labels["category"], verdict)
