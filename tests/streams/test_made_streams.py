"""Made streams are what other tests take them for: valid, the same every time, of any length."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from made_streams import make_stream, task_name

from pytest_comem.errors import DataError
from pytest_comem.office.operations import OPERATIONS
from pytest_comem.streams.hidden_files import load_hidden
from pytest_comem.streams.loading import load_stream
from pytest_comem.streams.workspaces import contents


def files(directory: Path) -> dict[str, bytes]:
    """Return every file below a directory."""
    found = [path for path in directory.rglob("*") if path.is_file()]
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


def test_the_same_arguments_make_the_same_files(tmp_path: Path) -> None:
    """Byte for byte; another seed makes others."""
    first = files(make_stream(tmp_path / "a", "ada", 6, {2, 6}, seed=1))
    assert first == files(make_stream(tmp_path / "b", "ada", 6, {2, 6}, seed=1))
    assert first != files(make_stream(tmp_path / "c", "ada", 6, {2, 6}, seed=2))


@pytest.mark.parametrize("tasks", [1, 2, 120])
def test_every_length_is_valid(tmp_path: Path, tasks: int) -> None:
    """All tasks are targets unless said otherwise, each with all its parts."""
    stream = load_stream(make_stream(tmp_path, tasks=tasks), OPERATIONS)
    assert [one.id for one in stream.targets] == [task_name(n) for n in range(1, tasks + 1)]
    for target in stream.targets:
        hidden = load_hidden(stream, target, OPERATIONS)
        assert (len(hidden.rubric.checks), len(hidden.rubric.preferences)) == (2, 2)
        assert bool(hidden.relevance.relevant) == (target.position >= 2)


def test_what_is_asked_for_is_scored(tmp_path: Path) -> None:
    """By number from 1; the rest is history."""
    stream = load_stream(make_stream(tmp_path, tasks=5, scored={2, 5}))
    assert [one.id for one in stream.targets] == ["t0002", "t0005"]


def test_the_habits_are_said_in_sessions_alone(tmp_path: Path) -> None:
    """The reference follows them; instruction, workspace and plan do not give them away."""
    stream = load_stream(make_stream(tmp_path, tasks=6))
    for target in stream.targets:
        hidden = load_hidden(stream, target)
        signer = hidden.rubric.choices["signature"]
        assert target.workspace is not None
        assert target.plan is not None
        told = target.task.model_dump_json() + target.plan.model_dump_json()
        assert signer not in told
        assert signer.encode() not in b"".join(contents(stream, target.workspace).values())
        report = contents(stream, hidden.reference)[f"reports/{target.position + 1:04}.md"]
        assert f"Prepared by: {signer}\n".encode() in report
        assert report.decode() in target.session.messages[1].content


def broken(value: Any, random: Random) -> Any:
    """Return a JSON value with one thing in it replaced, doubled or taken out."""
    odd: list[Any] = [
        None,
        True,
        -1,
        2.5,
        "",
        "x" * 300,
        "../x",
        [],
        {},
        [[]],
        {"a": 1},
        "{slot:x}",
        "é\u200b",
    ]
    if isinstance(value, dict) and value and random.random() < 0.85:
        key = random.choice(sorted(value))
        how = random.random()
        if how < 0.1:
            return {name: each for name, each in value.items() if name != key}
        if how < 0.15:
            return value | {"extra": random.choice(odd)}
        return value | {key: broken(value[key], random)}
    if isinstance(value, list) and value and random.random() < 0.85:
        at = random.randrange(len(value))
        if random.random() < 0.15:
            return [*value, value[at]]
        return [*value[:at], broken(value[at], random), *value[at + 1 :]]
    return random.choice(odd)


def said_of_all(made: Path) -> str:
    """Return the data error that loading every part of a stream raises, or nothing."""
    try:
        stream = load_stream(made, OPERATIONS)
        for target in stream.targets:
            load_hidden(stream, target, OPERATIONS)
            target.workspace_digest(stream)
    except DataError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_broken_is_a_data_error_or_still_valid(made: Path, seed: int) -> None:
    """Forty changes each, of any file: nothing else is raised, and the message prints."""
    random = Random(f"broken {seed}")
    paths = sorted(made.rglob("*.json"))
    messages = []
    for _ in range(40):
        path = random.choice(paths)
        whole = path.read_text("utf-8")
        path.write_text(json.dumps(broken(json.loads(whole), random)), encoding="utf-8")
        messages.append(said_of_all(made))
        path.write_text(whole, encoding="utf-8")
    refused = [one for one in messages if one]
    assert len(refused) > 10
    assert all(one.startswith("ada/") and one.isprintable() for one in refused)
    assert max(map(len, refused)) < 700
    load_stream(made, OPERATIONS)
