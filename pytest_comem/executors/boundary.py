"""A workflow's memory boundary: artifacts written to the memory, and found in what it recalls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol, final

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.schema import Family, Node

#: Role of every node that speaks to a memory or asks it.
ROLE: Final = "worker"
#: What can be the id of an artifact, or the hash of its content, in a text.
_ARTIFACT_ID: Final = re.compile(r"\ba-[0-9a-f]{16}\b")
_CONTENT_HASH: Final = re.compile(r"\b[0-9a-f]{64}\b")


class Memory(Protocol):
    """What a workflow needs of a memory system."""

    def ingest(self, entry: Entry) -> None:
        """Remember one entry.

        :raises InfrastructureError: where the memory broke.
        """

    def recall(self, query: Query) -> Recall:
        """Return what bears on a query.

        :raises InfrastructureError: where the memory broke.
        """


@final
@dataclass(frozen=True, slots=True)
class Proposed:
    """What a memory system exposes to a node.

    :param recall: as it came.
    :param artifacts: those that its items are or stand on, in its order, each once.
    :param texts: of the items that are no artifact.
    """

    recall: Recall
    artifacts: tuple[Artifact, ...] = ()
    texts: tuple[str, ...] = ()


@final
class Boundary:
    """Everything that passes between one workflow instance and its memory.

    :param top_k: items for one query, at most.
    """

    def __init__(self, memory: Memory, top_k: int) -> None:
        self._memory = memory
        self._top_k = top_k
        self._written: dict[str, Artifact] = {}
        self._receipts: dict[str, str | None] = {}

    def write(self, artifact: Artifact, *, receipt_id: str | None, verified: bool) -> None:
        """Write an artifact and what its receipt says.

        :param receipt_id: that is shown with it; ``None`` where it has none.
        """
        self._written[artifact.artifact_id] = artifact
        self._receipts[artifact.artifact_id] = receipt_id
        self._memory.ingest(entry_of(artifact, receipt_id, verified=verified))

    def ask(self, family: Family, node: Node) -> Proposed:
        """Ask for what bears on a node's task, as that node."""
        recall = self._memory.recall(query_of(family, node, self._top_k))
        artifacts: dict[str, Artifact] = {}
        texts: list[str] = []
        for item in recall.items:
            found = list(self._in(item))
            artifacts.update((each.artifact_id, each) for each in found)
            if not found:
                texts.append(item.text)
        return Proposed(recall, tuple(artifacts.values()), tuple(texts))

    def receipt_of(self, artifact_id: str) -> str | None:
        """Return the receipt that an artifact was last written with; only verified ones are."""
        return self._receipts.get(artifact_id)

    def _in(self, item: RecallItem) -> Iterator[Artifact]:
        """Yield the artifacts of an item: by its sources, else by an id or a hash in its text."""
        found = self._known(item.source_ids) or self._known(_ARTIFACT_ID.findall(item.text))
        if not found:
            hashes = set(_CONTENT_HASH.findall(item.text))
            found = [each for each in self._written.values() if each.content_hash in hashes]
        yield from found

    def _known(self, ids: Iterable[str]) -> list[Artifact]:
        return [self._written[each] for each in dict.fromkeys(ids) if each in self._written]


def entry_of(artifact: Artifact, receipt_id: str | None, *, verified: bool) -> Entry:
    """Return an artifact as something to remember: a line about it, then its content.

    Nothing in it depends on the run or on which twin the workflow is.
    """
    maker = artifact.producer
    state = "verified" if verified else "not verified"
    receipt = f" (receipt {receipt_id})" if receipt_id is not None else ""
    header = (
        f"{artifact.semantic_type} for {artifact.entity_scope}, version {artifact.version}, "
        f"made by {maker.node_id} of {maker.family_id}, {state}{receipt}; "
        f"artifact {artifact.artifact_id}"
    )
    return Entry(
        id=artifact.artifact_id,
        text=f"{header}\n{content_text(artifact)}",
        speaker=Principal(maker.node_id, ROLE),
        kind="artifact",
    )


def content_text(artifact: Artifact) -> str:
    """Return an artifact's content as a text; other values than texts as JSON."""
    content = artifact.content
    if isinstance(content, str):
        return content
    return json.dumps(content, sort_keys=True, ensure_ascii=False)


def query_of(family: Family, node: Node, top_k: int) -> Query:
    """Return the question of a node: its task, and the types and entities that it needs."""
    needs = [
        f"{edge.contract.semantic_type} for {edge.contract.entity_scope}"
        for edge in family.inputs(node.node_id)
    ]
    wanted = f"\nNeeded: {'; '.join(dict.fromkeys(needs))}" if needs else ""
    return Query(
        text=node.task.instruction + wanted,
        requester=Principal(node.node_id, ROLE),
        relationships=(),
        policy="",
        top_k=top_k,
    )
