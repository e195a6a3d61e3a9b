"""The resource service for a program in a sandbox: a command there, a socket of ours behind it."""

from __future__ import annotations

import json
import shlex
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from pytest_comem.errors import InfrastructureError
from pytest_comem.office.base import Call
from pytest_comem.office.command_agent_events import SAID, clean
from pytest_comem.office.libraries import Tooling
from pytest_comem.office.operations import OPERATIONS
from pytest_comem.office.resources import ResourceService
from pytest_comem.streams.schema import Task
from pytest_comem.streams.traces import said_of

#: Names of command and socket in the directory that is shown inside.
COMMAND: Final = "ask"
SOCKET: Final = "resources"
_MODULE: Final = "pytest_comem.office.inside.forward_ask"
_OPERATION: Final = "ask_resource"
#: Bytes of a request, seconds that one may take, and requests that are kept.
_LONGEST: Final = 4_096
_PATIENCE: Final = 5.0
_KEPT: Final = 500
#: Seconds between two looks at whether the task is over.
_LOOK: Final = 0.1


@contextmanager
def answering(task: Task, directory: Path, seen: str, tooling: Tooling) -> Iterator[Sequence[Call]]:
    """Answer a task's program, and yield the record of what it asks, which grows.

    :param directory: where command and socket are made.
    :param seen: the directory's path as the program has it.
    :raises InfrastructureError: of type ``agent``, where there can be no socket.
    """
    command = directory / COMMAND
    command.write_text(_script(f"{seen}/{SOCKET}", tooling), encoding="utf-8")
    command.chmod(0o755)
    calls: list[Call] = []
    over = threading.Event()
    with _bound(directory / SOCKET) as server:
        service = ResourceService(task.resources)
        thread = threading.Thread(
            target=_serve, args=(server, service, calls, over), name="comem-resources", daemon=True
        )
        thread.start()
        try:
            yield calls
        finally:
            over.set()
            thread.join()


def _script(path: str, tooling: Tooling) -> str:
    variables = [f"{name}={value}" for name, value in tooling.program_environment.items()]
    words = ["env", *variables, *tooling.program[:-1], _MODULE, path]
    return f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'


@contextmanager
def _bound(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.bind(str(path))
            path.chmod(0o600)
            server.listen(16)
        except OSError as error:
            why = error.strerror or str(error)
            raise InfrastructureError(
                f"{path}: there can be no socket for the resource service: {why}; set TMPDIR to "
                "a directory with a short path",
                type="agent",
            ) from error
        server.settimeout(_LOOK)
        yield server


def _serve(
    server: socket.socket, service: ResourceService, calls: list[Call], over: threading.Event
) -> None:
    while not over.is_set():
        try:
            connection, _ = server.accept()
        except TimeoutError:
            continue
        except OSError:
            over.wait(_LOOK)
            continue
        with connection, suppress(OSError):
            connection.settimeout(_PATIENCE)
            request = _read(connection)
            result = service.ask(request)
            if len(calls) < _KEPT:
                calls.append(_call(request, result.ok, result.text))
            connection.sendall(json.dumps({"ok": result.ok, "text": result.text}).encode("ascii"))


def _read(connection: socket.socket) -> str:
    read = b""
    while len(read) < _LONGEST and (chunk := connection.recv(_LONGEST)):
        read += chunk
    return read[:_LONGEST].decode("utf-8", "replace")


def _call(request: str, ok: bool, text: str) -> Call:
    words = clean(said_of(_OPERATION, {"request": request}), SAID)
    return Call(_OPERATION, OPERATIONS[_OPERATION].call_class, words, ok, clean(text, SAID))
