"""Reviews of a draft."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.errors import DataError
from pytest_comem.histories.build import Wanted, apply, build
from pytest_comem.office.operations import OPERATIONS
from pytest_comem.streams.hidden_files import load_hidden
from pytest_comem.streams.loading import load_stream


@pytest.fixture
def drafted(long_history: Callable[[int], Path], tmp_path: Path) -> Path:
    """Return the directory of a stream of six tasks, accepted as they are."""
    build(long_history(8), Wanted(("docs",), accept=True), tmp_path / "out")
    return tmp_path / "out"


def lines_of(directory: Path) -> list[dict[str, Any]]:
    """Return the lines of the review."""
    text = (directory / "review.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def save(directory: Path, lines: list[dict[str, Any]], between: str = "") -> Path:
    """Write a review and return its path."""
    path = directory / "review.jsonl"
    path.write_text("".join(between + json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_corrections_reach_the_stream_and_can_be_taken_back(drafted: Path) -> None:
    """Words, tests, relevant tasks, what is scored and what is there at all."""
    first = {p: p.read_bytes() for p in sorted(drafted.rglob("*")) if p.is_file()}
    before = lines_of(drafted)
    lines = lines_of(drafted)
    lines[0]["include"] = False
    lines[1]["scored"] = False
    lines[2] |= {"title": "Better", "instruction": "Say it better.", "relevant": ["t0002"]}
    dropped = next(name for name in lines[5]["tests"] if name.startswith("r"))
    del lines[5]["tests"][dropped]
    lines[5]["tests"]["m1"] = "In other words."
    found = apply(drafted, save(drafted, lines, between="\n"))
    assert (found.tasks, found.targets) == (5, 4)
    stream = load_stream(drafted, OPERATIONS)
    assert [one.id for one in stream.targets] == ["t0003", "t0004", "t0005", "t0006"]
    third = stream.task("t0003")
    assert (third.task.title, third.session.messages[0].content) == ("Better", "Say it better.")
    hidden = load_hidden(stream, third, OPERATIONS)
    assert [one.task_id for one in hidden.relevance.relevant] == ["t0002"]
    checks = {one.check_id: one.text for one in load_hidden(stream, stream.tasks[-1]).rubric.checks}
    assert dropped not in checks
    assert checks["m1"] == "In other words."
    for one in stream.targets:
        named = {each.task_id for each in load_hidden(stream, one, OPERATIONS).relevance.relevant}
        assert "t0001" not in named

    apply(drafted, save(drafted, before))
    assert {p: p.read_bytes() for p in sorted(drafted.rglob("*")) if p.is_file()} == first


@pytest.mark.parametrize(
    ("line", "change", "said"),
    [
        (2, {"colour": "red"}, r"review\.jsonl:2: field colour: "),
        (3, {"reviewed": "yes"}, r"review\.jsonl:3: field reviewed: "),
        (1, {"task_id": "t0009"}, r"review\.jsonl:1: field task_id: no task of the draft .*t0009"),
        (2, {"task_id": "t0001"}, r"review\.jsonl:2: field task_id: .* a second time"),
        (4, {"relevant": ["t0005"]}, r"review\.jsonl:4: field relevant: no task before t0004"),
        (5, {"tests": {"m7": "x"}}, r"review\.jsonl:5: field tests: .* is called 'm7'"),
        (6, {"tests": {}}, r"review\.jsonl:6: field tests: .* no check left"),
    ],
)
def test_what_does_not_go_with_the_draft_is_refused_by_line(
    drafted: Path, line: int, change: dict[str, Any], said: str
) -> None:
    """And the stream stays as it was."""
    lines = lines_of(drafted)
    lines[line - 1] |= change
    with pytest.raises(DataError, match=said):
        apply(drafted, save(drafted, lines))
    assert len(load_stream(drafted, OPERATIONS).targets) == 6


def test_a_review_lacks_no_task_and_leaves_some(drafted: Path) -> None:
    """A line that is gone is no way to leave a task out."""
    with pytest.raises(DataError, match="task t0006 is missing"):
        apply(drafted, save(drafted, lines_of(drafted)[:-1]))


def test_a_review_leaves_some_task_in(drafted: Path) -> None:
    """A stream of nothing is none."""
    lines = [line | {"include": False} for line in lines_of(drafted)]
    with pytest.raises(DataError, match="no task is included"):
        apply(drafted, save(drafted, lines))


@pytest.mark.parametrize("raw", [b"{", b"[]\n", b"\xff\n", b'{"task_id": 1}\n'])
def test_a_file_that_is_no_review_is_an_error_of_its_line(drafted: Path, raw: bytes) -> None:
    """Whatever it is."""
    (drafted / "review.jsonl").write_bytes(raw)
    with pytest.raises(DataError, match=r"review\.jsonl"):
        apply(drafted, drafted / "review.jsonl")


def test_a_directory_without_a_draft_is_refused(tmp_path: Path) -> None:
    """With the way to make one."""
    with pytest.raises(DataError, match="--from-git"):
        apply(tmp_path, tmp_path / "review.jsonl")


def test_a_task_that_cannot_be_scored_is_not_scored_by_a_word(history: Any, tmp_path: Path) -> None:
    """The message says why."""
    history.commit("Fix it", {"docs/a.md": "one\n"}, 0)
    history.commit("Describe harbour pilots", {"docs/a.md": "two pilots of the harbour\n"}, 1440)
    out = tmp_path / "out"
    build(history.made(), Wanted(("docs",), accept=True), out)
    lines = lines_of(out)
    assert [line["scored"] for line in lines] == [False, True]
    lines[0]["scored"] = True
    with pytest.raises(DataError, match=r"review\.jsonl:1: field scored: task t0001 cannot be"):
        apply(out, save(out, lines))
