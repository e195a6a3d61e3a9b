"""A model asked for a JSON object: constrained as far as it can be, read strictly, asked again.

Providers differ in what they accept: a JSON schema, only "some JSON object", or neither. What one
refuses is not sent to it again within a part of the run. It is learned anew in each part, from the
provider or from the part's cassette, so that a replay makes the very calls that were recorded, and
needs no table of providers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec
from pytest_comem.llm.faults import Fault, ModelCallError, RunStopped
from pytest_comem.llm.objects import objects_in
from pytest_comem.settings import STRUCTURED

if TYPE_CHECKING:
    from pytest_comem.llm.door import Door
    from pytest_comem.llm.meter import Meter

#: What is tried next where the provider refuses a constraint.
_WEAKER: Final = {"schema": "object", "object": "text"}
#: Characters of an unreadable reply that the model is shown again.
_SHOWN_AGAIN: Final = 1_000

T = TypeVar("T")


@final
class UnreadableReply(Exception):
    """A reply is not what was asked for.

    :param problem: what is wrong with it, in one clause that the model is told.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


@final
class Unparsable(Exception):
    """No reply could be read, however often the model was asked.

    :param text: the last reply.
    :param problem: what is wrong with it.
    """

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(problem)
        self.text = text
        self.problem = problem


def read_object(text: str, read: Callable[[Mapping[str, Any]], T]) -> T:
    """Return what *read* makes of the first JSON object in *text* that it can read.

    :param read: raises :class:`UnreadableReply` for an object that is not what was asked for.
    :raises UnreadableReply: what is wrong with the first object, or that there is none.
    """
    first: UnreadableReply | None = None
    for fields in objects_in(text):
        try:
            return read(fields)
        except UnreadableReply as unreadable:
            first = first or unreadable
    if first is not None:
        raise first
    raise UnreadableReply("there is no JSON object in it" if text.strip() else "it is empty")


@final
class StructuredModel:
    """Asks one model for JSON objects.

    :param structured: one of :data:`~pytest_comem.settings.STRUCTURED`. ``auto`` asks for a schema
        and takes less where the provider refuses it; anything else is what the provider is asked
        for, whatever it says.
    """

    def __init__(self, door: Door, spec: ModelSpec, *, structured: str = "auto") -> None:
        if structured not in STRUCTURED:
            raise ValueError(f"{structured!r} is none of {', '.join(STRUCTURED)}")
        self.spec: Final = spec
        self.structured: Final = structured
        self._door = door

    @property
    def name(self) -> str:
        """The model's name as the user gave it."""
        return self.spec.name

    def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        meter: Meter,
        schema: Mapping[str, Any],
        schema_name: str,
        parse: Callable[[str], T],
        attempts: int = 3,
        heard: Callable[[Completion], None] | None = None,
    ) -> T:
        """Return what *parse* makes of the reply to *messages*.

        :param schema: JSON schema of the reply. Providers that are strict about schemas want every
            property required and no others allowed.
        :param parse: from the reply's text; raises :class:`UnreadableReply`.
        :param attempts: how often the model is asked, at least once.
        :param heard: told of every completion, also of one that cannot be read.
        :raises Unparsable: where none of the replies could be read.
        :raises ModelCallError: where a call failed for good.
        """
        asked = list(messages)
        for left in reversed(range(attempts)):
            completion = self._chat(asked, meter, _Formats(schema_name, schema))
            if heard is not None:
                heard(completion)
            try:
                return parse(completion.text)
            except UnreadableReply as unreadable:
                problem = _problem(completion, unreadable)
                if not left:
                    raise Unparsable(completion.text, problem) from unreadable
                asked = [*messages, *_again(completion.text, problem)]
        raise ValueError("a model is asked at least once")

    def _chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        meter: Meter,
        formats: _Formats,
    ) -> Completion:
        finding_out = self.structured == "auto"
        mode = meter.learned.get(self.name, "schema") if finding_out else self.structured
        while True:
            weaker = _WEAKER.get(mode) if finding_out else None
            members = formats.members(mode)
            try:
                return self._door.chat(
                    ChatCall(self.spec, messages, members, probing=weaker is not None), meter
                )
            except RunStopped:
                raise
            except ModelCallError as error:
                if weaker is None or error.kind is not Fault.BAD_REQUEST:
                    raise
                meter.learned[self.name] = mode = weaker


@final
class _Formats:
    """The members of a request that constrain its reply."""

    def __init__(self, name: str, schema: Mapping[str, Any]) -> None:
        self._schema = {"name": name, "strict": True, "schema": dict(schema)}

    def members(self, mode: str) -> Mapping[str, Any]:
        if mode == "schema":
            wanted: Mapping[str, Any] = {"type": "json_schema", "json_schema": self._schema}
            return {"response_format": wanted}
        return {"response_format": {"type": "json_object"}} if mode == "object" else {}


def _problem(completion: Completion, unreadable: UnreadableReply) -> str:
    if completion.finish_reason == "length":
        return f"it was cut off because it grew too long, and {unreadable.problem}"
    return unreadable.problem


def _again(text: str, problem: str) -> list[dict[str, str]]:
    shown = text.strip()[:_SHOWN_AGAIN]
    return [
        # Some providers refuse a message without text.
        {"role": "assistant", "content": shown or "(nothing)"},
        {
            "role": "user",
            "content": f"That reply cannot be read: {problem}. "
            "Reply with the one JSON object that was asked for and nothing else.",
        },
    ]
