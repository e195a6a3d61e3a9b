"""Certification of the domain's families, without any server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shipped_families import FAMILIES
from tools_play import directories

from pytest_comem.domains.tools.checks import ToolsChecks
from pytest_comem.workflows.certification import Certificate, certify
from pytest_comem.workflows.checks import check_lines
from pytest_comem.workflows.schema import Domain

NAME = "tools-terms-script"


def certificates(root: Path) -> tuple[Certificate, ...]:
    """Return the certificates of a corpus of families, judged by this domain."""
    return certify(root, {Domain.STATEFUL_TOOL: ToolsChecks()})


def test_all_shipped_families_are_granted(tmp_path: Path) -> None:
    """Schema, graph, pairs, hidden text, material, tools, gold run and negative mutations."""
    for directory in directories():
        shutil.copytree(directory, tmp_path / directory.name)
    found = certificates(tmp_path)
    said = [line for one in found for check in one.checks for line in check_lines(check)]
    assert all(one.granted for one in found), said
    assert len(found) >= 10
    assert any(line.startswith("negative mutations: ok") for line in said)


def changed(tmp_path: Path, name: str, change: Callable[[Any], object]) -> list[str]:
    """Return what the certificate says of a family with one file changed; it is not granted."""
    directory = Path(shutil.copytree(FAMILIES / NAME, tmp_path / NAME))
    path = directory / name
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    (found,) = certificates(directory)
    assert not found.granted
    return [line.strip() for check in found.checks for line in check_lines(check)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda it: it["oracles"][2]["gold"].update(place={"file": "work/rows.json"}),
            "node run_query: gold is rejected: it cannot be laid out",
        ),
        (
            lambda it: it["oracles"][0]["gold"].update(facts={"days": []}),
            "hidden/oracles.json: node read_terms: its gold content cannot be used",
        ),
        (
            lambda it: it["oracles"][0]["gold"].pop("summary"),
            "node read_terms: gold is rejected: the artifact has no summary",
        ),
        (
            lambda it: it["oracles"][0]["negatives"].append(
                {"name": "none", "kind": "wrong_artifact", "content": it["oracles"][0]["gold"]}
            ),
            "node read_terms: the mutation none (wrong_artifact) passes",
        ),
        (lambda it: it["oracles"][0].update(negatives=[]), "node read_terms: no negative mutation"),
        (
            lambda it: it["oracles"][1]["secret"].update(inputs=0),
            "node write_query: gold passes although it rests on no input",
        ),
        (
            lambda it: [
                one.update(kind="altered_value")
                for oracle in it["oracles"]
                for one in oracle["negatives"]
            ],
            "hidden/oracles.json: no negative mutation is a not_done",
        ),
    ],
)
def test_what_is_wrong_with_an_oracle_is_named(
    tmp_path: Path, change: Callable[[Any], object], said: str
) -> None:
    """By node; the family is not granted."""
    lines = changed(tmp_path, "hidden/oracles.json", change)
    assert any(line.lower().startswith(said.lower()) for line in lines), lines


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda it: it["execution"]["environment"]["sources"]["terms"].update(file="/etc/hosts"),
            "family tools-terms-script, field execution.environment: it names no file",
        ),
        (
            lambda it: it["nodes"][0].update(servers=["postman"]),
            "node read_terms: there is no server postman",
        ),
        (
            lambda it: it["nodes"][0].update(servers=[]),
            "node read_terms: the tool filesystem__read_text_file is of no server",
        ),
    ],
)
def test_what_is_wrong_with_a_family_is_named(
    tmp_path: Path, change: Callable[[Any], object], said: str
) -> None:
    """Its material and the servers that its tokens name."""
    lines = changed(tmp_path, "family.json", change)
    assert any(line.startswith(said) for line in lines), lines
