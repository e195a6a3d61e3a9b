from __future__ import annotations

import urllib.request
from importlib.util import find_spec

import pytest
from scripted_transport import ScriptedTransport

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.client import ChatClient
from pytest_comem.endpoint.registry import find_endpoint, spec_of
from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.llm.door import Door
from pytest_comem.llm.meter import Meter

HELLO = [{"role": "user", "content": "hello\nthere"}]


def test_the_scripted_model_and_the_embedder_are_at_one_address() -> None:
    """Their server starts once, when an address is first read."""
    endpoint = find_endpoint(HashEmbedder(), model="scripted", api_base="")
    assert endpoint.embedding_model == "hash-1"
    assert endpoint.chat_url == endpoint.embedding_url
    assert endpoint.chat_url.startswith("http://127.0.0.1:")
    assert endpoint.chat_url.endswith("/v1")
    client = ChatClient(endpoint.chat_url, endpoint.chat_model, endpoint.api_key)
    assert client.ask(HELLO) == "hello"
    endpoint.close()


@pytest.mark.parametrize(
    ("model", "base", "name", "asked"),
    [
        ("gpt", "http://127.0.0.1:9/v1", "openai/gpt", "gpt"),
        ("openai/gpt", "http://127.0.0.1:9/v1", "openai/gpt", "gpt"),
        ("maker/gpt", "http://127.0.0.1:9/v1", "openai/maker/gpt", "maker/gpt"),
        ("maker/gpt", "", "maker/gpt", "gpt"),
        ("gpt", "", "gpt", "gpt"),
    ],
)
def test_names_of_models(model: str, base: str, name: str, asked: str) -> None:
    """At an address a model is one of OpenAI's kind; libraries ask without the provider."""
    assert (spec_of(model, base).name, spec_of(model, base).api_base) == (name, base)
    endpoint = find_endpoint(HashEmbedder(), model=model, api_base=base)
    assert endpoint.chat_model == model
    assert endpoint.of(Meter("x")).chat_model == asked


def test_libraries_see_neither_address_nor_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the model and wherever it is, they get loopback addresses and a key that is none."""
    monkeypatch.setenv("OPENAI_API_KEY", "users-own")
    transport = ScriptedTransport()
    door = Door(transport=lambda model: transport)
    endpoint = find_endpoint(
        HashEmbedder(), model="gpt", api_base="https://example.org/v1", door=door
    )
    meter = Meter("one")
    own = endpoint.of(meter)
    assert own.chat_url.startswith("http://127.0.0.1:")
    assert own.embedding_url == own.chat_url
    assert (own.api_key, own.embedding_model) == ("local", "hash-1")
    assert ChatClient(own.chat_url, own.chat_model, own.api_key).ask(HELLO) == "hello"
    (call,) = transport.calls
    assert (call.model.name, call.model.api_base) == ("openai/gpt", "https://example.org/v1")
    assert meter.take()["other"].calls == 1
    own.close()
    with pytest.raises(InfrastructureError, match="no memory instance has this address"):
        ChatClient(own.chat_url, own.chat_model, own.api_key).ask(HELLO)
    endpoint.close()


def test_nobodys_address_does_not_reach_a_model_that_costs() -> None:
    """A call that could be counted nowhere is refused, with where to send it."""
    transport = ScriptedTransport()
    door = Door(transport=lambda model: transport)
    endpoint = find_endpoint(HashEmbedder(), model="openai/gpt", api_base="", door=door)
    with pytest.raises(InfrastructureError, match=r"setup\.endpoint\.chat_url"):
        ChatClient(endpoint.chat_url, "gpt", "any").ask(HELLO)
    assert transport.calls == []
    endpoint.close()


@pytest.mark.skipif(find_spec("httpx") is None, reason="httpx is not installed")
def test_without_a_door_it_has_one_of_its_own() -> None:
    """A program that opens a memory outside a run reaches its model as well."""
    target = find_endpoint(HashEmbedder(), model="scripted", api_base="")
    endpoint = find_endpoint(HashEmbedder(), model="gpt", api_base=target.chat_url)
    own = endpoint.of(Meter("x"))
    assert ChatClient(own.chat_url, own.chat_model, own.api_key).ask(HELLO) == "hello"
    endpoint.close()
    target.close()


@pytest.mark.parametrize(
    ("model", "base", "option"),
    [
        ("", "", "--comem-memory-model: it is empty"),
        ("scripted", "http://x/v1", "--comem-memory-api-base: http://x/v1 needs"),
        ("gpt", "localhost:8000", "--comem-memory-api-base: 'localhost:8000' is no address"),
    ],
)
def test_settings_that_cannot_be_used(model: str, base: str, option: str) -> None:
    """The scripted model has no address, and an address is one; the option is named."""
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


def test_closing_ends_the_server() -> None:
    """Nothing listens any more, and closing what never served does nothing."""
    endpoint = find_endpoint(HashEmbedder(), model="scripted", api_base="")
    endpoint.close()
    url = endpoint.chat_url
    endpoint.close()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{url}/models", timeout=5)
