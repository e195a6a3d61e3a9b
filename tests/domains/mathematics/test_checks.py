"""Certification of the domain's families."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mathematics_play import QUICK, directories, needs_coq
from shipped_families import FAMILIES

from pytest_comem.domains.mathematics.checks import MathematicsChecks
from pytest_comem.workflows.certification import Certificate, certify
from pytest_comem.workflows.checks import check_lines
from pytest_comem.workflows.schema import Domain

NAME = "math-parity"
slow = pytest.mark.skipif(
    os.environ.get("COMEM_SLOW") != "1", reason="compiles for minutes; set COMEM_SLOW=1"
)
NAMES = [
    name if name in QUICK else pytest.param(name, marks=[pytest.mark.slow, slow])
    for name in (one.name for one in directories())
]


def certificate(directory: Path) -> Certificate:
    """Return the certificate of one family, judged by this domain."""
    (found,) = certify(directory, {Domain.FORMAL_MATHEMATICS: MathematicsChecks()})
    return found


@needs_coq
@pytest.mark.parametrize("name", NAMES)
def test_shipped_families_are_granted(name: str) -> None:
    """Schema, graph, pairs, hidden text, project, gold run and negative mutations."""
    found = certificate(FAMILIES / name)
    said = [line for check in found.checks for line in check_lines(check)]
    assert found.granted, said
    assert any(line.startswith("negative mutations: ok") for line in said)
    assert any(line.startswith("prover: ok (coq ") for line in said)


def _oracle(document: Any, node_id: str) -> Any:
    return next(one for one in document["oracles"] if one["node_id"] == node_id)


def _passing(document: Any) -> None:
    oracle = _oracle(document, "twice")
    wrong = {"name": "none", "kind": "wrong_artifact", "content": oracle["gold"]}
    oracle["negatives"].append(wrong)


@needs_coq
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda it: _oracle(it, "twice")["gold"].update(script="reflexivity."),
            "node twice: gold is rejected: It does not compile",
        ),
        (_passing, "node twice: the mutation none (wrong_artifact) passes"),
        (lambda it: _oracle(it, "twice").update(negatives=[]), "node twice: no negative mutation"),
        (
            lambda it: _oracle(it, "twice")["secret"].update(inputs=0),
            "node twice: gold passes although it rests on no input",
        ),
        (
            lambda it: _oracle(it, "twice").update(gold=["nothing"]),
            "node twice: gold is rejected: The oracle's gold has not the fields",
        ),
    ],
)
def test_what_is_wrong_with_an_oracle_is_named(
    tmp_path: Path, change: Callable[[Any], object], said: str
) -> None:
    """By node; the family is not granted."""
    directory = Path(shutil.copytree(FAMILIES / NAME, tmp_path / NAME))
    path = directory / "hidden" / "oracles.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    found = certificate(directory)
    lines = [line.strip() for check in found.checks for line in check_lines(check)]
    assert not found.granted
    assert any(line.startswith(said) for line in lines), lines


@needs_coq
@pytest.mark.parametrize(
    "fields", [{"project_commit": "0" * 64}, {"module": "Nowhere"}, {"axioms": {}}]
)
def test_another_project_is_named(tmp_path: Path, fields: dict[str, Any]) -> None:
    """A family is judged by the project that it names, or not at all."""
    directory = Path(shutil.copytree(FAMILIES / NAME, tmp_path / NAME))
    path = directory / "family.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["execution"]["environment"].update(fields)
    path.write_text(json.dumps(document), encoding="utf-8")
    found = certificate(directory)
    assert [one.name for one in found.checks if one.passed is False] == ["project"]


def test_without_a_prover_nothing_is_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate says that it could not be looked at, and why."""
    monkeypatch.setenv("PATH", "/nonexistent")
    found = certificate(FAMILIES / NAME)
    assert not found.granted
    assert [(one.name, one.passed) for one in found.checks][-1] == ("prover", None)
