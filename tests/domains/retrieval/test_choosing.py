"""The naive choice among what is shown."""

from __future__ import annotations

from typing import Any

from retrieval_play import shipped, view_of

from pytest_comem.domains.retrieval.choosing import chosen
from pytest_comem.executors.domain import Shown
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.views import NodeView, node_view

ONE = shipped("retrieval-instrument-cradle")
RIGHT = ONE.gold["plate"]


def other(content: Any = None, **fields: Any) -> Artifact:
    """Return an artifact like the right one but for some fields."""
    like = {
        "semantic_type": RIGHT.semantic_type,
        "entity_scope": RIGHT.entity_scope,
        "version": RIGHT.version,
        "producer": Producer(family_id="elsewhere", node_id="x"),
    }
    return make_artifact(RIGHT.content if content is None else content, **{**like, **fields})


def view() -> NodeView:
    """Return the view of a node with one input."""
    return view_of(ONE.family, "maker", ONE.gold)


def test_declared_inputs_alone_are_taken() -> None:
    """Where nothing else is shown."""
    assert chosen(Shown(view())) == (RIGHT,)


def test_of_equals_the_last_is_taken() -> None:
    """Whoever made it, verified or not: the worker does not ask."""
    later = other()
    assert chosen(Shown(view(), (RIGHT, later))) == (later,)


def test_words_come_before_versions() -> None:
    """A newer version wins, unless an older one has more words of the task."""
    newer, wordy = other(version=2), other({"t": "maker of the instrument born " * 9}, version=0)
    assert chosen(Shown(view(), (newer, other()))) == (newer,)
    assert chosen(Shown(view(), (newer, wordy))) == (wordy,)


def test_other_types_and_entities_are_passed_over() -> None:
    """Another type never fits; another entity fits where its name holds all of the right one's."""
    strange = other(semantic_type="patch_plan")
    about = other(entity_scope="the moon")
    namesake = other(entity_scope=f"Great {RIGHT.entity_scope}")
    assert chosen(Shown(view(), (strange, about))) == (RIGHT,)
    assert chosen(Shown(view(), (strange, about, namesake))) == (namesake,)
    nothing = node_view(ONE.family, "maker")
    assert chosen(Shown(nothing, (strange, about))) == ()


def test_hostile_artifacts_are_looked_at_within_bounds() -> None:
    """Megabytes of words are read as far as others are."""
    huge = other({"t": ["maker " * 200_000, {"deep": "maker " * 200_000}]})
    assert chosen(Shown(view(), (huge, *(other({"n": n}) for n in range(600))))) == (huge,)
