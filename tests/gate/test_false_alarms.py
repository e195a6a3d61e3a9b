"""How often a gate fails a memory that is exactly as good as its bounds.

Some minutes of simulation: only with ``COMEM_SLOW=1``. ``-rP`` shows the figures.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
import pytest
from made_outcomes import made
from made_runs import recorded_run

from pytest_comem.baseline.standing import Baseline
from pytest_comem.core.outcomes import Outcome, Verdict
from pytest_comem.gate import measuring
from pytest_comem.gate.checking import Known
from pytest_comem.gate.judging import judge
from pytest_comem.gate.parsing import parse_rule
from pytest_comem.gate.played import played
from pytest_comem.gate.results import GateResult, Result

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("COMEM_SLOW") != "1", reason="simulates for minutes; set COMEM_SLOW=1"
    ),
]
RUNS: Final = 200
#: Fewer than in use: more make an interval steadier, not wider.
RESAMPLES: Final = 2000
#: Episodes by domain, as many as GateMem has.
EPISODES: Final = {"medical": 21, "office": 17, "education": 30, "household": 23}
#: Of each category: steps of an episode, and the share that passes.
SHARES: Final = {"utility": (8, 0.6), "privacy": (8, 0.8), "safety": (8, 0.85)}
#: Parameters of the beta distribution are rate and 1 - rate times this, by episode.
SPREAD: Final = 9.0
RELATIVE: Final = ("U >= baseline", "A <= baseline", "F <= baseline", "MGS >= baseline")
ABSOLUTE: Final = ("U >= 60%", "A <= 20%", "F <= 15%", "MGS >= 40.8%")

_MADE: Final = {
    (category, passed): made(0, passed, category=category)
    for category in SHARES
    for passed in (True, False)
}


def rates(random: Any) -> list[tuple[str, str, str, float]]:
    """Return domain, episode, category and rate of the episodes that happen to be asked."""
    return [
        (domain, f"{domain}{number}", category, random.beta(rate * SPREAD, (1 - rate) * SPREAD))
        for domain, count in EPISODES.items()
        for number in range(count)
        for category, (_, rate) in SHARES.items()
    ]


def drawn(random: Any, episodes: Sequence[tuple[str, str, str, float]]) -> list[Outcome]:
    """Return the outcomes of a run."""
    found = []
    for domain, episode, category, rate in episodes:
        for number, hit in enumerate(random.random(SHARES[category][0]) < rate):
            one = _MADE[category, bool(hit)]
            assert isinstance(one.verdict, Verdict)
            step = replace(one.step, domain=domain, episode=episode, id=f"{category}{number}")
            found.append(replace(one, step=step))
    return found


def judged(rules: Sequence[str], now: list[Outcome], before: list[Outcome]) -> GateResult:
    """Return what comes of a gate."""
    run = played(now, [one.step for one in now], {"": "offline"}, ())
    read = [parse_rule(f"gatemem.{rule}", "here") for rule in rules]
    return judge(read, run, Known({}, [], {}), Baseline(recorded_run(before)))


@pytest.mark.parametrize("rules", [("MGS >= baseline",), (*RELATIVE, *ABSOLUTE)])
def test_false_alarms(monkeypatch: pytest.MonkeyPatch, rules: Sequence[str]) -> None:
    """At most 5 % of runs fail of a memory that has not changed, and is as good as its bounds."""
    for name in ("measure", "compare"):
        usual = getattr(measuring, name)
        monkeypatch.setattr(measuring, name, partial(usual, resamples=RESAMPLES))
    results = []
    for seed in range(RUNS):
        random = np.random.default_rng(seed)
        asked = rates(random)
        results.append(judged(rules, drawn(random, asked), drawn(random, asked)).result)
    shares = {str(one): results.count(one) / RUNS for one in Result}
    print(len(rules), "rules:", shares)
    assert shares[Result.FAIL] <= 0.05
