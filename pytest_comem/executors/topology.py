"""The topology-preserving executor: nodes in dependency order, one after the other.

What a node sees beyond its declared inputs is decided by the memory system alone. A node whose
inputs have not come is played without them. A failed receipt at the source of a revision edge sends
control back to its target, as often as the edge allows; the target and all that follows it are then
played again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Final, final

from pytest_comem.core.outcomes import Usage, plus
from pytest_comem.core.workflow_measures import PURPOSES, Purpose
from pytest_comem.errors import BenchmarkDefect, ComemError
from pytest_comem.executors.attempt import Attempt, Attempted
from pytest_comem.executors.base import Job, NodeResult
from pytest_comem.executors.boundary import Boundary
from pytest_comem.executors.ledger import Ledger
from pytest_comem.workflows.events import Polluted, initialization
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.schema import Edge


@final
class TopologyExecutor:
    """Plays every node by one worker, without further coordination."""

    name: Final = "topology"
    version: Final = "1"

    def run(self, job: Job) -> Generator[NodeResult, None, None]:
        """Play an instance and yield a result a node, in the order of :meth:`Graph.order`.

        A node inside a revision loop has its result once the loop is over.

        :raises ComemError: as :class:`pytest_comem.executors.base.Executor` says.
        """
        run = _Run(job, self)
        try:
            yield from run.results()
        except BenchmarkDefect:
            job.trace.end("benchmark_defect")
            raise
        except ComemError:
            job.trace.end("infrastructure_failure")
            raise
        finally:
            job.trace.close()


@final
@dataclass(slots=True)
class _Taken:
    """What all attempts at a node took together."""

    attempts: int = 0
    tokens: Counter[Purpose] = field(default_factory=Counter)
    usage: dict[str, Usage] = field(default_factory=dict)

    def add(self, attempted: Attempted) -> None:
        """Count one attempt."""
        self.tokens.update(attempted.tokens)
        for phase, usage in attempted.usage.items():
            self.usage[phase] = plus(self.usage.get(phase, Usage()), usage)


@final
class _Run:
    """An instance while it is played."""

    def __init__(self, job: Job, executor: TopologyExecutor) -> None:
        self._job = job
        self._executor = executor
        self._family = job.instance.family
        self._graph = Graph.of(self._family)
        self._order = self._graph.order()
        self._boundary = Boundary(job.memory, job.top_k)
        self._ledger = Ledger(self._family)
        self._loops = [edge for edge in self._family.edges if edge.kind == "revision"]
        self._sent_back = Counter[Edge]()
        #: The revision edge along which control came back to a node that has yet to be played.
        self._back: dict[str, Edge] = {}
        self._taken = {node_id: _Taken() for node_id in self._order}
        self._done: dict[str, NodeResult] = {}
        self._is_polluted = False

    def results(self) -> Iterator[NodeResult]:
        """Play on, and yield what is settled."""
        self._begin()
        told = 0
        while told < len(self._order):
            self._visit(next(each for each in self._order if each not in self._done))
            if len(self._done) == len(self._order):
                self._job.trace.end("completed")
            while told < len(self._order) and self._is_settled(self._order[told]):
                yield self._done[self._order[told]]
                told += 1

    def _begin(self) -> None:
        job, executor = self._job, self._executor
        settings = {
            **job.settings,
            "executor": f"{executor.name} {executor.version}",
            "handoff": job.mode,
        }
        job.trace.append(initialization(job.instance, job.run_id, {**settings}))

    def _is_settled(self, node_id: str) -> bool:
        """Whether a node is played, and no revision edge can send control back above it."""
        return node_id in self._done and not any(
            edge.source not in self._done and node_id in self._again(edge) for edge in self._loops
        )

    def _again(self, edge: Edge) -> frozenset[str]:
        """Return the nodes that are played again where a revision edge is taken."""
        return self._graph.after(edge.target) | {edge.target}

    def _visit(self, node_id: str) -> None:
        """Play a node until it is verified, at most as often as the contract allows."""
        taken, node = self._taken[node_id], self._family.node(node_id)
        back = self._back.pop(node_id, None)
        edges = [*self._family.inputs(node_id), *([back] if back else [])]
        for _ in range(self._family.execution.max_attempts):
            taken.attempts += 1
            number = "" if taken.attempts == 1 else f".{taken.attempts}"
            self._job.accounts.begin(node_id + number)
            self._pollute(node_id)
            attempt = Attempt(self._job, self._boundary, self._ledger, node, taken.attempts, edges)
            attempted = attempt.make()
            taken.add(attempted)
            if attempted.receipt.verified:
                break
        self._done[node_id] = self._result(node_id, taken, attempted)
        if not attempted.receipt.verified:
            self._send_back(node_id)

    def _pollute(self, node_id: str) -> None:
        """Write the twin's one more artifact to the memory before its target is first asked."""
        pollution = self._job.instance.pollution
        if pollution is None or pollution.target != node_id or self._is_polluted:
            return
        self._is_polluted = True
        self._job.trace.append(Polluted(**dict(pollution)))
        with self._job.accounts.phase("ingest"):
            self._boundary.write(
                pollution.artifact,
                receipt_id=pollution.receipt_id,
                verified=pollution.receipt_id is not None,
            )

    def _send_back(self, node_id: str) -> None:
        """Take the first revision edge of a failed node that may still be taken."""
        for edge in self._loops:
            if edge.source == node_id and self._sent_back[edge] < edge.max_revisions:
                self._sent_back[edge] += 1
                self._back[edge.target] = edge
                for again in self._again(edge):
                    self._done.pop(again, None)
                return

    def _result(self, node_id: str, taken: _Taken, attempted: Attempted) -> NodeResult:
        return NodeResult(
            node_id=node_id,
            attempts=taken.attempts,
            artifact=attempted.artifact,
            receipt=attempted.receipt,
            judgement=attempted.judgement,
            proposed=attempted.proposed,
            exposed=attempted.exposed,
            consumed=attempted.consumed,
            eligible=self._ledger.is_eligible(node_id),
            lacking=self._ledger.lacking(node_id, attempted.exposed, attempted.consumed),
            tokens={purpose: taken.tokens[purpose] for purpose in PURPOSES},
            usage=dict(taken.usage),
        )
