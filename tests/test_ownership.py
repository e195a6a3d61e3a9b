from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_comem.ownership import (
    HOST,
    OWNER,
    RUN,
    Host,
    Life,
    Owner,
    child_labels,
    is_kept,
    owners_of,
    owning,
    start_of,
)

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="the system has no /proc"
)


def test_this_process_lives_and_its_labels_say_who_it_is() -> None:
    """What is written in labels is read back as the same owner."""
    owner = Owner.this_process("abcd")
    assert owner.life() is Life.ALIVE
    assert Owner.from_labels(owner.labels) == owner
    assert set(owner.labels) == {RUN, OWNER, HOST}
    assert set(owner.docker_labels) == {
        "pytest-comem.run",
        "pytest-comem.owner",
        "pytest-comem.host",
    }


@needs_proc
def test_a_killed_process_is_dead_before_and_after_its_parent_notices() -> None:
    """A process that only waits to be reaped runs no more."""
    with subprocess.Popen(["sleep", "600"]) as process:
        owner = replace(
            Owner.this_process("r"), pid=process.pid, started=start_of(process.pid) or ""
        )
        assert owner.life() is Life.ALIVE
        process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert owner.life() is Life.DEAD
    assert owner.life() is Life.DEAD


@needs_proc
@pytest.mark.parametrize(
    ("changed", "life"),
    [
        ({"boot": "another"}, Life.DEAD),
        ({"name": "other-host"}, Life.ELSEWHERE),
        ({"machine": "0123"}, Life.ELSEWHERE),
        ({"space": "1"}, Life.ELSEWHERE),
        ({"name": "other-host", "boot": "another"}, Life.ELSEWHERE),
    ],
)
def test_ids_mean_something_on_one_boot_of_one_host(changed: dict[str, str], life: Life) -> None:
    """Another boot's processes are gone; of another host or container nothing is known."""
    owner = replace(Owner.this_process("r"), host=replace(Host.here(), **changed))
    assert owner.life() is life


@needs_proc
def test_an_id_given_out_again_is_another_process() -> None:
    """A living process with another start time is not the owner."""
    assert replace(Owner.this_process("r"), started="1").life() is Life.DEAD


def test_without_a_start_time_a_process_that_is_there_counts_as_the_owner() -> None:
    """Where the system tells nothing, nothing is called dead that may live."""
    assert replace(Owner.this_process("r"), started="").life() is Life.ALIVE


@pytest.mark.parametrize(
    "owner", ["", "12", "0:1", "-1:5", "12:x", "99999999999:1", "12:1\n", "1:1:1", "\u0661:1"]
)
def test_labels_of_another_form_are_not_ours(owner: str) -> None:
    """They name no owner, whatever they look like."""
    good = Owner.this_process("r").labels
    assert Owner.from_labels({**good, OWNER: owner}) is None
    assert Owner.from_labels({**good, HOST: "a/b"}) is None
    assert Owner.from_labels({**good, RUN: ""}) is None
    assert Owner.from_labels({}) is None


def test_a_directory_is_labelled_and_children_are_meanwhile(tmp_path: Path) -> None:
    """Outside a run no process is labelled; the file stays as long as the directory."""
    state = tmp_path / "run" / "state"
    assert child_labels() == {}
    with owning("abcd", state, kept=True) as owner:
        assert child_labels() == owner.labels
        with owning("nested", tmp_path / "other") as inner:
            assert child_labels() == inner.labels
        assert child_labels() == owner.labels
    assert child_labels() == {}
    assert owners_of(state) == [owner]
    assert owner.kept
    (file,) = state.iterdir()
    assert json.loads(file.read_text())["pid"] == os.getpid()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_label_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    """Also one that is a link, too long, or hostile."""
    with owning("abcd", tmp_path / "good"):
        good = next((tmp_path / "good").iterdir())
    found = json.loads(good.read_text())
    texts = [
        "",
        "[]",
        "{}",
        "[" * 5000,
        json.dumps({**found, "pid": 0}),
        json.dumps({**found, "pid": 2**40}),
        json.dumps({**found, "host": {}}),
        json.dumps({**found, "run": "x" * 20_000}),
    ]
    state = tmp_path / "state"
    state.mkdir()
    for number, text in enumerate(texts):
        (state / f"owner-{number}.json").write_text(text)
    (state / "owner-link.json").symlink_to(good)
    os.mkfifo(state / "owner-pipe.json")
    assert owners_of(state) == [None] * (len(texts) + 2)


def test_state_is_kept_where_one_of_its_owners_says_so(tmp_path: Path) -> None:
    """A later owner that keeps nothing does not take that back."""
    state = tmp_path / "state"
    assert not is_kept(state)
    for number, kept in enumerate((False, True, False)):
        with owning(str(number), state, kept=kept):
            pass
        # A process has one label; here it stands for several.
        (label,) = state.glob("owner-*-*.json")
        label.rename(state / f"owner-{number}.json")
        assert is_kept(state) is (number > 0)
