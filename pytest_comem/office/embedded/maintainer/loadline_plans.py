"""The plain way to a summary of Loadline, with what it leaves open."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.maintainer.benchmark_data import CASES
from pytest_comem.office.embedded.maintainer.loadline_months import MEASURED, Month
from pytest_comem.office.embedded.specs import slot, step
from pytest_comem.streams.plans import Plan, PlanStep, Slot


def _asked(month: Month, save: str, what: str, case: str | None, full: bool = False) -> PlanStep:
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


_TRUE: Final = "millis * CASE WHEN host = 'heron' THEN {slot:heron} ELSE 1 END"


def _text(month: Month, full: bool) -> str:
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
        "Fastest run on heron: {number:fastest} ms\n\n"
        "Runs left out: {slot:left_out}\n\nMeasured on: {slot:measured}\n"
    )


def _steps(month: Month) -> list[PlanStep]:
    steps = [
        step("list", path="loadline", unless_known="left_out"),
        step("read", path=month.data, unless_known="left_out"),
        _asked(month, "overall", f"ROUND(AVG({_TRUE}), 1)", None),
        step(
            "query",
            save="fastest",
            tables=[{"name": "runs", "path": month.data, "delimiter": ";"}],
            statement=f"SELECT MIN({_TRUE}) FROM runs WHERE host = 'heron'",
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


def plan(month: Month) -> Plan:
    """Return the plan for a month's summary."""
    return Plan(slots=_slots(month), steps=tuple(_steps(month)))


def _slots(month: Month) -> tuple[Slot, ...]:
    return (
        slot(
            "left_out",
            "choice",
            "skipped",
            options={"skipped": [], "warmup": ["warm-up", "'warmup'"]},
        ),
        slot(
            "heron",
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
        ),
        slot(
            "measured",
            "line",
            MEASURED,
            lead="Measured on:",
        ),
    )
