"""Drafts by a model, through the door."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import final

import pytest

from pytest_comem.histories.drafting import Draft, draft_of
from pytest_comem.histories.model_drafts import ATTEMPTS, ModelDrafter
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault, ModelCallError, ProviderFault
from pytest_comem.llm.structured import StructuredModel


@final
class Answering:
    """Carries calls to a list of replies, the last of which is given again."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.calls: list[ChatCall] = []

    def chat(self, call: ChatCall) -> Completion:
        """Return the next reply."""
        self.calls.append(call)
        if not self.replies:
            raise ProviderFault(Fault.BAD_REQUEST, "it fails as told")
        text = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return Completion({"role": "assistant", "content": text}, "stop", 1, 1, 0.0)

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Embed nothing."""
        raise AssertionError

    def close(self) -> None:
        """Hold nothing that could be let go."""


def drafter(transport: Answering) -> ModelDrafter:
    """Return a drafter whose calls the transport carries."""
    door = Door(lambda _: transport)
    return ModelDrafter(StructuredModel(door, ModelSpec("made/model")), door.meter("history"))


MESSAGES, FATES = ["Add ports\n\nPilots asked."], {"a.md": "changed", "b.md": "new"}


def test_a_model_is_told_messages_and_files_and_drafts() -> None:
    """One call; a title is one line."""
    reply = {"title": "Ports\nof call", "instruction": "Add the ports to a.md."}
    transport = Answering(json.dumps(reply))
    found = drafter(transport)(MESSAGES, FATES)
    assert found == Draft("Ports of call", "Add the ports to a.md.")
    (call,) = transport.calls
    said = str(call.messages[-1]["content"])
    assert "Pilots asked." in said
    assert "a.md (changed)\nb.md (new)" in said


def test_a_reply_that_cannot_be_read_is_asked_for_again() -> None:
    """And given up for the draft by rule."""
    good = json.dumps({"title": "T", "instruction": "Do it."})
    assert drafter(Answering("what?", good))(MESSAGES, FATES) == Draft("T", "Do it.")
    transport = Answering('{"title": 3, "instruction": ""}')
    one = drafter(transport)
    assert one(MESSAGES, FATES) == draft_of(MESSAGES, FATES)
    assert (one.unreadable, len(transport.calls)) == (1, ATTEMPTS)


def test_a_call_that_fails_for_good_is_an_error() -> None:
    """A draft by rule in its place would not be said."""
    with pytest.raises(ModelCallError):
        drafter(Answering())(MESSAGES, FATES)
