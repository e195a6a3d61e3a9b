"""``comem certify contextweave``."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from made_streams import make_stream, task_name
from typer.testing import CliRunner, Result

from pytest_comem.commands.certify_contextweave import certify_contextweave


def run(*arguments: str) -> Result:
    """Return what the command comes to."""
    app = typer.Typer()
    app.command()(certify_contextweave)
    return CliRunner().invoke(app, list(arguments))


def test_certified_tasks_end_well(tmp_path: Path) -> None:
    """A line a task and a sum; with ``-v`` every condition."""
    directory = str(make_stream(tmp_path, tasks=2))
    found = run(directory)
    assert found.exit_code == 0, found.output
    assert found.output.splitlines() == [
        "made/t0001: certified (7 conditions)",
        "made/t0002: certified (7 conditions)",
        "2 certified, 0 not",
    ]
    assert run(directory, "-v").output.count(": met (") == 14


def test_a_task_that_is_not_certified_ends_badly_and_says_why(tmp_path: Path) -> None:
    """Only what is not met is shown, as a terminal may have it."""
    directory = make_stream(tmp_path, tasks=1)
    path = directory / "tasks" / task_name(1) / "hidden/rubric.json"
    rubric = json.loads(path.read_text("utf-8"))
    rubric["checks"][0]["arguments"]["all"] = ["\u001b[2J"]
    path.write_text(json.dumps(rubric), "utf-8")
    found = run(str(directory))
    assert found.exit_code == 1
    assert "made/t0001: NOT CERTIFIED" in found.output
    assert "  reference: NOT MET (Workspace 0, Preference 100)" in found.output
    assert "initial" not in found.output
    assert "\u001b" not in found.output
    assert found.output.endswith("0 certified, 1 not\n")
