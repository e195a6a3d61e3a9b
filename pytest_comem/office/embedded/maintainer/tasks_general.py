"""A talk, a plan and a heap of mail: work beside the code, where much is said in passing."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.maintainer.common import QUILLSPAN
from pytest_comem.office.embedded.maintainer.tasks_quillspan_releases import date_slot
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
from pytest_comem.streams.plans import Plan, PlanStep
from pytest_comem.streams.schema import Activity, Observation, Resource

_ABSTRACT: Final = "talks/abstract.md"

TALK: Final = TaskSpec(
    id="m05-talk",
    started="2025-02-19T20:05",
    project=None,
    title="Abstract of a talk",
    instruction=(
        "I want to give a talk on changelogs that people read, at the spring meeting. Draft the "
        "abstract with how often Quillspan is downloaded a month; the download service knows."
    ),
    observations=(
        Observation(
            title="Call for talks",
            text="Talks of 25 minutes on the craft around code: releases, reviews, tests, "
            "deprecations. Abstracts of up to 1200 characters until the end of February. Tell us "
            "why people should come.",
        ),
    ),
    activities=(Activity.WRITING, Activity.TOOL_USE),
    main=False,
    scored=False,
    resources=(
        Resource(
            name="quillspan in january 2025",
            attributes={
                "downloads": "184 thousand",
                "downloads without mirrors": "61 thousand",
            },
        ),
    ),
    plan=Plan(
        steps=(
            step("ask_resource", request="list"),
            step("ask_resource", request="quillspan in january 2025: downloads"),
            step(
                "write",
                path=_ABSTRACT,
                text=(
                    "# Changelogs that people read\n\n"
                    "A changelog is the one text of a package that everybody opens, and mostly in "
                    "anger. Quillspan is downloaded 184 thousand times a month, and for years "
                    "its changelog said what we had done instead of what readers would see. The "
                    "talk shows what changed when we turned that round: fewer questions after a "
                    "release, and deprecations that nobody was surprised by.\n\n"
                    "Needed: a projector.\n"
                ),
            ),
        )
    ),
    replies=("The abstract is drafted, it has about 450 characters.",),
    edits=(
        do("edit", path=_ABSTRACT, old="184 thousand", new="61 thousand"),
        do(
            "edit",
            path=_ABSTRACT,
            old="Needed: a projector.",
            new="Needed: a projector.\n\nOwner: Maren Oldfield",
        ),
    ),
    remarks=(
        "What the service calls downloads counts the mirrors too, three copies for each person. In "
        "all projects I only quote what it has without mirrors.",
        "Whatever others are to act on, calls, plans, abstracts, ends in all projects with the "
        "line\nOwner: Maren Oldfield\nso that nobody has to ask whom to ring.",
        "Before I forget, the packagers asked about Quillspan: a deprecated name stays for two "
        "minor releases. So whatever is deprecated in 1.1 was gone in 1.3.",
        "Shall I bring cinnamon buns to the meeting? Last year there were only biscuits.",
    ),
)

_PLAN: Final = "plans/python-3-8.md"
_SHARE: Final = "quillspan on python 3.8 in march 2025"
_STAYS: Final = (
    "The share is above 5 %: Python 3.8 stays supported in 1.5, and we look again in October."
)
_GOES: Final = "The share is below 5 %: 1.5 is the last release for Python 3.8, and 1.6 drops it."
_NOTES: Final = {
    "notes/downstream/tidewatch.md": (
        "# Tidewatch\n\nTwo buoys still run Python 3.8; both are brought in and changed on 16 May "
        "2025.\nThey read every announcement.\n"
    ),
    "notes/downstream/harbourlog.md": (
        "# Harbourlog\n\nOn Python 3.11 since last summer. Want wheels for ARM.\n"
    ),
    "notes/downstream/dunegrass.md": (
        "# Dunegrass\n\nPython 3.10. Pinned to Quillspan 1.2 until their audit in April.\n"
    ),
}
_ACTIONS: Final = (
    ("Tell packagers and Tidewatch", "2025-05-05"),
    ("Check that Tidewatch's two buoys are changed", "2025-05-19"),
    ("Decide in the issue, and announce", "2025-06-02"),
)


def _plan_text(decision: str, table: bool, risks: bool) -> str:
    """Return the text of the plan, with placeholders."""
    steps = "".join(
        f"| {what} | {{date:{when}}} |\n" if table else f"- {what}: {{date:{when}}}\n"
        for what, when in _ACTIONS
    )
    head = "| Step | By |\n| --- | --- |\n" if table else ""
    wrong = (
        "## What can go wrong\n\nA buoy of Tidewatch cannot be brought in because of the weather; "
        "then everything waits two weeks.\n\n"
        if risks
        else ""
    )
    return (
        "# Python 3.8 in Quillspan\n\n"
        f"Share of downloads on Python 3.8 in March: {{value:share}}\n\n{decision}\n\n"
        "Tidewatch runs 3.8 on two buoys until {date:2025-05-16}; Harbourlog and Dunegrass run "
        f"newer ones.\n\n## Steps\n\n{head}{steps}\n{wrong}Owner: {{slot:owner}}\n"
    )


def _plan_steps() -> list[PlanStep]:
    return [
        step(
            "write",
            path=_PLAN,
            text=_plan_text(_GOES if counts == "real" else _STAYS, table == "yes", risks == "yes"),
            when={"counts": [counts], "table": [table], "risks": [risks]},
        )
        for counts in ("all", "real")
        for table in ("no", "yes")
        for risks in ("no", "yes")
    ]


PYTHON_38: Final = TaskSpec(
    id="m10-python-3-8",
    started="2025-04-03T09:30",
    project=QUILLSPAN,
    title="Plan for Python 3.8",
    instruction=(
        "Does Quillspan still have to support Python 3.8? We drop a version once fewer than 5 % of "
        "downloads are on it. Find out its share in March and who of those in notes/downstream "
        "is touched, and write the plan with its steps to plans/python-3-8.md."
    ),
    activities=(Activity.PLANNING, Activity.DEEP_RESEARCH, Activity.TOOL_USE),
    resources=(
        Resource(
            name=_SHARE,
            attributes={
                "share": "11.8 %",
                "share without mirrors": "2.9 %",
            },
        ),
        Resource(
            name="quillspan in march 2025",
            attributes={
                "downloads": "192 thousand",
                "downloads without mirrors": "64 thousand",
            },
        ),
    ),
    incoming=_NOTES,
    plan=Plan(
        slots=(
            date_slot(),
            slot(
                "counts",
                "choice",
                "all",
                options={"all": [], "real": ["without mirrors"]},
            ),
            slot("owner", "line", "to be named", lead="Owner:"),
            slot("table", "choice", "no", options={"no": [], "yes": ["Step | By"]}),
            slot("risks", "choice", "no", options={"no": [], "yes": ["What can go wrong"]}),
        ),
        steps=(
            step("ask_resource", request="list", unless_known="counts"),
            step(
                "ask_resource",
                request=f"{_SHARE}: share",
                save="share",
                when={"counts": ["all"]},
            ),
            step(
                "ask_resource",
                request=f"{_SHARE}: share without mirrors",
                save="share",
                when={"counts": ["real"]},
            ),
            step("list", path="notes/downstream"),
            *(step("read", path=path) for path in sorted(_NOTES)),
            *_plan_steps(),
        ),
    ),
    choices={
        "dates": "iso",
        "counts": "real",
        "owner": "Maren Oldfield",
        "table": "yes",
        "risks": "yes",
    },
    replies=("2.9 % are left: the plan says how 3.8 goes, after Tidewatch has changed its buoys.",),
    remarks=("Clear enough. I have told Tidewatch on the phone.",),
    checks=(
        check(
            "share",
            "minimum",
            "The share of Python 3.8 in March is right: 2.9 %, mirrors left out.",
            "contains",
            broken("edit", path=_PLAN, old="March: 2.9 %", new="March: some"),
            ["counts"],
            file=_PLAN,
            all=["2.9 %"],
        ),
        check(
            "decision",
            "minimum",
            "The plan says that 1.6 drops Python 3.8.",
            "contains",
            broken("edit", path=_PLAN, old="1.6 drops it", new="a later one drops it"),
            ["counts"],
            file=_PLAN,
            any_of=["1.6 drops"],
        ),
        check(
            "touched",
            "minimum",
            "The plan names Tidewatch as the one that still runs it.",
            "contains",
            broken("edit", path=_PLAN, old="Tidewatch runs 3.8 on", new="Somebody runs 3.8 on"),
            file=_PLAN,
            any_of=["Tidewatch runs 3.8"],
        ),
        check(
            "steps",
            "reference",
            "The plan has the part Steps.",
            "headings",
            broken("edit", path=_PLAN, old="## Steps", new="## Then"),
            file=_PLAN,
            include=["Steps"],
        ),
        check(
            "others",
            "better",
            "The plan says that the others are not touched.",
            "contains",
            broken("edit", path=_PLAN, old="Harbourlog and Dunegrass run", new="Others run"),
            file=_PLAN,
            all=["Harbourlog", "Dunegrass"],
        ),
    ),
    preferences=(
        item(
            "plan-dates",
            "quillspan-iso",
            "Dates in a document of Quillspan are ISO dates.",
            decided(
                "date_style",
                broken("edit", path=_PLAN, old="until 2025-05-16", new="until 16 May 2025"),
                ["dates"],
                file=_PLAN,
                style="iso",
                least=3,
            ),
            weight=2,
        ),
        item(
            "owner",
            "owner-line",
            "What others are to act on ends with a line that names the owner.",
            decided(
                "line",
                broken("edit", path=_PLAN, old="Owner: Maren Oldfield", new="Owner: us"),
                ["owner"],
                file=_PLAN,
                lead="Owner:",
                equal="Maren Oldfield",
            ),
        ),
        item(
            "steps-table",
            "plan-table",
            "The steps of a plan are a table with the columns Step and By.",
            decided(
                "columns",
                broken("edit", path=_PLAN, old="| Step | By |", new="| What | By |"),
                ["table"],
                file=_PLAN,
                equal=["Step", "By"],
            ),
            weight=2,
        ),
        item(
            "risks",
            "plan-risks",
            "A plan has a part 'What can go wrong'.",
            decided(
                "headings",
                broken("edit", path=_PLAN, old="## What can go wrong", new="## Risks"),
                ["risks"],
                file=_PLAN,
                include=["What can go wrong"],
            ),
        ),
    ),
    relevant=(
        relevant("m08-quillspan-1-4", "convention", "Step | By"),
        relevant("m05-talk", "fact", "without mirrors", "with the line"),
        relevant("m01-fractions", "convention", "## 1.3.3 - 2025-01-13"),
    ),
)

MAILS: Final = TaskSpec(
    id="m12-mails",
    started="2025-05-14T19:30",
    project=None,
    title="A heap of mail",
    instruction=(
        "A month of mail lies here. Sort it with me: draft short answers to the four below, then I "
        "tell you what changes."
    ),
    observations=(
        Observation(
            title="Mail from Pim",
            text="The part came! Heron ticks right since 2 May, and both machines moved from lab "
            "2 to lab 5, where it is quieter. Do you want last year's runs set right, too?",
        ),
        Observation(
            title="Mail from the packagers",
            text="Two of our three distributions release once a year now. Could deprecated names "
            "stay a little longer than they do?",
        ),
        Observation(
            title="Mail from the harbour offices",
            text="We file your announcements by day and the search does not understand your "
            "dates. By the way, the list of users gets more spam than mail.",
        ),
        Observation(
            title="Mail from the spring meeting",
            text="Your talk on changelogs was the best attended of the day. May we print the "
            "review checklist? We owe you biscuits.",
        ),
    ),
    activities=(Activity.PLANNING, Activity.WRITING),
    main=False,
    scored=False,
    plan=Plan(
        steps=(
            step(
                "write",
                path="mail/answers-may.md",
                text=(
                    "# Answers\n\n"
                    "- Pim: wonderful, thank you. Leave last year's runs as they are.\n"
                    "- Packagers: yes, gladly, you will hear of it with the next release.\n"
                    "- Harbour offices: good points both, we change that.\n"
                    "- Spring meeting: print it, and mention who wrote the first version.\n"
                ),
            ),
        )
    ),
    replies=("Four answers are drafted in mail/answers-may.md.",),
    remarks=(
        "Send them. From now on heron's times go in as recorded, its clock was replaced; and the "
        "summaries say\nMeasured on: petrel and heron, lab 5",
        "From now on I want ISO dates everywhere, in headings and in texts, for harbour offices "
        "as well: 2025-05-14.",
        "From now on a deprecated name of Quillspan stays for three minor releases.",
        "The users' list is closed at the end of the month. From now on announcements of Ferrybox "
        "say\nQuestions: help@ferrybox.example",
        "And tell the spring meeting that I am still waiting for the biscuits.",
    ),
)
