"""What Quillspan's deprecations share: how they are noted, tested and held against rules."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.specs import broken, decided, item, slot, step
from pytest_comem.streams.hidden import PreferenceItem
from pytest_comem.streams.plans import PlanStep, Slot

CHANGELOG: Final = "quillspan/CHANGELOG.md"
TABLE: Final = "quillspan/docs/deprecations.md"
SPELLING: Final = "quillspan/quillspan/spelling.py"
PARSING: Final = "quillspan/quillspan/parsing.py"


def path_of_test(number: int) -> str:
    """Return where the regression test of an issue lies."""
    return f"quillspan/tests/regressions/test_issue_{number}.py"


def open_slots(next_one: str, two: str, three: str) -> list[Slot]:
    """Return the slots of a deprecation; the names are releases in which something may go."""
    return [
        slot(
            "removal",
            "choice",
            next_one,
            options={
                next_one: [],
                two: ["two minor releases"],
                three: ["three minor releases"],
            },
        ),
        slot("issue", "choice", "none", options={"none": ["no number in it"], "brackets": ["(#"]}),
        slot(
            "wording",
            "choice",
            "code",
            options={"code": [], "caller": ["what a caller sees"]},
        ),
    ]


def noting_steps(old: str, code: str, caller: str, number: int) -> list[PlanStep]:
    """Return the steps that note a deprecation in the changelog, in four wordings."""
    steps = []
    for wording, text in (("code", code), ("caller", caller)):
        for issue, mark in (("none", ""), ("brackets", f" (#{number})")):
            steps.append(
                step(
                    "edit",
                    path=CHANGELOG,
                    old=old,
                    new=f"## Unreleased\n\n### Deprecated\n\n- {text}{mark}\n",
                    when={"wording": [wording], "issue": [issue]},
                )
            )
    return steps


def noting_items(line: str, number: int, successor: str) -> list[PreferenceItem]:
    """Return the items on a line of the changelog: *line* is the reference's."""
    return [
        item(
            "issue-in-brackets",
            "quillspan-issue",
            "A line of Quillspan's changelog ends with its issue in brackets.",
            decided(
                "contains",
                broken("edit", path=CHANGELOG, old=f" (#{number})", new=""),
                ["issue"],
                file=CHANGELOG,
                all=[f"(#{number})"],
            ),
            weight=2,
        ),
        item(
            "callers-view",
            "callers-view",
            "A line of a changelog tells what a caller sees: what to call now.",
            decided(
                "contains",
                broken("edit", path=CHANGELOG, old=line, new=line.replace(successor, "it")),
                ["wording"],
                file=CHANGELOG,
                all=[successor],
            ),
        ),
    ]


def tells(name: str, call: str, version: str) -> str:
    """Return a test that a call warns of its removal in a version."""
    return (
        "import warnings\n\n"
        f"from quillspan import {name}\n\n\n"
        "def test_says_when_it_goes():\n"
        "    with warnings.catch_warnings(record=True) as caught:\n"
        '        warnings.simplefilter("always")\n'
        f"        {call}\n"
        f'    assert any("{version}" in str(each.message) for each in caught)\n'
    )


def still_works(name: str, expression: str) -> str:
    """Return a test that an expression holds, warnings aside."""
    return (
        "import warnings\n\n"
        f"from quillspan import {name}\n\n\n"
        "def test_still_works():\n"
        "    with warnings.catch_warnings():\n"
        '        warnings.simplefilter("ignore")\n'
        f"        assert {expression}\n"
    )


def warns(name: str, call: str) -> str:
    """Return a test that a call raises a DeprecationWarning."""
    return (
        "import pytest\n\n"
        f"from quillspan import {name}\n\n\n"
        "def test_warns():\n"
        "    with pytest.warns(DeprecationWarning):\n"
        f"        {call}\n"
    )


TEST_HEAD: Final = "import warnings\n\nfrom quillspan import {}"


def warning_test(name: str, told: str, call: str) -> tuple[str, str, str]:
    """Return the parts of a plan's test that a call warns (``test_steps``)."""
    body = (
        "    with warnings.catch_warnings(record=True) as caught:\n"
        '        warnings.simplefilter("always")\n'
        f"        {call}\n"
        "    assert caught[0].category is DeprecationWarning\n"
    )
    return f"def test_{name}_warns():", told, body
