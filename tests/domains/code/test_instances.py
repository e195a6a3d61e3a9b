"""Instances: their shape, and whether each is what it says when it is really run."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from doctest import DocTestParser, Example
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.domains.code.instances import Instance, load_instances, public, touched
from pytest_comem.domains.code.repositories import repository, repository_names
from pytest_comem.domains.code.running import Ran, Runner, Tree
from pytest_comem.errors import DataError

SHIPPED = load_instances()
GOOD: dict[str, Any] = {
    "instance_id": "owner__tiny-3",
    "repo": "owner/tiny",
    "base_commit": "a" * 40,
    "environment_setup_commit": "b" * 40,
    "patch": "--- a/tiny/a.py\n+++ b/tiny/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
    "test_patch": "--- /dev/null\n+++ b/tests/test_a.py\n@@ -0,0 +1 @@\n+import tiny\n",
    "problem_statement": "x is 1",
    "hints_text": "",
    "created_at": "2024-01-01T10:00:00+00:00",
    "version": "0.1",
    "FAIL_TO_PASS": ["tests/test_a.py::test_x"],
    "PASS_TO_PASS": ["tests/test_a.py::test_y[1]"],
}
#: Runs the examples of an issue as the interpreter would, and prints how many fail.
EXAMINED = """
import doctest
examples = {text!r}
test = doctest.DocTestParser().get_doctest(examples, {{}}, "issue", None, 0)
print(doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None).failed)
"""


def written(path: Path, *lines: dict[str, Any] | str) -> Path:
    """Write a file of instances."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_reads_what_is_right(tmp_path: Path) -> None:
    """In the file's order; blank lines count and hold nothing."""
    other = {**GOOD, "instance_id": "owner__tiny-1"}
    found = load_instances(written(tmp_path / "i.jsonl", GOOD, "", other))
    assert list(found) == ["owner__tiny-3", "owner__tiny-1"]
    assert found["owner__tiny-3"].model_dump(mode="json") == GOOD


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"instance_id": "tiny-3"}, " field instance_id:"),
        ({"repo": "tiny"}, " field repo:"),
        ({"base_commit": "A" * 40}, " field base_commit:"),
        ({"base_commit": None}, " field base_commit:"),
        ({"patch": ""}, " field patch:"),
        ({"version": 0.1}, " field version:"),
        ({"FAIL_TO_PASS": []}, " field FAIL_TO_PASS:"),
        ({"FAIL_TO_PASS": '["tests/test_a.py::test_x"]'}, " field FAIL_TO_PASS:"),
        ({"PASS_TO_PASS": ["tests/test_a.py::test y"]}, " field PASS_TO_PASS.0:"),
        ({"PASS_TO_PASS": ["../a.py::test_y"]}, " field PASS_TO_PASS.0:"),
        ({"more": 1}, " field more:"),
        ({"instance_id": "owner__other-3"}, " .*does not begin with owner__tiny-"),
        ({"PASS_TO_PASS": GOOD["FAIL_TO_PASS"]}, " .*both hold tests/test_a.py::test_x"),
        ({"created_at": "2024-01-01T10:00:00"}, " .*not an ISO 8601 moment in UTC"),
        ({"created_at": "yesterday"}, " .*not an ISO 8601 moment in UTC"),
        ({"patch": GOOD["test_patch"]}, " .*patch touches tests"),
        ({"test_patch": GOOD["patch"]}, " .*test_patch touches more than tests"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, changes: dict[str, Any], field: str) -> None:
    """File, line and field."""
    path = written(tmp_path / "i.jsonl", GOOD, {**GOOD, **changes})
    with pytest.raises(DataError, match=rf"^i\.jsonl:2:{field}"):
        load_instances(path)


@pytest.mark.parametrize(
    "line", ["{", "[]", '"text"', "[" * 100_000, json.dumps(GOOD)[:-1] + ', "repo": "a/b"}']
)
def test_lines_of_other_shapes_are_refused(tmp_path: Path, line: str) -> None:
    """Whatever JSON they hold, or none."""
    with pytest.raises(DataError, match=r"^i\.jsonl:1:"):
        load_instances(written(tmp_path / "i.jsonl", line))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """With their line."""
    path = tmp_path / "i.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b'\n{"repo": "\xff"}\n')
    with pytest.raises(DataError, match=r"^i\.jsonl:2:"):
        load_instances(path)


def test_an_instance_is_there_once(tmp_path: Path) -> None:
    """The second line is named."""
    with pytest.raises(DataError, match=r"^i\.jsonl:2: .*owner__tiny-3 is there twice"):
        load_instances(written(tmp_path / "i.jsonl", GOOD, GOOD))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """By its name alone."""
    with pytest.raises(DataError, match=r"^i\.jsonl: cannot be read: No such file"):
        load_instances(tmp_path / "i.jsonl")


def test_a_worker_may_know_the_issue_and_the_commit() -> None:
    """Nothing of a patch, a test, or what was said later."""
    found = public(Instance.model_validate_json(json.dumps(GOOD)))
    assert found == {
        name: GOOD[name]
        for name in (
            *("instance_id", "repo", "base_commit", "problem_statement", "created_at", "version"),
        )
    }


def test_paths_of_a_diff() -> None:
    """New and removed files count, a file's absence does not."""
    assert touched(GOOD["test_patch"]) == ("tests/test_a.py",)
    assert touched("no diff") == ()


