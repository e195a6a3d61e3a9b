"""Small memories: one that keeps every promise of the contract, and one that breaks each."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import mul
from typing import Any, ClassVar, Self

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.endpoint.client import ChatClient
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import Capabilities, MemorySystem, UnknownEntryError
from pytest_comem.memory.setup import Setup

ALL = Capabilities(
    deletes=True,
    updates=True,
    lists=True,
    principals=True,
    deletes_principals=True,
    verbatim=True,
    persists=True,
    needs_embedder=True,
)
_SAVED = ("id", "text", "principal")


@dataclass(frozen=True)
class Row:
    """One entry; *findable* is for memories that lose sight of some."""

    id: str
    text: str
    principal: str
    vector: list[float]
    findable: bool = True


class Toy(MemorySystem):
    """Keeps rows in a file and finds them by cosine; keeps every promise."""

    version = "1.0"
    capabilities = ALL
    #: Name of the promise a subclass breaks.
    breaks: ClassVar[str] = ""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.file = setup.directory / "rows.json"
        self.rows: list[Row] = []
        if self.file.exists():
            saved = json.loads(self.file.read_text("utf-8"))
            self.rows = [Row(**row, vector=self.vector(row["text"])) for row in saved]

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return a memory of what the set-up's directory holds."""
        return cls(setup)

    def save(self) -> None:
        """Write every row."""
        saved = [(row.id, row.text, row.principal) for row in self.rows]
        self.file.write_text(json.dumps([dict(zip(_SAVED, one, strict=True)) for one in saved]))

    def vector(self, text: str) -> list[float]:
        """Embed a text."""
        return self.setup.embedder.embed([text])[0]

    def ingest(self, entry: Entry) -> None:
        """Keep the entry."""
        self.rows.append(Row(entry.id, entry.text, entry.speaker.id, self.vector(entry.text)))
        self.save()

    def recall(self, query: Query) -> Recall:
        """Return the nearest of all rows."""
        return self.nearest(query, lambda row: True)

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """Return the nearest of one principal's rows."""
        return self.nearest(query, lambda row: row.principal == principal_id)

    def nearest(self, query: Query, wanted: Callable[[Row], bool]) -> Recall:
        """Return the nearest of the rows that are wanted."""
        asked = self.vector(query.text)
        scored = [
            (sum(map(mul, asked, row.vector)), row)
            for row in self.rows
            if wanted(row) and row.findable
        ]
        scored.sort(key=lambda pair: -pair[0])
        return Recall(
            tuple(RecallItem(row.text, score, (row.id,)) for score, row in scored[: query.top_k])
        )

    def entries(self) -> Sequence[RecallItem]:
        """Return every row."""
        return [RecallItem(row.text, None, (row.id,)) for row in self.rows]

    def delete(self, entry_id: str) -> None:
        """Delete a row."""
        del self.rows[self.place(entry_id)]
        self.save()

    def update(self, entry_id: str, text: str) -> None:
        """Replace a row."""
        place = self.place(entry_id)
        self.rows[place] = replace(
            self.rows[place], text=text, vector=self.vector(text), findable=True
        )
        self.save()

    def delete_principal(self, principal_id: str) -> None:
        """Delete a principal's rows."""
        self.rows = [row for row in self.rows if row.principal != principal_id]
        self.save()

    def probe_unknown_argument(self) -> None:
        """Refuse an argument that is not known."""
        raise TypeError("unexpected keyword argument")

    def place(self, entry_id: str) -> int:
        """Return a row's place."""
        for place, row in enumerate(self.rows):
            if row.id == entry_id:
                return place
        raise UnknownEntryError(entry_id)


class AskingToy(Toy):
    """Asks the model before it keeps anything; keeps every promise."""

    capabilities = replace(ALL, needs_model=True)

    def ingest(self, entry: Entry) -> None:
        """Keep the entry when the model has been asked."""
        self.ask()
        super().ingest(entry)

    def ask(self) -> None:
        """Ask the model anything."""
        at = self.setup.endpoint
        client = ChatClient(at.chat_url, at.chat_model, at.api_key)
        client.ask([{"role": "user", "content": "Is this worth keeping?"}])


class SeesTheLastSix(Toy):
    """Recalls among the last six rows only."""

    breaks = "what_was_written_is_recallable"

    def recall(self, query: Query) -> Recall:
        """See the class."""
        latest = self.rows[-6:]
        return self.nearest(query, lambda row: row in latest)


