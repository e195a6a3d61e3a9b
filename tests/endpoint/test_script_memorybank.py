"""The scripted model's part for MemoryBank."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_comem.endpoint.chat import ChatRequest, Message
from pytest_comem.endpoint.scripts.memorybank import answer
from pytest_comem.memory.prompts import MEMORYBANK_DAY, MEMORYBANK_OVERALL, REMEM_EXTRACT

TURNS = [
    {"speaker": "ann", "role": "owner", "text": "Good morning. I like tea, and I sleep badly."},
    {"speaker": "bob", "role": "guest", "text": "Hello. The gate code is 4417 since 3 May."},
    {"speaker": "ann", "role": "owner", "text": "My sister Ruth Holm visits. Ok."},
    {"speaker": "bob", "role": "guest", "text": "Fine. Sure. Yes. Well. Right."},
]


def asked(prompt: str, material: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the reply to one prompt."""
    messages = (Message("system", prompt), Message("user", json.dumps(material)))
    reply = answer(ChatRequest("scripted", messages))
    return None if reply is None else json.loads(reply.text)


def test_a_day_is_summed_up_by_its_weightiest_sentences() -> None:
    """Five at most, word for word, in the order said."""
    reply = asked(MEMORYBANK_DAY, {"date": "2026-05-03", "turns": TURNS})
    assert reply is not None
    said = " ".join(turn["text"] for turn in TURNS)
    assert "The gate code is 4417 since 3 May. My sister Ruth Holm visits." in reply["summary"]
    sentences = reply["summary"].split(". ")
    assert len(sentences) == 5
    assert [said.index(sentence) for sentence in sentences] == sorted(map(said.index, sentences))


def test_of_a_speaker_stays_what_was_said_of_oneself() -> None:
    """Whoever says nothing of the kind is left out."""
    reply = asked(MEMORYBANK_DAY, {"date": "2026-05-03", "turns": TURNS})
    assert reply is not None
    assert reply["insights"] == {
        "ann": "I like tea, and I sleep badly. My sister Ruth Holm visits."
    }


def test_days_are_summed_up_in_the_same_way() -> None:
    """The summaries' weightiest sentences, once each, and each person's first insights."""
    reply = asked(
        MEMORYBANK_OVERALL,
        {
            "days": [
                {"date": "2026-05-03", "summary": "The gate code is 4417."},
                {"date": "2026-05-04", "summary": "The gate code is 4417. Ruth came."},
            ],
            "insights": {"ann": ["I like tea.", "I like rain. I like snow."]},
        },
    )
    assert reply == {
        "summary": "The gate code is 4417. Ruth came.",
        "portraits": {"ann": "I like tea. I like rain."},
    }


def test_other_prompts_are_not_answered() -> None:
    """They are for other scripts."""
    assert asked(REMEM_EXTRACT, {}) is None
    assert asked("Sum up the day.", {}) is None
