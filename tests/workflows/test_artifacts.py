"""Artifacts: their identity, and the contracts they satisfy."""

from __future__ import annotations

from typing import Any

import pytest
from workflow_play import surroundings

from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact, unmet

PRODUCER = Producer(family_id="f", node_id="n")


def artifact(content: Any = "text", **other: Any) -> Artifact:
    """Return an artifact."""
    fields = {"semantic_type": "t", "entity_scope": "e", "version": 1, "producer": PRODUCER}
    return make_artifact(content, **{**fields, **other})


def test_equal_artifacts_have_one_id_and_others_another() -> None:
    """The id follows from every part, and a salt tells equal ones apart."""
    ids = [artifact(), artifact("other"), artifact(version=2), artifact(salt="s")]
    assert artifact() == artifact()
    assert len({one.artifact_id for one in ids}) == len(ids)


def test_an_edited_artifact_is_not_intact() -> None:
    """Its hash is that of the content it was made with."""
    one = artifact({"a": [1, 2]})
    assert one.intact
    assert not one.model_copy(update={"content": {"a": [2, 1]}}).intact


@pytest.mark.parametrize("content", [float("nan"), float("inf")])
def test_what_no_file_can_hold_is_refused(content: float) -> None:
    """Numbers that are not finite, and values without end."""
    with pytest.raises(ValueError):
        artifact(content)
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(ValueError, match="deep"):
        artifact(deep)


def test_half_characters_are_replaced() -> None:
    """A text that UTF-8 cannot hold becomes one that it can."""
    assert artifact("a\ud800b").content == "a\ufffdb"


def test_contracts_name_what_is_not_met() -> None:
    """Each term by itself; a later version satisfies."""
    around = surroundings()
    edge = next(one for one in around.family.inputs("tests") if one.source == "patch")
    right = around.gold["patch"]
    terms: dict[str, dict[str, Any]] = {
        "semantic_type": {"semantic_type": "x"},
        "entity_scope": {"entity_scope": "x"},
        "version": {"version": 1},
        "producer": {"producer": Producer(family_id="dates-fix", node_id="plan")},
    }
    assert unmet(edge, "dates-fix", right, verified=True) == ()
    newer = right.model_copy(update={"version": 3})
    assert unmet(edge, "dates-fix", newer, verified=True) == ()
    assert unmet(edge, "dates-fix", right, verified=False) == ("verification",)
    assert unmet(edge, "another", right, verified=True) == ("producer",)
    for term, change in terms.items():
        wrong = right.model_copy(update=change)
        assert unmet(edge, "dates-fix", wrong, verified=True) == (term,)
