"""Steps read off node ids, as a parallel run's controller and scheduler do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_comem.core.steps import Step, model_labels
from pytest_comem.engine.nodeids import label_in, run_in

ODD = st.text("ab1-/._: é[]\\", min_size=1, max_size=8)
STEPS = st.builds(
    Step,
    suite=st.just("gatemem"),
    system=ODD,
    domain=st.sampled_from(["office", "medical"]),
    episode=ODD,
    id=ODD,
    position=st.just(0),
    model=st.just("") | ODD,
    repeat=st.none() | st.integers(0, 20),
)


@given(STEPS)
def test_the_run_in_an_id_is_the_steps_own(step: Step) -> None:
    """Whatever system, model, episode and step are called, id and step agree."""
    node_id = f"gatemem/test_governance.py::test_checkpoint[{step.label}]"
    assert label_in(node_id, [step.system]) == step.label
    assert run_in(node_id, [step.system]) == step.run_label


@given(
    st.lists(ODD, unique=True, min_size=1, max_size=3),
    st.lists(ODD, unique=True, min_size=1, max_size=2),
    st.sampled_from([(None,), (0, 1, 2)]),
)
def test_ids_group_as_memories_do(
    models: list[str], episodes: list[str], repeats: tuple[int | None, ...]
) -> None:
    """Two ids name the same run exactly where their steps share one memory."""
    labels = model_labels(models, ["bm25"])
    steps = [
        Step("gatemem", "bm25", "office", f"e{number}-{episode}", step, 0, label, repeat)
        for label in labels.values()
        for number, episode in enumerate(episodes)
        for repeat in repeats
        for step in ("one-a", "two")
    ]
    found = [run_in(f"f.py::test[{step.label}]", ["bm25"]) for step in steps]
    groups = dict(zip((step.run for step in steps), found, strict=True))
    assert [groups[step.run] for step in steps] == found
    assert len(set(found)) == len(groups)


@pytest.mark.parametrize(
    "node_id", ["f.py::test", "f.py::test[bm25]", "f.py::test[other-e-1]", "f.py::test[bm25-x]"]
)
def test_a_test_without_a_step_has_no_run(node_id: str) -> None:
    """Tests of a whole system, and tests of the project's own, are not grouped."""
    assert run_in(node_id, ["bm25", "bm25-x"]) is None
