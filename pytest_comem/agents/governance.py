"""The responder of GateMem: it turns a query and a recall into an action and words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, final

from pytest_comem.agents.governance_prompt import WORDING, prompt_values
from pytest_comem.core.entries import Query
from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.recall import Recall
from pytest_comem.core.replies import UNPARSABLE, Action, Reply, normalize_action
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.prompts import Prompt
from pytest_comem.llm.structured import (
    StructuredModel,
    Unparsable,
    UnreadableReply,
    read_object,
)
from pytest_comem.models.base import Reader
from pytest_comem.models.registry import find_reader, reader_names

if TYPE_CHECKING:
    from pytest_comem.llm.door import Door
    from pytest_comem.llm.meter import Meter

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": [str(action) for action in Action]},
        "answer": {"type": "string"},
    },
    "required": ["action", "answer"],
    "additionalProperties": False,
}
#: How often a model is asked for a reply that can be read.
ATTEMPTS: Final = 3
#: Characters kept of a reply that could not be read.
_KEPT: Final = 2_000
#: Characters of a wrong action that the model is told of.
_SHOWN: Final = 40
#: Actions that can do without words.
_WORDLESS: Final = (Action.REFUSE, Action.NO_MEMORY)


class Responder(Protocol):
    """Answers governance checkpoints; one instance serves all episodes, from any thread."""

    @property
    def name(self) -> str:
        """What answers: a reader's or a model's name."""

    @property
    def version(self) -> str:
        """Changes with everything but the model itself that determines the answers."""

    def answer(self, query: Query, recall: Recall, meter: Meter) -> Reply:
        """Return what to do about *query*, given *recall*; calls are made for *meter*."""


@final
class ReaderResponder:
    """Answers by an offline reader, without any call."""

    def __init__(self, reader: Reader) -> None:
        self.name: Final = reader.name
        self.version: Final = reader.version
        self._reader = reader

    def answer(self, query: Query, recall: Recall, meter: Meter) -> Reply:
        """Return the reader's reply."""
        return self._reader.answer(query, recall)


@final
class ModelResponder:
    """Answers by a language model.

    :param prompt: what the model is told; the package's own when not given.
    """

    def __init__(self, model: StructuredModel, prompt: Prompt | None = None) -> None:
        self._model = model
        self._prompt = prompt or Prompt.load("pytest_comem.agents", "governance")
        self.name: Final = model.name
        self.version: Final = stable_hash(
            [
                [self._prompt.version, WORDING, SCHEMA, ATTEMPTS],
                [model.structured, dict(model.spec.parameters), model.spec.server],
            ]
        )

    def answer(self, query: Query, recall: Recall, meter: Meter) -> Reply:
        """Return the model's reply, or one with the action ``unparsable``.

        :raises ModelCallError: where a call failed for good.
        """
        try:
            return self._model.ask(
                self._prompt.messages(**prompt_values(query, recall)),
                meter=meter,
                schema=SCHEMA,
                schema_name="governance_reply",
                parse=parse_reply,
                attempts=ATTEMPTS,
            )
        except Unparsable as unparsable:
            return Reply(UNPARSABLE, unparsable.text[:_KEPT])


def parse_reply(text: str) -> Reply:
    """Return the action and the words of a model's reply; nothing is guessed.

    :raises UnreadableReply: where there is no object with one of the four actions.
    """
    return read_object(text, _reply_of)


def _reply_of(fields: Mapping[str, Any]) -> Reply:
    said, words = fields.get("action"), fields.get("answer")
    if not isinstance(said, str):
        raise UnreadableReply('"action" is missing' if said is None else '"action" is not text')
    try:
        action = Action(normalize_action(said))
    except ValueError:
        raise UnreadableReply(
            f'"action" is {said[:_SHOWN]!r}, which is none of {", ".join(Action)}'
        ) from None
    if words is None and action in _WORDLESS:
        words = ""
    if not isinstance(words, str):
        raise UnreadableReply('"answer" is missing' if words is None else '"answer" is not text')
    return Reply(action, words)


def governance_responder(
    model: str | ModelSpec, door: Door | None = None, *, structured: str = "auto"
) -> Responder:
    """Return the responder for ``--comem-model``.

    :param model: an offline reader's name, or a language model.
    :param door: through which a language model is called.
    :param structured: how its replies are constrained.
    :raises SettingsError: where there is no door and no offline reader of that name.
    """
    spec = ModelSpec(model) if isinstance(model, str) else model
    if door is None or spec.name in reader_names():
        return ReaderResponder(find_reader(spec.name))
    return ModelResponder(StructuredModel(door, spec, structured=structured))
