"""CoMemBench's instances: every family's clean control and its polluted twins, with oracles."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.errors import DataError
from pytest_comem.records.canonical import digest
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import (
    Instance,
    Oracles,
    PollutionPlans,
    clean_instance,
)
from pytest_comem.workflows.hidden_files import gold_artifacts, load_oracles, load_pollution
from pytest_comem.workflows.loading import family_directories, load_corpus, load_family
from pytest_comem.workflows.pollution import Gold, Surroundings
from pytest_comem.workflows.schema import Domain, Family
from pytest_comem.workflows.topology import declared_witnesses
from pytest_comem.workflows.twins import Twins, twin


@final
@dataclass(frozen=True)
class WorkflowInstance:
    """An instance with its oracles, under the name that its steps go by.

    :param episode: ``FAMILY.clean``, or ``FAMILY.OPAQUE.polluted``, which names no operator.
    """

    instance: Instance
    oracles: Oracles
    episode: str

    @property
    def family(self) -> Family:
        """The family that is played."""
        return self.instance.family

    @cached_property
    def digest(self) -> str:
        """Hash of everything that the data says about it, hidden things included."""
        return digest([self.instance.model_dump(mode="json"), self.oracles.model_dump(mode="json")])

    @cached_property
    def topology(self) -> str:
        """The labels that the family's graph has, joined by commas."""
        return ",".join(witness.label.value for witness in declared_witnesses(self.family))


@final
@dataclass(frozen=True)
class WorkflowData:
    """A corpus of workflow families, as instances.

    :param instances: by family; its control first, then its twins as they are planned.
    """

    instances: tuple[WorkflowInstance, ...]

    @cached_property
    def revision(self) -> str:
        """Hash of the whole corpus."""
        return stable_hash([one.digest for one in self.instances])

    def only(self, families: Container[str]) -> WorkflowData:
        """Return the part of the corpus that is of some families, by their ids."""
        kept = (one for one in self.instances if one.family.family_id in families)
        return WorkflowData(tuple(kept))

    @property
    def families(self) -> tuple[str, ...]:
        """Ids of the families."""
        return tuple(dict.fromkeys(one.family.family_id for one in self.instances))


@final
@dataclass(frozen=True, slots=True)
class _Read:
    family: Family
    oracles: Oracles
    plans: PollutionPlans
    gold: Gold


def load_workflows(root: Path, domains: Sequence[Domain] = ()) -> WorkflowData:
    """Return the instances of a corpus.

    :param root: a directory of families, or of one.
    :param domains: only these; all where none are named. Foreign artifacts may be of others.
    :raises DataError: where a family is not right, or a planned pair does not exist.
    """
    load_corpus(root)
    read = sorted(
        (_read(directory) for directory in family_directories(root)),
        key=lambda one: one.family.family_id,
    )
    foreign = [artifact for one in read for artifact in one.gold.values()]
    return WorkflowData(
        tuple(
            instance
            for one in read
            if not domains or one.family.domain in domains
            for instance in _instances(one, foreign)
        )
    )


def _read(directory: Path) -> _Read:
    family = load_family(directory)
    oracles = load_oracles(directory, family)
    plans = load_pollution(directory, family)
    try:
        gold: Mapping[str, Artifact] = gold_artifacts(family, oracles)
    except ValueError as error:
        shown = f"{directory.absolute().name}/hidden/oracles.json"
        raise DataError(str(error), file=shown, field="oracles.gold") from None
    return _Read(family, oracles, plans, gold)


def _instances(one: _Read, foreign: Sequence[Artifact]) -> Iterator[WorkflowInstance]:
    name = one.family.family_id
    yield WorkflowInstance(clean_instance(one.family), one.oracles, f"{name}.clean")
    around = Surroundings(one.family, one.gold, one.plans.decoys, foreign)
    for plan in one.plans.plans:
        found = twin(around, plan.operator, plan.target)
        if not isinstance(found, Twins):
            raise DataError(
                f"family {name}, node {plan.target}: {plan.operator} does not apply: "
                f"{found.reason}; take the plan out",
                file="hidden/pollution.json",
                field="plans",
            )
        opaque = found.polluted.instance_id.removeprefix("w-")
        yield WorkflowInstance(found.polluted, one.oracles, f"{name}.{opaque}.polluted")
