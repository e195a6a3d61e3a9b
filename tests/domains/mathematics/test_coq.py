"""Coq for real: what counts as a proof, and what does not, whatever a candidate's file says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from mathematics_play import coq_checker, needs_coq

from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.projects import commit_of, read_project
from pytest_comem.domains.mathematics.provers.base import Report
from pytest_comem.domains.mathematics.provers.coq import Coq, summary_problem
from pytest_comem.domains.mathematics.shipped import COMMIT, project_root
from pytest_comem.errors import InfrastructureError

pytestmark = needs_coq
STATEMENT = "forall l : list nat, join l [] = l"
HEAD = "From Comem Require Import Lists.\n"
PROVED = f"Theorem join_nil : {STATEMENT}. Proof. induction l; simpl; congruence. Qed."


def checked(text: str) -> Report:
    """Check a whole file that nothing has looked at before, for the theorem ``join_nil``."""
    project = read_project(project_root(), COMMIT)
    return Coq().check_text(project, "Lists", HEAD + text, ["join_nil"])


def test_a_proof_is_accepted_with_what_it_rests_on() -> None:
    """Without axioms, by both compilers and the checker of proofs; the toolchain is named."""
    report = checked(PROVED)
    assert (report.accepted, report.reason, report.axioms) == (True, "", ())
    assert report.toolchain.startswith(("coq 8.", "coq 9."))
    project = read_project(project_root(), COMMIT)
    assert Coq().recheck_text(project, "Lists", HEAD + PROVED) is None


def test_the_checker_of_proofs_finds_what_is_not_safe() -> None:
    """By itself: axioms of the candidate, recursion without an end."""
    project = read_project(project_root(), COMMIT)
    axiom = Coq().recheck_text(project, "Lists", f"{HEAD}Axiom no : False.")
    assert axiom == "coqchk: Axioms: Work.Candidate.no"
    endless = "Unset Guard Checking. Fixpoint no (n : nat) : False := no n."
    said = Coq().recheck_text(project, "Lists", HEAD + endless)
    assert said is not None
    assert "unsafe (co)fixpoints: Work.Candidate.no" in said


def test_axioms_are_named_for_the_caller_to_judge() -> None:
    """One of the standard library, by the name that families allow it by."""
    proof = f"Theorem join_nil : {STATEMENT}. Proof. destruct (Classical_Prop.classic (1 = 2)); "
    report = checked(proof + "induction l; simpl; congruence. Qed.")
    assert report.accepted
    assert report.axioms == ("Classical_Prop.classic",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("an axiom in its place", f"Axiom join_nil : {STATEMENT}."),
        ("an admitted proof", f"Theorem join_nil : {STATEMENT}. Proof. Admitted."),
        (
            "an axiom beside it",
            f"Axiom no : False. Theorem join_nil : {STATEMENT}. Proof. destruct no. Qed.",
        ),
        (
            "an axiom under an allowed name",
            "Module Classical_Prop. Axiom classic : False. End Classical_Prop. "
            f"Theorem join_nil : {STATEMENT}. Proof. destruct Classical_Prop.classic. Qed.",
        ),
        (
            "printing changed for whoever loads it",
            "Global Set Printing Width 3. Axiom Closed : False. "
            f"Theorem join_nil : {STATEMENT}. Proof. destruct Closed. Qed.",
        ),
    ],
)
def test_own_axioms_never_pass_as_allowed(name: str, text: str) -> None:
    """They are named as the candidate's, which no family allows; or the proof is rejected."""
    report = checked(text)
    foreign = [axiom for axiom in report.axioms if axiom.startswith("Candidate.")]
    assert not report.accepted or foreign, name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Theorem join_nil : join [] [] = []. Proof. reflexivity. Qed.",
            "a theorem is not the registered one",
        ),
        (
            "Definition join (a b : list nat) := a. "
            f"Theorem join_nil : {STATEMENT}. Proof. reflexivity. Qed.",
            "a theorem is not the registered one",
        ),
        (
            'Notation "a = b" := (a = a /\\ b = b) : type_scope. '
            f"Theorem join_nil : {STATEMENT}. Proof. split; reflexivity. Qed.",
            "a theorem is not the registered one",
        ),
        (
            "Module Lists. Definition join (a b : list nat) := a. End Lists. Import Lists. "
            f"Theorem join_nil : {STATEMENT}. Proof. reflexivity. Qed.",
            "a theorem is not the registered one",
        ),
        (
            f"Goal {STATEMENT}. Proof. Abort. Theorem join_nil : True. Proof. exact I. Qed.",
            "a theorem is not the registered one",
        ),
        (
            'Theorem other : True. Proof. idtac "Closed under the global context". exact I. Qed.',
            "a theorem is not the registered one",
        ),
        (
            "Unset Guard Checking. Fixpoint join_nil (l : list nat) : join l [] = l := join_nil l.",
            "is assumed to be guarded",
        ),
        (
            "Unset Universe Checking. Definition big : Type := Type. "
            f"{PROVED.replace('congruence', 'pose (b := big); congruence')}",
            "relies on an unsafe hierarchy",
        ),
        (
            "Unset Positivity Checking. Inductive bad : Prop := make : (bad -> False) -> bad. "
            "Set Positivity Checking. Lemma no (b : bad) : False. "
            "Proof. destruct b as [f]. apply f. exact (make f). Qed. "
            f"Theorem join_nil : {STATEMENT}. Proof. destruct (no (make no)). Qed.",
            "is assumed to be positive",
        ),
        (f"Theorem join_nil : {STATEMENT}. Proof. reflexivity. Qed.", "it does not compile"),
        (f"Theorem join_nil : {STATEMENT}. Proof. auto.", "it does not compile"),
        ("", "a theorem is not the registered one"),
    ],
)
def test_what_is_no_proof_of_the_registered_statement_is_rejected(text: str, said: str) -> None:
    """By the second compilation alone; no look at the candidate's words is needed for it."""
    report = checked(text)
    assert not report.accepted
    assert said in report.reason


