"""Certification without domains: schema, graph, pairs, hidden text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from workflow_play import DATA, NAMES

from pytest_comem.errors import DataError
from pytest_comem.workflows.certification import Certificate, certify
from pytest_comem.workflows.checks import Check, check, check_lines
from pytest_comem.workflows.hidden import Oracles
from pytest_comem.workflows.schema import Domain, Family


class Fine:
    """A domain whose every family is in order."""

    def checks(self, directory: Path, family: Family, oracles: Oracles) -> Iterable[Check]:
        """Yield one check, which passes."""
        yield check("gold run", f"{len(oracles.oracles)} nodes of {directory.name}", ())


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A copy of the tests' families."""
    return Path(shutil.copytree(DATA, tmp_path / "corpus"))


def change(path: Path, edit: Callable[[Any], object]) -> None:
    """Change a JSON file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    edit(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def failing(certificate: Certificate) -> dict[str, list[str]]:
    """Return what is wrong, by check."""
    return {
        one.name: [f"{each.where}: {each.problem}" for each in one.where]
        for one in certificate.checks
        if one.passed is False
    }


def test_families_in_order_are_granted() -> None:
    """Where a domain's own checks pass, too; without them nothing is granted, and it says so."""
    found = certify(DATA, {domain: Fine() for domain in Domain})
    assert tuple(one.name for one in found) == NAMES
    assert all(one.granted for one in found)
    without = certify(DATA, {})
    assert not any(one.granted or failing(one) for one in without)
    assert "domain: not checked (nothing here can judge the domain offline_retrieval)" in list(
        check_lines(without[0].checks[-1])
    )


def test_one_family_can_be_certified_alone() -> None:
    """By its own directory."""
    (found,) = certify(DATA / "sum-proof", {Domain.FORMAL_MATHEMATICS: Fine()})
    assert found.granted


@pytest.mark.parametrize(
    ("file", "edit", "name", "said"),
    [
        (
            "family.json",
            lambda it: it["nodes"][5]["task"].update(
                instruction="Plan it: check the day against the month, say."
            ),
            "hidden text",
            "view of plan: shows 'check the day against the month', hidden with plan",
        ),
        (
            "family.json",
            lambda it: it["nodes"][0]["context"][0].update(
                text="See tests/test_hidden_leap_years.py::test_1900 for more."
            ),
            "hidden text",
            "view of issue: shows 'tests/test_hidden_leap_years.py::test_1900', hidden with patch",
        ),
        (
            "hidden/oracles.json",
            lambda it: it["oracles"][6]["gold"].update(
                diff="passes tests/test_hidden_leap_years.py::test_1900"
            ),
            "hidden text",
            "view of tests: shows 'tests/test_hidden_leap_years.py::test_1900', hidden with patch",
        ),
        (
            "hidden/pollution.json",
            lambda it: it["plans"].append({"operator": "wrong_entity", "target": "issue"}),
            "isolation pairs",
            "wrong_entity on issue: does not apply: it requires no input with a verified receipt",
        ),
        (
            "hidden/pollution.json",
            lambda it: it.update(plans=[]),
            "isolation pairs",
            "hidden/pollution.json: no pair is planned; a family has one at least",
        ),
        (
            "family.json",
            lambda it: it.update(edges=it["edges"][:-1]),
            "graph",
            "dates-fix/family.json, family dates-fix, field topology: declares "
            "bounded_revision_loop by (patch, tests), but its edges have none",
        ),
        (
            "hidden/oracles.json",
            lambda it: it["oracles"].pop(),
            "schema",
            "dates-fix/hidden/oracles.json, field oracles: family dates-fix, node release: 0 "
            "oracles; every node has one",
        ),
        (
            "family.json",
            lambda it: it.pop("split"),
            "schema",
            "dates-fix/family.json, field split: family dates-fix: field required",
        ),
    ],
)
def test_what_is_wrong_is_named(
    corpus: Path, file: str, edit: Callable[[Any], object], name: str, said: str
) -> None:
    """By check and place; the other families keep their certificates."""
    change(corpus / "dates-fix" / file, edit)
    found = certify(corpus, {domain: Fine() for domain in Domain})
    assert [one.granted for one in found] == [True, False, True]
    assert said in failing(found[1])[name]


def test_text_may_be_declared_public(corpus: Path) -> None:
    """A gold string that the task itself gives can be allowed by name."""
    text = "check the day against the month"
    family, oracles = corpus / "dates-fix/family.json", corpus / "dates-fix/hidden/oracles.json"
    change(family, lambda it: it["nodes"][5]["task"].update(instruction=text))
    change(oracles, lambda it: it["oracles"][5].update(may_appear=[text]))
    assert not failing(certify(corpus, {})[1])


def test_secrets_are_found_where_no_pair_is_planned(corpus: Path) -> None:
    """In what is handed over without pollution."""
    change(corpus / "dates-fix/hidden/pollution.json", lambda it: it.update(plans=[]))
    secret = "tests/test_hidden_leap_years.py::test_1900"
    oracles = corpus / "dates-fix/hidden/oracles.json"
    change(oracles, lambda it: it["oracles"][6]["gold"].update(diff=secret))
    shown = failing(certify(corpus, {})[1])["hidden text"]
    assert {line.partition(":")[0] for line in shown} == {"view of tests", "view of release"}


def test_what_negatives_share_with_gold_may_be_handed_over(corpus: Path) -> None:
    """An edited result has most of its text from the right one; what only it has may not show."""
    negative = {"name": "half", "kind": "wrong_artifact", "content": ["share the check"]}
    oracles = corpus / "dates-fix/hidden/oracles.json"
    change(oracles, lambda it: it["oracles"][5].update(negatives=[negative]))
    assert not failing(certify(corpus, {})[1])
    only = {**negative, "content": ["parse_date('2023-02-30')"]}
    change(oracles, lambda it: it["oracles"][5].update(negatives=[only]))
    assert "hidden text" in failing(certify(corpus, {})[1])


def test_two_families_of_one_id_are_both_refused(corpus: Path) -> None:
    """A corpus would hold two truths of one workflow."""
    shutil.copytree(corpus / "sum-proof", corpus / "another")
    found = {one.name: failing(one) for one in certify(corpus, {})}
    assert found["sum-proof"] == {"id": ["sum-proof: two families have this id"]}


def test_no_family_is_no_certificate(tmp_path: Path) -> None:
    """An empty directory is an error, not a corpus that passed."""
    with pytest.raises(DataError, match="no family is here"):
        certify(tmp_path, {})
