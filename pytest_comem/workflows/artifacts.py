"""Artifacts: what nodes hand to each other, and whether one satisfies a contract."""

from __future__ import annotations

from typing import Any, Literal, final

from pydantic import JsonValue

from pytest_comem.core.hashing import stable_hash
from pytest_comem.records.base import Digest, Id, Name, Record
from pytest_comem.records.canonical import canonical, digest, storable
from pytest_comem.workflows.schema import Edge, Version

#: A term of a handoff contract that an artifact may break.
Term = Literal["semantic_type", "entity_scope", "version", "producer", "verification"]


@final
class Producer(Record):
    """The node that made an artifact, and the workflow family it belongs to."""

    family_id: Id
    node_id: Id


@final
class Artifact(Record):
    """A result of a node.

    :param artifact_id: opaque; says nothing of what is in it or how it came about.
    :param content_hash: SHA-256 of the content as canonical JSON.
    """

    artifact_id: Id
    semantic_type: Id
    entity_scope: Name
    version: Version
    producer: Producer
    content: JsonValue
    content_hash: Digest

    @property
    def intact(self) -> bool:
        """Whether the content is what the hash was taken of."""
        return digest(self.content) == self.content_hash


def make_artifact(
    content: Any,
    *,
    semantic_type: str,
    entity_scope: str,
    version: int,
    producer: Producer,
    salt: str = "",
) -> Artifact:
    """Return an artifact with its hash, and an id that follows from all of it.

    :param salt: tells apart artifacts that are equal in everything else.
    :raises ValueError: where *content* is no JSON value that a file can hold.
    """
    content = storable(content)
    content_hash = digest(content)
    identity = [semantic_type, entity_scope, version, producer.family_id, producer.node_id]
    return Artifact(
        artifact_id="a-" + stable_hash([*identity, content_hash, salt]),
        semantic_type=semantic_type,
        entity_scope=entity_scope,
        version=version,
        producer=producer,
        content=content,
        content_hash=content_hash,
    )


def unmet(edge: Edge, family_id: str, artifact: Artifact, *, verified: bool) -> tuple[Term, ...]:
    """Return the terms of *edge*'s contract that an artifact does not satisfy.

    :param family_id: the workflow that the edge belongs to.
    :param verified: whether the artifact has a verified receipt.
    """
    contract, producer = edge.contract, artifact.producer
    terms: dict[Term, bool] = {
        "semantic_type": artifact.semantic_type == contract.semantic_type,
        "entity_scope": artifact.entity_scope == contract.entity_scope,
        "version": artifact.version >= contract.version,
        "producer": (producer.family_id, producer.node_id) == (family_id, edge.source),
        "verification": verified or contract.verification == "none",
    }
    return tuple(term for term, holds in terms.items() if not holds)


def same(one: Artifact, other: Artifact) -> bool:
    """Whether two records of an artifact are equal to the last byte of their canonical form."""
    return canonical(one.model_dump(mode="json")) == canonical(other.model_dump(mode="json"))
