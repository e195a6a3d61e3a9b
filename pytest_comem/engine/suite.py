"""What the engine needs of a benchmark: its steps, and a generator that plays an episode."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from pytest_comem.core.outcomes import Failure, Outcome
from pytest_comem.core.steps import Step
from pytest_comem.memory.registry import SystemUnderTest


class Suite(Protocol):
    """A benchmark as the engine sees it."""

    @property
    def name(self) -> str:
        """Name of the suite."""

    @property
    def parameter(self) -> str:
        """Name of the parametrized value of its tests."""

    @property
    def holds_whole(self) -> bool:
        """Whether the outcomes of an episode hold only together, as those of one workflow do."""

    def steps(self, system: SystemUnderTest) -> Sequence[Step]:
        """Return every step for *system*, by episode and position."""

    def play(
        self,
        steps: Iterable[Step],
        system: SystemUnderTest,
        known: Container[Step] = frozenset(),
    ) -> Iterator[Outcome]:
        """Play one episode on a fresh memory and yield one outcome a step.

        *steps* belong to one episode, are ordered by position, and may block until the next one
        is wanted. Nothing is ingested beyond the last step taken from it. When they are at an end,
        the memory is closed before the generator is. Where it breaks off with an error instead,
        nothing more is wanted, and the suite lets that error through.

        A suite may yield its last step's outcome again before that, with what was noticed after
        the step; the last one counts.

        :param known: of these, outcomes are known: they are ingested up to, not asked, and nothing
            is yielded for them.
        :raises InfrastructureError: where the memory system or another part broke.
        """

    def unscored(self, step: Step, system: SystemUnderTest, failure: Failure) -> Outcome:
        """Return the outcome of a step that never came to a verdict."""

    def key(self, step: Step, system: SystemUnderTest) -> str:
        """Return the hash of everything that could change a step's outcome."""

    def close(self) -> None:
        """Stop what its episodes share; called once, when nothing is played any more."""

    def describe(self) -> dict[str, Any]:
        """Return what the manifest says about the data: revision, checksums, warnings.

        ``order`` holds the episodes' ids in playing order, and each of :data:`SIZES` a number.
        """


#: What the data of a benchmark are counted in.
SIZES: Final = {
    "episodes": "episode",
    "checkpoints": "checkpoint",
    "families": "family",
    "instances": "instance",
    "nodes": "node",
    "participants": "participant",
    "targets": "task to do",
}


def sizes_of(about: Mapping[str, Any]) -> list[str]:
    """Return how large the data of a description are, a phrase a size."""
    return [
        f"{about[many]} {one if about[many] == 1 else many}"
        for many, one in SIZES.items()
        if many in about
    ]
