"""Checks that run a command, in every kind of sandbox that works here."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.office.base import Found
from pytest_comem.office.checks.base import Scene
from pytest_comem.office.checks.registry import decide
from pytest_comem.office.checks.running import CommandRunner
from pytest_comem.office.libraries import missing_libraries
from pytest_comem.sandbox import registry
from pytest_comem.sandbox.plain import NoIsolationWarning
from pytest_comem.sandbox.tree import Files
from pytest_comem.streams.hidden import Test as OneTest

CODE = {
    "shop/__init__.py": b"",
    "shop/prices.py": b"def total(prices):\n    return sum(prices)\n",
    "readme.md": b"# Shop\n",
}
GOOD = "from shop.prices import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
BAD = GOOD.replace("== 3", "== 4")


@pytest.fixture(params=["bubblewrap", "docker", "none"])
def runner(request: pytest.FixtureRequest) -> CommandRunner:
    """One on a kind of sandbox that works here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoIsolationWarning)
        try:
            found = CommandRunner(request.param)
        except SettingsError as error:
            pytest.skip(str(error))
    if missing := missing_libraries(found.kind):
        pytest.skip(missing)
    return found


def found(
    runner: CommandRunner,
    command: str,
    files: Mapping[str, bytes] = CODE,
    add: Mapping[str, str] | None = None,
    seconds: float = 60.0,
) -> Found:
    """Return what a command comes to."""
    arguments: dict[str, Any] = {"command": command, "add": dict(add or {}), "seconds": seconds}
    scene = Scene(Files({}), Files(files), runner)
    return decide(OneTest(kind="command", arguments=arguments), scene)


def test_hidden_tests_run_on_what_the_agent_wrote(runner: CommandRunner) -> None:
    """With pytest, and the agent's modules to be imported."""
    command = "python3 -m pytest -q tests/test_prices.py"
    assert found(runner, command, add={"tests/test_prices.py": GOOD}).passed
    failing = found(runner, command, add={"tests/test_prices.py": BAD})
    assert failing.passed is False
    assert "exit status 1" in failing.reason
    assert "assert 3 == 4" in failing.evidence["output"]


@pytest.mark.parametrize(
    "path",
    ["pytest.py", "_pytest/__init__.py", "pluggy.py", "sitecustomize.py", "pytest/__main__.py"],
)
def test_what_an_agent_left_does_not_decide_on_itself(runner: CommandRunner, path: str) -> None:
    """A module of the workspace that would stand for pytest's own is not there when tests run."""
    files = {**CODE, path: b"import os\n\nos._exit(0)\n"}
    command = "python3 -m pytest -q hidden"
    assert found(runner, command, files, {"hidden/test_prices.py": BAD}).passed is False
    assert found(runner, command, files, {"hidden/test_prices.py": GOOD}).passed is True


def test_what_an_agent_put_in_the_way_of_an_added_file_goes(runner: CommandRunner) -> None:
    """A directory with the file's name, and a file in the place of its directory."""
    for path in ("tests/test_prices.py/x.txt", "tests"):
        files = {**CODE, path: b"in the way"}
        command = "python3 -m pytest -q tests/test_prices.py"
        assert found(runner, command, files, {"tests/test_prices.py": GOOD}).passed


def test_a_command_without_an_end_fails(runner: CommandRunner) -> None:
    """It is ended, and the reason says so: no trouble of the sandbox's."""
    one = found(runner, "sleep 600", seconds=1.0)
    assert one.passed is False
    assert "was ended" in one.reason


def test_a_script_of_the_agents_can_be_run(runner: CommandRunner) -> None:
    """A copy is as executable as its first line says."""
    files = {"run.sh": b"#!/bin/sh\nexit 3\n"}
    assert "exit status 3" in found(runner, "./run.sh", files).reason


def test_the_copy_is_thrown_away_and_the_result_remembered(
    runner: CommandRunner, tmp_path: Path
) -> None:
    """A command runs once a process for the same files, and changes none of them."""
    token = uuid.uuid4().hex
    command = f"test ! -e made-{token} && touch made-{token} && date +%s%N"
    first = found(runner, command)
    assert first.passed
    assert found(runner, command) == first
    other = found(runner, command, {**CODE, "new.md": b""})
    assert other.passed
    assert other.evidence != first.evidence


def test_reasons_are_the_same_in_every_run(runner: CommandRunner) -> None:
    """Times and addresses are no part of what a command says."""
    script = "print(object()); print('done in 0.123s'); raise SystemExit(1)"
    one = found(runner, f'python3 -c "{script}"')
    assert "0x" not in one.evidence["output"]
    assert "0.123" not in one.evidence["output"]


def test_a_sandbox_that_does_not_start_is_trouble_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And is not remembered."""
    runner = CommandRunner()
    kind = registry.choose("auto")

    def broken(*args: object, **options: object) -> None:
        raise InfrastructureError("no sandbox today", type="sandbox")

    command = f"true {uuid.uuid4().hex}"
    with monkeypatch.context() as patched:
        patched.setattr(type(kind), "open", broken)
        with pytest.raises(InfrastructureError, match="no sandbox today") as caught:
            found(runner, command)
    assert caught.value.type == "sandbox"
    assert found(runner, command).passed
