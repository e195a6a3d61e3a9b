"""Reading a repository without obeying it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.histories.commits import commits_of, tree_of
from pytest_comem.histories.git import open_history


def test_nothing_that_a_repository_names_is_run(history: Any, tmp_path: Path) -> None:
    """Hooks, filters, text conversions, monitors and aliases of a repository never start."""
    history.commit("Start", {"docs/a.md": "one\n", ".gitattributes": "* filter=x diff=x\n"}, 0)
    history.commit("Go on", {"docs/a.md": "two\n"}, 5)
    place, mark = history.made(), tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    program.chmod(0o755)
    names: tuple[str, ...] = (
        "core.fsmonitor",
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
    )
    names += ("filter.x.smudge", "filter.x.clean", "core.pager", "core.sshCommand", "alias.log")
    for name in names:
        subprocess.run(["git", "config", name, str(program)], cwd=place, check=True)
    with open_history(place) as reader:
        commits = commits_of(reader, ["docs"])
        tree = tree_of(reader, reader.head, ["docs"])
        assert reader.object(tree["docs/a.md"].blob) == b"two\n"
    assert len(commits) == 2
    assert not mark.exists()


def test_a_directory_without_a_history_is_refused(tmp_path: Path) -> None:
    """The message names the option and the directory."""
    for place in (tmp_path, tmp_path / "nowhere"):
        with (
            pytest.raises(SettingsError, match=r"--from-git .*: "),
            open_history(place),
        ):
            pass


def test_a_missing_object_is_trouble_of_the_repository(history: Any) -> None:
    """It is said, and nothing is fetched."""
    history.commit("Start", {"a.md": "one\n"}, 0)
    with (
        open_history(history.made()) as reader,
        pytest.raises(InfrastructureError, match="is missing"),
    ):
        reader.object("2" * 40)


def test_a_colon_in_the_path_of_a_repository_does_not_matter(tmp_path: Path, history: Any) -> None:
    """Objects are found wherever the repository lies."""
    history.directory = tmp_path / 'od:d "one"'
    history.commit("Start", {"a.md": "one\n"}, 0)
    with open_history(history.made()) as reader:
        assert [one.message for one in commits_of(reader, ["a.md"])] == ["Start"]
