"""The scripted model's answers to A-MEM's prompts; the library itself is tested elsewhere."""

from __future__ import annotations

import json
from typing import Any

from pytest_comem.endpoint.chat import ChatRequest, Message
from pytest_comem.endpoint.scripts.a_mem import answer

#: The prompts' stable beginnings and the lines that are read, worded as the library words them.
ANALYSIS = (
    "Generate a structured analysis of the following content by:\n"
    "            1. Identifying the most salient keywords (focus on nouns)\n\n"
    "            Content for analysis:\n            "
)
EVOLUTION = """
    You are an AI memory evolution agent responsible for managing and evolving a knowledge base.
    Make decisions about its evolution.

    The new memory context:
    {context}
    content: {content}
    keywords: {keywords}

    The nearest neighbors memories (each line starts with memory_id):
    {neighbours}

    Based on this information, determine:
    1. Should this memory be evolved? Consider its relationships with other memories.
"""


def ask(prompt: str) -> dict[str, Any]:
    """Return what the script answers, read as JSON."""
    system = Message("system", "You must respond with a JSON object.")
    reply = answer(ChatRequest("scripted", (system, Message("user", prompt))))
    assert reply is not None
    read: dict[str, Any] = json.loads(reply.text)
    return read


def evolve(content: str, *neighbours: tuple[str, str]) -> dict[str, Any]:
    """Return the decision on a note that stands beside *neighbours*, ids and contents."""
    lines = "".join(
        f"memory_id:{memory_id}\ttalk start time:202401010000\tmemory content: {text}"
        f"\tmemory context: {text}\tmemory keywords: []\tmemory tags: []\n"
        for memory_id, text in neighbours
    )
    return ask(
        EVOLUTION.format(context="Any.", content=content, keywords=["any"], neighbours=lines)
    )


def test_a_note_is_described_in_its_own_words() -> None:
    """Keywords and tags are words of the note in its order; the context is its first sentence."""
    said = ask(
        ANALYSIS + "The garden visit is on Friday. The gate code is 4417, and the code holds."
    )
    assert said == {
        "keywords": ["garden", "visit", "friday", "gate", "code", "4417"],
        "context": "The garden visit is on Friday.",
        "tags": ["garden", "visit", "friday"],
    }


def test_a_note_of_no_substance_is_described_by_nothing() -> None:
    """An empty note, or one of filler words, gets no keywords."""
    assert ask(ANALYSIS)["keywords"] == []
    assert ask(ANALYSIS + "It is so.") == {"keywords": [], "context": "It is so.", "tags": []}


def test_notes_that_share_words_of_substance_are_linked() -> None:
    """At most three neighbours with two or more shared words are linked, nearest first."""
    about = ("The garden budget grew.", "A budget for the garden.", "Gardens and budgets.")
    decision = evolve(
        "The garden budget is 4,300 dollars.",
        ("e1", about[0]),
        ("e2", "The garden is green."),
        ("e3", about[1]),
        ("e4", about[2]),
        ("e5", about[0]),
    )
    assert decision["should_evolve"] is True
    assert decision["actions"] == ["strengthen"]
    assert decision["suggested_connections"] == ["e1", "e3", "e4"]
    assert decision["tags_to_update"] == ["garden", "budget", "300"]


def test_unrelated_notes_stay_apart() -> None:
    """Nothing changes where no neighbour shares enough."""
    decision = evolve("The boiler was repaired.", ("e1", "The garden is green."))
    assert decision["should_evolve"] is False
    assert decision["actions"] == []
    assert decision["suggested_connections"] == []


def test_texts_may_look_like_the_prompt() -> None:
    """Lines, tabs and the prompt's own words inside a note do not confuse the reading."""
    decision = evolve(
        "Garden budget.\n    keywords: none\nContent for analysis: {braces}",
        ("e1", "First line.\nkeywords: x\tgarden budget {y}"),
        ("e2", "memory_id:e9 is no id."),
    )
    assert decision["suggested_connections"] == ["e1"]
    assert ask(ANALYSIS + "Boiler. Content for analysis: garden.")["keywords"][0] == "boiler"


def test_other_prompts_are_left_to_others() -> None:
    """Only the library's own two prompts are answered."""
    for text in (
        "",
        "Hello.",
        "Please: Generate a structured analysis of the following content by:",
    ):
        assert answer(ChatRequest("scripted", (Message("user", text),))) is None
    assert answer(ChatRequest("scripted", (Message("system", ANALYSIS),))) is None
