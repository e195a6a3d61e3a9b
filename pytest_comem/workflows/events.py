"""The events of a trace, in the paper's words."""

from __future__ import annotations

from typing import Annotated, Literal, final

from pydantic import Field, JsonValue

from pytest_comem.records.base import Digest, Id, Name, Record
from pytest_comem.records.canonical import digest
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Instance, Operator
from pytest_comem.workflows.receipts import Receipt
from pytest_comem.workflows.schema import Edge, Version
from pytest_comem.workflows.views import NodeView

ArtifactIds = tuple[Id, ...]


@final
class Initialization(Record):
    """The first event: what is played, and under which rules.

    :param settings: whatever else decides, such as executor, handoff mode and memory system.
    """

    type: Literal["initialization"] = "initialization"
    run_id: Name
    instance_id: Id
    family_id: Id
    family_hash: Digest
    condition: Literal["clean", "polluted"]
    operator: Operator | None
    target: Id | None
    nodes: tuple[Id, ...]
    edges: tuple[Edge, ...]
    terminal: Id
    settings: dict[str, JsonValue]


@final
class NodeViewed(Record):
    """A worker got its view."""

    type: Literal["node_view"] = "node_view"
    node_id: Id
    attempt: Version
    view: NodeView


@final
class Action(Record):
    """A worker did something: called a tool, a model, a program."""

    type: Literal["action"] = "action"
    node_id: Id
    attempt: Version
    action: Name
    detail: dict[str, JsonValue] = Field(default_factory=dict)


@final
class ArtifactMade(Record):
    """A node made an artifact."""

    type: Literal["artifact"] = "artifact"
    node_id: Id
    attempt: Version
    artifact: Artifact


@final
class ReceiptIssued(Record):
    """An evaluator decided."""

    type: Literal["receipt"] = "receipt"
    node_id: Id
    receipt: Receipt


@final
class Handoff(Record):
    """An artifact went along a declared edge."""

    type: Literal["handoff"] = "handoff"
    source: Id
    target: Id
    artifact_id: Id
    receipt_id: Id | None


@final
class Exposure(Record):
    """What a node is shown: as the memory system proposed, and as it came to be.

    The actual exposure of an attempt is everything in its view: what the memory system proposed or
    an edge handed over, and nothing else.
    """

    type: Literal["exposure"] = "exposure"
    node_id: Id
    attempt: Version
    stage: Literal["proposed", "actual"]
    artifact_ids: ArtifactIds


@final
class Consumption(Record):
    """What a node's output rests on."""

    type: Literal["consumption"] = "consumption"
    node_id: Id
    attempt: Version
    artifact_ids: ArtifactIds


@final
class Polluted(Record):
    """The polluted twin's one more artifact came into the world."""

    type: Literal["pollution"] = "pollution"
    target: Id
    operator: Operator
    artifact: Artifact
    receipt_id: Id | None


@final
class Tokens(Record):
    """Tokens that were used, for one purpose."""

    type: Literal["tokens"] = "tokens"
    node_id: Id | None
    purpose: Literal["execution", "coordination", "retrieval_context", "recovery", "memory"]
    prompt: Annotated[int, Field(ge=0)]
    completion: Annotated[int, Field(ge=0)]


@final
class End(Record):
    """The last event, and the seal over all before it.

    :param count: of the events before this one.
    :param status: ``completed`` where the workflow came to its end, verified or not.
    :param seal: HMAC-SHA256 of count, status and the last hash by the run's key.
    """

    type: Literal["end"] = "end"
    count: Annotated[int, Field(ge=0)]
    status: Literal["completed", "infrastructure_failure", "benchmark_defect"]
    seal: Digest


Payload = Annotated[
    Initialization
    | NodeViewed
    | Action
    | ArtifactMade
    | ReceiptIssued
    | Handoff
    | Exposure
    | Consumption
    | Polluted
    | Tokens
    | End,
    Field(discriminator="type"),
]


@final
class Event(Record):
    """One line of a trace.

    :param seq: from 0.
    :param previous: hash of the event before; of the first, 64 zeros.
    :param hash: SHA-256 of seq, previous and payload.
    """

    seq: Annotated[int, Field(ge=0)]
    previous: Digest
    payload: Payload
    hash: Digest


def initialization(
    instance: Instance, run_id: str, settings: dict[str, JsonValue]
) -> Initialization:
    """Return the first event of an instance's trace."""
    family, pollution = instance.family, instance.pollution
    return Initialization(
        run_id=run_id,
        instance_id=instance.instance_id,
        family_id=family.family_id,
        family_hash=digest(family.model_dump(mode="json")),
        condition=instance.condition,
        operator=pollution.operator if pollution else None,
        target=pollution.target if pollution else None,
        nodes=tuple(node.node_id for node in family.nodes),
        edges=family.edges,
        terminal=family.terminal,
        settings=settings,
    )
