"""The language model of our own memory systems: asked for JSON objects, read without guessing.

Libraries bring a reader of their own for what a model says. These systems share one: it is
tolerant of what stands around an object, and strict about what stands in it, because a reply read
by guessing would be counted as what the method remembers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, final

from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.objects import objects_in

if TYPE_CHECKING:
    from pytest_comem.memory.setup import Setup

#: Characters of a reply shown in an error.
_SHOWN: Final = 80


class Chat(Protocol):
    """Something that answers ``role``/``content`` messages with text."""

    def ask(self, messages: Sequence[Mapping[str, str]], *, json_object: bool = False) -> str:
        """Return the reply's text."""


@final
class Reply:
    """One JSON object of a reply, read field by field.

    :param task: what was asked for, for errors.
    :raises InfrastructureError: from every method, of type ``provider``, where the field is
        missing or of another type.
    """

    def __init__(self, task: str, fields: Mapping[str, Any]) -> None:
        self._task = task
        self._fields = fields

    def text(self, name: str) -> str:
        """Return a field that holds text, without white space around it."""
        return self._text_of(name, self._field(name))

    def optional_text(self, name: str) -> str:
        """Return a field that holds text, or nothing where it is missing or null."""
        return "" if self._fields.get(name) is None else self.text(name)

    def texts(self, name: str) -> list[str]:
        """Return a field that holds a list of texts, without blank ones; one text is a list."""
        value = self._field(name)
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list):
            raise self._wrong(name, "a list of texts")
        found = [self._text_of(name, one) for one in values]
        return [text for text in found if text]

    def text_by_key(self, name: str) -> dict[str, str]:
        """Return a field that holds an object of texts, without blank ones."""
        value = self._field(name)
        if not isinstance(value, dict):
            raise self._wrong(name, "an object of texts")
        found = {str(key): self._text_of(name, one) for key, one in value.items()}
        return {key: text for key, text in found.items() if text}

    def objects(self, name: str) -> list[Reply]:
        """Return a field that holds a list of objects."""
        value = self._field(name)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self._wrong(name, "a list of objects")
        return [Reply(self._task, one) for one in value]

    def flag(self, name: str) -> bool:
        """Return a field that holds true or false."""
        value = self._field(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def number(self, name: str, below: int) -> int:
        """Return a field that holds a whole number from 0 up to, not including, *below*."""
        return self._number_of(name, self._field(name), below)

    def numbers(self, name: str, below: int) -> list[int]:
        """Return a field that holds a list of such numbers."""
        value = self._field(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list of numbers")
        return [self._number_of(name, one, below) for one in value]

    def broken(self, problem: str) -> InfrastructureError:
        """Return the error for a reply that cannot be used."""
        return InfrastructureError(
            f"the memory model's reply to {self._task!r}: {problem}", type="provider"
        )

    def _field(self, name: str) -> Any:
        if name not in self._fields:
            raise self.broken(f"{name!r} is missing")
        return self._fields[name]

    def _text_of(self, name: str, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self._wrong(name, "text")
        return str(value).strip()

    def _number_of(self, name: str, value: Any, below: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
            raise self._wrong(name, f"a whole number from 0 to {below - 1}")
        return value

    def _wrong(self, name: str, wanted: str) -> InfrastructureError:
        return self.broken(f"{name!r} is not {wanted}")


@final
class MemoryModel:
    """Gives one task at a time to a model and reads the JSON object it replies with.

    :param chat: the model.
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    @classmethod
    def of(cls, setup: Setup) -> Self:
        """Return the model that the run's memory systems call."""
        from pytest_comem.endpoint.client import ChatClient

        endpoint = setup.endpoint
        return cls(ChatClient(endpoint.chat_url, endpoint.chat_model, endpoint.api_key))

    def ask(self, prompt: str, material: Mapping[str, Any]) -> Reply:
        """Return the reply to *prompt* about *material*.

        :param prompt: what to do; its first line names the task.
        :param material: handed over as JSON, so that no text in it can pass for another part.
        :raises InfrastructureError: of type ``provider``, where the call fails or the reply holds
            no JSON object.
        """
        said = self._chat.ask(
            [
                {"role": "system", "content": prompt},
                {"role": "user", "content": json.dumps(material, ensure_ascii=False)},
            ],
            json_object=True,
        )
        task = prompt.partition("\n")[0]
        fields = next(objects_in(said), None)
        if fields is None:
            raise Reply(task, {}).broken(f"there is no JSON object in {said[:_SHOWN]!r}")
        return Reply(task, fields)
