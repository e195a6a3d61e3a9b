"""Which Python sandboxes run, and what it can import."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.base import Limits, SandboxKind
from pytest_comem.sandbox.interpreter import PYTEST, Needed, absent, interpreter_for
from pytest_comem.sandbox.plain import NoIsolationWarning

LIMITS = Limits(seconds=30, memory_mib=512)
TWO = Needed(("iniconfig", "pluggy"), ("pluggy",), install="pip install pluggy")
SCRIPT = """
import importlib.metadata, importlib.util, json
names = ("iniconfig", "pluggy", "pytest", "pydantic")
print(json.dumps([name for name in names if importlib.util.find_spec(name)]))
print(importlib.metadata.version("pluggy"))
"""


@pytest.mark.parametrize("needed", [PYTEST, TWO], ids=["pytest", "two"])
def test_what_is_needed_is_there_and_nothing_else(
    kind: SandboxKind, workspace: Path, needed: Needed
) -> None:
    """Of the packages of the environment that tests run in."""
    if kind.name == "docker":
        pytest.skip("the image holds what it holds")
    python = interpreter_for(kind.name, needed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoIsolationWarning)
        opened = kind.open(
            workspace, limits=LIMITS, read_only=python.read_only, label="interpreter"
        )
    with opened as sandbox:
        ran = sandbox.run(
            [*python.command, "-c", SCRIPT], environment={"PYTHONPATH": python.libraries}
        )
    names, version = ran.stdout.decode().splitlines()
    wanted = ["iniconfig", "pluggy", *(["pytest"] if needed is PYTEST else [])]
    assert json.loads(names) == wanted
    assert version


def test_the_working_directory_stands_for_no_module(kind: SandboxKind, workspace: Path) -> None:
    """A file that a program left there is not imported in the place of a library."""
    (workspace / "json.py").write_text("raise SystemExit(7)\n")
    python = interpreter_for(kind.name)
    opened = kind.open(workspace, limits=LIMITS, read_only=python.read_only, label="interpreter")
    with opened as sandbox:
        assert sandbox.run([*python.command, "-c", "import json"]).status == 0


def test_what_is_not_installed_is_named_with_the_way_out() -> None:
    """Unless it may be left out."""
    lacking = Needed(("pluggy", "no_such_package"), install="pip install 'this[that]'")
    assert absent(lacking) == ("no_such_package",)
    with pytest.raises(SettingsError, match=r"no_such_package: pip install 'this\[that\]'"):
        interpreter_for("bubblewrap", lacking)
    spared = Needed(lacking.packages, optional=("no_such_package",))
    assert absent(spared) == ()
    assert interpreter_for("bubblewrap", spared).libraries


def test_docker_has_what_its_image_has() -> None:
    """Nothing of the host is shown."""
    assert interpreter_for("docker").read_only == {}
