"""A task's workspace in a sandbox: does operations there, and keeps a record of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import InfrastructureError
from pytest_comem.office.base import Call
from pytest_comem.office.libraries import Tooling, tooling_for
from pytest_comem.office.operations import OPERATIONS, CallClass, Operation, Result
from pytest_comem.office.resources import ResourceService
from pytest_comem.office.shell_classes import class_of
from pytest_comem.office.toolbox import refusal
from pytest_comem.sandbox.base import INSIDE, MIB, Finished, Limits, Sandbox
from pytest_comem.sandbox.registry import choose
from pytest_comem.streams.schema import Task
from pytest_comem.streams.traces import said_of

#: Of one run in the sandbox.
LIMITS: Final = Limits(seconds=60, memory_mib=1024, processes=64, disk_mib=256, output_bytes=MIB)
SHELL: Final = "shell"
ASK: Final = "ask_resource"
#: Characters of an answer, and of what the record keeps of operation and answer.
ANSWER: Final = 20_000
_TEXT: Final = 20_000
_SAID: Final = 4_000
#: Bytes of one operation's arguments, of all those in a run, and of what our program answers.
_LARGEST: Final = 8_000_000
_REQUEST: Final = 30_000_000
_ANSWERS: Final = 32 * MIB
#: Operations of one run.
_BATCH: Final = 40
#: Exit statuses from here on are a signal's.
_SIGNALS: Final = 128


@final
@dataclass(frozen=True, slots=True)
class BenchSettings:
    """In what sandboxes tasks are done.

    :param sandbox: name of a kind, or ``auto``.
    :param limits: of each run in one.
    """

    sandbox: str = "auto"
    limits: Limits = field(default=LIMITS)


@final
class SandboxBench:
    """A workspace and its sandbox, which is opened when first needed; used by one thread.

    :ivar workspace: on the host; what is in there is not to be trusted
        (:mod:`pytest_comem.sandbox.reading`).
    """

    def __init__(self, settings: BenchSettings, task: Task, workspace: Path, label: str) -> None:
        self.workspace = workspace
        self._settings = settings
        self._label = label
        self._resources = ResourceService(task.resources)
        self._calls: list[Call] = []
        self._sandbox: Sandbox | None = None

    def do(self, operation: Operation) -> Result:
        """Do an operation and record it; see :class:`pytest_comem.office.base.Workbench`."""
        return self.do_all([operation])[0]

    def do_all(self, operations: Sequence[Operation]) -> Sequence[Result]:
        """Do operations in order, those on files that follow each other in one run, and record."""
        results: list[Result] = []
        waiting: list[tuple[Operation, bytes]] = []
        size = 0
        for operation in operations:
            done, request = self._outside(operation)
            full = len(waiting) >= _BATCH or size + len(request) > _REQUEST
            # What was asked before is done before.
            if waiting and (full or not request):
                results += self._inside(waiting)
                waiting, size = [], 0
            if request:
                waiting.append((operation, request))
                size += len(request)
            else:
                result = self._shell(operation) if done is None else done
                results.append(self._recorded(operation, result))
        return [*results, *self._inside(waiting)]

    def calls(self) -> Sequence[Call]:
        """Return what was done so far, in order."""
        return tuple(self._calls)

    def close(self) -> None:
        """Close the sandbox, if there is one; the workspace stays."""
        if self._sandbox is not None:
            self._sandbox.close()

    def _outside(self, operation: Operation) -> tuple[Result | None, bytes]:
        """Return what came of an operation that needs no sandbox, else how our program has it.

        Neither is there for a shell command.
        """
        name, arguments = operation.name, operation.arguments
        if why := refusal(name, arguments):
            return Result(False, _clean(why, ANSWER)), b""
        if name == ASK:
            return self._resources.ask(arguments["request"]), b""
        try:
            request = json.dumps({"name": name, "arguments": dict(arguments)}).encode()
        except (TypeError, ValueError, RecursionError):
            return Result(False, f"{name}: its arguments are no JSON"), b""
        if len(request) > _LARGEST:
            return Result(False, f"{name}: its arguments have more than {_LARGEST:,} bytes"), b""
        return (None, b"") if name == SHELL else (None, request)

    def _inside(self, waiting: Sequence[tuple[Operation, bytes]]) -> list[Result]:
        """Do operations by our program; one that a limit ended does not keep the rest from it."""
        results: list[Result] = []
        while len(results) < len(waiting):
            left = [request for _, request in waiting[len(results) :]]
            results += self._run_program(left)
        for (operation, _), result in zip(waiting, results, strict=True):
            self._recorded(operation, result)
        return results

    def _run_program(self, requests: Sequence[bytes]) -> list[Result]:
        """Return the results of the first operations, at least one."""
        tooling = tooling_for(self._opened().kind)
        finished = self._run(
            tooling.program,
            tooling.program_environment,
            stdin=b'{"operations": [' + b", ".join(requests) + b"]}",
            limits=replace(self._settings.limits, output_bytes=_ANSWERS),
        )
        results = _results(finished.stdout)[: len(requests)]
        if len(results) == len(requests):
            return results
        by_signal = finished.status is None or finished.status >= _SIGNALS
        if finished.ended == "exit" and not by_signal:
            told = _clean(finished.stderr.decode("utf-8", "replace").strip()[-500:], 500)
            raise InfrastructureError(
                f"{self._label}: the program for operations broke in the sandbox (status "
                f"{finished.status}): {told or 'it says nothing'}",
                type="sandbox",
            )
        why = finished.why or "a signal ended it"
        return [*results, Result(False, f"the operation was ended: {why}; nothing was changed")]

    def _shell(self, operation: Operation) -> Result:
        command = operation.arguments["command"]
        if "\0" in command or len(command.encode("utf-8", "replace")) > 100_000:
            return Result(False, "shell: the command is too long, or holds a NUL; write a script")
        sandbox = self._opened()
        tooling = tooling_for(sandbox.kind)
        environment = {
            **tooling.shell_environment,
            # A repository around the workspace is none of its own.
            "GIT_CEILING_DIRECTORIES": sandbox.inside.rpartition("/")[0] or "/",
        }
        argv = ["sh", "-c", _clean(command, len(command))]
        finished = self._run(argv, environment, b"", self._settings.limits)
        return _said(finished, {sandbox.inside: INSIDE, **tooling.called})

    def _run(
        self, argv: Sequence[str], environment: Mapping[str, str], stdin: bytes, limits: Limits
    ) -> Finished:
        sandbox = self._opened()
        finished = sandbox.run(argv, stdin=stdin, environment=environment, limits=limits)
        if not sandbox.is_alive():
            raise InfrastructureError(f"{self._label}: the sandbox died", type="sandbox")
        return finished

    def _opened(self) -> Sandbox:
        if self._sandbox is None:
            kind = choose(self._settings.sandbox)
            tooling: Tooling = tooling_for(kind.name)
            self._sandbox = kind.open(
                self.workspace,
                limits=self._settings.limits,
                read_only=tooling.read_only,
                label=self._label,
            )
        return self._sandbox

    def _recorded(self, operation: Operation, result: Result) -> Result:
        name = operation.name if isinstance(operation.name, str) else str(operation.name)
        arguments = operation.arguments if isinstance(operation.arguments, Mapping) else {}
        self._calls.append(
            Call(
                operation=_clean(name, 100),
                call_class=_class_of(name, arguments),
                text=_clean(_in_words(name, arguments), _TEXT),
                ok=result.ok,
                said=_clean(result.text, _SAID),
            )
        )
        return result


@contextmanager
def open_bench(
    settings: BenchSettings,
    task: Task,
    lay_out: Callable[[Path], None],
    directory: Path,
    label: str,
) -> Iterator[SandboxBench]:
    """Make a task's workspace and yield its bench, which is closed in the end.

    :param lay_out: fills the empty workspace with the task's files.
    :param directory: the caller's, which exists; ``workspace`` is made in there, and stays.
    :param label: what it is for, such as participant and task, for messages.
    """
    workspace = directory / "workspace"
    workspace.mkdir()
    lay_out(workspace)
    bench = SandboxBench(settings, task, workspace, label)
    try:
        yield bench
    finally:
        bench.close()


def _in_words(name: str, arguments: Mapping[str, Any]) -> str:
    try:
        return said_of(name, arguments)
    except RecursionError:
        return f"{name}: its arguments are nested too deeply"


def _class_of(name: str, arguments: Mapping[str, Any]) -> CallClass:
    if name == SHELL and isinstance(command := arguments.get("command"), str):
        return class_of(command)
    return OPERATIONS[name].call_class if name in OPERATIONS else CallClass.OTHER


def _results(written: bytes) -> list[Result]:
    """Return the whole results among what our program wrote."""
    results: list[Result] = []
    for line in written.split(b"\n")[:-1]:
        try:
            found = json.loads(line)["results"]
            results += [
                Result(bool(one["ok"]), _clean(str(one["text"]), 2 * ANSWER), one["value"])
                for one in found
            ]
        except (ValueError, TypeError, KeyError, RecursionError):
            break
    return results


def _said(finished: Finished, called: Mapping[str, str]) -> Result:
    """Return what a command wrote, paths called the same in every kind of sandbox."""
    texts = []
    for written in (finished.stdout, finished.stderr):
        text = written.decode("utf-8", "replace")
        for path, name in called.items():
            text = text.replace(path, name)
        texts.append(_clean(text, ANSWER))
    out, err = texts
    parts = [part.rstrip("\n") for part in (out, err) if part.strip()]
    if finished.why:
        parts.append(f"[ended: {finished.why}]")
    elif finished.status:
        parts.append(f"[exit status {finished.status}]")
    ok = finished.status == 0 and finished.ended == "exit"
    return Result(ok, "\n".join(parts) or "done, without output", out.strip())


def _clean(text: str, most: int) -> str:
    """Return a text that any file can hold, clipped."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return whole if len(whole) <= most else f"{whole[:most]}\n[cut: {len(whole):,} characters]"
