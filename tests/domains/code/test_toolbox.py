"""The tools that a language model may use on a checkout of its own."""

from __future__ import annotations

from typing import Any

import pytest
from code_play import (
    FILES,
    GOLD_RANGES,
    TREE,
    built,
    gold,
    kit,
    needs_grader,
    view_of,
)

from pytest_comem.domains.code import contents, tools
from pytest_comem.domains.code.contents import FIELDS, patch_hash
from pytest_comem.domains.code.schemas import schema_of
from pytest_comem.executors.domain import Toolbox, ToolRefusal
from pytest_comem.workflows.artifacts import make_artifact

pytestmark = needs_grader


#: Says what is installed here.
_SHOW = "import pocket, inspect; print(pocket.__version__, inspect.getsource(pocket.ranges))"


def toolbox(node_id: str = "fix") -> Toolbox:
    """Return the tools of a node."""
    with kit().open(built().family, "w-1") as stand:
        return stand.tools(view_of(built().family, node_id, gold()))


def test_only_what_the_token_names_is_there() -> None:
    """In a fixed order, with schemas; another tool is refused with what there is."""
    names = [one.name for one in toolbox().specs()]
    assert names == [tools.READ, tools.SEARCH, tools.WRITE, tools.TESTS, tools.PYTHON]
    assert [one.name for one in toolbox("baseline").specs()] == [tools.TESTS]
    assert all(one.parameters["additionalProperties"] is False for one in toolbox().specs())
    with pytest.raises(ToolRefusal, match="there is no tool 'write_file'; there are: run_tests"):
        toolbox("baseline").call(tools.WRITE, {"path": "a", "text": "b"})


def test_a_model_can_repair_with_them() -> None:
    """Look, change, run; its patch is the checkout's diff, and nobody else's checkout changes."""
    box = toolbox()
    assert "pocket/ranges.py:8:    return low" in box.call(tools.SEARCH, {"text": "low <= value"})
    assert box.call(tools.SEARCH, {}).split("\n") == sorted(FILES)
    source = box.call(tools.READ, {"path": "pocket/ranges.py"})
    script = {"code": "from pocket import within\nprint(within(3, 1, 3))"}
    assert "False" in box.call(tools.PYTHON, script)
    box.call(tools.WRITE, {"path": "pocket/ranges.py", "text": source.replace("< high", "<= high")})
    assert "True" in box.call(tools.PYTHON, script)
    said = box.call(tools.TESTS, {"node_ids": ["tests/test_ranges.py"]})
    assert "exit status 0" in said
    assert "test_names" not in said
    done = box.complete({"operator": "by hand", "patch": ""})
    assert done["patch"] == GOLD_RANGES
    assert done["patch_sha256"] == patch_hash(GOLD_RANGES)
    assert TREE.text("pocket/ranges.py") == source
    assert "False" in toolbox().call(tools.PYTHON, script)


def test_a_patch_that_a_model_gives_is_kept() -> None:
    """With its right hash; what is no candidate stays as it is."""
    assert toolbox().complete({"patch": "x"})["patch"] == "x"
    assert toolbox().complete({"patch": "x"})["patch_sha256"] == patch_hash("x")
    assert toolbox().complete([1]) == [1]
    assert toolbox("plan").complete({"patch": ""}) == {"patch": ""}


def test_a_patch_that_was_handed_over_is_applied() -> None:
    """For whoever tests, releases or verifies it; its hash is filled in where it is missing."""
    assert "low <= value <= high" in toolbox("suite").call(tools.PYTHON, {"code": _SHOW})
    suite, verify = toolbox("suite").complete({}), toolbox("verify").complete({})
    assert suite == {"patch_sha256": patch_hash(GOLD_RANGES)}
    released = gold()["release"].content
    assert isinstance(released, dict)
    assert verify == {"patch_sha256": patch_hash(str(released["patch"]))}
    assert "0.1.1" in toolbox("verify").call(tools.PYTHON, {"code": _SHOW})


