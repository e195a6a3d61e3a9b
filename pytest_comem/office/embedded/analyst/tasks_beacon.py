"""Tasks of the project Beacon: what customers say."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.analyst import habits
from pytest_comem.office.embedded.analyst.beacon import (
    channel,
    promoters,
    queries,
    reading,
    usable,
)
from pytest_comem.office.embedded.analyst.data import answers, survey
from pytest_comem.office.embedded.analyst.harbour import registered
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    do,
    relevant,
    step,
)
from pytest_comem.office.styles import format_number
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

_FEBRUARY: Final = tuple(answers("2025-02", 140))
_VOICE: Final = "beacon/*voice*.md"


_CLEAN: Final = "survey/2025-02-clean.csv"
_SUMMARY: Final = "beacon/february-voice.md"
_FINAL: Final = "beacon/2025-02-beacon-voice.md"
_QUOTE: Final = '- "boxes arrive late"'
_SOURCE: Final = next(
    a.number
    for a in usable(_FEBRUARY)
    if a.comment == "boxes arrive late" and a.score < 7  # type: ignore[operator]
)
_NET_FEBRUARY: Final = promoters(usable(_FEBRUARY))
_COUNT_FEBRUARY: Final = len(usable(_FEBRUARY))

A06: Final = TaskSpec(
    id="a06",
    started="2025-03-05T13:30",
    project=habits.BEACON,
    title="Answers of February",
    instruction="First month of the survey: please clean survey/2025-02.csv into "
    "survey/2025-02-clean.csv (number, day, channel, score; only answers with a score, and without "
    "the kiosk, which sends everything twice) and write a short summary with the net promoter "
    "score to beacon/february-voice.md (lines Answers counted: and Net promoter score:).",
    observations=(
        Observation(
            title="Mail from Yusuf (product)",
            text="We pipe your summary into our dashboard, so plain figures please, nothing that a "
            "parser trips over. A date such as 2025-02-28 is fine.",
        ),
    ),
    activities=(Activity.DATA_PROCESS, Activity.WRITING, Activity.TOOL_USE),
    archived=("reports/*", "finance/2025-*"),
    incoming={"survey/2025-02.csv": survey(_FEBRUARY)},
    plan=Plan(
        slots=(
            reading(),
            channel("kiosk"),
            habits.dates("Data as of", "Closed on", "dates"),
            habits.numbers("thousands", "Revenue in EUR", "Monthly fees lost"),
            habits.questions(),
            habits.register(),
        ),
        steps=(
            step("list", path="survey"),
            step("shell", command="head -n 4 survey/2025-02.csv", unless_known="reading"),
            *queries("survey/2025-02.csv"),
            step("write", path=_CLEAN, text="number,day,channel,score\n{value:lines}\n"),
            step(
                "write",
                path=_SUMMARY,
                text="# Beacon, February 2025\n\nAnswers until: {date:2025-02-28|dates}\n\n"
                "## Findings\n\n- Answers counted: {value:count}\n"
                "- Net promoter score: {number:net|numbers}\n"
                "- Boxes packed that month: {number:18260.5|numbers}\n\n"
                f"## Quotes\n\n{_QUOTE}\n\n"
                "Prepared by: Customer Data team\nQuestions to: {slot:questions}\n",
            ),
            step(
                "shell",
                command=f"python3 tools/register.py {_SUMMARY}",
                when={"register": ["yes"]},
            ),
        ),
    ),
    choices={
        "reading": "commas",
        "channel": "kiosk",
        "dates": "iso",
        "numbers": "1234.5",
        "questions": habits.ADDRESS,
        "register": "yes",
    },
    replies=("The clean answers and a summary are there.",),
    edits=(
        do("edit", path=_SUMMARY, old=_QUOTE, new=f"{_QUOTE} [{_SOURCE}]"),
        do(
            "edit",
            path=_SUMMARY,
            old="Prepared by: Customer Data team",
            new=f"Prepared by: {habits.SIGNATURES[habits.BEACON]}",
        ),
        do("move", path=_SUMMARY, to=_FINAL),
    ),
    remarks=(
        "Product reads this with other eyes than Retention: a quote without its source, in square "
        "brackets right behind it, is an anecdote to them.",
        "Yusuf's parser took it at once. His exports always have commas, as this one.",
    ),
    checks=(
        check(
            "clean",
            "minimum",
            f"The clean file has the {_COUNT_FEBRUARY} answers that count.",
            "rows",
            broken("append", path=_CLEAN, text="S999,2025-02-28,web,9\n"),
            ("reading", "channel"),
            file=_CLEAN,
            count=_COUNT_FEBRUARY,
        ),
        check(
            "columns",
            "reference",
            "The clean file has the four columns.",
            "columns",
            broken("edit", path=_CLEAN, old="number,day,channel,score", new="id,day,channel,score"),
            file=_CLEAN,
            equal=["number", "day", "channel", "score"],
        ),
        check(
            "net",
            "reference",
            f"The net promoter score is {_NET_FEBRUARY}.",
            "number_near",
            broken(
                "edit",
                path=_FINAL,
                old=f"score: {format_number(_NET_FEBRUARY, '1234.5')}",
                new="score: 1.2",
            ),
            ("reading", "channel"),
            file=_VOICE,
            near="Net promoter score:",
            equals=_NET_FEBRUARY,
        ),
        registered(3),
        check(
            "counted",
            "better",
            "The summary says how many answers it rests on.",
            "number_near",
            broken("edit", path=_FINAL, old="Answers counted", new="Answers"),
            ("reading", "channel"),
            file=_VOICE,
            near="Answers counted:",
            equals=_COUNT_FEBRUARY,
        ),
    ),
    preferences=(
        habits.dates_item(
            "beacon-plain",
            _VOICE,
            "iso",
            broken("edit", path=_FINAL, old="2025-02-28", new="28 February 2025"),
        ),
        habits.numbers_item(
            "beacon-plain",
            _VOICE,
            "1234.5",
            broken("edit", path=_FINAL, old="18260.5", new="18,260.5"),
        ),
        habits.questions_item(_FINAL, _VOICE),
    ),
    relevant=(relevant("a03", "convention", "whom to ask", "when a report is finished"),),
)
