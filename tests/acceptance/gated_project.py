"""A project with a memory that can be told, from outside, what to lose and where to break."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tiny_project import ADAPTERS, checkpoint, episode, write_data

NAMES: Final = ("one", "two", "three", "four", "five", "six")
STEPS: Final = 5
SYSTEM: Final = "adapters:Told"
TOLD: Final = '''

def facts(name):
    return [one for one in os.environ.get(name, "").split(",") if one]


class Told(LastWords):
    """Loses the entries named by TOY_LOSES, and breaks where TOY_BREAKS names the question."""

    def recall(self, query):
        if any(f"{fact}?" in query.text for fact in facts("TOY_BREAKS")):
            raise RuntimeError("the store is gone")
        kept = [one for one in self.items if one.text not in facts("TOY_LOSES")]
        return Recall(tuple(kept[-query.top_k:]))


class Other(Told):
    pass
'''


def make_project(folder: Path) -> Path:
    """Write a project of six episodes of five steps, and one that asks for what is not told."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapters.py").write_text(ADAPTERS + TOLD, encoding="utf-8")
    rows: list[Any] = [
        checkpoint(name, number, number + 1) for name in NAMES for number in range(1, STEPS + 1)
    ]
    unheard = {"judge_spec": {"include": ["a word that nobody said"]}}
    rows.append(checkpoint("six", STEPS + 1, STEPS + 1, **unheard))
    write_data(folder, [episode(name, STEPS + 1) for name in NAMES], rows)
    return folder


def fact(name: str, number: int) -> str:
    """Return what step *number* of an episode asks for."""
    return f"fact{number + 1} of {name}"


def step(name: str, number: int, system: str = SYSTEM) -> str:
    """Return the id of a step's item."""
    label = f"{system.replace(':', '_')}-medical-{name}-ckpt_{number:02}"
    return f"gatemem/test_governance.py::test_checkpoint[{label}]"


def environment(**variables: str) -> Mapping[str, str]:
    """Return this process's environment without what would change a run, and with *variables*."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COMEM", "GITHUB", "TOY"))
    }
    # Other plugins cost more than these runs do.
    return {**kept, "COLUMNS": "80", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables}


def run_pytest(
    project: Path, *arguments: str, loses: str = "", breaks: str = "", system: str = SYSTEM
) -> subprocess.CompletedProcess[str]:
    """Run the suite in a process of its own.

    :param loses: facts that the memory does not hand over, comma-separated.
    :param breaks: facts that it breaks at when asked for.
    """
    command = [
        *(sys.executable, "-m", "pytest", "-p", "comem", "-p", "no:cacheprovider", "-q"),
        *(("-p", "xdist") if "-n" in arguments else ()),
        *(f"--memory-system={system}", "--comem-data=data", "gatemem", *arguments),
    ]
    return subprocess.run(
        command,
        cwd=project,
        env=environment(TOY_LOSES=loses, TOY_BREAKS=breaks),
        capture_output=True,
        text=True,
        check=False,
    )


def run_comem(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from pytest_comem.cli import main; main()", *arguments],
        cwd=project,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
