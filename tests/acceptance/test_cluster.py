"""Runs whose episodes are played by the workers of a Dask cluster."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dask_cluster import DaskCluster, PlayedElsewhere, until
from model_server import ModelServer
from tiny_project import ADAPTERS, records

import pytest_comem
from pytest_comem.core.sharding import Shard

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="distributed is not installed"
)
#: Notes what it is asked, and stops at one question until it may go on.
HOLDING_ADAPTERS = """
import os, pathlib, time
from adapters import LastWords

HERE = pathlib.Path(__file__).parent


class Held(LastWords):
    at = "fact6 of one"

    def recall(self, query):
        with (HERE / "asked.txt").open("a") as file:
            file.write(f"{query.text}\\n")
        if self.at in query.text:
            (HERE / f"held-{os.getpid()}").touch()
            while not (HERE / "go").exists():
                time.sleep(0.01)
        return super().recall(query)

    def close(self):
        with (HERE / "closed.txt").open("a") as file:
            file.write(f"{len(self.items)}\\n")


class HeldAtFirst(Held):
    at = "fact"


class Breaks(LastWords):
    def recall(self, query):
        if (HERE / "broken").exists() and "fact5" in query.text:
            raise RuntimeError("the store is gone")
        return super().recall(query)
"""
HOLDING = "held:Held"


@pytest.fixture(scope="module")
def cluster_of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster whose workers work in a directory with the adapters."""
    with DaskCluster(tmp_path_factory.mktemp("dask")) as found:
        for name, text in (("adapters", ADAPTERS), ("held", HOLDING_ADAPTERS)):
            found.folder.joinpath(f"{name}.py").write_text(text, "utf-8")
        yield found


@pytest.fixture
def cluster(project: pytest.Pytester, cluster_of_all: DaskCluster) -> Iterator[DaskCluster]:
    """A cluster of two workers."""
    found = cluster_of_all
    project.path.joinpath("adapters.py").write_text(ADAPTERS, "utf-8")
    project.path.joinpath("held.py").write_text(HOLDING_ADAPTERS, "utf-8")
    found.add_workers(found.folder, 2 - found.workers)
    yield found
    for pattern in ("go", "held-*", "asked.txt", "closed.txt", "broken"):
        for path in found.folder.glob(pattern):
            path.unlink()


def played(
    project: pytest.Pytester, cluster: DaskCluster, *arguments: str, suite: str = "gatemem"
) -> tuple[int, str]:
    """Play on the cluster to the end; return exit status and what was printed."""
    return PlayedElsewhere(project.path, cluster.address, *arguments, suite).end()


def played_here(project: pytest.Pytester, system: str) -> list[dict[str, Any]]:
    """Return the outcomes of the same run on this machine."""
    project.path.joinpath("go").touch()
    command = ("-q", f"--memory-system={system}", "--comem-data=data", "--comem-run-dir=here")
    found = project.runpytest_subprocess(*command, "gatemem")
    assert found.ret in (0, 1), found.outlines
    return records(project.path / "here")


def held_pids(cluster: DaskCluster) -> list[int]:
    """Return the workers that wait to go on."""
    return [int(path.name.removeprefix("held-")) for path in cluster.folder.glob("held-*")]


def has_played(project: pytest.Pytester, *steps: str) -> bool:
    """Whether the run has written the outcomes of these steps."""
    file = project.path / "run" / "outcomes.jsonl"
    return file.is_file() and {*steps} <= {row["step"] for row in records(file.parent)}


def asked(cluster: DaskCluster) -> Counter[str]:
    """Return how often each question was asked of workers."""
    return Counter(cluster.folder.joinpath("asked.txt").read_text("utf-8").splitlines())


def test_the_same_outcomes_and_what_was_printed(
    project: pytest.Pytester, cluster: DaskCluster
) -> None:
    """A cluster plays what this machine plays; what a step prints there is shown with it."""
    system = "adapters:LastWords,adapters:Chatty,bm25"
    status, printed = played(project, cluster, f"--memory-system={system}")
    assert status == 1
    assert records(project.path / "run") == played_here(project, system)
    assert "asked about what is fact5 of one?" in printed
    assert "complaint about what is fact5 of one?" in printed
    assert "log of what is fact5 of one?" in printed
    assert not [*cluster.folder.glob("*/dask-scratch-space/*/comem-*")]


def test_a_killed_worker_costs_nothing(project: pytest.Pytester, cluster: DaskCluster) -> None:
    """A worker killed in a step: the run has all its outcomes, and asks no finished step again."""
    run = PlayedElsewhere(project.path, cluster.address, f"--memory-system={HOLDING}", "gatemem")
    (pid,) = until(lambda: held_pids(cluster))
    until(lambda: has_played(project, "one_ckpt_01", "one_ckpt_02"))
    cluster.kill(pid)
    cluster.folder.joinpath("go").touch()
    status, printed = run.end()
    assert status == 0, printed
    assert records(project.path / "run") == played_here(project, HOLDING)
    assert asked(cluster) == Counter(
        {
            "what is fact5 of one?": 1,
            "what is fact2 of one?": 1,
            "what is fact6 of one?": 2,
            "what is fact4 of two?": 1,
            "what is fact1 of two?": 1,
        }
    )


