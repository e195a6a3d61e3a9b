"""From the name on the command line to an embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_comem.embedders.base import Embedder
from pytest_comem.embedders.cached import CachedEmbedder
from pytest_comem.errors import SettingsError
from pytest_comem.suggest import did_you_mean

if TYPE_CHECKING:
    from pytest_comem.llm.door import Door

NAMES: Final = ("hash", "minilm")


def find_embedder(name: str, door: Door | None = None) -> Embedder:
    """Return the embedder for ``--comem-embedder``, its vectors cached by text.

    :param door: where a provider's model is called, which is not checked then: vectors may have
        been recorded. One of the embedder's own when not given.
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

        if door is None:
            from pytest_comem.llm.door import Door

            check_embedder(name)
            door = Door()
        return CachedEmbedder(LiteLLMEmbedder(name, door))
    raise SettingsError(
        f"--comem-embedder: {name!r} is unknown; {did_you_mean(name, NAMES)} "
        "A LiteLLM embedding model is given as provider/model."
    )


def check_embedder(name: str) -> None:
    """Check that a provider's model can be called; any other name is let pass.

    :raises SettingsError: naming the option and the way out.
    """
    if "/" not in name:
        return
    from pytest_comem.llm.calls import ModelSpec
    from pytest_comem.llm.providers import check_model

    try:
        check_model(ModelSpec(name))
    except SettingsError as error:
        raise SettingsError(f"--comem-embedder: {error}") from error
