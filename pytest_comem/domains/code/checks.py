"""The domain's part of a certificate: gold passes every node, every negative is rejected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.domains.code import contents, grading
from pytest_comem.domains.code.evaluating import CodeEvaluator
from pytest_comem.domains.code.instances import Instance
from pytest_comem.domains.code.running import Runner
from pytest_comem.domains.code.shipped import Material, shipped_material
from pytest_comem.domains.code.sources import assignment_of
from pytest_comem.errors import BenchmarkDefect, DataError, SettingsError
from pytest_comem.workflows.artifacts import Artifact, make_artifact
from pytest_comem.workflows.checks import Check, Finding, check
from pytest_comem.workflows.hidden import Oracle, Oracles
from pytest_comem.workflows.hidden_files import gold_artifacts
from pytest_comem.workflows.schema import Family

#: Kinds of mutation of which every family has at least one.
KINDS: Final = (
    "wrong_artifact",
    "missing_handoff",
    "failing_patch",
    "unapplicable_patch",
    "edited_receipt",
    "wrong_version",
    "wrong_commit",
)
#: Types whose oracles hold what workers must not see of the instance.
GUARDED: Final = (contents.CANDIDATE, contents.VERIFICATION)
_Gold = Mapping[str, Artifact]


@final
class CodeChecks:
    """Certifies families of repository code.

    :param sandbox: name of the kind that all code runs in, or ``auto``.
    :param material: repositories and instances; the shipped ones where none are given.
    """

    def __init__(self, sandbox: str = "auto", material: Material | None = None) -> None:
        self._sandbox = sandbox
        self._material = material or shipped_material()

    @cached_property
    def _runner(self) -> Runner:
        return Runner(self._sandbox)

    def checks(self, directory: Path, family: Family, oracles: Oracles) -> Iterable[Check]:
        """Yield the checks of instance, gold run and negative mutations."""
        try:
            missing = grading.preflight()
            runner = self._runner
        except SettingsError as error:
            missing = str(error)
        if missing:
            yield Check("sandbox and grader", None, missing)
            return
        try:
            about = assignment_of(family)
            instance = self._material.instance(about)
            tree = self._material.trees.tree(about.repository, about.base_commit)
        except (DataError, BenchmarkDefect) as error:
            yield check("instance", "of the shipped ones", [Finding("family.json", str(error))])
            return
        found = _instance_findings(family, oracles, instance)
        yield check("instance", instance.instance_id, found)
        judge = _Judge(CodeEvaluator(runner, tree, instance), family, oracles)
        yield check("gold run", f"{len(family.nodes)} nodes", judge.gold_findings())
        count = sum(len(oracle.negatives) for oracle in oracles.oracles)
        detail = f"{count} outputs that have to be rejected"
        yield check("negative mutations", detail, judge.negative_findings())


def _instance_findings(family: Family, oracles: Oracles, instance: Instance) -> Iterator[Finding]:
    """Yield where oracles do not hold what has to stay hidden of the instance."""
    hidden = {
        "test_patch": instance.test_patch,
        "fail_to_pass": list(instance.FAIL_TO_PASS),
    }
    for node in family.nodes:
        secret = oracles.of(node.node_id).secret
        for field, value in hidden.items():
            if node.output_type in GUARDED and secret.get(field) != value:
                yield Finding(f"node {node.node_id}", f"its {field} is not the instance's")


@final
class _Judge:
    """Judges contents as if they rested on the gold inputs of their nodes."""

    def __init__(self, evaluator: CodeEvaluator, family: Family, oracles: Oracles) -> None:
        self._evaluator = evaluator
        self._family = family
        self._oracles = oracles
        self._gold: _Gold = gold_artifacts(family, oracles)

    def gold_findings(self) -> Iterator[Finding]:
        """Yield the nodes whose gold is rejected."""
        for node in self._family.nodes:
            found = self._judged(node.node_id, self._gold[node.node_id].content)
            if not found.passed:
                yield Finding(f"node {node.node_id}", f"gold is rejected: {found.reason}")

    def negative_findings(self) -> Iterator[Finding]:
        """Yield the mutations that pass, and what is missing of them."""
        kinds = {one.kind for oracle in self._oracles.oracles for one in oracle.negatives}
        for kind in KINDS:
            if kind not in kinds:
                yield Finding("hidden/oracles.json", f"no negative mutation is a {kind}")
        for oracle in self._oracles.oracles:
            yield from self._of(oracle)

    def _of(self, oracle: Oracle) -> Iterator[Finding]:
        where = f"node {oracle.node_id}"
        if not oracle.negatives:
            yield Finding(where, "no negative mutation")
        for one in oracle.negatives:
            made = self._made(oracle.node_id, one.content)
            if self._judged(oracle.node_id, made.content).passed:
                yield Finding(where, f"the mutation {one.name} ({one.kind}) passes")
        node = self._family.node(oracle.node_id)
        gold = self._gold[oracle.node_id].content
        rests = any(edge.required for edge in self._family.inputs(oracle.node_id))
        if rests and self._evaluator.evaluate(node, oracle, gold, ()).passed:
            yield Finding(where, "gold passes although it rests on no input")

    def _made(self, node_id: str, content: Any) -> Artifact:
        node = self._family.node(node_id)
        return make_artifact(
            content,
            semantic_type=node.output_type,
            entity_scope=node.entity_scope,
            version=node.version,
            producer=self._gold[node_id].producer,
        )

    def _judged(self, node_id: str, content: Any) -> Any:
        consumed = [self._gold[edge.source] for edge in self._family.inputs(node_id)]
        node, oracle = self._family.node(node_id), self._oracles.of(node_id)
        return self._evaluator.evaluate(node, oracle, content, consumed)
