from __future__ import annotations

import pytest

from pytest_comem.endpoint.chat import ChatReply, ChatRequest, Message
from pytest_comem.endpoint.scripted import ScriptedChat


def request(*texts: str) -> ChatRequest:
    """Return a chat of the user's."""
    return ChatRequest("m", tuple(Message("user", text) for text in texts))


def test_the_first_script_that_answers_is_taken() -> None:
    """Scripts are asked in order, and one that does not recognize the request is passed over."""
    scripts = (
        lambda _: None,
        lambda asked: ChatReply("second") if asked.text_of("user") == "x" else None,
        lambda _: ChatReply("third"),
    )
    chat = ScriptedChat(scripts=scripts)
    assert chat.complete(request("x")).text == "second"
    assert chat.complete(request("y")).text == "third"


@pytest.mark.parametrize(
    ("texts", "said"), [((), ""), (("a", "\n b c \nd"), "b c"), (("", ""), "")]
)
def test_unrecognized_requests_get_the_last_messages_first_line(
    texts: tuple[str, ...], said: str
) -> None:
    """The shipped scripts leave a plain question alone."""
    assert ScriptedChat().complete(request(*texts)) == ChatReply(said)
