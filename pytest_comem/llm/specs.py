"""From the options of a run to the models it asks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.classify import shortened
from pytest_comem.settings import Settings

#: Names that would carry a secret into the manifest, or are given by options of their own.
_SECRET: Final = ("key", "token", "secret", "password", "header", "authorization", "credential")
_OWN: Final = {
    "model": "--comem-model",
    "messages": "--comem-model",
    "api_base": "--comem-api-base",
    "base_url": "--comem-api-base",
    "temperature": "--comem-temperature",
    "max_tokens": "--comem-max-output-tokens",
    "reasoning_effort": "--comem-reasoning-effort",
    "seed": "--comem-seed",
    "timeout": "--comem-timeout",
    "response_format": "--comem-structured",
}
#: Names in which one of the words above is innocent.
_INNOCENT: Final = ("_per_token", "_tokens")


def answering_model(settings: Settings, name: str, repeat: int = 0) -> ModelSpec:
    """Return the model *name* as it is asked in one repeat; the seed is the run's plus its number.

    :raises SettingsError: where a ``--comem-model-option`` cannot be used.
    """
    calls = settings.calls
    parameters: dict[str, Any] = {
        "max_tokens": calls.max_output_tokens,
        "seed": settings.seed + repeat,
    }
    if calls.temperature is not None:
        parameters["temperature"] = calls.temperature
    if calls.reasoning_effort:
        parameters["reasoning_effort"] = calls.reasoning_effort
    parameters.update(read_options(calls.options))
    return ModelSpec(name, calls.api_base, parameters, calls.timeout)


def judging_model(settings: Settings) -> ModelSpec:
    """Return the judge's model: temperature 0 (protocol, "LLM judge"), the run's own seed."""
    calls = settings.calls
    parameters = {
        "max_tokens": calls.max_output_tokens,
        "seed": settings.seed,
        "temperature": 0.0,
    }
    return ModelSpec(settings.judge, calls.judge_api_base, parameters, calls.timeout)


def read_options(assignments: Iterable[str]) -> dict[str, Any]:
    """Return ``KEY=VALUE`` assignments as parameters; a value that is JSON is taken for it.

    :raises SettingsError: naming the assignment and the way out.
    """
    found: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        key = key.strip()
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            read = value
        # Neither value nor assignment is repeated: it may be a key.
        for name in (key, *_names_in(read)):
            if equals and _is_secret(name):
                raise SettingsError(
                    f"--comem-model-option: {name} looks like a secret, which does not belong on "
                    "a command line; keys are taken from the environment, such as OPENAI_API_KEY"
                )
        if not equals or not key.isidentifier():
            raise SettingsError(
                f"--comem-model-option: {shortened(key)!r} is not KEY=VALUE, such as top_p=0.9"
            )
        if key in _OWN:
            raise SettingsError(f"--comem-model-option: {key} is said by {_OWN[key]}")
        found[key] = read
    return found


def _is_secret(name: str) -> bool:
    name = name.lower()
    return any(word in name for word in _SECRET) and not name.endswith(_INNOCENT)


def _names_in(value: Any) -> Iterator[str]:
    """Yield the names of a JSON value's members, at any depth."""
    members = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for member in members:
            yield from _names_in(member)
