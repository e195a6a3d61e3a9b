"""What LiteLLM knows of a model before the first call: whether it can be called, and how.

Nothing here uses the network. Models at an OpenAI-compatible base URL are never looked up: what is
called there is for its operator to say.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from typing import Any, Final

from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.library import (
    INSTALL,
    RESERVED,
    is_installed,
    load_litellm,
    split_name,
    table_entry,
)
from pytest_comem.llm.local.files import find_weights, is_local
from pytest_comem.llm.prices import check_prices, prices_of
from pytest_comem.llm.transport import goes_direct
from pytest_comem.llm.wire import check_wire
from pytest_comem.suggest import did_you_mean

#: Looking up their keys would log in.
_LOG_IN: Final = ("github_copilot", "chatgpt")
#: What stands in for Azure's key.
_AZURE_IDENTITY: Final = ("AZURE_AD_TOKEN", "AZURE_CLIENT_ID", "AZURE_TENANT_ID")


def check_model(spec: ModelSpec, also: Iterable[str] = ()) -> None:
    """Check that calls of a model can be made.

    :param also: further names that may have been meant.
    :raises SettingsError: naming what is wrong and the way out, but no option.
    """
    check_prices(spec.parameters)
    for name in spec.parameters:
        if name in RESERVED:
            raise SettingsError(f"{name} cannot be given as a parameter of {spec.name}.")
    if goes_direct(spec):
        check_wire(spec.api_base)
        return
    if is_local(spec):
        find_weights(spec.name)
        return
    if not is_installed():
        # Without a provider in front it may be one of ours, misspelt.
        ours = "" if "/" in spec.name else ", ".join(also) and did_you_mean(spec.name, also)
        meant = f"{ours} As a model, " if ours else ""
        raise SettingsError(f"{meant}{spec.name} needs the package litellm; {INSTALL}")
    if spec.api_base:
        check_wire(spec.api_base)
    found = split_name(spec.name)
    if found is None:
        raise SettingsError(f"{spec.name!r} is no model known to LiteLLM; {_hint(spec.name, also)}")
    missing = _missing_keys(spec.name, found[0])
    if missing:
        raise SettingsError(
            f"{spec.name} needs a key: set the environment variable {' or '.join(missing)}"
        )


def known_price(spec: ModelSpec) -> bool:
    """Whether calls of a model can be priced; an unknown price is not 0."""
    prices = prices_of(spec.parameters)
    if prices.given:
        return prices.complete
    if is_local(spec):
        return True
    return not goes_direct(spec) and is_installed() and has_table_price(spec.name)


def has_table_price(name: str) -> bool:
    """Whether LiteLLM's table has a price for a model."""
    return isinstance(table_entry(name).get("input_cost_per_token"), int | float)


def unsupported_parameters(spec: ModelSpec) -> list[str]:
    """Return which of a model's parameters LiteLLM would refuse to send with their values."""
    if goes_direct(spec) or is_local(spec) or not is_installed():
        return []
    found = split_name(spec.name)
    if found is None:
        return []
    from litellm.utils import get_optional_params

    def refused(name: str, value: Any) -> bool:
        arguments: dict[str, Any] = {name: value}
        try:
            get_optional_params(model=found[1], custom_llm_provider=found[0], **arguments)
        except load_litellm().UnsupportedParamsError:
            return True
        except Exception:
            # Not for us to say; the provider will.
            return False
        return False

    return [name for name, value in spec.parameters.items() if refused(name, value)]


def takes_seed(name: str) -> bool:
    """Whether a model's provider takes a seed, as far as LiteLLM knows."""
    found = split_name(name)
    if found is None:
        return True
    supported = load_litellm().get_supported_openai_params(found[1], found[0])
    return supported is None or "seed" in supported


def _hint(name: str, also: Iterable[str]) -> str:
    form = "A model is given as provider/model, such as openai/gpt-4o-mini."
    known = {*also, *_table_names()}
    near = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.6)
    if near:
        return f"{did_you_mean(name, near)} {form}"
    return f"{did_you_mean(name, also)} {form}" if also else form


def _table_names() -> set[str]:
    """Return the models of LiteLLM's table, all as provider/model."""
    names = set()
    for key, entry in load_litellm().model_cost.items():
        provider = entry.get("litellm_provider") if isinstance(entry, dict) else None
        names.add(key if "/" in key or not isinstance(provider, str) else f"{provider}/{key}")
    return names


def _missing_keys(name: str, provider: str) -> list[str]:
    """Return the variables of which one must hold a key and none does.

    Only keys: clouds have other ways to say who one is than those LiteLLM lists.
    """
    if provider in _LOG_IN or (provider == "azure" and any(map(_is_set, _AZURE_IDENTITY))):
        return []
    listed = load_litellm().validate_environment(model=name)["missing_keys"]
    usual = f"{provider.upper()}_API_KEY"
    # An empty variable passes for a key there.
    wanted = [*listed, *([usual] if usual in os.environ and usual not in listed else [])]
    keys = [key for key in wanted if key.endswith("_API_KEY")]
    return [] if any(map(_is_set, keys)) else keys


def _is_set(variable: str) -> bool:
    return bool(os.environ.get(variable, "").strip())
