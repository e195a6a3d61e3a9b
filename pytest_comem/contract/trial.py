"""One try of a promise: draws what happens, does it, and knows what the memory should hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from pytest_comem.contract.asking import SOMEBODY
from pytest_comem.contract.journal import (
    Broken,
    Claim,
    NothingRaised,
    Raised,
    RaisedUnknownEntry,
    Step,
)
from pytest_comem.contract.ledger import Memory, Written
from pytest_comem.contract.performer import Performer
from pytest_comem.contract.sentences import SUBJECTS, sentence, value_word
from pytest_comem.contract.telling import describe, shown

if TYPE_CHECKING:
    from pytest_comem.contract.faults import Faults
    from pytest_comem.memory.base import Capabilities
    from pytest_comem.memory.registry import SystemUnderTest

_Drawn = TypeVar("_Drawn")

#: An id that no memory has given out.
NEVER_STORED: Final = "5f0c1f6e-0d4e-4c59-9a55-3c2f7a1f9b10"


@final
class Trial:
    """One try of a promise on fresh memories.

    :param draw: Hypothesis' draw.
    :param case: the one of the promise's cases that is tried.
    """

    def __init__(
        self,
        system: SystemUnderTest,
        faults: Faults | None,
        draw: Callable[[Any], Any],
        case: Any = None,
    ) -> None:
        self.system = system
        self.case = case
        self._draw = draw
        self._performer = Performer(system, faults)
        self._steps: list[Step] = []
        self._entries = 0

    @property
    def capabilities(self) -> Capabilities:
        """What the system declares."""
        return self.system.capabilities

    @property
    def found(self) -> Sequence[Any]:
        """What was read last."""
        return self._performer.found

    def open(self, name: str = "m") -> Memory:
        """Open a fresh memory."""
        return Memory(self, name)

    def close(self) -> None:
        """Close and remove everything."""
        self._performer.close()

    def whole(self, at_least: int, at_most: int) -> int:
        """Draw a whole number; the least is the simplest."""
        from hypothesis import strategies

        # Not strategies.integers(), into which Hypothesis mixes constants of whatever modules
        # happen to be loaded: examples shall not depend on those.
        width = (at_most - at_least).bit_length()
        bits: tuple[bool, ...] = self._draw(strategies.tuples(*[strategies.booleans()] * width))
        number: int = sum(bit << place for place, bit in enumerate(reversed(bits)))
        return at_least + number % (at_most - at_least + 1)

    def one_of(self, choices: Sequence[_Drawn]) -> _Drawn:
        """Draw one of several; the first is the simplest.

        Nothing says that all are drawn: what must be is a case of the promise.
        """
        return choices[self.whole(0, len(choices) - 1)]

    def new_text(self, *, plain: bool = False) -> tuple[str, str]:
        """Draw a sentence, with a value word of its own.

        :param plain: draw nothing, where a promise is about something else.
        """
        self._entries += 1
        value = value_word(self._entries)
        return sentence(0 if plain else self.whole(0, len(SUBJECTS) - 1), value), value

    def new_entry(self, principal: str = SOMEBODY, *, plain: bool = False) -> Written:
        """Draw an entry."""
        text, value = self.new_text(plain=plain)
        return Written(f"e{self._entries}", text, value, principal)

    def again(self, entry: Written) -> Written:
        """Return an entry of its own that says the same."""
        self._entries += 1
        return replace(entry, id=f"e{self._entries}")

    def named(self, text: str, value: str = "") -> Written:
        """Return an entry of a given text."""
        self._entries += 1
        return Written(f"e{self._entries}", text, value or text)

    def do(self, step: Step) -> BaseException | None:
        """Perform a step and note it; returns what it raised where that is allowed.

        :raises Broken: where it raises and must not.
        """
        error = self._attempt(step)
        if error is None and step.may_raise:
            # It did not: whoever reads the steps need not think of it.
            self._steps[-1] = replace(step, may_raise=False)
        if error is not None and not step.may_raise:
            self._break(NothingRaised(), f"{step.call}() should not raise", describe(error))
        return error

    def must_raise(self, step: Step, *, expected: str, unknown_entry: bool = True) -> None:
        """Perform a step that has to raise.

        :param unknown_entry: and that, our error for an unknown id.
        """
        error = self._attempt(step)
        if error is None:
            self._break(Raised(), expected, "it returned as if all were well")
        elif unknown_entry and not RaisedUnknownEntry().holds([error], ()):
            self._break(RaisedUnknownEntry(), expected, f"it raised {describe(error)}")

    def check(self, claim: Claim, expected: str) -> None:
        """Check what was read last.

        :raises Broken: where the claim does not hold.
        """
        if not claim.holds(self.found, self._performer.before):
            self._break(claim, expected, f"{self._steps[-1].call}() returned {shown(self.found)}")

    def _attempt(self, step: Step) -> BaseException | None:
        self._steps.append(step)
        return self._performer.attempt(step)

    def _break(self, claim: Claim, expected: str, happened: str) -> None:
        raise Broken(self._steps, claim, expected=expected, happened=happened)
