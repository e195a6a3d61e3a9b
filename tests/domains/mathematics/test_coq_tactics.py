"""The scripts that the offline worker tries in Coq and in Lean."""

from __future__ import annotations

import pytest

from pytest_comem.domains.mathematics import coq_tactics, lean_tactics
from pytest_comem.domains.mathematics.families.library import LIBRARY
from pytest_comem.domains.mathematics.provers import coq_text, lean_text

THEOREMS = [(module, one) for module, found in LIBRARY.items() for one in found]


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("forall n : nat, n = n", ["n"]),
        ("forall (x y : nat) (l : list nat), x = y", ["l", "x", "y"]),
        ("forall a b c : list nat, a = b", ["a", "b", "c"]),
        ("0 = 0", []),
        ("forall", []),
        ("exists n : nat, n = n", []),
        ("forall (f : nat -> nat) (n : nat), f n = f n", ["f", "n"]),
    ],
)
def test_variables_are_those_of_the_first_quantifier(statement: str, names: list[str]) -> None:
    """Data before numbers, as inductions on data come first."""
    assert [name for name, _ in coq_tactics.variables(statement)] == names


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("∀ n : Nat, n = n", ["n"]),
        ("∀ a b : List Nat, a = b", ["a", "b"]),
        ("∀ (f : Nat → Nat) (l : List Nat), each f l = l", ["f", "l"]),
        ("1 = 1", []),
    ],
)
def test_variables_in_lean(statement: str, names: list[str]) -> None:
    """Grouped or not."""
    assert lean_tactics.variables(statement) == names


def test_scripts_are_proof_scripts_and_bounded() -> None:
    """None of them would be refused, whatever the statement is."""
    for _, one in THEOREMS:
        scripts = coq_tactics.alternatives(one.statement, one.uses, ["helper"])
        assert 0 < len(scripts) <= 120
        assert len(set(scripts)) == len(scripts)
        assert not [script for script in scripts if coq_text.script_problem(script)]
        if one.lean:
            terms = lean_tactics.alternatives(one.lean.statement, one.uses, ["helper"])
            assert 0 < len(terms) <= 60
            assert not [term for term in terms if lean_text.script_problem(term)]


def test_lemmas_are_used_by_their_names() -> None:
    """Forwards, backwards and applied."""
    text = " ".join(coq_tactics.alternatives("forall n : nat, n = n", ["helpful"], []))
    for use in ("rewrite helpful", "rewrite <- helpful", "apply helpful", "auto using helpful"):
        assert use in text


def test_a_statement_of_megabytes_is_looked_at_within_bounds() -> None:
    """Its head alone."""
    assert coq_tactics.variables("forall " + "x " * 2_000_000) == []
    assert coq_tactics.variables("forall (" * 500_000) == []
    assert lean_tactics.variables("∀ (" * 500_000) == []