class RecallsATextOnce(Toy):
    """Recalls one of several entries that say the same."""

    breaks = "order_and_duplicates_lose_nothing"

    def recall(self, query: Query) -> Recall:
        """See the class."""
        items = super().recall(query).items
        return Recall(tuple({item.text: item for item in items}.values()))


class ListsAPage(Toy):
    """Lists the first twenty rows."""

    breaks = "everything_held_is_listed"

    def entries(self) -> Sequence[RecallItem]:
        """See the class."""
        return super().entries()[:20]


class Strips(Toy):
    """Takes the white space off a text's ends."""

    breaks = "odd_texts_survive_unchanged"

    def ingest(self, entry: Entry) -> None:
        """See the class."""
        super().ingest(replace(entry, text=entry.text.strip()))


class NeedsSomething(Toy):
    """Cannot be asked before anything was written."""

    breaks = "an_empty_memory_recalls_nothing"

    def recall(self, query: Query) -> Recall:
        """See the class."""
        if not self.file.exists():
            raise FileNotFoundError(self.file.name)
        return super().recall(query)


class OneMore(Toy):
    """Recalls one more than asked for."""

    breaks = "no_more_is_recalled_than_asked_for"

    def recall(self, query: Query) -> Recall:
        """See the class."""
        return super().recall(replace(query, top_k=query.top_k + 1))


class Distances(Toy):
    """Gives distances for scores: the best has the least."""

    breaks = "scores_say_what_fits_best"

    def recall(self, query: Query) -> Recall:
        """See the class."""
        items = super().recall(query).items
        return Recall(tuple(replace(item, score=1 - (item.score or 0)) for item in items))


class NamesTheWrongEntry(Toy):
    """Says that a passage stands on the entry written first."""

    breaks = "recalled_passages_name_their_entries"

    def recall(self, query: Query) -> Recall:
        """See the class."""
        items = super().recall(query).items
        return Recall(tuple(replace(item, source_ids=(self.rows[0].id,)) for item in items))


class LogsRecalls(Toy):
    """Keeps a row about having been asked."""

    breaks = "recalling_changes_nothing"
    asked = False

    def recall(self, query: Query) -> Recall:
        """See the class."""
        self.asked = True
        return super().recall(query)

    def entries(self) -> Sequence[RecallItem]:
        """See the class."""
        return [*super().entries(), *([RecallItem("somebody asked")] if self.asked else [])]


class TakesAnyArgument(Toy):
    """Swallows arguments it does not know."""

    breaks = "unknown_arguments_are_refused"

    def probe_unknown_argument(self) -> None:
        """See the class."""


class DeletesUntilRestart(Toy):
    """Does not write down that something was deleted."""

    breaks = "what_was_deleted_stays_deleted"

    def delete(self, entry_id: str) -> None:
        """See the class."""
        del self.rows[self.place(entry_id)]


class LosesSightOfTwins(Toy):
    """Deleting an entry hides others that say the same."""

    breaks = "deleting_one_leaves_the_others"

    def delete(self, entry_id: str) -> None:
        """See the class."""
        text = self.rows[self.place(entry_id)].text
        super().delete(entry_id)
        self.rows = [replace(r, findable=False) if r.text == text else r for r in self.rows]


class DeletesNothingHappily(Toy):
    """Says nothing about deleting what is not there."""

    breaks = "deleting_an_unknown_id_is_reported"

    def delete(self, entry_id: str) -> None:
        """See the class."""
        if any(row.id == entry_id for row in self.rows):
            super().delete(entry_id)


class KeepsOldVersions(Toy):
    """Still finds the old text in a principal's part."""

    breaks = "an_updated_text_replaces_the_old_one"
    old: tuple[str, ...] = ()

    def update(self, entry_id: str, text: str) -> None:
        """See the class."""
        self.old = (*self.old, self.rows[self.place(entry_id)].text)
        super().update(entry_id, text)

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """See the class."""
        old = tuple(RecallItem(text, 0.0) for text in self.old if text == query.text)
        return Recall((*super().recall_of(principal_id, query).items, *old)[: query.top_k])


class LosesSightOfUpdates(Toy):
    """Cannot find what was updated."""

    breaks = "an_updated_text_is_recallable"

    def update(self, entry_id: str, text: str) -> None:
        """See the class."""
        super().update(entry_id, text)
        place = self.place(entry_id)
        self.rows[place] = replace(self.rows[place], findable=False)


