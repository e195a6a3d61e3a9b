"""One evaluating pytest run: what is evaluated, how it is played, where it is recorded."""

from __future__ import annotations

import gc
import json
import secrets
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import pytest

from pytest_comem import assembly, collection, distribution
from pytest_comem.core.outcomes import Attribution
from pytest_comem.engine.nodeids import label_in
from pytest_comem.engine.records import from_record, to_line, to_record
from pytest_comem.engine.rundir import default_path
from pytest_comem.errors import ComemError, InfrastructureError
from pytest_comem.llm.statistics import CallStatistics
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.recording import Recording, make_manifest
from pytest_comem.report import failures, properties
from pytest_comem.report.progress import Progress, without_letter
from pytest_comem.secrets import without_secrets
from pytest_comem.settings import Settings
from pytest_comem.stash import OUTCOME

if TYPE_CHECKING:
    from pytest_comem.contract.items import ContractRun
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.core.steps import RunKey, Step
    from pytest_comem.engine.resuming import Earlier
    from pytest_comem.engine.runner import EpisodeRunner, Played
    from pytest_comem.engine.suite import Suite
    from pytest_comem.llm.door import Door
    from pytest_comem.memory.base import MemorySystem
    from pytest_comem.memory.registry import SystemUnderTest
    from pytest_comem.memory.setup import Workshop

_ATTRIBUTE: Final = "comem_outcome"
#: Where memory systems store things, in the run directory.
STATE: Final = "state"
_RUN_PATH: Final = "comem_run_path"
_AT_END: Final = "comem_at_end"
#: Marks with which an item may be left out.
_NOT_RUN: Final = ("skip", "skipif", "xfail")


