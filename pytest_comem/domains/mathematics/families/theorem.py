"""A theorem of the library as its author knows it: statement, words, lemmas, and a proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Lean:
    """The same theorem in Lean 4, over definitions of the same names; *proof* is tactics."""

    statement: str
    proof: str


@final
@dataclass(frozen=True, slots=True)
class Theorem:
    """One theorem.

    :param words: what it says in plain words; this is how a task asks for it.
    :param uses: the lemmas that its proof rests on.
    :param statement: in Coq.
    :param proof: in Coq, what stands between ``Proof.`` and ``Qed.``.
    :param axioms: that its own proof rests on, beside those of what it uses.
    :param draft: an earlier statement that was given up, with a proof of it.
    """

    name: str
    words: str
    statement: str
    proof: str
    uses: tuple[str, ...] = ()
    lean: Lean | None = None
    draft: tuple[str, str] | None = None
    axioms: tuple[str, ...] = ()
