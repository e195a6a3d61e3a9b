from __future__ import annotations

import urllib.request

import pytest

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.chat import ChatReply, ChatRequest, Message
from pytest_comem.endpoint.client import ChatClient
from pytest_comem.endpoint.registry import LocalEndpoint, RemoteEndpoint, find_endpoint
from pytest_comem.endpoint.scripted import ScriptedChat
from pytest_comem.errors import InfrastructureError, SettingsError


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


def test_the_local_endpoint_serves_both_at_one_address() -> None:
    """Its server starts once, when an address is first read."""
    endpoint = find_endpoint(HashEmbedder(), model="scripted", api_base="")
    assert isinstance(endpoint, LocalEndpoint)
    assert endpoint.embedding_model == "hash-1"
    assert endpoint.chat_url == endpoint.embedding_url
    assert endpoint.chat_url.startswith("http://127.0.0.1:")
    assert endpoint.chat_url.endswith("/v1")
    client = ChatClient(endpoint.chat_url, endpoint.chat_model, endpoint.api_key)
    assert client.ask([{"role": "user", "content": "hello\nthere"}]) == "hello"


def test_a_remote_model_leaves_embeddings_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only chats go to the user's server, with the user's key."""
    monkeypatch.setenv("OPENAI_API_KEY", "users-own")
    endpoint = find_endpoint(HashEmbedder(), model="gpt", api_base="https://example.org/v1")
    assert isinstance(endpoint, RemoteEndpoint)
    assert (endpoint.chat_url, endpoint.chat_model) == ("https://example.org/v1", "gpt")
    assert endpoint.embedding_url.startswith("http://127.0.0.1:")
    assert (endpoint.embedding_model, endpoint.api_key) == ("hash-1", "users-own")


@pytest.mark.parametrize(
    ("model", "base", "option"),
    [
        ("gpt", "", "--comem-memory-model: 'gpt' needs --comem-memory-api-base"),
        ("scripted", "http://x/v1", "--comem-memory-api-base: http://x/v1 needs"),
        ("gpt", "localhost:8000", "--comem-memory-api-base: 'localhost:8000' is no address"),
    ],
)
def test_model_and_address_go_together(model: str, base: str, option: str) -> None:
    """One without the other is refused, as is what is no address; the option is named."""
    with pytest.raises(SettingsError, match=option):
        find_endpoint(HashEmbedder(), model=model, api_base=base)


@pytest.mark.parametrize(
    "base", ["http://user:secret@127.0.0.1/v1", "http://127.0.0.1/v1?key=secret"]
)
def test_an_address_with_a_secret_in_it_is_refused(base: str) -> None:
    """It would be written to the manifest; the message does not repeat it."""
    with pytest.raises(SettingsError, match="OPENAI_API_KEY") as caught:
        find_endpoint(HashEmbedder(), model="gpt", api_base=base)
    assert "secret" not in str(caught.value)


def test_a_key_out_of_a_file_loses_its_line_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A header with a line end in it would be refused, and the refusal would show the key."""
    endpoint = find_endpoint(HashEmbedder(), model="gpt", api_base="http://127.0.0.1/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1\r\n")
    assert endpoint.api_key == "sk-1"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-\x01secret")
    with pytest.raises(InfrastructureError) as caught:
        _ = endpoint.api_key
    assert "secret" not in str(caught.value)


def test_closing_ends_the_server() -> None:
    """Nothing listens any more, and closing what never served does nothing."""
    endpoint = find_endpoint(HashEmbedder(), model="scripted", api_base="")
    endpoint.close()
    url = endpoint.chat_url
    endpoint.close()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{url}/models", timeout=5)
