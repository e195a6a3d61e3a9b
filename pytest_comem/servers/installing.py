"""Where servers are installed, each into an environment of its own, and how they get there.

The only part that uses the network, and only when it is asked to: ``comem tools install``.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.removal import remove_tree
from pytest_comem.secrets import environment_without_secrets
from pytest_comem.servers.declared import PYTHON, Declared

#: The directory to install into, where it is not the user's usual one for data.
VARIABLE: Final = "COMEM_TOOLS"
#: Written last: an environment without it is half made.
_MARK: Final = "installed.json"
#: Seconds that one package may take.
_PATIENCE: Final = 900.0
_SHOWN: Final = 2_000


def tools_directory() -> Path:
    """Return where servers are installed, which need not be there yet."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).expanduser().absolute()
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser().absolute() / "pytest-comem" / "tools"


def environment_of(server: Declared) -> Path:
    """Return the directory of a server's environment, which need not be there yet."""
    return tools_directory() / server.name


def is_installed(server: Declared) -> bool:
    """Return whether a server is there in the version that is declared."""
    try:
        found = json.loads((environment_of(server) / _MARK).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("digest") == server.digest


def program_of(server: Declared) -> Path:
    """Return the interpreter that runs a server.

    :raises SettingsError: where there is no Node.js.
    """
    if server.kind == PYTHON:
        return environment_of(server) / "bin" / "python"
    node = shutil.which("node")
    if node is None:
        raise SettingsError(f"server {server.name}: there is no command 'node'; install Node.js 20")
    return Path(node).resolve()


def install(server: Declared, say: Callable[[str], None]) -> None:
    """Install a server, unless it is there; a half-made or older environment is made anew.

    :param say: is told what is done.
    :raises SettingsError: where an installer is missing.
    :raises InfrastructureError: of type ``server``, with what the installer says.
    """
    place = environment_of(server)
    with _alone(place):
        if is_installed(server):
            say(f"{server.name}: {server.package} {server.version} is there")
            return
        say(f"{server.name}: installing {server.package} {server.version} ...")
        remove_tree(place)
        place.mkdir(parents=True)
        for command in _commands(server, place):
            _run(server, command)
        mark = {"package": server.package, "version": server.version, "digest": server.digest}
        (place / _MARK).write_text(json.dumps(mark) + "\n", "utf-8")
    say(f"{server.name}: installed")


def _commands(server: Declared, place: Path) -> Iterator[Sequence[str]]:
    if server.kind == PYTHON:
        # Of the interpreter that we are an environment of: that one may go.
        python = getattr(sys, "_base_executable", "") or sys.executable
        # Isolated: what PYTHONPATH shows would be taken for installed.
        yield [python, "-I", "-m", "venv", str(place)]
        pip = [str(place / "bin" / "python"), "-I", "-m", "pip", "install", "--no-input", "--quiet"]
        yield [*pip, f"{server.package}=={server.version}", *server.beside]
        return
    npm = shutil.which("npm")
    if npm is None:
        raise SettingsError(f"server {server.name}: there is no command 'npm'; install Node.js 20")
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    packages = [f"{server.package}@{server.version}", *server.beside]
    yield [npm, "install", "--prefix", str(place), *quiet, *packages]


def _run(server: Declared, command: Sequence[str]) -> None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment_without_secrets(),
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError(
            f"server {server.name}: cannot be installed: {error}", type="server"
        ) from error
    if done.returncode:
        words = done.stdout.decode("utf-8", "replace")[-_SHOWN:].strip()
        raise InfrastructureError(
            f"server {server.name}: cannot be installed: {Path(command[0]).name} ended with exit "
            f"status {done.returncode}: {words}",
            type="server",
        )


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Let one process at a time make an environment."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with (place.parent / f".{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
