"""What runs a workflow instance gets, and what it says of every node."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, final

from pytest_comem.core.outcomes import Usage
from pytest_comem.core.workflow_measures import Purpose
from pytest_comem.executors.boundary import Memory, Proposed
from pytest_comem.executors.domain import Judgement, Stand
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Instance, Oracles
from pytest_comem.workflows.receipts import Receipt
from pytest_comem.workflows.signing import Signer
from pytest_comem.workflows.traces import TraceWriter

#: ``declared``: the harness hands over declared inputs, and the memory may add to them.
#: ``memory``: the memory alone has to deliver them.
HandoffMode = Literal["declared", "memory"]
HANDOFF_MODES: Final[tuple[HandoffMode, ...]] = ("declared", "memory")


class Accounts(Protocol):
    """Counts what the nodes of an instance take."""

    def begin(self, name: str) -> None:
        """Say that calls of models belong to *name* from now on: a node, and which attempt."""

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Count seconds and calls under a phase: ``ingest``, ``recall``, ``answer``, ``judge``."""

    def take(self) -> Mapping[str, Usage]:
        """Return what was used by phase since the last time, and begin anew."""


@final
@dataclass(frozen=True, slots=True)
class Job:
    """One instance to be run.

    :param memory: empty; the instance's own.
    :param top_k: items for one query to it, at most.
    :param trace: new; the executor seals it.
    :param settings: what else the trace's initialization says.
    """

    instance: Instance
    oracles: Oracles
    stand: Stand
    memory: Memory
    top_k: int
    mode: HandoffMode
    trace: TraceWriter
    signer: Signer
    run_id: str
    accounts: Accounts
    settings: Mapping[str, str] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class NodeResult:
    """What became of a node, as it stands when nothing can send control back to it any more.

    :param attempts: that were made, revisions counted in.
    :param artifact: of the last attempt.
    :param receipt: of that artifact.
    :param judgement: behind the receipt.
    :param proposed: what the memory system exposed to the last attempt.
    :param exposed: ids of all that the last attempt was shown.
    :param consumed: ids of what its output rests on.
    :param eligible: it has required inputs, and each one's producer has a verified receipt.
    :param lacking: what keeps the handoff from being a success, a clause each, beside the verdict.
    :param tokens: of all attempts by purpose; words where no model counted them.
    :param usage: of all attempts by phase.
    """

    node_id: str
    attempts: int
    artifact: Artifact
    receipt: Receipt
    judgement: Judgement
    proposed: Proposed
    exposed: tuple[str, ...]
    consumed: tuple[str, ...]
    eligible: bool
    lacking: tuple[str, ...]
    tokens: Mapping[Purpose, int]
    usage: Mapping[str, Usage]

    @property
    def handed(self) -> bool:
        """Whether the handoff succeeded (VHS): eligible, nothing lacking, and verified."""
        return self.eligible and not self.lacking and self.receipt.verified


class Executor(Protocol):
    """A way to organise the work on a workflow."""

    @property
    def name(self) -> str:
        """Name by which it is chosen."""

    @property
    def version(self) -> str:
        """Changes whenever an instance may come out differently."""

    def run(self, job: Job) -> Generator[NodeResult, None, None]:
        """Play an instance and yield a result a node, in the order of :meth:`Graph.order`.

        It plays no further than it has to for the next result, and leaves a sealed trace when it
        is through, or when an error below breaks it off.

        :raises InfrastructureError: where memory, worker, evaluator or disk broke.
        :raises BenchmarkDefect: where the family itself cannot be evaluated.
        """
