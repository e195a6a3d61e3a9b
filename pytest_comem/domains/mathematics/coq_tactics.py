"""Proof scripts that the offline worker tries on a statement in Coq, the cheapest first.

Each is one tactic made of three parts: how it starts (an induction, a distinction of cases), what
it rewrites with (definitions, lemmas that were handed over, hypotheses), and how it ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

#: Most variables of a statement that are tried, and most scripts in all.
_VARIABLES: Final = 5
_MOST: Final = 120
_QUANTIFIED: Final = re.compile(r"forall\s+((?:\([^()]{1,200}\)\s*)+|[\w'\s]{1,200}:[^,]{1,200}),")
_GROUP: Final = re.compile(r"\(?([\w'\s]+):([^()]+)")

_BASIC: Final = "simpl in *; subst; auto; try congruence; try lia"
_BOOLEANS: Final = "rewrite ?andb_true_iff, ?Nat.leb_le, ?Nat.ltb_lt, ?Nat.leb_gt, ?Nat.ltb_ge in *"
_HYPOTHESIS: Final = "match goal with H : _ |- _ => rewrite H by auto end"
#: What a goal distinguishes: tests, constructors, and truth values that are no variables.
_CASES: Final = (
    "do 4 (simpl in *; try match goal with "
    "|- context [match ?x with _ => _ end] => first [is_var x; destruct x | destruct x eqn:?] "
    "| H : context [if ?x then _ else _] |- _ => destruct x eqn:? "
    "| |- context [fst ?x] => is_var x; destruct x end)"
)
_TRUTHS: Final = (
    "do 3 (try match goal with |- context [?f ?x] => match type of (f x) with bool => "
    "lazymatch f with negb => fail | andb _ => fail | orb _ => fail | eqb _ => fail "
    "| _ => destruct (f x) end end end)"
)


def variables(statement: str) -> list[tuple[str, str]]:
    """Return the names that a statement's first quantifier binds, with their types; at most five.

    Where one has another type than numbers, numbers come last.
    """
    found = _QUANTIFIED.match(statement.strip()[:2_000])
    if found is None:
        return []
    named = [
        (name, kind.strip()) for names, kind in _GROUP.findall(found[1]) for name in names.split()
    ]
    return sorted(named[:_VARIABLES], key=lambda each: each[1] == "nat")


def alternatives(
    statement: str, lemmas: Sequence[str], definitions: Sequence[str]
) -> tuple[str, ...]:
    """Return scripts to try, in order.

    :param lemmas: names of what was proved before.
    :param definitions: names of the module's definitions without recursion.
    """
    bound = variables(statement)
    names = [name for name, _ in bound]
    used = [name for name in definitions if re.search(rf"\b{name}\b", statement)]
    unfolds = ["", f"simpl in *; unfold {', '.join(definitions)} in *; intros; "] if used else [""]
    scripts = [
        f"{start}; {unfold}{end}."
        for end in _ends(names, lemmas)
        for start in _starts(bound)
        for unfold in unfolds
    ]
    return tuple(dict.fromkeys(scripts))[:_MOST]


def _starts(bound: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield how a proof begins: with inductions on data rather than on numbers, where there is."""
    yield "intros"
    inductive = [(name, kind) for name, kind in bound if "->" not in kind]
    data = [(name, kind) for name, kind in inductive if kind != "nat"] or inductive
    for name, _ in data:
        yield f"induction {name}; intros"
    if len(data) > 1:
        yield f"induction {data[0][0]}; destruct {data[1][0]}; intros"


def _ends(names: Sequence[str], lemmas: Sequence[str]) -> Iterator[str]:
    rewriting = [*(f"rewrite {name} by auto" for name in lemmas), _HYPOTHESIS]
    forward = f"do 6 (try first [{' | '.join(rewriting)}]; simpl in *)"
    yield _BASIC
    yield f"simpl in *; {forward}; {_BASIC}"
    if lemmas:
        using = ", ".join(lemmas)
        using = ", ".join(lemmas)
        closing = f"auto using {using}; try congruence; lia"
        yield f"repeat split; intros; {closing}"
        yield f"{forward}; {closing}"
        applied = " | ".join(f"apply {name}; auto; lia" for name in lemmas)
        yield f"repeat split; intros; {forward}; solve [{applied} | {_BASIC}]"
        backward = " | ".join(f"rewrite <- {name}" for name in lemmas)
        yield f"{forward}; try first [{backward}]; {closing}"
        yield f"first [{backward}]; {forward}; {closing}"
        yield f"{_CASES}; {closing}"
    yield f"simpl in *; try f_equal; auto; {forward}; {_TRUTHS}; auto"
    yield f"{_CASES}; {forward}; {_BASIC}"
    intuition = "intuition (auto with arith; try congruence; lia)"
    yield f"simpl in *; {_BOOLEANS}; {_CASES}; {_BOOLEANS}; {intuition}"
    posed = "".join(f"try pose proof ({one} {each}); " for one in lemmas for each in names[:2])
    yield f"{posed}simpl in *; {forward}; nia"
