"""Families with their hidden sides, built from blueprints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final, final

from pydantic import JsonValue

from pytest_comem.domains.tools.contents import Body
from pytest_comem.domains.tools.evaluating import EVALUATOR, EVALUATOR_VERSION
from pytest_comem.domains.tools.families.blueprint import Blueprint, Source, Step
from pytest_comem.domains.tools.families.negatives import negatives_of
from pytest_comem.domains.tools.families.pairs import plans_of
from pytest_comem.domains.tools.families.shipped import BLUEPRINTS
from pytest_comem.domains.tools.families.tasks import scope_of, servers_of, task_of, tools_of
from pytest_comem.domains.tools.families.truth import aged, bodies_of, content_of
from pytest_comem.records.canonical import texts_of
from pytest_comem.workflows.certification import SHORTEST_HIDDEN
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

SEED: Final = 20310402
_EVALUATOR: Final = Evaluator(name=EVALUATOR, version=EVALUATOR_VERSION)
_Bodies = Mapping[str, Body]


@final
@dataclass(frozen=True, slots=True)
class Built:
    """A family, its oracles and its isolation pairs."""

    family: Family
    oracles: Oracles
    plans: PollutionPlans


def families() -> Iterator[Built]:
    """Yield every shipped family."""
    for number, blueprint in enumerate(BLUEPRINTS, 1):
        yield build(blueprint, number)


def build(blueprint: Blueprint, number: int) -> Built:
    """Return the family of a blueprint.

    :param number: of the family, which moves the targets of its pairs.
    """
    who, rival = blueprint.who
    sources = blueprint.sources(_rng(blueprint, "material"), blueprint.who)
    gold = bodies_of(blueprint, sources, who)
    family = _family(blueprint, sources, gold)
    others = _contents(blueprint, bodies_of(blueprint, sources, rival), rival)
    past = [aged(sources, _rng(blueprint, word)) for word in ("earlier", "draft")]
    earlier = _contents(blueprint, bodies_of(blueprint, past[0], who), who)
    drafts = {
        step.node_id: content_of(
            step,
            bodies_of(blueprint, past[1], who)[step.node_id],
            who,
            draft=(number + place) % 2 == 0,
        )
        for place, step in enumerate(blueprint.steps)
    }
    oracles = _oracles(blueprint, family, gold, others, earlier)
    scopes = {step.node_id: scope_of(step, rival) for step in blueprint.steps}
    artifacts = gold_artifacts(family, oracles)
    plans = plans_of(family, artifacts, others, earlier, drafts, scopes, number)
    return Built(family, oracles, plans)


def _rng(blueprint: Blueprint, what: str) -> Random:
    return Random(f"{SEED}/{blueprint.slug}/{what}")


def _contents(blueprint: Blueprint, bodies: _Bodies, who: str) -> dict[str, Any]:
    return {step.node_id: content_of(step, bodies[step.node_id], who) for step in blueprint.steps}


def _family(blueprint: Blueprint, sources: Mapping[str, Source], gold: _Bodies) -> Family:
    who = blueprint.who[0]
    nodes = {
        step.node_id: _node(blueprint, step, sources, gold[step.node_id])
        for step in blueprint.steps
    }
    edges = [_edge(nodes[one], step.node_id) for step in blueprint.steps for one in step.inputs]
    edges += [
        _edge(nodes[sender], again).model_copy(update={"kind": "revision", "max_revisions": 2})
        for sender, again in blueprint.revisions
    ]
    family = Family(
        schema_version=1,
        family_id=f"tools-{blueprint.slug}",
        domain=Domain.STATEFUL_TOOL,
        split=blueprint.split,
        title=blueprint.title.replace("{who}", who),
        sources=(
            SourceReference(
                name="invented files and rows, written for this project",
                locator=f"pytest_comem.domains.tools.families, {blueprint.slug}",
                license="Apache-2.0",
            ),
        ),
        nodes=tuple(nodes.values()),
        edges=tuple(edges),
        terminal=blueprint.steps[-1].node_id,
        topology=(),
        execution=ExecutionContract(environment=_environment(blueprint, sources)),
    )
    return family.model_copy(update={"topology": declared_witnesses(family)})


def _node(blueprint: Blueprint, step: Step, sources: Mapping[str, Source], body: Body) -> Node:
    who, tools = blueprint.who[0], tools_of(blueprint, step, sources)
    return Node(
        node_id=step.node_id,
        task=task_of(blueprint, step, sources, who, body),
        output_type=step.kind,
        entity_scope=scope_of(step, who),
        evaluator=_EVALUATOR,
        tools=tools,
        servers=servers_of(tools),
    )


def _edge(source: Node, target: str) -> Edge:
    contract = HandoffContract(
        semantic_type=source.output_type,
        entity_scope=source.entity_scope,
        version=source.version,
    )
    return Edge(source=source.node_id, target=target, contract=contract)


def _environment(blueprint: Blueprint, sources: Mapping[str, Source]) -> dict[str, JsonValue]:
    made: dict[str, JsonValue] = {}
    if blueprint.database:
        made["database"] = blueprint.database
    made["sources"] = {
        name: {**source.where, **source.table.as_json()} for name, source in sources.items()
    }
    if blueprint.forms:
        made["forms"] = {form: dict(columns) for form, columns in blueprint.forms.items()}
    if blueprint.repository:
        made["repository"] = True
    return made


def _oracles(
    blueprint: Blueprint,
    family: Family,
    gold: _Bodies,
    others: Mapping[str, Any],
    earlier: Mapping[str, Any],
) -> Oracles:
    who, oracles = blueprint.who[0], []
    for step in blueprint.steps:
        body = gold[step.node_id]
        content = content_of(step, body, who)
        wrong = others[step.node_id]
        if {**wrong, "summary": ""} == {**content, "summary": ""}:
            wrong = earlier[step.node_id]
        oracles.append(
            Oracle(
                node_id=step.node_id,
                gold=content,
                secret={"inputs": len(step.inputs)},
                negatives=tuple(negatives_of(step, body, wrong, who)),
                may_appear=_public(content),
            )
        )
    return Oracles(family_id=family.family_id, oracles=tuple(oracles))


def _public(content: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts of gold that the task gives: its place, and names of columns."""
    table = content.get("table") or {"columns": []}
    given = [*texts_of(content["place"]), *table["columns"]]
    return tuple(dict.fromkeys(text for text in given if len(text) >= SHORTEST_HIDDEN))
