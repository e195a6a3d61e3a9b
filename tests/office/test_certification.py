"""Certificates of scored office tasks, held against streams that were broken on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_streams import make_stream, task_name

from pytest_comem.errors import DataError
from pytest_comem.office.certification import Certificate, certificates, certify

HERE = Path("tasks") / task_name(1)
RUBRIC, PLAN, TASK = HERE / "hidden/rubric.json", HERE / "plan.json", HERE / "task.json"
Change = Callable[[Any], object]


def certificate(tmp_path: Path, file: Path | None = None, change: Change = id) -> Certificate:
    """Return the certificate of a made stream's one task, one of its files changed."""
    directory = make_stream(tmp_path, tasks=1)
    if file is not None:
        content = json.loads((directory / file).read_text("utf-8"))
        change(content)
        (directory / file).write_text(json.dumps(content), "utf-8")
    (found,) = certify(directory)
    return found


def unmet(found: Certificate) -> dict[str, str]:
    """Return the conditions that are not met, and why."""
    return {one.name: "; ".join(one.problems) for one in found.conditions if not one.met}


def test_a_right_task_is_certified(tmp_path: Path) -> None:
    """Every condition was held, and met."""
    found = certificate(tmp_path)
    assert unmet(found) == {}
    assert found.granted
    assert [one.name for one in found.conditions] == [
        *("rubric", "hidden", "reference", "initial", "mutations", "informed", "uninformed")
    ]
    assert found.name == "made/t0001"


def argument(at: int, name: str, value: Any) -> Change:
    """Return a change of a check's argument."""
    return lambda rubric: rubric["checks"][at]["arguments"].update({name: value})


def edit(at: int, **arguments: str) -> Change:
    """Return a change of a check's mutation."""
    return lambda rubric: rubric["checks"][at]["mutation"][0]["arguments"].update(arguments)


BROKEN: list[tuple[str, Path, Change, str, str]] = [
    (
        "an argument nobody knows",
        RUBRIC,
        argument(0, "al", ["x"]),
        "rubric",
        "check figure: contains: al",
    ),
    (
        "a test without a mutation",
        RUBRIC,
        lambda rubric: rubric["checks"][0].update(mutation=[]),
        "rubric",
        "check figure: has no mutation",
    ),
    (
        "a check that the reference fails",
        RUBRIC,
        argument(0, "all", ["Open points: 5000"]),
        "reference",
        "a Workspace Score of 0",
    ),
    (
        "a check that passes before anything is done",
        RUBRIC,
        lambda rubric: rubric["checks"][0].update(
            kind="absent",
            arguments={"file": "rubbish.md"},
            mutation=[{"do": "write", "arguments": {"path": "rubbish.md", "text": "x"}}],
        ),
        "initial",
        "Workspace Score of 60",
    ),
    (
        "a mutation that does nothing",
        RUBRIC,
        edit(0, old="Open points", new="Open  points"),
        "mutations",
        "check figure: its mutation does not turn it around",
    ),
    (
        "a mutation that cannot be done",
        RUBRIC,
        edit(0, old="nowhere"),
        "mutations",
        "check figure: its mutation cannot be done",
    ),
    (
        "a mutation that breaks another check",
        RUBRIC,
        lambda rubric: rubric["checks"][0].update(
            mutation=[{"do": "write", "arguments": {"path": "reports/0001.md", "text": "x"}}]
        ),
        "mutations",
        "turns check signature around, too",
    ),
    (
        "a plan that the right choices do not help",
        RUBRIC,
        lambda rubric: rubric["choices"].pop("signature"),
        "informed",
        "below 80",
    ),
    (
        "a plan that needs no experience",
        PLAN,
        lambda plan: [
            slot.update(default=value)
            for slot, value in zip(plan["slots"], ("long", "Ben Field"), strict=True)
        ],
        "uninformed",
        "as good as with the right choices",
    ),
    (
        "a step that fails",
        PLAN,
        lambda plan: plan["steps"].append({"do": "delete", "arguments": {"path": "none.md"}}),
        "informed",
        "a step fails: deleted none.md",
    ),
    (
        "an instruction that tells",
        TASK,
        lambda task: task.update(instruction="Keeps the project's dates. Write it."),
        "hidden",
        "task.json: shows root preference dates",
    ),
]


@pytest.mark.parametrize(
    ("file", "change", "condition", "problem"),
    [case[1:] for case in BROKEN],
    ids=[case[0] for case in BROKEN],
)
def test_what_is_broken_is_found(
    tmp_path: Path, file: Path, change: Change, condition: str, problem: str
) -> None:
    """The condition that it breaks is not met, and says why."""
    found = certificate(tmp_path, file, change)
    assert not found.granted
    assert problem in unmet(found)[condition]


def test_a_stream_that_cannot_be_read_has_a_certificate_that_says_so(tmp_path: Path) -> None:
    """The other streams are still looked at."""
    make_stream(tmp_path, "ada", tasks=1)
    broken = make_stream(tmp_path, "ben", tasks=1)
    (broken / TASK).write_text("{", "utf-8")
    ada, ben = certify(tmp_path)
    assert ada.granted
    assert not ben.granted
    assert "ben/tasks/t0001/task.json" in unmet(ben)["rubric"]


def test_no_stream_at_all_is_an_error(tmp_path: Path) -> None:
    """Nothing certified is not the same as all certified."""
    with pytest.raises(DataError):
        certify(tmp_path)


def test_a_stream_without_targets_is_not_certified(tmp_path: Path) -> None:
    """There is nothing that could count."""
    (found,) = certify(make_stream(tmp_path, tasks=2, scored=()))
    assert "none of its tasks is scored" in unmet(found)["rubric"]


def test_material_that_vanishes_is_a_condition_that_is_not_met(tmp_path: Path) -> None:
    """A stored file that is gone costs its task the certificate, and no other."""
    directory = make_stream(tmp_path, tasks=2)
    path = directory / "tasks" / task_name(2) / "hidden/reference.json"
    reference = json.loads(path.read_text("utf-8"))
    # Nothing but the workspace before needs it, and that was looked at when the stream was read.
    del reference["files"]["notes/0002.md"]
    path.write_text(json.dumps(reference), "utf-8")
    found = certificates(directory)
    assert next(found).granted
    (directory / "files/notes/0002.md").unlink()
    assert "0002.md" in unmet(next(found))["material"]
    assert next(found, None) is None
