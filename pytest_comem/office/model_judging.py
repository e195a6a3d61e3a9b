"""A model as a judge of office work: asked at temperature 0, read strictly, asked again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.printable import printable
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.prompts import Prompt
from pytest_comem.llm.structured import StructuredModel, Unparsable, UnreadableReply

if TYPE_CHECKING:
    from pytest_comem.llm.door import Door

#: How often the model is asked for a reply that can be read.
ATTEMPTS: Final = 3
#: Characters of a reason that are kept.
_REASON: Final = 600

T = TypeVar("T")


@final
class OfficeJudge:
    """One model that judges; serves grader, comparer and rater, from any thread.

    :param door: makes the calls.
    :param spec: the model; its temperature is replaced.
    :param structured: how a reply's form is asked for, as :class:`StructuredModel` has it.
    """

    def __init__(self, door: Door, spec: ModelSpec, *, structured: str = "auto") -> None:
        calm = replace(spec, parameters={**spec.parameters, "temperature": 0.0})
        self._model = StructuredModel(door, calm, structured=structured)
        self.name: Final = spec.name
        self._asked = [ATTEMPTS, structured, dict(calm.parameters), calm.server]

    def version_of(self, *what: Any) -> str:
        """Return the hash of the model's settings and of *what* it is asked, 8 digits."""
        return stable_hash([*self._asked, *what])[:8]

    def ask(
        self,
        prompt: Prompt,
        values: Mapping[str, str],
        schema: Mapping[str, Any],
        parse: Callable[[str], T],
        meter: Meter,
    ) -> T:
        """Return what *parse* makes of the reply.

        :raises InfrastructureError: of type ``judge`` where the model gives no readable reply.
        :raises ModelCallError: where the call failed for good.
        """
        try:
            return self._model.ask(
                prompt.messages(**values),
                meter=meter,
                schema=schema,
                schema_name="judgement",
                parse=parse,
                attempts=ATTEMPTS,
            )
        except Unparsable as error:
            raise InfrastructureError(
                f"the judge {self.name} gave no readable verdict: {error.problem}", type="judge"
            ) from None


def schema_of(**members: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a reply with these members and a reason, all required."""
    every = {**members, "reason": {"type": "string"}}
    return {
        "type": "object",
        "properties": every,
        "required": list(every),
        "additionalProperties": False,
    }


def reason_of(members: Mapping[str, Any]) -> str:
    """Return a reply's reason on one line, cut, as any file and terminal can have it.

    :raises UnreadableReply: where it is no text.
    """
    reason = members.get("reason", "")
    if not isinstance(reason, str):
        raise UnreadableReply("reason is no text")
    line = printable(" ".join(reason[: 4 * _REASON].split()))
    return line if len(line) <= _REASON else f"{line[:_REASON]}..."


def number_of(members: Mapping[str, Any], name: str, low: float, high: float) -> float:
    """Return a reply's number from *low* to *high*.

    :raises UnreadableReply: where it is none.
    """
    value = members.get(name)
    # Compared as it is: a whole number may be too large for a float, and NaN is in no range.
    if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
        return float(value)
    raise UnreadableReply(f"{name} has to be a number from {low:g} to {high:g}")
