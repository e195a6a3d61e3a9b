"""The evaluator: it runs the code itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from code_play import (
    FILES,
    GOLD_NAMES,
    GOLD_RANGES,
    WRONG_RANGES,
    built,
    gold,
    kit,
    needs_grader,
)

from pytest_comem.domains.code.contents import patch_hash
from pytest_comem.domains.code.diffs import unified
from pytest_comem.executors.domain import Judgement
from pytest_comem.workflows.artifacts import Artifact, make_artifact

pytestmark = needs_grader


def judged(node_id: str, content: Any, consumed: Sequence[Artifact] | None = None) -> Judgement:
    """Judge a content, by default as if it rested on the gold inputs of its node."""
    family = built().family
    node, like = family.node(node_id), gold()[node_id]
    inputs = [gold()[edge.source] for edge in family.inputs(node_id)]
    made = make_artifact(
        content,
        semantic_type=node.output_type,
        entity_scope=node.entity_scope,
        version=node.version,
        producer=like.producer,
    )
    with kit().open(family, "w-1") as stand:
        oracle = built().oracles.of(node_id)
        return stand.evaluate(node, oracle, made, inputs if consumed is None else consumed)


def content(node_id: str, **fields: Any) -> dict[str, Any]:
    """Return the gold content of a node with other fields."""
    found = gold()[node_id].content
    assert isinstance(found, dict)
    return {**found, **fields}


def candidate(patch: str) -> dict[str, Any]:
    """Return a candidate with a patch."""
    return content("fix", patch=patch, patch_sha256=patch_hash(patch))


def test_gold_passes() -> None:
    """At every node, with what decided as evidence."""
    for node_id, one in gold().items():
        found = judged(node_id, one.content)
        assert found.passed, found.reason
        assert found.evidence["swebench"]
        assert found.evidence["instance"] == "acme__pocket-1"


def test_another_patch_that_does_the_same_passes() -> None:
    """The evaluator goes by what it does."""
    after = FILES["pocket/ranges.py"].replace(
        "return low <= value < high", "return not (value < low or value > high)"
    )
    path = "pocket/ranges.py"
    assert judged("fix", candidate(unified({path: FILES[path]}, {path: after}))).passed


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("", "has no patch"),
        ("no patch", "does not apply"),
        (WRONG_RANGES, "RESOLVED_NO"),
        (GOLD_NAMES, "RESOLVED_NO"),
        (
            GOLD_RANGES
            + unified(
                {"tests/test_ranges.py": FILES["tests/test_ranges.py"]},
                {"tests/test_ranges.py": ""},
            ),
            "does more than change the library",
        ),
        (GOLD_RANGES + unified({}, {"conftest.py": "import os\n"}), "does more than change"),
        (GOLD_RANGES + unified({}, {"sitecustomize.py": "\n"}), "does more than change"),
        (
            "diff --git a/tests/test_names.py b/x.py\nrename from tests/test_names.py\n"
            "rename to x.py\n",
            "does more than change",
        ),
        (
            f'{GOLD_RANGES}diff --git "a/te\\163ts/x.py" "b/te\\163ts/x.py"\n'
            "new file mode 100644\n",
            "does more than change",
        ),
    ],
)
def test_a_candidate_has_to_resolve_the_issue(patch: str, said: str) -> None:
    """By the library's code alone: neither by a test's, nor by what the tests are run by."""
    found = judged("fix", candidate(patch))
    assert not found.passed
    assert said.lower() in found.reason.lower()


def test_a_library_that_ends_the_run_resolves_nothing() -> None:
    """A patch that leaves the tests before they fail, or writes their results itself."""
    path = "pocket/__init__.py"
    for line in (
        "import os; os._exit(0)",
        "print('PASSED tests/test_ranges.py::test_of_issue_1'); import os; os._exit(0)",
        "print('>>>>> End Test Output')",
    ):
        patch = unified({path: FILES[path]}, {path: f"{FILES[path]}\n{line}\n"})
        assert not judged("fix", candidate(patch)).passed


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("reading", {"issue": "acme__pocket-2"}, "another issue"),
    ("reading", {"entry_points": ["pocket.clipped"]}, "public name"),
    ("reading", {"steps": []}, "an example of the issue is missing"),
    ("script", {"script": ""}, "no script"),
    ("script", {"script": "assert True"}, "passes where an assertion has to fail"),
    ("script", {"script": "import nothing"}, "breaks where an assertion has to fail"),
    ("script", {"script": "assert False"}, "with the right patch its script fails"),
    ("script", {"outcome": "passes"}, "does not say that the script fails"),
    ("traces", {"candidates": []}, "does not name the function"),
    ("traces", {"candidates": [{"file": "pocket/names.py", "function": "initials"}]}, "not name"),
    ("traces", {"candidates": [{}] * 6}, "names more than"),
    ("baseline", {"tests": {}}, "no status of any test"),
    ("baseline", {"tests": {"tests/test_names.py::test_sorted_names": "FAILED"}}, "own run"),
    ("baseline", {"tests": {"tests/test_names.py::test_sorted_names": "PASSED"}}, "leaves tests"),
    ("plan", {"function": "clipped"}, "another function"),
    ("plan", {"start": 5, "end": 7}, "do not cover"),
    ("plan", {"start": 1, "end": 15}, "beyond the function"),
    ("plan", {"change": "rewrite"}, "kind of change"),
    ("fix", {"patch_sha256": "0" * 64}, "hash"),
    ("focus", {"scope": "regression"}, "scope"),
    ("suite", {"patch_sha256": patch_hash(WRONG_RANGES)}, "no patch that was handed over"),
    ("suite", {"reproduction": ""}, "what it says of the script"),
    ("suite", {"passed": False}, "does not say that everything passed"),
    ("release", {"issue": "acme__pocket-2"}, "another issue"),
    ("release", {"version": "0.2.0"}, "another version"),
    ("release", {"changelog": "- Something else"}, "no new line of the changelog"),
    ("release", {"patch": GOLD_RANGES}, "version is not raised"),
    ("release", {"tested_sha256": []}, "receipts handed over"),
    ("release", {"candidate_sha256": "0" * 64}, "about another patch"),
    ("verify", {"verdict": "unresolved"}, "verdict"),
    ("verify", {"patch_sha256": "0" * 64}, "no release that was handed over"),
    ("verify", {"version": "9.9.9"}, "another version"),
    ("verify", {"tests": {"a": "PASSED"}}, "own run"),
)


@pytest.mark.parametrize(("node_id", "fields", "said"), WRONG)
def test_what_is_wrong_is_named(node_id: str, fields: dict[str, Any], said: str) -> None:
    """In one sentence."""
    found = judged(node_id, content(node_id, **fields))
    assert not found.passed
    assert said in found.reason.lower()


def test_a_receipt_of_a_patch_that_fails_is_rejected() -> None:
    """Even if its statuses are right."""
    wrong = make_artifact(
        candidate(WRONG_RANGES),
        semantic_type="patch_candidate",
        entity_scope="x",
        version=1,
        producer=gold()["fix"].producer,
    )
    script = gold()["script"]
    found = judged(
        "suite", content("suite", patch_sha256=patch_hash(WRONG_RANGES)), [wrong, script]
    )
    assert not found.passed


def test_whoever_rests_on_nothing_is_rejected() -> None:
    """And so is what rests on an artifact that is not what its hash was taken of."""
    for node_id, one in gold().items():
        if built().family.inputs(node_id):
            assert not judged(node_id, one.content, ()).passed
    broken = gold()["reading"].model_copy(update={"content": {"x": 1}})
    found = judged("script", gold()["script"].content, [broken])
    assert "not what its hash was taken of" in found.reason


@pytest.mark.parametrize(
    "value", [None, True, 7, 1.5, "text", [], {}, [[[]]], {"base_commit": ["x"]}, {"patch": {}}]
)
def test_content_of_any_shape_is_judged(value: Any) -> None:
    """It is rejected with a sentence."""
    for node_id in gold():
        assert not judged(node_id, value).passed
        odd = dict.fromkeys(content(node_id), value)
        assert not judged(node_id, odd).passed
        right = content(node_id)
        assert not judged(node_id, {**dict.fromkeys(right, value), "base_commit": "a" * 40}).passed
