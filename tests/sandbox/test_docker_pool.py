from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.ownership import Life, Owner, owning
from pytest_comem.sandbox.base import Limits
from pytest_comem.sandbox.docker import Docker, DockerSandbox

LIMITS = Limits(seconds=20, memory_mib=200, processes=20, disk_mib=20)


@pytest.fixture
def kind() -> Iterator[Docker]:
    """A kind of its own, so that nothing is warm yet."""
    found = Docker()
    try:
        found.preflight()
    except SettingsError as error:
        pytest.skip(str(error))
    yield found
    found.close()


def facts_of(sandbox: DockerSandbox) -> dict[str, Any]:
    """Return what the engine knows of a container."""
    assert sandbox.container is not None
    said = subprocess.run(
        ["docker", "inspect", sandbox.container], check=True, capture_output=True, timeout=60
    )
    (found,) = json.loads(said.stdout)
    return dict(found)


def test_a_warm_container_takes_over_the_workspace_it_is_given(
    kind: Docker, workspace: Path
) -> None:
    """With its files, links and mode; the path stays what it was."""
    (workspace / "inner").mkdir()
    (workspace / "inner" / "file").write_text("given")
    (workspace / "link").symlink_to("inner/file")
    workspace.chmod(0o750)
    kind.warm(workspace.parent, limits=LIMITS)
    with kind.open(workspace, limits=LIMITS, label="test") as sandbox:
        (mount,) = (m for m in facts_of(sandbox)["Mounts"] if m["Destination"] == "/workspace")
        assert mount["Source"] != str(workspace)
        finished = sandbox.run(["sh", "-c", "cat link; echo made >inner/made; rm link"])
        assert finished.stdout == b"given"
        assert (workspace / "inner" / "made").read_text() == "made\n"
        assert not (workspace / "link").is_symlink()
        assert workspace.stat().st_mode & 0o777 == 0o750


def test_without_a_warm_one_it_is_made(kind: Docker, workspace: Path) -> None:
    """On the workspace itself."""
    with kind.open(workspace, limits=LIMITS, label="test") as sandbox:
        (mount,) = (m for m in facts_of(sandbox)["Mounts"] if m["Destination"] == "/workspace")
        assert mount["Source"] == str(workspace)
        assert sandbox.run(["true"]).status == 0


def test_containers_are_what_was_promised(kind: Docker, workspace: Path, tmp_path: Path) -> None:
    """No network, no rights, nothing to write to, limits, and whose they are."""
    with (
        owning("run-1", tmp_path / "state"),
        kind.open(workspace, limits=LIMITS, label="mine") as sandbox,
    ):
        facts = facts_of(sandbox)
    host = facts["HostConfig"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert host["Privileged"] is False
    assert host["Memory"] == host["MemorySwap"] == 200 << 20
    assert host["PidsLimit"] == 22
    assert host["CpuQuota"] == host["CpuPeriod"]
    assert facts["Config"]["User"] not in ("", "0", "root")
    labels = facts["Config"]["Labels"]
    assert labels["pytest-comem.run"] == "run-1"
    assert labels["pytest-comem.sandbox"] == "mine"
    owner = Owner.from_labels(
        {
            "COMEM_RUN": labels["pytest-comem.run"],
            "COMEM_OWNER": labels["pytest-comem.owner"],
            "COMEM_HOST": labels["pytest-comem.host"],
        }
    )
    assert owner is not None
    assert owner.life() is Life.ALIVE


def test_nothing_is_left_when_it_is_closed(kind: Docker, workspace: Path) -> None:
    """Neither containers nor directories beside the workspace."""
    kind.warm(workspace.parent, limits=LIMITS)
    with kind.open(workspace, limits=LIMITS, label="test") as sandbox:
        container = sandbox.container
        sandbox.run(["touch", "made"])
    kind.close()
    assert [path.name for path in workspace.parent.iterdir()] == ["workspace"]
    assert (workspace / "made").exists()
    there = subprocess.run(
        ["docker", "ps", "--all", "--no-trunc", "--quiet"],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert container not in there.stdout.split()


def test_an_image_that_is_missing_is_said_with_how_to_make_it(kind: Docker) -> None:
    """Before anything runs."""
    with pytest.raises(SettingsError, match=r"no image no-such:image.*build\.sh"):
        Docker("no-such:image").preflight()


def test_an_image_that_went_is_infrastructure(kind: Docker, workspace: Path) -> None:
    """Where nobody looked before."""
    gone = Docker("no-such:image", spares=0)
    with pytest.raises(InfrastructureError, match="no-such:image") as caught:
        gone.open(workspace, limits=LIMITS, label="test")
    assert caught.value.type == "sandbox"
    gone.close()


def test_where_processes_are_not_seen_from_here_the_container_is_asked(
    kind: Docker, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with an engine in a virtual machine: what stays is ended, and memory is told."""
    monkeypatch.setattr("pytest_comem.sandbox.cgroups.is_in", lambda pid, container: False)
    eater = "python3 -c 'bytearray(b\"x\" * (1 << 29))'; true"
    with kind.open(workspace, limits=LIMITS, label="test") as sandbox:
        assert sandbox.run(["sh", "-c", "echo x"]).stdout == b"x\n"
        first = sandbox.container
        assert sandbox.run(["sh", "-c", eater]).ended == "memory"
        assert sandbox.container == first
        assert sandbox.run(["sh", "-c", "setsid sleep 60 >/dev/null 2>&1 &"]).status == 0
        assert sandbox.container is None
        assert sandbox.run(["pgrep", "sleep"]).ended == "exit"
