"""The same by a user without any rights, tried where the tests are root's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

#: An id that nobody has.
USER = 64_321
PROGRAM = """
import os, sys
from pathlib import Path
from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.base import Limits
from pytest_comem.sandbox.bubblewrap import Bubblewrap
kind = Bubblewrap(groups=lambda: None)
try:
    kind.preflight()
except SettingsError as error:
    sys.exit(f"skip {error}")
limits = Limits(seconds=20, memory_mib=256, processes=20, disk_mib=20)
with kind.open(Path(sys.argv[1]), limits=limits, label="test") as sandbox:
    finished = sandbox.run(["python3", "-c", sys.argv[2]])
    sys.stdout.buffer.write(finished.stdout)
    sys.stderr.buffer.write(finished.stderr)
    print(finished.ended, finished.why)
"""
FORKS = """
import os, time
made = 0
try:
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        made += 1
except OSError:
    print("fork fails after", made, flush=True)
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A workspace of the ordinary user's, and a copy of the package that it can read."""
    if os.geteuid() != 0:
        pytest.skip("the other tests are an ordinary user's already")
    package = Path(__file__).resolve().parents[2] / "pytest_comem"
    with TemporaryDirectory() as name:
        found = Path(name)
        found.chmod(0o755)
        (found / "pytest_comem" / "core").mkdir(parents=True)
        shutil.copytree(package / "sandbox", found / "pytest_comem" / "sandbox")
        for module in ("errors.py", "ownership.py", "suggest.py"):
            shutil.copy(package / module, found / "pytest_comem")
        workspace = found / "workspace"
        workspace.mkdir()
        os.chown(workspace, USER, USER)
        yield found


def run(place: Path, program: str) -> str:
    """Run a program in the ordinary user's sandbox and return what is said."""
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin") or sys.executable
    found = subprocess.run(
        [python, "-c", PROGRAM, str(place / "workspace"), program],
        user=USER,
        group=USER,
        extra_groups=[],
        env={"PYTHONPATH": str(place), "PATH": "/usr/bin:/bin"},
        cwd=place,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if found.stderr.startswith("skip "):
        pytest.skip(found.stderr)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_it_runs_without_rights(place: Path) -> None:
    """What is written belongs to the user."""
    assert run(place, "open('made', 'w').write('x'); print('hello')") == "hello\nexit \n"
    assert (place / "workspace" / "made").stat().st_uid == USER


def test_forking_fails_at_the_limit(place: Path) -> None:
    """The kernel holds the number, and counts no processes but the sandbox's."""
    assert run(place, FORKS) in {f"fork fails after {made}\nexit \n" for made in (18, 19, 20)}


def test_a_directory_that_hides_its_content_is_too_much(place: Path) -> None:
    """What cannot be measured could be anything."""
    said = run(place, "import os; os.mkdir('d'); open('d/f', 'w').close(); os.chmod('d', 0)")
    assert said == "killed its workspace holds more than 20 MiB, or what cannot be measured\n"


def test_memory_is_watched(place: Path) -> None:
    """Where no control group can be made."""
    said = run(place, "a = []\nfor _ in range(80): a.append(bytearray(b'x' * (1 << 24)))")
    assert said.startswith("memory ")
