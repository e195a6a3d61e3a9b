"""Toolathlon-GYM tasks run one after the other: preprocess, work, evaluate.

The checkout's own scripts run in the sandbox, on copies: a task's files are not changed, servers
see the agent's workspace and never the ground truth, and an evaluation changes nothing of what it
judges. What a script starts in the background ends with it, so that tasks which need a web server
of theirs cannot be run.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.domains.tools.gym import GymCheckout, GymTask
from pytest_comem.domains.tools.gym_database import GymDatabase
from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.removal import remove_tree
from pytest_comem.sandbox.base import Finished, Limits
from pytest_comem.sandbox.reading import UnreadableError, read_file
from pytest_comem.sandbox.registry import choose
from pytest_comem.servers.base import ToolServers, Unavailable
from pytest_comem.servers.opening import open_servers
from pytest_comem.servers.postgresql import PostgresqlDatabase

_LIMITS: Final = Limits(seconds=300, memory_mib=2048, disk_mib=1024)
#: Where the checkout is seen.
_CHECKOUT: Final = "/gym"
#: When a task is said to be launched, so that it asks the same whenever it is.
LAUNCHED: Final = "2026-03-06 10:00:00"
_RESULT: Final = "result.json"
_LONGEST: Final = 1 << 20
_SYSTEM: Final = Path("/usr")


@final
@dataclass(frozen=True, slots=True)
class GymVerdict:
    """What a task's evaluation found.

    :param passed: it ended with exit status 0, and its result file does not say otherwise.
    :param told: the end of what it wrote; any characters.
    :param result: what it wrote into its result file.
    """

    passed: bool
    told: str
    result: Mapping[str, Any] = field(default_factory=dict)


@final
class GymStand:
    """A task that is ready to be worked on.

    :ivar workspace: of the agent.
    :ivar servers: running, as far as the task needs them.
    """

    def __init__(
        self,
        worker: GymWorker,
        task: GymTask,
        workspace: Path,
        servers: ToolServers,
        database: PostgresqlDatabase,
    ) -> None:
        self._worker = worker
        self.task = task
        self.workspace = workspace
        self.servers = servers
        self.database = database

    def evaluate(self) -> GymVerdict:
        """Judge files and rows by the task's own evaluation.

        :raises InfrastructureError: where a server, database or sandbox died, or it does not end.
        """
        self.servers.alive()
        self.database.alive()
        return self._worker.judged(self.task, self.workspace)


@final
class GymWorker:
    """Runs tasks of a checkout, one at a time, on a cluster of its own; a context manager.

    :param directory: of its own, made here and removed at the end.
    :param python: an interpreter with what the checkout's scripts import, such as psycopg2 and
        openpyxl: that of the checkout's environment.
    :param launched: what tasks are told of the time.
    :raises Unavailable: where PostgreSQL cannot be had, or *python* lacks psycopg2.
    :raises BenchmarkDefect: where the checkout has no database.
    :raises InfrastructureError: of type ``database`` or ``sandbox``.
    """

    def __init__(
        self,
        checkout: GymCheckout,
        directory: Path,
        *,
        python: Path,
        sandbox: str = "auto",
        launched: str = LAUNCHED,
    ) -> None:
        self._checkout = checkout
        self._directory = directory
        # Its links are left as they are: an environment's interpreter is one.
        self._python = python.absolute()
        self._sandbox = sandbox
        self._kind = choose(sandbox)
        self._launched = launched
        self._count = 0
        if checkout.script is None:
            raise BenchmarkDefect(f"{checkout.root}: has no db/init.sql.gz")
        directory.mkdir(parents=True)
        with ExitStack() as stack:
            stack.callback(remove_tree, directory)
            self._database = stack.enter_context(
                GymDatabase(directory / "database", self._kind, checkout.script)
            )
            self._try_python()
            self._stack = stack.pop_all()

    def __enter__(self) -> GymWorker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the cluster and remove everything; may be called again."""
        self._stack.close()

    @contextmanager
    def opened(self, task: GymTask) -> Iterator[GymStand]:
        """Prepare a task, and remove what was made for it afterwards.

        :raises Unavailable: where a server that it needs cannot be had.
        :raises BenchmarkDefect: where its preprocess fails.
        :raises InfrastructureError: where a server, the database or a sandbox fails.
        """
        if why := task.missing(self._sandbox):
            raise Unavailable(f"task {task.name}", why, "choose another task")
        with ExitStack() as stack:
            place = self._laid_out(stack, task)
            workspace = place / "agent"
            initial = task.directory / "initial_workspace"
            if initial.is_dir():
                shutil.copytree(initial, workspace, symlinks=True)
            workspace.mkdir(exist_ok=True)
            database = self._database.fresh(f"task {task.name}")
            stack.callback(database.drop)
            if (task.directory / "preprocess" / "main.py").is_file():
                done = self._script(task, place, "preprocess", {"agent_workspace": "agent"})
                if done.status != 0:
                    raise BenchmarkDefect(f"task {task.name}: preprocess failed: {_end(done)}")
            servers = stack.enter_context(
                open_servers(
                    workspace,
                    database=database,
                    sandbox=self._sandbox,
                    label=f"task {task.name}",
                )
            )
            servers.start(task.servers)
            yield GymStand(self, task, workspace, servers, database)

    def judged(self, task: GymTask, workspace: Path) -> GymVerdict:
        """Run a task's evaluation on copies."""
        with ExitStack() as stack:
            place = self._laid_out(stack, task)
            # What is no file or directory is left out; a link stays one and leads nowhere inside.
            shutil.copytree(workspace, place / "agent", symlinks=True, ignore=_special)
            truth = f"tasks/finalpool/{task.name}/groundtruth_workspace"
            paths = {
                "agent_workspace": "agent",
                "groundtruth_workspace": truth,
                "res_log_file": _RESULT,
            }
            done = self._script(task, place, "evaluation", paths)
            result = _result(place)
        passed = done.status == 0 and result.get("success", result.get("pass")) is not False
        return GymVerdict(passed, _end(done), result)

    def _laid_out(self, stack: ExitStack, task: GymTask) -> Path:
        """Return a directory with a copy of a task, at its place in the checkout."""
        self._count += 1
        place = self._directory / f"task-{self._count}"
        stack.callback(remove_tree, place)
        tasks = place / "tasks" / "finalpool"
        tasks.mkdir(parents=True)
        for package in ("tasks", "tasks/finalpool"):
            file = self._checkout.root / package / "__init__.py"
            if file.is_file():
                shutil.copy(file, place / package)
        shutil.copytree(task.directory, tasks / task.name, symlinks=True)
        return place

    def _script(self, task: GymTask, place: Path, name: str, paths: Mapping[str, str]) -> Finished:
        """Run one of a task's scripts as the checkout does: as a module, from its root."""
        with self._kind.open(
            place,
            limits=_LIMITS,
            read_only={**self._shown(), **self._database.sockets},
            label=f"{name} of task {task.name}",
        ) as sandbox:
            argv = [str(self._python), "-m", f"tasks.finalpool.{task.name}.{name}.main"]
            for option, path in paths.items():
                argv += [f"--{option}", f"{sandbox.inside}/{path}"]
            root = self._checkout.root if self._kind.name == "none" else _CHECKOUT
            done = sandbox.run(
                [*argv, "--launch_time", self._launched],
                environment={
                    **self._database.variables,
                    **{"PYTHONPATH": f"{sandbox.inside}:{root}", "PYTHONDONTWRITEBYTECODE": "1"},
                    **{"PYTHONHASHSEED": "0", "TZ": "UTC"},
                },
            )
        if done.ended != "exit":
            raise InfrastructureError(
                f"task {task.name}: its {name} was ended: {done.why}", type="sandbox"
            )
        return done

    def _try_python(self) -> None:
        """Look whether the interpreter can reach a database: without, scripts judge less."""
        place = self._directory / "trial"
        place.mkdir()
        with self._kind.open(
            place, limits=_LIMITS, read_only=self._shown(), label="a trial"
        ) as sandbox:
            done = sandbox.run([str(self._python), "-c", "import psycopg2"])
        if done.status != 0:
            raise Unavailable(
                "Toolathlon-GYM",
                f"{self._python} cannot import psycopg2: {_end(done)}",
                "give the interpreter of the checkout's environment",
            )

    def _shown(self) -> dict[str, Path]:
        """Return what scripts see of the host beside the system: checkout and interpreter."""
        shown = {_CHECKOUT: self._checkout.root}
        # ``prefix/bin/python``: the environment, and what it rests on.
        for place in (self._python.parent.parent, self._python.resolve().parent.parent):
            if not place.is_relative_to(_SYSTEM) and place != Path("/"):
                shown[str(place)] = place
        return shown


def _special(directory: str, names: list[str]) -> list[str]:
    """Return what is neither a file, a directory nor a link: it may never end."""
    there = [(name, Path(directory, name)) for name in names]
    return [
        name for name, path in there if not (path.is_symlink() or path.is_file() or path.is_dir())
    ]


def _result(place: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(read_file(place, _RESULT, _LONGEST))
    except (UnreadableError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _end(done: Finished) -> str:
    return (done.stdout + done.stderr)[-2_000:].decode("utf-8", "replace").strip()
