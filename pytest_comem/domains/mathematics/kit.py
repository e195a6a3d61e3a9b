"""Everything that plays the families of formal mathematics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.domains.mathematics.checking import Checker
from pytest_comem.domains.mathematics.evaluating import EVALUATOR_VERSION, evaluate
from pytest_comem.domains.mathematics.provers.base import Prover
from pytest_comem.domains.mathematics.provers.coq import Coq
from pytest_comem.domains.mathematics.provers.lean import Lean
from pytest_comem.domains.mathematics.schemas import schema_of
from pytest_comem.domains.mathematics.shipped import (
    allowed_axioms,
    module_of,
    project_of,
    project_root,
)
from pytest_comem.domains.mathematics.tools import ProverTools
from pytest_comem.domains.mathematics.working import OfflineWorker
from pytest_comem.errors import BenchmarkDefect, DataError, SettingsError
from pytest_comem.executors.domain import Judgement, Shown, Stand, Toolbox, Work
from pytest_comem.sandbox.registry import AUTO
from pytest_comem.suggest import did_you_mean
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Domain, Family, Node
from pytest_comem.workflows.views import NodeView

#: Of the offline worker, its scripts, and what it chooses by.
WORKER_VERSION: Final = "1"
PROVERS: Final[Mapping[str, Callable[[str, str], Prover]]] = {"coq": Coq, "lean": Lean}
#: The command of each prover, where no other is named.
PROGRAMS: Final = {"coq": "coqc", "lean": "lean"}


def find_prover(name: str, sandbox: str = AUTO, program: str | None = None) -> Prover:
    """Return a prover by its name.

    :param program: path of its command, where that is not in ``PATH``.
    :raises SettingsError: where there is none of this name.
    """
    if name not in PROVERS:
        raise SettingsError(f"prover {name!r} is unknown; {did_you_mean(name, PROVERS)}")
    return PROVERS[name](sandbox, program or PROGRAMS[name])


@final
class MathematicsStand:
    """A project with worker and evaluator; every proof is compiled in a copy of its own."""

    def __init__(self, checker: Checker, allowed: frozenset[str]) -> None:
        self._checker = checker
        self._allowed = allowed
        self._worker = OfflineWorker(checker, allowed)

    def work(self, shown: Shown) -> Work:
        """Do a node's work by search and by the prover."""
        return self._worker.work(shown)

    def evaluate(
        self, node: Node, oracle: Oracle, artifact: Artifact, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Judge an output by the prover."""
        content = artifact.content
        return evaluate(self._checker, self._allowed, node, oracle, content, consumed)

    def tools(self, view: NodeView) -> Toolbox:
        """Return library, search and prover."""
        return ProverTools(self._checker, view.capability_token)

    def schema(self, view: NodeView) -> Mapping[str, Any]:
        """Return the form of the content that a node has to make."""
        return schema_of(view.output_type)


@final
class MathematicsKit:
    """The domain kit of formal mathematics.

    :param root: directory of the project; the shipped one where none is given.
    :param prover: ``coq`` or ``lean``.
    :param sandbox: name of the kind of sandbox in which proofs are compiled.
    :param program: path of the prover's command, where that is not in ``PATH``.
    :raises SettingsError: where there is no such prover.
    """

    domain: Final = Domain.FORMAL_MATHEMATICS

    def __init__(
        self,
        root: Path | None = None,
        prover: str = "coq",
        sandbox: str = AUTO,
        program: str | None = None,
    ) -> None:
        self._root = root or project_root()
        self._prover = find_prover(prover, sandbox, program)

    @property
    def version(self) -> str:
        """Changes with worker, prover and evaluator; the toolchain too, as it decides."""
        toolchain = self._prover.name if self.preflight() else self._prover.toolchain()
        return f"worker {WORKER_VERSION}, {toolchain}, proofs {EVALUATOR_VERSION}"

    def preflight(self) -> str | None:
        """Return why no proof can be checked here and what to do, or ``None``."""
        return self._prover.preflight()

    def missing(self, family: Family) -> str | None:
        """Return what is not here to play a family."""
        if lacking := self.preflight():
            return lacking
        axioms = family.execution.environment.get("axioms")
        if isinstance(axioms, dict) and self._prover.name not in axioms:
            return f"it is not stated for {self._prover.name} (--comem-prover)"
        return None

    def close(self) -> None:
        """Do nothing: instances share nothing that runs."""

    def open(self, family: Family, instance: str) -> AbstractContextManager[Stand]:
        """Return a stand over the family's project, whose hash is checked.

        :raises BenchmarkDefect: where the project is not there or not the one it has to be, the
            family is not stated for the prover, or the prover is not here.
        """
        return self._opened(family)

    @contextmanager
    def _opened(self, family: Family) -> Iterator[Stand]:
        name = self._prover.name
        if missing := self.preflight():
            raise BenchmarkDefect(f"formal mathematics is left out: {missing}")
        try:
            project = project_of(family, self._root)
        except DataError as error:
            raise BenchmarkDefect(f"family {family.family_id}: {error}") from None
        allowed = allowed_axioms(family, name)
        if allowed is None:
            raise BenchmarkDefect(f"family {family.family_id}: it is not stated for {name}")
        module = module_of(family)
        if module not in project.sources[name]:
            raise BenchmarkDefect(f"family {family.family_id}: no module {module[:60]!r} in {name}")
        yield MathematicsStand(Checker(project, self._prover, module), allowed)
