"""A model behind the server that is reached through the door, like every other model of a run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, final

from pytest_comem.endpoint.callers import Caller
from pytest_comem.endpoint.served import ServedModel
from pytest_comem.endpoint.wire import BadRequestError, completion_reply, error_reply
from pytest_comem.llm.calls import ChatCall, ModelSpec
from pytest_comem.llm.faults import Fault, ModelCallError, RunStopped

if TYPE_CHECKING:
    from pytest_comem.llm.door import Door

#: Members of a request's body that are not the model's business: the run says which model, the
#: server streams, and the rest names people or keeps records at the provider.
_OURS: Final = frozenset(
    {"messages", "model", "stream", "stream_options", "n", "user", "metadata", "store"}
)
_STATUS: Final[Mapping[Fault, HTTPStatus]] = {
    Fault.RATE_LIMIT: HTTPStatus.TOO_MANY_REQUESTS,
    Fault.TIMEOUT: HTTPStatus.REQUEST_TIMEOUT,
    Fault.CONNECTION: HTTPStatus.BAD_GATEWAY,
    Fault.SERVER_ERROR: HTTPStatus.BAD_GATEWAY,
    Fault.CONTENT_FILTER: HTTPStatus.BAD_REQUEST,
    Fault.CONTEXT_TOO_LONG: HTTPStatus.BAD_REQUEST,
    Fault.BAD_REQUEST: HTTPStatus.BAD_REQUEST,
    Fault.AUTHENTICATION: HTTPStatus.UNAUTHORIZED,
    Fault.UNPARSABLE: HTTPStatus.BAD_GATEWAY,
    Fault.CASSETTE: HTTPStatus.INTERNAL_SERVER_ERROR,
    Fault.BUDGET: HTTPStatus.SERVICE_UNAVAILABLE,
}
#: Of bounded length, so that matching takes linear time.
_ACCIDENT: Final = re.compile(
    r"^Chunk ID: [0-9a-f]{1,16}$|^Wall time: [0-9]{1,9}(?:\.[0-9]{1,9})? seconds$", re.MULTILINE
)
#: What OpenAI calls them, where libraries look for it.
_CODES: Final[Mapping[Fault, str]] = {
    Fault.RATE_LIMIT: "rate_limit_exceeded",
    Fault.CONTENT_FILTER: "content_filter",
    Fault.CONTEXT_TOO_LONG: "context_length_exceeded",
    Fault.AUTHENTICATION: "invalid_api_key",
}


@final
class ForwardedModel(ServedModel):
    """A model of the user's; the call is made, counted, retried and recorded by the door.

    :param spec: which model, and where it is.
    :param door: the run's.
    :param probing: a request that the provider refuses is its caller's own affair, not the end of
        the run.
    """

    def __init__(self, spec: ModelSpec, door: Door, *, probing: bool = False) -> None:
        self._spec = spec
        self._door = door
        self._probing = probing
        self.name = spec.name

    def complete(
        self, body: Mapping[str, Any], identity: str, caller: Caller | None
    ) -> dict[str, Any]:
        """Return what the model says."""
        if caller is None:
            raise BadRequestError(
                "this address serves embeddings only: chats are asked for at the address of a "
                "memory instance, which its set-up has (setup.endpoint.chat_url), so that each "
                "call is counted where it belongs"
            )
        try:
            call = call_of(self._spec, caller.aliases.hide(body), probing=self._probing)
        except BadRequestError as error:
            # A library that goes on without a reply would get a score like any other.
            caller.meter.fail(ModelCallError(str(error), Fault.BAD_REQUEST))
            raise
        completion = self._door.chat(call, caller.meter)
        model = str(body.get("model") or self.name)
        reply: dict[str, Any] = caller.aliases.reveal(completion_reply(model, completion, identity))
        return reply


def call_of(spec: ModelSpec, body: Mapping[str, Any], *, probing: bool = False) -> ChatCall:
    """Return the call that a library's request asks for.

    Parameters are passed on as they are: one that the model refuses is the library's own.

    :raises BadRequestError: where it has no messages, or wants several replies.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequestError("'messages' must be a list that is not empty", "messages")
    if not all(isinstance(message, dict) for message in messages):
        raise BadRequestError("'messages' must be a list of objects", "messages")
    if body.get("n") not in (None, 1):
        raise BadRequestError("'n' must be 1: one reply is given to a request", "n")
    more = {name: value for name, value in body.items() if name not in _OURS and value is not None}
    passing = (*_dates_in(messages), *_accidents_in(messages))
    return ChatCall(spec, messages, more, probing=probing, passing=passing)


def _dates_in(messages: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return today's date where a library has put it into its prompt, as mem0 does.

    A recording of such a call would be of no use on another day.
    """
    today = {datetime.now(UTC).date().isoformat(), datetime.now().astimezone().date().isoformat()}
    text = json.dumps(messages)
    return tuple(sorted(date for date in today if date in text))


def _accidents_in(messages: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return what Codex says of a command beside its output: a random id, and how long it took.

    A recording of the next call would never be found again.
    """
    texts = [one.get("content") for one in messages if one.get("role") == "tool"]
    found = {each for text in texts if isinstance(text, str) for each in _ACCIDENT.findall(text)}
    # One may be the beginning of another.
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def refusal(error: ModelCallError) -> tuple[HTTPStatus, dict[str, Any]]:
    """Return status and body that tell a library what became of its call."""
    status = _STATUS[error.kind]
    if isinstance(error, RunStopped):
        status = HTTPStatus.SERVICE_UNAVAILABLE
    body = error_reply(str(error), type=str(error.kind), code=_CODES.get(error.kind))
    return status, body
