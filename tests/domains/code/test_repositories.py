"""Repositories built of patches: the same everywhere, and refused where they are not."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from pytest_comem.domains.code.repositories import Repository, repository, repository_names
from pytest_comem.errors import BenchmarkDefect, DataError, InfrastructureError

NAME = "owner/tiny"
FIRST = {"tiny/__init__.py": "VERSION = 1\n", "old.txt": "From here\n\n--\nto there \n"}
SECOND = {"tiny/__init__.py": "VERSION = 2\n", "tests/test_a.py": "def test_a():\n    pass\n"}
FACTORY = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_COMMITTER_NAME": "repository keeper",
    "GIT_COMMITTER_EMAIL": "keeper@example.org",
    "GIT_AUTHOR_NAME": "Ada Example",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
}
HOSTILE = """[commit]
gpgSign = true
[core]
autocrlf = true
hooksPath = {hooks}
attributesFile = {hooks}/attributes
[init]
templateDir = {hooks}
defaultObjectFormat = sha256
[user]
name = Somebody
[am]
keepcr = true
[log]
date = relative
"""


def git(directory: Path, *arguments: str, **environment: str) -> str:
    """Run git as its user would."""
    argv = ["git", *arguments]
    done = subprocess.run(
        argv, cwd=directory, env={**FACTORY, **environment}, capture_output=True, check=True
    )
    return done.stdout.decode()


def committed(directory: Path, files: Mapping[str, str], subject: str, date: str) -> str:
    """Make a commit of these files and no others, and return its hash."""
    for path in directory.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            path.unlink()
    for name, text in files.items():
        place = directory / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    git(directory, "add", "-A")
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    git(directory, "commit", "-q", "-m", subject, **dates)
    return git(directory, "rev-parse", "HEAD").strip()


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    """Return a directory of one repository with two commits, as plain git exports them."""
    source, root = tmp_path / "source", tmp_path / "root"
    source.mkdir()
    git(source, "init", "-q", "-b", "main", "--template=", "--object-format=sha1")
    hashes = [
        committed(source, FIRST, "Begin", "2024-01-01T10:00:00+02:00"),
        committed(source, SECOND, "Go on: more", "2024-01-02T10:00:00+00:00"),
    ]
    history = root / "tiny" / "history"
    git(source, "format-patch", "-q", "-k", "--root", "-o", str(history), "main")
    patches = sorted(path.name for path in history.iterdir())
    pairs = zip(patches, hashes, strict=True)
    commits = [{"patch": patch, "hash": made} for patch, made in pairs]
    pins = {"repository": NAME, "commits": commits}
    (root / "tiny" / "commits.json").write_text(json.dumps(pins), encoding="utf-8")
    return root


def encoded(files: Mapping[str, str]) -> dict[str, bytes]:
    """Return files as trees hold them."""
    return {name: files[name].encode() for name in sorted(files)}


def test_trees_and_history_are_those_that_git_exported(root: Path) -> None:
    """Files, also one with lines like a mail's and one that was removed; authors and dates."""
    found = Repository(NAME, root=root)
    first, second = found.commits
    assert dict(found.tree(first)) == encoded(FIRST)
    assert dict(found.tree(second)) == encoded(SECOND)
    assert list(found.tree(second)) == sorted(SECOND)
    assert found.head == second
    newest, oldest = found.history(second)
    assert (newest.hash, newest.subject, newest.author) == (second, "Go on: more", "Ada Example")
    assert (oldest.hash, oldest.date) == (first, "2024-01-01T10:00:00+02:00")
    assert found.history(first) == (oldest,)


def test_checkout_writes_the_tree_and_nothing_else(root: Path, tmp_path: Path) -> None:
    """No repository lies in it that would tell of later commits."""
    found = Repository("tiny", root=root)
    place = tmp_path / "deep" / "checkout"
    found.checkout(found.head, place)
    files = {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file()
    }
    assert files == encoded(SECOND)
    assert not (place / ".git").exists()


