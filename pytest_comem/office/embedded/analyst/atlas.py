"""The closing of the project Atlas: revenue by region, for a month or a quarter."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, Final, final

from pytest_comem.office.embedded.analyst import habits
from pytest_comem.office.embedded.analyst.data import Booking, revenue
from pytest_comem.office.embedded.analyst.harbour import registered, untouched_register
from pytest_comem.office.embedded.files import workbook
from pytest_comem.office.embedded.specs import broken, check, decided, item, slot, step
from pytest_comem.office.styles import format_date, format_number
from pytest_comem.streams.hidden import Check, PreferenceItem
from pytest_comem.streams.plans import Plan, PlanStep, Slot

BOOK: Final = "finance/*revenue*.xlsx"
NOTE: Final = "finance/*note*.md"
BUDGET: Final = "11.40"
BANK: Final = "11.52"
_STYLE: Final = "1 234,50"

#: Planned net revenue in euro by period, in the first draft and as signed.
PLANNED: Final = {
    "January": (51_000.0, 54_500.0),
    "Q1": (155_000.0, 163_200.0),
    "May": (52_500.0, 56_100.0),
}

NOTE_TEXT: Final = """# Atlas closing, {period}

Closed on: {day}

- Revenue in EUR: {total}
- Against plan in EUR: {gap}
- Ledger lines counted: {lines}

Prepared by: {signature}
Questions to: {questions}
"""


def plan_book() -> bytes:
    """Return the plan of the year: a first draft, and what was signed."""
    head: list[Any] = ["Period", "Net EUR"]
    sheets: dict[str, list[list[Any]]] = {}
    for number, sheet in enumerate(("Plan", "Signed")):
        rows = [[period, values[number]] for period, values in PLANNED.items()]
        sheets[sheet] = [head, *rows]
    return workbook(sheets)


@final
@dataclass(frozen=True, slots=True)
class Closing:
    """A closing.

    :param period: as file names have it; *words*: as texts have it, and *planned*: as the plan
        has it.
    :param kronor: whether the Nordics book in kronor.
    :param index: entries in the register afterwards; ``None`` where none is to be made.
    :param semicolons: whether the ledger has them, as it had until spring; commas else.
    :param told: the slot that this task itself answers: ``planned`` or ``reading``.
    """

    period: str
    words: str
    planned: str
    day: str
    lines: tuple[Booking, ...]
    kronor: bool = False
    index: int | None = None
    told: str = ""
    semicolons: bool = True
    ledger_path: str = ""

    @property
    def ledger(self) -> str:
        """Return where the ledger lies."""
        return self.ledger_path or f"ledger/{self.period}.csv"

    @property
    def book(self) -> str:
        """Return where the workbook belongs."""
        return f"finance/{self.period}-atlas-revenue.xlsx"

    @property
    def note(self) -> str:
        """Return where the note belongs."""
        return f"finance/{self.period}-atlas-note.md"

    @property
    def right(self) -> dict[str, float]:
        """Return revenue by region."""
        return revenue(self.lines, rate=float(BUDGET))

    @property
    def total(self) -> float:
        """Return revenue of all regions."""
        rate = float(BUDGET)
        nets = (line.net / (rate if line.currency == "SEK" else 1.0) for line in self.lines)
        return round(sum(nets), 2)

    @property
    def gap(self) -> float:
        """Return revenue less what was signed."""
        return round(self.total - PLANNED[self.planned][1], 2)

    @property
    def choices(self) -> dict[str, str]:
        """Return the right values of the plan's slots."""
        found = {
            "book": self.book,
            "note": self.note,
            "reading": "semicolons" if self.semicolons else "commas",
            "amount": "net",
            "planned": "Signed",
            "sources": "yes",
            "totals": "formula",
            "dates": "slash",
            "numbers": _STYLE,
            "signature": habits.SIGNATURES[habits.ATLAS],
            "questions": habits.ADDRESS,
            "register": "no" if self.index is None else "yes",
        }
        return found | ({"rate": BUDGET} if self.kronor else {})


def number(value: float) -> str:
    """Return a number as Atlas writes it."""
    return format_number(value, _STYLE)


