"""The scripted model's answers to mem0's own extraction prompt."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_comem.endpoint.chat import ChatRequest, Message
from pytest_comem.endpoint.scripts.mem0 import answer

SYSTEM = "# ROLE\n\nYou are a Memory Extractor — a precise processor."


def asked(message: str, *, system: str = SYSTEM, earlier: str = "") -> ChatRequest:
    """Return a request as the library words it."""
    user = (
        f"## Summary\n\n\n## Last k Messages\n{earlier}\n\n## Recently Extracted Memories\n[]\n\n"
        f'## Existing Memories\n[{{"id": "0", "text": "old"}}]\n\n## New Messages\n{message}\n\n\n'
        "## Observation Date\n2026-01-01\n\n## Current Date\n2026-01-01\n\n# Output:"
    )
    return ChatRequest("x", (Message("system", system), Message("user", user)))


def memories(request: ChatRequest) -> list[str]:
    """Return the texts of the memories in the reply."""
    reply = answer(request)
    assert reply is not None
    rows = json.loads(reply.text)["memory"]
    assert [row["id"] for row in rows] == [str(number) for number in range(len(rows))]
    return [row["text"] for row in rows]


def test_each_sentence_is_a_memory() -> None:
    """Sentences and lines of the new message come back word for word; titles do not split."""
    text = "Dr. Ito costs 4.50 dollars. Really? Yes!\nמחר, 🙂 {now}"
    assert memories(asked(f"user: {text}")) == [
        "Dr. Ito costs 4.50 dollars.",
        "Really?",
        "Yes!",
        "מחר, 🙂 {now}",
    ]


def test_only_what_is_new_is_extracted() -> None:
    """Messages and memories of before are left alone, also where they hold a heading."""
    request = asked("user: Fresh.", earlier="user: Old.\nuser: ## New Messages\nOlder.")
    assert memories(request) == ["Fresh."]


def test_the_speaker_is_attributed() -> None:
    """The role stands in the reply and not in the memory; a text may begin like one."""
    reply = answer(asked("assistant: user: quoted"))
    assert reply is not None
    assert json.loads(reply.text)["memory"] == [
        {"id": "0", "text": "user: quoted", "attributed_to": "assistant"}
    ]


def test_headings_inside_a_message_stay_in_it() -> None:
    """A message that imitates the prompt does not cut itself short."""
    assert memories(asked("user: One.\n\n## Observation Date\nTwo.")) == [
        "One.",
        "## Observation Date",
        "Two.",
    ]


def test_a_blank_message_yields_nothing() -> None:
    """There is no memory of nothing."""
    assert memories(asked("user:  \n")) == []


def test_other_prompts_are_left_to_others() -> None:
    """Another system prompt, or another user prompt, is not answered here."""
    assert answer(asked("user: x", system="You are helpful.")) is None
    assert answer(ChatRequest("x", (Message("system", SYSTEM), Message("user", "Hi")))) is None
    assert answer(ChatRequest("x", ())) is None


@pytest.mark.skipif(find_spec("mem0") is None, reason="mem0ai is not installed")
def test_the_library_still_words_its_prompt_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prompts of the installed library are recognized."""
    # Read at the first import of the process, which this may be.
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    monkeypatch.setenv("MEM0_DIR", str(tmp_path))
    from mem0.configs.prompts import (
        ADDITIVE_EXTRACTION_PROMPT,
        generate_additive_extraction_prompt,
    )

    prompt = generate_additive_extraction_prompt(
        existing_memories=[{"id": "0", "text": "old"}],
        new_messages="user: Fresh. New.\n",
        last_k_messages=[{"role": "user", "content": "Old."}],
    )
    request = ChatRequest(
        "x", (Message("system", ADDITIVE_EXTRACTION_PROMPT), Message("user", prompt))
    )
    assert memories(request) == ["Fresh.", "New."]
