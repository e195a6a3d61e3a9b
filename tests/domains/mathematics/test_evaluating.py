"""The evaluator on outputs of every shape."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from mathematics_play import needs_coq
from shipped_families import shipped

from pytest_comem.domains.mathematics.kit import MathematicsKit
from pytest_comem.executors.domain import Judgement
from pytest_comem.workflows.artifacts import Artifact

pytestmark = needs_coq
ONE = shipped("math-list-reversal")


def judged(node_id: str, content: Any, inputs: dict[str, Artifact] | None = None) -> Judgement:
    """Judge a content as if it rested on gold, or on other artifacts of the same nodes."""
    gold = {**ONE.gold, **(inputs or {})}
    consumed = [gold[edge.source] for edge in ONE.family.inputs(node_id)]
    made = ONE.gold[node_id].model_copy(update={"content": content})
    with MathematicsKit().open(ONE.family, "w-1") as stand:
        return stand.evaluate(ONE.family.node(node_id), ONE.oracles.of(node_id), made, consumed)


def gold_of(node_id: str) -> Any:
    """Return a copy of a node's gold content."""
    return copy.deepcopy(ONE.gold[node_id].content)


def test_the_evidence_says_what_was_checked_with_what() -> None:
    """Theorem, statement's hash, project's commit, the toolchain that is here, axioms."""
    found = judged("main", gold_of("main"))
    assert found.passed
    assert found.evidence["theorem"] == "turn_turn"
    assert found.evidence["statement_sha256"] == gold_of("main")["statement_sha256"]
    assert found.evidence["project_commit"] == gold_of("main")["project"]
    assert str(found.evidence["toolchain"]).startswith("coq ")
    assert found.evidence["axioms"] == []


def test_another_proof_of_the_same_theorem_passes() -> None:
    """Scripts are nobody's to prescribe, and blanks of a statement are none of its words."""
    content = gold_of("nil")
    content["script"] = "intros l; induction l; simpl; congruence."
    content["statement"] = "forall l : list nat,\n  join l [] = l"
    assert judged("nil", content).passed


@pytest.mark.parametrize("node_id", [node.node_id for node in ONE.family.nodes])
@pytest.mark.parametrize("content", [None, True, 7, "x", [], {}, [[{}]], {"theorem": {}}])
def test_any_json_leads_to_a_judgement(node_id: str, content: Any) -> None:
    """None of it passes."""
    assert not judged(node_id, content).passed


def _fields() -> list[tuple[str, str]]:
    kinds = {one.output_type: one.node_id for one in ONE.family.nodes}
    return [(node, field) for node in kinds.values() for field in gold_of(node)]


@pytest.mark.parametrize(("node_id", "field"), _fields())
@pytest.mark.parametrize("value", [None, 7, "", [], {}, [None], [{"theorem": []}], "x" * 3_000])
def test_every_field_is_looked_at(node_id: str, field: str, value: Any) -> None:
    """Whatever stands in its place; empty lists are right where gold has one."""
    content = gold_of(node_id)
    if content[field] == value:
        return
    assert not judged(node_id, {**content, field: value}).passed


def test_a_list_without_a_bound_is_not_gone_through() -> None:
    """It is refused by its length."""
    content = {**gold_of("main"), "lemmas": [{}] * 100_000}
    assert judged("main", content).reason == "A list of it has more than 40 entries."


@pytest.mark.parametrize(
    ("node_id", "change", "said"),
    [
        ("main", {"script": "Admitted."}, "is a command, and only tactics are allowed"),
        ("main", {"script": "reflexivity."}, "it does not compile"),
        ("main", {"theorem": "turn_join"}, "it is about another theorem"),
        ("main", {"statement": "turn (turn []) = []"}, "is not the registered one"),
        ("main", {"statement_sha256": "0" * 64}, "is not the registered one"),
        ("main", {"project": "0" * 64}, "it is about another commit of the project"),
        ("main", {"prover": "lean"}, "it was not made with coq"),
        ("main", {"axioms": ["propext"]}, "the proofs rest on other axioms than it says"),
        ("main", {"lemmas": []}, "it lacks the proof of join_assoc, which it rests on"),
        ("say_main", {"module": "Trees"}, "it names another module"),
        ("axioms", {"accepted": False}, "it does not say that every proof was accepted"),
        ("axioms", {"reports": []}, "it does not report on the theorems"),
        ("all", {"audited": []}, "it leaves out a theorem whose axioms were audited"),
        ("check", {"verdict": "rejected"}, "its verdict is wrong"),
        ("check", {"proofs_sha256": "0" * 64}, "it is not about the proofs that it rests on"),
        ("check", {"checked": ["turn_turn"]}, "it does not name the theorems"),
        ("check", {"toolchain": "lean 4.0.0"}, "it was not made with coq"),
    ],
)
def test_what_is_wrong_is_named(node_id: str, change: dict[str, Any], said: str) -> None:
    """In the first sentence of the reason."""
    found = judged(node_id, {**gold_of(node_id), **change})
    assert not found.passed
    assert said in found.reason[0].lower() + found.reason[1:]


def test_an_axiom_beyond_the_familys_allowance_is_rejected() -> None:
    """Also where the receipt says it honestly."""
    content = gold_of("nil")
    script = content["script"]
    content["script"] = (
        f"destruct (Classical_Prop.classic (1 = 2)).\n{{ {script} }}\n{{ {script} }}"
    )
    content["axioms"] = ["Classical_Prop.classic"]
    found = judged("nil", content)
    assert found.reason == "It rests on an axiom that is not allowed: Classical_Prop.classic."


def test_lemmas_are_compiled_with_the_proof_that_rests_on_them() -> None:
    """A lemma whose proof breaks off spoils a proof that is right by itself."""
    content = gold_of("swap")
    content["lemmas"][0]["script"] = "induction l."
    assert "does not compile" in judged("swap", content).reason
    content = gold_of("swap")
    content["lemmas"][0]["statement"] = "join [] [] = []"
    assert "statement of join_nil is not the registered one" in judged("swap", content).reason


def test_reports_and_verdicts_are_held_against_the_proofs_that_they_rest_on() -> None:
    """What they say was right of other proofs is not right of these."""
    bundle = gold_of("all")
    bundle["proofs"][-1]["script"] = "reflexivity."
    broken = ONE.gold["all"].model_copy(update={"content": bundle})
    found = judged("check", gold_of("check"), {"all": broken})
    assert not found.passed
    proof = gold_of("main")
    proof["script"] = "reflexivity."
    changed = ONE.gold["main"].model_copy(update={"content": proof})
    assert not judged("axioms", gold_of("axioms"), {"main": changed}).passed


def test_terminal_controls_in_a_script_reach_no_terminal() -> None:
    """A compiler quotes what it does not understand."""
    content = {**gold_of("nil"), "script": "exact \x1b[31mred."}
    found = judged("nil", content)
    assert not found.passed
    assert "\x1b" not in found.reason
