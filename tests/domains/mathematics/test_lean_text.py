"""Proof scripts of Lean by their words."""

from __future__ import annotations

import pytest

from pytest_comem.domains.mathematics.families.library import LIBRARY
from pytest_comem.domains.mathematics.provers.lean_text import script_problem, without_comments

PROOFS = [one.lean.proof for found in LIBRARY.values() for one in found if one.lean]


@pytest.mark.parametrize(
    "script",
    ["rfl", "fun n => Eq.refl n", "by\n  simp -- axiom", "by /- sorry -/ omega", *PROOFS],
)
def test_terms_and_tactics_are_let_through(script: str) -> None:
    """With comments, whatever stands in them."""
    assert script_problem(script) is None


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("", "it has no term"),
        ("-- only this", "it has no term"),
        ("sorry", "sorry is not allowed"),
        ("by admit", "admit is not allowed"),
        ("sorryAx _", "sorryAx is not allowed"),
        ("rfl\naxiom x : False", "axiom is not allowed"),
        ("by native_decide", "native_decide is not allowed"),
        ("by run_tac pure ()", "run_tac is not allowed"),
        ("rfl\nnotation a => b", "notation is not allowed"),
        ("rfl\nmacro_rules | x => y", "macro_rules is not allowed"),
        ("rfl\n#print axioms x", "'#' is not allowed"),
        ("rfl\n@[simp] rfl", "'@[' is not allowed"),
        ("by set_option maxRecDepth 1 in rfl", "set_option is not allowed"),
        ("rfl\nend Comem", "end is not allowed"),
        ("rfl /- open", "does not end"),
        ('f "open', "does not end"),
        ("rfl " * 6_000, "more than 20,000 characters"),
    ],
)
def test_everything_that_is_no_plain_term_is_refused(script: str, said: str) -> None:
    """Commands, declarations, changes of syntax, programs, and what stops short of a proof."""
    assert said in (script_problem(script) or "")


def test_comments_and_strings_are_read_as_lean_reads_them() -> None:
    """Comments lie in each other; a backslash takes a quote out."""
    assert (without_comments("a /- b /- c -/ d -/ e") or "").split() == ["a", "e"]
    assert (without_comments('a "-- \\" b" c') or "").split() == ["a", "c"]
    assert without_comments("a -- b\nc") == "a \nc"
