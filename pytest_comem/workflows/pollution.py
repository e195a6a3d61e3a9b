"""The five pollution operators: from a family and a consumer to one inapplicable artifact.

Each looks at the consumer's *slots*, its required inputs that ask for a verified receipt, and makes
an artifact that fits a slot but for one term of its contract:

``sibling_crosswire``
    The content of a node that neither comes before nor after the slot's producer and makes the same
    type, put into the slot. Broken term: producer.
``unverified_result``
    A result of the right producer that no evaluator has verified. Broken term: verification.
``stale_version``
    An earlier version of the right producer's result. Broken term: version. Needs a contract whose
    version is at least 1.
``wrong_entity``
    The right producer's result for another entity of the family. Broken term: entity scope.
``foreign_completion``
    A finished artifact of the same type from another workflow. Broken term: producer, and entity
    scope where that differs.

Content comes from a family's decoys where it has one for the operator and the producer, else from
another gold artifact or by :mod:`pytest_comem.workflows.altering`. Which slot and which content is
drawn by a generator seeded from family, target and operator: the same everywhere and always.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.records.canonical import canonical
from pytest_comem.workflows.altering import altered, replaced
from pytest_comem.workflows.artifacts import Artifact, Producer, Term, make_artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Decoy, Operator, Pollution
from pytest_comem.workflows.schema import Edge, Family

Gold = Mapping[str, Artifact]

#: Terms that an operator's artifact breaks; ``foreign_completion`` may break the entity, too.
BREAKS: Final[Mapping[Operator, Term]] = {
    Operator.SIBLING_CROSSWIRE: "producer",
    Operator.UNVERIFIED_RESULT: "verification",
    Operator.STALE_VERSION: "version",
    Operator.WRONG_ENTITY: "entity_scope",
    Operator.FOREIGN_COMPLETION: "producer",
}


@final
@dataclass(frozen=True, slots=True)
class Inapplicable:
    """An operator that cannot strike a consumer.

    :param reason: why, in one clause.
    """

    operator: Operator
    target: str
    reason: str


@final
@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an operator draws from.

    :param gold: the artifact that every node makes in a run without fault.
    :param decoys: hand-written contents.
    :param foreign: finished artifacts of other workflows.
    """

    family: Family
    gold: Gold
    decoys: Sequence[Decoy] = ()
    foreign: Sequence[Artifact] = ()

    def decoy(self, operator: Operator, producer: str) -> Decoy | None:
        """Return the hand-written content for an operator and a producer, if there is one."""
        for one in self.decoys:
            if (one.operator, one.producer) == (operator, producer):
                return one
        return None


def pollute(around: Surroundings, operator: Operator, target: str) -> Pollution | Inapplicable:
    """Return the one more artifact of a polluted twin, or why there is none.

    :raises KeyError: where the family has no such node.
    """
    around.family.node(target)
    slots = [
        edge
        for edge in around.family.inputs(target)
        if edge.required and edge.contract.verification == "verified_receipt"
    ]
    if not slots:
        reason = "it requires no input with a verified receipt"
        return Inapplicable(operator, target, reason)
    seed = stable_hash([around.family.family_id, target, operator.value])
    rng = Random(seed)
    find, reason = _OPERATORS[operator]
    told = _yet_to_come(around, target)
    found = [draft for slot in slots for draft in find(around, slot, rng)]
    choices = [draft for draft in found if canonical(draft.content) not in told]
    if not choices:
        return Inapplicable(operator, target, reason)
    drawn = rng.choice([draft for draft in choices if draft.written] or choices)
    artifact = drawn.artifact(salt=seed)
    return Pollution(
        operator=operator,
        target=target,
        artifact=artifact,
        receipt_id=None if operator is Operator.UNVERIFIED_RESULT else shown_receipt(artifact),
    )


def _yet_to_come(around: Surroundings, target: str) -> set[bytes]:
    """Return the contents that a twin would give away: of the consumer, and of what follows it."""
    nodes = {target, *Graph.of(around.family).after(target)}
    return {canonical(around.gold[node].content) for node in nodes}


def shown_receipt(artifact: Artifact) -> str:
    """Return the id of a receipt from elsewhere, in the form that all receipts' ids have."""
    return "r-" + stable_hash([artifact.artifact_id, artifact.content_hash])


@final
@dataclass(frozen=True, slots=True)
class _Draft:
    """An artifact to be; *written* where a decoy gives its content, which is then preferred."""

    content: Any
    semantic_type: str
    entity_scope: str
    version: int
    producer: Producer
    written: bool = False

    def artifact(self, salt: str) -> Artifact:
        return make_artifact(
            self.content,
            semantic_type=self.semantic_type,
            entity_scope=self.entity_scope,
            version=self.version,
            producer=self.producer,
            salt=salt,
        )


def _draft(around: Surroundings, slot: Edge, content: Any, **other: Any) -> _Draft:
    """Return an artifact that fits a slot, except for what is named."""
    right = around.gold[slot.source]
    fields = {
        "semantic_type": slot.contract.semantic_type,
        "entity_scope": slot.contract.entity_scope,
        "version": right.version,
        "producer": right.producer,
    }
    return _Draft(content, **{**fields, **other})


