"""CoMemBench's instances played: a fresh memory each, and one outcome a node."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.core.steps import Step
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.engine.workflow_accounts import NodeAccounts
from pytest_comem.engine.workflow_data import WorkflowData, WorkflowInstance
from pytest_comem.engine.workflow_outcomes import UNPLAYED, labels_of, with_result
from pytest_comem.engine.workflow_players import WorkflowPlayer, offline_players
from pytest_comem.errors import BenchmarkDefect, InfrastructureError, SettingsError
from pytest_comem.executors.base import Executor, HandoffMode, Job, NodeResult
from pytest_comem.executors.boundary import ROLE
from pytest_comem.executors.domain import DomainKit, Stand
from pytest_comem.llm.door import Door
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.schema import Domain
from pytest_comem.workflows.signing import run_signer
from pytest_comem.workflows.traces import TraceWriter

#: Directory of a run that holds its traces, a file an instance.
TRACES: Final = "traces"


@final
@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """How a run plays workflows.

    :param path: of the run's directory; the key and the traces go there.
    :param handoff: who delivers declared inputs.
    :param repeats: how often each instance is played.
    :param top_k: items for one query of a node; as the memory system has it, where ``None``.
    :param sandbox: name of the kind of sandbox that is used; empty where none is.
    :param excluded: families that are left out, and why.
    """

    path: Path
    handoff: HandoffMode = "declared"
    repeats: int = 1
    seed: int = 0
    top_k: int | None = None
    sandbox: str = ""
    excluded: Mapping[str, str] = field(default_factory=dict)

    def top_k_of(self, system: SystemUnderTest) -> int:
        """Return how many items a node is given of a memory system, at most."""
        return self.top_k or system.top_k

    @property
    def warnings(self) -> list[str]:
        """What is left out, a sentence a reason."""
        families: dict[str, list[str]] = {}
        for family, reason in self.excluded.items():
            families.setdefault(reason, []).append(family)
        return [
            f"{len(left)} CoMemBench {'family is' if len(left) == 1 else 'families are'} left out "
            f"({left[0]}{', ...' if len(left) > 1 else ''}): {reason}"
            for reason, left in families.items()
        ]


@final
class WorkflowSuite:
    """The CoMemBench suite over one corpus.

    :param kits: what plays each domain of the corpus.
    :param players: who does the work, a model and a repeat each; the domains' own workers where
        none are given, as often as the run says.
    :raises SettingsError: where a domain has none.
    """

    name: Final = "comembench"
    parameter: Final = "node"
    holds_whole: Final = True

    def __init__(
        self,
        data: WorkflowData,
        kits: Mapping[Domain, DomainKit],
        executor: Executor,
        run: WorkflowRun,
        door: Door,
        players: Sequence[WorkflowPlayer] = (),
    ) -> None:
        missing = sorted({one.family.domain for one in data.instances} - set(kits))
        if missing:
            raise SettingsError(f"nothing here plays the domain {missing[0]} of CoMemBench")
        self._data = data
        self._kits = kits
        self._executor = executor
        self._run = run
        self._door = door
        everyone = players or offline_players(run.repeats)
        self._players = {(player.label, player.repeat): player for player in everyone}
        self._instances = {one.episode: one for one in data.instances}

    def steps(self, system: SystemUnderTest) -> Sequence[Step]:
        """Return every node for *system*, by model, repeat, instance and playing order."""
        return [
            Step(
                self.name,
                system.info.name,
                one.family.domain.value,
                one.episode,
                node_id,
                position,
                label,
                repeat,
            )
            for label, repeat in self._players
            for one in self._data.instances
            for position, node_id in enumerate(Graph.of(one.family).order())
        ]

    def close(self) -> None:
        """Stop what the domains' instances share."""
        for kit in self._kits.values():
            kit.close()

    def describe(self) -> dict[str, Any]:
        """Return the corpus' revision and size, and its instances in playing order."""
        return {
            "revision": self._data.revision,
            "families": len(self._data.families),
            "instances": len(self._data.instances),
            "nodes": sum(len(one.family.nodes) for one in self._data.instances),
            "order": [one.episode for one in self._data.instances],
            # By family, so that a run over some families can be held against one over all.
            "checksums": {
                family: stable_hash(
                    [one.digest for one in self._data.instances if one.family.family_id == family]
                )
                for family in self._data.families
            },
            "executor": f"{self._executor.name} {self._executor.version}",
            "handoff": self._run.handoff,
            "sandbox": self._run.sandbox,
            "top_k": self._run.top_k,
            "excluded": dict(self._run.excluded),
            "warnings": self._run.warnings,
        }

    def key(self, step: Step, system: SystemUnderTest) -> str:
        """Return the hash of everything that could change a step's outcome."""
        one = self._instances[step.episode]
        kit, run = self._kits[one.family.domain], self._run
        return stable_hash(
            [
                one.digest,
                step.id,
                [kit.domain.value, kit.version],
                [self._executor.name, self._executor.version, run.handoff],
                [system.info.name, system.info.version, system.info.configuration],
                [run.top_k_of(system), run.seed],
                *([step.repeat] if step.repeat else []),
                # Absent without a model, so that these keys stay what they were.
                *([identity] if (identity := self._player(step).identity) else []),
            ]
        )

    def play(
        self,
        steps: Iterable[Step],
        system: SystemUnderTest,
        known: Container[Step] = frozenset(),
    ) -> Iterator[Outcome]:
        """Play one instance on a fresh memory and yield one outcome a wanted node.

        What a wanted node depends on is played, also where it is not wanted or known. A node inside
        a revision loop has its outcome when the loop is over, so the loop is played on before.
        """
        remaining = iter(steps)
        first = next(remaining, None)
        if first is None:
            return
        one = self._instances[first.episode]
        meter = self._door.meter(f"{self.name}/{first.run_label}", first.repeat or 0)
        try:
            # The id says nothing of the condition to a library that sees its directory's name.
            with GuardedMemory(system, one.instance.instance_id, meter) as memory:
                yield from self._play(one, first, chain([first], remaining), memory, known)
        finally:
            self._door.finish(meter)

    def _play(
        self,
        one: WorkflowInstance,
        first: Step,
        steps: Iterable[Step],
        memory: GuardedMemory,
        known: Container[Step],
    ) -> Iterator[Outcome]:
        kit, remaining = self._kits[one.family.domain], iter(steps)
        step: Step | None = None
        try:
            with ExitStack() as opened:
                stand = opened.enter_context(kit.open(one.family, one.instance.instance_id))
                job = self._job(one, first.run_label, stand, memory)
                opened.enter_context(closing(job.trace))
                job = self._player(first).doing(job, memory.meter)
                results = opened.enter_context(closing(self._executor.run(job)))
                for step in remaining:
                    result = _of(step, results)
                    if step not in known:
                        bare = self.unscored(step, memory.system, UNPLAYED)
                        yield with_result(bare, result, one.instance.pollution)
                    step = None
        except BenchmarkDefect as defect:
            failure = Failure(Attribution.BENCHMARK, "workflow", str(defect))
            for later in chain([step] if step else [], remaining):
                if later not in known:
                    yield self.unscored(later, memory.system, failure)

    def _job(self, one: WorkflowInstance, label: str, stand: Stand, memory: GuardedMemory) -> Job:
        run = self._run
        folder = run.path / TRACES
        trace = folder / f"{label}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # A run that goes on plays a broken-off instance anew.
            trace.unlink(missing_ok=True)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InfrastructureError(f"{trace}: {reason}", type="harness") from None
        signer = run_signer(run.path)
        return Job(
            instance=one.instance,
            oracles=one.oracles,
            stand=stand,
            memory=memory,
            top_k=run.top_k_of(memory.system),
            mode=run.handoff,
            trace=TraceWriter(trace, signer),
            signer=signer,
            run_id=run.path.absolute().name or "run",
            accounts=NodeAccounts(memory.meter),
            settings={"memory_system": memory.system.info.name},
        )

    def _player(self, step: Step) -> WorkflowPlayer:
        return self._players[step.model, step.repeat]

    def unscored(self, step: Step, system: SystemUnderTest, failure: Failure) -> Outcome:
        """Return the outcome of a node that never came to a verdict."""
        one = self._instances[step.episode]
        node = one.family.node(step.id)
        return Outcome(
            key=self.key(step, system),
            step=step,
            data=self._data.revision,
            system=system.info,
            model=self._player(step).model,
            judge="native",
            # Who delivers inputs: results of the two modes are not to be compared.
            scoring=self._run.handoff,
            labels=labels_of(one, step.id),
            query={"text": node.task.instruction, "requester": step.id, "role": ROLE},
            failure=failure,
        )


def _of(step: Step, results: Iterable[NodeResult]) -> NodeResult:
    """Play on until a step's node, and return its result."""
    for result in results:
        if result.node_id == step.id:
            return result
    raise InfrastructureError(
        f"{step.id} is asked after a later node of its workflow, or its executor left it out; "
        "do not reorder the items of a suite",
        type="harness",
    )
