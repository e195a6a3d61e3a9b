"""Contents of this domain made of their parts, in the one form that they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.projects import Project, statement_hash
from pytest_comem.records.canonical import digest


def proofs_hash(proofs: Iterable[Proof]) -> str:
    """Return the SHA-256 that stands for proofs in their order."""
    return digest([one.as_json() for one in proofs])


def statement_record(
    project: Project, prover: str, theorem: str, module: str, statement: str
) -> dict[str, Any]:
    """Return what the analysis of a statement comes to."""
    return {
        "theorem": theorem,
        "module": module,
        "statement": statement,
        "statement_sha256": statement_hash(prover, statement),
        "project": project.commit,
        "prover": prover,
    }


def proof_receipt(
    project: Project, prover: str, own: Proof, lemmas: Sequence[Proof], axioms: Sequence[str]
) -> dict[str, Any]:
    """Return a proof with the proofs that it rests on."""
    return {
        **own.as_json(),
        "statement_sha256": statement_hash(prover, own.statement),
        "lemmas": [one.as_json() for one in lemmas],
        "axioms": sorted(axioms),
        "project": project.commit,
        "prover": prover,
    }


def axiom_report(
    project: Project, prover: str, axioms: Mapping[Proof, Sequence[str]], *, accepted: bool
) -> dict[str, Any]:
    """Return what an audit of proofs comes to."""
    reports = [
        {
            "theorem": one.theorem,
            "statement_sha256": statement_hash(prover, one.statement),
            "axioms": sorted(found),
        }
        for one, found in axioms.items()
    ]
    return {
        "reports": reports,
        "accepted": accepted,
        "project": project.commit,
        "prover": prover,
    }


def proof_bundle(
    project: Project, prover: str, proofs: Sequence[Proof], audited: Sequence[str]
) -> dict[str, Any]:
    """Return a whole development; its last proof is what it is for."""
    main = proofs[-1] if proofs else Proof("", "", "")
    return {
        "theorem": main.theorem,
        "statement_sha256": statement_hash(prover, main.statement),
        "proofs": [one.as_json() for one in proofs],
        "audited": sorted(audited),
        "project": project.commit,
        "prover": prover,
    }


def verification_receipt(
    project: Project,
    prover: str,
    proofs: Sequence[Proof],
    axioms: Sequence[str],
    toolchain: str,
    *,
    accepted: bool,
) -> dict[str, Any]:
    """Return what an independent check of a development comes to."""
    main = proofs[-1] if proofs else Proof("", "", "")
    return {
        "theorem": main.theorem,
        "statement_sha256": statement_hash(prover, main.statement),
        "verdict": "accepted" if accepted else "rejected",
        "axioms": sorted(axioms),
        "checked": [one.theorem for one in proofs],
        "proofs_sha256": proofs_hash(proofs),
        "project": project.commit,
        "toolchain": toolchain,
    }
