"""The scripted model's part for MemOS."""

from __future__ import annotations

import json

from pytest_comem.endpoint.chat import ChatReply, ChatRequest, Message
from pytest_comem.endpoint.scripts.memos import answer


def asked(conversation: str) -> ChatReply | None:
    """Return the reply to a prompt as MemoryOS 2.0.33 writes it."""
    prompt = (
        "You are a memory extraction expert.\nYour task is to extract memories.\n\nExample:\n"
        "Conversation:\nuser: [June 26, 2025]: Hi Jerry!\nassistant: Oh Tom!\n\nOutput:\n{}\n\n"
        "Always respond in the same language as the conversation.\n\n"
        f"Conversation:\n{conversation}\n\nYour Output:"
    )
    return answer(ChatRequest("any", (Message("user", prompt),)))


def facts(reply: ChatReply | None) -> list[str]:
    """Return the memories in a reply, read as the library reads it."""
    assert reply is not None
    return [memory["value"] for memory in json.loads(reply.text)["memory list"]]


def test_each_turn_becomes_a_memory_word_for_word() -> None:
    """Turns of all roles are taken whole, in order; the prompt's example is not."""
    conversation = "user:I moved to Rome\nin May.\nassistant:Good: {fine}."
    assert facts(asked(conversation)) == ["I moved to Rome\nin May.", "Good: {fine}."]


def test_a_reply_has_every_field_the_library_reads() -> None:
    """The library reads key, value and tags, and asks for a type and a summary."""
    reply = asked("user:" + "long words " * 20)
    assert reply is not None
    read = json.loads(reply.text)
    assert set(read) == {"memory list", "summary"}
    (memory,) = read["memory list"]
    assert set(memory) == {"key", "memory_type", "value", "tags"}
    assert len(memory["key"]) == 60


def test_a_turn_that_looks_like_the_prompt_stays_whole() -> None:
    """The prompt's own last line inside a turn does not cut it."""
    text = 'He wrote "Your Output:" and\n\nYour Output: again'
    assert facts(asked(f"user:{text}")) == [text]


def test_an_empty_turn_is_no_memory() -> None:
    """There is nothing to remember, and the list is there all the same."""
    assert facts(asked("user:")) == []


def test_the_same_request_always_gets_the_same_reply() -> None:
    """The reply depends on nothing but the request."""
    assert len({str(asked("user:Tea.")) for _ in range(3)}) == 1


def test_prompts_of_others_are_left_to_others() -> None:
    """Another prompt is not answered, even where it quotes this one's end."""
    other = "Say hello. Always respond in the same language as the conversation.\n\nConversation:\n"
    assert answer(ChatRequest("any", (Message("user", other),))) is None
