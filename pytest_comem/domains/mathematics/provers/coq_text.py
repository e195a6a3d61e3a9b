"""Proof scripts of Coq by their words: what is a tactic and what is a command.

In a proof, tactics begin with a small letter and commands of the vernacular with a capital or with
an attribute, so that nothing else may stand at the beginning of a sentence. This is the first
barrier; the second compilation does not rely on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_comem.domains.mathematics.provers.base import MAX_SCRIPT

#: What may stand before a tactic: bullets, braces, and the goals that it is for.
_LEAD: Final = re.compile(r"(?:[-+*{}\s]|(?:all|par|!|\d{1,4}):)*")
_TACTIC: Final = re.compile(r"[a-z(\[>]")
_WORD: Final = re.compile(r"[A-Za-z_][\w']{0,80}")
#: Tactics that leave a proof open, or need a compiler.
_REFUSED: Final = frozenset({"admit", "give_up", "native_compute", "native_cast_no_check"})


def script_problem(script: str) -> str | None:
    """Return why a text is no sequence of tactics; ``None`` where it may be one."""
    if len(script) > MAX_SCRIPT:
        return f"it has more than {MAX_SCRIPT:,} characters"
    plain = without_comments(script)
    if plain is None:
        return "a comment or a string in it does not end"
    *sentences, rest = _sentences(plain)
    if _LEAD.sub("", rest, count=1).strip():
        return "its last sentence does not end with a full stop"
    if not sentences:
        return "it has no tactic"
    for sentence in sentences:
        told = sentence[_LEAD.match(sentence).end() :]  # type: ignore[union-attr]
        if not _TACTIC.match(told):
            return f"{told[:40]!r} is a command, and only tactics are allowed"
    used = _REFUSED.intersection(_WORD.findall(plain))
    return f"{min(used)} is not allowed" if used else None


def without_comments(script: str) -> str | None:
    """Return a text with each comment and string as a blank; ``None`` where one does not end."""
    kept: list[str] = []
    depth, position, in_string = 0, 0, False
    while position < len(script):
        two, one = script[position : position + 2], script[position]
        if in_string:
            in_string = one != '"'
            position += 1
        elif one == '"':
            in_string = True
            kept.append(" ")
            position += 1
        elif two == "(*":
            depth += 1
            position += 2
        elif two == "*)" and depth:
            depth -= 1
            kept.append(" ")
            position += 2
        else:
            kept.append("" if depth else one)
            position += 1
    return None if depth or in_string else "".join(kept)


def _sentences(plain: str) -> Iterator[str]:
    """Yield what ends with a full stop before a blank, without it, and then the rest."""
    yield from re.split(r"\.+(?=\s|$)", plain)
