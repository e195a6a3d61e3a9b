"""The domain's part of a certificate: gold passes every node, every negative is rejected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.domains.mathematics.checking import Checker
from pytest_comem.domains.mathematics.evaluating import evaluate
from pytest_comem.domains.mathematics.kit import find_prover
from pytest_comem.domains.mathematics.shipped import (
    allowed_axioms,
    module_of,
    project_of,
    project_root,
)
from pytest_comem.errors import DataError
from pytest_comem.executors.domain import Judgement
from pytest_comem.sandbox.registry import AUTO
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.checks import Check, Finding, check
from pytest_comem.workflows.hidden import Oracles
from pytest_comem.workflows.hidden_files import gold_artifacts
from pytest_comem.workflows.schema import Family

#: Kinds of mutation of which every family has at least one.
KINDS: Final = (
    "wrong_artifact",
    "missing_handoff",
    "admitted_proof",
    "changed_statement",
    "refused_axiom",
    "forged_message",
    "failing_proof",
)


@final
class MathematicsChecks:
    """Certifies families of formal mathematics with Coq, for which their gold is written.

    :param root: directory of the project; the shipped one where none is given.
    :param sandbox: name of the kind of sandbox in which proofs are compiled.
    """

    def __init__(self, root: Path | None = None, sandbox: str = AUTO) -> None:
        self._root = root or project_root()
        self._prover = find_prover("coq", sandbox)

    def checks(self, directory: Path, family: Family, oracles: Oracles) -> Iterable[Check]:
        """Yield the checks of project, gold run and negative mutations."""
        if missing := self._prover.preflight():
            yield Check("prover", None, missing)
            return
        yield check("prover", self._prover.toolchain(), ())
        try:
            project = project_of(family, self._root)
        except DataError as error:
            yield check("project", "pinned by its hash", [Finding(error.file, error.problem)])
            return
        allowed, module = allowed_axioms(family, "coq"), module_of(family)
        if allowed is None or module not in project.sources["coq"]:
            where = "execution.environment"
            told = [Finding(where, "it names no module of the project, or no allowed axioms")]
            yield check("project", "module and axioms", told)
            return
        yield check("project", f"commit {project.commit}", ())
        gold = gold_artifacts(family, oracles)
        judge = _Judge(Checker(project, self._prover, module), allowed, family, oracles, gold)
        yield check("gold run", f"{len(family.nodes)} nodes", judge.gold_findings())
        negatives = [one for oracle in oracles.oracles for one in oracle.negatives]
        detail = f"{len(negatives)} outputs that have to be rejected"
        yield check("negative mutations", detail, judge.negative_findings())


@final
@dataclass(frozen=True, slots=True)
class _Judge:
    """Judges contents as if they rested on the gold inputs of their node."""

    checker: Checker
    allowed: frozenset[str]
    family: Family
    oracles: Oracles
    gold: Mapping[str, Artifact]

    def gold_findings(self) -> Iterator[Finding]:
        """Yield where gold is rejected."""
        for node in self.family.nodes:
            found = self._judged(node.node_id, self.gold[node.node_id].content)
            if not found.passed:
                yield Finding(f"node {node.node_id}", f"gold is rejected: {found.reason}")

    def negative_findings(self) -> Iterator[Finding]:
        """Yield which mutation passes or is missing."""
        kinds = {one.kind for oracle in self.oracles.oracles for one in oracle.negatives}
        for kind in KINDS:
            if kind not in kinds:
                yield Finding("hidden/oracles.json", f"no negative mutation is a {kind}")
        for oracle in self.oracles.oracles:
            where, node_id = f"node {oracle.node_id}", oracle.node_id
            if not oracle.negatives:
                yield Finding(where, "no negative mutation")
            for one in oracle.negatives:
                if self._judged(node_id, one.content).passed:
                    yield Finding(where, f"the mutation {one.name} ({one.kind}) passes")
            needs = any(edge.required for edge in self.family.inputs(node_id))
            if needs and self._judged(node_id, self.gold[node_id].content, alone=True).passed:
                yield Finding(where, "gold passes although it rests on no input")

    def _judged(self, node_id: str, content: Any, *, alone: bool = False) -> Judgement:
        inputs = () if alone else self.family.inputs(node_id)
        return evaluate(
            self.checker,
            self.allowed,
            self.family.node(node_id),
            self.oracles.of(node_id),
            content,
            [self.gold[edge.source] for edge in inputs],
        )
