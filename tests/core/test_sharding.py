"""Parts of a benchmark for several machines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_comem.core.sharding import Shard


@given(st.text(), st.text(), st.integers(1, 20))
def test_every_episode_is_in_exactly_one_part(domain: str, episode: str, of: int) -> None:
    """Whatever it is called, one machine plays it."""
    held = [Shard(number, of).holds(domain, episode) for number in range(1, of + 1)]
    assert held.count(True) == 1


def test_parts_are_of_similar_size() -> None:
    """Of 900 episodes in three parts none has a third more than its share."""
    sizes = [
        sum(Shard(number, 3).holds("medical", f"episode_{each}") for each in range(900))
        for number in (1, 2, 3)
    ]
    assert sum(sizes) == 900
    assert max(sizes) < 400


def test_the_part_of_an_episode_never_changes() -> None:
    """It is the same on every machine and in every version, so that old runs can be joined."""
    names = ["med_episode_001", "office_7", "ä"]
    assert [Shard(1, 2).holds("medical", name) for name in names] == [True, True, False]


@pytest.mark.parametrize("text", ["", "3", "0/3", "4/3", "a/b", "1/", "-1/3", "1/0", "1.5/2"])
def test_what_is_no_part_is_refused(text: str) -> None:
    """The message says what a part looks like."""
    with pytest.raises(ValueError, match="I"):
        Shard.parse(text)


def test_it_is_read_as_it_is_written() -> None:
    """2/5 is the second of five."""
    assert Shard.parse(" 2/5 ") == Shard(2, 5)
    assert str(Shard(2, 5)) == "2/5"
