from __future__ import annotations

from pathlib import Path

import pytest

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.sandbox.base import Limits, Sandbox, SandboxKind

LIMITS = Limits(seconds=20, memory_mib=256, disk_mib=20)


def test_a_program_gives_its_streams_and_its_exit_status(sandbox: Sandbox) -> None:
    """Both streams apart, and a status that is not zero is a result."""
    finished = sandbox.run(["sh", "-c", "echo out; echo err >&2; exit 7"])
    assert (finished.status, finished.ended, finished.why) == (7, "exit", "")
    assert (finished.stdout, finished.stderr) == (b"out\n", b"err\n")
    assert not finished.truncated


@pytest.mark.parametrize(("signal", "status"), [("TERM", 143), ("KILL", 137), ("SEGV", 139)])
def test_a_signal_is_an_exit_status(sandbox: Sandbox, signal: str, status: int) -> None:
    """As a shell says it; a program that kills itself is not a sandbox that died."""
    finished = sandbox.run(["sh", "-c", f"kill -{signal} $$; sleep 5"])
    assert (finished.status, finished.ended) == (status, "exit")
    assert sandbox.is_alive()


def test_a_program_that_is_not_there_is_a_result(sandbox: Sandbox) -> None:
    """As a shell says it."""
    finished = sandbox.run(["no-such-program"])
    assert finished.status == 127
    assert b"no-such-program" in finished.stderr


def test_names_of_programs_are_never_a_shells_own(sandbox: Sandbox) -> None:
    """Neither builtins nor syntax."""
    assert sandbox.run(["exit", "3"]).status == 127
    assert sandbox.run(["printf", "%s", "$(id) `id` ; \\ '\" \n"]).stdout == (
        b"$(id) `id` ; \\ '\" \n"
    )


@pytest.mark.parametrize("size", [0, 5, 3_000_000])
def test_standard_input_comes_to_an_end(sandbox: Sandbox, size: int) -> None:
    """Whatever its length."""
    finished = sandbox.run(["wc", "-c"], stdin=b"x" * size)
    assert finished.stdout.split() == [str(size).encode()]


def test_input_that_nobody_reads_is_no_problem(sandbox: Sandbox) -> None:
    """The program may end before it has read it."""
    assert sandbox.run(["true"], stdin=b"x" * 3_000_000).status == 0


def test_streams_as_long_as_the_limit_come_whole(sandbox: Sandbox) -> None:
    """Nothing is lost between the two ends."""
    program = "head -c 60000 /dev/zero; head -c 40000 /dev/zero >&2"
    finished = sandbox.run(["sh", "-c", program])
    assert (len(finished.stdout), len(finished.stderr)) == (60_000, 40_000)
    assert (finished.ended, finished.truncated) == ("exit", False)


def test_the_environment_is_what_was_given(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of ours is inherited."""
    monkeypatch.setenv("COMEM_TEST_SECRET", "marked")
    finished = sandbox.run(["env"], environment={"GIVEN": "a b\nc", "LANG": "C"})
    names = {line.partition(b"=")[0] for line in finished.stdout.splitlines() if b"=" in line}
    assert b"GIVEN=a b\nc\n" in finished.stdout
    assert b"LANG=C\n" in finished.stdout
    assert names <= {b"GIVEN", b"LANG", b"PATH", b"HOME", b"TMPDIR", b"PWD", b"HOSTNAME"}


def test_programs_run_where_they_are_told(sandbox: Sandbox) -> None:
    """A directory of the workspace."""
    (sandbox.workspace / "inner").mkdir()
    assert sandbox.run(["pwd"]).stdout.decode().strip() == sandbox.inside
    finished = sandbox.run(["pwd"], cwd="inner")
    assert finished.stdout.decode().strip() == f"{sandbox.inside}/inner"


@pytest.mark.parametrize("cwd", ["..", "/", "a/../..", "/etc"])
def test_programs_do_not_start_outside_the_workspace(sandbox: Sandbox, cwd: str) -> None:
    """Such a directory is the caller's mistake."""
    with pytest.raises(ValueError, match="not a path inside"):
        sandbox.run(["pwd"], cwd=cwd)


def test_the_workspace_is_shared_and_stays(kind: SandboxKind, workspace: Path) -> None:
    """What we write before and between runs is seen, and what programs write is ours to read."""
    (workspace / "given").write_text("one\n")
    with kind.open(workspace, limits=LIMITS, label="test") as sandbox:
        assert sandbox.run(["sh", "-c", "cat given; echo two >>given"]).stdout == b"one\n"
        with (workspace / "given").open("a") as file:
            file.write("three\n")
        (workspace / "more").mkdir()
        (workspace / "more" / "file").write_text("x")
        assert sandbox.run(["sh", "-c", "cat given; rm -r more"]).stdout == b"one\ntwo\nthree\n"
    assert (workspace / "given").read_text() == "one\ntwo\nthree\n"
    assert [path.name for path in workspace.iterdir()] == ["given"]


def test_a_closed_sandbox_runs_nothing(kind: SandboxKind, workspace: Path) -> None:
    """It can be closed twice."""
    sandbox = kind.open(workspace, limits=LIMITS, label="mine")
    assert sandbox.is_alive()
    sandbox.close()
    sandbox.close()
    assert not sandbox.is_alive()
    with pytest.raises(InfrastructureError, match=r"mine.*closed") as caught:
        sandbox.run(["true"])
    assert caught.value.type == "sandbox"


def test_no_sandbox_without_a_workspace(kind: SandboxKind, tmp_path: Path) -> None:
    """It is infrastructure that is missing, and never a result."""
    with pytest.raises(InfrastructureError) as caught:
        kind.open(tmp_path / "nothing", limits=LIMITS, label="test")
    assert caught.value.type == "sandbox"


def test_a_disk_without_room_is_said_before_anything_runs(
    kind: SandboxKind, workspace: Path
) -> None:
    """A run could not use what it may."""
    with pytest.raises(InfrastructureError, match="MiB of its disk are free"):
        kind.open(workspace, limits=Limits(disk_mib=1 << 40), label="test")


def test_what_is_shown_read_only_is_seen_and_stays(
    isolating: SandboxKind, workspace: Path, tmp_path: Path
) -> None:
    """Neither its files nor its names can be changed."""
    given = tmp_path / "given"
    given.mkdir()
    (given / "file").write_text("mine")
    with isolating.open(
        workspace, limits=LIMITS, read_only={"/given": given}, label="test"
    ) as sandbox:
        attempts = "echo x >file; rm file; touch new; mv file other; chmod 777 file; mkdir d"
        finished = sandbox.run(["sh", "-c", f"cd /given; {attempts}; ls; cat file"])
    assert finished.stdout == b"file\nmine"
    assert [path.name for path in given.iterdir()] == ["file"]
    assert (given / "file").read_text() == "mine"


@pytest.mark.parametrize("inside", ["given", "/a/../b", "/a/", "//a"])
def test_places_inside_are_plain_absolute_paths(
    isolating: SandboxKind, workspace: Path, inside: str
) -> None:
    """Others are refused before anything starts."""
    with pytest.raises(SettingsError, match="absolute path"):
        isolating.open(workspace, limits=LIMITS, read_only={inside: workspace}, label="test")
