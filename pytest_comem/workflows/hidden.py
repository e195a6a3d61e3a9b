"""What no worker may see: oracles, pollution plans, and which twin an instance is.

No module that makes a node view imports this one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, final

from pydantic import Field, JsonValue

from pytest_comem.core.hashing import stable_hash
from pytest_comem.records.base import Id, Name, Record
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.schema import Family, Version


class Operator(StrEnum):
    """The five ways in which a polluted twin gets its one inapplicable artifact."""

    SIBLING_CROSSWIRE = "sibling_crosswire"
    UNVERIFIED_RESULT = "unverified_result"
    STALE_VERSION = "stale_version"
    WRONG_ENTITY = "wrong_entity"
    FOREIGN_COMPLETION = "foreign_completion"


@final
class NegativeMutation(Record):
    """An output of a node that its evaluator must reject.

    :param kind: such as ``wrong_artifact`` or ``edited_quotation``.
    """

    name: Id
    kind: Id
    content: JsonValue


@final
class Oracle(Record):
    """What the evaluator of one node knows.

    :param gold: content of an artifact that passes.
    :param secret: whatever else the evaluator needs; no part of it ever reaches a worker.
    :param negatives: outputs that have to be rejected.
    :param may_appear: strings of *gold* that workers know anyway, such as a path that a task gives.
    """

    node_id: Id
    gold: JsonValue
    secret: dict[str, JsonValue] = Field(default_factory=dict)
    negatives: Annotated[tuple[NegativeMutation, ...], Field(max_length=100)] = ()
    may_appear: Annotated[tuple[Name, ...], Field(max_length=100)] = ()


@final
class Oracles(Record):
    """``hidden/oracles.json``: an oracle a node."""

    family_id: Id
    oracles: Annotated[tuple[Oracle, ...], Field(max_length=100)]

    def of(self, node_id: str) -> Oracle:
        """Return the oracle of a node.

        :raises KeyError: where it has none.
        """
        for oracle in self.oracles:
            if oracle.node_id == node_id:
                return oracle
        raise KeyError(node_id)


@final
class Decoy(Record):
    """Hand-written content for the artifact of an operator; without one it is derived.

    :param producer: the node whose result it looks like.
    :param entity_scope: for ``wrong_entity``, the other entity.
    :param family_id: for ``foreign_completion``, the other workflow.
    :param version: for ``stale_version``, the superseded version; one lower when not given.
    """

    operator: Operator
    producer: Id
    content: JsonValue
    entity_scope: Name | None = None
    family_id: Id | None = None
    version: Version | None = None


@final
class PollutionPlan(Record):
    """One isolation pair of a family: which operator strikes which consumer."""

    operator: Operator
    target: Id


@final
class PollutionPlans(Record):
    """``hidden/pollution.json``: the isolation pairs of a family."""

    family_id: Id
    plans: Annotated[tuple[PollutionPlan, ...], Field(max_length=100)]
    decoys: Annotated[tuple[Decoy, ...], Field(max_length=100)] = ()


@final
class Pollution(Record):
    """The one difference of a polluted twin: an artifact that its target could be given.

    :param receipt_id: that it shows; ``None`` for a result that was never verified.
    """

    operator: Operator
    target: Id
    artifact: Artifact
    receipt_id: Id | None


@final
class Instance(Record):
    """A family bound to a condition: the clean control, or its matched polluted twin."""

    instance_id: Id
    family: Family
    condition: Literal["clean", "polluted"]
    pollution: Pollution | None = None


def clean_instance(family: Family) -> Instance:
    """Return the control of a family."""
    instance_id = "w-" + stable_hash([family.family_id, "clean"])
    return Instance(instance_id=instance_id, family=family, condition="clean")


def polluted_instance(family: Family, pollution: Pollution) -> Instance:
    """Return a twin of a family with one more artifact."""
    name = [family.family_id, "polluted", pollution.operator, pollution.target]
    return Instance(
        instance_id="w-" + stable_hash([*name, pollution.artifact.artifact_id]),
        family=family,
        condition="polluted",
        pollution=pollution,
    )
