"""The domain's part of a certificate: gold passes every node, every negative is rejected.

Each runs on a state of its own, laid out without servers. Kinds of mutation, by what lies there:

``wrong_artifact``, ``altered_value``, ``missing_handoff``
    The state holds what the mutation says.
``not_done``
    The artifact is gold, and the state holds nothing: a reply without work.
``false_report``
    The state is right, and the artifact says something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.domains.tools.evaluating import evaluate
from pytest_comem.domains.tools.laying import Ground, ground_of
from pytest_comem.domains.tools.material import material_of
from pytest_comem.domains.tools.naming import SERVERS, split_tool
from pytest_comem.domains.tools.tables import NoTableError
from pytest_comem.errors import BenchmarkDefect, DataError
from pytest_comem.executors.domain import Judgement
from pytest_comem.workflows.artifacts import make_artifact
from pytest_comem.workflows.checks import Check, Finding, check
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import NegativeMutation, Oracle, Oracles
from pytest_comem.workflows.hidden_files import gold_artifacts
from pytest_comem.workflows.schema import Family, Node

#: Kinds of mutation of which every family has at least one.
KINDS: Final = (
    "wrong_artifact",
    "altered_value",
    "missing_handoff",
    "not_done",
    "false_report",
)


@final
class ToolsChecks:
    """Certifies families of stateful tools."""

    def checks(self, directory: Path, family: Family, oracles: Oracles) -> Iterable[Check]:
        """Yield the checks of material, tools, gold run and negative mutations."""
        try:
            material = material_of(family)
        except DataError as error:
            where = f"{error.file}, field {error.field}"
            yield check("material", "to be laid out", [Finding(where, error.problem)])
            return
        yield check("material", f"{len(material.sources)} sources", ())
        yield check("tools", "of servers that the token names", _tool_findings(family))
        try:
            trial = _Trial(family, oracles)
            gold = list(trial.gold())
            negative = list(trial.negatives())
        except BenchmarkDefect as defect:
            yield check("gold run", "oracles", [Finding("hidden/oracles.json", str(defect))])
            return
        yield check("gold run", f"{len(family.nodes)} nodes", gold)
        count = sum(len(oracle.negatives) for oracle in oracles.oracles)
        yield check("negative mutations", f"{count} outputs that have to be rejected", negative)


def _tool_findings(family: Family) -> Iterator[Finding]:
    for node in family.nodes:
        where = f"node {node.node_id}"
        for server in node.servers:
            if server not in SERVERS:
                yield Finding(where, f"there is no server {server[:40]}")
        for tool in node.tools:
            if split_tool(tool)[0] not in node.servers:
                yield Finding(where, f"the tool {tool[:60]} is of no server that the node names")


@final
class _Trial:
    """Gold and its mutations, held against the evaluator."""

    def __init__(self, family: Family, oracles: Oracles) -> None:
        self._family = family
        self._oracles = oracles
        self._gold = gold_artifacts(family, oracles)

    def gold(self) -> Iterator[Finding]:
        """Yield nodes whose gold is rejected in a run without fault."""
        with ground_of(self._family) as ground:
            for node_id in Graph.of(self._family).order():
                node = self._family.node(node_id)
                content = self._gold[node_id].content
                found = self._after(ground, content, node, content)
                if not found.passed:
                    yield Finding(f"node {node_id}", f"gold is rejected: {found.reason}")

    def negatives(self) -> Iterator[Finding]:
        """Yield mutations that pass, and kinds that are missing."""
        kinds = {one.kind for oracle in self._oracles.oracles for one in oracle.negatives}
        for kind in KINDS:
            if kind not in kinds:
                yield Finding("hidden/oracles.json", f"no negative mutation is a {kind}")
        with ground_of(self._family) as ground:
            for node_id in Graph.of(self._family).order():
                yield from self._of(ground, self._oracles.of(node_id))

    def _of(self, ground: Ground, oracle: Oracle) -> Iterator[Finding]:
        node, where = self._family.node(oracle.node_id), f"node {oracle.node_id}"
        if not oracle.negatives:
            yield Finding(where, "no negative mutation")
        # What is not done comes first: afterwards something lies at the node's place.
        for one in sorted(oracle.negatives, key=lambda each: each.kind != "not_done"):
            if self._mutated(ground, node, one).passed:
                yield Finding(where, f"the mutation {one.name} ({one.kind}) passes")
        try:
            ground.lay(oracle.gold)
        except NoTableError:
            # What the gold run says already.
            return
        if any(edge.required for edge in self._family.inputs(oracle.node_id)):
            alone = evaluate(ground.state, node, oracle, oracle.gold, ())
            if alone.passed:
                yield Finding(where, "gold passes although it rests on no input")

    def _mutated(self, ground: Ground, node: Node, one: NegativeMutation) -> Judgement:
        gold = self._gold[node.node_id].content
        laid = {"not_done": None, "false_report": gold}.get(one.kind, one.content)
        return self._after(ground, laid, node, one.content)

    def _after(self, ground: Ground, laid: Any, node: Node, content: Any) -> Judgement:
        """Judge a content after something was laid into the state; ``None`` for nothing."""
        if laid is not None:
            try:
                ground.lay(laid)
            except NoTableError as error:
                return Judgement(False, f"It cannot be laid out: {error}.")
        made = make_artifact(
            content,
            semantic_type=node.output_type,
            entity_scope=node.entity_scope,
            version=node.version,
            producer=self._gold[node.node_id].producer,
        )
        consumed = [self._gold[edge.source] for edge in self._family.inputs(node.node_id)]
        oracle = self._oracles.of(node.node_id)
        return evaluate(ground.state, node, oracle, made.content, consumed)
