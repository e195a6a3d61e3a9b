"""The sessions of a data set, as a component gets them: entries grouped, an entry a message."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.core.entries import Entry

#: A message of a task of ContextWeave: the task's id, and the number of the message.
_MESSAGE: Final = re.compile(r"(.+)\.m[0-9]{2,}", re.DOTALL)
#: Roles of a message that an entry's kind may name.
_ROLES: Final = ("user", "assistant", "tool")


@final
class Sessions:
    """Sessions of one participant that grow by entries, in order.

    ContextWeave's entries are grouped by task, whose id is the session's. Others are one session
    for each run of entries between two questions: ``s0001`` and so on.
    """

    def __init__(self) -> None:
        self._told: list[dict[str, Any]] = []
        self._new: list[dict[str, Any]] = []
        self._open: str | None = None
        self._participant = ""
        self._runs = 0

    @property
    def target(self) -> int:
        """1-based index of the task that is asked about next: one more than there are sessions."""
        return len(self._told) + len(self._new) + 1

    @property
    def has_new(self) -> bool:
        """Whether there is what the component was not told."""
        return bool(self._new)

    def add(self, entry: Entry) -> None:
        """Add one entry, to the session that its neighbour is in where they belong together."""
        found = _MESSAGE.fullmatch(entry.id)
        task = found[1] if found else ""
        if not self._new or self._open != task:
            self._runs += not task
            session_id = task or f"s{self._runs:04}"
            self._new.append({"session_id": session_id, "messages": []})
            self._open = task
        self._new[-1]["messages"].append(_message_of(entry, is_task=bool(task)))
        if not self._participant and entry.speaker.role != "assistant":
            self._participant = entry.speaker.id

    def take(self) -> Mapping[str, Any]:
        """Return a data set of the sessions that are new since the last call."""
        new, self._new, self._open = self._new, [], None
        self._told += new
        return self._dataset(new)

    def everything(self) -> Mapping[str, Any]:
        """Return a data set of all sessions so far."""
        self.take()
        return self._dataset(self._told)

    def _dataset(self, sessions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        return {"participant": self._participant or "participant", "sessions": list(sessions)}


def _message_of(entry: Entry, *, is_task: bool) -> dict[str, str]:
    """Return an entry as a message; a task's messages say in the text who said them."""
    if is_task:
        role = entry.kind if entry.kind in _ROLES else "user"
        return {"role": str(role), "content": entry.text}
    role = "assistant" if entry.speaker.role == "assistant" else "user"
    return {"role": role, "content": entry.text, "name": entry.speaker.id}