def test_a_second_loss_is_an_error_of_its_steps(
    project: pytest.Pytester, cluster: DaskCluster
) -> None:
    """Killed twice, also the last worker: its open steps are errors that name both; others stay."""
    run = PlayedElsewhere(project.path, cluster.address, f"--memory-system={HOLDING}", "gatemem")
    finished = ("one_ckpt_01", "one_ckpt_02", "two_ckpt_01", "two_ckpt_02")
    (first,) = until(lambda: held_pids(cluster))
    until(lambda: has_played(project, *finished[:3]))
    cluster.kill(first)
    (second,) = until(lambda: [pid for pid in held_pids(cluster) if pid != first])
    cluster.kill(second)
    status, printed = run.end()
    assert status == 1, printed
    assert "1 error" in printed
    rows = records(project.path / "run")
    good = [row for row in rows if row["verdict"]]
    (bad,) = (row for row in rows if not row["verdict"])
    expected = played_here(project, HOLDING)
    assert good == [row for row in expected if row["step"] in finished]
    assert (bad["step"], bad["failure"]["type"]) == ("one_ckpt_03", "worker")
    assert bad["failure"]["message"].count("tcp://127.0.0.1:") == 2


def test_workers_that_differ_are_refused(
    project: pytest.Pytester, cluster: DaskCluster, tmp_path: Path
) -> None:
    """Another package, another adapter or none: each is named, and nothing is played."""
    empty, other, changed = (tmp_path / name for name in ("empty", "other", "changed"))
    leave = shutil.ignore_patterns("__pycache__")
    for name in ("pytest_comem", "suites", "fixtures"):
        if (tree := Path(pytest_comem.__file__).parents[1] / name).is_dir():
            shutil.copytree(tree, changed / name, ignore=leave)
    with (changed / "pytest_comem" / "core" / "hashing.py").open("a") as file:
        file.write("# changed\n")
    for place in (empty, other):
        place.mkdir()
    other.joinpath("adapters.py").write_text(ADAPTERS + "# changed\n", "utf-8")
    pids = cluster.add_workers(empty) + cluster.add_workers(other)
    status, printed = played(project, cluster, "--memory-system=adapters:LastWords")
    assert status == 4
    assert printed.count("worker tcp://") == 2
    assert "'adapters:LastWords' cannot be imported" in printed
    assert "adapters:LastWords's file:" in printed
    pids += cluster.add_workers(cluster.folder, env={"PYTHONPATH": str(changed)})
    status, printed = played(project, cluster, "--memory-system=adapters:LastWords")
    assert status == 4
    assert printed.count("worker tcp://") == 1
    assert "pytest-comem's files:" in printed
    assert not (project.path / "run").exists()
    cluster.kill(*pids)


def test_a_paused_worker_is_not_waited_for_without_end(
    project: pytest.Pytester, cluster: DaskCluster
) -> None:
    """It is named, and nothing is played."""
    project.makeconftest("import pytest_comem.cluster.opening as opening\nopening.WAITING = 5.0")
    (pid,) = cluster.add_workers(cluster.folder)
    os.kill(pid, signal.SIGSTOP)
    status, printed = played(project, cluster, "--memory-system=adapters:LastWords")
    cluster.kill(pid)
    assert status == 4, printed
    assert "nothing in 5 s; if it is paused, wake it or end it" in printed
    assert not (project.path / "run").exists()


def test_what_a_hook_registers_is_played(project: pytest.Pytester, cluster: DaskCluster) -> None:
    """A class of a module goes to workers by its name; what they cannot import is refused."""
    project.makepyfile(unknown="from adapters import LastWords\n\nclass Mine(LastWords): pass")
    project.makeconftest(
        """
        import sys
        sys.path.insert(0, ".")
        from adapters import LastWords
        from unknown import Mine
        def pytest_comem_memory_systems():
            return {"known": LastWords, "unknown": Mine, "nameless": lambda: LastWords()}
        """
    )
    status, printed = played(project, cluster, "--memory-system=known")
    assert status == 0, printed
    status, printed = played(project, cluster, "--memory-system=unknown", "--comem-run-dir=no")
    assert status == 4
    assert "cannot import the memory system unknown" in printed
    assert "start the workers in the project's directory" in printed
    status, printed = played(project, cluster, "--memory-system=nameless", "--comem-run-dir=no")
    assert status == 4
    assert "nameless cannot be sent to workers" in printed


def test_a_memory_that_hangs_is_abandoned(project: pytest.Pytester, cluster: DaskCluster) -> None:
    """Time limits hold on workers: the step is an error, and its worker goes on with others."""
    systems = "--memory-system=adapters:Slow,adapters:LastWords"
    status, printed = played(project, cluster, systems, "--comem-step-timeout=0.5")
    assert status == 1, printed
    rows = records(project.path / "run")
    broken = [row["failure"]["type"] for row in rows if row["failure"]]
    assert (len(rows), broken) == (10, ["timeout"] * 5)
    assert "abandoned in recall()" in printed


