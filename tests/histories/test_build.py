"""From a repository to a stream."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.errors import DataError, SettingsError
from pytest_comem.histories import storing
from pytest_comem.histories.build import Wanted, apply, build
from pytest_comem.histories.drafting import Draft
from pytest_comem.office.certification import certify
from pytest_comem.office.operations import OPERATIONS
from pytest_comem.streams.hidden_files import load_hidden
from pytest_comem.streams.loading import load_stream

#: What a stream of free documents has no plan for.
NEEDS_A_PLAN = {"informed", "uninformed"}


def files_of(directory: Path) -> dict[str, bytes]:
    """Return all files below a directory."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_more_than_200_commits_become_a_stream_without_anything_private(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """It loads, hidden side and all; nobody's address or name is in any of its files."""
    out = tmp_path / "out"
    built = build(long_history(220), Wanted(("docs",), accept=True), out)
    assert (built.commits, built.tasks) == (220, 165)
    stream = load_stream(out, OPERATIONS)
    assert built.targets == built.drafted == len(stream.targets) > 150
    assert all(load_hidden(stream, one, OPERATIONS) for one in stream.targets)
    for path, content in files_of(out).items():
        for word in (b"corp.example", b"Ada", b"Stone", b"10.0.0.", b"Signed-off"):
            assert word not in content, path
    last = load_hidden(stream, stream.targets[-1], OPERATIONS)
    assert {one.item_id for one in last.rubric.preferences} >= {
        *("dates", "heading-docs-notes-decisions", "line-kept-by", "names-docs-notes"),
    }
    assert len(last.relevance.relevant) == 10


def test_work_of_others_lies_in_the_workspace_of_the_next_task(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """It is no task, and no difference between before and after."""
    out = tmp_path / "out"
    build(long_history(6), Wanted(("docs",), accept=True), out)
    stream = load_stream(out)
    *_, third, fourth, _ = stream.tasks
    assert third.workspace is not None
    assert fourth.workspace is not None
    assert "docs/log.txt" not in third.workspace.files
    assert "docs/log.txt" in fourth.workspace.files
    assert "docs/log.txt" not in fourth.task.instruction


def test_drafted_tasks_meet_what_a_certificate_asks_without_a_plan(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """Reference, workspace before, and every mutation, in a sandbox."""
    out = tmp_path / "out"
    build(long_history(8), Wanted(("docs",), accept=True), out)
    found = certify(out)
    assert len(found) == 6
    for certificate in found:
        unmet = {one.name: one.problems for one in certificate.conditions if not one.met}
        assert set(unmet) <= NEEDS_A_PLAN, (certificate.name, unmet)
        assert "mutations" in {one.name for one in certificate.conditions}


def test_the_same_history_gives_the_same_files(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """Byte for byte."""
    repository = long_history(12)
    for name in ("one", "two"):
        build(repository, Wanted(("docs",)), tmp_path / name)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_no_task_is_scored_before_it_is_reviewed(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """The review says which could be."""
    out = tmp_path / "out"
    built = build(long_history(4), Wanted(("docs",)), out)
    assert (built.targets, built.drafted) == (0, 3)
    assert load_stream(out).targets == ()
    lines = [json.loads(line) for line in (out / "review.jsonl").read_text("utf-8").splitlines()]
    assert [line["reviewed"] for line in lines] == [False] * 3
    for line in lines[1:]:
        line["reviewed"] = True
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (out / "review.jsonl").write_text(text, "utf-8")
    assert apply(out, out / "review.jsonl").targets == 2
    assert [one.id for one in load_stream(out).targets] == ["t0002", "t0003"]


def test_days_names_and_a_limit_choose_the_tasks(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """The earliest tasks of the named author, from a day on and before another."""
    repository = long_history(20)
    ben = Wanted(("docs",), author="Ben Field", accept=True)
    assert build(repository, ben, tmp_path / "ben").tasks == 5
    days = datetime(2024, 1, 10, tzinfo=UTC), datetime(2024, 1, 20, tzinfo=UTC)
    some = Wanted(("docs",), since=days[0], until=days[1], limit=4, keep_names=True)
    assert build(repository, some, tmp_path / "some").tasks == 4
    stream = load_stream(tmp_path / "some")
    assert stream.tasks[0].task.started[:10] == "2024-01-10"
    assert stream.participant.name == "Ada Stone"
    with pytest.raises(SettingsError, match="no task is left"):
        late = Wanted(("docs",), since=datetime(2030, 1, 1, tzinfo=UTC))
        build(repository, late, tmp_path / "late")


def test_what_is_there_is_never_written_over(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """An empty directory will do; a file or a full one will not."""
    repository = long_history(2)
    full, empty, file = tmp_path / "full", tmp_path / "empty", tmp_path / "file"
    full.mkdir()
    empty.mkdir()
    for path in (full / "mine", file):
        path.write_text("mine")
    for place in (full, file):
        with pytest.raises(SettingsError, match="-o "):
            build(repository, Wanted(("docs",)), place)
    assert files_of(full) == {"mine": b"mine"}
    build(repository, Wanted(("docs",)), empty)
    assert load_stream(empty).tasks


def test_nothing_is_left_where_writing_fails(
    long_history: Callable[[int], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither half a stream nor a directory beside it."""
    repository, place = long_history(2), tmp_path / "place"
    place.mkdir()

    def full(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(SettingsError, match="No space left"):
            build(repository, Wanted(("docs",)), place / "out")
    assert list(place.iterdir()) == []


def test_something_private_that_is_left_stops_the_writing(
    long_history: Callable[[int], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key of this environment, say; the message names the file and never the key."""
    monkeypatch.setenv("HARBOUR_API_KEY", "lighthouse-lantern")
    repository = long_history(2)

    def drafter(messages: Any, fates: Any) -> Draft:
        return Draft("A title", "Use lighthouse-lantern for the new harbour meeting.")

    with pytest.raises(DataError, match="still holds something private") as caught:
        build(repository, Wanted(("docs",)), tmp_path / "out", drafter)
    assert "lantern" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_what_a_drafter_writes_is_cleaned(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """A model may make up an address."""

    def drafter(messages: Any, fates: Any) -> Draft:
        return Draft("Ask Ada Stone", "Write to eve@corp.example.com about the harbour meeting.")

    build(long_history(2), Wanted(("docs",)), tmp_path / "out", drafter)
    task = load_stream(tmp_path / "out").tasks[0].task
    assert task.title == "Ask Person 1"
    assert "eve@" not in task.instruction
    assert "@example.org" in task.instruction


def test_the_last_look_reads_every_file(
    tmp_path: Path, long_history: Callable[[int], Path]
) -> None:
    """What stands in a stored file, a record or the review is seen."""
    out = tmp_path / "out"
    build(long_history(3), Wanted(("docs",)), out)
    draft = storing.read_draft(out)

    def look(text: str) -> str:
        return "mark" if "me@x.org" in text or "10.9.8.7" in text else ""

    draft.files["a.md"] = b"me@x.org"
    with pytest.raises(DataError, match=r"files/a\.md: "):
        storing.refuse_private(draft, look, {})
    with pytest.raises(DataError, match=r"review\.jsonl: "):
        storing.refuse_private(draft, look, {"review.jsonl": "10.9.8.7"})
