"""The monthly churn report of the project Harbour: plan, words and checks, for every month."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

from pytest_comem.office.embedded.analyst import habits
from pytest_comem.office.embedded.analyst.data import Churn, churn
from pytest_comem.office.embedded.specs import broken, check, decided, item, slot, step
from pytest_comem.office.styles import MONTHS, format_date, format_number
from pytest_comem.streams.hidden import Check, PreferenceItem
from pytest_comem.streams.plans import Plan, PlanStep, Slot

#: Every churn report that a task leaves, under whatever name.
FILE: Final = "reports/*churn*.md"
INDEX: Final = "register/index.csv"
_STYLE: Final = "1,234.5"
_TABLES: Final = [{"name": "accounts", "path": "warehouse.sqlite"}]

REPORT: Final = """# Harbour churn, {month}

Data as of: {day}

## {opening}

- Accounts at start: {start}
- Lost accounts: {lost}
- Churn rate in percent: {rate}
- Monthly fees lost in euro: {fees}

## Segments

| Segment | Start | Lost | Churn |
| --- | --- | --- | --- |
{table}

## Contact centre

Tickets {kind}: {tickets}

Prepared by: {signature}
Questions to: {questions}
"""


@final
@dataclass(frozen=True, slots=True)
class Month:
    """A month's report.

    :param month: such as ``2025-01``; *last* is its last day, *before* the month before.
    :param opened, closed: tickets of the contact centre.
    :param basis: what decides that an account is lost.
    :param index: entries in the register afterwards; ``None`` where none is to be made.
    """

    month: str
    last: str
    before: str
    opened: int
    closed: int
    basis: str = "ended"
    date_style: str = "long"
    index: int | None = None

    @property
    def path(self) -> str:
        """Return where the report belongs."""
        return f"reports/{self.month}-harbour-churn.md"

    @property
    def title(self) -> str:
        """Return the month in words."""
        return f"{MONTHS[int(self.month[5:]) - 1]} {self.month[:4]}"

    @property
    def right(self) -> Churn:
        """Return what is true of it."""
        return churn(self.month, basis=self.basis)

    @property
    def previous(self) -> Churn:
        """Return what is true of the month before."""
        return churn(self.before, basis=self.basis)

    @property
    def choices(self) -> dict[str, str]:
        """Return the right values of the plan's slots."""
        return {
            "path": self.path,
            "accounts": "internal",
            "basis": self.basis,
            "tickets": "closed",
            "opening": "Headline",
            "dates": self.date_style,
            "numbers": _STYLE,
            "compare": "yes",
            "signature": habits.SIGNATURES[habits.HARBOUR],
            "questions": habits.ADDRESS,
            "register": "no" if self.index is None else "yes",
        }


def number(value: float) -> str:
    """Return a number as Harbour writes it."""
    return format_number(value, _STYLE)


def slots(month: Month) -> tuple[Slot, ...]:
    """Return what the plan leaves open."""
    basis = {
        "ended": ("ended >=", "month it ended"),
        "requested": ("requested >=", "asked to leave", "month of the request"),
    }
    tickets = {"opened": ("tickets opened",), "closed": ("tickets closed",)}
    opening = {"Overview": ("## Overview",), "Headline": ("## Headline", "section Headline")}
    compare = {"no": (), "yes": ("Month before, in percent",)}
    return (
        slot(
            "path",
            "file_name",
            "reports/churn-report.md",
            period=month.month,
            words=["churn"],
            about=["churn"],
        ),
        habits.leaves(),
        slot("basis", "choice", "ended", options=basis),
        slot("tickets", "choice", "opened", options=tickets),
        slot("opening", "choice", "Overview", options=opening),
        habits.dates("Data as of", "dates"),
        habits.numbers("Monthly fees lost", "thousands"),
        slot("compare", "choice", "no", options=compare),
        habits.signed(),
        habits.questions(),
        habits.register(),
    )


def _counts(month: str, wanted: str) -> str:
    """Return the query for one figure of a month."""
    first = f"{month}-01"
    there = (
        f"FROM accounts WHERE plan <> '{{slot:accounts}}' AND started < '{first}' "
        f"AND ({{slot:basis}} IS NULL OR {{slot:basis}} >= '{first}')"
    )
    lost = f"substr({{slot:basis}}, 1, 7) = '{month}'"
    if wanted == "start":
        return f"SELECT count(*) {there}"
    if wanted == "lost":
        return f"SELECT count(*) {there} AND {lost}"
    if wanted == "fees":
        return f"SELECT round(sum(fee), 1) {there} AND {lost}"
    if wanted == "rate":
        return f"SELECT round(100.0 * sum(coalesce({lost}, 0)) / count(*), 1) {there}"
    row = (
        "'| ' || segment || ' | ' || count(*) || ' | ' || "
        f"sum(coalesce({lost}, 0)) || ' | ' || "
        f"printf('%.1f', 100.0 * sum(coalesce({lost}, 0)) / count(*)) || ' |'"
    )
    grouped = f"SELECT {row} AS line {there} GROUP BY segment ORDER BY segment"
    return f"SELECT group_concat(line, char(10)) FROM ({grouped})"


