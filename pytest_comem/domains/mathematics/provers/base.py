"""What a prover promises: a proof counts where a compilation that trusts nothing of it says so.

A candidate's proofs are compiled first, in a copy of the project that is thrown away. What came of
it is then looked at by a second compilation of a file of ours, in a fresh copy: it states every
registered theorem from the project alone, takes the candidate's theorem for it, and asks which
axioms it rests on. Only what this second one says is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, final

from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.projects import Project

#: Longest proof script, in characters, and most proofs of one development.
MAX_SCRIPT: Final = 20_000
MAX_PROOFS: Final = 40


@final
@dataclass(frozen=True, slots=True)
class Development:
    """Proofs of theorems of one module, each after what it rests on."""

    module: str
    proofs: tuple[Proof, ...]


@final
@dataclass(frozen=True, slots=True)
class Report:
    """What came of checking a development.

    :param accepted: whether everything compiled, and every theorem is the registered one; which
        axioms are allowed is for the caller to say.
    :param reason: what is wrong, for people; empty where it is accepted.
    :param axioms: that all of it together rests on, as the prover names them; sorted.
    """

    accepted: bool
    reason: str = ""
    axioms: tuple[str, ...] = ()
    toolchain: str = ""


class Prover(Protocol):
    """A prover on this machine.

    :ivar name: ``coq`` or ``lean``.
    """

    name: str

    def preflight(self) -> str | None:
        """Return what is missing and how to get it, or ``None`` where proofs can be checked."""
        ...

    def toolchain(self) -> str:
        """Return name and version of the prover.

        :raises InfrastructureError: where it is not there, or says none.
        """
        ...

    def script_problem(self, script: str) -> str | None:
        """Return why a text is no proof script, by its words alone; ``None`` where it may be."""
        ...

    def check(self, project: Project, development: Development) -> Report:
        """Compile a development and look at what came of it.

        :raises InfrastructureError: where the sandbox or the prover itself broke.
        """
        ...

    def recheck(self, project: Project, development: Development) -> str | None:
        """Have a checker of its own go through an accepted development, where there is one.

        :returns: what it says against it, or ``None``.
        :raises InfrastructureError: as above.
        """
        ...

    def search(
        self, project: Project, known: Development, statement: str, lemmas: Sequence[str]
    ) -> str | None:
        """Return a script that proves a statement, or ``None`` where none was found.

        :param known: what was proved before.
        :param lemmas: names of what the proof may use, as the prover knows them.
        """
        ...
