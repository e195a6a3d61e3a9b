"""What a run came to, in the process that reports: outcomes written down, counted and shown."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, final

import pytest

from pytest_comem.engine.nodeids import label_in
from pytest_comem.engine.records import from_record, to_line, to_record
from pytest_comem.errors import ComemError
from pytest_comem.llm.statistics import CallStatistics
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.recording import Recording, make_manifest
from pytest_comem.report.progress import Progress, without_letter

if TYPE_CHECKING:
    from pytest_comem.contract.tally import ContractTally
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.materials import Materials
    from pytest_comem.report.paper import PaperRows
    from pytest_comem.settings import Settings

_ATTRIBUTE: Final = "comem_outcome"


def put_on(report: pytest.TestReport, outcome: Outcome, *, travels: bool) -> None:
    """Put a step's outcome on the report that decides about it.

    :param travels: the report goes to another process, and the outcome with it as the line it will
        be, whatever a library put in it.
    """
    if report.when == "call" or (report.when == "setup" and not report.passed):
        setattr(report, _ATTRIBUTE, to_line(to_record(outcome)) if travels else outcome)


@final
class Scoring:
    """The steps a run means to score, and what came of each."""

    def __init__(self, config: pytest.Config, repeats: int) -> None:
        self.statistics: Final = CallStatistics()
        self._config = config
        self._recording: Recording | None = None
        self._planned: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._died: set[str] = set()
        self._progress = Progress()
        self._sheet = Sheet(repeats)

    def start_recording(self, run_id: str, materials: Materials) -> None:
        """Make the run's directory, or go on in it.

        :raises pytest.UsageError: where it cannot be written, or is none.
        """
        from pytest_comem.publishing import check_html

        settings = materials.settings
        manifest = make_manifest(
            run_id,
            settings,
            materials.systems,
            materials.suites,
            materials.surroundings.directory,
        )
        try:
            check_html(settings.html)
            self._recording = Recording(
                materials.surroundings.run_path,
                manifest,
                ours=settings.run_dir is None,
                ranks=materials.ranks,
                earlier=materials.earlier,
            )
        except ComemError as error:
            raise pytest.UsageError(str(error)) from error

    @property
    def has_begun(self) -> bool:
        """Whether this process writes the run down and has begun to."""
        return self._recording is not None

    def start_progress(self) -> None:
        """Show how far the run is from here on."""
        self._progress.start(self._config)

    def plan(self, node_ids: Sequence[str], systems: Sequence[str]) -> None:
        """Note which steps this run means to score; several tests may share one.

        :param systems: labels of the run's memory systems.
        """
        known = tuple(systems)
        for node_id in node_ids:
            label = label_in(node_id, known)
            if label is not None:
                self._planned[node_id] = label
                self._labels.setdefault(label, node_id)

    @property
    def node_ids(self) -> Mapping[str, str]:
        """The id of an item of each step that this run means to score, by the step's label."""
        return self._labels

    def has_died(self, node_id: str) -> bool:
        """Whether a worker died in this item."""
        return node_id in self._died

    def is_planned(self, node_id: str) -> bool:
        """Whether this is the id of a step's item."""
        return node_id in self._planned

    def record(self, report: pytest.TestReport) -> Outcome | None:
        """Keep the outcome that is on *report*, and return it, if there is one."""
        found = report.__dict__.pop(_ATTRIBUTE, None)
        if found is None:
            return None
        outcome = from_record(json.loads(found)) if isinstance(found, str) else found
        if self._sheet.add(outcome, outcome.step.label):
            if self._recording is not None:
                self._recording.add(outcome)
            self._progress.advance(self._config, self._sheet, len(self._labels))
        return outcome

    def status(self, report: Any) -> tuple[str, str, str] | None:
        """Let the progress line stand for a step's letter, except with ``-v``."""
        if report.nodeid not in self._planned or self._config.get_verbosity() > 0:
            return None
        return without_letter(report)

    def crashed(self, report: pytest.TestReport) -> None:
        """A worker died in a step: that is an error of the infrastructure, not a failure."""
        if report.nodeid in self._planned:
            report.when = "setup"
            self._died.add(report.nodeid)

    def forget(self, report: pytest.TestReport) -> None:
        """Drop a set-up or tear-down report that has nothing to say, once it has been told.

        pytest keeps all of them, and searches them for every failure it prints.
        """
        if report.when == "call" or not report.passed or report.sections:
            return
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        kept = getattr(reporter, "stats", {}).get("")
        if kept and kept[-1] is report and report.nodeid in self._planned:
            kept.pop()

    def show(self, terminalreporter: Any, materials: Materials, ended: str | None) -> None:
        """Write the scorecard.

        :param ended: why the run was ended early, or ``None``.
        """
        if not self._planned or self._recording is None:
            return
        from pytest_comem.report.scorecard import write_scorecard

        domains = dict.fromkeys(step.domain for steps in materials.steps.values() for step in steps)
        self._sheet.arrange(list(materials.systems), list(domains), materials.settings.models)
        write_scorecard(
            terminalreporter,
            self._sheet,
            unscored=self._unscored(ended),
            run=self._recording.path,
            settings=materials.settings,
            statistics=self.statistics.as_json(),
            ended=ended,
            paper=self._paper() if materials.settings.reference else None,
        )
        if (taken_over := self._recording.taken_over(self._labels)) is not None:
            terminalreporter.write_line(taken_over)

    def publish(self, terminalreporter: Any, settings: Settings) -> None:
        """Tell GitHub Actions what came of the run, where it is played there."""
        from pytest_comem.publishing import tell_github

        if self._planned and self._recording is not None:
            tell_github(
                terminalreporter,
                self._recording.path,
                os.environ,
                reference=settings.reference,
            )

    def write_html(self, terminalreporter: Any, settings: Settings) -> None:
        """Write the run's HTML page, where one is wanted, and say where."""
        from pytest_comem.publishing import write_html

        if settings.html is not None and self._planned and self._recording is not None:
            write_html(terminalreporter, self._recording.path, settings.html, settings.data)

    def note_properties(self) -> None:
        """Put the metrics into the JUnit XML, before pytest writes it."""
        from pytest_comem.publishing import add_suite_properties

        add_suite_properties(self._config, self._sheet)

    def finish(
        self, ended: str | None, contract: ContractTally, judged: Mapping[str, Any] | None = None
    ) -> bool:
        """Complete the run directory; false where none was begun.

        :param ended: why the run was ended early, or ``None``.
        :param contract: what came of the contract's promises.
        :param judged: what baseline and gate say.
        """
        if self._recording is None:
            return False
        self._recording.finish(
            {
                "planned": len(self._labels),
                "recorded": len(self._sheet),
                "scored": self._sheet.scored,
                "unscored": self._unscored(ended),
                "ended": ended,
                "calls": self.statistics.as_json(),
                **({"contract": contract.as_json()} if contract else {}),
                **(judged or {}),
            }
        )
        return True

    def _paper(self) -> PaperRows:
        from pytest_comem.engine.records import read_outcomes
        from pytest_comem.report.paper import Conditions, paper_rows

        assert self._recording is not None
        return paper_rows(Conditions.of(read_outcomes(self._recording.path)))

    def _unscored(self, ended: str | None) -> dict[str, str]:
        """Return why each planned step without a verdict has none, by node id."""
        from pytest_comem.report.scorecard import NOT_ASKED

        never = "never ran" if ended is None else NOT_ASKED
        return {
            node_id: self._sheet.reason_unscored(label)
            or ("its worker died" if node_id in self._died else never)
            for label, node_id in self._labels.items()
            if not self._sheet.is_scored(label)
        }