def _query(month: str, wanted: str, save: str, **more: Any) -> PlanStep:
    return step("query", tables=_TABLES, statement=_counts(month, wanted), save=save, **more)


def plan(month: Month) -> Plan:
    """Return how a month's report is made."""
    text = REPORT.format(
        month=month.title,
        day=f"{{date:{month.last}|dates}}",
        opening="{slot:opening}",
        start="{value:start}",
        lost="{value:lost}",
        rate="{number:rate|numbers}",
        fees="{number:fees|numbers}",
        table="{value:table}",
        kind="{slot:tickets}",
        tickets="{value:tickets}",
        signature="{slot:signature}",
        questions="{slot:questions}",
    )
    yes = {"compare": ["yes"]}
    steps = (
        step("list", path="."),
        step("read", path="warehouse.sqlite", unless_known="accounts"),
        *(_query(month.month, name, name) for name in ("start", "lost", "rate", "fees", "table")),
        _query(month.before, "rate", "previous", when=yes),
        step("ask_resource", request="list", unless_known="tickets"),
        step("ask_resource", request="contact centre: tickets {slot:tickets}", save="tickets"),
        step("write", path="{slot:path}", text=text),
        step(
            "edit",
            path="{slot:path}",
            old="## Segments",
            new="- Month before, in percent: {number:previous|numbers}\n\n## Segments",
            when=yes,
        ),
        step("shell", command="python3 tools/register.py {slot:path}", when={"register": ["yes"]}),
    )
    return Plan(slots=slots(month), steps=steps)


def checks(month: Month) -> tuple[Check, ...]:
    """Return the checks of a month's report."""
    right = month.right
    counted = ("accounts", "basis")
    figures = (
        ("lost", "minimum", "Lost accounts:", str(right.lost), right.lost),
        ("start", "reference", "Accounts at start:", str(right.start), right.start),
        ("rate", "reference", "Churn rate in percent:", number(right.rate), right.rate),
        ("fees", "reference", "Monthly fees lost in euro:", number(right.fees), right.fees),
    )
    found = [
        check(
            name,
            level,
            f'"{near}" is {equals}.',
            "number_near",
            broken("edit", path=month.path, old=f"{near} {written}", new=f"{near} 7"),
            counted,
            file=FILE,
            near=near,
            equals=equals,
        )
        for name, level, near, written, equals in figures
    ]
    return (
        check(
            "segments",
            "minimum",
            "The segments have a section of their own.",
            "headings",
            broken("edit", path=month.path, old="## Segments", new="## Groups"),
            file=FILE,
            include=["Segments"],
        ),
        *found,
        check(
            "tickets",
            "reference",
            "Tickets closed are given, not those opened, which count reopened ones twice.",
            "number_near",
            broken("edit", path=month.path, old=f": {month.closed}", new=f": {month.opened}"),
            ("tickets",),
            file=FILE,
            near="Tickets",
            equals=month.closed,
        ),
        _register_check(month),
        check(
            "compare",
            "better",
            "The rate of the month before stands beside this month's.",
            "number_near",
            broken("edit", path=month.path, old="- Month before, in", new="- Earlier, in"),
            ("compare", *counted),
            file=FILE,
            near="Month before, in percent:",
            equals=month.previous.rate,
        ),
    )


def _register_check(month: Month) -> Check:
    if month.index is None:
        return untouched_register()
    return registered(month.index)


def registered(count: int) -> Check:
    """Return the check that a report is entered in the register, as the count-th."""
    return check(
        "register",
        "reference",
        "The report is entered in the register.",
        "rows",
        broken("write", path=INDEX, text="number,kind,digest\n" + "0,md,0\n" * (count + 1)),
        ("register",),
        file=INDEX,
        count=count,
    )


def untouched_register() -> Check:
    """Return the check that nobody enters a report by hand any more."""
    return check(
        "register",
        "reference",
        "The register is left alone: it is filled by a job since May.",
        "unchanged",
        broken("append", path=INDEX, text="9,md,0\n"),
        ("register",),
        file=INDEX,
    )


def preferences(month: Month) -> tuple[PreferenceItem, ...]:
    """Return the preference items of a month's report."""
    day = format_date(_day(month.last), month.date_style)
    other = format_date(_day(month.last), "us")
    fees = number(month.right.fees)
    return (
        habits.named(month.path, FILE, "reports/churn-of-the-month.md"),
        habits.dates_item(
            "harbour-dates",
            FILE,
            month.date_style,
            broken("edit", path=month.path, old=f"of: {day}", new=f"of: {other}"),
        ),
        habits.numbers_item(
            "harbour-numbers",
            FILE,
            _STYLE,
            broken("edit", path=month.path, old=fees, new=fees.replace(",", "")),
        ),
        item(
            "opening",
            "harbour-headline",
            "The report opens with a section called Headline.",
            decided(
                "headings",
                broken("edit", path=month.path, old="## Headline", new="## Overview"),
                ["opening"],
                file=FILE,
                include=["Headline"],
            ),
            weight=2,
        ),
        habits.signed_item(habits.HARBOUR, month.path, FILE),
        habits.questions_item(month.path, FILE),
    )


def _day(text: str) -> Any:
    from datetime import date

    return date.fromisoformat(text)
