"""The node view: all that a worker gets.

Two instances of one family give the same views to the last letter, except for the artifacts that
come in: nothing here names an instance, a condition or a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.records.base import Id, Record
from pytest_comem.records.canonical import strings_of
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.schema import ContextItem, Family, HandoffContract, Task


@final
class CapabilityToken(Record):
    """Which tools and servers the worker of one node may use."""

    token_id: Id
    node_id: Id
    tools: tuple[Id, ...]
    servers: tuple[Id, ...]

    def allows_tool(self, name: str) -> bool:
        """Whether the tool may be called."""
        return name in self.tools

    def allows_server(self, name: str) -> bool:
        """Whether the server may be started and spoken to."""
        return name in self.servers


@final
class InputContract(Record):
    """The handoff contract of one declared input: who has to hand over what."""

    source: Id
    contract: HandoffContract
    required: bool


@final
class IncomingArtifact(Record):
    """An artifact as a worker is shown it.

    :param receipt_id: of the receipt that it comes with; ``None`` where it has none.
    """

    artifact: Artifact
    receipt_id: Id | None


@final
class NodeView(Record):
    """The task, the authorized context, what comes in, the contract, and what is allowed."""

    node_id: Id
    task: Task
    authorized_context: tuple[ContextItem, ...]
    incoming_artifacts: tuple[IncomingArtifact, ...]
    handoff_contract: tuple[InputContract, ...]
    output_type: Id
    capability_token: CapabilityToken


def capability_token(family: Family, node_id: str) -> CapabilityToken:
    """Return the token that a family gives to a node."""
    node = family.node(node_id)
    allowed = [list(node.tools), list(node.servers)]
    return CapabilityToken(
        token_id="t-" + stable_hash([family.family_id, node_id, *allowed]),
        node_id=node_id,
        tools=node.tools,
        servers=node.servers,
    )


def node_view(family: Family, node_id: str, incoming: Iterable[IncomingArtifact] = ()) -> NodeView:
    """Return what the worker of a node gets.

    :param incoming: declared inputs and whatever the memory system exposes, in the order shown.
    :raises KeyError: where the family has no such node.
    """
    node = family.node(node_id)
    return NodeView(
        node_id=node_id,
        task=node.task,
        authorized_context=node.context,
        incoming_artifacts=tuple(incoming),
        handoff_contract=tuple(
            InputContract(source=edge.source, contract=edge.contract, required=edge.required)
            for edge in family.inputs(node_id)
        ),
        output_type=node.output_type,
        capability_token=capability_token(family, node_id),
    )


def strings_of_view(view: NodeView) -> Iterator[str]:
    """Yield every string that a worker can read in its view."""
    return strings_of(view.model_dump(mode="json"))