def test_nothing_of_the_user_or_the_system_matters(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Configuration, hooks, templates, attributes, variables, time zone, locale, umask."""
    hooks = tmp_path / "hooks"
    for place in (hooks, hooks / "hooks"):
        place.mkdir()
        for name in ("pre-applypatch", "applypatch-msg", "post-commit", "post-checkout"):
            (place / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
            (place / name).chmod(0o755)
    (hooks / "attributes").write_text("* text eol=crlf ident\n", encoding="utf-8")
    config = tmp_path / ".gitconfig"
    config.write_text(HOSTILE.format(hooks=hooks), encoding="utf-8")
    for name, value in {
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_SYSTEM": str(config),
        "GIT_DIR": str(tmp_path / "nowhere"),
        "GIT_COMMITTER_NAME": "Somebody",
        "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
        "GIT_DEFAULT_HASH": "sha256",
        "TZ": "Pacific/Auckland",
        "LC_ALL": "de_DE.UTF-8",
    }.items():
        monkeypatch.setenv(name, value)
    before = os.umask(0o077)
    try:
        found = Repository(NAME, root=root)
        assert dict(found.tree(found.head)) == encoded(SECOND)
    finally:
        os.umask(before)


def test_leaves_nothing_behind(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directory in which git worked is gone as soon as the history is read."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    found = Repository(NAME, root=root)
    assert found.tree(found.head)
    assert list(scratch.iterdir()) == []


def changed(root: Path, old: str, new: str, *, patch: str = "0002-*.patch") -> Path:
    """Change the text of a patch, and return its path."""
    (path,) = (root / "tiny" / "history").glob(patch)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_another_hash_is_a_defect(root: Path) -> None:
    """The patch is named, what it comes to, and what it has to come to."""
    path = changed(root, "Go on: more", "Go on: less")
    found = Repository(NAME, root=root)
    said = rf"{path.name} comes to commit [0-9a-f]{{40}}, and has to come to {found.head}"
    with pytest.raises(BenchmarkDefect, match=said):
        found.tree(found.head)


def test_a_patch_that_does_not_apply_is_a_defect(root: Path) -> None:
    """It says so in git's words."""
    changed(root, "-VERSION = 1", "-VERSION = 7")
    found = Repository(NAME, root=root)
    with pytest.raises(BenchmarkDefect, match=r"does not apply: .*0002"):
        found.tree(found.commits[0])


def test_a_missing_patch_is_a_defect(root: Path) -> None:
    """It is named."""
    changed(root, "Go", "Go").unlink()
    found = Repository(NAME, root=root)
    with pytest.raises(BenchmarkDefect, match=r"history/0002-.* is not there"):
        found.tree(found.head)


@pytest.mark.parametrize("mode", ["100755", "120000"])
def test_only_plain_files_may_be_there(root: Path, mode: str) -> None:
    """A program or a link is refused, even where the hash is right."""
    changed(root, "new file mode 100644", f"new file mode {mode}")
    found = Repository(NAME, root=root)
    with pytest.raises(BenchmarkDefect, match="comes to commit") as caught:
        found.tree(found.head)
    pins = root / "tiny" / "commits.json"
    now = str(caught.value).partition("comes to commit ")[2][:40]
    pins.write_text(pins.read_text("utf-8").replace(found.head, now), encoding="utf-8")
    found = Repository(NAME, root=root)
    with pytest.raises(BenchmarkDefect, match=f"test_a.py' has mode {mode}"):
        found.tree(found.head)


def test_without_git_it_is_infrastructure(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how to get it; reading the pins needs none."""
    found = Repository(NAME, root=root)
    monkeypatch.setenv("PATH", str(root))
    with pytest.raises(InfrastructureError, match=r"needs git, .* apt install git"):
        found.tree(found.head)


def test_a_broken_git_is_infrastructure(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never a defect of the benchmark, and its words cannot move a cursor."""
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nprintf 'no \\033[31mspace left' >&2\nexit 128\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    found = Repository(NAME, root=root)
    with pytest.raises(InfrastructureError, match=r"git init failed: no \\x1b\[31mspace left"):
        found.tree(found.head)


def test_a_checkout_that_cannot_be_written_is_infrastructure(root: Path, tmp_path: Path) -> None:
    """Such as into a file."""
    place = tmp_path / "file"
    place.write_text("taken", encoding="utf-8")
    found = Repository(NAME, root=root)
    with pytest.raises(InfrastructureError, match="the checkout cannot be written"):
        found.checkout(found.head, place)


@pytest.mark.parametrize("name", ["tinny", "../root/tiny", "", "other/tiny", "tiny/"])
def test_an_unknown_repository_is_refused(root: Path, name: str) -> None:
    """Also one of another owner, or a path."""
    with pytest.raises(DataError, match=r"no such repository|it is for owner/tiny"):
        Repository(name, root=root)


def test_an_unknown_commit_is_refused(root: Path) -> None:
    """Abbreviations are no names of commits."""
    found = Repository(NAME, root=root)
    for commit in ("main", found.head[:10], "0" * 40):
        with pytest.raises(DataError, match="no commit"):
            found.tree(commit)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"hash"', '"sha"'),
        ("owner/tiny", "owner/other"),
        ("0001-Begin.patch", "../0001-Begin.patch"),
        ('{"repository"', '{"more": 1, "repository"'),
    ],
)
def test_pins_that_are_not_right_are_refused(root: Path, old: str, new: str) -> None:
    """With the file's name."""
    pins = root / "tiny" / "commits.json"
    text = pins.read_text(encoding="utf-8")
    assert old in text
    pins.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=r"^tiny/commits\.json:"):
        Repository("tiny", root=root)


@pytest.mark.parametrize("name", repository_names())
def test_shipped_histories_come_to_their_hashes(name: str) -> None:
    """Six to twelve commits, one after the other, by invented people."""
    found = repository(name)
    log = found.history(found.head)
    assert 6 <= len(log) <= 12
    assert [one.hash for one in log] == list(reversed(found.commits))
    moments = [datetime.fromisoformat(one.date) for one in log]
    assert moments == sorted(set(moments), reverse=True)
    for commit in found.commits:
        assert {"README.md", "CHANGELOG.md", f"{name}/__init__.py"} <= found.tree(commit).keys()


def test_there_are_four_shipped_repositories() -> None:
    """Each under one name, whichever way it is asked for."""
    assert len(repository_names()) == 4
    for name in repository_names():
        assert repository(repository(name).name).commits == repository(name).commits
