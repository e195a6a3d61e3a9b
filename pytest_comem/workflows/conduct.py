"""What a trace's events say of each other: receipts, handoffs, exposure, consumption, pollution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, final

from pytest_comem.workflows.artifacts import Artifact, same, unmet
from pytest_comem.workflows.checks import Check, Finding, check
from pytest_comem.workflows.events import (
    ArtifactMade,
    Consumption,
    End,
    Event,
    Exposure,
    Handoff,
    Initialization,
    NodeViewed,
    Polluted,
    ReceiptIssued,
)
from pytest_comem.workflows.receipts import Receipt, flaws, mismatches

Events = Sequence[tuple[int, Event]]
#: A node's attempt.
Attempt = tuple[str, int]


@final
@dataclass(slots=True)
class _World:
    """What is known by a line of the trace.

    :param start: the first event, where there is one.
    :param artifacts: by id, as they were first written down.
    :param made: artifact ids by node and attempt.
    :param receipts: by id.
    :param handed: artifact ids that an edge handed to a node.
    :param proposed: and by the memory system to a node's attempt.
    :param exposed: and what the attempt was actually shown.
    """

    start: Initialization | None = None
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    made: dict[Attempt, set[str]] = field(default_factory=dict)
    receipts: dict[str, Receipt] = field(default_factory=dict)
    handed: dict[str, set[str]] = field(default_factory=dict)
    proposed: dict[Attempt, set[str]] = field(default_factory=dict)
    exposed: dict[Attempt, set[str]] = field(default_factory=dict)


def conduct_checks(events: Events) -> tuple[Check, ...]:
    """Return the checks of what happened, in the order in which it happened."""
    world = _World()
    found: dict[str, list[Finding]] = {name: [] for name in _NAMES}
    counts = Counter[str]()
    for number, event in events:
        payload = event.payload
        counts[payload.type] += 1
        for name, problem, node in _looked_at(world, payload):
            where = f"line {number}, node {node}" if node else f"line {number}"
            found[name].append(Finding(where, problem))
    found["pollution"] += _pollution_as_a_whole(world, events)
    if world.start is None:
        found["initialization"].append(Finding("line 1", "there is no initialization"))
    return tuple(check(name, _told(kind, counts), found[name]) for name, kind in _NAMES.items())


#: Checks, with the type of the events that each looks at.
_NAMES = {
    "initialization": "initialization",
    "artifacts": "artifact",
    "receipts": "receipt",
    "handoffs": "handoff",
    "exposure": "exposure",
    "views": "node_view",
    "consumption": "consumption",
    "pollution": "pollution",
}
_Problem = tuple[str, str, str | None]


def _told(kind: str, counts: Counter[str]) -> str:
    return f"{counts[kind]:,} {kind} events"


def _looked_at(world: _World, payload: Any) -> Iterator[_Problem]:
    """Yield what is wrong with an event, and take it into the world."""
    match payload:
        case Initialization():
            if world.start is not None:
                yield "initialization", "a second one", None
            world.start = world.start or payload
            return
        case End():
            return
    if world.start is None:
        node = getattr(payload, "node_id", None)
        yield "initialization", f"an event ({payload.type}) before it", node
    yield from _known_nodes(world, payload)
    match payload:
        case ArtifactMade():
            yield from _artifact(world, payload)
        case ReceiptIssued():
            yield from _receipt(world, payload)
        case Handoff():
            yield from _handoff(world, payload)
        case Exposure():
            yield from _exposure(world, payload)
        case NodeViewed():
            yield from _view(world, payload)
        case Consumption():
            yield from _consumption(world, payload)
        case Polluted():
            yield from _pollution(world, payload)


def _known_nodes(world: _World, payload: Any) -> Iterator[_Problem]:
    known = world.start.nodes if world.start else ()
    for name in ("node_id", "source", "target"):
        node = getattr(payload, name, None)
        if world.start and node is not None and node not in known:
            yield "initialization", f"it does not name the node of this {payload.type}", node


def _artifact(world: _World, payload: ArtifactMade) -> Iterator[_Problem]:
    artifact, node = payload.artifact, payload.node_id
    name = f"artifact {artifact.artifact_id}"
    if not artifact.intact:
        yield "artifacts", f"{name} was edited: its content is not what its hash is of", node
    maker = artifact.producer
    if maker.node_id != node or (world.start and maker.family_id != world.start.family_id):
        text = f"{name} says that {maker.node_id} of {maker.family_id} made it"
        yield "artifacts", text, node
    known = world.artifacts.setdefault(artifact.artifact_id, artifact)
    if not same(known, artifact):
        yield "artifacts", f"{name} was another before", node
    made = world.made.setdefault((node, payload.attempt), set())
    if artifact.artifact_id in made:
        yield "artifacts", f"{name} is made twice in attempt {payload.attempt}", node
    made.add(artifact.artifact_id)


def _receipt(world: _World, payload: ReceiptIssued) -> Iterator[_Problem]:
    receipt, node = payload.receipt, payload.node_id
    name = f"receipt {receipt.receipt_id}"
    problems = [] if receipt.node_id == node else [f"it is for node {receipt.node_id}"]
    problems += flaws(receipt, None)
    artifact = world.artifacts.get(receipt.artifact_id)
    if artifact is None:
        problems.append(f"artifact {receipt.artifact_id} was not made before it")
    else:
        problems += mismatches(receipt, artifact)
        if receipt.artifact_id not in world.made.get((node, receipt.attempt), set()):
            problems.append(f"attempt {receipt.attempt} did not make {receipt.artifact_id}")
    if world.start:
        if receipt.run_id != world.start.run_id:
            problems.append(f"it is of run {receipt.run_id}")
        if receipt.instance_id != world.start.instance_id:
            problems.append(f"it is of instance {receipt.instance_id}")
    if receipt.receipt_id in world.receipts:
        problems.append("it is there twice")
    world.receipts.setdefault(receipt.receipt_id, receipt)
    for problem in problems:
        yield "receipts", f"{name}: {problem}", node


def _handoff(world: _World, payload: Handoff) -> Iterator[_Problem]:
    name = f"{payload.source} -> {payload.target}, artifact {payload.artifact_id}"
    artifact = world.artifacts.get(payload.artifact_id)
    edges = [
        edge
        for edge in (world.start.edges if world.start else ())
        if (edge.source, edge.target) == (payload.source, payload.target)
    ]
    problems = []
    if not edges:
        problems.append("no such edge is declared")
    if artifact is None or not _was_made(world, payload.source, payload.artifact_id):
        problems.append(f"{payload.source} has not made it")
    if artifact and edges and world.start:
        verified = _verified(world, payload)
        terms = [unmet(one, world.start.family_id, artifact, verified=verified) for one in edges]
        fewest = min(terms, key=len)
        if "verification" in fewest:
            problems.append("without a verified receipt of that artifact")
        broken = [term for term in fewest if term != "verification"]
        if broken:
            problems.append(f"against the contract: {', '.join(broken)}")
        newest = _newest_verified(world, payload.source)
        if newest > artifact.version:
            problems.append(f"version {artifact.version} is superseded by version {newest}")
    world.handed.setdefault(payload.target, set()).add(payload.artifact_id)
    for problem in problems:
        yield "handoffs", f"{name}: {problem}", payload.target


def _newest_verified(world: _World, node: str) -> int:
    return max(
        (
            one.artifact_version
            for one in world.receipts.values()
            if one.node_id == node and one.verified
        ),
        default=0,
    )


def _was_made(world: _World, node: str, artifact_id: str) -> bool:
    return any(maker == node and artifact_id in ids for (maker, _), ids in world.made.items())


def _verified(world: _World, payload: Handoff) -> bool:
    receipt = world.receipts.get(payload.receipt_id or "")
    artifact = world.artifacts[payload.artifact_id]
    return (
        receipt is not None
        and receipt.verified
        and (receipt.artifact_id, receipt.artifact_hash)
        == (artifact.artifact_id, artifact.content_hash)
    )


def _exposure(world: _World, payload: Exposure) -> Iterator[_Problem]:
    attempt = (payload.node_id, payload.attempt)
    kept = world.proposed if payload.stage == "proposed" else world.exposed
    if attempt in kept:
        yield "exposure", f"{payload.stage} twice for attempt {payload.attempt}", payload.node_id
    ids = kept.setdefault(attempt, set())
    ids.update(payload.artifact_ids)
    for artifact_id in payload.artifact_ids:
        if artifact_id not in world.artifacts:
            yield "exposure", f"artifact {artifact_id} was not made before", payload.node_id
    if payload.stage == "actual":
        sources = world.proposed.get(attempt, set()) | world.handed.get(payload.node_id, set())
        for artifact_id in sorted(ids - sources):
            text = f"artifact {artifact_id} was neither proposed nor handed over"
            yield "exposure", text, payload.node_id


def _view(world: _World, payload: NodeViewed) -> Iterator[_Problem]:
    node, view = payload.node_id, payload.view
    if view.node_id != node or view.capability_token.node_id != node:
        yield "views", f"the view is of node {view.node_id}", node
    exposed = world.exposed.get((node, payload.attempt), set())
    shown = [each.artifact for each in view.incoming_artifacts]
    if {artifact.artifact_id for artifact in shown} != exposed:
        yield "views", f"it is not what attempt {payload.attempt} was exposed to", node
    for artifact in shown:
        known = world.artifacts.get(artifact.artifact_id)
        if known is not None and not same(known, artifact):
            yield "views", f"artifact {artifact.artifact_id} is not as it was made", node


def _consumption(world: _World, payload: Consumption) -> Iterator[_Problem]:
    exposed = world.exposed.get((payload.node_id, payload.attempt), set())
    for artifact_id in payload.artifact_ids:
        if artifact_id not in exposed:
            text = f"artifact {artifact_id} was never exposed to attempt {payload.attempt}"
            yield "consumption", text, payload.node_id


def _pollution(world: _World, payload: Polluted) -> Iterator[_Problem]:
    start, artifact = world.start, payload.artifact
    if start and (start.operator, start.target) != (payload.operator, payload.target):
        yield "pollution", "not the one that the initialization names", payload.target
    if not artifact.intact:
        yield "pollution", f"artifact {artifact.artifact_id} was edited", payload.target
    if artifact.artifact_id in world.artifacts:
        yield "pollution", f"artifact {artifact.artifact_id} was there before", payload.target
    world.artifacts.setdefault(artifact.artifact_id, artifact)


def _pollution_as_a_whole(world: _World, events: Events) -> Iterator[Finding]:
    """Yield where there are more pollution events than the condition has, or fewer."""
    numbers = [number for number, event in events if isinstance(event.payload, Polluted)]
    complete = any(
        isinstance(event.payload, End) and event.payload.status == "completed"
        for _, event in events
    )
    if world.start is None:
        return
    wanted = 1 if world.start.condition == "polluted" else 0
    if len(numbers) > wanted or (complete and len(numbers) < wanted):
        where = f"line {numbers[-1]}" if numbers else "line 1"
        text = f"{len(numbers)} pollution events; a {world.start.condition} instance has {wanted}"
        yield Finding(where, text)
