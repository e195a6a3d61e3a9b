"""Tasks of the project Harbour: churn, month by month."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.analyst import habits, harbour
from pytest_comem.office.embedded.analyst.data import churn, warehouse
from pytest_comem.office.embedded.analyst.harbour import Month, number
from pytest_comem.office.embedded.specs import TaskSpec, do, relevant, step
from pytest_comem.office.operations import Operation
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation, Resource

DECEMBER: Final = Month("2024-12", "2024-12-31", "2024-11", 412, 371)
JANUARY: Final = Month("2025-01", "2025-01-31", "2024-12", 455, 398, index=1)
APRIL: Final = Month(
    "2025-04", "2025-04-30", "2025-03", 467, 429, basis="requested", date_style="iso"
)
JUNE: Final = Month(
    "2025-06", "2025-06-30", "2025-05", 503, 441, basis="requested", date_style="iso"
)
_DRAFT: Final = "reports/december.md"
#: What a report must have whoever writes it.
_LINES: Final = (
    "The dashboard picks up the lines Accounts at start:, Lost accounts:, Churn rate in percent: "
    "and Monthly fees lost in euro:, a line on Tickets, and a section Segments. The file lies in "
    "reports/ and has churn in its name."
)


def contact_centre(month: Month, calls: int) -> tuple[Resource, ...]:
    """Return what the resource service knows in a month."""
    return (
        Resource(
            name="contact centre",
            attributes={
                "tickets opened": str(month.opened),
                "tickets closed": str(month.closed),
                "calls": str(calls),
                "agents": "14",
            },
        ),
        Resource(name="depot", attributes={"boxes packed": "18260", "late boxes": "312"}),
    )


def _draft_steps() -> Plan:
    """Return how the first report was made, before anybody had said how she wants it."""
    found = churn("2024-12", internal=True)
    text = harbour.REPORT.format(
        month="December 2024",
        day="2024-12-31",
        opening="Overview",
        start=found.start,
        lost=found.lost,
        rate=found.rate,
        fees=found.fees,
        table="\n".join(found.lines),
        kind="opened",
        tickets=DECEMBER.opened,
        signature="Customer Data team",
        questions="the data team",
    )
    there = (
        "FROM accounts WHERE started < '2024-12-01' AND (ended IS NULL OR ended >= '2024-12-01')"
    )
    tables = [{"name": "accounts", "path": "warehouse.sqlite"}]
    return Plan(
        steps=(
            step("list", path="."),
            step("read", path="warehouse.sqlite"),
            step("query", tables=tables, statement=f"SELECT segment, count(*) {there} GROUP BY 1"),
            step(
                "query",
                tables=tables,
                statement=f"SELECT segment, count(*), sum(fee) {there} "
                "AND substr(ended, 1, 7) = '2024-12' GROUP BY 1",
            ),
            step("ask_resource", request="contact centre: tickets opened"),
            step("write", path=_DRAFT, text=text),
        )
    )


def _changes() -> tuple[Operation, ...]:
    """Return what she changed in the first report."""
    wrong, right = churn("2024-12", internal=True), DECEMBER.right
    pairs = [
        ("Data as of: 2024-12-31", "Data as of: 31 December 2024"),
        ("## Overview", "## Headline"),
        (f"Accounts at start: {wrong.start}", f"Accounts at start: {right.start}"),
        (f"Lost accounts: {wrong.lost}", f"Lost accounts: {right.lost}"),
        (f"rate in percent: {wrong.rate}", f"rate in percent: {right.rate}"),
        (
            f"lost in euro: {wrong.fees}",
            f"lost in euro: {number(right.fees)}",
        ),
        *zip(wrong.lines, right.lines, strict=True),
        (f"Tickets opened: {DECEMBER.opened}", f"Tickets closed: {DECEMBER.closed}"),
        (
            "## Segments",
            f"- Month before, in percent: {number(DECEMBER.previous.rate)}\n\n## Segments",
        ),
        (
            "Prepared by: Customer Data team",
            f"Prepared by: {habits.SIGNATURES[habits.HARBOUR]}",
        ),
    ]
    edits = [do("edit", path=_DRAFT, old=old, new=new) for old, new in pairs if old != new]
    return (*edits, do("move", path=_DRAFT, to=DECEMBER.path))


A01: Final = TaskSpec(
    id="a01",
    started="2025-01-09T09:20",
    project=habits.HARBOUR,
    title="Churn in December",
    instruction="Retention meets tomorrow. Please write up last month's churn: how many accounts "
    "left, by segment, and what it costs us. The warehouse is fresh, and the resource service "
    "knows the contact centre.",
    observations=(
        Observation(
            title="Mail from Tomas (Retention)",
            text="Hi Mira, two pages at most please, the team only reads the top. We will talk "
            "about the Office segment, and about the late boxes before the holidays.",
        ),
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.WRITING),
    scored=False,
    resources=contact_centre(DECEMBER, 1204),
    incoming={"warehouse.sqlite": warehouse("2025-01-01")},
    plan=_draft_steps(),
    replies=("The December report is in reports/december.md, with the segments in a table.",),
    edits=_changes(),
    remarks=(
        "Our own test accounts (plan 'internal') do not belong in churn figures, that is why the "
        "counts changed. Colleagues open and close them all the time. Leave them out of whatever "
        "you count on accounts.",
        "Please write thousands with a comma and one decimal, such as 1,966.0, as in everything "
        "that Retention gets from me.",
        "Thanks, Tomas liked it. The coffee machine on our floor is churning out hot water only, "
        "by the way; I will report that one myself.",
    ),
)

_JANUARY_RELEVANT = (
    relevant(
        "a01",
        "convention",
        "I changed reports/december.md",
        "test accounts",
        "thousands with a comma",
    ),
    relevant("a03", "convention", "whom to ask", "when a report is finished"),
)

A04: Final = TaskSpec(
    id="a04",
    started="2025-02-06T08:50",
    project=habits.HARBOUR,
    title="Churn in January",
    instruction="The January churn report is due today, with accounts lost, segments and the "
    "contact centre's tickets. The warehouse has been refreshed. " + _LINES,
    observations=(
        Observation(
            title="Notes of the Retention stand-up",
            text="Tomas expects a worse month than December: the price letter went out on the "
            "seventh. Ines asks whether the late boxes of the depot show in the tickets.",
        ),
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.WRITING, Activity.TOOL_USE),
    resources=contact_centre(JANUARY, 1377),
    archived=("reports/*", "finance/*", "plan/*"),
    incoming={"warehouse.sqlite": warehouse("2025-02-01")},
    plan=harbour.plan(JANUARY),
    choices=JANUARY.choices,
    replies=("January is written up and registered. Office lost the most fees.",),
    remarks=(
        "Good, that can go out as it is.",
        "Ines was right about the tickets, but correlation by eye is no finding. Let us not put "
        "that into a report before somebody has looked at single accounts.",
    ),
    checks=harbour.checks(JANUARY),
    preferences=harbour.preferences(JANUARY),
    relevant=_JANUARY_RELEVANT,
)

A12: Final = TaskSpec(
    id="a12",
    started="2025-05-13T09:05",
    project=habits.HARBOUR,
    title="Churn in April",
    instruction="Please do the churn report for April, tickets included; Retention's review is on "
    "Thursday. " + _LINES,
    observations=(
        Observation(
            title="Mail from Tomas (Retention)",
            text="Spring was calm as far as we see it. Please have the segments in, the new lead "
            "of Family wants to know where she stands.",
        ),
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.WRITING),
    resources=contact_centre(APRIL, 1290),
    archived=("reports/*", "drafts/*", "finance/2025*", "plan/*"),
    incoming={"warehouse.sqlite": warehouse("2025-05-01")},
    plan=harbour.plan(APRIL),
    choices=APRIL.choices,
    replies=("The April report is done; Family lost eight accounts, more than the others.",),
    remarks=("Sent. The new lead of Family is called Noor, she may write to you directly.",),
    checks=harbour.checks(APRIL),
    preferences=harbour.preferences(APRIL),
    relevant=(
        relevant("a11", "convention", "asked to leave", "dates in Harbour", "register themselves"),
        relevant("a04", "procedure", "plan <> 'internal'", "wrote reports/2025-01-harbour-churn"),
        relevant("a04", "procedure", "asked the resource service: contact centre: tickets closed"),
        relevant("a01", "convention", "I changed reports/december.md", "test accounts"),
    ),
)

A15: Final = TaskSpec(
    id="a15",
    started="2025-07-08T09:15",
    project=habits.HARBOUR,
    title="Churn in June",
    instruction="June's churn report, please, with the tickets. It closes the half-year, so people "
    "will look twice. " + _LINES,
    observations=(
        Observation(
            title="Notes of the Retention stand-up",
            text="Noor wonders about May, which looked terrible for Family. Tomas says the summer "
            "break begins in two weeks and many pause instead of leaving.",
        ),
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.WRITING, Activity.TOOL_USE),
    resources=contact_centre(JUNE, 1108),
    archived=("reports/*", "finance/2025*", "beacon/*"),
    incoming={"warehouse.sqlite": warehouse("2025-07-01")},
    plan=harbour.plan(JUNE),
    choices=JUNE.choices,
    replies=("June is in reports/2025-06-harbour-churn.md.",),
    remarks=("Thank you. I am away from the twenty-first.",),
    checks=harbour.checks(JUNE),
    preferences=harbour.preferences(JUNE),
    relevant=(
        relevant(
            "a12",
            "procedure",
            "plan <> 'internal'",
            "wrote reports/2025-04-harbour-churn",
            "Month before, in percent",
            "asked the resource service: contact centre: tickets closed",
        ),
        relevant("a11", "convention", "asked to leave", "register themselves"),
        relevant("a01", "convention", "test accounts"),
    ),
)
