"""The scripted model's part for MemoryBank: summaries out of the turns' own sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest
from pytest_comem.endpoint.scripts.material import answer_task, sentences
from pytest_comem.language.words import content_words, values

#: Sentences of a summary, and of what is said of a person.
_SUMMARY: Final = 5
_PORTRAIT: Final = 2
_OF_ONESELF: Final = re.compile(r"\b(I|I'm|I've|I'd|I'll|my|My|me)\b")


def answer(request: ChatRequest) -> ChatReply | None:
    """Return the reply to one of MemoryBank's prompts, or ``None`` for any other."""
    return answer_task(
        request,
        {"pytest-comem memorybank: a day": _day, "pytest-comem memorybank: overall": _overall},
    )


def _day(material: Mapping[str, Any]) -> Mapping[str, Any]:
    """The sentences that say most, and what each speaker first says of themselves."""
    said = [sentence for turn in material["turns"] for sentence in sentences(turn["text"])]
    insights: dict[str, list[str]] = {}
    for turn in material["turns"]:
        kept = insights.setdefault(turn["speaker"], [])
        kept += [part for part in sentences(turn["text"]) if _OF_ONESELF.search(part)]
    return {
        "summary": " ".join(_weightiest(said, _SUMMARY)),
        "insights": {
            speaker: " ".join(kept[:_PORTRAIT]) for speaker, kept in insights.items() if kept
        },
    }


def _overall(material: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same of the summaries, and the first insights of each person."""
    said = [sentence for day in material["days"] for sentence in sentences(day["summary"])]
    return {
        "summary": " ".join(_weightiest(said, _SUMMARY)),
        "portraits": {
            speaker: " ".join([part for one in shown for part in sentences(one)][:_PORTRAIT])
            for speaker, shown in material["insights"].items()
        },
    }


def _weightiest(said: Sequence[str], count: int) -> list[str]:
    """Return the *count* sentences with most values and content words, in the order said."""
    once = list(dict.fromkeys(said))
    weights = [2 * len(values(one)) + len(content_words(one)) for one in once]
    best = sorted(range(len(once)), key=lambda number: -weights[number])[:count]
    return [once[number] for number in sorted(best)]
