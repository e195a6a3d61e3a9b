"""The isolation pairs of a family: which operator strikes which consumer, with what content.

Content that is merely altered would be plausible to nobody here. So operators get decoys: what the
same node would have made with the issue of a near neighbour, an earlier plan, or a candidate that
was never verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_comem.domains.choosing import chosen
from pytest_comem.domains.code import contents
from pytest_comem.domains.code.families.blueprint import Step
from pytest_comem.domains.code.families.tasks import other_scope_of
from pytest_comem.domains.code.instances import Instance
from pytest_comem.executors.domain import Shown
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Decoy, Operator, PollutionPlan, PollutionPlans
from pytest_comem.workflows.pollution import Surroundings
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.twins import Twins, gold_views, twin

#: What an early version of a result says of itself.
_DRAFT: Final = "first draft"


def plans_of(
    family: Family,
    steps: Mapping[str, Step],
    artifacts: Mapping[str, Artifact],
    likes: Mapping[str, Any],
    instance: Instance,
    number: int,
) -> PollutionPlans:
    """Return a family's pairs, each operator that applies on one consumer.

    :param likes: by node, what only looks right in its place.
    :param number: of the family; with it the targets move on.
    """
    decoys = tuple(_decoys(family, steps, artifacts, likes, instance))
    around = Surroundings(family, artifacts, decoys)
    plans = []
    for offset, operator in enumerate(Operator):
        pairs = {node: twin(around, operator, node) for node in Graph.of(family).order()}
        applicable = [node for node, pair in pairs.items() if isinstance(pair, Twins)]
        taken_in = [node for node in applicable if _misleads(pairs[node], artifacts)]
        targets = taken_in or applicable
        if targets:
            target = targets[(number + 2 * offset) % len(targets)]
            plans.append(PollutionPlan(operator=operator, target=target))
    graph = Graph.of(family)
    used = {edge.source for plan in plans for edge in family.inputs(plan.target)}
    crossed = {plan.target for plan in plans if plan.operator is Operator.SIBLING_CROSSWIRE}
    beside = {node for node in graph.nodes for target in crossed if node != target}
    kept = tuple(
        one
        for one in decoys
        if one.producer in (beside if one.operator is Operator.SIBLING_CROSSWIRE else used)
    )
    return PollutionPlans(family_id=family.family_id, plans=tuple(plans), decoys=kept)


def _misleads(pair: object, artifacts: Mapping[str, Artifact]) -> bool:
    """Whether the naive choice takes the one more artifact where everything is shown, to its harm.

    A localization is right or wrong whatever else passed before.
    """
    if not isinstance(pair, Twins) or pair.polluted.pollution is None:
        return False
    pollution, family = pair.polluted.pollution, pair.polluted.family
    taken, made = pollution.artifact.semantic_type, family.node(pollution.target).output_type
    if (taken, made) == (contents.BASELINE, contents.LOCALIZATION):
        return False
    before = Graph.of(family).order()
    known = [artifacts[each] for each in before[: before.index(pollution.target)]]
    view = gold_views(family, artifacts)[pollution.target]
    return pollution.artifact in chosen(Shown(view, (*known, pollution.artifact)))


def _decoys(
    family: Family,
    steps: Mapping[str, Step],
    artifacts: Mapping[str, Artifact],
    likes: Mapping[str, Any],
    instance: Instance,
) -> Iterator[Decoy]:
    producers = dict.fromkeys(edge.source for edge in family.edges if edge.kind == "dependency")
    for node_id in producers:
        content = likes[node_id]
        if content == artifacts[node_id].content:
            continue
        told = f"{family.node(node_id).task.instruction} {family.title}"
        archive = f"{family.family_id}-archive"
        branch = {**content, "note": f"on the maintenance branch. {told}"}
        draft = {**content, "note": f"{_DRAFT}. {told}"}
        done = {**content, "note": f"from the archive. {told}"}
        made: list[tuple[Operator, Any, dict[str, Any]]] = [
            (Operator.SIBLING_CROSSWIRE, content, {}),
            (Operator.UNVERIFIED_RESULT, content, {}),
            (Operator.STALE_VERSION, draft, {}),
            (
                Operator.WRONG_ENTITY,
                branch,
                {"entity_scope": other_scope_of(steps[node_id], instance)},
            ),
            (Operator.FOREIGN_COMPLETION, done, {"family_id": archive}),
        ]
        for operator, told_in, fields in made:
            yield Decoy(operator=operator, producer=node_id, content=told_in, **fields)
