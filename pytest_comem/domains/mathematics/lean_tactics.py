"""Proof scripts that the offline worker tries on a statement in Lean 4, the cheapest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_VARIABLES: Final = 5
_MOST: Final = 60
_GROUP: Final = re.compile(r"\(([\w'\s]+):([^()]+)\)")
_PLAIN: Final = re.compile(r"∀\s+([\w'\s]+):")


def variables(statement: str) -> list[str]:
    """Return the names that a statement's first quantifier binds, at most five."""
    head = statement.strip()[:2_000].partition(",")[0]
    if not head.startswith("∀"):
        return []
    groups = _GROUP.findall(head) or [(names, "") for names in _PLAIN.findall(head)]
    return [name for names, _ in groups for name in names.split()][:_VARIABLES]


def alternatives(
    statement: str, lemmas: Sequence[str], definitions: Sequence[str]
) -> tuple[str, ...]:
    """Return terms to try, in order.

    :param lemmas: names of what was proved before.
    :param definitions: names of the module's functions.
    """
    names = variables(statement)
    return tuple(_scripts(names, list(lemmas), list(definitions)))[:_MOST]


def _scripts(names: Sequence[str], lemmas: list[str], definitions: list[str]) -> Iterator[str]:
    known = ", ".join([*definitions, *lemmas])
    rewriting = f"simp_all [{known}]" if known else "simp_all"
    yield "fun _ => rfl"
    for start in _starts(names):
        yield f"by\n  {start}{rewriting}"
        yield f"by\n  {start}(try {rewriting}) <;> omega"
        yield f"by\n  {start}(try simp only [{known}] at *) <;> omega"
        yield f"by\n  {start}(try simp only [{known}, Nat.mul_add, Nat.add_mul] at *) <;> omega"
    if lemmas:
        intro = f"intro {' '.join(names)}\n  " if names else ""
        forward = ", ".join(lemmas)
        yield f"by\n  {intro}rw [{forward}]"
        yield f"by\n  {intro}constructor <;> simp [{forward}]"
        yield f"by\n  {intro}rw [← {lemmas[0]}]\n  simp [{forward}]"


def _starts(names: Sequence[str]) -> Iterator[str]:
    yield "intros\n  "
    for place, name in enumerate(names):
        before, behind = " ".join(names[: place + 1]), names[place + 1 :]
        yield f"intro {before}\n  induction {name} <;> intros <;> "
        if behind:
            yield f"intro {before}\n  induction {name} <;> intro {' '.join(behind)} <;> "
