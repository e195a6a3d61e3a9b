"""A project and a prover together, with what they said before remembered by content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.projects import Project, statement_hash
from pytest_comem.domains.mathematics.provers.base import MAX_PROOFS, Development, Prover, Report
from pytest_comem.records.remembering import Remembered

#: Longest statement that is tried, in characters.
MAX_STATEMENT: Final = 4_000
_CHECKED: Final = Remembered[Report](2_000)
_RECHECKED: Final = Remembered[str | None](500)
_FOUND: Final = Remembered[str | None](2_000)


@final
class Checker:
    """Checks and searches proofs; the same question is asked of the prover once a process."""

    def __init__(self, project: Project, prover: Prover, module: str) -> None:
        self.project = project
        self.prover = prover
        self.module = module

    def statement(self, theorem: str) -> str | None:
        """Return the registered statement of one of the module's theorems, or ``None``."""
        one = self.project.by_name.get(theorem)
        if one is None or one.module != self.module:
            return None
        return one.statements.get(self.prover.name)

    def hash_of(self, statement: str) -> str:
        """Return the hash that stands for a statement."""
        return statement_hash(self.prover.name, statement)

    def is_registered(self, theorem: str, statement: str) -> bool:
        """Whether a text is the registered statement of a theorem, but for blanks."""
        registered = self.statement(theorem)
        return registered is not None and registered.split() == statement.split()

    def check(self, proofs: Sequence[Proof], *, again: bool = False) -> Report:
        """Check proofs as one development.

        :param again: whether to use a checker of its own, too.
        :raises InfrastructureError: where prover or sandbox broke.
        """
        development = Development(self.module, tuple(proofs))
        key = self._key(development)
        report = _CHECKED.get(key, lambda: self.prover.check(self.project, development))
        if not again or not report.accepted:
            return report
        said = _RECHECKED.get(key, lambda: self.prover.recheck(self.project, development))
        return report if said is None else Report(False, said)

    def search(self, known: Sequence[Proof], statement: str, lemmas: Sequence[str]) -> str | None:
        """Return a script that proves a statement after *known*, or ``None``.

        :raises InfrastructureError: where prover or sandbox broke.
        """
        texts = [one.statement for one in known]
        if any(len(text) > MAX_STATEMENT for text in [statement, *texts]):
            return None
        if len(known) >= MAX_PROOFS or any(self.prover.script_problem(p.script) for p in known):
            return None
        development = Development(self.module, tuple(known))
        return _FOUND.get(
            [*self._key(development), statement, list(lemmas)],
            lambda: self.prover.search(self.project, development, statement, lemmas),
        )

    def _key(self, development: Development) -> list[Any]:
        proofs = [one.as_json() for one in development.proofs]
        return [self.project.commit, self.prover.toolchain(), development.module, proofs]
