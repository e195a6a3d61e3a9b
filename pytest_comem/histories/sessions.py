"""What happened in a task, as a memory is told it: the request, the work in words, an end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from pytest_comem.histories.differences import Edit, cut, edits
from pytest_comem.histories.drafting import Draft
from pytest_comem.histories.texts import as_text
from pytest_comem.histories.work import Work
from pytest_comem.streams.schema import Message, Session
from pytest_comem.streams.traces import said_of

#: Edits of a file that are told one by one, and characters of one text of an edit; else the file is
#: told as written.
_MOST_EDITS: Final = 12
_LONGEST_EDIT: Final = 2_000
#: Characters of a file, and of a snippet, that are told, and messages of a session.
_LONGEST: Final = 20_000
_SNIPPET: Final = 400
_MOST_MESSAGES: Final = 400


def session_of(task_id: str, draft: Draft, work: Work) -> Session:
    """Return the session of a task."""
    said = list(islice(_said(work), _MOST_MESSAGES))
    messages = [Message(role="user", content=draft.instruction)]
    messages += [Message(role="assistant", content=one) for one in said]
    messages.append(Message(role="user", content="Good, that is it."))
    return Session(session_id=task_id, messages=tuple(messages))


def with_instruction(session: Session, instruction: str) -> Session:
    """Return a session that begins with another request."""
    first = Message(role="user", content=instruction)
    return session.model_copy(update={"messages": (first, *session.messages[1:])})


def snippets_of(session: Session, paths: Sequence[str], lines: Sequence[str] = ()) -> list[str]:
    """Return what a session says of files, word for word: at most three pieces.

    :param lines: that are wanted where the session has them; else what begins a message about one
        of the files.
    """
    said = [one.content for one in session.messages if one.role == "assistant"]
    found = [line for line in lines if line.strip() and any(line in text for text in said)][:3]
    for text in said:
        if len(found) >= 3:
            break
        if not found and any(path in text.partition("\n")[0] for path in paths):
            found.append(text)
    return list(dict.fromkeys(cut(one, _SNIPPET) for one in found))


def _said(work: Work) -> Iterator[str]:
    for old, new in sorted(work.renamed.items()):
        if old in work.before and new in work.after:
            yield said_of("move", {"path": old, "to": new})
    for path in work.gone:
        if path not in work.renamed:
            yield said_of("delete", {"path": path})
    for path in work.changed:
        if path in work.texts:
            yield from _said_of_text(path, *work.texts[path])
        elif as_text(work.after[path]) is None:
            yield f"wrote {path}"


def _said_of_text(path: str, before: str, after: str) -> Iterator[str]:
    found = edits(before, after) if before else []
    if not found or len(found) > _MOST_EDITS or any(map(_is_long, found)):
        yield said_of("write", {"path": path, "text": cut(after, _LONGEST)})
        return
    for edit in found:
        old, new = edit.old.rstrip("\n"), edit.new.rstrip("\n")
        if before + edit.new == after:
            yield said_of("append", {"path": path, "text": new})
        elif old:
            yield said_of("edit", {"path": path, "old": old, "new": new})
        else:
            yield f"added to {path}:\n{new}"


def _is_long(edit: Edit) -> bool:
    return len(edit.old) > _LONGEST_EDIT or len(edit.new) > _LONGEST_EDIT
