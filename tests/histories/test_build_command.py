"""``comem build contextweave``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from pytest_comem.commands.build import build_contextweave
from pytest_comem.errors import SettingsError
from pytest_comem.streams.loading import load_stream


def run(*arguments: object) -> Result:
    """Return what the command comes to."""
    app = typer.Typer()
    app.command()(build_contextweave)
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_it_says_what_came_of_it_and_what_is_next(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """First a draft, then the stream that a person has corrected."""
    out = tmp_path / "out"
    found = run("--from-git", long_history(5), "--paths", "docs", "-o", out)
    assert found.exit_code == 0, found.output
    said = found.output.splitlines()
    assert said[0] == f"{out}: 5 commits, 4 tasks, 0 of them scored"
    assert said[1] == "replaced: 1 x IPv4 address, 6 x e-mail address"
    assert said[2].startswith("4 more can be scored: correct ")
    assert "not the offline agent" in said[-1]
    text = (out / "review.jsonl").read_text("utf-8")
    (out / "review.jsonl").write_text(
        text.replace('"reviewed": false', '"reviewed": true'), "utf-8"
    )
    found = run("--apply", out / "review.jsonl", out)
    assert found.output.splitlines()[0] == f"{out}: 4 tasks, 4 of them scored"
    assert len(load_stream(out).targets) == 4


def test_options_choose_what_becomes_a_task(
    long_history: Callable[[int], Path], tmp_path: Path
) -> None:
    """Days, pause, limit, names."""
    repository = long_history(12)
    out = tmp_path / "out"
    days = ("--since", "2024-01-10", "--until", "2024-01-18", "--limit", 3, "--gap", 5)
    more = ("--author", "ada stone", "--keep-names", "--accept-drafts")
    found = run("--from-git", repository, "--paths", "./docs/", "-o", out, *days, *more)
    assert found.output.splitlines()[0] == f"{out}: 12 commits, 3 tasks, 3 of them scored"
    assert load_stream(out).participant.name == "Ada Stone"
    assert json.loads((out / "participant.json").read_text("utf-8"))["order"][0] == "t0001"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from-git", "."), "say --from-git REPO --paths PATH -o DIR"),
        (("--apply", "review.jsonl"), "--apply FILE takes DIR"),
        (("--from-git", ".", "--paths", "a", "-o", "b", "--since", "soon"), "--since soon"),
        (("--from-git", ".", "--paths", "/etc", "-o", "b"), "--paths /etc"),
        (("--from-git", ".", "--paths", "docs/../..", "-o", "b"), "--paths docs/../.."),
        (("--from-git", "nowhere", "--paths", "a", "-o", "b"), "no such directory"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is read or written."""
    monkeypatch.chdir(tmp_path)
    found = run(*arguments)
    assert isinstance(found.exception, SettingsError)
    assert said in str(found.exception)
    assert list(tmp_path.iterdir()) == []
