"""Does the tasks of the embedded set on this machine, for whoever builds it.

Only this project's own files and commands are run here, never anybody else's.
"""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.office.embedded.files import settle
from pytest_comem.office.embedded.specs import TaskSpec
from pytest_comem.office.filling import Filling
from pytest_comem.office.inside import office_tools
from pytest_comem.office.operations import Operation
from pytest_comem.office.resources import ResourceService

_LEFTOVERS: Final = ("__pycache__", ".pytest_cache")


@final
@dataclass(frozen=True, slots=True)
class Done:
    """An operation that was done, and what came back."""

    operation: Operation
    answer: str


@final
class Desk:
    """A directory on which tasks are done one after another."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, files: Mapping[str, bytes | str], where: str) -> None:
        """Lay files into the workspace."""
        for name, content in files.items():
            path = self._root / name
            if not path.resolve().is_relative_to(self._root.resolve()):
                raise ValueError(f"{where}: {name!r} is no path of a workspace")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def archive(self, patterns: Sequence[str]) -> None:
        """Take away the files that match a pattern."""
        for path in self.contents():
            if any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns):
                (self._root / path).unlink()

    def contents(self) -> dict[str, bytes]:
        """Return every file by its path."""
        return {
            path.relative_to(self._root).as_posix(): path.read_bytes()
            for path in sorted(self._root.rglob("*"))
            if path.is_file()
        }

    def follow(self, spec: TaskSpec) -> Iterator[Done]:
        """Do a task's plan with its right choices, a step at a time.

        :raises ValueError: where a step is not done, saying which and why.
        """
        if spec.plan is None:
            return
        defaults = {each.name: each.default for each in spec.plan.slots}
        unknown = sorted(set(spec.choices) - set(defaults))
        if unknown:
            raise ValueError(f"{spec.id}: the plan has no slot {unknown[0]!r}")
        filling = Filling(spec.plan, {**defaults, **spec.choices}, {})
        for number, each in enumerate(spec.plan.steps, 1):
            if not all(filling.values[when.slot] in when.any_of for when in each.when):
                continue
            operation = Operation(each.do, filling.arguments_of(number, each))
            answer, value = self._do(spec, operation, f"{spec.id}, step {number}")
            if each.save is not None:
                filling.saved[each.save] = value
            yield Done(operation, answer)

    def edit(self, spec: TaskSpec) -> None:
        """Do what the participant changes afterwards."""
        for operation in spec.edits:
            self._do(spec, operation, f"{spec.id}, an edit")

    def _do(self, spec: TaskSpec, operation: Operation, where: str) -> tuple[str, Any]:
        if operation.name == "shell":
            answer, value = self._shell(str(operation.arguments["command"]), where), None
        elif operation.name == "ask_resource":
            asked = ResourceService(spec.resources).ask(str(operation.arguments["request"]))
            if not asked.ok:
                raise ValueError(f"{where}: {asked.text}")
            answer, value = asked.text, asked.value
        else:
            wanted = {"name": operation.name, "arguments": dict(operation.arguments)}
            (result,) = office_tools.perform(self._root, [wanted])
            if not result["ok"]:
                raise ValueError(f"{where} ({operation.name}): {result['text']}")
            answer, value = str(result["text"]), result["value"]
        self._settle(operation)
        return answer, value

    def _shell(self, command: str, where: str) -> str:
        environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_ADDOPTS": "-p no:cacheprovider",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }
        ran = subprocess.run(
            ["sh", "-c", command],
            cwd=self._root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        said = ran.stdout.decode(errors="replace").strip()
        if ran.returncode:
            raise ValueError(f"{where}: {command!r} ended with {ran.returncode}: {said[-500:]}")
        return re.sub(r" in \d+\.\d+s", "", said.replace(str(self._root), "."))

    def _settle(self, operation: Operation) -> None:
        """Take away what differs between machines and days, where files were just written."""
        if operation.name == "shell":
            changed = [path for path in self._root.rglob("*") if path.is_file()]
        else:
            names = [operation.arguments.get(name) for name in ("path", "to")]
            changed = [self._root / name for name in names if isinstance(name, str)]
        for path in changed:
            if path.is_file() and operation.name not in ("read", "list"):
                settle(path)
        for name in _LEFTOVERS:
            for folder in list(self._root.rglob(name)):
                shutil.rmtree(folder, ignore_errors=True)
