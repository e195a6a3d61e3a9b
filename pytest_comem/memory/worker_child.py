"""The worker's side: one memory system of Python in a process of its own.

The library may print, read standard input, start processes and never return. So the protocol gets
private descriptors before anything else happens, and the process watches whether its owner lives.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, final

from pytest_comem.core.recall import Recall
from pytest_comem.embedders.cached import CachedEmbedder
from pytest_comem.embedders.remote import RemoteEmbedder
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.setup import Setup
from pytest_comem.memory.worker_protocol import (
    MEANINGFUL,
    PROTOCOL,
    from_error,
    from_item,
    from_recall,
    to_entry,
    to_line,
    to_query,
)

#: Seconds between two looks at whether the owner lives.
_WATCH: Final = 0.5


@final
@dataclass(frozen=True, slots=True)
class SentEndpoint:
    """The owner's endpoint."""

    chat_url: str
    chat_model: str
    embedding_url: str
    embedding_model: str
    api_key: str = field(repr=False)


def main() -> None:
    """Serve one memory system until it is closed or the owner is gone."""
    requests, replies = _private_streams()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    worker = Worker()
    for line in requests:
        request = json.loads(line)
        try:
            reply = to_line({"ok": worker.answer(request)})
        except BaseException as error:
            if not isinstance(error, MEANINGFUL):
                traceback.print_exc()
            reply = to_line({"error": from_error(error)})
        # The library may have closed or replaced them.
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        replies.write(reply)
        replies.flush()
        if request["op"] == "close":
            break
    _end()


@final
class Worker:
    """Answers requests with the memory system that the first one names."""

    def __init__(self) -> None:
        self._memory: MemorySystem | None = None

    def answer(self, request: Mapping[str, Any]) -> Any:
        """Return the JSON value of the reply, or raise what the system raises."""
        operation = request["op"]
        if operation == "open":
            self._memory = open_system(request)
            return None
        memory = self._memory
        if memory is None:
            if operation == "close":
                return None
            raise RuntimeError(f"{operation} came before open")
        return OPERATIONS[operation](memory, request)


def open_system(request: Mapping[str, Any]) -> MemorySystem:
    """Return the system that a request names, opened on the directory it names."""
    if request["protocol"] != PROTOCOL:
        raise RuntimeError(f"this worker speaks protocol {PROTOCOL}, not {request['protocol']}")
    system = _class_of(request["system"])
    embedding, chat = request["embedding"], request["chat"]
    remote = RemoteEmbedder(
        embedding["url"], embedding["model"], embedding["dimensions"], embedding["api_key"]
    )
    setup = Setup(
        Path(request["directory"]),
        options=request["options"],
        top_k=request["top_k"],
        embedder=CachedEmbedder(remote),
        endpoint=SentEndpoint(
            chat["url"], chat["model"], embedding["url"], embedding["model"], chat["api_key"]
        ),
        seed=request["seed"],
    )
    home = setup.directory / "home"
    home.mkdir(exist_ok=True)
    system.prepare(home)
    return system.open(setup)


def _recall(memory: MemorySystem, request: Mapping[str, Any]) -> dict[str, Any]:
    return _checked(memory.recall(to_query(request["query"])), "recall")


def _recall_of(memory: MemorySystem, request: Mapping[str, Any]) -> dict[str, Any]:
    query = to_query(request["query"])
    return _checked(memory.recall_of(request["principal_id"], query), "recall_of")


def _checked(recall: object, operation: str) -> dict[str, Any]:
    if not isinstance(recall, Recall):
        raise TypeError(f"{operation}() returned {type(recall).__name__}, not a Recall")
    return from_recall(recall)


OPERATIONS: Final[Mapping[str, Callable[[MemorySystem, Mapping[str, Any]], Any]]] = {
    "ingest": lambda memory, request: memory.ingest(to_entry(request["entry"])),
    "recall": _recall,
    "recall_of": _recall_of,
    "entries": lambda memory, _: [from_item(item) for item in memory.entries()],
    "delete": lambda memory, request: memory.delete(request["entry_id"]),
    "update": lambda memory, request: memory.update(request["entry_id"], request["text"]),
    "delete_principal": lambda memory, request: memory.delete_principal(request["principal_id"]),
    "probe_unknown_argument": lambda memory, _: memory.probe_unknown_argument(),
    "close": lambda memory, _: memory.close(),
}


def _class_of(named: Mapping[str, Any]) -> type[MemorySystem]:
    sys.path[:] = named["path"]
    module = _module_of(named["module"], named["file"])
    found: Any = module
    for name in named["class"].split("."):
        found = getattr(found, name)
    system: type[MemorySystem] = found
    return system


def _module_of(name: str, file: str | None) -> Any:
    """Import a module by name or, where that finds another or none, from its file."""
    if file is None or _origin(name) == file:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"{file} is no Python module", name=name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _origin(name: str) -> str | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None
    return None if spec is None else spec.origin


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return requests and replies; what the library prints goes to standard error from now on."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        # As under pytest: any text can be printed, and lines stay in order.
        stream.reconfigure(  # type: ignore[union-attr]
            encoding="utf-8", errors="backslashreplace", line_buffering=True
        )
    return requests, replies


def _end_with(owner: int) -> None:
    """End this process when its parent is another than *owner*.

    The kernel's own signal for that (``PR_SET_PDEATHSIG``) comes when the *thread* ends that
    started the process, so an instance could not be handed to another thread.
    """
    while os.getppid() == owner:
        time.sleep(_WATCH)
    _end()


def _end() -> None:
    """End at once, and whatever the library started: no exit handler may keep the owner waiting."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)
