"""What an office task's sandbox has of Python: an interpreter, libraries, our program for inside.

The same in every kind of sandbox: ``python3`` with pytest, openpyxl and python-docx in a shell's
``PATH``, and the program that does operations, which nothing in the workspace can stand for.
"""

from __future__ import annotations

import py_compile
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, final

from pytest_comem.sandbox.base import ENVIRONMENT, Limits
from pytest_comem.sandbox.interpreter import (
    PYTEST,
    SHOWN,
    Needed,
    absent,
    interpreter_for,
    kept_directory,
)
from pytest_comem.sandbox.registry import choose

#: pytest's packages, and those for spreadsheets and documents.
OFFICE: Final = Needed(
    packages=(*PYTEST.packages, "openpyxl", "et_xmlfile", "docx", "lxml", "typing_extensions"),
    distributions=PYTEST.distributions,
    optional=PYTEST.optional,
    install="pip install openpyxl python-docx",
)
#: Our program, a package of the same name as here, without what is around it.
_PACKAGE: Final = "pytest_comem.office.inside"
_PROGRAM: Final = f"{_PACKAGE}.office_tools"
#: Where isolated programs see it.
_SHOWN: Final = "/comem/office"
_STEADY: Final[Mapping[str, str]] = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "TZ": "UTC",
}
#: No files of their own are left in a workspace, and no configuration of a user is read.
_SHELL: Final[Mapping[str, str]] = {
    **_STEADY,
    "COLUMNS": "200",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_ADDOPTS": "-p no:cacheprovider",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    "GIT_CONFIG_KEY_1": "user.name",
    "GIT_CONFIG_VALUE_1": "assistant",
    "GIT_CONFIG_KEY_2": "user.email",
    "GIT_CONFIG_VALUE_2": "assistant@example.invalid",
}
_UNCHECKED: Final = py_compile.PycInvalidationMode.UNCHECKED_HASH
_TRIAL: Final = Limits(seconds=60)


@final
@dataclass(frozen=True, slots=True)
class Tooling:
    """What a kind of sandbox is opened and used with.

    :param read_only: what of the host has to be shown: path on the host by path inside.
    :param program: command of our program for operations.
    :param program_environment: of it.
    :param shell_environment: of commands an agent or a check gives; ``python3`` and ``pytest`` are
        there, and find the libraries.
    :param called: what paths that differ from process to process are called in answers.
    """

    read_only: Mapping[str, Path]
    program: tuple[str, ...]
    program_environment: Mapping[str, str]
    shell_environment: Mapping[str, str]
    called: Mapping[str, str] = field(default_factory=dict)


@cache
def tooling_for(kind: str) -> Tooling:
    """Return what a kind of sandbox needs.

    :param kind: name of the kind, never ``auto``.
    :raises SettingsError: where a library is not there.
    """
    python = interpreter_for(kind, OFFICE)
    # The flag that leaves out a script's own directory is for our program alone.
    plain = [part for part in python.command if part != "-P"]
    host = _laid_out(shlex.join(plain), kind)
    seen = str(host) if kind == "none" else _SHOWN
    libraries = [python.libraries] if python.libraries else []
    return Tooling(
        read_only={**python.read_only, _SHOWN: host},
        program=(*python.command, "-m", _PROGRAM),
        program_environment={**_STEADY, "PYTHONPATH": ":".join([f"{seen}/lib", *libraries])},
        shell_environment={
            **_SHELL,
            "PATH": f"{seen}/bin:{ENVIRONMENT['PATH']}",
            **({"PYTHONPATH": libraries[0]} if libraries else {}),
        },
        called={str(host): _SHOWN, python.libraries: SHOWN} if kind == "none" else {},
    )


def _laid_out(python: str, kind: str) -> Path:
    """Return a directory with our program in ``lib`` and commands in ``bin``."""
    # A command of the same name must not find itself.
    program = f"/usr/bin/{python}" if kind == "docker" else python
    place = kept_directory("comem-office-")
    inside = place.joinpath("lib", *_PACKAGE.split("."))
    inside.mkdir(parents=True)
    for source in sorted((Path(__file__).parent / "inside").glob("*.py")):
        copy = inside / source.name
        copy.write_bytes(source.read_bytes())
        # It is started anew for each run; the image's Python compiles for itself.
        py_compile.compile(str(copy), invalidation_mode=_UNCHECKED, doraise=True)
    for package in (inside.parent.parent, inside.parent):
        (package / "__init__.py").touch()
    (place / "bin").mkdir()
    commands = dict.fromkeys(("python3", "python"), f'{program} "$@"')
    commands["pytest"] = f'{program} -m pytest "$@"'
    for name, command in commands.items():
        script = place / "bin" / name
        script.write_text(f"#!/bin/sh\nexec {command}\n", encoding="utf-8")
        script.chmod(0o755)
    # Whoever a sandbox runs programs as may read it.
    place.chmod(0o755)
    return place


@cache
def missing_libraries(kind: str) -> str | None:
    """Return what office tasks lack in a kind of sandbox and how to get it; looked up once.

    :param kind: name of a kind that works here, never ``auto``.
    :raises InfrastructureError: where the sandbox does not start.
    """
    if kind != "docker":
        lacking = absent(OFFICE)
        return f"there is no {', '.join(lacking)}: {OFFICE.install}" if lacking else None
    script = "import docx, openpyxl, pytest, sys; sys.exit(sys.version_info < (3, 11))"
    with tempfile.TemporaryDirectory(prefix="comem-trial-") as place:
        opened = choose(kind).open(Path(place), limits=_TRIAL, label="trial of the image")
        with opened as sandbox:
            finished = sandbox.run(["python3", "-s", "-P", "-c", script])
    if finished.status == 0:
        return None
    told = finished.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    words = told[0][:200] if told else "its Python is too old"
    return f"the sandboxes' image lacks a library ({words}): rebuild it, fixtures/images/build.sh"
