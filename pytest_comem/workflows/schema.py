"""What a workflow family says in public: nodes, edges, handoff contracts, topology, execution.

Nothing here has a field for an oracle or a pollution plan; those live in
:mod:`pytest_comem.workflows.hidden`, which no module of the public side imports.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal, final

from pydantic import Field, JsonValue

from pytest_comem.records.base import Digest, Id, Name, Record, Text

#: A family has this many nodes (CoMemBench, "Workflow families"); its median is 11.
NODES: Final = (6, 19)
#: More than this is not read at all.
MAX_NODES: Final = 100
MAX_EDGES: Final = 1_000

Version = Annotated[int, Field(ge=0, le=1_000_000)]


class Domain(StrEnum):
    """The four domains of the paper."""

    STATEFUL_TOOL = "stateful_tool"
    REPOSITORY_CODE = "repository_code"
    OFFLINE_RETRIEVAL = "offline_retrieval"
    FORMAL_MATHEMATICS = "formal_mathematics"


class TopologyLabel(StrEnum):
    """What a set of edges looks like; :mod:`pytest_comem.workflows.topology` defines each."""

    CHAIN = "chain"
    SPLIT_JOIN = "split_join"
    REUSE = "reuse"
    OVERLAP = "overlap"
    BOUNDED_REVISION_LOOP = "bounded_revision_loop"


@final
class SourceReference(Record):
    """Where a family's material comes from."""

    name: Name
    locator: Name
    license: Name
    revision: Name | None = None
    sha256: Digest | None = None


@final
class HandoffContract(Record):
    """What an artifact must be to satisfy a dependency.

    :param version: the lowest version that satisfies; a revision makes the next higher one.
    :param verification: ``verified_receipt`` where only an artifact with a verified receipt counts.
    """

    semantic_type: Id
    entity_scope: Name
    version: Version
    verification: Literal["verified_receipt", "none"] = "verified_receipt"


@final
class Edge(Record):
    """A handoff from one node to another.

    :param kind: ``dependency``, or ``revision`` where a failed receipt of *source* sends control
        back to *target*, which then works again.
    :param max_revisions: how often a revision edge may do so; 0 for a dependency.
    """

    source: Id
    target: Id
    contract: HandoffContract
    kind: Literal["dependency", "revision"] = "dependency"
    required: bool = True
    max_revisions: Annotated[int, Field(ge=0, le=10)] = 0

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"


@final
class ContextItem(Record):
    """A piece of the context that a node is authorized to see from the start."""

    context_id: Id
    text: Text


@final
class Task(Record):
    """What a node has to do: in words, and in the values its domain's tools need."""

    instruction: Text
    parameters: dict[str, JsonValue] = Field(default_factory=dict)


@final
class Evaluator(Record):
    """The native evaluator that decides on a node's output."""

    name: Id
    version: Name


@final
class Node(Record):
    """One task of a workflow, with the artifact that it has to make.

    :param version: of the artifact that its first successful attempt makes.
    :param tools: that its capability token names, as *servers* names the servers.
    :param required: whether it counts; a node private to a method does not.
    """

    node_id: Id
    task: Task
    output_type: Id
    entity_scope: Name
    version: Version = 1
    evaluator: Evaluator
    context: Annotated[tuple[ContextItem, ...], Field(max_length=200)] = ()
    tools: Annotated[tuple[Id, ...], Field(max_length=200)] = ()
    servers: Annotated[tuple[Id, ...], Field(max_length=50)] = ()
    required: bool = True


@final
class TopologyWitness(Record):
    """A topology label that a family declares, with the nodes that show it."""

    label: TopologyLabel
    nodes: Annotated[tuple[Id, ...], Field(min_length=1, max_length=MAX_NODES)]


@final
class ExecutionContract(Record):
    """What stays fixed whatever remembers: attempts, time, tokens, and what the domain needs.

    :param max_attempts: of one node, revisions not counted.
    :param seconds_per_node: wall-clock limit of one attempt.
    :param tokens_per_node: of one attempt; ``None`` for no limit.
    :param environment: values for the domain's evaluator, such as a repository or corpus and hash.
    """

    max_attempts: Annotated[int, Field(ge=1, le=10)] = 1
    seconds_per_node: Annotated[float, Field(gt=0, le=86_400)] = 300.0
    tokens_per_node: Annotated[int, Field(ge=1)] | None = None
    environment: dict[str, JsonValue] = Field(default_factory=dict)


@final
class Family(Record):
    """A workflow family: everything about it that is public.

    :param terminal: the node whose verified receipt ends the workflow.
    """

    schema_version: Literal[1]
    family_id: Id
    domain: Domain
    split: Literal["train", "development", "test"]
    title: Name
    sources: Annotated[tuple[SourceReference, ...], Field(max_length=100)] = ()
    nodes: Annotated[tuple[Node, ...], Field(max_length=MAX_NODES)]
    edges: Annotated[tuple[Edge, ...], Field(max_length=MAX_EDGES)]
    terminal: Id
    topology: Annotated[tuple[TopologyWitness, ...], Field(max_length=100)]
    execution: ExecutionContract = ExecutionContract()

    def node(self, node_id: str) -> Node:
        """Return a node by its id.

        :raises KeyError: where there is none.
        """
        for node in self.nodes:
            if node.node_id == node_id:
                return node
        raise KeyError(node_id)

    def inputs(self, node_id: str) -> tuple[Edge, ...]:
        """Return the dependency edges that end at a node, in the file's order."""
        return tuple(
            edge for edge in self.edges if edge.target == node_id and edge.kind == "dependency"
        )
