"""Proof scripts of Lean by their words: a script is one term, often ``by`` and its tactics.

Lean lets a file change its own syntax and run programs while it is compiled, and what a compiled
file declares of this is in force wherever it is imported. So a script may hold no word that begins
a command, declares anything, or leaves the kernel out. This barrier matters more than Coq's.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_comem.domains.mathematics.provers.base import MAX_SCRIPT

_WORD: Final = re.compile(r"[^\W\d][\w']{0,80}")
#: Commands, modifiers, and what runs programs or stops short of a proof.
_REFUSED_TEXT: Final = (
    "abbrev add_decl_doc admit attribute axiom builtin_initialize by_elab class "
    "constant declare_syntax_cat decreasing_by def deriving elab elab_rules end eval "
    "evalTac example export extern implemented_by import inductive infix infixl "
    "infixr init_quot initialize instance lemma local macro macro_rules mutual "
    "namespace native_decide nativeDecide noncomputable nonrec notation omit opaque "
    "open partial postfix prefix prelude private protected public "
    "register_builtin_option register_option reserve run_cmd run_elab run_meta "
    "run_tac scoped section seal set_option simproc sorry sorryAx stop structure "
    "syntax termination_by theorem universe unsafe unseal unsafeCast variable "
)
REFUSED: Final = frozenset(_REFUSED_TEXT.split())


def script_problem(script: str) -> str | None:
    """Return why a text is no plain proof term; ``None`` where it may be one."""
    if len(script) > MAX_SCRIPT:
        return f"it has more than {MAX_SCRIPT:,} characters"
    plain = without_comments(script)
    if plain is None:
        return "a comment or a string in it does not end"
    if not plain.strip():
        return "it has no term"
    for mark in ("#", "@[", "«", "`", "%"):
        if mark in plain:
            return f"{mark!r} is not allowed"
    used = REFUSED.intersection(_WORD.findall(plain))
    if used:
        return f"{min(used)} is not allowed"
    return None


def without_comments(script: str) -> str | None:
    """Return a text with each comment and string as a blank; ``None`` where one does not end."""
    kept: list[str] = []
    position, depth = 0, 0
    while position < len(script):
        two = script[position : position + 2]
        if two == "/-":
            depth += 1
            position += 2
        elif two == "-/" and depth:
            depth -= 1
            kept.append(" ")
            position += 2
        elif depth:
            position += 1
        elif two == "--":
            end = script.find("\n", position)
            position = len(script) if end < 0 else end
        elif two[0] == '"':
            end = _string_end(script, position + 1)
            if end < 0:
                return None
            kept.append(" ")
            position = end
        else:
            kept.append(two[0])
            position += 1
    return None if depth else "".join(kept)


def _string_end(script: str, position: int) -> int:
    """Return where a string ends, or -1."""
    while position < len(script):
        if script[position] == "\\":
            position += 2
        elif script[position] == '"':
            return position + 1
        else:
            position += 1
    return -1
