"""Work of the analyst that belongs to no project: plans, tools, and what holds for all."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.analyst import habits
from pytest_comem.office.embedded.analyst.harbour import INDEX
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
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

_REGISTER: Final = '''"""Enters a finished report in register/index.csv: number, kind, digest."""

import hashlib
import sys
from pathlib import Path

INDEX = Path("register/index.csv")


def main(name):
    report = Path(name)
    entries = INDEX.read_text().splitlines()
    digest = hashlib.sha256(report.read_bytes()).hexdigest()[:12]
    entries.append(f"{len(entries)},{report.suffix[1:]},{digest}")
    INDEX.write_text("\\n".join(entries) + "\\n")
    print(f"entered as number {len(entries) - 1}")


main(sys.argv[1])
'''
_QUARTER: Final = "plan/2025-q1.md"

A03: Final = TaskSpec(
    id="a03",
    started="2025-01-24T14:00",
    project=None,
    title="Plan of the first quarter",
    instruction="Please turn the notes below into a plan of our quarter (plan/2025-q1.md): steps, "
    "who does them, until when.",
    observations=(
        Observation(
            title="Notes of the team meeting",
            text="Churn reports stay with Mira; Jonas learns them in March. Petra's closings come "
            "first in the second week of a month. The survey of Yusuf starts in February.\n"
            "Rosa (IT): whoever wants a machine moved should know that IT moves machines on "
            "Sundays only, before noon; the warehouse will have its turn some day.\n"
            "Audit wants to see for every report that left the house that it is the one we made. "
            "Rosa has written tools/register.py for it.",
        ),
    ),
    activities=(Activity.PLANNING, Activity.WRITING),
    main=False,
    scored=False,
    incoming={"tools/register.py": _REGISTER, INDEX: "number,kind,digest\n"},
    plan=Plan(
        steps=(
            step("list", path="."),
            step("read", path="tools/register.py"),
            step(
                "write",
                path=_QUARTER,
                text="# Plan of the first quarter of 2025\n\n## Steps\n\n"
                "| Step | Owner | Due | Status |\n| --- | --- | --- | --- |\n"
                "| Survey starts | Yusuf | 2025-02-03 | open |\n"
                "| Closing of January | Mira | 2025-02-13 | open |\n"
                "| Jonas does a report | Jonas | 2025-04-02 | open |\n\n"
                "## Risks\n\n- Two closings fall into holidays.\n\nQuestions to: the data team\n",
            ),
        )
    ),
    replies=("The plan is in plan/2025-q1.md, three steps and one risk.",),
    edits=(
        do(
            "edit",
            path=_QUARTER,
            old="| Step | Owner | Due | Status |",
            new="| Step | Owner | Due | Done when |",
        ),
        do(
            "edit",
            path=_QUARTER,
            old="| Survey starts | Yusuf | 2025-02-03 | open |",
            new="| Survey starts | Yusuf | 03.02.2025 | first answers are in |",
        ),
        do(
            "edit",
            path=_QUARTER,
            old="| Closing of January | Mira | 2025-02-13 | open |",
            new="| Closing of January | Mira | 13.02.2025 | Petra has it |",
        ),
        do(
            "edit",
            path=_QUARTER,
            old="| Jonas does a report | Jonas | 2025-04-02 | open |",
            new="| Jonas does a report | Jonas | 02.04.2025 | it is reviewed |",
        ),
        do(
            "edit",
            path=_QUARTER,
            old="Questions to: the data team",
            new=f"Questions to: {habits.ADDRESS}",
        ),
    ),
    remarks=(
        "In a plan the risks come first, before the steps; people stop reading after the table.",
        "All projects: whatever document we hand out says at its end whom to ask, like this:\n"
        f"Questions to: {habits.ADDRESS}",
        "All projects: when a report is finished, enter it with "
        "python3 tools/register.py and the report's path.",
        "For the tools: a test is called test_when_ and then what is the case, and an entry in the "
        "change log ends with a line like\nChanged by: ML-Data",
        "And nobody counts on me on the third of March, I am at the dentist.",
    ),
)

_NOTICE: Final = "plan/notice-may.md"
A11: Final = TaskSpec(
    id="a11",
    started="2025-05-07T16:20",
    project=None,
    title="Notice of what changes",
    instruction="Please write a short notice for the team (plan/notice-may.md) that there were "
    "decisions this week and that I will tell everybody in person. No details in writing yet.",
    observations=(
        Observation(
            title="Notes of the heads' meeting",
            text="Retention has a new head, Ruth. She wants churn to show when customers decide, "
            "not when their notice runs out, and hates dates with words in them. Audit's job runs "
            "every night since Monday.",
        ),
    ),
    activities=(Activity.WRITING,),
    main=False,
    scored=False,
    archived=("drafts/*",),
    plan=Plan(
        steps=(
            step("list", path="plan"),
            step(
                "write",
                path=_NOTICE,
                text="# Some things change\n\nThere were decisions this week. I will tell "
                f"everybody in person.\n\nQuestions to: {habits.ADDRESS}\n",
            ),
        )
    ),
    replies=("The notice is short and says nothing yet.",),
    remarks=(
        "For you already now. From now on Harbour counts an account as lost in the month it asked "
        "to leave (column requested), and an account that has asked is no longer there in the "
        "months after.",
        "From now on dates in Harbour reports are written like 2025-05-07.",
        "From now on, in all projects: the nightly job of Audit replaces tools/register.py; "
        "reports are picked up at night and register themselves.",
        "The rest of the week I am at the conference, with bad coffee and good slides.",
    ),
)

_MOVE: Final = "plan/warehouse-move.md"
_RISKS: Final = (
    "## Risks\n\n- Reports of the week could find no warehouse.\n"
    "- A copy that is cut short looks like a good one.\n\n"
)
_STEPS: Final = """## Steps

