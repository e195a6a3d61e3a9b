"""What every node of a family makes in a run without fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from pytest_comem.domains.mathematics import contents, making
from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.families.blueprint import Blueprint, Step, theorem_of
from pytest_comem.domains.mathematics.families.theorem import Theorem
from pytest_comem.domains.mathematics.projects import Project

PROVER: Final = "coq"
#: What gold says it was made with; an evaluator reads no more of it than the name.
TOOLCHAIN: Final = "coq 8.16"


@final
@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the gold contents of one family."""

    project: Project
    blueprint: Blueprint

    def contents(self) -> dict[str, Any]:
        """Return the content of every node, by its id."""
        made: dict[str, Any] = {}
        for step in self.blueprint.steps:
            made[step.node_id] = self._content(step, made)
        return made

    def theorem(self, name: str) -> Theorem:
        """Return a theorem of the family's module."""
        return theorem_of(self.blueprint.module, name)

    def axioms(self, name: str) -> tuple[str, ...]:
        """Return the axioms that a theorem's proof and all it uses rest on."""
        one = self.theorem(name)
        found = {*one.axioms, *(each for used in one.uses for each in self.axioms(used))}
        return tuple(sorted(found))

    def _content(self, step: Step, made: Mapping[str, Any]) -> Any:
        return _MAKERS[step.action](self, step, [made[each] for each in step.inputs])


def proof_of(one: Theorem) -> Proof:
    """Return a theorem with its author's proof."""
    return Proof(one.name, one.statement, one.proof)


def handed(inputs: Sequence[Any]) -> tuple[Proof, ...]:
    """Return all proofs that inputs hold."""
    return contents.unique(proof for one in inputs for proof in contents.proofs(one))


def _state(writer: Writer, step: Step, inputs: Sequence[Any]) -> Any:
    one = writer.theorem(step.theorem)
    module = writer.blueprint.module
    return making.statement_record(writer.project, PROVER, one.name, module, one.statement)


def _prove(writer: Writer, step: Step, inputs: Sequence[Any]) -> Any:
    own = proof_of(writer.theorem(step.theorem))
    axioms = writer.axioms(step.theorem)
    return making.proof_receipt(writer.project, PROVER, own, handed(inputs), axioms)


def _audit(writer: Writer, step: Step, inputs: Sequence[Any]) -> Any:
    found = {contents.proofs(one)[-1]: writer.axioms(one["theorem"]) for one in inputs}
    return making.axiom_report(writer.project, PROVER, found, accepted=True)


def _bundle(writer: Writer, step: Step, inputs: Sequence[Any]) -> Any:
    audited = [each["theorem"] for one in inputs for each in contents.items(one, "reports")]
    return making.proof_bundle(writer.project, PROVER, handed(inputs), audited)


def _verify(writer: Writer, step: Step, inputs: Sequence[Any]) -> Any:
    proofs = handed(inputs)
    axioms = {each for one in proofs for each in writer.axioms(one.theorem)}
    return making.verification_receipt(
        writer.project, PROVER, proofs, sorted(axioms), TOOLCHAIN, accepted=True
    )


_MAKERS: Final[Mapping[str, Callable[[Writer, Step, Sequence[Any]], Any]]] = {
    "state": _state,
    "prove": _prove,
    "audit": _audit,
    "bundle": _bundle,
    "verify": _verify,
}
