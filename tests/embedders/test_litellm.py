from __future__ import annotations

import math
import subprocess
import sys
from array import array
from collections.abc import Sequence
from importlib.util import find_spec

import pytest
from model_server import Fault, ModelServer, always, first, vector_of

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.embedders.litellm import BATCH, LiteLLMEmbedder
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import ModelCallError
from pytest_comem.llm.retries import RetryPolicy

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
installed = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed")


class Long:
    """A transport of vectors that are not of length 1."""

    def __init__(self, factor: float = 3.0) -> None:
        self.factor = factor
        self.batches: list[list[str]] = []

    def chat(self, call: ChatCall) -> Completion:
        """Refuse: an embedder has nothing to chat about."""
        raise AssertionError(call)

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Return hash vectors, times the factor."""
        self.batches.append(list(texts))
        vectors = HashEmbedder().embed(texts)
        return Vectors([[self.factor * number for number in vector] for vector in vectors])

    def close(self) -> None:
        """Do nothing."""


def embedder_over(transport: Long) -> LiteLLMEmbedder:
    """Return an embedder whose calls end at *transport*."""
    return LiteLLMEmbedder("openai/x", Door(lambda model: transport))


def test_vectors_come_in_order_and_in_batches() -> None:
    """They are of length 1 whatever the provider's are."""
    behind = Long()
    texts = [f"text number {number}" for number in range(BATCH + 6)]
    vectors = embedder_over(behind).embed(texts)
    assert [len(batch) for batch in behind.batches] == [BATCH, 6]
    for vector, expected in zip(vectors, HashEmbedder().embed(texts), strict=True):
        assert vector == pytest.approx(expected, abs=1e-6)
        assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-12)


def test_a_vector_is_the_same_from_a_recording_and_in_any_batch() -> None:
    """What is lost in a recording of single precision is lost before, too."""
    (live,) = embedder_over(Long()).embed(["a text"])

    class Recorded(Long):
        def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
            found = super().embed(model, texts)
            return Vectors([array("f", vector).tolist() for vector in found.vectors])

    many = [f"text {number}" for number in range(BATCH)]
    assert embedder_over(Recorded()).embed([*many, "a text"])[-1] == live
    assert embedder_over(Long()).embed(["a text", *many])[0] == live


def test_dimensions_are_found_once() -> None:
    """One text is embedded to find them, when they are first asked for."""
    behind = Long()
    embedder = embedder_over(behind)
    assert (embedder.name, behind.batches) == ("openai/x", [])
    assert [embedder.dimensions, embedder.dimensions] == [384, 384]
    assert len(behind.batches) == 1


def test_odd_texts() -> None:
    """Empty texts, which providers refuse, are sent as a space; no text is no call."""
    behind = Long()
    embedder = embedder_over(behind)
    assert embedder.embed([]) == []
    assert len(embedder.embed(["", "é 漢字", "\0", "lone \ud800"])) == 4
    assert behind.batches == [[" ", "é 漢字", "\0", "lone \ud800"]]


def test_a_vector_without_a_direction() -> None:
    """It cannot be made one of length 1, and is the provider's trouble."""
    with pytest.raises(ModelCallError, match=r"embedder openai/x failed: .*length 0") as caught:
        embedder_over(Long(0.0)).embed(["text"])
    assert caught.value.type == "server_error"


@pytest.fixture
def openai(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """OpenAI's key, where LiteLLM looks for it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any-key-of-a-test")
    return monkeypatch


def at(server: ModelServer, environment: pytest.MonkeyPatch) -> LiteLLMEmbedder:
    """Return an embedder that finds *server* where LiteLLM looks for OpenAI."""
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        environment.setenv(name, server.url)
    return LiteLLMEmbedder("openai/x", Door(retries=RetryPolicy(retries=2, base=0.001)))


@installed
def test_vectors_of_a_provider(openai: pytest.MonkeyPatch) -> None:
    """They are what the provider said, over a fault that passes."""
    with ModelServer(faults=first(Fault())) as server:
        vectors = at(server, openai).embed(["a", "b"])
    assert len(server.calls) == 2
    for vector, text in zip(vectors, "ab", strict=True):
        length = math.hypot(*vector_of(text))
        expected = [number / length for number in vector_of(text)]
        assert vector == pytest.approx(expected, abs=1e-6)


@installed
def test_a_provider_that_breaks(openai: pytest.MonkeyPatch) -> None:
    """Its failure is an infrastructure error that names the model and says what it said."""
    with (
        ModelServer(faults=always(Fault(message="out of vectors"))) as server,
        pytest.raises(InfrastructureError, match=r"openai/x .*out of vectors") as caught,
    ):
        at(server, openai).embed(["text"])
    assert caught.value.type == "server_error"
    assert len(server.calls) == 3


@installed
def test_an_unknown_provider() -> None:
    """A provider LiteLLM does not know is an infrastructure error as well."""
    with pytest.raises(InfrastructureError, match="nowhere/x"):
        LiteLLMEmbedder("nowhere/x", Door()).embed(["text"])


def test_making_one_imports_nothing_heavy() -> None:
    """Neither LiteLLM nor httpx is imported before the first call."""
    code = """
import sys
from pytest_comem.embedders.registry import find_embedder
from pytest_comem.llm.door import Door
find_embedder("openai/x", Door())
assert not {"litellm", "httpx", "openai"} & set(sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")
