"""The scripted model's part for ReMem."""

from __future__ import annotations

import json
from collections.abc import Mapping
from time import process_time
from typing import Any

import pytest

from pytest_comem.endpoint.chat import ChatRequest, Message
from pytest_comem.endpoint.scripts.remem import answer
from pytest_comem.memory.prompts import MEMORYBANK_DAY, REMEM_EXTRACT, REMEM_TOOL


def asked(prompt: str, material: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the reply to one prompt."""
    messages = (Message("system", prompt), Message("user", json.dumps(material)))
    reply = answer(ChatRequest("scripted", messages))
    return None if reply is None else json.loads(reply.text)


def extracted(text: str) -> dict[str, Any]:
    """Return what is taken from a turn."""
    turn = {"said": "2026-05-03", "speaker": "ann", "role": "owner", "text": text}
    reply = asked(REMEM_EXTRACT, turn)
    assert reply is not None
    return reply


def test_a_turn_is_its_own_gist() -> None:
    """Word for word."""
    assert extracted("Hm, 007 \n {x}")["gists"] == ["Hm, 007 \n {x}"]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The gate code is 4417.", ("The gate code", "is", "4417")),
        ("Ann has not been here!", ("Ann", "has not", "been here")),
        ("We must be in Oslo by noon", ("We", "must be in", "Oslo by noon")),
    ],
)
def test_a_plain_statement_is_a_fact(text: str, fact: tuple[str, str, str]) -> None:
    """What stands before and behind its verb, qualified by when it was said."""
    (found,) = extracted(text)["facts"]
    assert (found["subject"], found["predicate"], found["object"]) == fact
    assert found["qualifier"] == "2026-05-03"


def test_each_sentence_is_looked_at() -> None:
    """Those without a common verb give no fact."""
    facts = extracted("Good morning. The gate is green. The bread was baked.")["facts"]
    assert [fact["subject"] for fact in facts] == ["The gate", "The bread"]


def test_hostile_texts_take_no_time() -> None:
    """Long runs of spaces or words end quickly."""
    started = process_time()
    for text in ("a" + " " * 100_000 + "b", "word " * 50_000, "x" * 200_000, "is " * 50_000):
        extracted(text)
    assert process_time() - started < 2


def test_the_steps_go_from_meaning_to_words_to_links_to_the_answer() -> None:
    """Around the first gist found, and around an entity that the question names."""
    gist = {"id": "gist-1", "kind": "gist", "text": "The gate is green", "score": 0.9}
    entity = {"id": "entity-3", "kind": "entity", "text": "The gate", "score": 0.5}
    other = {"id": "entity-2", "kind": "entity", "text": "Bread", "score": 0.6}
    steps: list[dict[str, Any]] = []
    taken = []
    while True:
        reply = asked(REMEM_TOOL, {"question": "Which gate?", "steps": steps, "steps_left": 5})
        assert reply is not None
        taken.append((reply["tool"], reply["argument"]))
        if reply["tool"] == "answer":
            break
        steps.append({"tool": reply["tool"], "argument": "", "found": [gist, other, entity]})
    assert taken == [
        ("semantic_retrieve", ""),
        ("lexical_retrieve", ""),
        ("find_gist_contexts", "gist-1"),
        ("find_entity_contexts", "entity-3"),
        ("answer", ""),
    ]


def test_with_nothing_found_it_answers_after_both_searches() -> None:
    """There is nothing to look around."""
    steps = [{"tool": tool, "argument": "", "found": []} for tool in ("semantic_retrieve",) * 2]
    reply = asked(REMEM_TOOL, {"question": "Which gate?", "steps": steps, "steps_left": 3})
    assert reply == {"tool": "answer", "argument": ""}


def test_other_prompts_are_not_answered() -> None:
    """They are for other scripts."""
    assert asked(MEMORYBANK_DAY, {}) is None
