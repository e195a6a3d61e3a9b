"""Loadline's monthly summaries of what the lab's machines measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_comem.office.embedded.maintainer.benchmark_data import (
    CASES,
    as_csv,
    mean,
    runs_of,
    shown,
)
from pytest_comem.office.embedded.maintainer.common import LOADLINE
from pytest_comem.office.embedded.maintainer.loadline_months import (
    LAB_2,
    LAB_5,
    MEASURED,
    Month,
    bare,
)
from pytest_comem.office.embedded.maintainer.loadline_plans import plan
from pytest_comem.office.embedded.maintainer.loadline_rubrics import checks, items
from pytest_comem.office.embedded.specs import TaskSpec, do, relevant
from pytest_comem.office.operations import Operation
from pytest_comem.streams.schema import Activity, Observation

_JANUARY: Final = Month(1, "January", True, LAB_2)
_FEBRUARY: Final = Month(2, "February", True, LAB_2)
_MAY: Final = Month(5, "May", False, LAB_5)


def _choices(month: Month) -> dict[str, str]:
    return {
        "left_out": "warmup",
        "heron": "1.25" if month.slow_clock else "1",
        "table": "full",
        "report": month.report,
        "numbers": "1,234.5",
        "measured": month.lab,
    }


def _first_edits(month: Month) -> Sequence[Operation]:
    first = f"loadline/reports/{month.name.lower()}.md"
    overall = shown(mean(month.times()))
    replaced = [(month.row(case, uncut=True), month.row(case)) for case in CASES]
    replaced.append((f"runs: {bare(overall)} ms", f"runs: {overall} ms"))
    fastest = shown(month.fastest())
    replaced.append((f"heron: {bare(fastest)} ms", f"heron: {fastest} ms"))
    replaced.append((f"Measured on: {MEASURED}", f"Measured on: {month.lab}"))
    return (
        *(do("edit", path=first, old=old, new=new) for old, new in replaced),
        do("move", path=first, to=month.report),
    )


def _summary(month: Month) -> dict[str, bytes]:
    return {month.data: as_csv(runs_of(month.number, month.slow_clock))}


FIRST_SUMMARY: Final = TaskSpec(
    id="m03-bench-january",
    started="2025-01-31T16:00",
    project=LOADLINE,
    title="Benchmarks of January",
    instruction=(
        "Please summarise the benchmark runs of January for Loadline in a table with Case, Runs, "
        "Mean ms and Slowest ms; below it the mean over everything, and heron's fastest run."
    ),
    observations=(
        Observation(
            title="Notes of the call with Pim, who runs the lab",
            text="The first run of each case on each machine is a warm-up; it is marked and does "
            "not count. Heron's clock is slow: it records four fifths of the true time, so its "
            "times are multiplied by 1.25 before anything else. Pim has ordered a part, it can "
            "take until spring. The heating of lab 2 is loud but harmless.",
        ),
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.DATA_PROCESS),
    scored=False,
    incoming=_summary(_JANUARY),
    plan=plan(_JANUARY),
    choices={"left_out": "warmup", "heron": "1.25", "table": "full"},
    replies=("The summary is written; warm-ups are out, and heron's times are set right.",),
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
        "and lines 'Mean of all runs' and 'Fastest run on heron'."
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.DATA_PROCESS, Activity.WRITING),
    archived=("loadline/reports/*",),
    incoming=_summary(_FEBRUARY),
    plan=plan(_FEBRUARY),
    choices=_choices(_FEBRUARY),
    replies=("February is summarised like January.",),
    remarks=("Thanks. Batches got slower by a hair, I will look whether the last fix costs that.",),
    checks=checks(_FEBRUARY),
    preferences=items(_FEBRUARY, "bench-lab-2"),
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
        "of all runs' and 'Fastest run on heron', as for the earlier months."
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.DATA_PROCESS, Activity.WRITING),
    archived=("loadline/reports/*",),
    incoming=_summary(_MAY),
    plan=plan(_MAY),
    choices=_choices(_MAY),
    replies=("May is summarised; heron's times went in as recorded.",),
    remarks=("Good, that is what Pim expected as well.",),
    checks=checks(_MAY),
    preferences=items(_MAY, "bench-lab-5"),
    relevant=(
        relevant("m12-mails", "fact", "clock was replaced", "lab 5"),
        relevant("m06-bench-february", "convention", "# Benchmarks of February 2025"),
        relevant(
            "m03-bench-january", "convention", "I renamed loadline/reports/january.md", "a warm-up"
        ),
    ),
)
