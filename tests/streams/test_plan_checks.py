"""Plans: slots, placeholders and operations that do not fit together are found by name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_comem.streams.plan_checks import plan_problems
from pytest_comem.streams.plans import Plan

SLOTS: list[dict[str, Any]] = [
    {"name": "dates", "kind": "date_style", "default": "iso"},
    {"name": "numbers", "kind": "number_style", "default": "1234.5"},
    {"name": "signer", "kind": "line", "default": "the team", "lead": "By:"},
    {"name": "mode", "kind": "choice", "default": "b", "options": {"a": ["all"], "b": []}},
]


def problems(text: str = "", *, slots: Any = None, operations: Any = (), **step: Any) -> list[Any]:
    """Return what is wrong with a plan that saves ``total`` and then writes a text."""
    steps = [
        {"do": "query", "arguments": {"statement": "select 1"}, "save": "total"},
        {"do": "write", "arguments": {"path": "a.md", "rows": [[{"text": text}]]}, **step},
    ]
    plan = {"slots": SLOTS if slots is None else slots, "steps": steps}
    return list(plan_problems(Plan.model_validate_json(json.dumps(plan)), operations))


@pytest.mark.parametrize(
    "text",
    [
        "nothing to fill",
        "{slot:signer}",
        "{date:2025-03-31} and {date:2024-02-29|dates}",
        "{number:total}, {number:1234.5}, {number:-3|numbers}, {number:total|numbers}",
        "{value:total}",
        '{{"a": {{}}}} {{slot:absent}} {{{slot:mode}}}',
    ],
)
def test_what_fits_is_let_be(text: str) -> None:
    """Every form of placeholder, and doubled braces."""
    assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{slot:signr}", "placeholder {slot:signr}: no slot is called so; did you mean signer?"),
        ("{slot:signer|dates}", "none of {slot:..}, {date:..}, {number:..}, {value:..}"),
        ("{value:totl}", "placeholder {value:totl}: no earlier step saves totl"),
        ("{number:later}", "no earlier step saves later"),
        ("{number:1_000}", "no earlier step saves 1_000"),
        ("{number:1e5}", "no earlier step saves 1e5"),
        ("{date:31.03.2025}", "no day such as 2025-03-31"),
        ("{date:2025-02-30}", "no day such as 2025-03-31"),
        ("{date:20250331}", "no day such as 2025-03-31"),
        ("{date:2025-03-31|numbers}", "no slot of kind date_style is called numbers; choose from"),
        ("{number:total|dates}", "no slot of kind number_style is called dates"),
        ("{total}", "none of {slot:..}"),
        ("{}", "none of {slot:..}"),
        ("{slot:}", "no slot is called so"),
        ("{shell:rm}", "none of {slot:..}"),
        ("{__class__}", "none of {slot:..}"),
        ("if (a) { b", "a single { in 'if (a) { b'; write it twice where a brace is meant"),
        ("a }", "a single } in 'a }'"),
        ("{\x1b[2J}", "placeholder {\\x1b[2J}: it is none of"),
    ],
)
def test_placeholders_that_cannot_be_filled(text: str, message: str) -> None:
    """Each is named in words that print, with the step's field."""
    found = problems(text)
    assert found[0][0] == "steps.1.arguments"
    assert message in found[0][1]
    assert found[0][1].isprintable()


def test_names_of_members_are_texts_too() -> None:
    """A cell, say, can be named by a slot."""
    arguments = {"cells": {"{slot:absent}": "1"}}
    ((field, said),) = problems(arguments=arguments)
    assert field == "steps.1.arguments"
    assert "placeholder {slot:absent}" in said


def test_a_saved_value_is_there_only_afterwards() -> None:
    """A step cannot use what it saves itself."""
    said = problems("{value:mine}", save="mine")
    assert said == [("steps.1.arguments", "placeholder {value:mine}: no earlier step saves mine")]


def test_a_style_needs_a_slot_of_its_kind() -> None:
    """Where the plan has none, dates and numbers cannot be written in a style."""
    said = problems("{date:2025-03-31}{number:1.5}", slots=SLOTS[2:])
    assert [one for _, one in said] == [
        "placeholder {date:2025-03-31}: the plan has no slot of kind date_style",
        "placeholder {number:1.5}: the plan has no slot of kind number_style",
    ]


def test_of_two_styles_one_is_named() -> None:
    """Which of two slots of a kind is meant is not guessed."""
    two = [*SLOTS, {"name": "more", "kind": "date_style", "default": "us"}]
    ((_, said),) = problems("{date:2025-03-31}", slots=two)
    assert "the plan has 2 slots of kind date_style; name one behind a |" in said
    assert problems("{date:2025-03-31|more}{number:1.5}", slots=two) == []


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"when": [{"slot": "moed", "any_of": ["a"]}]}, "steps.1.when", "did you mean mode?"),
        ({"unless_known": "nobody"}, "steps.1.unless_known", "no slot is called nobody"),
    ],
)
def test_conditions_name_slots(change: dict[str, Any], field: str, message: str) -> None:
    """Of when a step is done, and of when it is left out."""
    ((where, said),) = problems(**change)
    assert where == field
    assert message in said


@pytest.mark.parametrize(
    ("slot", "field", "message"),
    [
        ({**SLOTS[0]}, "slots.4.name", "there are two slots called dates"),
        (
            {**SLOTS[3], "name": "x", "default": "c"},
            "slots.4.default",
            "the default 'c' of slot x is none of its options; choose from a, b.",
        ),
        ({**SLOTS[3], "name": "x", "options": {}}, "slots.4.default", "there is none at all."),
        ({**SLOTS[2], "name": "x", "lead": " "}, "slots.4.lead", "has no lead to find it by"),
    ],
)
def test_slots_by_themselves(slot: dict[str, Any], field: str, message: str) -> None:
    """Names are unique, a choice's default is an option, and a line has a lead."""
    ((where, said),) = problems(slots=[*SLOTS, slot])
    assert where == field
    assert message in said


def test_operations_are_checked_where_they_are_known() -> None:
    """And any is taken where they are not."""
    assert problems() == []
    ((field, said),) = problems(operations=("query", "append"))
    assert (field, said) == (
        "steps.1.do",
        "no operation is called write; choose from append, query.",
    )


def test_a_long_text_is_cut_in_the_message() -> None:
    """A brace at the end of a whole file does not show the file."""
    ((_, said),) = problems("x" * 50_000 + "{")
    assert len(said) < 300