@final
class ComemSession:
    """State and lifetime of a run; the hooks of :mod:`pytest_comem.active` call it.

    Under pytest-xdist the controller records and reports, and every worker plays.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._worker = distribution.is_worker(config)
        self._controller = distribution.is_controller(config)
        self._runner: EpisodeRunner | None = None
        self._wanted: list[Step] = []
        self._begun = False
        self._closing: ExitStack | None = None
        self._recording: Recording | None = None
        self._planned: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._died: set[str] = set()
        self._run_id = secrets.token_hex(4)
        self._progress = Progress()
        self._sheet = Sheet(settings.repeats)
        self._statistics = CallStatistics()
        self._ended_elsewhere: str | None = None
        distribution.refuse_other_distributions(config)

    @contextmanager
    def opened(self, label: str, name: str) -> Iterator[MemorySystem]:
        """Open a fresh memory for a test of the user's, and close and discard it afterwards."""
        with ExitStack() as stack:
            with warnings.catch_warnings():
                # What a library warns of when it is imported is not the test's doing.
                warnings.simplefilter("ignore")
                memory = stack.enter_context(self.systems[label].opened(name))
            yield memory

    @property
    def is_controller(self) -> bool:
        """Whether other processes collect and play for this one."""
        return self._controller

    @cached_property
    def door(self) -> Door:
        """Where every call of a model in this process goes through."""
        from pytest_comem.llm.opening import open_door

        worker = self._config.workerinput["workerid"] if self._worker else ""  # type: ignore[attr-defined]
        return open_door(
            self._settings.calls,
            self.run_path / STATE,
            worker=worker,
            resumed=self._settings.resume is not None,
        )

    @cached_property
    def systems(self) -> Mapping[str, SystemUnderTest]:
        """The memory systems of this run by label, in the order given."""
        return assembly.find_systems(self._config, self._settings, self.workshop)

    @cached_property
    def workshop(self) -> Workshop:
        """Makes what the memory systems of this process work with."""
        return assembly.make_workshop(self._settings, self.run_path / STATE, self.door)

    @cached_property
    def contract(self) -> ContractRun:
        """The memory contract's part of this run."""
        from pytest_comem.contract.items import ContractRun

        return ContractRun(
            seed=self._settings.seed,
            embedder=self._settings.embedder,
            deviations=self._settings.deviations,
        )

    @cached_property
    def run_path(self) -> Path:
        """Where this run is recorded; the same on every process of it."""
        if self._worker:
            return Path(self._config.workerinput[_RUN_PATH])  # type: ignore[attr-defined]
        place = self._config.invocation_params.dir
        chosen = self._settings.resume or self._settings.run_dir
        return chosen or default_path(place, self._run_id)

    def equip(self, workerinput: dict[str, Any]) -> None:
        """Tell a worker what it has to know."""
        workerinput[_RUN_PATH] = str(self.run_path)

    @cached_property
    def suites(self) -> Mapping[str, Suite]:
        """The benchmarks by the name of their parametrized value; none for the contract alone."""
        from pytest_comem.contract.items import is_contract

        if all(map(is_contract, self._config.args)):
            return {}
        suite = assembly.make_governance_suite(self._settings, self.door, list(self.systems))
        return {suite.parameter: suite}

    @cached_property
    def _steps(self) -> Mapping[str, Sequence[Step]]:
        shard = self._settings.shard
        return {
            parameter: [
                step
                for system in self.systems.values()
                for step in suite.steps(system)
                if shard is None or shard.holds(step.domain, step.episode)
            ]
            for parameter, suite in self.suites.items()
        }

    def start(self) -> None:
        """Check everything that can be wrong with the options before anything is collected.

        :raises pytest.UsageError: with the message of the first thing that is wrong.
        """
        try:
            _ = self.systems, self.suites, self._earlier
            if not self._worker and not self._config.getoption("collectonly"):
                assembly.check_models(
                    self._settings, self.systems.values(), asked=bool(self.suites)
                )
            self.contract.start(self._config.args, self._config.invocation_params.args)
        except ComemError as error:
            raise pytest.UsageError(str(error)) from error

    def header(self) -> list[str]:
        """Return the lines of pytest's header."""
        lines = [
            f"comem: {', '.join(self.systems)}; model {', '.join(self._settings.models)}; "
            f"judge {self._settings.judge}; {self._settings.scoring} scoring; "
            f"top-k {', '.join(map(str, self._settings.top_k))}"
        ]
        for suite in self.suites.values():
            about = suite.describe()
            lines.append(
                f"comem: {suite.name} data {about['revision']}, {about['episodes']} episodes, "
                f"{about['checkpoints']} checkpoints"
            )
            lines.extend(f"comem: warning: {warning}" for warning in about["warnings"])
        return lines

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """Give suite tests their steps, and users' tests their memory systems."""
        for parameter, steps in self._steps.items():
            if collection.is_ours_to_give(metafunc, parameter):
                metafunc.parametrize(parameter, steps, ids=[step.label for step in steps])
        for name in ("contract", "memory_system"):
            if collection.is_ours_to_give(metafunc, name):
                metafunc.parametrize(name, list(self.systems), indirect=True)

    def order(self, items: list[pytest.Item]) -> None:
        """Sort suite items by system, episode and position.

        Episodes that wait for models together take turns. Otherwise steps that were paid for long
        ago would wait for their report until the first episode is over.
        """
        config = self._config
        together = self._calls_models and not self._worker and not config.getoption("maxfail")
        abreast = self._settings.concurrency if together else 1
        collection.in_playing_order(items, self._ranks, abreast=abreast)

    @cached_property
    def _ranks(self) -> dict[RunKey, int]:
        runs = (step.run for steps in self._steps.values() for step in steps)
        return {run: rank for rank, run in enumerate(dict.fromkeys(runs))}

    @contextmanager
    def running(self, session: pytest.Session) -> Iterator[None]:
        """Play episodes while pytest runs its loop."""
        broken = session.testsfailed and not self._config.getoption("continue_on_collection_errors")
        if self._config.getoption("collectonly") or broken:
            yield
            return
        with ExitStack() as stack:
            # Items and data stay until the end: no need to look for garbage among them.
            gc.freeze()
            stack.callback(gc.unfreeze)
            self._closing = stack
            if not self._worker:
                self._start_recording()
            if not self._controller:
                self.plan([item.nodeid for item in session.items if collection.wanted_step(item)])
                stack.enter_context(self._playing(session))
            self._progress.start(self._config)
            yield
        if self._ended is not None and not self._worker:
            raise session.Interrupted("pytest-comem ended the run, see above")

    @contextmanager
    def _playing(self, session: pytest.Session) -> Iterator[None]:
        from pytest_comem.engine.output import ThreadOutput
        from pytest_comem.engine.runner import EpisodeRunner

        output = ThreadOutput()
        self._wanted = [step for item in session.items if (step := collection.wanted_step(item))]
        by_suite = {suite.name: suite for suite in self.suites.values()}
        self._runner = EpisodeRunner(
            [(step, by_suite[step.suite], self.systems[step.system]) for step in self._wanted],
            concurrency=self._settings.concurrency,
            known=self._known(),
            step_timeout=self._settings.step_timeout,
            episode_timeout=self._settings.episode_timeout,
            output=output,
            ended=lambda: self.door.stopped,
        )
        with output.installed(self._config):
            try:
                yield
            finally:
                self._runner.stop()

    def _known(self) -> dict[Step, Outcome]:
        """Return the outcomes of wanted steps that still hold."""
        return self._earlier.outcomes_of(self._wanted) if self._earlier else {}

    def before(self, item: pytest.Item) -> None:
        """Begin to play with the first item that has a step or is a suite's; others come before."""
        if self._begun or not (collection.is_shipped(item) or collection.wanted_step(item)):
            return
        self._begun = True
        if self._closing is not None:
            # Episodes also run between items, where the project's own filters hold: a project that
            # turns warnings into errors means its own code, not a library under test.
            self._closing.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
        if self._runner and not self._worker and not self._config.getoption("maxfail"):
            self._runner.demand(list(dict.fromkeys(self._wanted)))

    def outcome_of(self, item: pytest.Item) -> Outcome:
        """Return the outcome of *item*'s step, waiting for it; the ``outcome`` fixture.

        :raises InfrastructureError: where something around the method broke.
        :raises pytest.skip.Exception: where the benchmark's own material cannot be evaluated.
        """
        step = collection.step_of(item)
        if step is None or self._runner is None:
            raise pytest.UsageError(
                f"{item.nodeid}: the outcome fixture needs one of the parameters "
                f"{', '.join(self.suites)} beside it"
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
        if step is None or self._runner is None or not self._calls_models:
            return False
        if self.door.stopped is None and any(map(item.get_closest_marker, _NOT_RUN)):
            # It may not want to be played; where it does, it waits for its step itself.
            return False
        return self._result(step).stopped

    def _result(self, step: Step) -> Played:
        assert self._runner is not None
        if self._worker:
            self._demand_with_what_is_queued(step)
        return self._runner.result(step)

    @cached_property
    def _calls_models(self) -> bool:
        settings = self._settings
        return bool(
            assembly.language_models(settings)
            or settings.memory_model != "scripted"
            or "/" in settings.embedder
        )

    @property
    def _ended(self) -> str | None:
        """Why the run was ended before its end, here or on a worker."""
        if self._runner is not None and (stopped := self.door.stopped) is not None:
            return str(stopped)
        return self._ended_elsewhere

    def gather(self, workeroutput: Mapping[str, Any]) -> None:
        """Take over what a worker has to say at its end."""
        found = workeroutput.get(_AT_END)
        if found is None:
            self._statistics.unreported += 1
            return
        self._ended_elsewhere = self._ended_elsewhere or found["ended"]
        self._statistics.merge(found["calls"])

    def _demand_with_what_is_queued(self, first: Step) -> None:
        assert self._runner is not None
        self._runner.demand([first, *distribution.queued_steps(self._config)])

    def attach(self, item: pytest.Item, report: pytest.TestReport) -> None:
        """Put a step's outcome on the report that decides about it."""
        outcome = item.stash.get(OUTCOME, None)
        if outcome is None:
            self.contract.attach(item, report)
            return
        if report.when == "call" or (report.when == "setup" and not report.passed):
            # Between processes it travels as the line it will be, whatever a library put in it.
            found = to_line(to_record(outcome)) if self._worker else outcome
            setattr(report, _ATTRIBUTE, found)

    def record(self, report: pytest.TestReport) -> None:
        """Keep a step's outcome; on a worker, leave it to the controller."""
        if self._worker:
            return
        if report.nodeid not in self._planned:
            self.contract.tally.add(report)
            return
        found = report.__dict__.pop(_ATTRIBUTE, None)
        if found is None:
            return
        outcome = from_record(json.loads(found)) if isinstance(found, str) else found
        if self._sheet.add(outcome, outcome.step.label):
            if self._recording is not None:
                self._recording.add(outcome)
            self._progress.advance(self._config, self._sheet, len(self._labels))

    def status(self, report: Any) -> tuple[str, str, str] | None:
        """Let the progress line stand for a suite item's letter, except with ``-v``."""
        if report.nodeid not in self._planned or self._config.get_verbosity() > 0:
            return None
        return without_letter(report)

    def plan(self, node_ids: Sequence[str]) -> None:
        """Note which steps this run means to score; several tests may share one."""
        systems = tuple(self.systems)
        for node_id in node_ids:
            label = label_in(node_id, systems)
            if label is not None:
                self._planned[node_id] = label
                self._labels.setdefault(label, node_id)

    def forget_phases(self, terminalreporter: Any) -> None:
        """Drop set-up and tear-down reports that have nothing to say.

        pytest searches all of them for every failure it prints, which is quadratic.
        """
        kept = terminalreporter.stats.get("")
        if kept:
            kept[:] = [r for r in kept if r.nodeid not in self._planned or r.sections]

    def summarize(self, terminalreporter: Any) -> None:
        """Write the scorecard."""
        from pytest_comem.report.scorecard import write_scorecard

        self.contract.tally.write(terminalreporter)
        if self._worker or not self._planned or self._recording is None:
            return
        domains = dict.fromkeys(step.domain for steps in self._steps.values() for step in steps)
        self._sheet.arrange(list(self.systems), list(domains), self._settings.models)
        write_scorecard(
            terminalreporter,
            self._sheet,
            unscored=self._unscored(),
            run=self._recording.path,
            settings=self._settings,
            statistics=self._statistics.as_json(),
            ended=self._ended,
        )
        if (taken_over := self._recording.taken_over(self._labels)) is not None:
            terminalreporter.write_line(taken_over)

    def finish(self) -> None:
        """Complete the run directory, and remove what memory systems stored."""
        if "workshop" in self.__dict__:
            self.workshop.close()
        if "door" in self.__dict__:
            self.door.close()
            self._statistics.merge(self.door.statistics.as_json())
        ended = self._ended
        if self._worker:
            output = self._config.workeroutput  # type: ignore[attr-defined]
            output[_AT_END] = {"ended": ended, "calls": self._statistics.as_json()}
        if self._recording is not None:
            shutil.rmtree(self.run_path / STATE, ignore_errors=True)
            self._recording.finish(
                {
                    "planned": len(self._labels),
                    "recorded": len(self._sheet),
                    "scored": self._sheet.scored,
                    "unscored": self._unscored(),
                    "ended": ended,
                    "calls": self._statistics.as_json(),
                    **({"contract": tally.as_json()} if (tally := self.contract.tally) else {}),
                }
            )

    def _unscored(self) -> dict[str, str]:
        """Return why each planned step without a verdict has none, by node id."""
        from pytest_comem.report.scorecard import NOT_ASKED

        never = "never ran" if self._ended is None else NOT_ASKED
        return {
            node_id: self._sheet.reason_unscored(label)
            or ("its worker died" if node_id in self._died else never)
            for label, node_id in self._labels.items()
            if not self._sheet.is_scored(label)
        }

    def make_scheduler(self) -> Any:
        """Return the scheduler that keeps an episode on one worker."""
        return distribution.make_scheduler(
            self._config, list(self.systems), ahead=self._settings.concurrency
        )

    def crashed(self, report: pytest.TestReport) -> None:
        """A worker died in a step: that is an error of the infrastructure, not a failure."""
        if report.nodeid in self._planned:
            report.when = "setup"
            self._died.add(report.nodeid)

    @cached_property
    def _earlier(self) -> Earlier | None:
        """What still holds of the run that this one goes on with; ``None`` for a new one."""
        if self._settings.resume is None:
            return None
        from pytest_comem.engine.resuming import sift

        return sift(self.run_path, assembly.keys_of(self._steps, self.suites, self.systems))

    def _start_recording(self) -> None:
        manifest = make_manifest(self._run_id, self._settings, self.systems, self.suites)
        try:
            self._recording = Recording(
                self.run_path,
                manifest,
                ours=self._settings.run_dir is None,
                ranks=self._ranks,
                earlier=self._earlier,
            )
        except ComemError as error:
            raise pytest.UsageError(str(error)) from error
