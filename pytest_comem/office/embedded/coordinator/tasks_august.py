"""August: a last claim is reviewed."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from pytest_comem.office.embedded.coordinator import habits, money
from pytest_comem.office.embedded.coordinator.habits import edit_of
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    check,
    relevant,
    step,
)
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity

_LAST: Final = "kestrel/claims/fjellvik-last.xlsx"
_REVIEW: Final = "kestrel/review-fjellvik.md"
_ELIGIBLE: Final = money.cents(Decimal(sum(nok for _, nok in money.LAST_CLAIM)) / money.BANK)
_PAYABLE: Final = money.cents(_ELIGIBLE * Decimal("1.07"))
_ASKED: Final = money.cents(
    Decimal(sum(nok for _, nok in money.LAST_CLAIM)) / money.BANK * Decimal("1.10")
)
_CROWNS: Final = [{"name": "claim", "path": _LAST, "sheet": "Claim"}]

REVIEW: Final = TaskSpec(
    id="c16",
    started="2025-08-12T09:45",
    project="Kestrel",
    title="Fjellvik's last claim",
    instruction=(
        "Fjellvik has sent its last claim (kestrel/claims/fjellvik-last.xlsx). Please review it: "
        "what is eligible in euros, what we pay with overheads, and what they ask for, in lines "
        "that begin 'Eligible:', 'We pay:' and 'Asked for:' (kestrel/review-fjellvik.md). They "
        "have to hear from us by the 22nd."
    ),
    activities=(Activity.REVIEW, Activity.DATA_ANALYSIS),
    archived=habits.FINISHED,
    incoming={
        _LAST: money.last_claim(),
        "kestrel/rates.csv": (
            "day,nok_per_euro\n2025-02-28,11.71\n2025-03-19,11.84\n2025-07-31,11.62\n"
        ),
    },
    plan=Plan(
        slots=(
            habits.rate("11.62"),
            habits.overhead("10"),
            habits.DATES,
            habits.AMOUNTS,
            habits.PREPARED,
            habits.OPENING,
        ),
        steps=(
            step("read", path=_LAST),
            step("read", path="kestrel/rates.csv", unless_known="rate"),
            step(
                "query",
                save="eligible",
                tables=_CROWNS,
                statement="SELECT SUM(Amount_NOK) / {slot:rate} FROM claim",
            ),
            step(
                "query",
                save="payable",
                tables=_CROWNS,
                statement=(
                    "SELECT SUM(Amount_NOK) / {slot:rate} * (100 + {slot:overhead}) / 100.0 "
                    "FROM claim"
                ),
            ),
            step(
                "query",
                save="asked",
                tables=[{"name": "claim", "path": _LAST, "sheet": "Asked for"}],
                statement="SELECT SUM(EUR) FROM claim",
            ),
            step(
                "query",
                save="more",
                tables=_CROWNS,
                statement="SELECT {value:asked} - {value:payable} FROM claim LIMIT 1",
            ),
            step(
                "write",
                path=_REVIEW,
                text=(
                    "# Review of Fjellvik's last claim\n\n## {slot:opening}\n\n"
                    "The items are what was agreed. Reply by {date:2025-08-22}.\n\n## Sums\n\n"
                    "Eligible: {number:eligible} EUR\nWe pay: {number:payable} EUR\n"
                    "Asked for: {number:asked} EUR\nToo much: {number:more} EUR\n\n"
                    "Prepared by: {slot:prepared}\n"
                ),
            ),
        ),
    ),
    choices={
        "rate": "11.62",
        "overhead": "7",
        "dates": "iso",
        "amounts": "1,235",
        "prepared": habits.LATE,
        "opening": "Summary",
    },
    replies=("The review is in kestrel/review-fjellvik.md.",),
    remarks=("Thank you. I ring the headmistress before the letter goes out.",),
    checks=(
        check(
            "asked",
            "minimum",
            "The review says what the school asks for.",
            "number_near",
            edit_of(_REVIEW, "Asked for: ", "Asked for: 12 or "),
            file="kestrel/*.md",
            near="Asked for:",
            equals=float(_ASKED),
            tolerance=1.0,
        ),
        check(
            "payable",
            "reference",
            "What is paid has seven percent of overheads on top of what is eligible.",
            "number_near",
            edit_of(_REVIEW, "We pay: ", "We pay: 12 or "),
            ["rate", "overhead"],
            file="kestrel/*.md",
            near="We pay:",
            equals=float(_PAYABLE),
            tolerance=1.0,
        ),
        check(
            "eligible",
            "minimum",
            "What is eligible is at the bank's rate, as the agreement has it since May.",
            "number_near",
            edit_of(_REVIEW, "Eligible: ", "Eligible: 12 or "),
            ["rate"],
            file="kestrel/*.md",
            near="Eligible:",
            equals=float(_ELIGIBLE),
            tolerance=1.0,
        ),
        check(
            "difference",
            "better",
            "The review says by how much they ask too much.",
            "contains",
            edit_of(_REVIEW, "Too much: ", "Too much: 1,"),
            ["rate", "overhead"],
            file="kestrel/*.md",
            any_of=[form.format(_ASKED - _PAYABLE) for form in ("{:,.0f}", "{:,.2f}", "{:.1f}")],
        ),
    ),
    preferences=(
        habits.wants_dates(
            _REVIEW, "kestrel/*.md", "iso", "Reply by 2025-08-22", "Reply by 22 August 2025"
        ),
        habits.wants_amounts(
            _REVIEW,
            "kestrel/*.md",
            "1,235",
            f"Eligible: {_ELIGIBLE:,.0f}",
            f"Eligible: {_ELIGIBLE}",
        ),
        habits.wants_prepared(_REVIEW, "kestrel/*.md", habits.LATE),
        habits.wants_opening(_REVIEW, "kestrel/*.md", "## ", "Summary"),
    ),
    relevant=(
        relevant("c12", "convention", f"Prepared by: {habits.LATE}"),
        relevant(
            "c11",
            "fact",
            "the bank's rate of the day",
            "wrote kestrel/minutes/kestrel-minutes-2025-05.md",
        ),
        relevant("c13", "convention", "is called Summary"),
        relevant("c06", "fact", "overheads in Kestrel are 7 %"),
    ),
)

TASKS: Final = (REVIEW,)
