"""Certification of the domain's families."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from code_play import MATERIAL, needs_grader, written

from pytest_comem.domains.code import grading
from pytest_comem.domains.code.checks import CodeChecks
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.certification import Certificate, certify
from pytest_comem.workflows.checks import check_lines
from pytest_comem.workflows.loading import family_directories
from pytest_comem.workflows.schema import Domain

FAMILIES = fixture_path("comembench", "families")


def lines_of(found: Certificate) -> list[str]:
    """Return what a certificate says."""
    return [line.strip() for check in found.checks for line in check_lines(check)]


def tiny(directory: Path) -> Certificate:
    """Return the certificate of the tiny family."""
    (found,) = certify(directory, {Domain.REPOSITORY_CODE: CodeChecks("auto", MATERIAL)})
    return found


def shipped(root: Path, names: list[str]) -> tuple[Certificate, ...]:
    """Return the certificates of shipped families."""
    for name in names:
        shutil.copytree(FAMILIES / name, root / name)
    return certify(root, {Domain.REPOSITORY_CODE: CodeChecks()})


@needs_grader
def test_a_generated_family_is_granted(tmp_path: Path) -> None:
    """Schema, graph, pairs, hidden text, instance, gold run and negative mutations."""
    found = tiny(written(tmp_path))
    assert found.granted, lines_of(found)
    assert {"instance", "gold run", "negative mutations"} <= {one.name for one in found.checks}


@needs_grader
def test_a_shipped_family_is_granted(tmp_path: Path) -> None:
    """One that is quickly looked at; the others are below."""
    (found,) = shipped(tmp_path, ["code-shortened-cells"])
    assert found.granted, lines_of(found)


@pytest.mark.slow
@needs_grader
@pytest.mark.skipif(
    os.environ.get("COMEM_SLOW") != "1", reason="runs code for a minute; set COMEM_SLOW=1"
)
def test_all_shipped_families_are_granted(tmp_path: Path) -> None:
    """At least ten."""
    names = [one.name for one in family_directories(FAMILIES) if one.name.startswith("code-")]
    found = shipped(tmp_path, names)
    assert len(found) >= 10
    assert all(one.granted for one in found), [lines_of(one) for one in found if not one.granted]


def _oracle(document: Any, node_id: str) -> Any:
    return next(one for one in document["oracles"] if one["node_id"] == node_id)


@needs_grader
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda it: _oracle(it, "baseline")["gold"]["tests"].update(
                {"tests/test_names.py::test_sorted_names": "FAILED"}
            ),
            "node baseline: gold is rejected: the status of tests/test_names.py",
        ),
        (
            lambda it: _oracle(it, "plan")["negatives"].append(
                {"name": "x", "kind": "wrong_artifact", "content": _oracle(it, "plan")["gold"]}
            ),
            "node plan: the mutation x (wrong_artifact) passes",
        ),
        (lambda it: _oracle(it, "plan").update(negatives=[]), "node plan: no negative mutation"),
        (
            lambda it: _oracle(it, "plan")["secret"].update(inputs=0),
            "node plan: gold passes although it rests on no input",
        ),
        (
            lambda it: _oracle(it, "fix")["secret"].pop("test_patch"),
            "node fix: its test_patch is not the instance's",
        ),
        (
            lambda it: _oracle(it, "fix")["secret"].update(fail_to_pass=[]),
            "node fix: its fail_to_pass is not the instance's",
        ),
    ],
)
def test_what_is_wrong_with_an_oracle_is_named(
    tmp_path: Path, change: Callable[[Any], object], said: str
) -> None:
    """By node; the family is not granted."""
    directory = written(tmp_path)
    path = directory / "hidden" / "oracles.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    found = tiny(directory)
    assert not found.granted
    assert any(line.lower().startswith(said.lower()) for line in lines_of(found)), lines_of(found)


@needs_grader
def test_another_instance_is_named(tmp_path: Path) -> None:
    """A family is judged on the commit of its instance, or not at all."""
    directory = written(tmp_path)
    path = directory / "family.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["execution"]["environment"]["base_commit"] = "0" * 40
    path.write_text(json.dumps(document), encoding="utf-8")
    found = tiny(directory)
    assert [one.name for one in found.checks if one.passed is False] == ["instance"]


@needs_grader
def test_a_family_without_a_grader_is_not_granted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate says what is missing, and that nothing was looked at."""
    directory = written(tmp_path)
    monkeypatch.setattr(grading, "preflight", lambda: "no grader here")
    found = tiny(directory)
    assert not found.granted
    assert "sandbox and grader: not checked (no grader here)" in lines_of(found)
