"""Projects: pinned, and refused where they are not what they have to be."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_comem.domains.mathematics.families.projecting import shipped_commit
from pytest_comem.domains.mathematics.projects import commit_of, read_project, statement_hash
from pytest_comem.domains.mathematics.shipped import COMMIT, project_root
from pytest_comem.errors import DataError


def copied(place: Path) -> Path:
    """Return a copy of the shipped project."""
    return Path(shutil.copytree(project_root(), place / "mathematics"))


def commit_at(root: Path) -> str:
    """Return the commit that the files of a directory have."""
    paths = [root / "project.json", *root.glob("coq/*.v"), *root.glob("lean/*.lean")]
    return commit_of({path.relative_to(root).as_posix(): path.read_bytes() for path in paths})


def test_the_shipped_project_is_the_pinned_one() -> None:
    """Sources and registry together have the hash that families name."""
    assert commit_at(project_root()) == COMMIT == shipped_commit(project_root())
    assert read_project(project_root(), COMMIT).commit == COMMIT


def test_a_module_comes_after_what_it_rests_on() -> None:
    """Also where that rests on something itself; Lean's own library is no module."""
    project = read_project(project_root(), COMMIT)
    assert project.needs("Trees", "coq") == ("Base", "Lists", "Trees")
    assert project.needs("Folds", "lean") == ("Lists", "Folds")


@pytest.mark.parametrize("name", ["coq/Lists.v", "lean/Lists.lean", "project.json"])
def test_a_changed_file_is_another_commit(tmp_path: Path, name: str) -> None:
    """A definition, or a statement, that differs in one blank."""
    root = copied(tmp_path)
    (root / name).write_bytes((root / name).read_bytes() + b" ")
    with pytest.raises(DataError, match=f"and has to be {COMMIT}; get the unchanged files"):
        read_project(root, COMMIT)


def test_a_further_file_is_another_commit(tmp_path: Path) -> None:
    """A module that nothing rests on yet counts as well."""
    root = copied(tmp_path)
    (root / "coq" / "More.v").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="its commit is"):
        read_project(root, COMMIT)


def test_a_missing_registry_is_named(tmp_path: Path) -> None:
    """With the reason of the system."""
    with pytest.raises(DataError, match=r"project.json: cannot be read: No such file"):
        read_project(tmp_path, COMMIT)


def _twice(entries: list[dict[str, object]]) -> object:
    return {"theorems": [entries[0], entries[0]]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda entries: [], "does not register theorems"),
        (lambda entries: {"theorems": 7}, "does not register theorems"),
        (lambda entries: {"theorems": [{**entries[0], "words": 1}]}, "does not register theorems"),
        (lambda entries: {"theorems": [{**entries[0], "name": "a. b"}]}, "does not register"),
        (lambda entries: {"theorems": [{**entries[0], "statements": {"x": "y"}}]}, "not register"),
        (_twice, "two theorems have the same name"),
    ],
)
def test_a_registry_of_another_form_is_refused(
    tmp_path: Path, change: Callable[[list[dict[str, object]]], object], said: str
) -> None:
    """Whatever JSON it is."""
    root = copied(tmp_path)
    path = root / "project.json"
    entries = json.loads(path.read_text(encoding="utf-8"))["theorems"]
    path.write_text(json.dumps(change(entries)), encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_project(root, commit_at(root))


def test_the_hash_of_a_statement_is_of_its_words() -> None:
    """Blanks and line ends make no difference; letters and the prover do."""
    assert statement_hash("coq", "a =\n  b") == statement_hash("coq", " a = b ")
    assert statement_hash("coq", "a = b") != statement_hash("coq", "a = c")
    assert statement_hash("coq", "a = b") != statement_hash("lean", "a = b")
