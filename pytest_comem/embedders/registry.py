"""From the name on the command line to an embedder."""

from __future__ import annotations

from typing import Final

from pytest_comem.embedders.base import Embedder
from pytest_comem.embedders.cached import CachedEmbedder
from pytest_comem.errors import SettingsError
from pytest_comem.suggest import did_you_mean

NAMES: Final = ("hash", "minilm")


def find_embedder(name: str) -> Embedder:
    """Return the embedder for ``--comem-embedder``, its vectors cached by text.

    :raises SettingsError: where the name is unknown or its package is missing.
    """
    if name == "hash":
        from pytest_comem.embedders.hash import HashEmbedder

        return CachedEmbedder(HashEmbedder())
    if name == "minilm":
        from pytest_comem.embedders.minilm import MiniLMEmbedder

        return CachedEmbedder(MiniLMEmbedder.load())
    if "/" in name:
        from pytest_comem.embedders.litellm import LiteLLMEmbedder

        return CachedEmbedder(LiteLLMEmbedder(name))
    raise SettingsError(
        f"--comem-embedder: {name!r} is unknown; {did_you_mean(name, NAMES)} "
        "A LiteLLM embedding model is given as provider/model."
    )