def slots(closing: Closing) -> tuple[Slot, ...]:
    """Return what the plan leaves open."""
    reading = {
        "commas": ("commas, and letters", 'delimiter ","'),
        "semicolons": ('delimiter ";"', "semicolons"),
    }
    amount = {"gross": ("sum(gross",), "net": ("sum(net", "counts net")}
    planned = {"Plan": ('sheet "Plan"',), "Signed": ('sheet "Signed"', "sheet Signed")}
    sources = {"no": (), "yes": ('sheet "Sources"', "sheet Sources")}
    totals = {"typed": (), "formula": ("=SUM(", "formula", "formulas")}
    rate = slot(
        "rate",
        "choice",
        BANK,
        options={BANK: ("bank rate",), BUDGET: (BUDGET,)},
        about=["kronor", "SEK"],
    )
    return (
        _path("book", "finance/revenue.xlsx", "revenue", closing),
        _path("note", "finance/note.md", "note", closing),
        slot(
            "reading",
            "choice",
            "semicolons" if closing.told == "reading" else "commas",
            options=reading,
            about=["ledger", "ledgers", "export"],
        ),
        slot("amount", "choice", "gross", options=amount),
        slot(
            "planned",
            "choice",
            "Signed" if closing.told == "planned" else "Plan",
            options=planned,
            about=["plan-2025.xlsx", "signed"],
        ),
        slot("sources", "choice", "no", options=sources, about=["sheet"]),
        slot("totals", "choice", "typed", options=totals, about=["total", "totals", "B5"]),
        habits.dates("Closed on", "dates"),
        habits.numbers("Revenue in EUR", "thousands"),
        habits.signed(),
        habits.questions(),
        habits.register(),
        *([rate] if closing.kronor else []),
    )


def _path(name: str, default: str, word: str, closing: Closing) -> Slot:
    return slot(name, "file_name", default, period=closing.period, words=[word], about=[word])


def _amount(closing: Closing) -> str:
    if not closing.kronor:
        return "sum({slot:amount})"
    return "sum({slot:amount} / CASE currency WHEN 'SEK' THEN {slot:rate} ELSE 1 END)"


def _queries(closing: Closing, reading: str) -> tuple[PlanStep, ...]:
    """Return the queries that read the ledger in one of the two ways."""
    how = {"delimiter": ";", "encoding": "cp1252"} if reading == "semicolons" else {}
    tables = [{"name": "ledger", "path": closing.ledger, **how}]
    plan = {"name": "plan", "path": "finance/plan-2025.xlsx", "sheet": "{slot:planned}"}
    total = _amount(closing)
    when = {"reading": [reading]}
    rows = (
        "SELECT region, revenue FROM (SELECT 0 AS place, 'Region' AS region, 'Revenue EUR' AS "
        f"revenue UNION ALL SELECT 1, region, round({total}, 2) FROM ledger GROUP BY region "
        f"UNION ALL SELECT 2, 'Total', round({total}, 2) FROM ledger) ORDER BY place, region"
    )
    gap = (
        f'SELECT round((SELECT {total} FROM ledger) - (SELECT "Net EUR" FROM plan '
        f"WHERE Period = '{closing.planned}'), 2)"
    )
    return (
        step("query", tables=tables, statement=rows, save="rows", when=when),
        step(
            "query",
            tables=tables,
            statement=f"SELECT round({total}, 2) FROM ledger",
            save="total",
            when=when,
        ),
        step(
            "query",
            tables=tables,
            statement="SELECT count(*) FROM ledger",
            save="lines",
            when=when,
        ),
        step("query", tables=[*tables, plan], statement=gap, save="gap", when=when),
    )


def plan(closing: Closing) -> Plan:
    """Return how a closing is done."""
    text = NOTE_TEXT.format(
        period=closing.words,
        day=f"{{date:{closing.day}|dates}}",
        total="{number:total|numbers}",
        gap="{number:gap|numbers}",
        lines="{value:lines}",
        signature="{slot:signature}",
        questions="{slot:questions}",
    )
    formula = {"totals": ["formula"]}
    steps = (
        step("list", path="ledger"),
        step("shell", command=f"head -c 160 {closing.ledger}", unless_known="reading"),
        step("read", path="finance/plan-2025.xlsx", unless_known="planned"),
        *([step("read", path="finance/rates.csv", unless_known="rate")] if closing.kronor else []),
        *_queries(closing, "commas"),
        *_queries(closing, "semicolons"),
        step("write_sheet", path="{slot:book}", sheet="Closing", rows="{value:rows}"),
        step(
            "set_cells",
            path="{slot:book}",
            sheet="Closing",
            cells={"B5": "=SUM(B2:B4)"},
            when=formula,
        ),
        step(
            "write_sheet",
            path="{slot:book}",
            sheet="Sources",
            rows=[["File", "Lines"], [closing.ledger, "{value:lines}"]],
            when={"sources": ["yes"]},
        ),
        step("write", path="{slot:note}", text=text),
        step("shell", command="python3 tools/register.py {slot:note}", when={"register": ["yes"]}),
    )
    return Plan(slots=slots(closing), steps=steps)


