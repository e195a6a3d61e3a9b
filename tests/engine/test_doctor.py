"""The doctor: what it finds wrong with systems that are wrong in one way each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SYSTEMS = """
import socket
from pathlib import Path
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.base import MemorySystem


class Sound(MemorySystem):
    def __init__(self):
        self.items = []

    def ingest(self, entry):
        self.items.append(RecallItem(entry.text))

    def recall(self, query):
        last = [item for item in self.items if item.text == query.text]
        return Recall(tuple((last + self.items)[:query.top_k]))


class Deaf(Sound):
    def ingest(self, entry):
        pass


class Shared(Sound):
    everything = []

    def __init__(self):
        self.items = self.everything


class Boundless(Sound):
    def recall(self, query):
        return Recall(tuple(self.items))


class Breaks(Sound):
    def recall(self, query):
        raise ValueError("no index")


class Interrupted(Sound):
    def recall(self, query):
        raise KeyboardInterrupt


class CallsHome(Sound):
    def ingest(self, entry):
        super().ingest(entry)
        with socket.socket() as connection:
            connection.settimeout(0.01)
            try:
                connection.connect(("192.0.2.1", 9))
            except OSError:
                pass


class Litters(Sound):
    def ingest(self, entry):
        super().ingest(entry)
        Path("litter.txt").write_text("litter")
"""


def doctor(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``comem doctor`` in a process of its own."""
    (folder / "wrong.py").write_text(SYSTEMS)
    code = "from pytest_comem.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "doctor", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def failures(output: str) -> list[str]:
    """Return the names of the failed checks."""
    return [
        line.strip().removeprefix("FAIL ").partition(":")[0]
        for line in output.splitlines()
        if line.strip().startswith("FAIL")
    ]


def test_a_sound_system_passes(tmp_path: Path) -> None:
    """Nothing is found, and the exit status says so."""
    result = doctor(tmp_path, "wrong:Sound,bm25")
    assert (result.returncode, failures(result.stdout)) == (0, []), result.stderr


@pytest.mark.parametrize(
    ("system", "finding"),
    [
        ("Deaf", "what was ingested is recalled by its own words"),
        ("Shared", "instances do not see each other"),
        ("Boundless", "top-k is respected"),
        ("Breaks", "works"),
        ("CallsHome", "nothing but this machine contacted"),
        ("Litters", "nothing written elsewhere"),
    ],
)
def test_each_defect_is_one_finding(tmp_path: Path, system: str, finding: str) -> None:
    """A system that is wrong in one way fails the check for that way, and no other."""
    result = doctor(tmp_path, f"wrong:{system}")
    assert (result.returncode, failures(result.stdout)) == (1, [finding]), result.stderr


def test_the_effective_configuration_is_shown(tmp_path: Path) -> None:
    """Version, settings that differ from their defaults, top-k and capabilities are listed."""
    (tmp_path / "conf.py").write_text(
        SYSTEMS + "\n\nclass Set(Sound):\n    version = '9'\n    options = {'depth': 3}\n"
    )
    result = doctor(tmp_path, "conf:Set", "--option", "conf:Set.depth=4", "--top-k", "7")
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert lines[:3] == ["conf:Set: 9", "depth = 4   (default 3)", "top-k = 7"], result.stderr


def test_a_wrong_name_is_one_message(tmp_path: Path) -> None:
    """No traceback, exit status 2, the nearest name."""
    result = doctor(tmp_path, "bm52")
    assert result.returncode == 2
    assert "did you mean bm25?" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_interrupt_ends_it(tmp_path: Path) -> None:
    """Ctrl-C is the user's, and no finding about a system."""
    result = doctor(tmp_path, "wrong:Interrupted,wrong:Sound")
    assert result.returncode not in (0, 1)
    assert "wrong:Sound" not in result.stdout