def test_resumed_and_divided(project: pytest.Pytester, cluster: DaskCluster) -> None:
    """A run goes on with what holds of an earlier one; a shard is a part of the episodes."""
    system = "--memory-system=held:Breaks"
    expected = played_here(project, "held:Breaks")
    cluster.folder.joinpath("broken").touch()
    status, printed = played(project, cluster, system)
    assert status == 1, printed
    cluster.folder.joinpath("broken").unlink()
    status, printed = played(project, cluster, system, "--comem-run-dir=", "--comem-resume=run")
    assert status == 0, printed
    assert "resumed: 3 of 5 steps reused" in printed
    assert records(project.path / "run") == expected
    part = ("--comem-shard=1/2", "--comem-run-dir=part")
    status, printed = played(project, cluster, system, *part)
    assert status == 0, printed
    held = [row for row in expected if Shard(1, 2).holds(row["domain"], row["episode"])]
    assert records(project.path / "part") == held


def test_ctrl_c_closes_memories(project: pytest.Pytester, cluster: DaskCluster) -> None:
    """An interrupted run takes its episodes back: memories are closed, and workers are free."""
    system = "--memory-system=held:HeldAtFirst"
    run = PlayedElsewhere(project.path, cluster.address, system, "gatemem")
    until(lambda: len(held_pids(cluster)) == 2)
    run.interrupt()
    status, printed = run.end()
    assert status == 2, printed
    cluster.folder.joinpath("go").touch()
    closed = cluster.folder / "closed.txt"
    until(lambda: closed.is_file() and len(closed.read_bytes().splitlines()) == 2)
    assert asked(cluster).total() == 2
    status, printed = played(project, cluster, "--memory-system=bm25", "--comem-run-dir=next")
    assert status == 0, printed


def test_a_late_worker_and_a_lost_scheduler(project: pytest.Pytester) -> None:
    """A first worker is waited for; without its scheduler a run ends, and what was played stays."""
    project.makepyfile(held=HOLDING_ADAPTERS)
    system = f"--memory-system={HOLDING}"
    with DaskCluster(project.path) as cluster:
        run = PlayedElsewhere(project.path, cluster.address, system, "gatemem")
        cluster.add_workers(project.path)
        until(lambda: held_pids(cluster))
        until(lambda: has_played(project, "one_ckpt_01", "one_ckpt_02"))
        cluster.scheduler.kill()
        status, printed = run.end()
    assert status == 2, printed
    assert f"the scheduler at {cluster.address} was lost" in printed
    assert "Traceback" not in printed
    assert len(records(project.path / "run")) == 2


def test_a_budget_ends_the_run(project: pytest.Pytester, cluster: DaskCluster) -> None:
    """What workers' calls take is counted here, and the bound ends the run as it does locally."""
    reply = '{"action": "answer", "answer": "fact1"}'
    with ModelServer(lambda body: reply) as server:
        status, printed = played(
            project,
            cluster,
            *("--memory-system=bm25", "--comem-model=openai/m", f"--comem-api-base={server.url}"),
            "--comem-max-tokens=10",
        )
    assert status == 2, printed
    assert "the budget is spent" in printed
    assert len(server.chats) < 5
    manifest = json.loads(project.path.joinpath("run", "manifest.json").read_text("utf-8"))
    assert manifest["finished"]["calls"]["calls"] == len(server.chats)


def test_no_scheduler_is_one_line(project: pytest.Pytester) -> None:
    """Where no scheduler answers, or something else does, nothing is played."""

    def answer(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=answer, args=(listening,), daemon=True).start()
        address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        refused = PlayedElsewhere(project.path, address, "--memory-system=bm25", "gatemem").end()
    lost = PlayedElsewhere(project.path, address, "--memory-system=bm25", "gatemem").end()
    for status, printed in (refused, lost):
        assert status == 4, printed
        (line,) = printed.strip().splitlines()
        assert line.startswith(f"ERROR: --comem-backend: no scheduler of Dask answers at {address}")
    assert not (project.path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--comem-backend=10.0.0.1:8786",), "is no scheduler's address"),
        (("--comem-backend=tcp://10.0.0.1",), "is no scheduler's address"),
        (("--comem-backend=tcp://h:1", "--comem-cassette", "record", "c"), "record would leave"),
        (("--comem-backend=tcp://h:1", "--comem-keep-state"), "--comem-keep-state would keep"),
        pytest.param(
            ("--comem-backend=tcp://h:1", "-n2"),
            "-n and --comem-backend",
            marks=pytest.mark.skipif(
                importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
            ),
        ),
    ],
)
def test_what_does_not_go_together(
    project: pytest.Pytester, arguments: tuple[str, ...], told: str
) -> None:
    """What a cluster cannot do is refused in one sentence."""
    found = project.runpytest_subprocess("--memory-system=bm25", *arguments, "gatemem")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    assert told in "\n".join([*found.outlines, *found.errlines])
