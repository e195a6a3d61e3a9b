"""Whether a provider is there."""

from __future__ import annotations

from pytest_comem.llm.breaker import PATIENCE, Breaker


class Clock:
    """Time that stands still until it is told."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.time


def test_a_provider_that_never_answers_is_not_there() -> None:
    """Failing connections count as absence only after a while."""
    clock = Clock()
    breaker = Breaker(clock)
    assert not any(breaker.unreachable() for _ in range(20))
    clock.time += PATIENCE
    assert breaker.unreachable()


def test_one_answer_of_any_kind_shows_that_it_is_there() -> None:
    """After an answer, broken connections are only broken connections."""
    clock = Clock()
    breaker = Breaker(clock)
    breaker.answered()
    for _ in range(20):
        clock.time += PATIENCE
        assert not breaker.unreachable()


def test_five_calls_in_a_row_that_fail_for_good_are_too_many() -> None:
    """A success in between begins the count anew."""
    breaker = Breaker()
    assert [breaker.exhausted() for _ in range(4)] == [False] * 4
    breaker.succeeded()
    assert [breaker.exhausted() for _ in range(5)] == [False] * 4 + [True]
