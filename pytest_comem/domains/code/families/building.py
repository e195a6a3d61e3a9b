"""Families with their hidden sides, built from blueprints, instances and real runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from pydantic import JsonValue

from pytest_comem.domains.code import contents
from pytest_comem.domains.code.evaluating import EVALUATOR, EVALUATOR_VERSION
from pytest_comem.domains.code.families.blueprint import Blueprint, Step
from pytest_comem.domains.code.families.blueprints import BLUEPRINTS
from pytest_comem.domains.code.families.gold import Bench
from pytest_comem.domains.code.families.negatives import negatives_of
from pytest_comem.domains.code.families.pairs import plans_of
from pytest_comem.domains.code.families.tasks import (
    OUTPUT_TYPES,
    TOOLS,
    context_of,
    scope_of,
    task_of,
    title_of,
)
from pytest_comem.domains.code.instances import Instance
from pytest_comem.domains.code.running import Runner
from pytest_comem.domains.code.shipped import Material, shipped_material
from pytest_comem.domains.code.sources import Assignment
from pytest_comem.records.canonical import texts_of
from pytest_comem.workflows.certification import SHORTEST_HIDDEN
from pytest_comem.workflows.hidden import NegativeMutation, Oracle, Oracles, PollutionPlans
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
#: Longest text that an oracle may say to be known anyway.
_NAME: Final = 200
_Contents = Mapping[str, dict[str, Any]]


@final
@dataclass(frozen=True, slots=True)
class Built:
    """A family, its oracles and its isolation pairs."""

    family: Family
    oracles: Oracles
    plans: PollutionPlans


@final
class Workbench:
    """Makes families; what it runs, it runs in a sandbox."""

    def __init__(self, runner: Runner | None = None, material: Material | None = None) -> None:
        self._runner = runner or Runner()
        self._material = material or shipped_material()

    def families(
        self, slugs: Collection[str] = (), blueprints: Sequence[Blueprint] = BLUEPRINTS
    ) -> Iterator[Built]:
        """Yield the families of blueprints.

        :param slugs: of those that are wanted; all where none are given.
        """
        for number, blueprint in enumerate(blueprints, 1):
            if not slugs or blueprint.slug in slugs:
                yield self._built(blueprint, number)

    def _bench(self, instance_id: str) -> Bench:
        one = self._material.instances[instance_id]
        return Bench(self._runner, self._material.trees.tree(one.repo, one.base_commit), one)

    def _built(self, blueprint: Blueprint, number: int) -> Built:
        bench, other = self._bench(blueprint.instance), self._bench(blueprint.neighbour)
        steps = {step.node_id: step for step in blueprint.steps}
        scripted = {
            step.node_id: any(steps[each].action == "reproduce" for each in step.inputs)
            for step in blueprint.steps
        }
        gold = {name: bench.gold(step, has_script=scripted[name]) for name, step in steps.items()}
        likes = {name: _like(step, gold[name], bench, other) for name, step in steps.items()}
        family = _family(blueprint, bench.instance)
        oracles = _oracles(family, steps, gold, likes, bench)
        artifacts = gold_artifacts(family, oracles)
        plans = plans_of(family, steps, artifacts, likes, bench.instance, number)
        return Built(family, oracles, plans)


def _like(step: Step, gold: dict[str, Any], bench: Bench, other: Bench) -> dict[str, Any]:
    """Return what only looks right in a node's place.

    Of the issue's reading, the examples of the neighbour; of runs before the change, the
    neighbour's; of places, another function; of patches and all that follows, one that fails.
    """
    if step.action == "analyse":
        theirs = other.gold(step)
        taken = {field: theirs[field] for field in ("entry_points", "steps", "actual")}
        return {**gold, **taken}
    if step.action == "reproduce":
        return {**gold, "script": other.script}
    if step.action == "baseline":
        tests = {f"{name}_again": status for name, status in gold["tests"].items()}
        return {**gold, "tests": tests}
    return bench.output(
        step,
        bench.failing_patches[0],
        other.script,
        bench.other_region,
        has_script=gold.get("reproduction") == "passes",
    )


def _family(blueprint: Blueprint, instance: Instance) -> Family:
    about = Assignment(instance.repo, instance.base_commit, instance.instance_id)
    nodes = {
        step.node_id: Node(
            node_id=step.node_id,
            task=task_of(step, instance),
            output_type=OUTPUT_TYPES[step.action],
            entity_scope=scope_of(step, instance),
            evaluator=_EVALUATOR,
            context=context_of(step, instance),
            tools=TOOLS[step.action],
        )
        for step in blueprint.steps
    }
    edges = [_edge(nodes[one], step.node_id) for step in blueprint.steps for one in step.inputs]
    edges += [_way_back(nodes[sender], again) for sender, again in blueprint.revisions]
    family = Family(
        schema_version=1,
        family_id=f"code-{blueprint.slug}",
        domain=Domain.REPOSITORY_CODE,
        split=blueprint.split,
        title=title_of(instance),
        sources=(
            SourceReference(
                name="a library written for this project, with its history",
                locator=f"fixtures/comembench/code/{instance.repo.rpartition('/')[2]}",
                license="Apache-2.0",
                revision=instance.base_commit,
            ),
        ),
        nodes=tuple(nodes.values()),
        edges=tuple(edges),
        terminal=blueprint.steps[-1].node_id,
        topology=(),
        execution=ExecutionContract(environment=about.as_json()),
    )
    return family.model_copy(update={"topology": declared_witnesses(family)})


def _edge(source: Node, target: str) -> Edge:
    contract = HandoffContract(
        semantic_type=source.output_type,
        entity_scope=source.entity_scope,
        version=source.version,
    )
    return Edge(source=source.node_id, target=target, contract=contract)


def _way_back(source: Node, target: str) -> Edge:
    """Return a revision edge: a receipt that failed is shown to whoever works again."""
    edge = _edge(source, target)
    contract = edge.contract.model_copy(update={"verification": "none"})
    return edge.model_copy(update={"kind": "revision", "max_revisions": 2, "contract": contract})


def _oracles(
    family: Family, steps: Mapping[str, Step], gold: _Contents, likes: _Contents, bench: Bench
) -> Oracles:
    views = [
        text for node in family.nodes for text in strings_of_view(node_view(family, node.node_id))
    ]
    handed = [text for content in gold.values() for text in texts_of(content)]
    oracles = []
    for node_id, step in steps.items():
        made = negatives_of(step, gold[node_id], likes[node_id], bench)
        negatives = [one for one in made if not _tells(one, gold[node_id], [*views, *handed])]
        hidden = [gold[node_id], *(one.content for one in negatives)]
        oracles.append(
            Oracle(
                node_id=node_id,
                gold=gold[node_id],
                secret=_secret(step, bench.instance),
                negatives=tuple(negatives),
                may_appear=_public(hidden, gold[node_id], views, handed),
            )
        )
    return Oracles(family_id=family.family_id, oracles=tuple(oracles))


def _secret(step: Step, instance: Instance) -> dict[str, JsonValue]:
    secret: dict[str, JsonValue] = {"inputs": len(step.inputs)}
    if OUTPUT_TYPES[step.action] in (contents.CANDIDATE, contents.VERIFICATION):
        secret["test_patch"] = instance.test_patch
        secret["fail_to_pass"] = list(instance.FAIL_TO_PASS)
    return secret


def _tells(one: NegativeMutation, gold: dict[str, Any], readable: list[str]) -> bool:
    """Whether a mutation has a long text that workers may read and the node's gold has not."""
    known = set(texts_of(gold))
    long = [text for text in texts_of(one.content) if len(text) > _NAME and text not in known]
    return any(text in each for text in long for each in readable)


def _public(
    hidden: list[Any], gold: dict[str, Any], views: list[str], handed: list[str]
) -> tuple[str, ...]:
    """Return the names and phrases of an oracle that workers can read in any case."""
    own = set(texts_of(gold))
    texts = {text for content in hidden for text in texts_of(content)}
    return tuple(
        text
        for text in sorted(texts)
        if SHORTEST_HIDDEN <= len(text) <= _NAME
        and any(text in each for each in (views if text in own else [*views, *handed]))
    )
