"""Labels of steps: unique, and grouped by what shares one memory."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_comem.core.steps import Step, model_labels


def test_a_label_names_model_and_repeat_only_where_there_are_several() -> None:
    """A run of one model without repeats keeps its short ids; repeats are counted from 1."""
    plain = Step("gatemem", "bm25", "office", "ep-1", "ep-1_c 2", 0)
    assert plain.label == "bm25-office-ep-1-c_2"
    named = Step("gatemem", "bm25", "office", "ep-1", "ep-1_c 2", 0, model="openai/gpt-4o-mini")
    assert named.label == "bm25-openai_gpt-4o-mini-office-ep-1-c_2"
    first = Step("gatemem", "bm25", "office", "ep-1", "ep-1_c 2", 0, model="m", repeat=0)
    assert first.label == "bm25-m-office-ep-1.r1-c_2"
    assert first.run_label == "bm25-m-office-ep-1.r1"


def test_what_shares_one_memory_differs_by_model_and_repeat() -> None:
    """Steps of another model or repeat never meet in one memory."""
    steps = [
        Step("gatemem", "bm25", "office", episode, "s", 0, model, repeat)
        for episode, model, repeat in product(("e", "f"), ("", "m"), (0, 1))
    ]
    assert len({step.run for step in steps}) == len(steps)
    other = Step("gatemem", "bm25", "office", "e", "t", 1, "", 0)
    assert other.run == steps[0].run


def test_one_model_has_no_label() -> None:
    """A single model, however often it is named, is left out of the ids."""
    assert model_labels(["a/b"], ["bm25"]) == {"a/b": ""}
    assert model_labels(["a/b", "a/b"], ["bm25"]) == {"a/b": ""}
    assert model_labels([], []) == {}


@pytest.mark.parametrize(
    ("models", "systems", "labels"),
    [
        (["a/b", "c-d"], ["s"], ["a_b", "c-d"]),
        (["a/b", "a:b", "a_b"], ["s"], ["a_b", "a_b.2", "a_b.3"]),
        (["a/b", "a:b", "a_b.2"], ["s"], ["a_b", "a_b.2", "a_b.2.2"]),
        (["x-y", "y"], ["s", "s-x"], ["x-y", "y.2"]),
        (["x", ""], [], ["x", "model"]),
    ],
)
def test_models_that_look_alike_get_labels_of_their_own(
    models: list[str], systems: list[str], labels: list[str]
) -> None:
    """A label says the model's name, with a number where that would be said already."""
    assert model_labels(models, systems) == dict(zip(models, labels, strict=True))


NAMES = st.lists(st.text("ab-/._ é[", max_size=4), unique=True, max_size=4)
SYSTEMS = st.lists(st.text("ab-._", min_size=1, max_size=4), unique=True, min_size=1, max_size=3)


@given(NAMES, SYSTEMS)
def test_no_two_systems_with_their_models_share_a_label(
    models: list[str], systems: list[str]
) -> None:
    """Whatever dashes, slashes and brackets the names have."""
    labels = model_labels(models, systems)
    steps = {
        (system, model): Step("gatemem", system, "office", "e", "s", 0, label)
        for system in systems
        for model, label in labels.items()
    }
    assert len({step.label for step in steps.values()}) == len(steps)
    assert len({step.run for step in steps.values()}) == len(steps)
