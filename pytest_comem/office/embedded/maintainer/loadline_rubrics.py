"""What a summary of Loadline is held against; the figures come from the rows, not from a plan."""

from __future__ import annotations

from functools import partial
from typing import Final

from pytest_comem.office.embedded.maintainer.benchmark_data import CASES, mean, shown
from pytest_comem.office.embedded.maintainer.loadline_months import Month
from pytest_comem.office.embedded.specs import broken, check, decided, item
from pytest_comem.streams.hidden import Check, PreferenceItem

#: Cases whose means are held against the rows.
_MEANS: Final = ("parse", "batches")


def checks(month: Month) -> tuple[Check, ...]:
    """Return the checks of a month's summary."""
    return (*_shape_checks(month), *_total_checks(month), *map(partial(_mean_check, month), _MEANS))


def _shape_checks(month: Month) -> tuple[Check, ...]:
    path = month.report
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


def _total_checks(month: Month) -> tuple[Check, ...]:
    path, overall = month.report, mean(month.times())
    return (
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
            ["left_out", "heron"],
            file="loadline/reports/*.md",
            near="Mean of all runs",
            equals=float(overall),
            tolerance=0.051,
        ),
        check(
            "fastest-on-heron",
            "minimum",
            "The fastest run on heron, in true milliseconds, is right.",
            "number_near",
            broken(
                "edit",
                path=path,
                old=f"heron: {shown(month.fastest())} ms",
                new=f"heron: {shown(month.fastest() + 400)} ms",
            ),
            ["heron"],
            file="loadline/reports/*.md",
            near="Fastest run on heron",
            equals=float(month.fastest()),
            tolerance=0.051,
        ),
    )


def _mean_check(month: Month, case: str) -> Check:
    path = month.report
    return check(
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
        ["left_out", "heron"],
        file="loadline/reports/*.md",
        key={"Case": case},
        column="Mean ms",
        equals=float(mean(month.times(case))),
        tolerance=0.051,
    )


def items(month: Month, lab_root: str) -> tuple[PreferenceItem, ...]:
    """Return the items; *lab_root* is the root of where was measured."""
    machines = item(
        "machines",
        lab_root,
        f"The summary says where was measured: {month.lab}.",
        decided(
            "line",
            broken("edit", path=month.report, old=month.lab, new="two machines"),
            ["measured"],
            file="loadline/reports/*.md",
            lead="Measured on:",
            equal=month.lab,
        ),
    )
    return (*_form_items(month), machines)


def _form_items(month: Month) -> tuple[PreferenceItem, ...]:
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
    )
