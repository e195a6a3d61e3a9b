"""Everything that plays the code domain's families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import Any, Final, final

from pytest_comem.domains.code import grading
from pytest_comem.domains.code.evaluating import EVALUATOR_VERSION, CodeEvaluator
from pytest_comem.domains.code.instances import Instance
from pytest_comem.domains.code.running import Runner, Tree
from pytest_comem.domains.code.schemas import schema_of
from pytest_comem.domains.code.shipped import Material, shipped_material
from pytest_comem.domains.code.sources import Assignment, assignment_of
from pytest_comem.domains.code.toolbox import CodeToolbox
from pytest_comem.domains.code.working import OfflineWorker
from pytest_comem.errors import BenchmarkDefect, DataError, SettingsError
from pytest_comem.executors.domain import Judgement, Shown, Stand, Toolbox, Work
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Domain, Family, Node
from pytest_comem.workflows.views import NodeView

#: Of the offline worker and what it chooses by.
WORKER_VERSION: Final = "1"


@final
class CodeStand:
    """A repository at its base commit, with worker and evaluator; each run has its own checkout."""

    def __init__(
        self, runner: Runner, tree: Tree, assignment: Assignment, instance: Instance
    ) -> None:
        self._runner = runner
        self._tree = tree
        self._worker = OfflineWorker(runner, tree, assignment)
        self._evaluator = CodeEvaluator(runner, tree, instance)

    def work(self, shown: Shown) -> Work:
        """Do a node's work by reading, running and trying."""
        return self._worker.work(shown)

    def evaluate(
        self, node: Node, oracle: Oracle, artifact: Artifact, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Judge an output by runs of our own."""
        return self._evaluator.evaluate(node, oracle, artifact.content, consumed)

    def tools(self, view: NodeView) -> Toolbox:
        """Return the tools that the node's capability token names, on a fresh checkout."""
        return CodeToolbox(self._runner, self._tree, view)

    def schema(self, view: NodeView) -> Mapping[str, Any]:
        """Return the JSON Schema of the content that the node has to make."""
        return schema_of(view.output_type)


@final
class CodeKit:
    """The domain kit of repository code.

    :param sandbox: name of the kind that all code runs in, or ``auto``.
    :param material: repositories and instances; the shipped ones where none are given.
    """

    domain: Final = Domain.REPOSITORY_CODE

    def __init__(self, sandbox: str = "auto", material: Material | None = None) -> None:
        self._sandbox = sandbox
        self._material = material or shipped_material()

    @property
    def version(self) -> str:
        """Names worker, evaluator and what grades."""
        graded = f"{grading.PACKAGE} {grading.version()}"
        return f"worker {WORKER_VERSION}, evaluator {EVALUATOR_VERSION}, {graded}"

    def preflight(self) -> str | None:
        """Return what is missing to play the domain and how to get it, if anything is."""
        if missing := grading.preflight():
            return missing
        try:
            self._runner.kind  # noqa: B018
        except SettingsError as error:
            return str(error)
        return None

    def missing(self, family: Family) -> str | None:
        """Return what is not here to play a family: the same for all of them."""
        return self.preflight()

    def close(self) -> None:
        """Do nothing: instances share nothing that runs."""

    def open(self, family: Family, instance: str) -> AbstractContextManager[Stand]:
        """Return a stand on the family's repository.

        :raises BenchmarkDefect: where there is no such repository, commit or instance.
        """
        return self._opened(family)

    @cached_property
    def _runner(self) -> Runner:
        return Runner(self._sandbox)

    @contextmanager
    def _opened(self, family: Family) -> Iterator[Stand]:
        try:
            assignment = assignment_of(family)
            instance = self._material.instance(assignment)
            tree = self._material.trees.tree(assignment.repository, assignment.base_commit)
        except DataError as error:
            raise BenchmarkDefect(f"family {family.family_id}: {error}") from None
        yield CodeStand(self._runner, tree, assignment, instance)
