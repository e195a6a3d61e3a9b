"""Tasks of the project Atlas: closings for finance."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.analyst import atlas, habits
from pytest_comem.office.embedded.analyst.atlas import Closing, number
from pytest_comem.office.embedded.analyst.data import REGIONS, bookings, ledger, revenue
from pytest_comem.office.embedded.specs import TaskSpec, do, relevant, step
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

#: What a closing must have whoever does it.
_PARTS: Final = (
    "I need a workbook under finance/ with revenue in its name (sheet Closing: columns Region and "
    "Revenue EUR, the total below), and a Markdown note beside it with note in its name (lines "
    "Revenue in EUR:, Against plan in EUR: and Ledger lines counted:)."
)
_DECEMBER: Final = tuple(bookings("2024-12", ["2024-12"]))
JANUARY: Final = Closing(
    "2025-01",
    "January 2025",
    "January",
    "2025-02-13",
    tuple(bookings("2025-01", ["2025-01"])),
    index=2,
    told="planned",
)
QUARTER: Final = Closing(
    "2025-03",
    "first quarter of 2025",
    "Q1",
    "2025-04-15",
    tuple(bookings("2025-Q1", ["2025-01", "2025-02", "2025-03"], "2025-03")),
    kronor=True,
    index=4,
    ledger_path="ledger/2025-Q1.csv",
    told="reading",
)
MAY: Final = Closing(
    "2025-05",
    "May 2025",
    "May",
    "2025-06-17",
    tuple(bookings("2025-05", ["2025-05"], "2025-03")),
    kronor=True,
    semicolons=False,
)

_GROSS: Final = revenue(_DECEMBER, amount="gross")
_NET: Final = revenue(_DECEMBER)
_BOOK: Final = "finance/closing.xlsx"
_COVER: Final = "finance/cover.md"
_NAMED: Final = ("finance/2024-12-atlas-revenue.xlsx", "finance/2024-12-atlas-note.md")
_TOTALS: Final = (round(sum(_GROSS.values()), 2), round(sum(_NET.values()), 2))


def _first_steps() -> Plan:
    """Return how the first closing was done, before anybody had said how she wants it."""
    tables = [
        {
            "name": "ledger",
            "path": "ledger/2024-12.csv",
            "delimiter": ";",
            "encoding": "cp1252",
        }
    ]
    statement = "SELECT region, round(sum(gross), 2) FROM ledger GROUP BY region ORDER BY region"
    text = atlas.NOTE_TEXT.format(
        period="December 2024",
        day="2025-01-15",
        total=_TOTALS[0],
        gap=0,
        lines=len(_DECEMBER),
        signature="Customer Data team",
        questions="the data team",
    ).replace("- Against plan in EUR: 0\n", "")
    rows = [["Region", "Revenue EUR"], *map(list, _GROSS.items()), ["Total", _TOTALS[0]]]
    return Plan(
        steps=(
            step("list", path="ledger"),
            step("shell", command="head -c 160 ledger/2024-12.csv"),
            step("query", tables=tables, statement=statement),
            step("write_sheet", path=_BOOK, sheet="Closing", rows=rows),
            step("write", path=_COVER, text=text),
        )
    )


A02: Final = TaskSpec(
    id="a02",
    started="2025-01-15T10:40",
    project=habits.ATLAS,
    title="Closing of December",
    instruction="Finance wants our figures for the closing of December: revenue by region from "
    "ledger/2024-12.csv in a workbook, on a sheet Closing, and a short cover note to go with it.",
    observations=(
        Observation(
            title="Mail from Petra (controller)",
            text="Dear Mira, the export is as last year: semicolons, because half of our amounts "
            "used to have commas, and Western letters, so that Österreich survives in Excel.",
        ),
    ),
    activities=(Activity.DATA_PROCESS, Activity.WRITING),
    scored=False,
    incoming={"ledger/2024-12.csv": ledger(_DECEMBER)},
    plan=_first_steps(),
    replies=("The closing is in finance/closing.xlsx, the cover note in finance/cover.md.",),
    edits=(
        do(
            "set_cells",
            path=_BOOK,
            sheet="Closing",
            cells={
                **{f"B{row}": _NET[region] for row, region in enumerate(REGIONS, 2)},
                "B5": "=SUM(B2:B4)",
            },
        ),
        do(
            "write_sheet",
            path=_BOOK,
            sheet="Sources",
            rows=[["File", "Lines"], ["ledger/2024-12.csv", len(_DECEMBER)]],
        ),
        do("edit", path=_COVER, old="Closed on: 2025-01-15", new="Closed on: 15/01/2025"),
        do(
            "edit",
            path=_COVER,
            old=f"Revenue in EUR: {_TOTALS[0]}",
            new=f"Revenue in EUR: {number(_TOTALS[1])}",
        ),
        do(
            "edit",
            path=_COVER,
            old="Prepared by: Customer Data team",
            new=f"Prepared by: {habits.SIGNATURES[habits.ATLAS]}",
        ),
        do("move", path=_BOOK, to=_NAMED[0]),
        do("move", path=_COVER, to=_NAMED[1]),
    ),
    remarks=(
        "A closing always counts net: gross still has the tax in it, which goes to the state.",
        "Totals in her workbooks are formulas. She once found a typed one that was off by four "
        "cents and has never let us forget it.",
    ),
)

_FIRST: Final = (
    relevant(
        "a02",
        "convention",
        "I set cells of sheet",
        "counts net",
        "Totals in her workbooks",
        'wrote sheet "Closing"',
    ),
    relevant("a02", "procedure", 'delimiter ";"', "semicolons"),
)

A05: Final = TaskSpec(
    id="a05",
    started="2025-02-13T11:00",
    project=habits.ATLAS,
    title="Closing of January",
    instruction="Please do the closing of January for Petra. The ledger is ledger/2025-01.csv, the "
    "plan finance/plan-2025.xlsx. " + _PARTS,
    observations=(
        Observation(
            title="Mail from Petra (controller)",
            text="I need it by noon. For the gap please use the sheet Signed of the plan; the "
            "other one is only what we hoped for in November.",
        ),
    ),
    activities=(Activity.DATA_PROCESS, Activity.DATA_ANALYSIS, Activity.TOOL_USE),
    archived=("finance/*", "ledger/*", "reports/*"),
    incoming={
        "ledger/2025-01.csv": ledger(JANUARY.lines),
        "finance/plan-2025.xlsx": atlas.plan_book(),
    },
    plan=atlas.plan(JANUARY),
    choices=JANUARY.choices,
    replies=("January is closed. We are below what was signed.",),
    remarks=("Petra has it. She was early for once, and so were we.",),
    checks=atlas.checks(JANUARY),
    preferences=atlas.preferences(JANUARY),
    relevant=(*_FIRST, relevant("a03", "convention", "whom to ask", "when a report is finished")),
)

_DECISIONS: Final = "finance/decisions.md"
A08: Final = TaskSpec(
    id="a08",
    started="2025-03-26T16:00",
    project=habits.ATLAS,
    title="Decisions of the closing meeting",
    instruction="Please write what we decided in the closing meeting into finance/decisions.md, "
    "short, one line a decision.",
    observations=(
        Observation(
            title="Notes of the closing meeting",
            text="Petra: the Nordics have moved to the new system and book in kronor (SEK) since "
            "the first of March. All of 2025 is converted at the budget rate, 11.40 kronor to the "
            "euro, whatever the bank's table says that day. The bank's table stays in "
            "finance/rates.csv for treasury.\n"
            "Henrik asked for the quarter as one ledger instead of three; granted.\n"
            "Next meeting after Easter. Cake by Petra.",
        ),
    ),
    activities=(Activity.WRITING, Activity.PLANNING),
    main=False,
    scored=False,
    archived=("ledger/*",),
    incoming={
        "finance/rates.csv": "currency,per_euro,day\nSEK,11.52,2025-03-25\nNOK,11.41,2025-03-25\n"
    },
    plan=Plan(
        steps=(
            step("read", path="finance/rates.csv"),
            step(
                "write",
                path=_DECISIONS,
                text="# Closing meeting, 26/03/2025\n\n- The quarter comes as one ledger.\n"
                "- The Nordics' kronor are converted as told in the meeting.\n"
                "- Next meeting after Easter.\n",
            ),
        )
    ),
    replies=("The three decisions are in finance/decisions.md.",),
    remarks=("Fine. Henrik wants to see the ledger of the quarter before Petra does.",),
)

A10: Final = TaskSpec(
    id="a10",
    started="2025-04-15T10:15",
    project=habits.ATLAS,
    title="Closing of the first quarter",
    instruction="The quarter needs closing. The ledger is ledger/2025-Q1.csv, the plan is where it "
    "was. " + _PARTS,
    observations=(
        Observation(
            title="Mail from Henrik",
            text="The ledger of the quarter is complete now, 72 lines, semicolons as ever. The "
            "Nordics are in with their new system for the last month.",
        ),
    ),
    activities=(Activity.DATA_PROCESS, Activity.DATA_ANALYSIS, Activity.TOOL_USE),
    archived=("finance/2025-*", "finance/decisions.md", "reports/*", "drafts/*", "ledger/*"),
    incoming={"ledger/2025-Q1.csv": ledger(QUARTER.lines)},
    plan=atlas.plan(QUARTER),
    choices=QUARTER.choices,
    replies=("The quarter is closed; the Nordics' kronor of March are converted.",),
    remarks=(
        "Thank you, Henrik checked the Nordics by hand and agrees.",
        "From now on the ledgers come out of the new system, he says: commas, and letters in "
        "UTF-8, from May at the latest.",
    ),
    checks=atlas.checks(QUARTER),
    preferences=atlas.preferences(QUARTER),
    relevant=(
        relevant("a08", "fact", "budget rate, 11.40"),
        relevant(
            "a05",
            "procedure",
            'delimiter ";"',
            '(sheet "Signed")',
            'wrote sheet "Closing"',
            'wrote sheet "Sources"',
            "=SUM(",
            "wrote finance/2025-01-atlas-note.md",
        ),
        relevant("a05", "fact", "sheet Signed of the plan"),
        relevant("a02", "convention", "counts net", "I set cells of sheet"),
        relevant("a03", "convention", "when a report is finished"),
    ),
)

A14: Final = TaskSpec(
    id="a14",
    started="2025-06-17T10:30",
    project=habits.ATLAS,
    title="Closing of May",
    instruction="Petra asks for the closing of May. The ledger is ledger/2025-05.csv. " + _PARTS,
    observations=(
        Observation(
            title="Mail from Petra (controller)",
            text="Treasury has sent a new table of bank rates, in case you need it for the "
            "travel costs.",
        ),
    ),
    activities=(Activity.DATA_PROCESS, Activity.DATA_ANALYSIS),
    archived=("finance/2025-*", "reports/*", "drafts/*", "ledger/*", "beacon/*", "survey/*"),
    incoming={"ledger/2025-05.csv": ledger(MAY.lines, semicolons=False)},
    plan=atlas.plan(MAY),
    choices=MAY.choices,
    replies=("May is closed.",),
    remarks=("Good. Petra is on leave from Friday, Henrik has the book.",),
    checks=atlas.checks(MAY),
    preferences=atlas.preferences(MAY),
    relevant=(
        relevant(
            "a10",
            "procedure",
            "the ledgers come out of the new system",
            "sum(net",
            "finance/plan-2025.xlsx (sheet",
            'wrote sheet "Closing"',
            'wrote sheet "Sources"',
            "=SUM(",
            "wrote finance/2025-03-atlas-note.md",
        ),
        relevant("a11", "convention", "register themselves"),
        relevant("a08", "fact", "budget rate, 11.40"),
        relevant("a02", "convention", "counts net"),
    ),
)
