from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

import pytest

from pytest_comem.embedders import litellm
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.embedders.litellm import BATCH, LiteLLMEmbedder
from pytest_comem.endpoint.scripted import ScriptedChat
from pytest_comem.endpoint.server import LoopbackServer
from pytest_comem.errors import InfrastructureError, SettingsError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
installed = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed")


class Long:
    """An embedder of vectors that are not of length 1; breaks where told to."""

    name = "long"
    dimensions = 384

    def __init__(self) -> None:
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return hash vectors, times three."""
        self.batches.append(len(texts))
        if "break" in texts:
            raise RuntimeError("out of vectors")
        return [[3 * number for number in vector] for vector in HashEmbedder().embed(texts)]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Long]:
    """A provider on loopback where LiteLLM looks for OpenAI."""
    behind = Long()
    server = LoopbackServer(behind, ScriptedChat(scripts=()))
    base = server.start()
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, base)
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    yield behind
    server.stop()


@installed
def test_vectors_of_a_provider(provider: Long) -> None:
    """They come in order, in batches, of length 1 whatever the provider's are."""
    texts = [f"text number {number}" for number in range(BATCH + 6)]
    vectors = LiteLLMEmbedder("openai/x").embed(texts)
    assert provider.batches == [BATCH, 6]
    for vector, expected in zip(vectors, HashEmbedder().embed(texts), strict=True):
        assert vector == pytest.approx(expected, abs=1e-6)
        assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-12)


@installed
def test_dimensions_are_found_once(provider: Long) -> None:
    """One text is embedded to find them, when they are first asked for."""
    embedder = LiteLLMEmbedder("openai/x")
    assert embedder.name == "openai/x"
    assert provider.batches == []
    assert [embedder.dimensions, embedder.dimensions] == [384, 384]
    assert provider.batches == [1]


@installed
def test_odd_texts(provider: Long) -> None:
    """Empty texts, which providers refuse, are sent as a space."""
    vectors = LiteLLMEmbedder("openai/x").embed(["", "é 漢字", "\0"])
    assert vectors[0] == pytest.approx(HashEmbedder().embed([" "])[0], abs=1e-6)
    assert LiteLLMEmbedder("openai/x").embed([]) == []


@installed
def test_a_provider_that_breaks(provider: Long) -> None:
    """Its failure is an infrastructure error that names the model and says what it said."""
    with pytest.raises(InfrastructureError, match=r"embedder openai/x failed: .*out of") as caught:
        LiteLLMEmbedder("openai/x").embed(["break"])
    assert caught.value.type == "provider"


@installed
def test_an_unknown_provider(provider: Long) -> None:
    """A provider LiteLLM does not know is an infrastructure error as well."""
    with pytest.raises(InfrastructureError, match="nowhere/x"):
        LiteLLMEmbedder("nowhere/x").embed(["text"])


@installed
def test_litellm_is_imported_late_and_asks_no_one_for_prices() -> None:
    """Making an embedder imports nothing heavy; the import itself contacts nobody."""
    code = """
import socket, sys
from pytest_comem.embedders.litellm import LiteLLMEmbedder, _litellm
embedder = LiteLLMEmbedder("openai/x")
assert "litellm" not in sys.modules
def refuse(*arguments, **more):
    raise SystemExit(f"contacted {arguments}")
socket.getaddrinfo = socket.socket.connect = refuse
module = _litellm()
assert module.telemetry is False
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


def test_a_missing_package_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the model asked for and the extra."""
    monkeypatch.setattr(litellm, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"openai/x needs .*pytest-comem\[litellm\]"):
        LiteLLMEmbedder("openai/x")
