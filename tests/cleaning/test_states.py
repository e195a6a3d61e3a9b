from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from pytest_comem.cleaning.leftover import Spared
from pytest_comem.cleaning.states import StateDirectory, StateFinder
from pytest_comem.cleaning.sweep import sweep
from pytest_comem.errors import DataError
from pytest_comem.ownership import Host, Owner

ALIVE = Owner.this_process("r")
DEAD = replace(ALIVE, host=replace(Host.here(), boot="another"))
ELSEWHERE = replace(ALIVE, host=replace(Host.here(), name="other-host"))


def run(runs: Path, name: str, *owners: Owner, ours: bool = True) -> Path:
    """Make a run whose state belongs to *owners*."""
    state = runs / name / "state"
    (state / "comem-x").mkdir(parents=True)
    (state / "comem-x" / "store").write_text("x")
    versions = {"pytest-comem": "1"} if ours else {"other": "1"}
    (runs / name / "manifest.json").write_text(json.dumps({"versions": versions}))
    for number, owner in enumerate(owners):
        (state / f"owner-{number}.json").write_text(json.dumps(asdict(owner)))
    return state


def left_alone(runs: Path) -> list[str]:
    """Clean *runs* and return why states are left alone."""
    return [found.why for found in StateFinder([runs]).find() if isinstance(found, Spared)]


def test_the_state_of_dead_owners_goes_and_nothing_else_does(tmp_path: Path) -> None:
    """Manifest and neighbours stay; a second time there is nothing to do."""
    state = run(tmp_path, "one", DEAD, DEAD)
    (state.parent / "outcomes.jsonl").write_text("{}\n")
    said: list[str] = []
    assert sweep([StateFinder([tmp_path])], said.append)
    assert said == [
        f"removed: state directory {state}",
        "1 removed, 0 left alone, 0 could not be removed",
    ]
    assert {path.name for path in state.parent.iterdir()} == {"manifest.json", "outcomes.jsonl"}
    assert list(StateFinder([tmp_path]).find()) == []


def test_a_dry_run_only_says_it(tmp_path: Path) -> None:
    """Everything is still there afterwards."""
    state = run(tmp_path, "one", DEAD)
    said: list[str] = []
    assert sweep([StateFinder([tmp_path])], said.append, dry_run=True)
    assert said[0] == f"would remove: state directory {state}"
    assert said[1].startswith("1 to remove")
    assert (state / "comem-x" / "store").is_file()


@pytest.mark.parametrize(
    ("owners", "why"),
    [
        ([ALIVE], "its run goes on"),
        ([DEAD, ALIVE], "its run goes on"),
        ([DEAD, ELSEWHERE], "it belongs to another host or container (other-host)"),
        ([replace(DEAD, kept=True)], "it was kept on purpose (--comem-keep-state)"),
        ([], "nothing in it says whose it is"),
    ],
)
def test_what_may_be_wanted_is_left_alone(tmp_path: Path, owners: list[Owner], why: str) -> None:
    """One living owner among dead ones is enough, and so is what cannot be known."""
    state = run(tmp_path, "one", *owners)
    (found,) = left_alone(tmp_path)
    assert found.startswith(why)
    assert (state / "comem-x" / "store").is_file()


def test_an_unreadable_label_protects(tmp_path: Path) -> None:
    """Whose it is cannot be known then."""
    state = run(tmp_path, "one", DEAD)
    (state / "owner-x.json").write_text("{")
    assert left_alone(tmp_path) == ["a file in it that says whose it is cannot be read"]


def test_only_runs_of_ours_are_looked_into(tmp_path: Path) -> None:
    """A directory called state elsewhere is somebody's, whatever is in it."""
    for name, text in (("broken", "{"), ("list", "[]"), ("none", None)):
        state = run(tmp_path, name, DEAD)
        manifest = state.parent / "manifest.json"
        manifest.unlink() if text is None else manifest.write_text(text)
    run(tmp_path, "foreign", DEAD, ours=False)
    assert list(StateFinder([tmp_path]).find()) == []


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Neither to a run, nor in place of the state, nor inside it."""
    runs, outside = tmp_path / "runs", tmp_path / "outside"
    elsewhere = run(outside, "elsewhere", DEAD)
    runs.mkdir()
    (runs / "latest").symlink_to(elsewhere.parent, target_is_directory=True)
    state = run(runs, "linked", DEAD)
    state.rename(outside / "moved")
    state.symlink_to(outside / "moved", target_is_directory=True)
    inside = run(runs, "inside", DEAD)
    (inside / "to").symlink_to(outside, target_is_directory=True)
    said: list[str] = []
    assert sweep([StateFinder([runs])], said.append)
    assert said == [
        f"removed: state directory {inside}",
        f"left alone: state directory {state}: it is a symbolic link",
        "1 removed, 1 left alone, 0 could not be removed",
    ]
    assert (outside / "moved" / "comem-x" / "store").is_file()
    assert (elsewhere / "comem-x" / "store").is_file()


def test_a_run_may_be_named_itself(tmp_path: Path) -> None:
    """Also twice, and beside the directory it is in."""
    state = run(tmp_path, "one", DEAD)
    found = list(StateFinder([state.parent, tmp_path, state.parent]).find())
    assert found == [StateDirectory(state)]


def test_hostile_names_are_said_in_one_line(tmp_path: Path) -> None:
    """A name with a line break or a terminal's codes cannot pass for another line."""
    run(tmp_path, "a\nremoved: everything\x1b[2J", DEAD)
    said: list[str] = []
    assert sweep([StateFinder([tmp_path])], said.append)
    assert len(said) == 2
    assert r"a\nremoved: everything\x1b[2J" in said[0]


def test_a_directory_that_is_not_there_is_said(tmp_path: Path) -> None:
    """Nothing was looked at, which must not look like nothing was found."""
    with pytest.raises(DataError, match="cannot be read"):
        list(StateFinder([tmp_path / "nowhere"]).find())


def test_a_state_that_cannot_be_read_is_left_alone_and_says_so(
    tmp_path: Path,
) -> None:
    """Not being let in is something else than finding no label."""
    run(tmp_path, "one", DEAD).chmod(0)
    if os.access(tmp_path / "one" / "state", os.R_OK):
        pytest.skip("this user may read everything")
    (why,) = left_alone(tmp_path)
    (tmp_path / "one" / "state").chmod(0o700)
    assert why == "it cannot be read: Permission denied"
