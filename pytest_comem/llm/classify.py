"""From what a provider sends back when it refuses to the type of fault it is.

Both transports read refusals with this module, so that a type means the same on either way. What
providers send is not trusted: it is only searched for fixed phrases, and shortened.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple, final

from pytest_comem.core.printable import printable
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.secrets import without_secrets

#: Characters of a provider's message that are passed on, at most.
SHOWN: Final = 500
#: Seconds a provider can ask to wait, at most.
LONGEST_WAIT: Final = 3600.0
#: Characters of a refusal that are looked at.
_READ: Final = 4000
#: A key, or part of one with stars in the middle, as OpenAI repeats it.
_KEY: Final = re.compile(r"\b(?:(?:sk|gsk|pk|hf|xai)[-_]|AIza)[\w*.-]{6,200}")

_TOO_LONG_CODES: Final = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
)
#: OpenAI and vLLM; llama.cpp; Anthropic; Gemini; Mistral and Ollama; Groq; TGI; LM Studio.
_TOO_LONG: Final = (
    "maximum context length",
    "maximum model length",
    "exceeds the available context size",
    "prompt is too long",
    "input token count",
    "exceeds the maximum number of tokens",
    "exceeds the context length",
    "context length exceeded",
    "context window",
    "reduce the length of the messages",
    "`inputs` tokens + `max_new_tokens`",
    "greater than the context length",
    "request too large for",
)
_FILTER_CODES: Final = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
)
_FILTERED: Final = ("content management policy", "content filtering policy", "content policy")
_UNPAID_CODES: Final = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
)
_UNPAID: Final = ("credit balance is too low", "insufficient balance", "insufficient credits")


@final
class Refusal(NamedTuple):
    """What the body of a refusal says.

    :param message: the provider's words, or all of the body where it has no known form.
    :param codes: what it gives as code and type, in lower case.
    :param status: a status code inside the body, or 0.
    """

    message: str
    codes: frozenset[str]
    status: int = 0


def read_refusal(body: bytes | str) -> Refusal:
    """Return what a refusal's body says, whatever its form."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        return refusal_of(json.loads(text), text)
    except (ValueError, RecursionError):
        return Refusal(text, frozenset())


def refusal_of(value: Any, text: str) -> Refusal:
    """Return what a refusal's JSON says; *text* is the message where it has none."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, Mapping):
        return Refusal(text, frozenset())
    inner = value.get("error", value)
    if isinstance(inner, str):
        return Refusal(inner, frozenset())
    if not isinstance(inner, Mapping):
        return Refusal(text, frozenset())
    deeper = inner.get("innererror")
    given = [inner.get("code"), inner.get("type"), inner.get("status")]
    given += [deeper.get("code")] if isinstance(deeper, Mapping) else []
    codes = frozenset(one.lower() for one in given if isinstance(one, str))
    message = next((inner[k] for k in ("message", "detail") if isinstance(inner.get(k), str)), text)
    status = next((one for one in given if type(one) is int and 100 <= one < 600), 0)
    return Refusal(message, codes, status)


def fault_of(status: int, refusal: Refusal) -> Fault:
    """Return the type of a refusal with this status code, which is none of success."""
    said = refusal.message[:_READ].lower()
    if refusal.codes & _UNPAID_CODES or any(phrase in said for phrase in _UNPAID):
        return Fault.AUTHENTICATION
    if status in (401, 402, 403):
        return Fault.AUTHENTICATION
    if refusal.codes & _TOO_LONG_CODES or any(phrase in said for phrase in _TOO_LONG):
        return Fault.CONTEXT_TOO_LONG
    if status < 500 and (
        refusal.codes & _FILTER_CODES or any(phrase in said for phrase in _FILTERED)
    ):
        return Fault.CONTENT_FILTER
    if status == 429:
        return Fault.RATE_LIMIT
    if status in (408, 409):
        return Fault.TIMEOUT
    return Fault.SERVER_ERROR if status >= 500 else Fault.BAD_REQUEST


def refused(status: int, headers: Mapping[str, str], body: bytes | str) -> ProviderFault:
    """Return the fault that a reply with a status code other than success stands for."""
    refusal = read_refusal(body)
    kind = fault_of(status, refusal)
    said = shortened(refusal.message) or "no message"
    if status in (402, 429) and kind is Fault.AUTHENTICATION:
        said = f"the account has no credit left: {said}"
    return ProviderFault(kind, f"status {status}: {said}", wait_of(headers))


def wait_of(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the seconds that ``retry-after-ms`` or ``Retry-After`` asks to wait, or ``None``.

    :param now: seconds since the epoch, of which a date is taken; the clock's where not given.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return min(milliseconds / 1000, LONGEST_WAIT)
    given = headers.get("retry-after", "")
    seconds = _number(given)
    if seconds is None and given:
        try:
            moment = parsedate_to_datetime(given[:100]).timestamp()
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        seconds = max(0.0, moment - (time.time() if now is None else now))
    return None if seconds is None else min(seconds, LONGEST_WAIT)


def shortened(text: str) -> str:
    """Return what may be shown of a provider's words: no keys, one paragraph, not too long."""
    shown = " ".join(without_secrets(text)[:_READ].split())
    return printable(_KEY.sub("<key>", shown))[:SHOWN]


def _number(text: str) -> float | None:
    try:
        number = float(text[:30])
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
