"""July: a claim, with what was said in winter."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from pytest_comem.office.embedded.coordinator import habits, money
from pytest_comem.office.embedded.coordinator.habits import edit_of
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    decided,
    item,
    relevant,
    step,
)
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity

_COSTS: Final = "lantern/costs-2025-Q2.csv"
_BOOK: Final = "lantern/applications.xlsx"
_SHEET: Final = "lantern/claim-2025-Q2.xlsx"
_COVER: Final = "lantern/claim-note.md"
_GRANTS: Final = sum(row[4] for row in money.APPLICATIONS)
_SPENT: Final = sum((Decimal(row[3]) for row in money.COSTS), Decimal(0))
_DIRECT: Final = _GRANTS + _SPENT
_TOTAL: Final = money.cents(_DIRECT * Decimal("1.12"))
_COSTS_SQL: Final = "SELECT SUM(amount) FROM costs"


def _english(value: Decimal) -> str:
    return f"{value:,.2f}"


CLAIM: Final = TaskSpec(
    id="c14",
    started="2025-07-02T10:00",
    project="Lantern",
    title="Lantern's claim of the second quarter",
    instruction=(
        "Please prepare Lantern's claim of the second quarter to Norhav. First a workbook, "
        "lantern/claim-2025-Q2.xlsx, whose sheet Claim has the columns Item and EUR and the rows "
        "Grants (of the first call, lantern/applications.xlsx), Own costs (lantern/costs-2025-"
        "Q2.csv), Direct costs, and Claimed: all that the agreement lets us claim. Then a note for "
        "Rolf, lantern/claim-note.md, with lines that begin 'Direct costs: EUR' and 'Claimed: "
        "EUR'. The quarter closed on Monday."
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.DATA_PROCESS),
    archived=habits.FINISHED,
    incoming={_COSTS: money.costs()},
    plan=Plan(
        slots=(
            habits.SHEET,
            habits.overhead("0"),
            habits.SUMS,
            habits.DATES,
            habits.AMOUNTS,
            habits.PREPARED,
            habits.OPENING,
        ),
        steps=(
            step("read", path=_COSTS),
            step("list", path="lantern", unless_known="sheet"),
            step(
                "query",
                save="grants",
                tables=[{"name": "book", "path": _BOOK, "sheet": "{slot:sheet}"}],
                statement="SELECT SUM(Amount) FROM book",
            ),
            step(
                "query",
                save="costs",
                tables=[{"name": "costs", "path": _COSTS}],
                statement=_COSTS_SQL,
            ),
            step(
                "query",
                save="direct",
                tables=[{"name": "costs", "path": _COSTS}],
                statement="SELECT SUM(amount) + {value:grants} FROM costs",
            ),
            step(
                "query",
                save="total",
                tables=[{"name": "costs", "path": _COSTS}],
                statement=(
                    "SELECT ROUND((SUM(amount) + {value:grants}) * (100 + {slot:overhead}) / 100.0,"
                    " 2) FROM costs"
                ),
            ),
            step(
                "query",
                save="extra",
                tables=[{"name": "costs", "path": _COSTS}],
                statement="SELECT {value:total} - {value:direct} FROM costs LIMIT 1",
            ),
            step(
                "write_sheet",
                when={"sums": ["formulas"]},
                path=_SHEET,
                sheet="Claim",
                rows=[
                    ["Item", "EUR"],
                    ["Grants", "{value:grants}"],
                    ["Own costs", "{value:costs}"],
                    ["Direct costs", "=SUM(B2:B3)"],
                    ["Claimed", "=B4*(100+{slot:overhead})/100"],
                ],
            ),
            step(
                "write_sheet",
                when={"sums": ["values"]},
                path=_SHEET,
                sheet="Claim",
                rows=[
                    ["Item", "EUR"],
                    ["Grants", "{value:grants}"],
                    ["Own costs", "{value:costs}"],
                    ["Direct costs", "{value:direct}"],
                    ["Claimed", "{value:total}"],
                ],
            ),
            step(
                "write",
                path=_COVER,
                text=(
                    "# Claim of the second quarter\n\nClosed on {date:2025-06-30}.\n\n"
                    "## {slot:opening}\n\nThe claim is ready and can be filed.\n\n## Sums\n\n"
                    "Direct costs: EUR {number:direct}\nOverheads: EUR {number:extra}\n"
                    "Claimed: EUR {number:total}\n\n"
                    "Prepared by: {slot:prepared}\n"
                ),
            ),
        ),
    ),
    choices={
        "sheet": "Green",
        "overhead": "12",
        "sums": "formulas",
        "dates": "long",
        "amounts": "1,234.50",
        "prepared": habits.LATE,
        "opening": "Summary",
    },
    replies=("Workbook and note are in the folder of Lantern.",),
    remarks=("Filed, two days early. Rolf has nothing to grumble about.",),
    checks=(
        check(
            "own-costs",
            "minimum",
            "The workbook has our own costs of the quarter.",
            "value",
            broken("set_cells", path=_SHEET, sheet="Claim", cells={"B3": 1}),
            file=_SHEET,
            sheet="Claim",
            key={"Item": "Own costs"},
            column="EUR",
            equals=float(_SPENT),
        ),
        check(
            "grants",
            "minimum",
            "The grants are those the panel awarded.",
            "value",
            broken("set_cells", path=_SHEET, sheet="Claim", cells={"B2": 33500}),
            ["sheet"],
            file=_SHEET,
            sheet="Claim",
            key={"Item": "Grants"},
            column="EUR",
            equals=float(_GRANTS),
        ),
        check(
            "direct",
            "reference",
            f"The note names direct costs of {_DIRECT}.",
            "number_near",
            edit_of(_COVER, _english(_DIRECT), "33,000.50"),
            ["sheet"],
            file="lantern/*.md",
            near="Direct costs:",
            equals=float(_DIRECT),
        ),
        check(
            "total",
            "reference",
            f"With the agreement's overheads {_TOTAL} are claimed.",
            "number_near",
            edit_of(_COVER, _english(_TOTAL), "27,000.50"),
            ["sheet", "overhead"],
            file="lantern/*.md",
            near="Claimed:",
            equals=float(_TOTAL),
        ),
        check(
            "overheads",
            "better",
            "The note says how much of it are overheads.",
            "number_near",
            edit_of(_COVER, "Overheads: EUR", "Overheads: EUR 12.00 or"),
            ["sheet", "overhead"],
            file="lantern/*.md",
            near="overheads",
            equals=float(_TOTAL - _DIRECT),
        ),
    ),
    preferences=(
        habits.wants_dates(_COVER, "lantern/*.md", "long", "30 June 2025", "2025-06-30"),
        habits.wants_amounts(
            _COVER, "lantern/*.md", "1,234.50", f"EUR {_english(_TOTAL)}", f"EUR {_TOTAL}"
        ),
        item(
            "formulas",
            "formulas",
            "Sums in the workbook are formulas.",
            decided(
                "formula",
                broken("set_cells", path=_SHEET, sheet="Claim", cells={"B4": float(_DIRECT)}),
                ["sums"],
                file=_SHEET,
                sheet="Claim",
                cells=["B4", "B5"],
            ),
            weight=3,
        ),
        habits.wants_prepared(_COVER, "lantern/*.md", habits.LATE),
        habits.wants_opening(_COVER, "lantern/*.md", "## ", "Summary"),
    ),
    relevant=(
        relevant("c12", "convention", f"Prepared by: {habits.LATE}"),
        relevant("c08", "convention", "formulas", "wrote lantern/awards.md"),
        relevant("c04", "fact", "stands in the sheet Green"),
        relevant("c01", "fact", "a flat 12 %"),
        relevant("c13", "convention", "is called Summary"),
    ),
)

TASKS: Final = (CLAIM,)
