"""CoMemBench's outcomes, gathered into plays: one instance on one memory system, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

from pytest_comem.core.outcomes import Attribution, Outcome
from pytest_comem.core.workflow_measures import TOKEN_MEASURES

#: Name of the suite.
WORKFLOWS: Final = "comembench"
#: Memory system, model, repeat and instance.
PlayKey: TypeAlias = tuple[str, str, int, str]


@final
@dataclass(slots=True)
class Play:
    """What one play of an instance came to, as far as its nodes have outcomes.

    :param instance: its id, which no two instances have in common.
    :param name: what its steps call it.
    :param family: which joins a twin with its control.
    :param operator: empty for a control.
    :param required: number of nodes of the instance that count.
    :param scored: number of those that have a verdict.
    :param verified: and of those whose last receipt is verified.
    :param terminal: whether the terminal node is verified; ``None`` without a verdict.
    :param successes: whether a node's handoff succeeded, by node with a verdict; ``None`` where
        the node is not eligible.
    :param target: the consumer that the operator strikes; empty for a control.
    :param tokens: of the nodes with a verdict, by purpose.
    :param broken: nodes without a verdict because something around the method broke.
    :param why: what broke first.
    """

    domain: str
    instance: str
    name: str
    topology: tuple[str, ...]
    family: str
    repeat: int
    operator: str
    required: int
    scored: int = 0
    verified: int = 0
    terminal: bool | None = None
    successes: dict[str, bool | None] = field(default_factory=dict)
    target: str = ""
    tokens: Counter[str] = field(default_factory=Counter)
    broken: int = 0
    why: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether it is a control."""
        return not self.operator

    @property
    def is_complete(self) -> bool:
        """Whether every node that counts has a verdict, and nothing broke."""
        return self.scored == self.required and self.terminal is not None and not self.broken

    def add(self, outcome: Outcome) -> None:
        """Take in a node's outcome."""
        labels, verdict = outcome.labels, outcome.verdict
        if labels["target"]:
            self.target = outcome.step.id
        if verdict is None:
            failure = outcome.failure
            if failure is None or failure.attribution is Attribution.INFRASTRUCTURE:
                self.broken += 1
                self.why = self.why or outcome.reason
            return
        verified = verdict.measures["verified"] is True
        if labels["required"]:
            self.scored += 1
            self.verified += verified
        if labels["terminal"]:
            self.terminal = verified
        success = verdict.measures["handoff_success"]
        self.successes[outcome.step.id] = None if success is None else success is True
        for use, measure in TOKEN_MEASURES.items():
            self.tokens[use] += int(verdict.measures.get(measure) or 0)


#: A row's controls, by family and repeat.
Controls: TypeAlias = Mapping[tuple[str, int], Play]


def controls_of(plays: Iterable[Play]) -> Controls:
    """Return the controls among a row's plays."""
    return {(play.family, play.repeat): play for play in plays if play.is_clean}


def kept(play: Play, controls: Controls) -> bool | None:
    """Return whether a twin's target still succeeds as it does in the control.

    ``None`` where it is no pair of ICS: the play is a control or has none, either target has no
    verdict, or the target does not succeed in the control.
    """
    control = controls.get((play.family, play.repeat))
    if play.is_clean or control is None or play.target not in play.successes:
        return None
    return play.successes[play.target] is True if control.successes.get(play.target) else None


def handoff_of(outcome: Outcome) -> str:
    """Return who delivered declared inputs: ``declared``, the harness, or ``memory``, it alone."""
    return "memory" if outcome.scoring == "memory" else "declared"


@final
class WorkflowSheet:
    """CoMemBench's outcomes of a run, counted one by one: as small as its plays."""

    def __init__(self, outcomes: Iterable[Outcome] = ()) -> None:
        self._plays: dict[PlayKey, Play] = {}
        self._defective: dict[str, str] = {}
        #: Who delivers declared inputs, ``declared`` or ``memory``.
        self.handoff = "declared"
        #: How often each instance is played.
        self.repeats = 1
        for outcome in outcomes:
            self.add(outcome)

    def __len__(self) -> int:
        return len(self._plays)

    def add(self, outcome: Outcome) -> None:
        """Count one outcome of the suite."""
        labels, failure = outcome.labels, outcome.failure
        self.handoff = handoff_of(outcome)
        self.repeats = max(self.repeats, outcome.repeat + 1)
        if failure is not None and failure.attribution is Attribution.BENCHMARK:
            self._defective.setdefault(labels["pair"], failure.message)
        key = (outcome.system.name, outcome.model, outcome.repeat, labels["instance"])
        if key not in self._plays:
            self._plays[key] = Play(
                domain=labels["domain"],
                instance=labels["instance"],
                name=outcome.step.episode,
                topology=tuple(filter(None, labels["topology"].split(","))),
                family=labels["pair"],
                repeat=outcome.repeat,
                operator=labels["operator"],
                required=int(labels["required_nodes"]),
            )
        self._plays[key].add(outcome)

    def arrange(self, systems: Sequence[str]) -> None:
        """Put memory systems into this order, whichever reported first; models go by name."""
        self._plays = dict(
            sorted(self._plays.items(), key=lambda one: (systems.index(one[0][0]), *one[0][1:]))
        )

    @property
    def quarantined(self) -> Mapping[str, str]:
        """The families with a benchmark defect, by name, with what it is: scored for nobody."""
        return dict(sorted(self._defective.items()))

    def rows(self) -> dict[tuple[str, str], list[Play]]:
        """Return the scored plays by memory system and model, in order of appearance."""
        found: dict[tuple[str, str], list[Play]] = {}
        for (system, model, _, _), play in self._plays.items():
            plays = found.setdefault((system, model), [])
            if play.family not in self._defective:
                plays.append(play)
        return found