Cut-over: {cut}

| {columns} |
| --- | --- | --- | --- |
| Freeze the warehouse | Rosa | {{date:2025-09-03|dates}} | nobody can write |
| Copy and compare it | Rosa | {{date:2025-09-04|dates}} | counts are equal |
| Point the reports to it | Mira | {{date:2025-09-09|dates}} | a report runs |

"""
_DAYS: Final = {
    "friday": "Friday, {date:2025-09-05|dates}",
    "sunday": "Sunday, {date:2025-09-07|dates}",
}
_HEADER: Final = "Step | Owner | Due | Done when"


def _steps(day: str) -> str:
    return (
        _STEPS.format(cut=_DAYS[day], columns="{slot:columns}")
        .replace("{{", "{")
        .replace("}}", "}")
    )


A16: Final = TaskSpec(
    id="a16",
    started="2025-08-20T11:10",
    project=None,
    title="The warehouse moves",
    instruction="The warehouse moves to a new machine in the first week of September. Please write "
    "the plan for it (plan/warehouse-move.md): what is done by whom until when, the day of the "
    "cut-over, what can go wrong.",
    observations=(
        Observation(
            title="Mail from Rosa (IT)",
            text="The new machine is ready. Copying takes half a day, comparing the other half. "
            "Tell me the day and I shall be there.",
        ),
    ),
    activities=(Activity.PLANNING, Activity.WRITING),
    main=False,
    archived=("plan/*", "reports/*", "beacon/*", "finance/2025-*", "drafts/*"),
    plan=Plan(
        slots=(
            slot(
                "columns",
                "columns",
                "Step|Owner|Due|Status",
                about=["Step"],
            ),
            slot(
                "day",
                "choice",
                "friday",
                options={"friday": ("Fridays only",), "sunday": ("Sundays only", "on Sundays")},
                about=["machine", "machines", "IT"],
            ),
            slot(
                "first",
                "choice",
                "steps",
                options={
                    "steps": ("steps come first",),
                    "risks": ("risks come first", "risks first"),
                },
            ),
            slot("dates", "date_style", "iso", about=["Done when", "Due"]),
            habits.questions(),
        ),
        steps=(
            step("list", path="."),
            step("read", path="warehouse.sqlite"),
            step("write", path=_MOVE, text="# Moving the warehouse\n\n"),
            step("append", path=_MOVE, text=_RISKS, when={"first": ["risks"]}),
            *(
                step("append", path=_MOVE, text=_steps(day), when={"day": [day]})
                for day in ("friday", "sunday")
            ),
            step("append", path=_MOVE, text=_RISKS, when={"first": ["steps"]}),
            step("append", path=_MOVE, text="Questions to: {slot:questions}\n"),
        ),
    ),
    choices={
        "columns": "Step|Owner|Due|Done when",
        "day": "sunday",
        "first": "risks",
        "dates": "dotted",
        "questions": habits.ADDRESS,
    },
    replies=("The plan is in plan/warehouse-move.md, with the cut-over on Sunday.",),
    remarks=("Rosa has the plan.",),
    checks=(
        check(
            "steps",
            "minimum",
            "The copy is compared with the old warehouse.",
            "contains",
            broken("edit", path=_MOVE, old="Copy and compare it", new="Copy it"),
            file=_MOVE,
            all=["compare"],
        ),
        check(
            "who",
            "minimum",
            "The plan says what is Rosa's part.",
            "contains",
            [
                broken("edit", path=_MOVE, old=f"| {what} | Rosa |", new=f"| {what} | IT |")
                for what in ("Freeze the warehouse", "Copy and compare it")
            ],
            file=_MOVE,
            all=["Rosa"],
        ),
        check(
            "day",
            "reference",
            "The cut-over is on a Sunday, the only day on which IT moves machines.",
            "contains",
            broken("edit", path=_MOVE, old="Cut-over: Sunday,", new="Cut-over: Saturday,"),
            ("day",),
            file=_MOVE,
            all=["Sunday"],
        ),
        check(
            "compared",
            "better",
            "The plan says when the comparison is done.",
            "contains",
            broken("edit", path=_MOVE, old="counts are equal", new="Rosa says so"),
            file=_MOVE,
            any_of=["equal", "identical", "same number", "match"],
        ),
    ),
    preferences=(
        item(
            "columns",
            "plans",
            "The table has a column Done when.",
            decided(
                "columns",
                broken("edit", path=_MOVE, old="Done when", new="Status"),
                ["columns"],
                file=_MOVE,
                equal=["Step", "Owner", "Due", "Done when"],
            ),
            weight=2,
        ),
        item(
            "first",
            "plans",
            "Risks come before steps.",
            decided(
                "headings",
                [
                    broken("edit", path=_MOVE, old="## Steps", new="## Parts"),
                    broken("edit", path=_MOVE, old="## Risks", new="## Steps"),
                    broken("edit", path=_MOVE, old="## Parts", new="## Risks"),
                ],
                ["first"],
                file=_MOVE,
                equal=["Moving the warehouse", "Risks", "Steps"],
            ),
            weight=2,
        ),
        habits.dates_item(
            "plans", _MOVE, "dotted", broken("edit", path=_MOVE, old="03.09.2025", new="2025-09-03")
        ),
        habits.questions_item(_MOVE, _MOVE),
    ),
    relevant=(
        relevant(
            "a03",
            "convention",
            "I changed plan/2025-q1.md",
            "risks come first",
            "whom to ask",
        ),
        relevant("a03", "fact", "on Sundays only"),
    ),
)
