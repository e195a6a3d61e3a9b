"""What a method under test may see."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import Any, get_type_hints

import pytest

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.steps import Step
from pytest_comem.datasets.governance import Annotation, Checkpoint

HIDDEN = {
    "query_type", "category", "attack_type", "expected_action", "judge_spec", "include",
    "not_include", "leak_targets", "annotation", "origin", "as_of", "checkpoints",
}  # fmt: skip


def names_within(kind: Any) -> set[str]:
    """Return the field names of a dataclass and of every dataclass its fields mention."""
    found: set[str] = set()
    for field in fields(kind):
        found.add(field.name)
        hint = get_type_hints(kind)[field.name]
        for part in (hint, *getattr(hint, "__args__", ())):
            if isinstance(part, type) and is_dataclass(part):
                found |= names_within(part)
    return found


def test_nothing_hidden_can_reach_a_memory_or_an_agent() -> None:
    """Entry and Query, with all they hold, have no field for an annotation."""
    assert not (names_within(Entry) | names_within(Query)) & HIDDEN
    assert {field.name for field in fields(Annotation)} & HIDDEN
    assert {field.name for field in fields(Checkpoint)} & HIDDEN


def test_they_are_frozen_and_hold_no_other_attributes() -> None:
    """Slots and frozen: nothing can be smuggled onto them either."""
    for kind in (Entry, Query, Step):
        assert "__slots__" in vars(kind)
        instance = kind.__new__(kind)
        with pytest.raises(FrozenInstanceError):
            setattr(instance, fields(kind)[0].name, "changed")


def test_a_label_keeps_the_step_behind_its_last_dash() -> None:
    """A label's part before its last dash names the episode's run, whatever the ids hold."""
    step = Step("gatemem", "pkg.mod:Class", "office", "ep-1", "ep-1_ckpt-0 3", 0)
    assert step.label == "pkg.mod_Class-office-ep-1-ckpt_0_3"
