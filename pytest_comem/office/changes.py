"""What a run changed in a workspace, as text that can be compared and shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pytest_comem.office.model_renderings import rendering
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.tree import Files, read_tree

#: Files whose change is kept, and characters of each.
MOST_FILES: Final = 40
MOST_TEXT: Final = 8_000


def changed_texts(before: Mapping[str, bytes], candidate: Path) -> Mapping[str, str]:
    """Return the text of every file that is new or changed, by path; clipped.

    What is no text, or cannot be read, is said to be so.

    :param candidate: a workspace as an agent left it.
    """
    try:
        files = read_tree(candidate)
    except UnreadableError as error:
        return {".": f"({error})"}
    changed = files.changed_since(Files(before))[:MOST_FILES]
    return {path: text_of(path, files) for path in changed}


def text_of(path: str, files: Files) -> str:
    """Return a file as text, clipped; why there is none, in parentheses."""
    if path in files.odd:
        return f"({files.odd[path]})"
    text = rendering(path, files.content[path])
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n(cut off)"
