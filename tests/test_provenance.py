from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from pytest_comem.provenance import git_state, versions

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(place: Path, *arguments: str) -> str:
    """Run git and return what it prints."""
    who = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=place, check=True, capture_output=True, text=True).stdout


@needs_git
def test_the_commit_and_changes_of_tracked_files_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that git does not know changes nothing, as runs write such files themselves."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert git_state(tmp_path) is None
    git(tmp_path, "init", "-q")
    assert git_state(tmp_path) == {"commit": None, "dirty": False}
    (tmp_path / "file").write_text("x")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-q", "-m", "m")
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    (tmp_path / "new").write_text("x")
    (tmp_path / "sub").mkdir()
    assert git_state(tmp_path / "sub") == {"commit": commit, "dirty": False}
    (tmp_path / "file").write_text("changed")
    assert git_state(tmp_path) == {"commit": commit, "dirty": True}


@needs_git
@pytest.mark.parametrize("setting", ["core.fsmonitor", "filter.f.clean", "filter.f.process"])
def test_nothing_the_repository_names_is_started(tmp_path: Path, setting: str) -> None:
    """A program in its configuration that git would run for its status is not run."""
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitattributes").write_text("* filter=f\n")
    (tmp_path / "file").write_text("x")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "m")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    git(tmp_path, "config", setting, str(program))
    if setting.startswith("filter."):
        git(tmp_path, "config", "filter.f.required", "true")
    # The same text at another time: git has to read it to know.
    os.utime(tmp_path / "file", (1, 1))
    found = git_state(tmp_path)
    assert found is not None
    assert found["dirty"] is False
    assert not (tmp_path / "started").exists()


@needs_git
def test_a_filter_that_cannot_be_turned_off_leaves_it_open(tmp_path: Path) -> None:
    """Whether a file differs is not said, and the filter's program is not run."""
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitattributes").write_text("* filter=a=b\n")
    (tmp_path / "file").write_text("x")
    git(tmp_path, "add", ".")
    with (tmp_path / ".git" / "config").open("a") as file:
        file.write(f'[filter "a=b"]\n\tclean = touch {tmp_path}/started\n')
    os.utime(tmp_path / "file", (1, 1))
    assert git_state(tmp_path) == {"commit": None, "dirty": None}
    assert not (tmp_path / "started").exists()


@needs_git
def test_filters_of_the_users_own_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a filter such as Git LFS's, a file that has only been touched is no change."""
    (tmp_path / "own").write_text('[filter "f"]\n\tclean = tr a-z A-Z\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "own"))
    place = tmp_path / "place"
    place.mkdir()
    git(place, "init", "-q")
    (place / ".gitattributes").write_text("file filter=f\n")
    (place / "file").write_text("x")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "m")
    os.utime(place / "file", (1, 1))
    assert (git_state(place) or {})["dirty"] is False


def test_without_git_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without git runs all the same."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_state(tmp_path) is None


def test_versions_are_of_what_is_installed_and_import_nothing() -> None:
    """A package that is not there is left out."""
    found = versions(["pluggy", "no-such-distribution"])
    assert found["pluggy"] == version("pluggy")
    assert found["python"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}.")
    assert "no-such-distribution" not in found
    code = (
        "import sys; from pytest_comem.provenance import versions; versions([]);"
        "sys.exit(bool({'numpy', 'scipy', 'litellm'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
