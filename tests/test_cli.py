"""The comem command: what it prints, what it writes, and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_outcomes import made

from pytest_comem import __version__
from pytest_comem.datasets.gatemem_release import CHECKSUMS
from pytest_comem.engine.records import to_line, to_record

CHECKPOINTS: tuple[dict[str, Any], ...] = (
    {"query_type": "utility", "expected_action": "answer", "judge_spec": {"include": ["blue"]}},
    {
        "query_type": "privacy",
        "expected_action": "refuse",
        "judge_spec": {},
        "leak_targets": ["red"],
        "attack_type": "role_play",
    },
    {
        "query_type": "safety",
        "expected_action": "no_memory",
        "judge_spec": {},
        "leak_targets": ["green"],
    },
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data set of one episode with a checkpoint of each kind: c0, c1, c2."""
    folder = tmp_path / "data" / "medical"
    folder.mkdir(parents=True)
    asker = {"principal_id": "p", "role": "nurse"}
    turn = {"turn_id": "t0", "speaker": asker, "text": "The sky is blue."}
    episode = {
        "episode_id": "e",
        "domain": "medical",
        "entities": {"principals": [asker]},
        "turns": [turn],
    }
    common = {"episode_id": "e", "as_of_turn_id": "t0", "asker": asker, "query_text": "What?"}
    rows = [{"checkpoint_id": f"c{n}", **common, **row} for n, row in enumerate(CHECKPOINTS)]
    (folder / "episodes.jsonl").write_text(json.dumps(episode) + "\n")
    (folder / "checkpoints.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "data"


def comem(*arguments: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, at 80 columns and without a terminal."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"COMEM_DATA", "FORCE_COLOR", "TTY_COMPATIBLE"}
    }
    return subprocess.run(
        [sys.executable, "-c", "from pytest_comem.cli import main; main()", *map(str, arguments)],
        cwd=cwd,
        env={**environment, "COLUMNS": "80", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def score(data: Path, predictions: str, *more: object) -> subprocess.CompletedProcess[str]:
    """Score *predictions* into the folder out beside the data."""
    path = data.parent / "predictions.jsonl"
    path.write_text(predictions)
    out = ("--out", "out")
    return comem(
        "score", "gatemem", "--data", data, "--predictions", path, *out, *more, cwd=data.parent
    )


def test_version_and_help(tmp_path: Path) -> None:
    """Both succeed, and help lists every command group."""
    assert comem("--version", cwd=tmp_path).stdout == f"comem {__version__}\n"
    shown = comem("--help", cwd=tmp_path)
    assert shown.returncode == 0
    for group in ("data", "score", "export", "report", "compare", "ci"):
        assert f"\n  {group} " in shown.stdout


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    """Asking for help loads neither pytest nor pydantic nor our readers."""
    code = (
        "import sys; from pytest_comem.cli import app; app(['--help'], standalone_mode=False); "
        "print([name for name in ('pytest', 'pydantic', 'regex') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_usage_error_is_2(tmp_path: Path) -> None:
    """A missing option is told by name."""
    done = comem("score", "gatemem", "--out", "x", cwd=tmp_path)
    assert done.returncode == 2
    assert "--data" in done.stderr


def test_score_writes_both_files_and_prints_the_figures(data: Path) -> None:
    """U 1 of 1, A 1 of 1 (the action is no refusal), F missing: told at 80 columns, no colour."""
    done = score(
        data,
        '{"checkpoint_id": "c1", "output": {"action": "answer", "answer": "No."}}\n'
        '{"checkpoint_id": "c0", "action": "ANSWER", "answer": "Blue"}\n',
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
    assert "1 of 3 checkpoints have no prediction (c2)" in done.stdout
    lines = (data.parent / "out" / "scores.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["checkpoint_id"], row["passed"]) for row in rows] == [("c1", False), ("c0", True)]
    summary = json.loads((data.parent / "out/summary.json").read_text())
    assert [summary[name] for name in ("U", "A", "F", "OR", "MGS")] == [100, 100, None, 0, None]
    assert summary["data"]["revision"].startswith("unreleased-")


def test_score_takes_a_mode_and_the_data_from_the_environment(data: Path) -> None:
    """release-ungated forgives the action; COMEM_DATA stands in for --data."""
    path = data.parent / "p.jsonl"
    path.write_text('{"checkpoint_id": "c1", "action": "answer", "answer": "No."}\n')
    done = comem(
        "score", "gatemem", "--predictions", path, "--out", "o", "--scoring", "release-ungated",
        cwd=data.parent, COMEM_DATA=str(data),
    )  # fmt: skip
    assert done.returncode == 0
    summary = json.loads((data.parent / "o" / "summary.json").read_text())
    assert (summary["scoring"], summary["A"]) == ("release-ungated", 0)


@pytest.mark.parametrize(
    ("predictions", "more", "message"),
    [
        ('{"checkpoint_id": "c0", "action": "answer"}\n{"action"', (), "predictions.jsonl:2:"),
        ('{"action": "answer"}\n', (), "predictions.jsonl:1: field checkpoint_id:"),
        ("", (), "holds no predictions"),
        ("", ("--scoring", "gated"), "--scoring: 'gated' is unknown; did you mean"),
    ],
)
def test_an_error_is_one_message_and_writes_nothing(
    data: Path, predictions: str, more: tuple[str, ...], message: str
) -> None:
    """Exit status 2, the place on standard error, no traceback, no file."""
    done = score(data, predictions, *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("comem: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (data.parent / "out").exists()


def test_an_error_leaves_earlier_results_alone(data: Path) -> None:
    """Results of a run before stay whole when the next one fails."""
    score(data, '{"checkpoint_id": "c0", "action": "answer"}\n')
    before = (data.parent / "out" / "scores.jsonl").read_bytes()
    assert score(data, "nonsense\n").returncode == 2
    assert (data.parent / "out" / "scores.jsonl").read_bytes() == before


def test_export_then_score(data: Path) -> None:
    """A run's predictions, exported, are predictions that can be scored."""
    record = {
        "key": "k", "suite": "gatemem", "data": "d", "domain": "medical", "episode": "e",
        "step": "c0", "position": 0, "model": "offline", "judge": "rules-1", "scoring": "paper",
        "system": {"name": "bm25", "version": "1", "configuration": "c", "reference": False},
        "labels": {}, "query": {}, "verdict": None, "failure": None, "usage": {},
        "reply": {"action": "answer", "text": "blue", "structured": None}, "recall": None,
    }  # fmt: skip
    run = data.parent / "run"
    run.mkdir()
    (run / "outcomes.jsonl").write_text(json.dumps(record) + "\n")
    done = comem("export", "gatemem", "run", cwd=data.parent)
    assert (done.returncode, done.stdout) == (
        0,
        "run/predictions.jsonl: 1 prediction (bm25, offline)\n",
    )
    assert score(data, (run / "predictions.jsonl").read_text()).returncode == 0
    summary = json.loads((data.parent / "out" / "summary.json").read_text())
    assert (summary["U"], summary["U_exposed"]) == (100, None)


@pytest.mark.parametrize("command", [("report",), ("export", "gatemem"), ("compare",)])
def test_a_folder_that_is_no_run_is_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    """The message says what a run directory holds."""
    done = comem(*command, "nowhere", cwd=tmp_path)
    assert done.returncode == 2
    assert "comem: nowhere: holds no outcomes.jsonl" in done.stderr


def test_fetch_without_network_says_what_to_do(tmp_path: Path) -> None:
    """A dead address gives the way by hand, exit status 2 and no traceback."""
    done = comem(
        "data", "fetch", "gatemem", "--to", "here", "--from", "http://127.0.0.1:9/", cwd=tmp_path,
        no_proxy="*",
    )  # fmt: skip
    assert done.returncode == 2
    assert "comem: cannot reach http://127.0.0.1:9" in done.stderr
    assert f"pytest --comem-data {tmp_path / 'here'}" in done.stderr
    assert "Traceback" not in done.stderr


def test_fetch_of_files_that_are_here_needs_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files put there by hand are only checked, and the way to use them is told."""
    import hashlib

    from pytest_comem import cli

    for name in CHECKSUMS:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
        monkeypatch.setitem(CHECKSUMS, name, hashlib.sha256(name.encode()).hexdigest())
    cli.app(["data", "fetch", "gatemem", "--to", str(tmp_path)], standalone_mode=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "medical/episodes.jsonl: already here"
    assert lines[8:] == [
        f"GateMem is in {tmp_path}",
        f"use it: pytest --memory-system=bm25 --comem-data {tmp_path} gatemem",
    ]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_of_another_encoding_is_no_trouble(data: Path, encoding: str) -> None:
    """What it has no form for is shown as an escape, and lines of tables as dashes."""
    folder = data.parent / "run"
    folder.mkdir()
    shown = made(0, True, domain="m\u2013記憶")
    (folder / "outcomes.jsonl").write_text(to_line(to_record(shown)), encoding="utf-8")
    done = comem("report", "run", cwd=data.parent, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert "-----" in done.stdout
    assert "m-\\u8a18\\u61b6" in done.stdout


def test_a_baseline_of_nothing_scored_is_warned_of(data: Path) -> None:
    """Steps without a verdict are counted, since later runs are not held against them."""
    folder = data.parent / "run"
    folder.mkdir()
    lines = "".join(to_line(to_record(one)) for one in (made(0, True), made(1, None)))
    (folder / "outcomes.jsonl").write_text(lines, encoding="utf-8")
    done = comem("baseline", "run", "-o", "b.json", cwd=data.parent)
    assert done.returncode == 0
    assert "warning: 1 of them have no verdict" in done.stdout
