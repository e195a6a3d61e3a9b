"""How a wrong name is answered: with the nearest right ones."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence that names the nearest of *known*, or all of them."""
    import difflib

    choices = sorted(known)
    same = [choice for choice in choices if choice.casefold() == name.casefold()]
    near = same or difflib.get_close_matches(name, choices, n=3, cutoff=0.5)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"choose from {', '.join(choices)}."
