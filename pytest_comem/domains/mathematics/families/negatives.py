"""Outputs that an evaluator has to reject, made from gold."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Final

from pytest_comem.domains.mathematics.families.gold import PROVER
from pytest_comem.domains.mathematics.families.theorem import Theorem
from pytest_comem.domains.mathematics.projects import statement_hash
from pytest_comem.records.canonical import canonical, texts_of
from pytest_comem.workflows.certification import SHORTEST_HIDDEN
from pytest_comem.workflows.hidden import NegativeMutation

_ADMITTED: Final = "admit.\nAdmitted.\nLemma {name}_later : True.\nProof.\nexact I."
_FORGED: Final = 'idtac "Closed under the global context". idtac "{name} is proved". give_up.'
_CLASSIC: Final = (
    "destruct (Classical_Prop.classic (1 = 2)) as [_ | _].\n{{ {script} }}\n{{ {script} }}"
)
_FAILING: Final = "intros. exact (eq_refl {number})."


def negatives_of(
    gold: Any, theorem: Theorem, rival: Any, inputs: int, all_texts: str, *, thorough: bool
) -> Iterator[NegativeMutation]:
    """Yield the mutations that apply to a node.

    :param rival: what a node of this kind makes in another family.
    :param inputs: how many inputs the node requires.
    :param all_texts: what the family's workers may read; a mutation may add nothing of it.
    :param thorough: whether to have those that only a compilation finds.
    """
    wrong = {"note": "nothing found"} if _tells(rival, gold, all_texts) else rival
    yield NegativeMutation(name="of-another-theorem", kind="wrong_artifact", content=wrong)
    for name, kind, content in _changed(gold, theorem, thorough):
        if canonical(content) != canonical(gold) and not _tells(content, gold, all_texts):
            yield NegativeMutation(name=name, kind=kind, content=content)
    if inputs:
        content = _without_a_handoff(copy.deepcopy(gold))
        yield NegativeMutation(name="missing-handoff", kind="missing_handoff", content=content)


def _tells(wrong: Any, own: Any, all_texts: str) -> bool:
    """Whether a mutation has a text that workers may read and the node's gold has not."""
    known = set(texts_of(own))
    long = (text for text in texts_of(wrong) if len(text) >= SHORTEST_HIDDEN)
    return any(text in all_texts for text in long if text not in known)


def _changed(gold: Any, theorem: Theorem, thorough: bool) -> Iterator[tuple[str, str, Any]]:
    if "statement" in gold:
        statement = f"({theorem.statement}) \\/ True"
        digest = statement_hash(PROVER, statement)
        changed = {"statement": statement, "statement_sha256": digest}
        if "script" in gold:
            changed["script"] = "right. exact I."
        yield "weaker-statement", "changed_statement", {**gold, **changed}
        told = {**gold, "statement": changed["statement"]}
        yield "statement-under-another-hash", "changed_statement", told
    if "script" in gold:
        scripts = {
            "admitted": ("admitted_proof", _ADMITTED.format(name=theorem.name)),
            "forged-message": ("forged_message", _FORGED.format(name=theorem.name)),
        }
        if thorough:
            scripts["classical"] = ("refused_axiom", _CLASSIC.format(script=theorem.proof))
            scripts["failing"] = ("failing_proof", _FAILING.format(number=len(theorem.proof)))
        for name, (kind, script) in scripts.items():
            yield name, kind, {**gold, "script": script}
    if "axioms" in gold:
        other = [*gold["axioms"], "Classical_Prop.classic"]
        yield "more-axioms", "refused_axiom", {**gold, "axioms": sorted(other)}
    if "verdict" in gold:
        yield "rejected", "edited_receipt", {**gold, "verdict": "rejected"}
        yield "other-proofs", "edited_receipt", {**gold, "proofs_sha256": "0" * 64}
    if "reports" in gold:
        yield "not-accepted", "edited_receipt", {**gold, "accepted": False}


def _without_a_handoff(content: Any) -> Any:
    """Return what a node makes that never got one of its inputs."""
    for field in ("lemmas", "reports", "audited", "checked"):
        if content.get(field):
            content[field] = content[field][1:]
            return content
    content["statement_sha256"] = "0" * 64
    return content
