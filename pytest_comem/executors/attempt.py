"""One attempt at one node: asked, shown, worked, judged, written down and remembered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, final

from pytest_comem.core.outcomes import Usage
from pytest_comem.core.workflow_measures import Purpose
from pytest_comem.errors import ComemError, InfrastructureError, place_of
from pytest_comem.executors.base import Job
from pytest_comem.executors.boundary import Boundary, Proposed
from pytest_comem.executors.domain import Judgement, Shown, Work
from pytest_comem.executors.ledger import Ledger, Made, within_reach
from pytest_comem.records.canonical import canonical, storable
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.events import (
    Action,
    ArtifactMade,
    Consumption,
    Exposure,
    Handoff,
    NodeViewed,
    ReceiptIssued,
    Tokens,
)
from pytest_comem.workflows.receipts import Receipt, issue
from pytest_comem.workflows.schema import Edge, Node
from pytest_comem.workflows.views import IncomingArtifact, node_view

T = TypeVar("T")
#: Where a memory's tokens are counted.
_MEMORY_PHASES: Final = ("ingest", "recall")


@final
@dataclass(frozen=True, slots=True)
class Attempted:
    """What came of one attempt.

    :param exposed: ids of all that the worker was shown.
    :param consumed: those of them that the output rests on.
    """

    artifact: Artifact
    receipt: Receipt
    judgement: Judgement
    proposed: Proposed
    exposed: tuple[str, ...]
    consumed: tuple[str, ...]
    tokens: Mapping[Purpose, int]
    usage: Mapping[str, Usage]


@final
@dataclass(frozen=True, slots=True)
class _Sight:
    """What a worker is shown, and what of it is which artifact, by id."""

    shown: Shown
    proposed: Proposed
    artifacts: Mapping[str, Artifact]


@final
@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt at a node that is about to be made.

    :param number: from 1; revisions count on.
    :param edges: along which artifacts may come in.
    """

    job: Job
    boundary: Boundary
    ledger: Ledger
    node: Node
    number: int
    edges: Sequence[Edge]

    def make(self) -> Attempted:
        """Play the attempt, and take its output into ledger and memory.

        :raises ComemError: where memory, worker, evaluator or disk broke.
        """
        write, accounts = self.job.trace.append, self.job.accounts
        sight = self._sight()
        with accounts.phase("answer"):
            work = self._guarded("worker", lambda: self.job.stand.work(sight.shown))
        for action in work.actions:
            write(self._action(action))
        artifact = self._artifact(work.content)
        write(ArtifactMade(**self._at, artifact=artifact))
        consumed = tuple(each for each in dict.fromkeys(work.consumed) if each in sight.artifacts)
        with accounts.phase("judge"):
            judgement = self._judged(artifact, work, [sight.artifacts[each] for each in consumed])
        receipt = self._receipt(artifact, judgement)
        write(ReceiptIssued(node_id=self.node.node_id, receipt=receipt))
        write(Consumption(**self._at, artifact_ids=consumed))
        self.ledger.enter(artifact, receipt)
        self._remember(artifact, receipt)
        usage = accounts.take()
        tokens = self._tokens(work, sight.proposed, usage)
        return Attempted(
            artifact,
            receipt,
            judgement,
            sight.proposed,
            tuple(sight.artifacts),
            consumed,
            tokens,
            usage,
        )

    @property
    def _at(self) -> dict[str, Any]:
        return {"node_id": self.node.node_id, "attempt": self.number}

    def _sight(self) -> _Sight:
        """Ask the memory, hand over what the mode allows, and write down who is shown what."""
        job, write, node_id = self.job, self.job.trace.append, self.node.node_id
        with job.accounts.phase("recall"):
            proposed = self.boundary.ask(job.instance.family, self.node)
        ids = tuple(each.artifact_id for each in proposed.artifacts)
        reach = within_reach(self.ledger, self.edges, None if job.mode == "declared" else ids)
        for edge, made in reach:
            write(_handoff(edge, made))
        incoming = [
            IncomingArtifact(artifact=made.artifact, receipt_id=made.receipt.receipt_id)
            for _, made in reach
        ]
        handed = {each.artifact.artifact_id: each.artifact for each in incoming}
        more = [each for each in proposed.artifacts if each.artifact_id not in handed]
        actual = handed | {each.artifact_id: each for each in more}
        write(Exposure(**self._at, stage="proposed", artifact_ids=ids))
        write(Exposure(**self._at, stage="actual", artifact_ids=tuple(actual)))
        beyond = [
            IncomingArtifact(artifact=each, receipt_id=self.boundary.receipt_of(each.artifact_id))
            for each in more
        ]
        family = job.instance.family
        write(NodeViewed(**self._at, view=node_view(family, node_id, [*incoming, *beyond])))
        receipts = {
            each: receipt
            for each in actual
            if (receipt := self.boundary.receipt_of(each)) is not None
        }
        shown = Shown(node_view(family, node_id, incoming), tuple(more), proposed.texts, receipts)
        return _Sight(shown, proposed, actual)

    def _action(self, action: Mapping[str, Any]) -> Action:
        detail = {key: value for key, value in action.items() if key != "action"}
        name = str(action.get("action") or "tool")[:200]
        return self._valid("worker", lambda: Action(**self._at, action=name, detail=_plain(detail)))

    def _artifact(self, content: Any) -> Artifact:
        node = self.node
        producer = Producer(family_id=self.job.instance.family.family_id, node_id=node.node_id)
        return self._valid(
            "worker",
            lambda: make_artifact(
                content,
                semantic_type=node.output_type,
                entity_scope=node.entity_scope,
                version=self.ledger.next_version(node.node_id),
                producer=producer,
                # The first attempt's id follows from the content alone.
                salt="" if self.number == 1 else f"attempt {self.number}",
            ),
        )

    def _judged(self, artifact: Artifact, work: Work, consumed: Sequence[Artifact]) -> Judgement:
        allowed = self.job.instance.family.execution.tokens_per_node
        used = sum(work.tokens.values())
        if allowed is not None and used > allowed:
            text = f"it used {used:,} tokens, and the execution contract allows {allowed:,}"
            return Judgement(False, text, {"tokens": used, "allowed": allowed})
        oracle = self.job.oracles.of(self.node.node_id)
        stand = self.job.stand
        return self._guarded(
            "evaluator", lambda: stand.evaluate(self.node, oracle, artifact, consumed)
        )

    def _receipt(self, artifact: Artifact, judgement: Judgement) -> Receipt:
        return self._valid(
            "evaluator",
            lambda: issue(
                self.job.signer,
                artifact,
                "verified" if judgement.passed else "rejected",
                run_id=self.job.run_id,
                instance_id=self.job.instance.instance_id,
                attempt=self.number,
                evaluator=self.node.evaluator,
                evidence=_plain({"reason": judgement.reason, "found": dict(judgement.evidence)}),
            ),
        )

    def _remember(self, artifact: Artifact, receipt: Receipt) -> None:
        """Write the output to the memory; only a verified receipt goes with it."""
        shown = receipt.receipt_id if receipt.verified else None
        with self.job.accounts.phase("ingest"):
            self.boundary.write(artifact, receipt_id=shown, verified=receipt.verified)

    def _tokens(
        self, work: Work, proposed: Proposed, usage: Mapping[str, Usage]
    ) -> dict[Purpose, int]:
        """Return the attempt's tokens by purpose, and write them down.

        What the work of a second or later attempt used is recovery.
        """
        by_use: dict[Purpose, int] = {
            "execution": 0,
            "coordination": 0,
            "retrieval_context": len(proposed.recall.text.split()),
            "recovery": 0,
            "memory": sum(usage[phase].tokens for phase in _MEMORY_PHASES if phase in usage),
        }
        for use, count in work.tokens.items():
            if count < 0:
                text = f"the worker of node {self.node.node_id} says it used {count} tokens"
                raise InfrastructureError(text, type="worker")
            purpose: Purpose = "coordination" if use == "coordination" else "execution"
            by_use["recovery" if self.number > 1 else purpose] += count
        for kind, tokens in by_use.items():
            if tokens:
                self.job.trace.append(
                    Tokens(node_id=self.node.node_id, purpose=kind, prompt=tokens, completion=0)
                )
        return by_use

    def _valid(self, part: str, make: Callable[[], T]) -> T:
        """Return what *make* makes of a part's values, which may be of any kind."""
        try:
            return make()
        except (TypeError, ValueError) as error:
            text = f"the {part} of node {self.node.node_id} returned what cannot be kept: {error}"
            raise InfrastructureError(text, type=part) from error

    def _guarded(self, part: str, call: Callable[[], T]) -> T:
        """Return what *call* returns; whatever else it raises is that part's fault."""
        try:
            return call()
        except ComemError:
            raise
        except Exception as error:
            told = f"{type(error).__name__}: {error}{place_of(error)}"
            text = f"the {part} of node {self.node.node_id} raised {told}"
            raise InfrastructureError(text, type=part) from error


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: tuples as lists.

    :raises TypeError, ValueError: where JSON has no such value.
    """
    return json.loads(canonical(storable(value)))


def _handoff(edge: Edge, made: Made) -> Handoff:
    return Handoff(
        source=edge.source,
        target=edge.target,
        artifact_id=made.artifact.artifact_id,
        receipt_id=made.receipt.receipt_id,
    )
