"""What the nodes of an instance have made so far, and which handoffs that allows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import final

from pytest_comem.workflows.artifacts import Artifact, unmet
from pytest_comem.workflows.receipts import Receipt
from pytest_comem.workflows.schema import Edge, Family


@final
@dataclass(frozen=True, slots=True)
class Made:
    """A node's last output and the verdict on it."""

    artifact: Artifact
    receipt: Receipt


@final
class Ledger:
    """The last output of every node of one instance; an earlier one counts no more."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._made: dict[str, Made] = {}
        self._verified: dict[str, int] = {}

    def enter(self, artifact: Artifact, receipt: Receipt) -> None:
        """Take in a node's new output."""
        node_id = artifact.producer.node_id
        self._made[node_id] = Made(artifact, receipt)
        if receipt.verified:
            self._verified[node_id] = artifact.version

    def next_version(self, node_id: str) -> int:
        """Return the version of a node's next artifact: one above the last verified, if any."""
        last = self._verified.get(node_id)
        return self._family.node(node_id).version if last is None else last + 1

    def is_verified(self, node_id: str) -> bool:
        """Whether a node's last output has a verified receipt."""
        made = self._made.get(node_id)
        return made is not None and made.receipt.verified

    def over(self, edge: Edge) -> Made | None:
        """Return what may go along an edge now: its source's last output, if the contract holds."""
        made = self._made.get(edge.source)
        if made is None:
            return None
        verified = made.receipt.verified
        terms = unmet(edge, self._family.family_id, made.artifact, verified=verified)
        return None if terms else made

    def is_eligible(self, node_id: str) -> bool:
        """Whether a node has required inputs whose producers all have verified receipts."""
        required = self._required(node_id)
        return bool(required) and all(self.is_verified(edge.source) for edge in required)

    def lacking(
        self, node_id: str, exposed: Collection[str], consumed: Collection[str]
    ) -> tuple[str, ...]:
        """Return which required inputs did not arrive as they have to, a clause each.

        :param exposed: ids of the artifacts that the node was shown.
        :param consumed: ids of those that its output rests on.
        """
        found: list[str] = []
        for edge in self._required(node_id):
            made = self.over(edge)
            kind = f"{edge.contract.semantic_type} of {edge.source}"
            if made is None:
                found.append(f"the {kind} has no valid receipt")
            elif made.artifact.artifact_id not in exposed:
                found.append(f"the {kind} was not exposed")
            elif made.artifact.artifact_id not in consumed:
                found.append(f"the {kind} was not used")
        return tuple(found)

    def _required(self, node_id: str) -> list[Edge]:
        return [edge for edge in self._family.inputs(node_id) if edge.required]


def within_reach(
    ledger: Ledger, edges: Iterable[Edge], proposed: Collection[str] | None
) -> list[tuple[Edge, Made]]:
    """Return what goes along each of *edges*, in their order, each artifact once.

    :param proposed: ids that the memory exposed, where it alone delivers; ``None`` where the
        harness hands over.
    """
    found: dict[str, tuple[Edge, Made]] = {}
    for edge in edges:
        made = ledger.over(edge)
        if made is not None and (proposed is None or made.artifact.artifact_id in proposed):
            found.setdefault(made.artifact.artifact_id, (edge, made))
    return list(found.values())
