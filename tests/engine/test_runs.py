"""A recorded run read once, and what forbids to compare two."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_outcomes import made

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.records import OUTCOMES, to_line, to_record
from pytest_comem.engine.runs import incomparable, read_run
from pytest_comem.errors import DataError

FILES = {"medical/episodes.jsonl": "a" * 64, "office/episodes.jsonl": "b" * 64}


def write(
    folder: Path, outcomes: Iterable[Outcome], checksums: dict[str, str] | None = None
) -> Path:
    """Write a run directory of *outcomes*."""
    folder.mkdir()
    lines = (to_line(to_record(each)) for each in outcomes)
    (folder / OUTCOMES).write_text("".join(lines), encoding="utf-8")
    data: dict[str, Any] = {"gatemem": {"checksums": FILES if checksums is None else checksums}}
    (folder / "manifest.json").write_text(json.dumps({"data": data, "finished": None}))
    return folder


def differences(first: Path, second: Path) -> list[str]:
    """Return what forbids to compare two run directories."""
    return incomparable(read_run(first), read_run(second))


def test_rows_are_systems_and_models_in_order(tmp_path: Path) -> None:
    """Each row has its own outcomes, and a step that stands there twice counts once."""
    outcomes = [
        made(1, True, system="rag"),
        made(0, True, system="bm25"),
        made(1, False, system="rag"),
        made(2, None, system="rag", model="m/x"),
    ]
    run = read_run(write(tmp_path / "run", outcomes))
    assert list(run.rows) == [
        ("gatemem", "rag", "offline"),
        ("gatemem", "bm25", "offline"),
        ("gatemem", "rag", "m/x"),
    ]
    assert [each.passed for each in run.rows["gatemem", "rag", "offline"]] == [True]
    assert (run.suites, run.finished) == (("gatemem",), {})
    assert run.unscored == {"rag-medical-medical-e-s2": "the model was busy"}


def test_the_file_of_outcomes_is_the_run(tmp_path: Path) -> None:
    """Naming outcomes.jsonl itself finds the manifest beside it."""
    folder = write(tmp_path / "run", [made(0, True)])
    assert read_run(folder / OUTCOMES).manifest == read_run(folder).manifest != {}


def test_no_run_is_told(tmp_path: Path) -> None:
    """A folder without outcomes is named."""
    with pytest.raises(DataError, match=r"holds no outcomes\.jsonl"):
        read_run(tmp_path)


def test_systems_models_and_settings_may_differ(tmp_path: Path) -> None:
    """What one compares forbids nothing."""
    first = made(0, True)
    second = replace(
        made(0, False, system="rag", model="m/x"),
        system=replace(first.system, name="rag", version="9", configuration="z", top_k=5),
        key="other",
    )
    assert not differences(write(tmp_path / "a", [first]), write(tmp_path / "b", [second]))


def test_a_part_of_the_domains_has_the_same_data(tmp_path: Path) -> None:
    """Another revision over equal files is no other data."""
    whole = write(tmp_path / "a", [made(0, True)])
    part = {"medical/episodes.jsonl": "a" * 64}
    second = write(tmp_path / "b", [replace(made(0, True), data="made-part")], part)
    assert not differences(whole, second)


def test_every_difference_is_told(tmp_path: Path) -> None:
    """Data, scoring and judge, each with both values and their runs."""
    changed = replace(made(0, True), data="new", judge="m/judge", scoring="release-gated")
    files = {**FILES, "office/episodes.jsonl": "c" * 64}
    first, second = write(tmp_path / "a", [made(0, True)]), write(tmp_path / "b", [changed], files)
    assert differences(first, second) == [
        f"gatemem data: made in {first}; new in {second}",
        "gatemem data file office/episodes.jsonl: SHA-256 "
        f"bbbbbbbbbbbb in {first}; cccccccccccc in {second}",
        f"gatemem scoring: paper in {first}; release-gated in {second}",
        f"gatemem judge: rules-1 in {first}; m/judge in {second}",
    ]


def test_other_data_without_files_in_common_is_told(tmp_path: Path) -> None:
    """Where nobody noted checksums, the revision decides."""
    first = write(tmp_path / "a", [made(0, True)], {})
    second = write(tmp_path / "b", [replace(made(0, True), data="new")], {})
    assert differences(first, second) == [f"gatemem data: made in {first}; new in {second}"]


def test_runs_of_no_common_suite_are_told(tmp_path: Path) -> None:
    """An empty run has nothing to compare."""
    first, second = write(tmp_path / "a", [made(0, True)]), write(tmp_path / "b", [])
    assert differences(first, second) == [f"suites: gatemem in {first}; nothing in {second}"]


def test_hostile_names_are_told_as_escapes(tmp_path: Path) -> None:
    """What another's file says of its judge moves no cursor and begins no line."""
    first = write(tmp_path / "a", [made(0, True)])
    second = write(tmp_path / "b", [replace(made(0, True), judge="\x1b[2J\n::error::x")])
    (line,) = differences(first, second)
    assert "\\x1b[2J\\n::error::x" in line
    assert line.isprintable()
