"""The isolation pairs of a family: which operator strikes which consumer, with what content.

Decoys are what the same node makes for another entity of nearly the same name, or made of the
material in an earlier state; stale ones are drafts, half of them in many words. A sibling's result
goes under the heading of the one that it is taken for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Decoy, Operator, PollutionPlan, PollutionPlans
from pytest_comem.workflows.pollution import Surroundings
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.twins import Twins, twin

#: Contents by node.
Contents = Mapping[str, Any]


def plans_of(
    family: Family,
    artifacts: Mapping[str, Artifact],
    rival: Contents,
    earlier: Contents,
    drafts: Contents,
    scopes: Mapping[str, str],
    number: int,
) -> PollutionPlans:
    """Return a family's pairs, every operator that applies on one consumer.

    :param scopes: entity scopes of the rival's nodes.
    :param number: of the family; with it the targets move on.
    """
    gold = {node_id: artifact.content for node_id, artifact in artifacts.items()}
    wrong = {
        Operator.WRONG_ENTITY: rival,
        Operator.FOREIGN_COMPLETION: rival,
        Operator.UNVERIFIED_RESULT: earlier,
        Operator.STALE_VERSION: drafts,
    }
    siblings = _sibling_decoys(family, gold, number)
    decoys = (*_decoys(family, gold, wrong, scopes, number), *siblings)
    around = Surroundings(family, artifacts, decoys)
    plans = []
    for offset, operator in enumerate(Operator):
        targets = [n for n in Graph.of(family).order() if _applies(around, operator, n)]
        if targets:
            target = targets[(number * 3 + offset * 2) % len(targets)]
            plans.append(PollutionPlan(operator=operator, target=target))
    used = {(plan.operator, edge.source) for plan in plans for edge in family.inputs(plan.target)}
    crossed = Operator.SIBLING_CROSSWIRE in {plan.operator for plan in plans}
    kept = tuple(
        one
        for one in decoys
        if (one.operator, one.producer) in used or (crossed and one in siblings)
    )
    return PollutionPlans(family_id=family.family_id, plans=tuple(plans), decoys=kept)


def _applies(around: Surroundings, operator: Operator, target: str) -> bool:
    inputs = around.family.inputs(target)
    if not inputs or not isinstance(twin(around, operator, target), Twins):
        return False
    if operator is Operator.SIBLING_CROSSWIRE:
        crossing = _first_crossing(around.family)
        return crossing is not None and crossing[0] == target
    # Without a decoy the content is merely altered, which is no plausible result.
    return any(around.decoy(operator, edge.source) for edge in inputs)


def _decoys(
    family: Family,
    gold: Contents,
    wrong: Mapping[Operator, Contents],
    scopes: Mapping[str, str],
    number: int,
) -> Iterator[Decoy]:
    producers = dict.fromkeys(edge.source for edge in family.edges if edge.kind == "dependency")
    for operator, contents in wrong.items():
        for node_id in producers:
            if _result(contents[node_id]) == _result(gold[node_id]):
                continue
            yield Decoy(
                operator=operator,
                producer=node_id,
                content=contents[node_id],
                entity_scope=scopes[node_id] if operator is Operator.WRONG_ENTITY else None,
                family_id=(
                    f"tools-archive-{number:02}"
                    if operator is Operator.FOREIGN_COMPLETION
                    else None
                ),
            )


def _crossings(family: Family) -> Iterator[tuple[str, str, str]]:
    """Yield consumer, producer and a node of another branch that makes the same type."""
    graph = Graph.of(family)
    for node_id in graph.order():
        declared = {edge.source for edge in family.inputs(node_id)}
        for edge in family.inputs(node_id):
            related = graph.before(edge.source) | graph.after(edge.source) | {edge.source}
            for other in family.nodes:
                apart = other.node_id not in declared | related
                if apart and other.output_type == edge.contract.semantic_type:
                    yield node_id, edge.source, other.node_id


def _first_crossing(family: Family) -> tuple[str, str, str] | None:
    return next(_crossings(family), None)


def _sibling_decoys(family: Family, gold: Contents, number: int) -> tuple[Decoy, ...]:
    """Return the decoy of the first crossing: the branch's result, headed as what it is not."""
    crossing = _first_crossing(family)
    if crossing is None:
        return ()
    _, source, sibling = crossing
    heading, own = gold[source]["summary"], gold[sibling]["summary"]
    summary = f"{heading} {own}" if number % 2 else heading
    content = {**gold[sibling], "summary": summary}
    return (Decoy(operator=Operator.SIBLING_CROSSWIRE, producer=sibling, content=content),)


def _result(content: Any) -> Any:
    return {key: each for key, each in content.items() if key != "summary"}
