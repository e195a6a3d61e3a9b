"""LiteLLM, imported late, once, and kept quiet.

The import takes seconds and 160 MB, and left to itself asks a public host for prices. Nobody pays
for it who needs no provider of it.
"""

from __future__ import annotations

import logging
import os
import threading
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final

INSTALL: Final = "pip install 'pytest-comem[litellm]'"
_RESERVED: Final = """
model messages input api_key api_base base_url custom_llm_provider timeout request_timeout stream
stream_options num_retries max_retries fallbacks context_window_fallback_dict mock_response
mock_tool_calls mock_timeout headers extra_headers default_headers callbacks success_callback
failure_callback metadata caching cache logger_fn client
"""
#: Parameters of a model that say where calls go, or what is done with them, which is ours to say.
RESERVED: Final = frozenset(_RESERVED.split())
_IMPORT: Final = threading.Lock()
_LOGGERS: Final = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")


def is_installed() -> bool:
    """Whether LiteLLM can be imported; does not import it."""
    return find_spec("litellm") is not None


def load_litellm() -> Any:
    """Return the module LiteLLM, which contacts nobody but providers and says nothing.

    :raises ImportError: where it is not installed.
    """
    # Two threads that import it at once may see half of it.
    with _IMPORT:
        return _load()


@lru_cache(maxsize=1)
def _load() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.set_verbose = False
    # Embeddings would be tried three times behind our back: their function takes 0 for not given.
    litellm.DEFAULT_MAX_RETRIES = 0
    # What is said of an exception is said once, by us; its loggers would repeat requests.
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL + 1)
        logger.propagate = False
    return litellm


def is_provider(prefix: str) -> bool:
    """Whether LiteLLM has a provider called *prefix*; imports LiteLLM unless it cannot have."""
    # All of its providers are written like this; owners on model hubs often are not.
    if not prefix or prefix != prefix.lower() or "." in prefix or not is_installed():
        return False
    return prefix in _providers()


@lru_cache(maxsize=1)
def _providers() -> frozenset[str]:
    litellm = load_litellm()
    names = {str(getattr(provider, "value", provider)) for provider in litellm.provider_list}
    try:
        # Newer versions keep further providers in a file.
        from litellm.llms.openai_like.json_loader import JSONProviderRegistry

        names.update(JSONProviderRegistry.list_providers())
    except (ImportError, AttributeError):
        pass
    return frozenset(names)


@lru_cache(maxsize=256)
def split_name(name: str) -> tuple[str, str] | None:
    """Return provider and model of a name, or ``None`` where LiteLLM cannot tell; no network."""
    prefix, slash, rest = name.partition("/")
    if slash and is_provider(prefix):
        # Not LiteLLM's own function, which logs in at some providers.
        return prefix, rest
    try:
        model, provider, _, _ = load_litellm().get_llm_provider(model=name)
    except Exception:
        return None
    return str(provider), str(model)


def table_entry(name: str) -> dict[str, Any]:
    """Return what LiteLLM's table says of a model; empty where it does not know it.

    LiteLLM's own look-up asks some servers, and takes an unknown price for 0.
    """
    found = split_name(name)
    if found is None:
        return {}
    provider, model = found
    table = load_litellm().model_cost
    for key in (name, f"{provider}/{model}", model):
        entry = table.get(key)
        if isinstance(entry, dict) and str(entry.get("litellm_provider")).startswith(provider):
            return entry
    return {}
