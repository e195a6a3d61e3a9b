"""Calls of every provider LiteLLM knows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.library import INSTALL, RESERVED, is_installed, load_litellm
from pytest_comem.llm.prices import prices_of, without_prices
from pytest_comem.llm.provider_faults import fault_of_litellm
from pytest_comem.llm.providers import has_table_price, takes_seed
from pytest_comem.llm.replies import read_completion, read_vectors
from pytest_comem.llm.wire import CONNECT

_SENT: Final = """
temperature top_p n max_tokens max_completion_tokens presence_penalty frequency_penalty logit_bias
user seed response_format tools tool_choice parallel_tool_calls functions function_call logprobs
top_logprobs stop reasoning_effort verbosity thinking
"""
#: Members of a call's body that are handed over. LiteLLM takes addresses, keys and callbacks from
#: the same arguments, and a call's body may come from code under test.
_CALLERS: Final = frozenset(_SENT.split())


@final
class LiteLLMTransport:
    """All providers of LiteLLM, each with its own key of the environment; from any thread."""

    def chat(self, call: ChatCall) -> Completion:
        """Make one attempt.

        :raises ProviderFault: where it fails.
        """
        spec = call.model
        arguments = _parameters(spec)
        arguments |= {name: value for name, value in call.more.items() if name in _CALLERS}
        if "seed" in arguments and is_installed() and not takes_seed(spec.name):
            # A run always has a seed; it makes replies more alike where there is such a thing.
            del arguments["seed"]
        response = _attempt(
            spec, lambda litellm: litellm.completion(messages=list(call.messages), **arguments)
        )
        prices = prices_of(spec.parameters)
        completion = read_completion(_reply_of(response), prices)
        if prices.given:
            return completion
        return Completion(
            message=completion.message,
            finish_reason=completion.finish_reason,
            input_tokens=completion.input_tokens,
            output_tokens=completion.output_tokens,
            cost=_cost(spec.name, response, completion.input_tokens + completion.output_tokens),
        )

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Make one attempt.

        :raises ProviderFault: where it fails.
        """
        arguments = _parameters(model)
        response = _attempt(
            model, lambda litellm: litellm.embedding(input=list(texts), **arguments)
        )
        prices = prices_of(model.parameters)
        reply = {"data": getattr(response, "data", None), "usage": _usage_of(response)}
        found = read_vectors(reply, len(texts), prices)
        if prices.given:
            return found
        cost = _cost(model.name, response, found.input_tokens)
        return Vectors(found.vectors, found.input_tokens, cost)

    def close(self) -> None:
        """Do nothing: LiteLLM keeps its connections for the whole process."""


def _parameters(spec: ModelSpec) -> dict[str, Any]:
    given = without_prices(spec.parameters)
    arguments = {name: value for name, value in given.items() if name not in RESERVED}
    if spec.api_base:
        arguments["api_base"] = spec.api_base
    return arguments


def _attempt(spec: ModelSpec, send: Callable[[Any], Any]) -> Any:
    """Return LiteLLM's response; *send* makes the call, given a module that fills in the rest."""
    if not is_installed():
        raise ProviderFault(Fault.BAD_REQUEST, f"{spec.name} needs the package litellm; {INSTALL}")
    import httpx

    fixed = {
        "model": spec.name,
        "timeout": httpx.Timeout(spec.timeout, connect=min(CONNECT, spec.timeout)),
        # Retries are the door's, which counts them.
        "num_retries": 0,
        "max_retries": 0,
    }
    before = sys.exception()
    try:
        return send(_With(load_litellm(), fixed))
    except Exception as error:
        raise fault_of_litellm(error, timeout=spec.timeout, before=before) from None


@final
class _With:
    """LiteLLM's two functions with arguments that no caller can replace."""

    def __init__(self, litellm: Any, fixed: Mapping[str, Any]) -> None:
        self._litellm = litellm
        self._fixed = fixed

    def completion(self, **arguments: Any) -> Any:
        return self._litellm.completion(**{**arguments, **self._fixed})

    def embedding(self, **arguments: Any) -> Any:
        return self._litellm.embedding(**{**arguments, **self._fixed})


def _reply_of(response: Any) -> dict[str, Any]:
    """Return LiteLLM's response in OpenAI's shape, without what LiteLLM adds of its own."""
    choices = []
    for choice in (getattr(response, "choices", None) or [])[:1]:
        message = choice.message.model_dump(mode="json", exclude_none=True, warnings=False)
        message.pop("provider_specific_fields", None)
        choices.append({"message": message, "finish_reason": choice.finish_reason})
    return {"choices": choices, "usage": _usage_of(response)}


def _usage_of(response: Any) -> dict[str, Any]:
    usage = getattr(response, "usage", None)
    names = ("prompt_tokens", "completion_tokens")
    return {name: getattr(usage, name, 0) for name in names}


def _cost(name: str, response: Any, tokens: int) -> float | None:
    """Return US dollars by LiteLLM's table; ``None`` where it has no price or nothing to count."""
    if not tokens or not has_table_price(name):
        return None
    cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    if cost is None:
        try:
            cost = load_litellm().completion_cost(completion_response=response, model=name)
        except Exception:
            return None
    return float(cost) if isinstance(cost, int | float) else None
