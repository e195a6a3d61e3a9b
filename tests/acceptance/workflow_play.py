"""The tests' workflow families, and a play of one without workers: gold outputs, whole traces."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.events import (
    Action,
    ArtifactMade,
    Consumption,
    Exposure,
    Handoff,
    NodeViewed,
    Polluted,
    ReceiptIssued,
    Tokens,
    initialization,
)
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Instance, Operator, clean_instance
from pytest_comem.workflows.hidden_files import gold_artifacts, load_oracles, load_pollution
from pytest_comem.workflows.loading import load_family
from pytest_comem.workflows.pollution import Gold, Surroundings
from pytest_comem.workflows.receipts import Receipt, issue
from pytest_comem.workflows.signing import Signer
from pytest_comem.workflows.traces import START, TraceWriter, event_hash, seal_of
from pytest_comem.workflows.twins import Twins, twin
from pytest_comem.workflows.views import IncomingArtifact, node_view

DATA = Path(__file__).resolve().parents[1] / "workflows" / "data"
NAMES = ("bridge-search", "dates-fix", "sum-proof")
SIGNER = Signer(bytes(range(32)))


def surroundings(name: str = "dates-fix") -> Surroundings:
    """Return one of the tests' families with everything its operators draw from."""
    family = load_family(DATA / name)
    gold = gold_artifacts(family, load_oracles(DATA / name, family))
    return Surroundings(family, gold, load_pollution(DATA / name, family).decoys)


def twins(operator: Operator, target: str, name: str = "dates-fix") -> Twins:
    """Return a pair that exists."""
    found = twin(surroundings(name), operator, target)
    assert isinstance(found, Twins)
    return found


class Play:
    """Plays one instance by its gold outputs, and writes the trace that an executor would."""

    def __init__(self, path: Path, instance: Instance, gold: Gold, signer: Signer = SIGNER) -> None:
        self.instance, self.gold, self.signer = instance, gold, signer
        self.receipts: dict[str, Receipt] = {}
        self.writer = TraceWriter(path, signer)

    def whole(self) -> None:
        """Play every node in order, and seal the trace."""
        family, pollution = self.instance.family, self.instance.pollution
        self.writer.append(initialization(self.instance, "run-1", {"memory_system": "none"}))
        if pollution is not None:
            self.writer.append(Polluted(**dict(pollution)))
        for node_id in Graph.of(family).order():
            self.node(node_id)
        self.writer.end("completed")

    def node(self, node_id: str) -> None:
        """Play one node."""
        family, pollution, write = self.instance.family, self.instance.pollution, self.writer.append
        incoming = []
        for edge in family.inputs(node_id):
            artifact, receipt = self.gold[edge.source], self.receipts[edge.source]
            handoff = Handoff(
                source=edge.source,
                target=node_id,
                artifact_id=artifact.artifact_id,
                receipt_id=receipt.receipt_id,
            )
            write(handoff)
            incoming.append(IncomingArtifact(artifact=artifact, receipt_id=receipt.receipt_id))
        proposed: list[Artifact] = []
        if pollution is not None and pollution.target == node_id:
            proposed.append(pollution.artifact)
            shown = {"artifact": pollution.artifact, "receipt_id": pollution.receipt_id}
            incoming.append(IncomingArtifact.model_validate(shown))
        at: dict[str, Any] = {"node_id": node_id, "attempt": 1}
        ids_proposed = tuple(one.artifact_id for one in proposed)
        ids_actual = tuple(one.artifact.artifact_id for one in incoming)
        write(Exposure(**at, stage="proposed", artifact_ids=ids_proposed))
        write(Exposure(**at, stage="actual", artifact_ids=ids_actual))
        write(NodeViewed(**at, view=node_view(family, node_id, incoming)))
        write(Action(**at, action="work"))
        write(ArtifactMade(**at, artifact=self.gold[node_id]))
        self.receipts[node_id] = self.receipt(node_id)
        write(ReceiptIssued(node_id=node_id, receipt=self.receipts[node_id]))
        write(Consumption(**at, artifact_ids=ids_actual))
        write(Tokens(node_id=node_id, purpose="execution", prompt=10, completion=5))

    def receipt(self, node_id: str) -> Receipt:
        """Return a verified receipt of a node's gold output."""
        return issue(
            self.signer,
            self.gold[node_id],
            "verified",
            run_id="run-1",
            instance_id=self.instance.instance_id,
            attempt=1,
            evaluator=self.instance.family.node(node_id).evaluator,
            evidence={"checked": node_id},
        )


def played(path: Path, instance: Instance | None = None, name: str = "dates-fix") -> Path:
    """Write the trace of an instance, by default of a family's control."""
    around = surroundings(name)
    Play(path, instance or clean_instance(around.family), around.gold).whole()
    return path


def rewritten(path: Path, change: Callable[[list[Any]], None]) -> Path:
    """Change a trace's payloads, then chain and seal it anew, as whoever has the key could."""
    payloads = [json.loads(line)["payload"] for line in path.read_text("utf-8").splitlines()]
    end = payloads.pop()
    change(payloads)
    previous, lines = START, []
    end |= {"count": len(payloads)}
    for seq, payload in enumerate([*payloads, end]):
        if payload is end:
            end["seal"] = seal_of(SIGNER, len(payloads), end["status"], previous)
        own = event_hash(seq, previous, payload)
        event = {"hash": own, "payload": payload, "previous": previous, "seq": seq}
        lines.append(json.dumps(event, sort_keys=True, separators=(",", ":")))
        previous = own
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
