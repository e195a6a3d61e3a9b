"""Loadline's monthly summaries of what the lab's machines measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, final

from pytest_comem.office.embedded.maintainer.benchmark_data import (
    CASES,
    as_csv,
    counted,
    mean,
    runs_of,
    shown,
    true_millis,
)
from pytest_comem.office.embedded.maintainer.common import LOADLINE
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    decided,
    do,
    item,
    relevant,
    slot,
    step,
)
from pytest_comem.office.operations import Operation
from pytest_comem.streams.hidden import Check, PreferenceItem
from pytest_comem.streams.plans import Plan, PlanStep
from pytest_comem.streams.schema import Activity, Observation

_MEASURED: Final = "the lab machines"
_LAB_2: Final = "petrel and kestrel, lab 2"
_LAB_5: Final = "petrel and kestrel, lab 5"


@final
@dataclass(frozen=True, slots=True)
class _Month:
    """A month's summary; its figures are told from the rows by plain arithmetic.

    :param slow_clock: whether kestrel's clock was still slow.
    :param lab: where the machines stood.
    """

    number: int
    name: str
    slow_clock: bool
    lab: str

    @property
    def month(self) -> str:
        """Return the month such as ``2025-02``."""
        return f"2025-{self.number:02}"

    @property
    def data(self) -> str:
        """Return the path of the month's runs."""
        return f"loadline/data/runs-{self.month}.csv"

    @property
    def report(self) -> str:
        """Return the path of the reference's summary."""
        return f"loadline/reports/{self.month}-bench.md"

    def times(self, case: str | None = None) -> list[Decimal]:
        """Return the true times of the runs that count."""
        return counted(runs_of(self.number, self.slow_clock), self.slow_clock, case)

    def fastest(self) -> Decimal:
        """Return the true time of kestrel's fastest run; warm-ups are never the fastest."""
        runs = [run for run in runs_of(self.number, self.slow_clock) if run.host == "kestrel"]
        return min(true_millis(run, self.slow_clock) for run in runs)

    def row(self, case: str, bare: bool = False) -> str:
        """Return a case's row of the full table; *bare* as it is without habits of numbers."""
        times = self.times(case)
        cells = [case, str(len(times)), shown(mean(times)), shown(max(times))]
        text = f"| {' | '.join(cells)} |"
        return _bare(text) if bare else text


def _bare(text: str) -> str:
    """Return a text without commas in numbers, and whole numbers without a decimal."""
    return re.sub(r"\.0\b", "", text.replace(",", ""))


_JANUARY: Final = _Month(1, "January", True, _LAB_2)
_FEBRUARY: Final = _Month(2, "February", True, _LAB_2)
_MAY: Final = _Month(5, "May", False, _LAB_5)


def _asked(month: _Month, save: str, what: str, case: str | None, full: bool = False) -> PlanStep:
    """Return a query for one figure of the runs that count, in true milliseconds."""
    which = f"\"case\" = '{case}' AND " if case else ""
    return step(
        "query",
        save=save,
        when={"table": ["full"]} if full else None,
        tables=[{"name": "runs", "path": month.data, "delimiter": ";"}],
        statement=(
            f"SELECT {what} FROM runs WHERE {which}kind NOT IN ('aborted', '{{slot:left_out}}')"
        ),
    )


_TRUE: Final = "millis * CASE WHEN host = 'kestrel' THEN {slot:kestrel} ELSE 1 END"


def _text(month: _Month, full: bool) -> str:
    header = (
        "| Case | Runs | Mean ms | Slowest ms |\n| --- | --- | --- | --- |\n"
        if full
        else "| Case | Mean ms |\n| --- | --- |\n"
    )
    rows = "".join(
        f"| {case} | {{value:{case}_runs}} | {{number:{case}_mean}} | {{number:{case}_slowest}} |\n"
        if full
        else f"| {case} | {{number:{case}_mean}} |\n"
        for case in CASES
    )
    return (
        f"# Benchmarks of {month.name} 2025\n\n{header}{rows}\n"
        "Mean of all runs: {number:overall} ms\n\n"
        "Fastest run on kestrel: {number:fastest} ms\n\n"
        "Runs left out: {slot:left_out}\n\nMeasured on: {slot:measured}\n"
    )


def _steps(month: _Month) -> list[PlanStep]:
    steps = [
        step("list", path="loadline", unless_known="left_out"),
        step("read", path=month.data, unless_known="left_out"),
        _asked(month, "overall", f"ROUND(AVG({_TRUE}), 1)", None),
        step(
            "query",
            save="fastest",
            tables=[{"name": "runs", "path": month.data, "delimiter": ";"}],
            statement=f"SELECT MIN({_TRUE}) FROM runs WHERE host = 'kestrel'",
        ),
    ]
    for case in CASES:
        steps += [
            _asked(month, f"{case}_mean", f"ROUND(AVG({_TRUE}), 1)", case),
            _asked(month, f"{case}_runs", "COUNT(*)", case, full=True),
            _asked(month, f"{case}_slowest", f"MAX({_TRUE})", case, full=True),
        ]
    for value in ("short", "full"):
        steps.append(
            step(
                "write",
                path="{slot:report}",
                text=_text(month, value == "full"),
                when={"table": [value]},
            )
        )
    return steps


