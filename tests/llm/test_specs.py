"""Options of model calls, read from the command line."""

from __future__ import annotations

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.llm.specs import read_options

KEY = "marked-key-of-this-test"


@pytest.mark.parametrize(
    "assignment",
    [
        *(f"api_key={KEY}", f"api-key={KEY}", f"x-auth-token={KEY}"),
        f'extra_body={{"api_key": "{KEY}"}}',
        f'extra_body={{"a": [{{"Authorization": "{KEY}"}}]}}',
        f"sk-{KEY}",
    ],
)
def test_a_secret_is_refused_and_not_repeated(assignment: str) -> None:
    """Also within a JSON value, and where the name is none."""
    with pytest.raises(SettingsError) as caught:
        read_options([assignment])
    assert KEY not in str(caught.value)


def test_innocent_options_are_read() -> None:
    """Prices and bounds of tokens are no secrets, at any depth."""
    given = [
        "input_cost_per_token=0.5",
        'thinking={"type": "enabled", "budget_tokens": 9}',
        "a=b=c",
    ]
    assert read_options(given) == {
        "input_cost_per_token": 0.5,
        "thinking": {"type": "enabled", "budget_tokens": 9},
        "a": "b=c",
    }


@pytest.mark.parametrize("assignment", ["top_p 0.9", "=1", "top p=1"])
def test_what_is_no_assignment_is_named(assignment: str) -> None:
    """With an example of one that is."""
    with pytest.raises(SettingsError, match="is not KEY=VALUE, such as"):
        read_options([assignment])


def test_a_deep_value_is_taken_as_text() -> None:
    """A value that JSON cannot read is what the user gave."""
    assert read_options(["stop=" + "[" * 100_000]) == {"stop": "[" * 100_000}
