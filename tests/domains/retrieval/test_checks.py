"""Certification of the domain's families."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from retrieval_play import directories
from shipped_families import FAMILIES

from pytest_comem.domains.retrieval.checks import RetrievalChecks
from pytest_comem.workflows.certification import Certificate, certify
from pytest_comem.workflows.checks import check_lines
from pytest_comem.workflows.schema import Domain

NAME = "retrieval-instrument-cradle"


def certificates(root: Path) -> tuple[Certificate, ...]:
    """Return the certificates of a corpus of families, judged by this domain."""
    return certify(root, {Domain.OFFLINE_RETRIEVAL: RetrievalChecks()})


def test_all_shipped_families_are_granted(tmp_path: Path) -> None:
    """Schema, graph, pairs, hidden text, corpus, gold run and negative mutations."""
    for directory in directories():
        shutil.copytree(directory, tmp_path / directory.name)
    found = certificates(tmp_path)
    said = [line for one in found for check in one.checks for line in check_lines(check)]
    assert all(one.granted for one in found), said
    assert len(found) >= 10
    assert any(line.startswith("negative mutations: ok") for line in said)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda it: it["oracles"][0]["gold"]["findings"][0].update(quotation="It was not so."),
            "node plate: gold is rejected: A quotation from wor-",
        ),
        (
            lambda it: it["oracles"][0]["negatives"].append(
                {"name": "none", "kind": "wrong_artifact", "content": it["oracles"][0]["gold"]}
            ),
            "node plate: the mutation none (wrong_artifact) passes",
        ),
        (lambda it: it["oracles"][0].update(negatives=[]), "node plate: no negative mutation"),
        (
            lambda it: it["oracles"][1]["secret"].update(inputs=0),
            "node maker: gold passes although it rests on no input",
        ),
        (
            lambda it: it["oracles"][0].update(gold=["nothing"]),
            "node plate: gold is rejected: The oracle's gold has not the fields",
        ),
        (
            lambda it: it["oracles"][0].update(secret={"groups": 7}),
            "node plate: gold is rejected: wor-",
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
    (found,) = certificates(directory)
    lines = [line.strip() for check in found.checks for line in check_lines(check)]
    assert not found.granted
    assert any(line.lower().startswith(said.lower()) for line in lines), lines


def test_another_corpus_is_named(tmp_path: Path) -> None:
    """A family is judged over the corpus whose hash it names, or not at all."""
    directory = Path(shutil.copytree(FAMILIES / NAME, tmp_path / NAME))
    path = directory / "family.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["execution"]["environment"]["corpus_sha256"] = "0" * 64
    path.write_text(json.dumps(document), encoding="utf-8")
    (found,) = certificates(directory)
    assert [one.name for one in found.checks if one.passed is False] == ["corpus"]