# --- the shipped ones


def each() -> pytest.MarkDecorator:
    """Run a test for every shipped instance."""
    return pytest.mark.parametrize("instance", SHIPPED.values(), ids=list(SHIPPED))


def test_every_repository_has_at_least_four() -> None:
    """And none is of a repository that is not there."""
    counts = Counter(one.repo for one in SHIPPED.values())
    assert counts.keys() == {repository(name).name for name in repository_names()}
    assert min(counts.values()) >= 4


@each()
def test_commits_versions_and_dates_agree(instance: Instance) -> None:
    """The issue came after the commit that it is about; its version is the library's there."""
    found = repository(instance.repo)
    package = instance.repo.partition("/")[2]
    numbers = {
        commit: re.search(r'__version__ = "(\d+\.\d+)', tree[f"{package}/__init__.py"].decode())
        for commit in found.commits
        for tree in [found.tree(commit)]
    }
    same = [c for c in found.commits if (numbers[c] or [""])[1] == instance.version]
    assert same[0] == instance.environment_setup_commit
    assert instance.base_commit in same
    base = found.history(instance.base_commit)[0]
    assert datetime.fromisoformat(base.date) < datetime.fromisoformat(instance.created_at)


@each()
def test_the_fault_is_in_one_place(instance: Instance) -> None:
    """One file, one hunk, and few lines of it."""
    (path,) = touched(instance.patch)
    assert path in repository(instance.repo).tree(instance.base_commit)
    lines = instance.patch.splitlines()
    assert sum(line.startswith("@@") for line in lines) == 1
    added = [line for line in lines if re.match(r"\+(?!\+\+ )", line)]
    removed = [line for line in lines if re.match(r"-(?!-- )", line)]
    assert 1 <= len(added) <= 3
    assert len(removed) <= 1


@each()
def test_an_issue_tells_the_symptom_and_not_the_fix(instance: Instance) -> None:
    """A title, prose, examples and what came instead, of a plausible length."""
    text = instance.problem_statement
    assert 80 <= len(text.split()) <= 200
    title, blank, *_ = text.splitlines()
    assert title
    assert not blank
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) in (1, 2)
    assert all(block.startswith((">>> from ", ">>> import ")) for block in blocks)
    assert re.search(r"^Actual:\n\n```text\n.+^```\n\Z", text, re.DOTALL | re.MULTILINE)
    for line in re.findall(r"^[+-](?![+-]{2} )\s*(.+)$", instance.patch, re.MULTILINE):
        assert line not in text


def examples(instance: Instance) -> list[Example]:
    """Return the examples of an issue."""
    return DocTestParser().get_examples(instance.problem_statement)


@each()
def test_an_issue_has_several_examples_with_results(instance: Instance) -> None:
    """So that no patch for one of them alone looks like a fix."""
    assert sum(bool(example.want) for example in examples(instance)) >= 2


@cache
def runner() -> Runner:
    """Return what runs the repositories' code, in the best sandbox there is."""
    return Runner()


def tree_of(instance: Instance) -> Tree:
    """Return the files of an instance's commit."""
    return Tree(repository(instance.repo).tree(instance.base_commit))


def statuses(ran: Ran) -> dict[str, str]:
    """Return what pytest's own summary says of each test."""
    assert ran.applied
    return {
        node: status
        for status, node in re.findall(r"^([A-Z]+) (tests/\S+::\S+)", ran.stdout, re.MULTILINE)
    }


def passing(found: dict[str, str]) -> list[str]:
    """Return the tests that pass, sorted."""
    return sorted(node for node, status in found.items() if status == "PASSED")


def both(*lists: Sequence[str]) -> list[str]:
    """Return all of some lists, sorted."""
    return sorted(one for each_list in lists for one in each_list)


@each()
def test_fails_before_and_passes_after(instance: Instance) -> None:
    """With the tests alone, just FAIL_TO_PASS fail; with the gold patch, none does."""
    tree = tree_of(instance)
    before = statuses(runner().suite(tree, [instance.test_patch]))
    assert passing(before) == sorted(instance.PASS_TO_PASS)
    assert {before[node] for node in instance.FAIL_TO_PASS} == {"FAILED"}
    after = runner().suite(tree, [instance.test_patch, instance.patch])
    assert after.status == 0
    everything = both(instance.FAIL_TO_PASS, instance.PASS_TO_PASS)
    assert sorted(statuses(after)) == passing(statuses(after)) == everything


@each()
def test_its_tests_are_added_to_those_that_were_there(instance: Instance) -> None:
    """No test of the commit is changed or taken away, so none of them can have failed there."""
    assert not re.search(r"^-(?!-- )", instance.test_patch, re.MULTILINE)


@each()
def test_an_issue_is_right_about_its_examples(instance: Instance) -> None:
    """At the commit at least one comes out otherwise; with the gold patch all come out."""
    blocks = re.findall(r"^```python\n(.*?)^```$", instance.problem_statement, re.S | re.M)
    script = EXAMINED.format(text="\n".join(blocks))
    before = runner().script(tree_of(instance), [], script)
    after = runner().script(tree_of(instance), [instance.patch], script)
    assert int(before.stdout) > 0
    assert after.stdout.strip() == "0"