class UpdatesNothingHappily(Toy):
    """Says nothing about updating what is not there."""

    breaks = "updating_an_unknown_id_is_reported"

    def update(self, entry_id: str, text: str) -> None:
        """See the class."""
        if any(row.id == entry_id for row in self.rows):
            super().update(entry_id, text)


class RefusesBlankNames(Toy):
    """Has no part for a principal whose name is blank."""

    breaks = "any_name_will_do_for_a_principal"

    def ingest(self, entry: Entry) -> None:
        """See the class."""
        if not entry.speaker.id.strip():
            raise ValueError("a principal needs a name")
        super().ingest(entry)


class Rude(BaseException):
    """As some libraries have them: not an ``Exception``."""


class RudeAboutStars(Toy):
    """Raises what is no ``Exception`` for a name with a star, and when it is closed."""

    breaks = "any_name_will_do_for_a_principal"

    def ingest(self, entry: Entry) -> None:
        """See the class."""
        if "*" in entry.speaker.id:
            raise Rude("no stars here")
        super().ingest(entry)

    def close(self) -> None:
        """See the class."""
        if any("*" in row.principal for row in self.rows):
            raise Rude("closed with stars")


class ParentsReadChildren(Toy):
    """A principal's part holds what is said by those whose names begin alike."""

    breaks = "no_principal_recalls_what_another_said"

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """See the class."""
        return self.nearest(query, lambda row: row.principal.startswith(principal_id))


class StarReadsAll(Toy):
    """The name * stands for everybody."""

    breaks = "no_principal_recalls_what_another_said"

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """See the class."""
        return self.nearest(query, lambda row: principal_id in ("*", row.principal))


class DeletesAHundred(Toy):
    """Deletes a hundred entries of a principal at most."""

    breaks = "deleting_a_principal_deletes_all_of_it"

    def delete_principal(self, principal_id: str) -> None:
        """See the class."""
        doomed = [row.id for row in self.rows if row.principal == principal_id][:100]
        self.rows = [row for row in self.rows if row.id not in doomed]
        self.save()


class IgnoresCase(Toy):
    """Deletes also what is said by those whose names differ in case."""

    breaks = "deleting_a_principal_leaves_the_others"

    def delete_principal(self, principal_id: str) -> None:
        """See the class."""
        gone = principal_id.lower()
        self.rows = [row for row in self.rows if row.principal.lower() != gone]
        self.save()


class ClosesForAll(Toy):
    """Closing one memory closes what all of them share."""

    breaks = "two_instances_do_not_disturb_each_other"
    shared_is_open: ClassVar[bool] = False

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        type(self).shared_is_open = True

    def recall(self, query: Query) -> Recall:
        """See the class."""
        return super().recall(query) if self.shared_is_open else Recall()

    def close(self) -> None:
        """See the class."""
        type(self).shared_is_open = False


class SharesASlot(Toy):
    """Passes entries through a place that all instances share."""

    breaks = "instances_in_threads_lose_nothing"
    slot: ClassVar[Any] = None

    def ingest(self, entry: Entry) -> None:
        """See the class."""
        type(self).slot = entry
        time.sleep(0.0005)
        super().ingest(self.slot)


class LosesSightOnRestart(Toy):
    """After a restart finds nothing of what was there."""

    breaks = "what_was_written_survives_a_restart"

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.rows = [replace(row, findable=False) for row in self.rows]


class SwallowsEmbedderErrors(Toy):
    """Skips an entry that cannot be embedded, and says nothing."""

    breaks = "a_failing_embedder_loses_nothing_silently"

    def ingest(self, entry: Entry) -> None:
        """See the class."""
        try:
            super().ingest(entry)
        except OSError:
            return


class SwallowsModelErrors(AskingToy):
    """Skips an entry that the model cannot be asked about, and says nothing."""

    breaks = "a_failing_model_loses_nothing_silently"

    def ingest(self, entry: Entry) -> None:
        """See the class."""
        try:
            super().ingest(entry)
        except InfrastructureError:
            return


BROKEN: tuple[type[Toy], ...] = tuple(
    found
    for found in list(globals().values())
    if isinstance(found, type) and issubclass(found, Toy) and found.breaks
)
