"""MemoryBank, implemented from its paper: a diary that forgets what is not recalled.

"MemoryBank: Enhancing Large Language Models with Long-Term Memory" (Zhong et al., AAAI 2024, arXiv
2305.10250). There is no package to stand on, so this is ours. Where the paper leaves something open
or this differs from it, the docstring of :class:`MemoryBank` says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final, Self, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.errors import SettingsError
from pytest_comem.memory.base import Capabilities, MemorySystem, OptionValue, Package
from pytest_comem.memory.bm25 import item_of
from pytest_comem.memory.clock import Clock
from pytest_comem.memory.memorybank_diary import Diary
from pytest_comem.memory.model import MemoryModel
from pytest_comem.memory.paper_calls import paper_calls

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder
    from pytest_comem.memory.setup import Setup

OPTIONS: Final[dict[str, OptionValue]] = {
    "forgetting": True,
    "threshold": 0.05,
    "turns_per_day": 100,
    "overview": True,
    "paper_top": 0,
}


def retention(days: float, strength: int) -> float:
    """Return how much of a memory is left, Ebbinghaus's ``exp(-t / S)`` (section 2.3).

    :param days: since it was said or last recalled.
    :param strength: 1, and one more for each time it was recalled.
    """
    return math.exp(-days / strength)


@final
@dataclass(slots=True)
class _Piece:
    """A turn or the summary of a day; *recalled* is in days of the clock."""

    item: RecallItem
    recalled: float
    strength: int = 1


@final
class MemoryBank(MemorySystem):
    """Dense retrieval over turns and summaries of days, with forgetting.

    A model sums up each day that is over, then all days, and draws a portrait of each speaker; this
    is done when the memory is next asked, several days at once where so many have passed. Recalled
    are the pieces (turns, summaries of days) nearest to the question, and with them, as in the
    paper's prompt, the overall summary and the portrait of the one who asks; these two take places
    of ``top_k``, but never the last one.

    Forgetting: a piece is dropped for good when its retention ``exp(-t / S)`` falls below the
    threshold, t in days, S = 1 at first; being handed over raises S by one and sets t to 0. The
    paper speaks of chance; here a piece goes exactly when the curve passes the threshold, so that
    two runs are equal. Time is the latest timestamp heard; see :class:`.clock.Clock` for turns
    without one. The released code computes ``exp(-t / 5*S)``, by which stronger memories fade
    faster; this is the paper's formula.

    Options: ``forgetting``; ``threshold`` of retention, 0 to 1 (0.05: three days for what was never
    recalled; the paper names none); ``turns_per_day``; ``overview``, whether the overall summary
    and the portrait are handed over; ``paper_top``, pieces for one question (6 in the paper; 0 for
    as many as the run's top-k).
    """

    capabilities = Capabilities(
        timestamps=True, needs_model=True, needs_embedder=True, recall_changes=True
    )
    packages = (Package("numpy", "rag", ">=1.26", library=False),)
    options: ClassVar = OPTIONS
    calls = paper_calls("memorybank", "MemoryBank")

    def __init__(
        self,
        embedder: Embedder,
        model: MemoryModel,
        *,
        forgetting: bool = True,
        threshold: float = 0.05,
        turns_per_day: int = 100,
        overview: bool = True,
        paper_top: int = 0,
    ) -> None:
        from pytest_comem.memory.vectors import VectorTable

        self._embedder = embedder
        self._threshold = threshold if forgetting else 0.0
        self._with_overview = overview
        self._paper_top = paper_top
        self._clock = Clock(turns_per_day)
        self._diary = Diary(model)
        self._vectors = VectorTable(embedder.dimensions)
        self._waiting: list[_Piece] = []
        #: By row of the table; forgotten ones are not here.
        self._pieces: dict[int, _Piece] = {}
        self._rows = 0
        self._summary_of: dict[str, _Piece] = {}

    @classmethod
    def check(cls, options: Mapping[str, OptionValue]) -> None:
        """Refuse numbers that mean nothing.

        :raises SettingsError: naming them.
        """
        threshold, days = float(options["threshold"]), int(options["turns_per_day"])
        if not 0 <= threshold <= 1 or days < 1 or int(options["paper_top"]) < 0:
            raise SettingsError(
                "memorybank: threshold must be from 0 to 1, turns_per_day 1 or more, "
                "paper_top 0 or more"
            )

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an empty memory that uses the run's embedder and memory model."""
        return cls(setup.embedder, MemoryModel.of(setup), **setup.options)  # type: ignore[arg-type]

    def ingest(self, entry: Entry) -> None:
        """Write the entry under its date."""
        moment = self._clock.advance(entry.timestamp)
        self._diary.write(moment.date, entry)
        self._waiting.append(_Piece(item_of(entry, None), moment.day))

    def recall(self, query: Query) -> Recall:
        """Return the nearest pieces, the overall summary and the requester's portrait."""
        self._settle()
        self._forget()
        overview = self._diary.overview(query.requester.id) if self._with_overview else []
        overview = overview[: max(0, query.top_k - 1)]
        places = query.top_k - len(overview)
        if self._paper_top:
            places = min(places, self._paper_top)
        (wanted,) = self._embedder.embed([query.text])
        ranked = self._vectors.nearest(wanted, list(self._pieces), places)
        items = []
        for row, score in ranked:
            piece = self._pieces[row]
            piece.strength += 1
            piece.recalled = self._clock.now
            items.append(replace(piece.item, score=score))
        items += self._scored(overview, wanted)
        return Recall(tuple(sorted(items, key=lambda item: -(item.score or 0.0))))

    def _settle(self) -> None:
        """Bring diary and vectors up to date, all new texts in one batch."""
        for date, summary in self._diary.settle().items():
            self._replace_summary(date, summary)
        fresh, self._waiting = self._waiting, []
        for vector in self._embedder.embed([piece.item.text for piece in fresh]) if fresh else ():
            self._vectors.append(vector)
        for piece in fresh:
            self._pieces[self._rows] = piece
            self._rows += 1

    def _replace_summary(self, date: str, summary: RecallItem | None) -> None:
        old = self._summary_of.pop(date, None)
        if old is not None:
            self._pieces = {row: piece for row, piece in self._pieces.items() if piece is not old}
        if summary is not None:
            self._summary_of[date] = piece = _Piece(summary, self._clock.now)
            self._waiting.append(piece)

    def _forget(self) -> None:
        now = self._clock.now
        self._pieces = {
            row: piece
            for row, piece in self._pieces.items()
            if retention(max(0.0, now - piece.recalled), piece.strength) >= self._threshold
        }

    def _scored(self, items: Sequence[RecallItem], wanted: Sequence[float]) -> list[RecallItem]:
        if not items:
            return []
        vectors = self._embedder.embed([item.text for item in items])
        return [
            replace(item, score=math.fsum(a * b for a, b in zip(wanted, vector, strict=True)))
            for item, vector in zip(items, vectors, strict=True)
        ]
