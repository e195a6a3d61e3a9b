"""What a promise is: a sentence, the capabilities it is tied to, and a function that tries it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from pytest_comem.contract.trial import Trial
from pytest_comem.memory.base import Capabilities

#: Examples a promise is tried on; each opens a fresh memory.
EXAMPLES: Final = 25


@final
@dataclass(frozen=True, slots=True)
class Promise:
    """One promise.

    :param name: of its function; the test is called ``test_<name>``.
    :param statement: the promise as a sentence.
    :param needs: capability without which it says nothing, or empty.
    :param examples: at most so many, where more would say no more.
    :param cases: what it is tried on one by one, the simplest first; none is left out where there
        are examples enough, and what examples are left go to the first.
    :param breaks: the part that is made to fail: ``embedder``, ``model``, or nothing.
    :param for_all: it supposes that whoever asks may see everything.
    :param attempt: tries it once.
    """

    name: str
    statement: str
    needs: str
    examples: int
    cases: Sequence[Any]
    breaks: str
    for_all: bool
    attempt: Callable[[Trial], None]

    def objection(self, system: str, capabilities: Capabilities) -> str | None:
        """Return why the promise says nothing about a system, or ``None``."""
        if capabilities.reference:
            return f"{system} sees the hidden annotations: a reference, no memory"
        if self.needs and not getattr(capabilities, self.needs):
            return f"{system} does not declare {self.needs}"
        if self.for_all and capabilities.governs_access:
            return f"{system} decides itself what a requester may see"
        return None


def promise(
    *,
    needs: str = "",
    examples: int | None = None,
    cases: Sequence[Any] = (),
    breaks: str = "",
    for_all: bool = True,
) -> Callable[[Callable[[Trial], None]], Promise]:
    """Make a promise of a function that tries it; its docstring's first line is the statement.

    :param examples: as many as there are cases, or :data:`EXAMPLES`, when not given.
    """
    number = examples or len(cases) or EXAMPLES

    def made(attempt: Callable[[Trial], None]) -> Promise:
        statement = (attempt.__doc__ or "").strip().partition("\n")[0]
        name = attempt.__name__
        return Promise(name, statement, needs, number, cases or (None,), breaks, for_all, attempt)

    return made
