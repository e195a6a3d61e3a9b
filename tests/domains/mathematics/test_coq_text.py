"""Proof scripts of Coq by their words."""

from __future__ import annotations

import pytest

from pytest_comem.domains.mathematics.families.library import LIBRARY
from pytest_comem.domains.mathematics.provers.coq_text import script_problem, without_comments

COMMAND = "is a command, and only tactics are allowed"


@pytest.mark.parametrize(
    "script",
    [
        "reflexivity.",
        "- auto.\n+ lia.\n* { easy. }",
        "1: auto. all: lia.",
        "(simpl; auto).",
        "[> auto | lia].",
        "(* Qed. Axiom a : False. *) auto.",
        'idtac "Qed. Admitted.".',
        "rewrite Nat.add_comm. exact (f x).",
        *(one.proof for found in LIBRARY.values() for one in found),
    ],
)
def test_tactics_are_let_through(script: str) -> None:
    """With bullets, braces, selectors, comments, strings and qualified names."""
    assert script_problem(script) is None


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("", "it has no tactic"),
        ("(* nothing *)", "it has no tactic"),
        ("auto", "does not end with a full stop"),
        ("auto. (* open", "does not end"),
        ('idtac "open.', "does not end"),
        ("Admitted.", COMMAND),
        ("auto. Qed. Axiom a : False. Lemma b : False. Proof. exact a.", COMMAND),
        ("auto.\n- Unset Guard Checking.\nauto.", COMMAND),
        ("{ Set Printing Width 3. }", COMMAND),
        ("1: Print Nat.", COMMAND),
        ("#[global] Hint Resolve a.", COMMAND),
        ("(* a *) Qed. (* b *)", COMMAND),
        ('auto. "x" Qed.', "command"),
        ("admit.", "admit is not allowed"),
        ("simpl; give_up.", "give_up is not allowed"),
        ("native_compute.", "native_compute is not allowed"),
        ("auto. " * 4_000, "more than 20,000 characters"),
    ],
)
def test_everything_else_is_refused(script: str, said: str) -> None:
    """Commands wherever they stand, tactics that leave a proof open, what does not end."""
    assert said in (script_problem(script) or "")


def test_comments_lie_in_each_other_and_strings_hide_them() -> None:
    """As Coq reads them."""
    assert (without_comments("a (* b (* c *) d *) e") or "").split() == ["a", "e"]
    assert (without_comments('a "(*" b') or "").split() == ["a", "b"]
    assert (without_comments("a (* b *) *)") or "").split() == ["a", "*)"]
    assert without_comments("(* (* *)") is None
