"""Looks for a counter-example to a promise with Hypothesis, and makes it as short as it can.

Examples follow from the seed alone: no database, nothing random, no constants of loaded modules.
Hypothesis shrinks what it finds. As every example opens a memory of a real library, shrinking gets
a budget of runs and seconds; when that is spent, the shortest counter-example so far is taken.
Last, readings that nothing depends on are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, final

from pytest_comem.contract.faults import Faults
from pytest_comem.contract.journal import Broken, Call, NotApplicable, Step
from pytest_comem.contract.performer import reproduces
from pytest_comem.contract.promise import Promise
from pytest_comem.contract.trial import Trial
from pytest_comem.core.hashing import stable_hash
from pytest_comem.endpoint.registry import SCRIPTED
from pytest_comem.memory.registry import SystemUnderTest

#: What shrinking may cost.
SHRINK_RUNS: Final = 400
SHRINK_SECONDS: Final = 30.0


@final
@dataclass(frozen=True, slots=True)
class Counterexample:
    """A broken promise, shrunk.

    :param broken: what was done and what does not hold.
    :param steady: it broke again when it was repeated.
    """

    broken: Broken
    steady: bool


class _Enough(BaseException):
    """Ends a search whose budget is spent."""


def find_counterexample(
    promise: Promise, system: SystemUnderTest, *, seed: int, examples: int
) -> Counterexample | None:
    """Return the shortest counter-example found, or ``None`` where the promise is kept.

    :param examples: to try at most; a promise may ask for fewer.
    :raises NotApplicable: where the promise says nothing about the system.
    :raises OutOfOrder: where something around the library broke.
    """
    faults = None
    if promise.breaks == "model" and system.workshop.endpoint.chat_model != SCRIPTED:
        raise NotApplicable("the run's model is elsewhere and cannot be made to fail")
    if promise.breaks:
        faults = Faults(system.workshop.embedder, system.workshop.endpoint)
    try:
        broken = _search(promise, system, faults, seed=seed, examples=examples)
        if broken is None:
            return None
        shorter = _without_idle_readings(broken, system, faults)
        steady = shorter is not broken or reproduces(system, faults, broken.steps, broken)
        return Counterexample(shorter, steady)
    finally:
        if faults is not None:
            faults.close()


def _search(
    promise: Promise, system: SystemUnderTest, faults: Faults | None, *, seed: int, examples: int
) -> Broken | None:
    """Look at the promise's cases one by one, until one breaks it."""
    for place, number in _shares(len(promise.cases), seed, examples):

        def attempt(draw: Callable[[Any], Any], case: Any = promise.cases[place]) -> None:
            trial = Trial(system, faults, draw, case)
            try:
                promise.attempt(trial)
            finally:
                trial.close()

        parts = {"seed": seed, "promise": promise.name} | ({"case": place} if place else {})
        found = _shortest(attempt, seed=int(stable_hash(parts)[:12], 16), examples=number)
        if found is not None:
            return found
    return None


def _shares(cases: int, seed: int, examples: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the cases to try, in order, and how many examples each gets.

    Hypothesis is not left to draw the case, as it may leave some out.
    """
    places = range(cases)
    if examples < cases:
        yield from ((place, 1) for place in sorted(Random(seed).sample(places, examples)))
    else:
        yield from ((place, 1 if place else 1 + examples - cases) for place in places)


def _shortest(
    attempt: Callable[[Callable[[Any], Any]], None], *, seed: int, examples: int
) -> Broken | None:
    """Return the shortest way found in which *attempt* breaks, given Hypothesis' draw."""
    from hypothesis.errors import Flaky

    found: list[Broken] = []
    budget = _Budget()

    def examine(data: Any) -> None:
        if found:
            budget.spend()
        try:
            attempt(data.draw)
        except Broken as broken:
            found.append(broken)
            raise

    try:
        _examined(examine, seed=seed, examples=examples)
    except Broken as broken:
        return broken
    except _Enough:
        pass
    except Flaky:
        # It did not break every time; what was seen was seen.
        pass
    return min(found, key=lambda broken: broken.size) if found else None


def _examined(examine: Callable[[Any], None], *, seed: int, examples: int) -> None:
    """Run a function of Hypothesis' ``data()`` on examples."""
    import hypothesis
    from hypothesis import strategies

    # The health checks that stay are about our own generators: they filter next to nothing. How
    # slow a library is, is none of their business.
    settings = hypothesis.settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        suppress_health_check=(hypothesis.HealthCheck.too_slow,),
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=hypothesis.Verbosity.quiet,
    )
    test = hypothesis.given(strategies.data())(examine)
    hypothesis.seed(seed)(settings(test))()


@final
class _Budget:
    def __init__(self) -> None:
        self._runs = SHRINK_RUNS
        self._until = 0.0

    def spend(self) -> None:
        now = time.monotonic()
        self._until = self._until or now + SHRINK_SECONDS
        self._runs -= 1
        if self._runs < 0 or now > self._until:
            raise _Enough


def _without_idle_readings(
    broken: Broken, system: SystemUnderTest, faults: Faults | None
) -> Broken:
    """Return the same without the readings before its last step, where it breaks all the same."""
    *before, last = broken.steps
    steps = [step for step in before if not step.call.reads] + [last]
    if Call.KEEP in (step.call for step in before) or len(steps) == len(broken.steps):
        return broken
    if reproduces(system, faults, steps, broken):
        return _with(broken, steps)
    return broken


def _with(broken: Broken, steps: Sequence[Step]) -> Broken:
    return Broken(steps, broken.claim, expected=broken.expected, happened=broken.happened)
