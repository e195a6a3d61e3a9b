"""A memory of a trial beside a plain list of what it should hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, final

from pytest_comem.contract.asking import MOMENT, SOMEBODY
from pytest_comem.contract.journal import Call, Claim, Has, Lacks, Step

if TYPE_CHECKING:
    from pytest_comem.contract.trial import Trial

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
        return self._read(Call.RECALL, query=own_words(text), k=k or self.room)

    def recall_of(self, principal: str, text: str, k: int | None = None) -> Sequence[str]:
        """Return what is recalled of one principal's part."""
        values = {"principal": principal, "query": own_words(text), "k": k or self.room}
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


def own_words(text: str) -> str:
    """Return a text's own words, as many as one asks with."""
    return text[:200]
