"""The simulated resource service."""

from __future__ import annotations

import pytest

from pytest_comem.office.resources import ResourceService
from pytest_comem.streams.schema import Resource

SERVICE = ResourceService(
    (
        Resource(name="Site North", attributes={"Headcount": "12", "lead": "R. Osei"}),
        Resource(name="ratio 3:1", attributes={"meaning": "three to one"}),
    )
)


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("Site North: Headcount", "12"),
        ("  site   NORTH:headcount ", "12"),
        ("site north: lead", "R. Osei"),
        ("ratio 3:1: meaning", "three to one"),
    ],
)
def test_a_recorded_attribute_is_answered(request_: str, answer: str) -> None:
    """Case and blanks do not matter; a name may hold a colon."""
    found = SERVICE.ask(request_)
    assert (found.ok, found.text, found.value) == (True, answer, answer)


def test_list_names_what_is_known() -> None:
    """With the attributes; nothing is an answer too."""
    found = SERVICE.ask(" List ")
    assert found.ok
    assert found.text == "Site North: Headcount, lead\nratio 3:1: meaning"
    assert found.value == ["Site North", "ratio 3:1"]
    assert ResourceService(()).ask("list").ok


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("site noth: headcount", "did you mean Site North?"),
        ("site north: head count", "did you mean Headcount?"),
        ("site north: address", "choose from Headcount, lead."),
        ("site north", "It has: Headcount, lead"),
        ("", "'NAME: ATTRIBUTE'"),
        (":", "'NAME: ATTRIBUTE'"),
        ("how many people work there?", "'list'"),
        ("x" * 100_000, "'list'"),
    ],
)
def test_what_is_not_known_is_no_answer(request_: str, said: str) -> None:
    """It says what could be asked, in a bounded text, and gives no attribute away."""
    found = SERVICE.ask(request_)
    assert not found.ok
    assert said in found.text
    assert "12" not in found.text
    assert found.value is None
    assert len(found.text) < 500


def test_nothing_is_known_without_resources() -> None:
    """And that is said."""
    assert "nothing is recorded" in ResourceService(()).ask("a: b").text
