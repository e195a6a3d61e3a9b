"""Content that looks like another and is wrong, made without knowing what it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from pytest_comem.records.canonical import canonical, texts_of


def altered(content: Any, rng: Random) -> Any | None:
    """Return *content* of the same form with other values, or ``None`` where there are none.

    Numbers grow by 1 to 9 and digits in texts are turned to others. Where there is neither, the
    words of the longest text stand in another order, or truth values are turned round.
    """
    for change in (_digits, _words, _truths):
        found = change(content, rng)
        if canonical(found) != canonical(content):
            return found
    return None


def _digits(value: Any, rng: Random) -> Any:
    if isinstance(value, dict):
        return {key: _digits(each, rng) for key, each in value.items()}
    if isinstance(value, list):
        return [_digits(each, rng) for each in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value + rng.randint(1, 9)
    if isinstance(value, str):
        shift = rng.randint(1, 9)
        return "".join(str((int(one) + shift) % 10) if one in _DIGITS else one for one in value)
    return value


_DIGITS: Final = frozenset("0123456789")
#: Runs of letters: what stands between them stays where it is.
_WORD: Final = re.compile(r"[^\W_]+")


def _words(content: Any, rng: Random) -> Any:
    texts = sorted(set(texts_of(content)), key=lambda text: (-len(text), text))
    for text in texts:
        words = _WORD.findall(text)
        if len(set(words)) > 1:
            turn = rng.randrange(1, len(words))
            turned = _with_words(text, [*words[turn:], *words[:turn]])
            if turned != text:
                return replaced(content, text, turned)
    return content


def _with_words(text: str, words: Sequence[str]) -> str:
    others = iter(words)
    return _WORD.sub(lambda _: next(others), text)


def _truths(value: Any, rng: Random) -> Any:
    if isinstance(value, dict):
        return {key: _truths(each, rng) for key, each in value.items()}
    if isinstance(value, list):
        return [_truths(each, rng) for each in value]
    return not value if isinstance(value, bool) else value


def replaced(value: Any, old: str, new: str) -> Any:
    """Return a JSON value with *old* exchanged for *new* in every text, names of fields kept."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {key: replaced(each, old, new) for key, each in value.items()}
    if isinstance(value, list):
        return [replaced(each, old, new) for each in value]
    return value
