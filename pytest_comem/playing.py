"""How pytest's items get their outcomes: steps are demanded, waited for, explained."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, final

import pytest

from pytest_comem import collection, distribution
from pytest_comem.core.outcomes import Attribution
from pytest_comem.errors import InfrastructureError
from pytest_comem.report import failures, properties
from pytest_comem.secrets import without_secrets
from pytest_comem.stash import OUTCOME

if TYPE_CHECKING:
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.core.steps import Step
    from pytest_comem.engine.output import ThreadOutput
    from pytest_comem.engine.runner import EpisodeRunner, Played
    from pytest_comem.materials import Materials

#: Marks with which an item may be left out.
_NOT_RUN: Final = ("skip", "skipif", "xfail")


@final
class Playing:
    """The wanted steps of this process being played, from its first item to its last.

    :param materials: of the run.
    :param one_by_one: a step is played when its item is asked for, because another process hands
        out items or the run may stop at any of them.
    """

    def __init__(self, config: pytest.Config, materials: Materials, *, one_by_one: bool) -> None:
        self._config = config
        self._materials = materials
        self._one_by_one = one_by_one
        self._wanted: list[Step] = []
        self._begun = False
        self._closing = ExitStack()
        self._runner: EpisodeRunner | None = None

    @contextmanager
    def of(self, items: Sequence[pytest.Item]) -> Iterator[None]:
        """Play the steps of *items* as they are asked for."""
        from pytest_comem.engine.output import ThreadOutput

        output = ThreadOutput()
        self._wanted = [step for item in items if (step := collection.wanted_step(item))]
        with self._closing:
            self._runner = self._new_runner(output)
            with output.installed(self._config):
                try:
                    yield
                finally:
                    self._runner.stop()

    def _new_runner(self, output: ThreadOutput) -> EpisodeRunner:
        from pytest_comem.engine.runner import EpisodeRunner

        settings = self._materials.settings
        return EpisodeRunner(
            self._materials.with_suites(self._wanted),
            concurrency=settings.concurrency,
            known=self._materials.known(self._wanted),
            step_timeout=settings.step_timeout,
            episode_timeout=settings.episode_timeout,
            output=output,
            ended=lambda: self._materials.door.stopped,
        )

    def begin(self, item: pytest.Item) -> None:
        """Begin to play with the first item that has a step or is a suite's; others come before."""
        if self._begun or not (collection.is_shipped(item) or collection.wanted_step(item)):
            return
        self._begun = True
        # Episodes also run between items, where the project's own filters hold: a project that
        # turns warnings into errors means its own code, not a library under test.
        self._closing.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        if self._runner and not self._one_by_one:
            self._runner.demand(list(dict.fromkeys(self._wanted)))

    def outcome_of(self, item: pytest.Item) -> Outcome:
        """Return the outcome of *item*'s step, waiting for it.

        :raises InfrastructureError: where something around the method broke.
        :raises pytest.skip.Exception: where the benchmark's own material cannot be evaluated.
        """
        step = collection.step_of(item)
        if step is None or self._runner is None:
            raise pytest.UsageError(
                f"{item.nodeid}: the outcome fixture needs one of the parameters "
                f"{', '.join(self._materials.suites)} beside it"
            )
        played = self._result(step)
        for key, text in played.output.sections():
            for phase in ("call", "setup"):
                item.add_report_section(phase, key, without_secrets(text))
        outcome = played.outcome
        item.stash[OUTCOME] = outcome
        item.user_properties.extend(properties.of(outcome))
        if not outcome.passed:
            failures.explain(item, outcome)
        if outcome.verdict is None and outcome.failure is not None:
            if outcome.failure.attribution is Attribution.BENCHMARK:
                pytest.skip(f"benchmark defect: {outcome.failure.message}")
            raise InfrastructureError(outcome.failure.message, type=outcome.failure.type)
        return outcome

    def passes_over(self, item: pytest.Item) -> bool:
        """Whether *item* is not run at all, because the run was ended before its step was asked."""
        step = collection.wanted_step(item)
        if step is None or self._runner is None or not self._materials.calls_models:
            return False
        if self._materials.door.stopped is None and any(map(item.get_closest_marker, _NOT_RUN)):
            # It may not want to be played; where it does, it waits for its step itself.
            return False
        return self._result(step).stopped

    @property
    def ended(self) -> str | None:
        """Why the run was ended before its end, in this process."""
        if self._runner is None or (stopped := self._materials.door.stopped) is None:
            return None
        return str(stopped)

    def _result(self, step: Step) -> Played:
        assert self._runner is not None
        if distribution.is_worker(self._config):
            self._runner.demand([step, *distribution.queued_steps(self._config)])
        return self._runner.result(step)
