from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from pytest_comem.llm import library
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.litellm_transport import LiteLLMTransport
from pytest_comem.llm.transport import find_transport, goes_direct, provider_of
from pytest_comem.llm.wire import OpenAIWire

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
BASE = "http://127.0.0.1:8000/v1"
DIRECT = [
    "openai/gpt-x",
    "hosted_vllm/Qwen/Qwen3",
    "lm_studio/x",
    "litellm_proxy/x",
    "custom_openai/x",
    "smollm2",
    "Qwen/Qwen3",
    "mistral.ai/x",
]
with_litellm = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed")


@pytest.mark.parametrize("name", DIRECT)
def test_what_goes_straight_to_a_base_url(name: str) -> None:
    """Names of OpenAI's protocol, and names that are no provider's."""
    assert goes_direct(ModelSpec(name, BASE))
    assert not goes_direct(ModelSpec(name))


@with_litellm
@pytest.mark.parametrize("name", ["azure/x", "anthropic/claude-x", "ollama/x", "gemini/x"])
def test_other_protocols_go_through_litellm(name: str) -> None:
    """Also at a base URL."""
    assert not goes_direct(ModelSpec(name, BASE))


@with_litellm
def test_owners_on_model_hubs_are_no_providers() -> None:
    """A server's own names may have a slash."""
    assert goes_direct(ModelSpec("meta-llama/Llama-3.1-8B", BASE))


def test_without_litellm_a_base_url_is_called_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no other way."""
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    assert goes_direct(ModelSpec("anthropic/x", BASE))


def test_litellm_is_not_imported_to_find_out() -> None:
    """Neither for these names at a base URL, nor for who is called, nor to make a transport."""
    code = f"""
import sys
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.transport import find_transport, provider_of
for name in {DIRECT!r}:
    find_transport(ModelSpec(name, {BASE!r})).close()
for name in ("gpt-4o", "anthropic/x", "x"):
    provider_of(ModelSpec(name))
    find_transport(ModelSpec(name)).close()
assert "litellm" not in sys.modules
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


def test_transports() -> None:
    """Each is one's own, to be closed by whoever asked for it."""
    one, other = (find_transport(ModelSpec("openai/x", BASE)) for _ in range(2))
    assert isinstance(one, OpenAIWire)
    assert one is not other
    one.close()
    other.close()
    assert isinstance(find_transport(ModelSpec("openai/x")), LiteLLMTransport)


def test_a_base_url_that_is_none() -> None:
    """A run that did not check its settings gets a fault that is not tried again."""
    with pytest.raises(ProviderFault, match="no base URL") as caught:
        find_transport(ModelSpec("openai/x", "localhost:8000"))
    assert caught.value.kind is Fault.BAD_REQUEST


@pytest.mark.parametrize(
    ("name", "base", "provider"),
    [
        ("openai/x", "http://127.0.0.1:8000/v1", "127.0.0.1:8000"),
        ("anthropic/x", "https://user:secret@Models.Example/v1/", "models.example:443"),
        ("x", "http://models.example", "models.example:80"),
        ("x", "http://[", "unknown"),
        ("openai/x", "", "openai"),
        ("gpt-4o", "", "openai"),
        ("o3-mini", "", "openai"),
        ("claude-sonnet-4-5", "", "anthropic"),
        ("deepseek/deepseek-chat", "", "deepseek"),
        ("unheard-of", "", "unheard-of"),
    ],
)
def test_who_is_called(name: str, base: str, provider: str) -> None:
    """Limits hold for a server or for a provider with all its models; no password is told."""
    assert provider_of(ModelSpec(name, base)) == provider
