"""Whole runs that never were: twenty episodes of eight steps, of which some fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from made_outcomes import made

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import RecordedRun

EPISODES: Final = 20
#: Category of each step of an episode.
CATEGORIES: Final = (*["utility"] * 4, *["privacy"] * 2, *["safety"] * 2)

#: Whether a step passes, of its episode, its place in it and its repeat; ``None``: unscored.
Result = Callable[[int, int, int], bool | None]


def always(episode: int, place: int, repeat: int) -> bool | None:
    """Pass every step."""
    return True


def all_but(*steps: tuple[int, int]) -> Result:
    """Pass every step but these, each an episode and a place."""
    return lambda episode, place, repeat: (episode, place) not in steps


def made_run(
    result: Result = always,
    *,
    system: str = "bm25",
    model: str = "offline",
    label: str = "",
    repeats: int = 1,
    episodes: int = EPISODES,
) -> list[Outcome]:
    """Return the outcomes of a run, of one model; even episodes are medical, odd ones office."""
    found = []
    for repeat in range(repeats):
        for episode in range(episodes):
            domain = ("medical", "office")[episode % 2]
            for place, category in enumerate(CATEGORIES):
                one = made(
                    place,
                    result(episode, place, repeat),
                    category=category,
                    system=system,
                    model=model,
                    label=label,
                    repeat=repeat if repeats > 1 else None,
                    domain=domain,
                )
                step = replace(one.step, episode=f"e{episode}", id=f"e{episode}_ckpt_{place}")
                found.append(replace(one, step=step))
    return found


def recorded_run(outcomes: list[Outcome], path: str = "made") -> RecordedRun:
    """Return the run that *outcomes* are of."""
    return RecordedRun(Path(path), {}, tuple(outcomes))
