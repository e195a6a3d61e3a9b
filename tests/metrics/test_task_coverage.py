"""How often the intervals of office tasks' scores and gains hold the truth.

A minute of simulation: only with ``COMEM_SLOW=1``. ``-rP`` shows the figures.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from made_tasks import task

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.contextweave_counts import CONTEXTWEAVE
from pytest_comem.metrics.intervals import measure
from pytest_comem.metrics.sample import Sample

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("COMEM_SLOW") != "1", reason="simulates for minutes; set COMEM_SLOW=1"
    ),
]

RUNS = 400
METRICS = ("Workspace", "Preference", "dWorkspace", "dPreference", "Similarity", "PSR", "MITR")


def played(count: int, participants: int, helped: float, random: Any) -> Iterator[Outcome]:
    """Yield tasks of participants, each of whom has a level of their own.

    Scores go in steps and stop at 100, as checks make them; most recall changes nothing, some of
    it much, and a little of it harms.

    :param helped: rate of tasks that recall helps.
    """
    for number in range(participants):
        level = 45 + 10 * number / participants
        for place in range(count):
            alone = float(np.clip(5 * np.round(random.normal(level, 20) / 5), 0, 100))
            fate = random.random()
            gain = 40 * random.random() if fate < helped else -30.0 if fate > 0.95 else 0.0
            problems = int(random.integers(0, 5))
            yield task(
                f"t{place}",
                participant=f"p{number}",
                workspace_alone=alone,
                workspace=float(np.clip(alone + gain, 0, 100)),
                preference_alone=alone if place % 4 else None,
                preference=float(np.clip(alone + 2 * gain, 0, 100)) if place % 4 else None,
                relevance_similarity=float(random.beta(14, 6)),
                problems_alone=float(problems),
                problems_solvable=float(random.binomial(problems, 0.3 if fate < helped else 0.02)),
                memory_induced=bool(fate > 0.95),
            )


def sample(*size: Any) -> Sample:
    """Return the sample of made tasks."""
    return Sample.of(played(*size), CONTEXTWEAVE)


@pytest.mark.parametrize(
    ("count", "participants", "helped"), [(10, 3, 0.5), (14, 3, 0.1), (40, 14, 0.3), (5, 2, 0.5)]
)
def test_intervals_hold_the_truth(count: int, participants: int, helped: float) -> None:
    """At least nine times of ten, and those of gains are narrower than those of scores.

    Where recall changes one task in ten and there are some forty, gains rest on four of them, and
    their intervals hold the truth only seven times of eight.
    """
    truth = sample(4000, participants, helped, np.random.default_rng(1)).values()
    held: Counter[str] = Counter()
    widths: Counter[str] = Counter()
    for seed in range(RUNS):
        found = measure(sample(count, participants, helped, np.random.default_rng([2, seed])),
                        resamples=1000)  # fmt: skip
        for name in METRICS:
            held[name] += found[name].low <= truth[name] <= found[name].high
            widths[name] += found[name].high - found[name].low  # type: ignore[assignment]
    for name in METRICS:
        print(f"{name} {truth[name]:.1f}: {held[name] / RUNS:.3f}, {widths[name] / RUNS:.1f} wide")
    for name in METRICS:
        rare = helped < 0.2 and name in ("dWorkspace", "dPreference")
        assert held[name] / RUNS > (0.85 if rare else 0.9), name
    assert widths["dWorkspace"] < widths["Workspace"]
