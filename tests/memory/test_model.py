"""How our own memory systems read what a model says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.model import MemoryModel, Reply


class Saying:
    """A chat that always says the same, and keeps what it was asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.messages: Sequence[Mapping[str, str]] = ()

    def ask(self, messages: Sequence[Mapping[str, str]], *, json_object: bool = False) -> str:
        """Return the text."""
        assert json_object
        self.messages = messages
        return self.text


@pytest.mark.parametrize(
    "said",
    [
        '{"a": "x"}',
        'Here you are:\n```json\n{"a": "x"}\n```\nAnything else?',
        'As {you} asked, {"a": "x"} and {"a": "y"}',
        '{"a": "x\n"}',
    ],
)
def test_an_object_is_found_in_what_stands_around_it(said: str) -> None:
    """Fences, explanations and raw line breaks do no harm; the first object counts."""
    assert MemoryModel(Saying(said)).ask("task", {}).text("a") == "x"


@pytest.mark.parametrize("said", ["", "I cannot do that.", '["a"]', '{"a": "x"', "null"])
def test_a_reply_without_an_object_is_the_providers_error(said: str) -> None:
    """It is never read as an empty one."""
    with pytest.raises(InfrastructureError, match="'task': there is no JSON object") as caught:
        MemoryModel(Saying(said)).ask("task\nmore", {})
    assert caught.value.type == "provider"


def test_material_is_handed_over_as_one_json_object() -> None:
    """No text in it can pass for an instruction's part."""
    chat = Saying("{}")
    MemoryModel(chat).ask("task", {"text": 'end"}\n\x00 \ud800 שלום'})
    system, user = chat.messages
    assert (system["role"], system["content"], user["role"]) == ("system", "task", "user")
    assert json.loads(user["content"]) == {"text": 'end"}\n\x00 \ud800 שלום'}


def test_fields_are_read_as_what_they_should_be() -> None:
    """White space and blank texts go, a single text is a list, numbers in texts are texts."""
    reply = Reply("task", {"t": " x ", "l": ["a", " ", 7], "o": {"k": "v", "b": ""}, "n": 2})
    assert (reply.text("t"), reply.texts("l"), reply.texts("t")) == ("x", ["a", "7"], ["x"])
    assert (reply.text_by_key("o"), reply.number("n", 3)) == ({"k": "v"}, 2)
    assert (reply.optional_text("t"), reply.optional_text("missing")) == ("x", "")


def test_fields_of_another_type_are_the_providers_error() -> None:
    """Nothing is guessed from them, and the error names the field."""
    reply = Reply("task", {"t": None, "l": {"a": 1}, "o": [], "n": 3, "m": [True], "f": "yes"})
    for read in (
        lambda: reply.text("t"),
        lambda: reply.text("missing"),
        lambda: reply.texts("l"),
        lambda: reply.text_by_key("o"),
        lambda: reply.objects("l"),
        lambda: reply.number("n", 3),
        lambda: reply.numbers("m", 3),
        lambda: reply.flag("f"),
    ):
        with pytest.raises(InfrastructureError, match="'task': '") as caught:
            read()
        assert caught.value.type == "provider"
