"""A toy domain for workflows: a worker that looks outputs up by what it takes in, naively."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from workflow_play import DATA, SIGNER

from pytest_comem.core.outcomes import Usage
from pytest_comem.engine.workflow_data import WorkflowData, WorkflowInstance, load_workflows
from pytest_comem.executors.base import HandoffMode, Job, NodeResult
from pytest_comem.executors.boundary import Memory
from pytest_comem.executors.domain import Judgement, Shown, Toolbox, ToolRefusal, ToolSpec, Work
from pytest_comem.executors.topology import TopologyExecutor
from pytest_comem.records.canonical import canonical
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle, Oracles
from pytest_comem.workflows.hidden_files import load_oracles
from pytest_comem.workflows.schema import Domain, Family, Node
from pytest_comem.workflows.traces import TraceWriter
from pytest_comem.workflows.views import InputContract, NodeView


@dataclass
class ToyStand:
    """Turns the gold inputs of a node into its gold output, and any other inputs into nonsense.

    :param failing: how many attempts at a node make nonsense in any case.
    :param raises: what working on a node raises.
    :param tokens: that every work uses.
    """

    gold: Mapping[str, Any]
    failing: Counter[str] = field(default_factory=Counter)
    raises: Mapping[str, BaseException] = field(default_factory=dict)
    tokens: int = 10
    seen: list[Shown] = field(default_factory=list)

    def work(self, shown: Shown) -> Work:
        """Take the last artifact that looks right for each input, and look the output up."""
        self.seen.append(shown)
        node_id = shown.view.node_id
        if node_id in self.raises:
            raise self.raises[node_id]
        taken = {one.source: _looks_right(shown, one) for one in shown.view.handoff_contract}
        right = all(
            artifact is not None and canonical(artifact.content) == canonical(self.gold[source])
            for source, artifact in taken.items()
        )
        if self.failing[node_id] > 0:
            self.failing[node_id] -= 1
            right = False
        content = self.gold[node_id] if right else {"nonsense": node_id}
        return Work(
            content,
            tuple(artifact.artifact_id for artifact in taken.values() if artifact),
            ({"action": "look_up", "inputs": sorted(taken)},),
            {"execution": self.tokens},
        )

    def evaluate(
        self, node: Node, oracle: Oracle, artifact: Artifact, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Hold the output against the oracle's."""
        passed = canonical(artifact.content) == canonical(oracle.gold)
        return Judgement(passed, "as it should be" if passed else "not what was asked for")

    def tools(self, view: NodeView) -> Toolbox:
        """Return none."""
        return NoTools()

    def schema(self, view: NodeView) -> Mapping[str, Any]:
        """Allow any content."""
        return {}


class NoTools:
    """A toolbox with nothing in it."""

    def specs(self) -> Sequence[ToolSpec]:
        """Return nothing."""
        return ()

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Refuse."""
        raise ToolRefusal("there are no tools")

    def complete(self, content: Any) -> Any:
        """Leave a content as it is."""
        return content


def _looks_right(shown: Shown, wanted: InputContract) -> Artifact | None:
    """Return the last artifact of the type that is of the entity, or of a maker of that name."""
    contract = wanted.contract
    every = shown.artifacts
    found = [
        artifact
        for artifact in every
        if artifact.semantic_type == contract.semantic_type
        and (
            artifact.entity_scope == contract.entity_scope
            or artifact.producer.node_id == wanted.source
        )
    ]
    return found[-1] if found else None


@dataclass(frozen=True)
class ToyKit:
    """Plays the families of one domain; what a stand is made with is the same each time."""

    domain: Domain
    version: str = "toy 1"
    failing: Mapping[str, int] = field(default_factory=dict)
    raises: Mapping[str, BaseException] = field(default_factory=dict)

    def missing(self, family: Family) -> None:
        """Lack nothing."""

    def close(self) -> None:
        """Share nothing."""

    @contextmanager
    def open(self, family: Family, instance: str) -> Iterator[ToyStand]:
        """Return a fresh stand of one instance."""
        yield ToyStand(gold_of(family), Counter(self.failing), self.raises)


def gold_of(family: Family) -> dict[str, Any]:
    """Return what every node has to make."""
    oracles: Oracles = load_oracles(DATA / family.family_id, family)
    return {oracle.node_id: oracle.gold for oracle in oracles.oracles}


def toy_kits(**more: Any) -> dict[Domain, ToyKit]:
    """Return a kit for every domain."""
    return {domain: ToyKit(domain, **more) for domain in Domain}


@cache
def data() -> WorkflowData:
    """Return the instances of the tests' families."""
    return load_workflows(DATA)


def instance(name: str = "dates-fix", operator: str | None = None) -> WorkflowInstance:
    """Return a family's control, or the twin that an operator makes."""
    for one in data().instances:
        pollution = one.instance.pollution
        found = pollution.operator.value if pollution else None
        if one.family.family_id == name and found == operator:
            return one
    raise LookupError(name)


class NoAccounts:
    """Counts nothing."""

    def begin(self, name: str) -> None:
        """Ignore who is at work."""

    def phase(self, name: str) -> nullcontext[None]:
        """Count nothing under a phase."""
        return nullcontext()

    def take(self) -> Mapping[str, Usage]:
        """Return nothing."""
        return {}


def job(
    one: WorkflowInstance,
    memory: Memory,
    trace: Path,
    *,
    mode: HandoffMode = "declared",
    stand: ToyStand | None = None,
) -> Job:
    """Return an instance on a memory, ready to be run."""
    return Job(
        instance=one.instance,
        oracles=one.oracles,
        stand=stand or ToyStand(gold_of(one.family)),
        memory=memory,
        top_k=20,
        mode=mode,
        trace=TraceWriter(trace, SIGNER),
        signer=SIGNER,
        run_id="run-1",
        accounts=NoAccounts(),
    )


def run(
    one: WorkflowInstance,
    memory: Memory,
    trace: Path,
    *,
    mode: HandoffMode = "declared",
    stand: ToyStand | None = None,
) -> dict[str, NodeResult]:
    """Run a whole instance, and return its results by node."""
    results = TopologyExecutor().run(job(one, memory, trace, mode=mode, stand=stand))
    return {result.node_id: result for result in results}
