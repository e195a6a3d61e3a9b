"""Workspaces of a history."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from pytest_comem.histories.build import Wanted, build
from pytest_comem.streams.loading import load_stream


def test_what_cannot_lie_in_a_workspace_is_left_out_and_counted(
    history: Any, tmp_path: Path
) -> None:
    """Pictures, links, caches, large files, and paths that some machine has no place for."""
    odd = {
        **{"docs/a.png": b"\x89PNG\0", "docs/link": "link:/etc/passwd", "docs/module": "module:"},
        **{"docs/A.md": "other case\n", "docs/__pycache__/x.txt": "cache\n", "docs/b\\c.md": "x\n"},
        "docs/large.md": "large " * 400_000,
    }
    history.commit("Describe harbour pilots", odd | {"docs/a.md": "pilots of the harbour\n"}, 0)
    history.commit("Describe harbour lights", {"docs/A.md": "lights of the harbour\n"}, 1440)
    out = tmp_path / "out"
    built = build(history.made(), Wanted(("docs",), accept=True), out)
    workspace = load_stream(out).tasks[1].workspace
    assert workspace is not None
    assert list(workspace.files) == ["docs/A.md"]
    assert dict(built.left_out) == {
        "a path that cannot be used everywhere": 1,
        "a path that differs from another in case alone": 1,
        "no text, or something private in it": 1,
        "too large": 1,
        "what programs leave beside their work": 1,
    }


def test_a_shallow_clone_has_the_history_that_it_has(long_history: Any, tmp_path: Path) -> None:
    """The commit where it is cut is the first one."""
    origin = f"file://{long_history(8)}"
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=3", origin, str(clone)], check=True)
    built = build(clone, Wanted(("docs",), accept=True), tmp_path / "out")
    assert built.commits == 3
    assert built.tasks == 2


def test_names_of_files_are_cleaned_as_texts_are(history: Any, tmp_path: Path) -> None:
    """A file called after its author has the author's placeholder, in every place."""
    path = "docs/ada-stone.md"
    history.commit("Describe harbour pilots", {path: "pilots\n", "docs/b.md": f"See {path}.\n"}, 0)
    out = tmp_path / "out"
    build(history.made(), Wanted(("docs",), accept=True), out)
    (task,) = load_stream(out).tasks
    said = "\n".join(message.content for message in task.session.messages)
    assert "wrote docs/person-1.md" in said
    assert "See docs/person-1.md." in said
    assert "docs/person-1.md" in task.task.instruction
