"""Drafts made by a language model: title and instruction from commit messages and file names.

A model is told what the messages say and which files changed, never how. A reply that cannot be
read leaves the draft made by rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.histories.drafting import Draft, draft_of
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.prompts import Prompt
from pytest_comem.llm.structured import StructuredModel, Unparsable, UnreadableReply, read_object

ATTEMPTS: Final = 3
#: Characters of messages, and files, that a model is told; and of its reply that are kept.
_MESSAGES: Final = 8_000
_FILES: Final = 50
_TITLE: Final = 150
_INSTRUCTION: Final = 4_000
_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "instruction": {"type": "string"}},
    "required": ["title", "instruction"],
    "additionalProperties": False,
}


@final
class ModelDrafter:
    """Drafts by a model; called as a :data:`~pytest_comem.histories.drafting.Drafter`.

    :param meter: that its calls are made for.
    """

    def __init__(self, model: StructuredModel, meter: Meter) -> None:
        self._model = model
        self._meter = meter
        self._prompt = Prompt.load("pytest_comem.histories", "history_draft")
        self.unreadable = 0

    def __call__(self, messages: Sequence[str], fates: Mapping[str, str]) -> Draft:
        """Return the model's draft; that made by rule where it does not give one.

        :raises ModelCallError: where the call failed for good.
        """
        files = [f"{path} ({fate})" for path, fate in list(fates.items())[:_FILES]]
        asked = self._prompt.messages(
            messages="\n\n".join(messages)[:_MESSAGES], files="\n".join(files) or "(none)"
        )
        try:
            return self._model.ask(
                asked,
                meter=self._meter,
                schema=_SCHEMA,
                schema_name="draft",
                parse=lambda text: read_object(text, _draft),
                attempts=ATTEMPTS,
            )
        except Unparsable:
            self.unreadable += 1
            return draft_of(messages, fates)


def _draft(reply: Mapping[str, Any]) -> Draft:
    found = []
    for name, most in (("title", _TITLE), ("instruction", _INSTRUCTION)):
        text = reply.get(name)
        if not isinstance(text, str) or not text.strip():
            raise UnreadableReply(f"{name} is missing, or no text")
        plain = " ".join(text.split()) if name == "title" else text.strip()
        found.append("".join(one for one in plain if one.isprintable() or one == "\n")[:most])
    return Draft(*found)
