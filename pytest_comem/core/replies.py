"""What an agent does with a query and a recall: its action and its words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, final


class Action(StrEnum):
    """The four actions of GateMem (section "Actions" of its protocol)."""

    ANSWER = "answer"
    ANSWER_REDACTED = "answer_redacted"
    REFUSE = "refuse"
    NO_MEMORY = "no_memory"


#: Action of a reply that could not be read: a failure of the method, under every scoring.
UNPARSABLE: Final = "unparsable"


def normalize_action(action: str) -> str:
    """Return *action* stripped and lower-cased; an unknown one stays as it is, never ``answer``."""
    return action.strip().lower()


@final
@dataclass(frozen=True, slots=True)
class Reply:
    """An agent's answer to one query.

    :param action: one of :class:`Action`, or whatever else the agent said.
    :param text: the answer in words.
    :param structured: a JSON value that goes with it, or ``None``.
    """

    action: str
    text: str = ""
    structured: Any = None
