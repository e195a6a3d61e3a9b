"""Families with their hidden sides, built from blueprints and the library."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from pydantic import JsonValue

from pytest_comem.domains.mathematics import contents
from pytest_comem.domains.mathematics.evaluating import EVALUATOR, EVALUATOR_VERSION
from pytest_comem.domains.mathematics.families.blueprint import Blueprint, Step
from pytest_comem.domains.mathematics.families.blueprints import BLUEPRINTS
from pytest_comem.domains.mathematics.families.gold import Writer
from pytest_comem.domains.mathematics.families.negatives import negatives_of
from pytest_comem.domains.mathematics.families.pairs import plans_of
from pytest_comem.domains.mathematics.families.tasks import OUTPUT_TYPES, TOOLS, scope_of, task_of
from pytest_comem.domains.mathematics.projects import Project
from pytest_comem.domains.mathematics.shipped import environment
from pytest_comem.records.canonical import texts_of
from pytest_comem.workflows.hidden import Oracle, Oracles, PollutionPlans
from pytest_comem.workflows.hidden_files import gold_artifacts
from pytest_comem.workflows.schema import (
    Domain,
    Edge,
    Evaluator,
    ExecutionContract,
    Family,
    HandoffContract,
    Node,
    SourceReference,
)
from pytest_comem.workflows.topology import declared_witnesses
from pytest_comem.workflows.views import node_view, strings_of_view

_EVALUATOR: Final = Evaluator(name=EVALUATOR, version=EVALUATOR_VERSION)
#: What the core library of Lean rests its automation on.
_LEAN_AXIOMS: Final = ("Classical.choice", "Quot.sound", "propext")


@final
@dataclass(frozen=True, slots=True)
class Built:
    """A family, its oracles and its isolation pairs."""

    family: Family
    oracles: Oracles
    plans: PollutionPlans


def built_families(project: Project) -> Iterator[Built]:
    """Yield every shipped family."""
    for number, blueprint in enumerate(BLUEPRINTS, 1):
        # Another module's, so that nothing of it means anything here.
        others = [one for one in BLUEPRINTS if one.module != blueprint.module]
        rival = _by_action(Writer(project, others[number % len(others)]))
        writer = Writer(project, blueprint)
        family = _family(blueprint, project)
        oracles = _oracles(family, writer, rival)
        artifacts = gold_artifacts(family, oracles)
        yield Built(family, oracles, plans_of(family, artifacts, writer, rival, number))


def _by_action(writer: Writer) -> dict[str, Any]:
    """Return what the last node of every kind makes in a family."""
    made = writer.contents()
    return {step.action: made[step.node_id] for step in writer.blueprint.steps}


def _family(blueprint: Blueprint, project: Project) -> Family:
    nodes = tuple(_node(blueprint, step) for step in blueprint.steps)
    by_id = {node.node_id: node for node in nodes}
    edges = [
        _edge(by_id[source], step.node_id) for step in blueprint.steps for source in step.inputs
    ]
    edges += [
        _edge(by_id[sender], again).model_copy(update={"kind": "revision", "max_revisions": 2})
        for sender, again in blueprint.revisions
    ]
    axioms: dict[str, tuple[str, ...]] = {"coq": blueprint.axioms}
    if blueprint.lean:
        axioms["lean"] = _LEAN_AXIOMS
    family = Family(
        schema_version=1,
        family_id=f"math-{blueprint.slug}",
        domain=Domain.FORMAL_MATHEMATICS,
        split=blueprint.split,
        title=blueprint.title,
        sources=(
            SourceReference(
                name="a small library of definitions and theorems, written for this project",
                locator=f"fixtures/comembench/mathematics/coq/{blueprint.module}.v",
                license="Apache-2.0",
                revision=project.commit,
            ),
        ),
        nodes=nodes,
        edges=tuple(edges),
        terminal=blueprint.steps[-1].node_id,
        topology=(),
        execution=ExecutionContract(
            environment=environment(project.commit, blueprint.module, axioms)
        ),
    )
    return family.model_copy(update={"topology": declared_witnesses(family)})


def _node(blueprint: Blueprint, step: Step) -> Node:
    return Node(
        node_id=step.node_id,
        task=task_of(blueprint, step),
        output_type=OUTPUT_TYPES[step.action],
        entity_scope=scope_of(blueprint, step),
        evaluator=_EVALUATOR,
        tools=TOOLS.get(step.action, ()),
    )


def _edge(source: Node, target: str) -> Edge:
    contract = HandoffContract(
        semantic_type=source.output_type,
        entity_scope=source.entity_scope,
        version=source.version,
    )
    return Edge(source=source.node_id, target=target, contract=contract)


def _oracles(family: Family, writer: Writer, rival: Mapping[str, Any]) -> Oracles:
    made = writer.contents()
    views = [
        text for node in family.nodes for text in strings_of_view(node_view(family, node.node_id))
    ]
    readable = "\n".join([*views, *(text for one in made.values() for text in texts_of(one))])
    proving = [step.node_id for step in writer.blueprint.steps if step.action == "prove"]
    oracles = []
    for step in writer.blueprint.steps:
        gold, inputs = made[step.node_id], len(family.inputs(step.node_id))
        secret = _secret(writer, step, gold, inputs)
        negatives = negatives_of(
            gold,
            writer.theorem(step.theorem),
            rival[step.action],
            inputs,
            readable,
            # A proof is slow to reject where only a compilation finds out.
            thorough=step.node_id == proving[0],
        )
        oracles.append(
            Oracle(
                node_id=step.node_id,
                gold=gold,
                secret=secret,
                negatives=tuple(negatives),
                may_appear=_public(writer, gold, secret),
            )
        )
    return Oracles(family_id=family.family_id, oracles=tuple(oracles))


def _secret(writer: Writer, step: Step, gold: Any, inputs: int) -> dict[str, JsonValue]:
    lemmas: list[JsonValue] = [one.theorem for one in contents.proofs(gold)]
    if step.action == "verify":
        lemmas = list(gold["checked"])
    secret: dict[str, JsonValue] = {"inputs": inputs, "lemmas": lemmas}
    lean = writer.theorem(step.theorem).lean
    if writer.blueprint.lean and step.action == "prove" and lean is not None:
        secret["lean"] = "by\n" + textwrap.indent(lean.proof, "  ")
    return secret


def _public(writer: Writer, gold: Any, secret: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of theorems that an oracle holds: scopes and receipts name them, too."""
    names = {name for step in writer.blueprint.steps for name in [step.theorem]}
    return tuple(sorted(names.intersection([*texts_of(gold), *texts_of(secret)])))
