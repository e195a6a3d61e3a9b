"""One try of a promise: draws what happens, does it, and knows what the memory should hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

import pytest

from pytest_comem.contract.journal import (
    Broken,
    Call,
    Claim,
    Has,
    Lacks,
    NotApplicable,
    NothingRaised,
    OutOfOrder,
    Raised,
    RaisedUnknownEntry,
    Step,
)
from pytest_comem.contract.performer import MOMENT, SOMEBODY, Performer, describe
from pytest_comem.contract.sentences import SUBJECTS, sentence, value_word

if TYPE_CHECKING:
    from pytest_comem.contract.faults import Faults
    from pytest_comem.memory.base import Capabilities
    from pytest_comem.memory.registry import SystemUnderTest

_Drawn = TypeVar("_Drawn")
#: What may come out of a call and is no answer of the library's.
_NOT_THE_LIBRARY: Final = (
    KeyboardInterrupt,
    NotApplicable,
    OutOfOrder,
    pytest.exit.Exception,
    pytest.fail.Exception,
)

#: An id that no memory has given out.
NEVER_STORED: Final = "5f0c1f6e-0d4e-4c59-9a55-3c2f7a1f9b10"
#: Passages asked for beyond what is stored, and what one entry of a library that rewords may
#: become.
_ROOM: Final = 3
_PARTS: Final = 5


@final
@dataclass(frozen=True, slots=True)
class Written:
    """An entry that was written.

    :param id: entry id, and its variable in printed code.
    :param text: as it was written, or last updated.
    :param value: the word that tells it from every other entry.
    :param principal: who said it.
    """

    id: str
    text: str
    value: str
    principal: str = SOMEBODY


@final
class Memory:
    """A memory of a trial beside a plain list of what it should hold.

    :param name: in printed code.
    """

    def __init__(self, trial: Trial, name: str) -> None:
        self._trial = trial
        self.name = name
        self.held: dict[str, Written] = {}
        self.deleted: list[Written] = []
        self.replaced: list[Written] = []
        trial.do(Step(Call.OPEN, name))

    @property
    def room(self) -> int:
        """Passages to ask for so that everything held fits in."""
        size = len(self.held) + len(self.deleted) + len(self.replaced)
        return size + _ROOM if self._trial.capabilities.verbatim else size * _PARTS + _PARTS

    def write(
        self, entry: Written, *, may_refuse: bool = False, remember: bool = True
    ) -> Written | None:
        """Write an entry; ``None`` where the memory refused it and may.

        :param remember: note that it is held now.
        """
        values = {
            "id": entry.id,
            "text": entry.text,
            "principal": entry.principal,
            "timestamp": MOMENT,
        }
        step = Step(Call.INGEST, self.name, values, may_raise=may_refuse)
        if self._trial.do(step) is not None:
            return None
        if remember:
            self.held[entry.id] = entry
        return entry

    def delete(self, entry: Written) -> None:
        """Delete an entry that is held."""
        self._do(Call.DELETE, id=entry.id)
        self.deleted.append(self.held.pop(entry.id))

    def update(self, entry: Written, text: str, value: str) -> Written:
        """Replace the text of an entry that is held."""
        self._do(Call.UPDATE, id=entry.id, text=text)
        self.replaced.append(entry)
        self.held[entry.id] = fresh = replace(entry, text=text, value=value)
        return fresh

    def delete_principal(self, principal: str) -> None:
        """Delete everything of one principal."""
        self._do(Call.DELETE_PRINCIPAL, principal=principal)
        for entry in [entry for entry in self.held.values() if entry.principal == principal]:
            self.deleted.append(self.held.pop(entry.id))

    def reopen(self) -> None:
        """Close it and open it again on the same directory."""
        self._do(Call.REOPEN)

    def close(self) -> None:
        """Close it."""
        self._do(Call.CLOSE)

    def recall(self, text: str, k: int | None = None) -> Sequence[str]:
        """Return what is recalled by *text*; room for everything unless *k* is given."""
        return self._read(Call.RECALL, query=query_of(text), k=k or self.room)

    def recall_of(self, principal: str, text: str, k: int | None = None) -> Sequence[str]:
        """Return what is recalled of one principal's part."""
        values = {"principal": principal, "query": query_of(text), "k": k or self.room}
        return self._read(Call.RECALL_OF, **values)

    def entries(self) -> Sequence[str]:
        """Return what is listed."""
        return self._read(Call.ENTRIES)

    def read(self, call: Call, **values: Any) -> Sequence[Any]:
        """Return what another reading call reads."""
        return self._read(call, **values)

    def must(self, claim: Claim, expected: str) -> None:
        """Check what was read last."""
        self._trial.check(claim, expected)

    def must_recall(self, entry: Written) -> None:
        """An entry is recalled by its own words."""
        self.recall(entry.text)
        self.must(Has(entry.value), f"{entry.value!r} should be recalled by the words of its entry")

    def must_not_reveal(self, entry: Written) -> None:
        """An entry that is gone is found in no way of reading there is."""
        if any(entry.value == other.value for other in self.held.values()):
            return
        expected = f"{entry.value!r} should be gone"
        for _ in self._every_way_to_find(entry):
            self.must(Lacks(entry.value), expected)

    def must_report(self, call: Call, **values: Any) -> None:
        """A call about an id that was never stored, or no longer is, raises."""
        step = Step(call, self.name, values, may_raise=True)
        expected = f"{call}() of an unknown id should raise UnknownEntryError"
        self._trial.must_raise(step, expected=expected)

    def keep(self) -> None:
        """Set aside what was read last, to compare with."""
        self._do(Call.KEEP)

    def _every_way_to_find(self, entry: Written) -> Iterator[Sequence[str]]:
        capabilities = self._trial.capabilities
        yield self.recall(entry.text)
        if capabilities.principals:
            # A principal of whom nothing is left may be unknown now.
            left = any(other.principal == entry.principal for other in self.held.values())
            values = {"principal": entry.principal, "query": entry.text, "k": self.room}
            self._trial.do(Step(Call.RECALL_OF, self.name, values, may_raise=not left))
            yield self._trial.found
        if capabilities.lists:
            yield self.entries()

    def _do(self, call: Call, **values: Any) -> None:
        self._trial.do(Step(call, self.name, values))

    def _read(self, call: Call, **values: Any) -> Sequence[Any]:
        self._trial.do(Step(call, self.name, values))
        return self._trial.found


@final
class Trial:
    """One try of a promise on fresh memories.

    :param draw: Hypothesis' draw.
    """

    def __init__(
        self, system: SystemUnderTest, faults: Faults | None, draw: Callable[[Any], Any]
    ) -> None:
        self.system = system
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
        """Draw one of several; the first is the simplest."""
        return choices[self.whole(0, len(choices) - 1)]

    def new_text(self, *, plain: bool = False) -> tuple[str, str]:
        """Draw a sentence, with a value word of its own.

        :param plain: draw nothing, where a promise is about something else and that few things to
            draw are all tried.
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
        try:
            self._performer.perform(step)
        except _NOT_THE_LIBRARY:
            raise
        except BaseException as error:
            return error
        return None

    def _break(self, claim: Claim, expected: str, happened: str) -> None:
        raise Broken(self._steps, claim, expected=expected, happened=happened)


def query_of(text: str) -> str:
    """Return a text's own words, as many as one asks with."""
    return text[:200]


def shown(found: Sequence[Any]) -> str:
    """Return what was read, short."""
    text = ", ".join(repr(one)[:120] for one in found[:5])
    more = f", ... {len(found)} in all" if len(found) > 5 else ""
    return f"[{text}{more}]"
