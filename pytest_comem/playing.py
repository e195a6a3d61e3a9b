"""How pytest's items get their outcomes: steps are demanded, waited for, explained."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, final

import pytest

from pytest_comem import collection, distribution
from pytest_comem.core.outcomes import Attribution
from pytest_comem.errors import InfrastructureError
from pytest_comem.report import failures, properties
from pytest_comem.report.workflow_commands import without_commands
from pytest_comem.secrets import without_secrets
from pytest_comem.stash import OUTCOME

if TYPE_CHECKING:
    from pytest_comem.cluster.connection import Cluster
    from pytest_comem.cluster.runner import ClusterRunner
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.core.steps import Step
    from pytest_comem.engine.output import ThreadOutput
    from pytest_comem.engine.runner import Played, Runner
    from pytest_comem.llm.statistics import CallStatistics
    from pytest_comem.materials import Materials

#: Marks with which an item may be left out.
_NOT_RUN: Final = ("skip", "skipif", "xfail")


@final
class Playing:
    """The wanted steps of this process being played, from its first item to its last.

    :param materials: of the run.
    :param one_by_one: a step is played when its item is asked for, because another process hands
        out items or the run may stop at any of them.
    :param has_regressed: whether a step that failed passed in the baseline.
    """

    def __init__(
        self,
        config: pytest.Config,
        materials: Materials,
        *,
        one_by_one: bool,
        has_regressed: Callable[[Outcome], bool],
    ) -> None:
        self._config = config
        self._has_regressed = has_regressed
        self._materials = materials
        self._one_by_one = one_by_one
        self._wanted: list[Step] = []
        self._begun = False
        self._closing = ExitStack()
        self._runner: Runner | None = None
        self._cluster: Cluster | None = None
        self._elsewhere: ClusterRunner | None = None
        #: Episodes that are played at once, as far as is known when they are collected.
        self.abreast = materials.settings.concurrency

    def get_ready(self, say: Callable[[str], None]) -> None:
        """Connect to the cluster that is to play, where there is one.

        :param say: tells the user what is waited for.
        :raises ComemError: where it cannot play this run.
        """
        address = self._materials.settings.backend
        if address and self._materials.suites:
            from pytest_comem.cluster.opening import open_cluster

            self._cluster = open_cluster(address, self._materials, say)
            self.abreast = max(1, sum(self._cluster.workers().values()))

    @property
    def plays_elsewhere(self) -> bool:
        """Whether episodes are played on other machines."""
        return self._cluster is not None

    @property
    def calls_elsewhere(self) -> CallStatistics | None:
        """What was called on other machines, where anything was played there."""
        return self._elsewhere.books.statistics if self._elsewhere is not None else None

    def close(self) -> None:
        """Leave the cluster."""
        if self._cluster is not None:
            self._cluster.close()

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

    def _new_runner(self, output: ThreadOutput) -> Runner:
        if self._cluster is not None:
            self._elsewhere = self._on_cluster(self._cluster)
            return self._elsewhere
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

    def _on_cluster(self, cluster: Cluster) -> ClusterRunner:
        from pytest_comem.cluster.runner import ClusterRunner

        return ClusterRunner(
            self._materials.with_suites(self._wanted),
            cluster=cluster,
            door=self._materials.door,
            known=self._materials.known(self._wanted),
            replayed=self._materials.settings.calls.cassette == "replay",
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
                item.add_report_section(phase, key, without_commands(without_secrets(text)))
        outcome = played.outcome
        item.stash[OUTCOME] = outcome
        item.user_properties.extend(properties.of(outcome))
        if not outcome.passed:
            failures.explain(item, outcome, regressed=self._has_regressed(outcome))
        if outcome.verdict is None and outcome.failure is not None:
            if outcome.failure.attribution is Attribution.BENCHMARK:
                pytest.skip(f"benchmark defect: {outcome.failure.message}")
            raise InfrastructureError(outcome.failure.message, type=outcome.failure.type)
        return outcome

    def passes_over(self, item: pytest.Item) -> bool:
        """Whether *item* is not run at all, because the run was ended before its step was asked."""
        if self._runner is None or not self._may_end:
            return False
        if (step := collection.wanted_step(item)) is None:
            return False
        if self._materials.door.stopped is None and any(map(item.get_closest_marker, _NOT_RUN)):
            # It may not want to be played; where it does, it waits for its step itself.
            return False
        return self._result(step).stopped

    @property
    def _may_end(self) -> bool:
        """Whether anything could end the run before its end."""
        return self._materials.calls_models or self.plays_elsewhere

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
