"""One evaluating pytest run: what pytest's hooks ask of it, handed to the part that does it."""

from __future__ import annotations

import gc
import secrets
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import pytest

from pytest_comem import assembly, collection, distribution
from pytest_comem.engine.rundir import default_path
from pytest_comem.engine.suite import sizes_of
from pytest_comem.errors import ComemError
from pytest_comem.gating import Gating
from pytest_comem.materials import Materials, Surroundings
from pytest_comem.memory.wanted import wanted_systems
from pytest_comem.ownership import is_kept, owning
from pytest_comem.playing import Playing
from pytest_comem.removal import remove_tree
from pytest_comem.report import properties
from pytest_comem.scoring import Scoring, put_on
from pytest_comem.settings import Settings
from pytest_comem.stash import OUTCOME

if TYPE_CHECKING:
    from pytest_comem.contract.items import ContractRun
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.memory.base import MemorySystem
    from pytest_comem.memory.registry import SystemUnderTest

_RUN_PATH: Final = "comem_run_path"
_RUN_ID: Final = "comem_run_id"
_AT_END: Final = "comem_at_end"
#: What the header says of a benchmark beside its size, if there is something to say.
_SHOWN: Final = {"handoff": "handoff", "top_k": "top-k", "sandbox": "sandbox"}


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
        self._properties = properties.SharedProperties()
        self._run_id: str = (
            config.workerinput[_RUN_ID]  # type: ignore[attr-defined]
            if self._worker
            else secrets.token_hex(4)
        )
        self._scoring = Scoring(config, settings.repeats)
        self._ended_elsewhere: str | None = None
        distribution.refuse_other_distributions(config)
        distribution.refuse_two_kinds(config, settings.backend)

    @property
    def is_controller(self) -> bool:
        """Whether other processes collect and play for this one."""
        return self._controller

    @cached_property
    def _materials(self) -> Materials:
        config = self._config
        return Materials(
            self._settings,
            Surroundings(
                run_path=self._run_path,
                directory=config.invocation_params.dir,
                wanted=wanted_systems(self._settings, config.rootpath / "pyproject.toml"),
                registered=assembly.registered_systems(config),
                worker=config.workerinput["workerid"] if self._worker else "",  # type: ignore[attr-defined]
                asked=collection.asked_suites(config.args),
            ),
        )

    @cached_property
    def _gating(self) -> Gating:
        return Gating(self._materials, self._config.rootpath / "pyproject.toml")

    @cached_property
    def _playing(self) -> Playing:
        one_by_one = self._worker or bool(self._config.getoption("maxfail"))
        return Playing(
            self._config,
            self._materials,
            one_by_one=one_by_one,
            has_regressed=self._gating.has_regressed,
        )

    @cached_property
    def _run_path(self) -> Path:
        """Where this run is recorded; the same on every process of it."""
        if self._worker:
            return Path(self._config.workerinput[_RUN_PATH])  # type: ignore[attr-defined]
        place = self._config.invocation_params.dir
        chosen = self._settings.resume or self._settings.run_dir
        return chosen or default_path(place, self._run_id)

    @property
    def systems(self) -> Mapping[str, SystemUnderTest]:
        """The memory systems of this run by label, in the order given."""
        return self._materials.systems

    @contextmanager
    def opened(self, label: str, name: str) -> Iterator[MemorySystem]:
        """Open a fresh memory for a test of the user's, and close and discard it afterwards."""
        with ExitStack() as stack:
            with warnings.catch_warnings():
                # What a library warns of when it is imported is not the test's doing.
                warnings.simplefilter("ignore")
                memory = stack.enter_context(self.systems[label].opened(name))
            yield memory

    @cached_property
    def contract(self) -> ContractRun:
        """The memory contract's part of this run."""
        from pytest_comem.contract.items import ContractRun

        return ContractRun(
            seed=self._settings.seed,
            embedder=self._settings.embedder,
            deviations=self._settings.deviations,
        )

    def equip(self, workerinput: dict[str, Any]) -> None:
        """Tell a worker what it has to know."""
        workerinput[_RUN_PATH] = str(self._run_path)
        workerinput[_RUN_ID] = self._run_id

    def start(self) -> None:
        """Check everything that can be wrong with the options before anything is collected.

        :raises pytest.UsageError: with the message of the first thing that is wrong.
        """
        try:
            self._materials.check(
                models=not self._worker and not self._config.getoption("collectonly")
            )
            self.contract.start(self._config.args, self._config.invocation_params.args)
            if not self._worker:
                self._gating.check()
            if not self._worker and not self._config.getoption("collectonly"):
                self._playing.get_ready(self._say)
        except ComemError as error:
            raise pytest.UsageError(str(error)) from error

    def _say(self, line: str) -> None:
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(line)

    def header(self) -> list[str]:
        """Return the lines of pytest's header."""
        settings = self._settings
        suites = self._materials.suites.values()
        facts = [", ".join(self.systems), f"model {', '.join(settings.models)}"]
        if any(suite.name == assembly.GATEMEM for suite in suites):
            facts += [f"judge {settings.judge}", f"{settings.scoring} scoring"]
        facts.append(f"top-k {', '.join(map(str, settings.top_k))}")
        lines = [f"comem: {'; '.join(facts)}"]
        for suite in suites:
            about = suite.describe()
            facts = [f"{suite.name} data {about['revision']}", *sizes_of(about)]
            facts += [f"{name} {about[key]}" for key, name in _SHOWN.items() if about.get(key)]
            lines.append(f"comem: {', '.join(facts)}")
            lines.extend(f"comem: warning: {warning}" for warning in about["warnings"])
        return lines + self._gating.header()

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """Give suite tests their steps, and users' tests their memory systems."""
        for parameter, steps in self._materials.steps.items():
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
        playing = self._playing
        together = self._materials.calls_models or playing.plays_elsewhere
        together = together and not self._worker
        collection.drop_left_out(items, self._materials.suites)
        abreast = playing.abreast
        if not together or config.getoption("maxfail"):
            abreast = 1
        collection.in_playing_order(items, self._materials.ranks, abreast=abreast)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Look for no garbage while pytest collects: data, steps and items all stay."""
        if not gc.isenabled():
            yield
            return
        gc.disable()
        try:
            yield
        finally:
            gc.enable()

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
            if not self._worker:
                self._scoring.start_recording(self._run_id, self._materials)
            kept = self._settings.keep_state
            stack.enter_context(owning(self._run_id, self._materials.state, kept=kept))
            if not self._controller:
                self.plan([item.nodeid for item in session.items if collection.wanted_step(item)])
                stack.enter_context(self._playing.of(session.items))
            self._scoring.start_progress()
            yield
        if self._ended is not None and not self._worker:
            raise session.Interrupted("pytest-comem ended the run, see above")

    def before(self, item: pytest.Item) -> None:
        """Get ready for *item*."""
        self._playing.begin(item)

    def outcome_of(self, item: pytest.Item) -> Outcome:
        """Return the outcome of *item*'s step, waiting for it; the ``outcome`` fixture."""
        return self._playing.outcome_of(item)

    def passes_over(self, item: pytest.Item) -> bool:
        """Whether *item* is not run at all, because the run was ended before its step was asked."""
        return self._playing.passes_over(item)

    @property
    def _ended(self) -> str | None:
        """Why the run was ended before its end, here or on a worker."""
        return self._playing.ended or self._ended_elsewhere

    def gather(self, workeroutput: Mapping[str, Any]) -> None:
        """Take over what a worker has to say at its end."""
        found = workeroutput.get(_AT_END)
        if found is None:
            self._scoring.statistics.unreported += 1
            return
        self._ended_elsewhere = self._ended_elsewhere or found["ended"]
        self._scoring.statistics.merge(found["calls"])

    def attach(
        self, item: pytest.Item, report: pytest.TestReport, error: BaseException | None
    ) -> None:
        """Put a step's outcome on the report that decides about it.

        :param error: what the test raised.
        """
        outcome = item.stash.get(OUTCOME, None)
        if outcome is None:
            self.contract.attach(item, report)
        else:
            self._gating.settle(report, error, outcome)
            put_on(report, outcome, travels=self._worker)
            properties.keep_where_they_count(report)

    def record(self, report: pytest.TestReport) -> None:
        """Keep a step's outcome; on a worker, leave it to the controller."""
        if self._worker:
            return
        if self._scoring.is_planned(report.nodeid):
            if self._controller:
                self._properties.share(report)
            if (outcome := self._scoring.record(report)) is not None:
                self._gating.note(outcome)
            if outcome is not None or self._scoring.has_died(report.nodeid):
                self._gating.note_failure(report, outcome)
        else:
            self.contract.tally.add(report)

    def forget(self, report: pytest.TestReport) -> None:
        """Keep no report that has nothing to say."""
        self._scoring.forget(report)

    def status(self, report: Any) -> tuple[str, str, str] | None:
        """Let the progress line stand for a suite item's letter, except with ``-v``."""
        return self._scoring.status(report)

    def plan(self, node_ids: Sequence[str]) -> None:
        """Note which steps this run means to score."""
        self._scoring.plan(node_ids, list(self.systems))

    def crashed(self, report: pytest.TestReport) -> None:
        """A worker died in a step."""
        self._scoring.crashed(report)

    @contextmanager
    def summarizing(self, terminalreporter: Any) -> Iterator[None]:
        """Write the scorecard after pytest's own summary."""
        yield
        self.contract.tally.write(terminalreporter)
        if not self._worker:
            self._scoring.show(terminalreporter, self._materials, self._ended)
            if is_kept(self._materials.state):
                terminalreporter.write_line(f"state: kept in {self._materials.state}")
            self._scoring.write_html(terminalreporter, self._settings)
            self._gating.write_changes(terminalreporter, self._scoring.node_ids)
            self._scoring.publish(terminalreporter, self._settings)

    def note_properties(self) -> None:
        """Put the metrics into the JUnit XML, where one is written."""
        if not self._worker:
            self._scoring.note_properties()

    def conclude(self, session: pytest.Session) -> None:
        """Say what the gate comes to, below everything else.

        Where nothing is written to the terminal, what is written elsewhere still is.
        """
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if "_gating" not in self.__dict__ or self._worker:
            return
        if reporter is None:
            from pytest_comem.publishing import Silent

            self._scoring.write_html(Silent(self._config), self._settings)
            self._scoring.publish(Silent(self._config), self._settings)
        else:
            self._gating.write_result(reporter, int(session.exitstatus))

    def finish(self, session: pytest.Session) -> None:
        """Complete the run directory, and remove what memory systems stored."""
        if "_materials" not in self.__dict__:
            return
        statistics = self._scoring.statistics
        self._playing.close()
        if (elsewhere := self._playing.calls_elsewhere) is not None:
            statistics.merge(elsewhere.as_json())
        if (door := self._materials.close()) is not None:
            statistics.merge(door.statistics.as_json())
        if self._worker:
            output = self._config.workeroutput  # type: ignore[attr-defined]
            output[_AT_END] = {"ended": self._ended, "calls": statistics.as_json()}
        judged = self._gating.end(self._scoring.node_ids) if self._scoring.has_begun else {}
        begun = self._scoring.finish(self._ended, self.contract.tally, judged)
        if begun and self._ended is None:
            self._gating.decide(session)
        # What an earlier part of this run was to keep stays as well.
        if begun and not is_kept(self._materials.state):
            with suppress(OSError):
                remove_tree(self._materials.state)

    def make_scheduler(self) -> Any:
        """Return the scheduler that keeps an episode on one worker."""
        return distribution.make_scheduler(
            self._config, list(self.systems), ahead=self._settings.concurrency
        )
