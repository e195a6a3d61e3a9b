"""A colleague's draft of a churn report under review."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.analyst import habits
from pytest_comem.office.embedded.analyst.data import churn
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    decided,
    item,
    relevant,
    slot,
    step,
)
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

_MARCH: Final = churn("2025-03")
_OFF: Final = churn("2025-03", internal=True)
DRAFT: Final = f"""# Harbour churn, March 2025

Data as of: 2025-03-31

## Headline

- Accounts at start: {_OFF.start}
- Lost accounts: {_OFF.lost}
- Churn rate in percent: {_OFF.rate}
- Monthly fees lost in euro: {_OFF.fees}

## Segments

| Segment | Start | Lost | Churn |
| --- | --- | --- | --- |
| Family | 120 | 5 | 4.2 |
| Office | 104 | 7 | 7.7 |
| Solo | 114 | 5 | 4.4 |

## Contact centre

Tickets opened: 488

Prepared by: Jonas Brandt
"""
_REVIEW: Final = "drafts/review-of-march.md"
_ADDS: Final = "Segments add up to 17 lost accounts, the headline says 18; Office lost 8"
_TESTED: Final = f"Test accounts are in; without them lost accounts are {_MARCH.lost}"
_OPENED: Final = (
    "Tickets opened are given; take tickets closed, reopened ones count twice otherwise"
)

_REVIEWING: Final = Plan(
    slots=(
        habits.leaves(),
        slot(
            "tickets",
            "choice",
            "opened",
            options={"opened": ("tickets opened",), "closed": ("tickets closed",)},
        ),
        slot(
            "compare",
            "choice",
            "no",
            options={"no": (), "yes": ("Month before, in percent",)},
        ),
        habits.dates("Data as of", "dates"),
        habits.questions(),
    ),
    steps=(
        step("list", path="drafts"),
        step("read", path="drafts/2025-03-churn-jonas.md"),
        step("read", path="warehouse.sqlite", unless_known="accounts"),
        step(
            "query",
            tables=[{"name": "accounts", "path": "warehouse.sqlite"}],
            statement="SELECT segment, count(*) FROM accounts WHERE plan <> '{slot:accounts}' "
            "AND started < '2025-03-01' AND substr(ended, 1, 7) = '2025-03' GROUP BY segment",
        ),
        step(
            "write",
            path=_REVIEW,
            text="# Review of the draft for March\n\nReviewed on: {date:2025-04-03|dates}\n\n"
            f"## Findings\n\n- {_ADDS}\n",
        ),
        step("append", path=_REVIEW, text=f"- {_TESTED}\n", when=habits.LEFT_OUT),
        step("append", path=_REVIEW, text=f"- {_OPENED}\n", when={"tickets": ["closed"]}),
        step(
            "append",
            path=_REVIEW,
            text="- The rate of the month before is missing\n",
            when={"compare": ["yes"]},
        ),
        step("append", path=_REVIEW, text="\nQuestions to: {slot:questions}\n"),
    ),
)

A09: Final = TaskSpec(
    id="a09",
    started="2025-04-03T15:30",
    project=habits.HARBOUR,
    title="Review of Jonas's draft",
    instruction="Jonas stands in for me and has drafted the churn report for March "
    "(drafts/2025-03-churn-jonas.md). Please review it against the warehouse and against how we do "
    "these reports, and write your findings into drafts/review-of-march.md (section "
    "Findings).",
    observations=(
        Observation(
            title="Mail from Jonas",
            text="It is my first one, so please be frank. I took everything from the warehouse as "
            "of the first of April and asked the contact centre myself.",
        ),
    ),
    activities=(Activity.REVIEW, Activity.DATA_ANALYSIS),
    main=False,
    archived=("finance/2025*",),
    plan=_REVIEWING,
    choices={
        "accounts": "internal",
        "tickets": "closed",
        "compare": "yes",
        "dates": "long",
        "questions": habits.ADDRESS,
    },
    replies=("I found four things in Jonas's draft; the first two change its figures.",),
    remarks=(
        "Jonas took it well and has corrected all of it. He asks whether findings could have an "
        "order of how grave they are; they had, as it happens.",
    ),
    checks=(
        check(
            "sum",
            "minimum",
            "The segments do not add up to the headline's lost accounts.",
            "contains",
            broken("edit", path=_REVIEW, old="add up to 17", new="come to less"),
            file=_REVIEW,
            all=["17", "18"],
        ),
        check(
            "findings",
            "minimum",
            "Findings have a section.",
            "headings",
            broken("edit", path=_REVIEW, old="## Findings", new="## Notes"),
            file=_REVIEW,
            include=["Findings"],
        ),
        check(
            "tested",
            "reference",
            "The draft counts the company's own test accounts; without them 14 were lost.",
            "contains",
            broken("edit", path=_REVIEW, old=f"are {_MARCH.lost}", new="are 11"),
            ("accounts",),
            file=_REVIEW,
            all=[str(_MARCH.lost)],
            any_of=["test accounts", "internal"],
        ),
        check(
            "opened",
            "reference",
            "The draft gives tickets opened, where tickets closed are wanted.",
            "contains",
            broken("edit", path=_REVIEW, old="take tickets closed,", new="take others,"),
            ("tickets",),
            file=_REVIEW,
            all=["tickets closed"],
        ),
        check(
            "before",
            "better",
            "The draft does not say the rate of the month before.",
            "contains",
            broken("edit", path=_REVIEW, old="The rate of the month before", new="Something"),
            ("compare",),
            file=_REVIEW,
            any_of=["month before", "previous month", "February"],
        ),
    ),
    preferences=(
        habits.dates_item(
            "harbour-dates",
            _REVIEW,
            "long",
            broken("edit", path=_REVIEW, old="3 April 2025", new="04/03/2025"),
        ),
        habits.questions_item(_REVIEW, _REVIEW),
        item(
            "grave",
            "reviews",
            "Findings that change figures come before those of form.",
            decided(
                "contains",
                [
                    broken(
                        "edit",
                        path=_REVIEW,
                        old=f"{_ADDS}\n- {_TESTED}\n- {_OPENED}\n",
                        new=f"{_OPENED}\n- {_TESTED}\n- {_ADDS}\n",
                    )
                ],
                ["accounts", "tickets"],
                file=_REVIEW,
                all=["the headline says 18", "Test accounts", "Tickets opened"],
                in_order=True,
            ),
        ),
    ),
    incoming={"drafts/2025-03-churn-jonas.md": DRAFT},
    relevant=(
        relevant("a04", "procedure", "plan <> 'internal'", "Month before, in percent"),
        relevant(
            "a04",
            "procedure",
            "wrote reports/2025-01-harbour-churn",
            "asked the resource service: contact centre: tickets closed",
        ),
        relevant("a03", "convention", "whom to ask"),
        relevant("a01", "convention", "test accounts", "I changed reports/december.md"),
    ),
)
