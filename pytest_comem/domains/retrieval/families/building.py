"""Families with their hidden sides, built from blueprints and the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from random import Random
from typing import Final, final

from pydantic import JsonValue

from pytest_comem.domains.retrieval.corpus.world import SEED, World, make_world
from pytest_comem.domains.retrieval.corpus.writing import Written, write_corpus
from pytest_comem.domains.retrieval.documents import corpus_bytes
from pytest_comem.domains.retrieval.evaluating import EVALUATOR, EVALUATOR_VERSION
from pytest_comem.domains.retrieval.families.blueprint import Blueprint, Step
from pytest_comem.domains.retrieval.families.blueprints import BLUEPRINTS
from pytest_comem.domains.retrieval.families.gold import GoldNode, Library, gold_of
from pytest_comem.domains.retrieval.families.negatives import negatives_of
from pytest_comem.domains.retrieval.families.pairs import plans_of
from pytest_comem.domains.retrieval.families.tasks import OUTPUT_TYPES, TOOLS, scope_of, task_of
from pytest_comem.domains.retrieval.shipped import CORPUS_FILE, environment, sha256_of
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
_Gold = Mapping[str, GoldNode]


@final
@dataclass(frozen=True, slots=True)
class Built:
    """A family, its oracles and its isolation pairs."""

    family: Family
    oracles: Oracles
    plans: PollutionPlans


@final
class Workbench:
    """The world, its articles, and where they tell what."""

    @cached_property
    def world(self) -> World:
        """The one world."""
        return make_world()

    @cached_property
    def written(self) -> Written:
        """Its articles."""
        return write_corpus(self.world)

    @cached_property
    def library(self) -> Library:
        """Where the articles tell what."""
        return Library(self.written, sha256_of(corpus_bytes(self.written.documents)))

    def families(self) -> Iterator[Built]:
        """Yield every shipped family."""
        for number, blueprint in enumerate(BLUEPRINTS, 1):
            yield self._built(blueprint, number)

    def _built(self, blueprint: Blueprint, number: int) -> Built:
        anchors, gold, other, rival = self._bound(blueprint)
        names = dict(zip("AB", anchors, strict=False))
        family = _family(blueprint, names, gold, self.library.sha256)
        oracles = _oracles(family, gold, rival, names)
        rival_names = dict(zip("AB", other, strict=False))
        scopes = {step.node_id: scope_of(step, rival_names) for step in blueprint.steps}
        artifacts = gold_artifacts(family, oracles)
        return Built(family, oracles, plans_of(family, artifacts, gold, rival, scopes, number))

    def _bound(self, blueprint: Blueprint) -> tuple[tuple[str, ...], _Gold, tuple[str, ...], _Gold]:
        """Return anchors with their gold, and rival anchors of nearly the same names with theirs.

        :raises LookupError: where the world has no two such questions.
        """
        rng = Random(f"{SEED}/family/{blueprint.slug}")
        names = list(self.world.names[blueprint.kinds[0]])
        half = (len(names) + 1) // 2
        # The second half is named after the first where names come in twos.
        pairs = list(zip(names[:half], names[half:], strict=False))
        rng.shuffle(pairs)
        rng.shuffle(names)
        for one, other in [*pairs, *permutations(names, 2)]:
            mine, theirs = self._answers(blueprint, one), self._answers(blueprint, other)
            for (anchors, gold), (rivals, rival) in product(mine, theirs):
                if _apart(blueprint, gold, rival) and not _told_early(blueprint, anchors, gold):
                    return anchors, gold, rivals, rival
        raise LookupError(f"no two questions fit {blueprint.slug}")

    def _answers(
        self, blueprint: Blueprint, anchor: str
    ) -> list[tuple[tuple[str, ...], dict[str, GoldNode]]]:
        seconds = self.world.names[blueprint.kinds[1]] if blueprint.kinds[1:] else ("",)
        choices = ((anchor, each) if each else (anchor,) for each in seconds)
        found = ((each, gold_of(blueprint, each, self.library)) for each in choices)
        return [(anchors, gold) for anchors, gold in found if gold is not None]


def _apart(blueprint: Blueprint, gold: _Gold, rival: _Gold) -> bool:
    """Whether no node makes anything that it makes for the rival question, too."""
    singles = [step.node_id for step in blueprint.steps if step.action in ("resolve", "answer")]
    return all(set(gold[node].claims).isdisjoint(rival[node].claims) for node in singles)


def _told_early(blueprint: Blueprint, anchors: tuple[str, ...], gold: _Gold) -> bool:
    """Whether the question gives away what a node has to find."""
    found = {claim for node in gold.values() for claim in node.claims}
    return any(claim in anchor for claim in found for anchor in anchors)


def _family(blueprint: Blueprint, names: Mapping[str, str], gold: _Gold, sha256: str) -> Family:
    question = blueprint.question.format(**names)
    kinds = _resolved_kinds(blueprint)
    nodes = tuple(
        Node(
            node_id=step.node_id,
            task=task_of(step, question, names, kinds.get(step.node_id, "")),
            output_type=OUTPUT_TYPES[step.action],
            entity_scope=scope_of(step, names),
            evaluator=_EVALUATOR,
            tools=TOOLS.get(step.action, ()),
        )
        for step in blueprint.steps
    )
    by_id = {node.node_id: node for node in nodes}
    edges = [
        _edge(by_id[source], step.node_id) for step in blueprint.steps for source in step.inputs
    ]
    edges += [
        _edge(by_id[sender], again).model_copy(update={"kind": "revision", "max_revisions": 2})
        for sender, again in blueprint.revisions
    ]
    family = Family(
        schema_version=1,
        family_id=f"retrieval-{blueprint.slug}",
        domain=Domain.OFFLINE_RETRIEVAL,
        split=blueprint.split,
        title=question,
        sources=(
            SourceReference(
                name="an invented world, written for this project",
                locator=f"fixtures/comembench/retrieval/{CORPUS_FILE}",
                license="Apache-2.0",
                sha256=sha256,
            ),
        ),
        nodes=nodes,
        edges=tuple(edges),
        terminal=blueprint.steps[-1].node_id,
        topology=(),
        execution=ExecutionContract(environment=environment(sha256)),
    )
    return family.model_copy(update={"topology": declared_witnesses(family)})


def _resolved_kinds(blueprint: Blueprint) -> dict[str, str]:
    """Return the kind of entity that every resolving node names."""
    steps: dict[str, Step] = {step.node_id: step for step in blueprint.steps}
    return {
        step.node_id: steps[step.inputs[0]].seeks
        for step in blueprint.steps
        if step.action == "resolve"
    }


def _edge(source: Node, target: str) -> Edge:
    contract = HandoffContract(
        semantic_type=source.output_type,
        entity_scope=source.entity_scope,
        version=source.version,
    )
    return Edge(source=source.node_id, target=target, contract=contract)


def _oracles(family: Family, gold: _Gold, rival: _Gold, names: Mapping[str, str]) -> Oracles:
    views = [
        text for node in family.nodes for text in strings_of_view(node_view(family, node.node_id))
    ]
    readable = "\n".join(
        [*views, *(text for one in gold.values() for text in texts_of(one.content))]
    )
    oracles = []
    for node in family.nodes:
        found, inputs = gold[node.node_id], len(family.inputs(node.node_id))
        groups: list[JsonValue] = [[span.as_json() for span in group] for group in found.groups]
        oracles.append(
            Oracle(
                node_id=node.node_id,
                gold=found.content,
                secret={"groups": groups, "inputs": inputs},
                negatives=tuple(negatives_of(found, rival[node.node_id], inputs, readable)),
                may_appear=_public(found, names),
            )
        )
    return Oracles(family_id=family.family_id, oracles=tuple(oracles))


def _public(node: GoldNode, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the question that a node's gold holds."""
    texts = set(texts_of(node.content))
    return tuple(name for name in names.values() if name in texts)
