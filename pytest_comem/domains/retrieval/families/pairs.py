"""The isolation pairs of a family: which operator strikes which consumer, with what content.

Content that is merely altered is seldom plausible here: an evaluator of spans rejects it, and no
worker would be taken in. So most operators get a decoy, the same node's result for a rival question
about something of nearly the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_comem.domains.retrieval import contents
from pytest_comem.domains.retrieval.families.gold import GoldNode
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Decoy, Operator, PollutionPlan, PollutionPlans
from pytest_comem.workflows.pollution import Surroundings
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.twins import Twins, twin

#: How many consumers an operator strikes in a family; few families have branches to cross.
_TARGETS: Final = {Operator.SIBLING_CROSSWIRE: 2}
_Nodes = Mapping[str, GoldNode]


def plans_of(
    family: Family,
    artifacts: Mapping[str, Artifact],
    gold: _Nodes,
    rival: _Nodes,
    scopes: Mapping[str, str],
    number: int,
) -> PollutionPlans:
    """Return a family's pairs, every operator that applies on a consumer or two.

    :param scopes: entity scopes of the rival question's nodes.
    :param number: of the family; with it the targets move on.
    """
    decoys = tuple(_decoys(family, gold, rival, scopes, number))
    around = Surroundings(family, artifacts, decoys)
    plans = []
    for offset, operator in enumerate(Operator):
        targets = [n for n in Graph.of(family).order() if _applies(around, operator, n)]
        first = (number * 3 + offset * 2) % max(len(targets), 1)
        count = _TARGETS.get(operator, 1)
        chosen = (targets[first:] + targets[:first])[:: max(len(targets) // count, 1)][:count]
        plans += [PollutionPlan(operator=operator, target=target) for target in chosen]
    used = {edge.source for plan in plans for edge in family.inputs(plan.target)}
    kept = tuple(one for one in decoys if one.producer in used)
    return PollutionPlans(family_id=family.family_id, plans=tuple(plans), decoys=kept)


def _applies(around: Surroundings, operator: Operator, target: str) -> bool:
    if not around.family.inputs(target):
        return False
    return isinstance(twin(around, operator, target), Twins)


def _decoys(
    family: Family, gold: _Nodes, rival: _Nodes, scopes: Mapping[str, str], number: int
) -> Iterator[Decoy]:
    producers = dict.fromkeys(edge.source for edge in family.edges if edge.kind == "dependency")
    for node_id in producers:
        content = rival[node_id].content
        if content == gold[node_id].content:
            continue
        yield Decoy(
            operator=Operator.WRONG_ENTITY,
            producer=node_id,
            content=content,
            entity_scope=scopes[node_id],
        )
        yield Decoy(
            operator=Operator.FOREIGN_COMPLETION,
            producer=node_id,
            content=content,
            family_id=f"retrieval-archive-{number:02}",
        )
        yield Decoy(operator=Operator.UNVERIFIED_RESULT, producer=node_id, content=content)
        yield Decoy(
            operator=Operator.STALE_VERSION,
            producer=node_id,
            content=_draft_of(content, gold[node_id].content),
        )


def _draft_of(rival: Any, gold: Any) -> Any:
    """Return an early version of a result: wordier, and not yet narrowed to the right entity."""
    lists = (*contents.QUOTED_FIELDS, *contents.SPAN_FIELDS, "claims")
    return {
        key: [*value, *(each for each in gold[key] if each not in value)] if key in lists else value
        for key, value in rival.items()
    }
