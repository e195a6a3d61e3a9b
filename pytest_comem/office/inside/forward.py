"""The program that runs an agent's command inside of a sandbox, with a model in reach.

It gets one argument, the path of a JSON file: ``command`` (program and arguments), ``environment``,
``task`` (path of the task's text), and, where the agent has a model, ``socket``, the Unix socket at
which the model is asked, ``port`` (0 for any) and ``model``, its name. It listens on 127.0.0.1,
where programs expect a provider, copies what comes to the socket and back, runs the command in the
directory at hand, and ends with its exit status: 127 where there is no such program, 126 where it
cannot be run, 128 and the number of a signal that ended it.

In arguments ``{prompt}`` stands for the task's text, ``{task}`` for its path, ``{base_url}`` and
``{model}`` for where the model is and its name. Where neither ``{prompt}`` nor ``{task}`` occurs,
the task's text is the command's standard input.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

_PLACEHOLDER = re.compile(r"\{(prompt|task|base_url|model)\}")
_CHUNK = 65_536


def filled(arguments: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Return arguments with their placeholders replaced; what comes in is not looked at again."""
    return [
        _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), each) for each in arguments
    ]


def is_told_by(arguments: Sequence[str]) -> bool:
    """Return whether a placeholder hands the task over, so that standard input does not."""
    return any("{prompt}" in each or "{task}" in each for each in arguments)


def listen(port: int, path: str) -> int:
    """Copy what comes to a port of 127.0.0.1 to a Unix socket and back, from now on.

    :param port: 0 for any.
    :return: the port.
    """
    server = socket.create_server(("127.0.0.1", port), backlog=64)
    threading.Thread(target=_accept, args=(server, path), daemon=True).start()
    return int(server.getsockname()[1])


def _accept(server: socket.socket, path: str) -> None:
    while True:
        near, _ = server.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(path)
        except OSError:
            near.close()
            far.close()
            continue
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink in ((near, far), (far, near)):
            threading.Thread(target=_copy, args=(source, sink), daemon=True).start()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(_CHUNK):
            sink.sendall(chunk)
    # The other direction may still have something to say.
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def run(start: Mapping[str, Any]) -> int:
    """Run the command that *start* describes and return its exit status."""
    environment, task = dict(start["environment"]), Path(start["task"])
    values = {"prompt": task.read_text("utf-8"), "task": str(task)}
    if start.get("socket"):
        url = f"http://127.0.0.1:{listen(start['port'], start['socket'])}/v1"
        environment |= {"OPENAI_BASE_URL": url, "OPENAI_API_BASE": url, "OPENAI_API_KEY": "local"}
        environment["OPENAI_MODEL"] = start["model"]
        values |= {"base_url": url, "model": start["model"]}
    command = start["command"]
    source = Path("/dev/null") if is_told_by(command) else task
    with source.open("rb") as stdin:
        try:
            process = subprocess.Popen(filled(command, values), stdin=stdin, env=environment)
        except FileNotFoundError as error:
            return _cannot(127, error)
        except (OSError, ValueError) as error:
            return _cannot(126, error)
        status = process.wait()
    return 128 - status if status < 0 else status


def _cannot(status: int, error: Exception) -> int:
    print(f"the command cannot be started: {error}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(run(json.loads(Path(sys.argv[1]).read_text("utf-8"))))
