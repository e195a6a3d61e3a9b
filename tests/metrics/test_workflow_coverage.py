"""How often the intervals of workflows' metrics hold the truth: made families that cling together.

A minute of simulation: only with ``COMEM_SLOW=1``. ``-rP`` shows the figures.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pytest_comem.metrics.comembench_counts import COMEMBENCH, LEAST_PAIRS, units_of
from pytest_comem.metrics.intervals import measure
from pytest_comem.metrics.sample import EpisodeCounts, Sample
from pytest_comem.metrics.workflow_plays import Play, controls_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("COMEM_SLOW") != "1", reason="simulates for minutes; set COMEM_SLOW=1"
    ),
]

RUNS = 400
#: Nodes of an instance, and twins of a family.
NODES, TWINS = 10, 5


def plays(families: int, domains: int, kept: float, clean: float, random: Any) -> Iterator[Play]:
    """Yield plays of families, of which each keeps its targets at a rate of its own.

    :param kept: mean of the rates at which a target still succeeds.
    :param clean: rate at which a control comes to its end.
    """
    for domain in range(domains):
        for family in range(families):
            rate = random.beta(3 * kept, 3 * (1 - kept))
            ends = bool(random.random() < clean)
            yield play(domain, family, "", ends, NODES if ends else 6)
            for twin in range(TWINS):
                keeps = bool(random.random() < rate)
                left = int(random.integers(2, NODES))
                yield play(domain, family, f"o{twin}", keeps, NODES if keeps else left)


def play(domain: int, family: int, operator: str, succeeds: bool, verified: int) -> Play:
    """Return a whole play whose target is its last node."""
    return Play(
        domain=f"d{domain}",
        instance=f"w-{domain}-{family}-{operator}",
        name=f"f{family}.{operator}",
        topology=(),
        family=f"f{domain}-{family}",
        repeat=0,
        operator=operator,
        required=NODES,
        scored=NODES,
        verified=verified,
        terminal=succeeds,
        successes={"end": succeeds},
        target="end" if operator else "",
    )


def sample(*size: Any) -> Sample:
    """Return the sample of made plays."""
    made = list(plays(*size))
    counted = EpisodeCounts(COMEMBENCH)
    for unit in units_of(made, controls_of(made)):
        counted.count(unit)
    return counted.sample()


@pytest.mark.parametrize(
    ("families", "domains", "kept", "clean"),
    [(12, 1, 0.4, 0.95), (12, 1, 0.9, 0.95), (12, 4, 0.5, 0.8), (4, 1, 0.5, 0.9)],
)
def test_intervals_hold_the_truth(families: int, domains: int, kept: float, clean: float) -> None:
    """At least nine times of ten, and VNCR's are not so wide that they say nothing."""
    truth = sample(5000, domains, kept, clean, np.random.default_rng(1)).values()
    held: Counter[str] = Counter()
    known: Counter[str] = Counter()
    widths: Counter[str] = Counter()
    for seed in range(RUNS):
        found = measure(sample(families, domains, kept, clean, np.random.default_rng([2, seed])),
                        resamples=100)  # fmt: skip
        for name in ("SR", "VNCR", "ICS"):
            if (one := found.get(name)) is not None:
                known[name] += 1
                held[name] += one.low <= truth[name] <= one.high
                widths[name] += one.high - one.low  # type: ignore[assignment]
    for name, count in known.items():
        print(
            f"{name} {truth[name]:.1f}: {held[name] / count:.3f}, {widths[name] / count:.1f} wide"
        )
        assert held[name] / count > 0.9, name
    if families * domains * TWINS >= 4 * LEAST_PAIRS:
        assert widths["VNCR"] / known["VNCR"] < 30