def _plan(month: _Month) -> Plan:
    return Plan(
        slots=(
            slot(
                "left_out",
                "choice",
                "skipped",
                options={"skipped": [], "warmup": ["warm-up", "'warmup'"]},
            ),
            slot(
                "kestrel",
                "choice",
                "1",
                options={"1": ["clock was replaced"], "1.25": ["by 1.25", "THEN 1.25"]},
            ),
            slot(
                "table",
                "choice",
                "short",
                options={"short": [], "full": ["Slowest ms"]},
            ),
            slot(
                "report",
                "file_name",
                f"loadline/reports/{month.name.lower()}.md",
                period=month.month,
                words=["bench"],
            ),
            slot(
                "numbers",
                "number_style",
                "1234.5",
                about=["I changed", "thousands", "comma"],
            ),
            slot(
                "measured",
                "line",
                _MEASURED,
                lead="Measured on:",
                about=["I changed", "from now on", "kestrel"],
            ),
        ),
        steps=tuple(_steps(month)),
    )


def _checks(month: _Month) -> tuple[Check, ...]:
    path, overall = month.report, mean(month.times())
    return (
        check(
            "every-case",
            "minimum",
            "The summary has a row for each of the three cases.",
            "contains",
            broken("edit", path=path, old="| spell |", new="| spelling |"),
            file="loadline/reports/*.md",
            all=[f"| {case} |" for case in CASES],
        ),
        check(
            "overall",
            "minimum",
            "The mean over all runs that count, in true milliseconds, is right.",
            "number_near",
            broken(
                "edit",
                path=path,
                old=f"runs: {shown(overall)} ms",
                new=f"runs: {shown(overall + 400)} ms",
            ),
            ["left_out", "kestrel"],
            file="loadline/reports/*.md",
            near="Mean of all runs",
            equals=float(overall),
            tolerance=0.051,
        ),
        check(
            "fastest-on-kestrel",
            "minimum",
            "The fastest run on kestrel, in true milliseconds, is right.",
            "number_near",
            broken(
                "edit",
                path=path,
                old=f"kestrel: {shown(month.fastest())} ms",
                new=f"kestrel: {shown(month.fastest() + 400)} ms",
            ),
            ["kestrel"],
            file="loadline/reports/*.md",
            near="Fastest run on kestrel",
            equals=float(month.fastest()),
            tolerance=0.051,
        ),
        *(
            check(
                f"mean-{case}",
                "reference",
                f"The mean of {case} is right.",
                "value",
                broken(
                    "edit",
                    path=path,
                    old=month.row(case),
                    new=month.row(case).replace(
                        shown(mean(month.times(case))), shown(mean(month.times(case)) + 300)
                    ),
                ),
                ["left_out", "kestrel"],
                file="loadline/reports/*.md",
                key={"Case": case},
                column="Mean ms",
                equals=float(mean(month.times(case))),
                tolerance=0.051,
            )
            for case in ("parse", "batches")
        ),
        check(
            "says-left-out",
            "better",
            "The summary says which runs were left out.",
            "contains",
            broken("edit", path=path, old="left out: warmup", new="left out: some"),
            ["left_out"],
            file="loadline/reports/*.md",
            any_of=["warmup", "warm-up", "warm up"],
        ),
    )


def _items(month: _Month, lab_root: str) -> tuple[PreferenceItem, ...]:
    path, overall = month.report, shown(mean(month.times()))
    return (
        item(
            "report-name",
            "bench-names",
            "A summary's file is named by its month: loadline/reports/MONTH-bench.md.",
            decided(
                "name",
                broken("move", path=path, to="loadline/reports/summary.md"),
                ["report"],
                file="loadline/reports/*.md",
                equal=path,
            ),
            weight=2,
        ),
        item(
            "thousands",
            "bench-thousands",
            "Milliseconds are written with a comma for thousands and one decimal: 1,234.5.",
            decided(
                "number_style",
                broken(
                    "edit", path=path, old=f"{overall} ms", new=f"{overall.replace(',', '')} ms"
                ),
                ["numbers"],
                file="loadline/reports/*.md",
                style="1,234.5",
                least=2,
            ),
            weight=2,
        ),
        item(
            "full-table",
            "bench-table",
            "The table has the columns Case, Runs, Mean ms, Slowest ms.",
            decided(
                "columns",
                broken("edit", path=path, old="| Runs |", new="| Count |"),
                ["table"],
                file="loadline/reports/*.md",
                equal=["Case", "Runs", "Mean ms", "Slowest ms"],
            ),
            weight=2,
        ),
        item(
            "machines",
            lab_root,
            f"The summary says where was measured: {month.lab}.",
            decided(
                "line",
                broken("edit", path=path, old=month.lab, new="two machines"),
                ["measured"],
                file="loadline/reports/*.md",
                lead="Measured on:",
                equal=month.lab,
            ),
        ),
    )


