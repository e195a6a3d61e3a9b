"""A wrong name is answered with the nearest right ones."""

from __future__ import annotations

import pytest

from pytest_comem.suggest import did_you_mean


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MSG", "did you mean MGS?"),
        ("mgs", "did you mean MGS?"),
        ("u", "did you mean U?"),
        ("zzz", "choose from MGS, MGS_exposed, U."),
    ],
)
def test_the_nearest_are_named(name: str, said: str) -> None:
    """A name that differs in capitals alone is the nearest; where none is near, all are named."""
    assert did_you_mean(name, ["U", "MGS_exposed", "MGS"]) == said