def _sibling_crosswire(around: Surroundings, slot: Edge, rng: Random) -> Iterator[_Draft]:
    graph = Graph.of(around.family)
    right = around.gold[slot.source]
    declared = {edge.source for edge in around.family.inputs(slot.target)}
    # Among what comes after the slot's producer are the consumer and all that follows it.
    related = graph.before(slot.source) | graph.after(slot.source) | {slot.source}
    for node in around.family.nodes:
        sibling = around.gold[node.node_id]
        apart = node.node_id not in declared | related
        if apart and node.output_type == slot.contract.semantic_type:
            decoy = around.decoy(Operator.SIBLING_CROSSWIRE, node.node_id)
            content = decoy.content if decoy else sibling.content
            if _differs(content, right.content):
                written = decoy is not None
                yield _draft(around, slot, content, producer=sibling.producer, written=written)


def _unverified_result(around: Surroundings, slot: Edge, rng: Random) -> Iterator[_Draft]:
    written = around.decoy(Operator.UNVERIFIED_RESULT, slot.source) is not None
    content = _content(around, Operator.UNVERIFIED_RESULT, slot, rng)
    if content is not None:
        yield _draft(around, slot, content, written=written)


def _stale_version(around: Surroundings, slot: Edge, rng: Random) -> Iterator[_Draft]:
    decoy = around.decoy(Operator.STALE_VERSION, slot.source)
    version = slot.contract.version - 1
    if decoy is not None and decoy.version is not None:
        version = min(version, decoy.version)
    content = _content(around, Operator.STALE_VERSION, slot, rng)
    if version >= 0 and content is not None:
        yield _draft(around, slot, content, version=version, written=decoy is not None)


def _wrong_entity(around: Surroundings, slot: Edge, rng: Random) -> Iterator[_Draft]:
    decoy = around.decoy(Operator.WRONG_ENTITY, slot.source)
    right = around.gold[slot.source]
    scope = slot.contract.entity_scope
    if decoy is not None and decoy.entity_scope not in (None, scope):
        scope = str(decoy.entity_scope)
        yield _draft(around, slot, decoy.content, entity_scope=scope, written=True)
        return
    hidden = {slot.target, *Graph.of(around.family).after(slot.target)}
    alike = [
        _draft(around, slot, around.gold[node.node_id].content, entity_scope=node.entity_scope)
        for node in around.family.nodes
        if node.output_type == slot.contract.semantic_type
        and node.entity_scope != scope
        and node.node_id not in hidden
        and _differs(around.gold[node.node_id].content, right.content)
    ]
    yield from alike
    if alike:
        return
    for other in sorted({node.entity_scope for node in around.family.nodes} - {scope}):
        renamed = replaced(right.content, scope, other)
        content = renamed if _differs(renamed, right.content) else altered(renamed, rng)
        if content is not None:
            yield _draft(around, slot, content, entity_scope=other)


def _foreign_completion(around: Surroundings, slot: Edge, rng: Random) -> Iterator[_Draft]:
    own, right = around.family.family_id, around.gold[slot.source]
    decoy = around.decoy(Operator.FOREIGN_COMPLETION, slot.source)
    if decoy is not None and decoy.family_id not in (None, own):
        producer = Producer(family_id=str(decoy.family_id), node_id=slot.source)
        scope = decoy.entity_scope or slot.contract.entity_scope
        terms = {"producer": producer, "entity_scope": scope, "written": True}
        yield _draft(around, slot, decoy.content, **terms)
        return
    for one in sorted(around.foreign, key=lambda artifact: artifact.artifact_id):
        fits = one.semantic_type == slot.contract.semantic_type and one.producer.family_id != own
        if fits and _differs(one.content, right.content):
            yield _draft(
                around,
                slot,
                one.content,
                entity_scope=one.entity_scope,
                version=max(one.version, slot.contract.version),
                producer=one.producer,
            )


def _content(around: Surroundings, operator: Operator, slot: Edge, rng: Random) -> Any | None:
    """Return a decoy's content for the slot's producer, or its gold content altered."""
    right = around.gold[slot.source].content
    decoy = around.decoy(operator, slot.source)
    content = altered(right, rng) if decoy is None else decoy.content
    return content if content is not None and _differs(content, right) else None


def _differs(one: Any, other: Any) -> bool:
    return canonical(one) != canonical(other)


_Find = Callable[[Surroundings, Edge, Random], Iterator[_Draft]]
_SAME: Final = "no input's content can be turned into another"
_OPERATORS: Final[Mapping[Operator, tuple[_Find, str]]] = {
    Operator.SIBLING_CROSSWIRE: (
        _sibling_crosswire,
        "no branch beside its inputs makes the same type with another content",
    ),
    Operator.UNVERIFIED_RESULT: (_unverified_result, _SAME),
    Operator.STALE_VERSION: (_stale_version, f"no input has an earlier version, or {_SAME}"),
    Operator.WRONG_ENTITY: (_wrong_entity, f"the family knows no other entity, or {_SAME}"),
    Operator.FOREIGN_COMPLETION: (
        _foreign_completion,
        "no other workflow here has finished an artifact of a type that it takes",
    ),
}
