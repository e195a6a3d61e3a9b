"""What a run is made of, from its settings alone: door, memory systems, suites, steps.

It knows nothing of pytest's session, so that a process elsewhere can make the same from the same
settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from pytest_comem import assembly
from pytest_comem.engine.rundir import STATE
from pytest_comem.settings import Settings

if TYPE_CHECKING:
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.core.steps import RunKey, Step
    from pytest_comem.engine.resuming import Earlier
    from pytest_comem.engine.suite import Suite
    from pytest_comem.llm.door import Door
    from pytest_comem.memory.registry import SystemUnderTest
    from pytest_comem.memory.setup import Workshop
    from pytest_comem.memory.wanted import Wanted


@final
@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a run takes place.

    :param run_path: where it is recorded; the same on every process of it.
    :param directory: where class paths of memory systems are looked up beside the import path.
    :param wanted: the memory systems asked for, with their settings.
    :param registered: memory systems that plugins offer, by name.
    :param worker: name of this process among several; empty where it is the only one.
    :param asked: names of the benchmarks that are asked for.
    """

    run_path: Path
    directory: Path
    wanted: Sequence[Wanted]
    registered: Mapping[str, Callable[[], Any]]
    worker: str = ""
    asked: frozenset[str] = frozenset({assembly.GATEMEM})


@final
class Materials:
    """Everything that plays a run in this process; each part is made when first asked for."""

    def __init__(self, settings: Settings, surroundings: Surroundings) -> None:
        self.settings = settings
        self.surroundings = surroundings

    @property
    def state(self) -> Path:
        """Where memory systems of this run store things."""
        return self.surroundings.run_path / STATE

    @cached_property
    def door(self) -> Door:
        """Where every call of a model in this process goes through."""
        from pytest_comem.llm.opening import open_door

        return open_door(
            self.settings.calls,
            self.state,
            worker=self.surroundings.worker,
            resumed=self.settings.resume is not None,
        )

    @cached_property
    def workshop(self) -> Workshop:
        """Makes what the memory systems of this process work with."""
        return assembly.make_workshop(self.settings, self.state, self.door)

    @cached_property
    def systems(self) -> Mapping[str, SystemUnderTest]:
        """The memory systems of this run by label, in the order given."""
        return assembly.find_systems(
            self.surroundings.wanted,
            self.workshop,
            registered=self.surroundings.registered,
            directory=self.surroundings.directory,
        )

    @cached_property
    def suites(self) -> Mapping[str, Suite]:
        """The benchmarks by the name of their parametrized value; none for the contract alone."""
        suites = assembly.make_suites(
            self.settings,
            self.door,
            list(self.systems),
            asked=self.surroundings.asked,
            run_path=self.surroundings.run_path,
        )
        return {suite.parameter: suite for suite in suites}

    @cached_property
    def steps(self) -> Mapping[str, Sequence[Step]]:
        """Every step of this run, by the name of its suite's parametrized value."""
        shard = self.settings.shard
        return {
            parameter: [
                step
                for system in self.systems.values()
                for step in suite.steps(system)
                if shard is None or shard.holds(step.domain, step.episode)
            ]
            for parameter, suite in self.suites.items()
        }

    @cached_property
    def ranks(self) -> dict[RunKey, int]:
        """Place of every :attr:`Step.run` among all."""
        runs = (step.run for steps in self.steps.values() for step in steps)
        return {run: rank for rank, run in enumerate(dict.fromkeys(runs))}

    @cached_property
    def earlier(self) -> Earlier | None:
        """What still holds of the run that this one goes on with; ``None`` for a new one."""
        if self.settings.resume is None:
            return None
        from pytest_comem.engine.resuming import sift

        keys = assembly.keys_of(self.steps, self.suites, self.systems)
        earlier = sift(self.surroundings.run_path, keys)
        for parameter, suite in self.suites.items():
            if suite.holds_whole:
                earlier = earlier.only_whole(self.steps[parameter])
        return earlier

    def known(self, steps: Sequence[Step]) -> dict[Step, Outcome]:
        """Return the outcomes of *steps* that still hold."""
        return self.earlier.outcomes_of(steps) if self.earlier else {}

    @cached_property
    def calls_models(self) -> bool:
        """Whether anything in this run may wait for a model."""
        settings = self.settings
        return bool(
            assembly.language_models(settings)
            or settings.memory_model != "scripted"
            or "/" in settings.embedder
        )

    def check(self, *, models: bool) -> None:
        """Find what is wrong with the settings before anything is played.

        :param models: whether the models' endpoints are to be looked at, too.
        :raises ComemError: naming the first thing that is wrong.
        """
        _ = self.systems, self.suites, self.earlier
        if models:
            systems: Iterable[SystemUnderTest] = self.systems.values()
            assembly.check_models(self.settings, systems, asked=bool(self.suites))

    def with_suites(self, steps: Iterable[Step]) -> list[tuple[Step, Suite, SystemUnderTest]]:
        """Return *steps*, each with its suite and memory system."""
        by_name = {suite.name: suite for suite in self.suites.values()}
        return [(step, by_name[step.suite], self.systems[step.system]) for step in steps]

    def close(self) -> Door | None:
        """Stop what was started, and return the door where one was opened."""
        if "suites" in self.__dict__:
            for suite in self.suites.values():
                suite.close()
        if "workshop" in self.__dict__:
            self.workshop.close()
        if "door" not in self.__dict__:
            return None
        self.door.close()
        return self.door
