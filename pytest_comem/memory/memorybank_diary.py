"""MemoryBank's diary: a summary a day, an overall summary and a portrait of each speaker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import final

from pytest_comem.core.entries import Entry
from pytest_comem.core.recall import RecallItem
from pytest_comem.memory.model import MemoryModel
from pytest_comem.memory.prompts import MEMORYBANK_DAY, MEMORYBANK_OVERALL


@final
@dataclass(slots=True)
class _Day:
    entries: list[Entry] = field(default_factory=list)
    summary: str = ""
    insights: dict[str, str] = field(default_factory=dict)
    is_stale: bool = False


@final
class Diary:
    """Dialogues by date, summed up by a model once a day is over.

    A day is over when a turn of another day is written. A turn that comes late makes its day be
    summed up again. Nothing is asked of the model before :meth:`settle`.

    :param model: writes the summaries.
    """

    def __init__(self, model: MemoryModel) -> None:
        self._model = model
        self._days: dict[str, _Day] = {}
        self._today: str | None = None
        self._overall = ""
        self._portraits: dict[str, str] = {}

    def write(self, date: str, entry: Entry) -> None:
        """Add a turn to its day."""
        if self._today is not None and date != self._today:
            self._days[self._today].is_stale = True
        self._today = date
        self._days.setdefault(date, _Day()).entries.append(entry)

    def settle(self) -> dict[str, RecallItem | None]:
        """Sum up the days that are over and not summed up; return their summaries by date.

        ``None`` stands for a summary without a word. Where anything changed, the overall summary
        and the portraits are made anew from all days.
        """
        over = {
            date: day for date, day in self._days.items() if day.is_stale and date != self._today
        }
        for date, day in over.items():
            reply = self._model.ask(MEMORYBANK_DAY, _conversation(date, day.entries))
            day.summary = reply.text("summary")
            day.insights = reply.text_by_key("insights")
            day.is_stale = False
        if over:
            self._sum_up()
        return {date: _summary_item(date, day) for date, day in over.items()}

    def overview(self, requester_id: str) -> list[RecallItem]:
        """Return the overall summary and the portrait of the one who asks, as far as made."""
        items = []
        if self._overall:
            sources = (entry.id for day in self._summed_up() for entry in day.entries)
            items.append(RecallItem(f"Overall summary: {self._overall}", None, tuple(sources)))
        portrait = self._portraits.get(requester_id)
        if portrait:
            sources = (
                entry.id
                for day in self._summed_up()
                for entry in day.entries
                if entry.speaker.id == requester_id
            )
            items.append(
                RecallItem(f"Portrait of {requester_id}: {portrait}", None, tuple(sources))
            )
        return items

    def _sum_up(self) -> None:
        insights: dict[str, list[str]] = {}
        for day in self._summed_up():
            for speaker, insight in day.insights.items():
                insights.setdefault(speaker, []).append(insight)
        summaries = [
            {"date": date, "summary": day.summary}
            for date, day in self._days.items()
            if day.summary
        ]
        reply = self._model.ask(MEMORYBANK_OVERALL, {"days": summaries, "insights": insights})
        self._overall = reply.text("summary")
        self._portraits = reply.text_by_key("portraits")

    def _summed_up(self) -> Iterator[_Day]:
        return (day for day in self._days.values() if day.summary or day.insights)


def _conversation(date: str, entries: list[Entry]) -> dict[str, object]:
    turns = [
        {"speaker": entry.speaker.id, "role": entry.speaker.role, "text": entry.text}
        for entry in entries
    ]
    return {"date": date, "turns": turns}


def _summary_item(date: str, day: _Day) -> RecallItem | None:
    if not day.summary:
        return None
    return RecallItem(
        f"Summary of {date}: {day.summary}", None, tuple(entry.id for entry in day.entries)
    )