def test_a_model_can_make_the_release() -> None:
    """It raises the version and tells the changelog; the candidate's change is in the patch."""
    box = toolbox("release")
    module = box.call(tools.READ, {"path": "pocket/__init__.py"})
    box.call(tools.WRITE, {"path": "pocket/__init__.py", "text": module.replace("0.1.0", "0.1.1")})
    log = box.call(tools.READ, {"path": "CHANGELOG.md"})
    line = "- Upper bounds (acme__pocket-1)"
    told = log.replace("## 0.1.0", f"## 0.1.1\n\n{line}\n\n## 0.1.0")
    box.call(tools.WRITE, {"path": "CHANGELOG.md", "text": told})
    family = built().family
    content = box.complete(
        {
            "base_commit": "a" * 40,
            "issue": "acme__pocket-1",
            "tested_sha256": [patch_hash(GOLD_RANGES)],
            "version": "0.1.1",
            "changelog": line,
        }
    )
    made = make_artifact(
        content,
        semantic_type="release_bundle",
        entity_scope="x",
        version=1,
        producer=gold()["release"].producer,
    )
    inputs = [gold()[edge.source] for edge in family.inputs("release")]
    with kit().open(family, "w-1") as stand:
        oracle = built().oracles.of("release")
        found = stand.evaluate(family.node("release"), oracle, made, inputs)
    assert found.passed, found.reason


def test_the_issue_is_told_to_whoever_may_see_it() -> None:
    """The task with the authorized context."""
    assert "within(5, 1, 5)" in toolbox("reading").call(tools.ISSUE, {})


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        (tools.READ, {}, "path has to be a text"),
        (tools.READ, {"path": 7}, "path has to be a text"),
        (tools.READ, {"path": "/etc/passwd"}, "there is no file"),
        (tools.READ, {"path": "../x"}, "there is no file"),
        (tools.READ, {"path": "README.md", "mode": "w"}, "takes no argument 'mode'"),
        (tools.SEARCH, {"text": []}, "text has to be a text"),
        (tools.WRITE, {"path": "tests/test_ranges.py", "text": ""}, "no module of the library"),
        (tools.WRITE, {"path": "pytest.py", "text": ""}, "no module of the library"),
        (tools.WRITE, {"path": "pocket/ranges.py", "text": "x" * 300_000}, "longer than"),
        (tools.TESTS, {"node_ids": "all"}, "a list of texts"),
        (tools.TESTS, {"node_ids": ["x" * 400]}, "at most 50 ids"),
        (tools.TESTS, {"node_ids": ["a\0b"]}, "at most 50 ids"),
        (tools.TESTS, {"node_ids": ["--version"]}, "neither - nor @"),
        (tools.PYTHON, {"code": None}, "code has to be a text"),
    ],
)
def test_what_a_tool_does_not_take_is_refused(name: str, arguments: Any, said: str) -> None:
    """With a sentence for the model."""
    with pytest.raises(ToolRefusal, match=said):
        toolbox().call(name, arguments)


def test_answers_are_bounded() -> None:
    """Whatever a program says."""
    said = toolbox().call(tools.PYTHON, {"code": "print('x' * 100_000)"})
    assert len(said) < 13_000


@pytest.mark.parametrize("semantic_type", FIELDS)
def test_schemas_ask_for_the_fields_of_their_type(semantic_type: str) -> None:
    """All of them, and no other; gold has the schema's types."""
    schema = schema_of(semantic_type)
    assert set(schema["required"]) == set(FIELDS[semantic_type])
    kinds = {"string": str, "integer": int, "array": list, "object": dict, "boolean": bool}
    made = [one.content for one in gold().values() if one.semantic_type == semantic_type]
    assert made
    for content in made:
        assert isinstance(content, dict)
        for field, one in schema["properties"].items():
            assert isinstance(content[field], kinds.get(one.get("type"), str)), field


def test_another_type_has_a_schema_that_takes_any_object() -> None:
    """It is not ours to say."""
    assert schema_of("source_evidence") == {"type": "object"}
    assert contents.text({"a": 1}, "a") == ""
