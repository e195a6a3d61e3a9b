"""What artifacts of this domain hold, and how to read any JSON as such without trusting it.

====================  ==========================================================================
semantic type         fields
====================  ==========================================================================
statement_record      theorem, module, statement, statement_sha256, project, prover
proof_receipt         theorem, statement, statement_sha256, script, lemmas, axioms, project, prover
axiom_report          reports, accepted, project, prover
proof_bundle          theorem, statement_sha256, proofs, audited, project, prover
verification_receipt  theorem, statement_sha256, verdict, axioms, checked, proofs_sha256, project,
                      toolchain
====================  ==========================================================================

Lemmas and proofs are lists of proofs (theorem, statement, script), each after what it rests on; a
report is a theorem with its statement's hash and the axioms of its proof. ``project`` is the
project's commit. The toolchain that an evaluator really used stands in its signed receipt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, final

STATEMENT: Final = "statement_record"
PROOF: Final = "proof_receipt"
AXIOMS: Final = "axiom_report"
BUNDLE: Final = "proof_bundle"
VERIFICATION: Final = "verification_receipt"

#: The fields of every type.
FIELDS: Final = {
    STATEMENT: {"theorem", "module", "statement", "statement_sha256", "project", "prover"},
    PROOF: {
        *("theorem", "statement", "statement_sha256", "script", "lemmas", "axioms"),
        *("project", "prover"),
    },
    AXIOMS: {"reports", "accepted", "project", "prover"},
    BUNDLE: {"theorem", "statement_sha256", "proofs", "audited", "project", "prover"},
    VERIFICATION: {
        *("theorem", "statement_sha256", "verdict", "axioms", "checked", "proofs_sha256"),
        *("project", "toolchain"),
    },
}
#: Most proofs of one artifact that are looked at.
MOST: Final = 40


@final
@dataclass(frozen=True, slots=True)
class Proof:
    """A theorem with the statement that somebody says it has, and a proof script."""

    theorem: str
    statement: str
    script: str

    def as_json(self) -> dict[str, Any]:
        """Return the proof as artifacts hold it."""
        return {"theorem": self.theorem, "statement": self.statement, "script": self.script}


def items(content: Any, field: str) -> list[Any]:
    """Return a list of a content, or nothing where it has no such list."""
    found = content.get(field) if isinstance(content, dict) else None
    return found[:MOST] if isinstance(found, list) else []


def text(content: Any, field: str) -> str:
    """Return a text of a content, or nothing where it has no such text."""
    found = content.get(field) if isinstance(content, dict) else None
    return found if isinstance(found, str) else ""


def texts(content: Any, field: str) -> list[str]:
    """Return the texts of a list of a content."""
    return [each for each in items(content, field) if isinstance(each, str)]


def read_proof(value: Any) -> Proof | None:
    """Return the proof that a JSON value is, or ``None``."""
    parts = [text(value, field) for field in ("theorem", "statement", "script")]
    return Proof(*parts) if all(parts) else None


def proofs(content: Any) -> tuple[Proof, ...]:
    """Return every proof that a receipt or bundle holds, in order, a theorem once."""
    own = [content] if text(content, "script") else []
    read = [read_proof(each) for each in [*items(content, "lemmas"), *items(content, "proofs")]]
    return unique(one for one in [*read, *(read_proof(each) for each in own)] if one is not None)


def unique(found: Iterable[Proof]) -> tuple[Proof, ...]:
    """Return proofs, of each theorem the first."""
    by_name: dict[str, Proof] = {}
    for one in found:
        by_name.setdefault(one.theorem, one)
    return tuple(by_name.values())