def checks(closing: Closing) -> tuple[Check, ...]:
    """Return the checks of a closing."""
    counted = ("reading", "amount", *(("rate",) if closing.kronor else ()))
    regions = [
        check(
            f"region-{number}",
            "minimum" if number == 1 else "reference",
            f"Revenue of {region} is {equals} EUR.",
            "value",
            broken("set_cells", path=closing.book, sheet="Closing", cells={f"B{number + 1}": 1.5}),
            counted,
            file=BOOK,
            sheet="Closing",
            key={"Region": region},
            column="Revenue EUR",
            equals=equals,
        )
        for number, (region, equals) in enumerate(closing.right.items(), 1)
    ]
    note = closing.note
    figures = (
        ("total", "reference", "Revenue in EUR:", closing.total, counted),
        ("gap", "better", "Against plan in EUR:", closing.gap, (*counted, "planned")),
    )
    found = [
        check(
            name,
            level,
            f'"{near}" is {equals}.',
            "number_near",
            broken("edit", path=note, old=f"{near} {number(equals)}", new=f"{near} 10 017,00"),
            slots_of,
            file=NOTE,
            near=near,
            equals=equals,
        )
        for name, level, near, equals, slots_of in figures
    ]
    return (
        *regions,
        *found,
        untouched_register() if closing.index is None else registered(closing.index),
        check(
            "lines",
            "minimum",
            "The note says how many lines of the ledger were counted.",
            "number_near",
            broken("edit", path=note, old="lines counted", new="lines"),
            ("reading",),
            file=NOTE,
            near="Ledger lines counted:",
            equals=len(closing.lines),
        ),
    )


def preferences(closing: Closing) -> tuple[PreferenceItem, ...]:
    """Return the preference items of a closing."""
    book, note = closing.book, closing.note
    day = format_date(datetime.date.fromisoformat(closing.day), "slash")
    return (
        item(
            "name",
            "names",
            f"The workbook is called {book}.",
            _named(book, BOOK, "finance/revenue-of-the-period.xlsx", "book"),
        ),
        item(
            "sources",
            "atlas-workbooks",
            "A sheet Sources says which ledger was read.",
            decided(
                "sheets",
                [
                    broken("delete", path=book),
                    broken("write_sheet", path=book, sheet="Closing", rows=_rows(closing)),
                ],
                ["sources"],
                file=BOOK,
                include=["Sources"],
            ),
        ),
        item(
            "totals",
            "atlas-workbooks",
            "The total is a formula.",
            decided(
                "formula",
                broken("set_cells", path=book, sheet="Closing", cells={"B5": closing.total}),
                ["totals"],
                file=BOOK,
                sheet="Closing",
                cells=["B5"],
            ),
            weight=2,
        ),
        habits.dates_item(
            "atlas-dates", NOTE, "slash", broken("edit", path=note, old=day, new=closing.day)
        ),
        habits.numbers_item(
            "atlas-numbers",
            NOTE,
            _STYLE,
            broken(
                "edit",
                path=note,
                old=f"EUR: {number(closing.total)}",
                new=f"EUR: {closing.total:.2f}",
            ),
        ),
        habits.signed_item(habits.ATLAS, note, NOTE),
        habits.questions_item(note, NOTE),
    )


def _named(path: str, file: str, wrong: str, slot_name: str) -> Any:
    mutation = broken("move", path=path, to=wrong)
    return decided("name", mutation, [slot_name], file=file, equal=path)


def _rows(closing: Closing) -> list[list[Any]]:
    return [["Region", "Revenue EUR"], *map(list, closing.right.items()), ["Total", "=SUM(B2:B4)"]]