def _choices(month: _Month) -> dict[str, str]:
    return {
        "left_out": "warmup",
        "kestrel": "1.25" if month.slow_clock else "1",
        "table": "full",
        "report": month.report,
        "numbers": "1,234.5",
        "measured": month.lab,
    }


def _first_edits(month: _Month) -> Sequence[Operation]:
    first = f"loadline/reports/{month.name.lower()}.md"
    overall = shown(mean(month.times()))
    replaced = [(month.row(case, bare=True), month.row(case)) for case in CASES]
    replaced.append((f"runs: {_bare(overall)} ms", f"runs: {overall} ms"))
    fastest = shown(month.fastest())
    replaced.append((f"kestrel: {_bare(fastest)} ms", f"kestrel: {fastest} ms"))
    replaced.append((f"Measured on: {_MEASURED}", f"Measured on: {month.lab}"))
    return (
        *(do("edit", path=first, old=old, new=new) for old, new in replaced),
        do("move", path=first, to=month.report),
    )


def _summary(month: _Month) -> dict[str, bytes]:
    return {month.data: as_csv(runs_of(month.number, month.slow_clock))}


FIRST_SUMMARY: Final = TaskSpec(
    id="m03-bench-january",
    started="2025-01-31T16:00",
    project=LOADLINE,
    title="Benchmarks of January",
    instruction=(
        "Please summarise the benchmark runs of January for Loadline in a table with Case, Runs, "
        "Mean ms and Slowest ms; below it the mean over everything, and kestrel's fastest run."
    ),
    observations=(
        Observation(
            title="Notes of the call with Pim, who runs the lab",
            text="The first run of each case on each machine is a warm-up; it is marked and does "
            "not count. Kestrel's clock is slow: it records four fifths of the true time, so its "
            "times are multiplied by 1.25 before anything else. Pim has ordered a part, it can "
            "take until spring. The heating of lab 2 is loud but harmless.",
        ),
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.DATA_PROCESS),
    scored=False,
    incoming=_summary(_JANUARY),
    plan=_plan(_JANUARY),
    choices={"left_out": "warmup", "kestrel": "1.25", "table": "full"},
    replies=("The summary is written; warm-ups are out, and kestrel's times are set right.",),
    edits=_first_edits(_JANUARY),
    remarks=("The slowest run is what people ask about first, keep that column.",),
)

FEBRUARY: Final = TaskSpec(
    id="m06-bench-february",
    started="2025-02-28T16:10",
    project=LOADLINE,
    title="Benchmarks of February",
    instruction=(
        "February's runs are in. Please write the monthly summary for Loadline: a table by case, "
        "and lines 'Mean of all runs' and 'Fastest run on kestrel'."
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.DATA_PROCESS, Activity.WRITING),
    archived=("loadline/reports/*",),
    incoming=_summary(_FEBRUARY),
    plan=_plan(_FEBRUARY),
    choices=_choices(_FEBRUARY),
    replies=("February is summarised like January.",),
    remarks=("Thanks. Batches got slower by a hair, I will look whether the last fix costs that.",),
    checks=_checks(_FEBRUARY),
    preferences=_items(_FEBRUARY, "bench-lab-2"),
    relevant=(
        relevant(
            "m03-bench-january",
            "fact",
            "multiplied by 1.25",
            "I renamed loadline/reports/january.md",
            "Mean ms and Slowest ms",
        ),
    ),
)

MAY: Final = TaskSpec(
    id="m13-bench-may",
    started="2025-05-30T16:40",
    project=LOADLINE,
    title="Benchmarks of May",
    instruction=(
        "Please write Loadline's summary of the runs in May, a table by case and the lines 'Mean "
        "of all runs' and 'Fastest run on kestrel', as for the earlier months."
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.DATA_PROCESS, Activity.WRITING),
    archived=("loadline/reports/*",),
    incoming=_summary(_MAY),
    plan=_plan(_MAY),
    choices=_choices(_MAY),
    replies=("May is summarised; kestrel's times went in as recorded.",),
    remarks=("Good, that is what Pim expected as well.",),
    checks=_checks(_MAY),
    preferences=_items(_MAY, "bench-lab-5"),
    relevant=(
        relevant("m12-mails", "fact", "clock was replaced", "lab 5"),
        relevant("m06-bench-february", "convention", "# Benchmarks of February 2025"),
        relevant(
            "m03-bench-january", "convention", "I renamed loadline/reports/january.md", "a warm-up"
        ),
    ),
)