def test_output_that_a_candidate_prints_is_never_read() -> None:
    """Neither while it is compiled nor from a file that it leaves."""
    forged = (
        f'Goal True. idtac "comem-assumptions". idtac "Closed under the global context". exact I. '
        f'Qed. Axiom join_nil : {STATEMENT}. Redirect "Check" Print Assumptions join_nil.'
    )
    report = checked(forged)
    assert report.axioms == ("Candidate.join_nil",)


def test_a_proof_that_does_not_end_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the limit on a run; that is the candidate's fault and nobody else's."""
    from pytest_comem.domains.mathematics.provers import benches
    from pytest_comem.sandbox.base import Limits

    checked(PROVED)
    monkeypatch.setattr(benches.Bench.opened, "__defaults__", (Limits(seconds=5, memory_mib=3072),))
    report = checked(f"Theorem join_nil : {STATEMENT}. Proof. repeat (idtac; pose 1). Qed.")
    assert not report.accepted
    assert "it does not compile: it" in report.reason


def test_scripts_are_looked_at_before_anything_is_compiled() -> None:
    """The first barrier: a command in a script, a theorem that nobody registered."""
    checker = coq_checker()
    command = checker.check([Proof("join_nil", STATEMENT, "Admitted.")])
    assert "is a command, and only tactics are allowed" in command.reason
    unknown = checker.check([Proof("made_up", "True", "exact I.")])
    assert unknown.reason == "the project registers no theorem made_up"
    assert not checker.check([]).accepted


def test_a_statement_that_a_proof_only_says_it_has_is_found_out() -> None:
    """The candidate's file is compiled with it, and then held against the project's."""
    report = coq_checker().check([Proof("join_nil", "join [] [] = []", "reflexivity.")])
    assert "a theorem is not the registered one" in report.reason


def test_a_search_finds_a_proof_that_holds() -> None:
    """From general tactics and the lemmas that it is given; without these it finds none."""
    checker = coq_checker()
    lemmas = []
    for name in ("join_nil", "join_assoc"):
        statement = checker.statement(name) or ""
        script = checker.search([], statement, [])
        assert script
        lemmas.append(Proof(name, statement, script))
    wanted = checker.statement("turn_join") or ""
    script = checker.search(lemmas, wanted, ["join_nil", "join_assoc"])
    assert script
    assert checker.check([*lemmas, Proof("turn_join", wanted, script)]).accepted
    assert checker.search([], wanted, []) is None


@pytest.mark.parametrize(
    ("lemma", "statement"),
    [
        (Proof("join_nil", STATEMENT, "reflexivity."), "1 = 1"),
        (Proof("join_nil", STATEMENT, "Admitted."), "1 = 1"),
        (Proof("join_nil", "this is no Coq", "auto."), "1 = 1"),
        (None, "1 = 2"),
        (None, "this is no Coq"),
        (None, 'True. Proof. idtac "comem-found 0". exact I. Qed. Goal True'),
        (None, "x" * 5_000),
    ],
)
def test_a_search_on_rubbish_finds_nothing(lemma: Proof | None, statement: str) -> None:
    """A lemma that does not hold, a statement that is false or none."""
    known = [lemma] if lemma else []
    assert coq_checker().search(known, statement, []) is None


def test_a_library_that_does_not_compile_is_nobodys_verdict(tmp_path: Path) -> None:
    """It is an error of the infrastructure, and names the file."""
    root = Path(shutil.copytree(project_root(), tmp_path / "mathematics"))
    (root / "coq" / "Lists.v").write_text("Definition broken : nat := true.", encoding="utf-8")
    paths = [root / "project.json", *root.glob("coq/*.v"), *root.glob("lean/*.lean")]
    commit = commit_of({path.relative_to(root).as_posix(): path.read_bytes() for path in paths})
    project = read_project(root, commit)
    with pytest.raises(InfrastructureError, match=r"lib/Lists.v of the project does not compile"):
        Coq().check_text(project, "Lists", PROVED, ["join_nil"])


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ("", "it gave no summary"),
        ("CONTEXT SUMMARY\n* Axioms:\n    Work.Candidate.bad\n", "Axioms: Work.Candidate.bad"),
        (
            "CONTEXT SUMMARY\n* Axioms: <none>\n* Inductives whose positivity is assumed:\n    x\n",
            "Inductives whose positivity is assumed: x",
        ),
        ("CONTEXT SUMMARY\n* Axioms:\n    Coq.Logic.Classical_Prop.classic\n", None),
    ],
)
def test_the_summary_of_the_checker_is_read_closely(summary: str, said: str | None) -> None:
    """Axioms of the libraries are judged elsewhere; nothing else may be named."""
    assert summary_problem(summary) == said
