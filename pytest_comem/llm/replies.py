"""Reads what a provider sends back when all went well, which is not trusted to have the form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_comem.llm.calls import Completion, Vectors
from pytest_comem.llm.classify import fault_of, refusal_of, shortened
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.prices import Prices

#: Tokens that one call can have had, at most; more is nonsense.
_MOST_TOKENS: Final = 1_000_000_000
#: Of a vector's numbers; squares of larger ones would not fit.
_LARGEST: Final = 1e18


def read_completion(reply: Any, prices: Prices) -> Completion:
    """Return the completed chat of a reply in OpenAI's shape.

    :raises ProviderFault: where there is none, or the provider's filter has cut it.
    """
    choice = _first(reply.get("choices")) if isinstance(reply, Mapping) else None
    message = choice.get("message") if choice is not None else None
    if choice is None or not isinstance(message, Mapping):
        raise _unreadable(reply, "no message")
    reason = choice.get("finish_reason")
    if reason == "content_filter":
        raise ProviderFault(Fault.CONTENT_FILTER, "the provider's filter withheld the reply")
    tokens_in, tokens_out = _tokens(reply)
    return Completion(
        message={**message, "role": "assistant", "content": _text(message.get("content"))},
        finish_reason=reason if isinstance(reason, str) else "stop",
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cost=prices.cost(tokens_in, tokens_out),
    )


def read_vectors(reply: Any, wanted: int, prices: Prices) -> Vectors:
    """Return the vectors of a reply in OpenAI's shape, in the order of their texts.

    :param wanted: number of texts.
    :raises ProviderFault: where they are not that many vectors of one length.
    """
    try:
        rows = sorted(reply["data"], key=lambda row: int(row["index"]))
        vectors = [[float(number) for number in row["embedding"]] for row in rows]
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError):
        raise _unreadable(reply, "no embeddings") from None
    lengths = {len(vector) for vector in vectors}
    if len(vectors) != wanted or len(lengths) != 1 or 0 in lengths:
        raise ProviderFault(
            Fault.SERVER_ERROR,
            f"{len(vectors)} vectors came for {wanted} texts, of {sorted(lengths)[:5]} numbers",
        )
    # A comparison with what is no number is false.
    if not all(-_LARGEST <= number <= _LARGEST for vector in vectors for number in vector):
        raise ProviderFault(Fault.SERVER_ERROR, "a vector has numbers that are none of a vector")
    tokens, _ = _tokens(reply)
    return Vectors(vectors, tokens, prices.cost(tokens, 0))


def _first(choices: Any) -> Mapping[str, Any] | None:
    found = choices[0] if isinstance(choices, list) and choices else None
    return found if isinstance(found, Mapping) else None


def _text(content: Any) -> str | None:
    """Return a message's content as one text; some providers send it in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _tokens(reply: Mapping[str, Any]) -> tuple[int, int]:
    usage = reply.get("usage")
    if not isinstance(usage, Mapping):
        return 0, 0
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def _count(value: Any) -> int:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else 0


def _unreadable(reply: Any, what: str) -> ProviderFault:
    """Return the fault of a reply that is none; some report errors with a status of success."""
    if isinstance(reply, Mapping) and reply.get("error"):
        refusal = refusal_of(reply, "no message")
        status = refusal.status or 500
        said = shortened(refusal.message)
        return ProviderFault(fault_of(status, refusal), f"an error instead of a reply: {said}")
    return ProviderFault(Fault.SERVER_ERROR, f"{what} in the reply")
