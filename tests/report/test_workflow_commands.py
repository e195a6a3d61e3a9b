"""Text on a terminal that GitHub's runner reads: no line of it is a command."""

from __future__ import annotations

import pytest

from pytest_comem.report.workflow_commands import on_github, without_commands

ON = {"GITHUB_ACTIONS": "true"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", "| ::error::x"),
        ("a\n \t::stop-commands::t\nb", "a\n|  \t::stop-commands::t\nb"),
        ("a\r::error::x", "a\n| ::error::x"),
        ("\n\n::x", "\n\n| ::x"),
        ("said ##[error]x", "said ## [error]x"),
        ("a::b", "a::b"),
        ("tests/x.py::test_y", "tests/x.py::test_y"),
    ],
)
def test_commands_become_text(text: str, shown: str) -> None:
    """At the start of a line, behind white space, and in the old form anywhere."""
    assert without_commands(text, ON) == shown


def test_elsewhere_text_stays_as_it_is() -> None:
    """Only GitHub's runner reads it so."""
    assert without_commands("::error::x ##[error]", {}) == "::error::x ##[error]"


@pytest.mark.parametrize(
    ("variables", "on"),
    [({}, False), (ON, True), ({"GITHUB_ACTIONS": "false"}, False)],
)
def test_where_this_is_github(variables: dict[str, str], on: bool) -> None:
    """GitHub says so itself."""
    assert on_github(variables) is on
