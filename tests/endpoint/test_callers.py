"""Who calls at the endpoint: tokens of memory instances."""

from __future__ import annotations

from pytest_comem.endpoint.callers import PREFIX, Callers, split
from pytest_comem.llm.meter import Meter


def test_nobody_can_guess_a_token() -> None:
    """Loopback is open to all users and web pages of a machine, and calls cost money."""
    callers = Callers()
    tokens = {callers.admit(Meter("part")) for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 40


def test_a_token_stands_in_a_path_as_it_is_until_it_is_dismissed() -> None:
    """No character of it has to be quoted."""
    callers, meter = Callers(), Meter("part")
    token = callers.admit(meter)
    assert split(f"{PREFIX}{token}/v1/models") == (token, "/v1/models")
    found = callers.find(token)
    assert found is not None
    assert found.meter is meter
    callers.dismiss(token)
    assert callers.find(token) is None
