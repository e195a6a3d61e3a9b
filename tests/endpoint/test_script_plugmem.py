"""The scripted model's part for PlugMem."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_comem.endpoint.chat import ChatRequest, Message
from pytest_comem.endpoint.scripts.plugmem import answer
from pytest_comem.memory.prompts import (
    MEMORYBANK_DAY,
    PLUGMEM_MERGE,
    PLUGMEM_PLAN,
    PLUGMEM_STRUCTURE,
)


def asked(prompt: str, material: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the reply to one prompt."""
    messages = (Message("system", prompt), Message("user", json.dumps(material)))
    reply = answer(ChatRequest("scripted", messages))
    return None if reply is None else json.loads(reply.text)


def structured(*texts: str) -> dict[str, Any]:
    """Return what is taken from turns."""
    reply = asked(PLUGMEM_STRUCTURE, {"turns": [{"text": text} for text in texts]})
    assert reply is not None
    return reply


def test_each_sentence_is_a_fact_of_its_turn() -> None:
    """Word for word."""
    facts = structured("Hello. The code is 4417!", "  ", "Ok")["facts"]
    assert [(fact["turn"], fact["text"]) for fact in facts] == [
        (0, "Hello."),
        (0, "The code is 4417!"),
        (2, "Ok"),
    ]


def test_tags_are_names_and_codes_first() -> None:
    """Then the longest words, five in all."""
    (fact,) = structured("Please ask Ruth Holm whether the budget of 4,300 dollars is enough")[
        "facts"
    ]
    assert fact["tags"] == ["4,300", "ruth holm", "dollars", "budget", "enough"]


def test_what_says_what_to_do_is_a_procedure() -> None:
    """The sentence is both the goal and the way."""
    text = "Always lock the gate before you leave."
    assert structured(f"Hello. {text}")["procedures"] == [
        {"turns": [0], "subgoal": text, "text": text}
    ]


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        ("What is the gate code?", "semantic"),
        ("How do I open the gate?", "procedural"),
        ("Who said that the gate is green?", "episodic"),
    ],
)
def test_the_plan_follows_from_the_questions_form(question: str, mode: str) -> None:
    """Its tags are made as those of facts, so that they meet."""
    plan = asked(PLUGMEM_PLAN, {"question": question})
    assert plan is not None
    assert (plan["mode"], plan["subgoal"]) == (mode, question)
    assert "gate" in plan["tags"]


def test_facts_that_say_nearly_the_same_become_the_later() -> None:
    """Two pairs: the first shares three of four content words, the other one of five."""
    pairs = [
        {"number": 0, "earlier": "The gate code is 4417.", "later": "The gate code is 9020 4417."},
        {"number": 1, "earlier": "The gate is green.", "later": "Bread is baked at the gate."},
    ]
    assert asked(PLUGMEM_MERGE, {"pairs": pairs}) == {
        "merges": [
            {
                "pair": 0,
                "text": "The gate code is 9020 4417.",
                "deactivate_earlier": True,
                "deactivate_later": True,
            }
        ]
    }


def test_other_prompts_are_not_answered() -> None:
    """They are for other scripts."""
    assert asked(MEMORYBANK_DAY, {}) is None
