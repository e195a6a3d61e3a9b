"""A run held against its baseline and its gate: before, during and after it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import pytest

from pytest_comem.errors import SettingsError

if TYPE_CHECKING:
    from pytest_comem.baseline.changes import Changes
    from pytest_comem.baseline.standing import Baseline, Expectation
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.core.steps import Step
    from pytest_comem.engine.runs import Row
    from pytest_comem.gate.checking import Known
    from pytest_comem.gate.configuration import GateConfiguration
    from pytest_comem.gate.played import Played
    from pytest_comem.gate.results import GateResult
    from pytest_comem.materials import Materials

#: Exit statuses that a gate decides instead of: all passed, some failed.
_DECIDED: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


@final
class Gating:
    """The baseline and the gate of one run; both may be absent.

    :param materials: of the run.
    :param pyproject: file whose table ``tool.comem.gate`` may hold rules; it may be missing.
    """

    def __init__(self, materials: Materials, pyproject: Path) -> None:
        self._materials = materials
        self._pyproject = pyproject
        self._outcomes: dict[str, Outcome] = {}
        self._forgiven = 0
        #: What has changed in each row since the baseline, once the run has ended.
        self.changes: tuple[Changes, ...] = ()
        #: What the gate comes to, once the run has ended; ``None`` where there is none.
        self.result: GateResult | None = None

    @cached_property
    def configuration(self) -> GateConfiguration:
        """The rules and where the baseline is."""
        from pytest_comem.gate.configuration import configured_gate

        settings = self._materials.settings
        return configured_gate(
            settings.gate,
            self._pyproject,
            baseline=settings.baseline,
            inconclusive=settings.inconclusive,
        )

    @cached_property
    def baseline(self) -> Baseline | None:
        """What this run is held against, or ``None``."""
        if not self._active or self.configuration.baseline is None:
            return None
        from pytest_comem.baseline.file import read_baseline
        from pytest_comem.baseline.standing import Baseline

        return Baseline(
            read_baseline(self.configuration.baseline), self._materials.settings.repeats
        )

    @property
    def _active(self) -> bool:
        settings = self._materials.settings
        return bool(settings.gate or settings.baseline)

    def check(self) -> None:
        """Find what is wrong with the rules and the baseline before anything is played.

        :raises ComemError: naming the rule and the column, or what differs from the baseline.
        """
        if not self._active:
            return
        from pytest_comem.gate.checking import check_rule

        baseline = self.baseline
        if baseline is not None:
            self._refuse_incomparable(baseline)
        for rule in self.configuration.rules:
            check_rule(rule, self._known, baseline=baseline is not None)

    def header(self) -> list[str]:
        """Return the lines of pytest's header."""
        lines: list[str] = []
        if self.baseline is not None:
            from pytest_comem.report.baseline import header

            lines += header(self.baseline, self._rows)
        if self._active and (rules := self.configuration.rules):
            count = "1 rule" if len(rules) == 1 else f"{len(rules)} rules"
            lines.append(f"comem: gate of {count} decides the exit status")
        return lines

    def expectation(self, outcome: Outcome) -> Expectation | None:
        """Return what the baseline expects of a step's test, or ``None`` where it does not know."""
        return None if self.baseline is None else self.baseline.expectation(outcome)

    def has_regressed(self, outcome: Outcome) -> bool:
        """Whether a step that failed surely passed in the baseline."""
        expectation = self.expectation(outcome)
        return outcome.verdict is not None and expectation is not None and not expectation.fails

    def settle(
        self, report: pytest.TestReport, error: BaseException | None, outcome: Outcome
    ) -> None:
        """Make an expected failure, or a pass that nobody expected, of what *report* says.

        A failure is the step's where it is an assertion's on a step that failed; anything else that
        a test raises is its own.

        :param error: what the test raised.
        """
        if report.when != "call" or outcome.verdict is None or hasattr(report, "wasxfail"):
            return
        expectation = self.expectation(outcome)
        if expectation is None:
            return
        failed = report.failed and not outcome.passed and isinstance(error, AssertionError)
        if failed and expectation.fails:
            report.outcome = "skipped"
            report.wasxfail = expectation.reason
        elif report.passed and outcome.passed and expectation.standing.passed == 0:
            report.wasxfail = expectation.reason

    def note(self, outcome: Outcome) -> None:
        """Keep of a step's outcome what the end needs."""
        if self._active:
            from pytest_comem.baseline.bare import bare

            self._outcomes.setdefault(outcome.step.label, bare(outcome))

    def note_failure(self, report: pytest.TestReport, outcome: Outcome | None) -> None:
        """Count a failing report of a step that the gate answers for.

        It does for a step that failed or has no verdict, and for nothing else a test does.

        :param outcome: the step's, or ``None`` where its worker died.
        """
        if not report.failed or report.when == "teardown":
            return
        self._forgiven += outcome is None or not outcome.passed

    def end(self, planned: Collection[str]) -> dict[str, Any]:
        """Judge the run, and return what the manifest keeps of it.

        :param planned: labels of the steps that were meant to be scored.
        """
        if not self._active:
            return {}
        run = self._played(planned)
        kept: dict[str, Any] = {}
        if self.baseline is not None:
            from pytest_comem.baseline.changes import changes
            from pytest_comem.report.baseline import as_json

            self.changes = tuple(
                changes(self.baseline, row, run.of(row)) for row in run.rows if row in self.baseline
            )
            kept["baseline"] = as_json(self.changes, self.baseline.run.path)
        if self.configuration.rules:
            from pytest_comem.gate.judging import judge

            self.result = judge(
                self.configuration.rules,
                run,
                self._known,
                self.baseline,
                self.configuration.inconclusive,
            )
            kept["gate"] = self.result.as_json()
        return kept

    def decide(self, session: pytest.Session) -> None:
        """Set the exit status: the gate's, or failure where the baseline shows a regression.

        Errors of use, interrupts, internal errors and a run without tests keep theirs, and so does
        a failure of anything that is no step.
        """
        if self.result is not None and _stopped_at_failures(session):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if session.exitstatus not in _DECIDED:
            return
        if self.result is not None:
            others = session.testsfailed > self._forgiven
            if not others:
                session.exitstatus = self.result.exit_status
        elif any(each.regressed for each in self.changes):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def write_changes(self, reporter: Any, node_ids: Mapping[str, str]) -> None:
        """Write what has changed since the baseline.

        :param node_ids: of the steps' items, by label.
        """
        if self.baseline is None or not self.changes:
            return
        from pytest_comem.baseline.standing import StepId
        from pytest_comem.report.baseline import change_lines

        names: dict[tuple[Row, StepId], str] = {}
        for step in self._steps:
            if step.label in node_ids:
                key = self._row(step), (step.domain, step.episode, step.id)
                names.setdefault(key, node_ids[step.label])
        path, base = self.baseline.run.path, reporter.config.invocation_params.dir
        lines = change_lines(
            self.changes,
            path.relative_to(base) if path.is_relative_to(base) else path,
            lambda row, step: names.get((row, step), step[2]),
            whole=reporter.config.get_verbosity() > 0,
        )
        for line in lines:
            reporter.write_line(line)

    def write_result(self, reporter: Any, status: int) -> None:
        """Write the gate's rulings.

        :param status: the exit status that pytest is about to end with.
        """
        if self.result is not None:
            from pytest_comem.report.gate import write_gate

            write_gate(reporter, self.result, status)

    @cached_property
    def _steps(self) -> list[Step]:
        return [step for steps in self._materials.steps.values() for step in steps]

    @cached_property
    def _models(self) -> dict[str, str]:
        from pytest_comem.intended import models_by_label

        return models_by_label(self._materials)

    def _row(self, step: Step) -> Row:
        return (step.suite, step.system, self._models.get(step.model, step.model))

    @property
    def _rows(self) -> list[Row]:
        return list(dict.fromkeys(map(self._row, self._steps)))

    @cached_property
    def _known(self) -> Known:
        from pytest_comem.intended import known_of

        return known_of(self._materials)

    def _played(self, planned: Collection[str]) -> Played:
        from pytest_comem.gate.played import played

        wanted = set(planned)
        return played(
            self._outcomes.values(),
            [step for step in self._steps if step.label in wanted],
            self._models,
            [
                label
                for label, system in self._materials.systems.items()
                if system.capabilities.reference
            ],
        )

    def _refuse_incomparable(self, baseline: Baseline) -> None:
        from pytest_comem.engine.runs import incomparable
        from pytest_comem.intended import as_run

        this = as_run(self._materials)
        if this.outcomes and (found := incomparable(baseline.run, this)):
            differing = "".join(f"\n  {line}" for line in found)
            raise SettingsError(
                f"--comem-baseline: {baseline.run.path} cannot be compared with this run:"
                f"{differing}\nmake a new one of a run like this: comem baseline RUN -o FILE"
            )


def _stopped_at_failures(session: pytest.Session) -> bool:
    """Whether pytest-xdist calls it an interrupt that ``-x`` has stopped the run."""
    if session.exitstatus != pytest.ExitCode.INTERRUPTED:
        return False
    distributing = session.config.pluginmanager.getplugin("dsession")
    return str(getattr(distributing, "shouldstop", "")).startswith("stopping after")
