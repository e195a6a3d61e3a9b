"""Stock, deliveries and a plan joined: database, file and workbook at once."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import DOCUMENT, FORM, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import fact, listed, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import supplies

BLUEPRINT: Final = Blueprint(
    "three-sources",
    "Find what {who} will lack, from its stock, its deliveries and its plan",
    ("Harbour", "Harbour North"),
    supplies,
    (
        Step(
            "list_stock",
            TABULAR,
            "Stock at {who}",
            "Read the table stock and list item and on_hand at {who}.",
            {"file": "work/stock.csv"},
            "SELECT item, on_hand FROM stock WHERE site = :who",
            read=("stock",),
            work=listed("stock", "item on_hand", "site"),
        ),
        Step(
            "list_deliveries",
            TABULAR,
            "Deliveries to {who}",
            "Read inbox/deliveries.csv and list item and coming of the deliveries to {who}.",
            {"file": "work/deliveries.csv"},
            "SELECT item, coming FROM deliveries WHERE site = :who",
            read=("deliveries",),
            work=listed("deliveries", "item coming", "site"),
        ),
        Step(
            "list_wanted",
            TABULAR,
            "Units wanted at {who}",
            "Read the sheet Wanted of books/plan.xlsx and list item and wanted at {who}.",
            {"file": "work/wanted.csv"},
            "SELECT item, wanted FROM wanted WHERE site = :who",
            read=("wanted",),
            work=listed("wanted", "item wanted", "site"),
        ),
        Step(
            "add_supply",
            TABULAR,
            "Supply of {who}",
            "Join stock and deliveries by item; supply is on_hand plus coming.",
            {"file": "work/supply.csv"},
            "SELECT item, on_hand + coming AS supply "
            "FROM list_stock JOIN list_deliveries USING (item)",
            ("list_stock", "list_deliveries"),
            work={
                "steps": [
                    ["take", "list_stock"],
                    ["join", "list_deliveries", "item"],
                    ["plus", "supply", "on_hand", "coming"],
                    ["columns", ["item", "supply"]],
                ]
            },
        ),
        Step(
            "find_lack",
            TABULAR,
            "What {who} lacks",
            "Join what is wanted with the supply; lack is wanted minus supply.",
            {"file": "work/lack.csv"},
            "SELECT item, wanted, supply, wanted - supply AS lack "
            "FROM list_wanted JOIN add_supply USING (item)",
            ("list_wanted", "add_supply"),
            work={
                "steps": [
                    ["take", "list_wanted"],
                    ["join", "add_supply", "item"],
                    ["minus", "lack", "wanted", "supply"],
                ]
            },
        ),
        Step(
            "write_sheet",
            TABULAR,
            "Sheet of what {who} lacks",
            "Write item and lack as the sheet Lack of books/plan.xlsx.",
            {"workbook": "books/plan.xlsx", "sheet": "Lack"},
            "SELECT item, lack FROM find_lack",
            ("find_lack",),
            work={"steps": [["take", "find_lack"], ["columns", ["item", "lack"]]]},
        ),
        Step(
            "name_worst",
            DOCUMENT,
            "Largest lack of {who}",
            "Name the item with the highest lack, its lack, and the lack of all items together.",
            {"file": "reports/worst.md"},
            "SELECT item, lack, (SELECT SUM(lack) FROM find_lack) AS together FROM find_lack "
            "ORDER BY lack DESC, 1, 2 LIMIT 1",
            ("find_lack",),
            work={
                "steps": [["take", "find_lack"], ["best", "lack"]],
                "facts": {
                    "item": ["only", "item"],
                    "lack": ["only", "lack"],
                    "together": value(total("find_lack", "lack")),
                },
            },
        ),
        Step(
            "file_notice",
            FORM,
            "Notice of {who}",
            "File the notice N-7 in the table notices: item and lack of the largest lack.",
            {"table": "notices", "where": {"notice": "N-7"}},
            "SELECT 'N-7' AS notice, item, lack FROM name_worst",
            ("name_worst",),
            work={
                "facts": {
                    "notice": value("N-7"),
                    "item": value(fact("name_worst", "item")),
                    "lack": value(fact("name_worst", "lack")),
                }
            },
        ),
        Step(
            "check_sheet",
            VERIFICATION,
            "Check of the sheet of {who}",
            "Read the sheet again: does it agree with what was handed over, and does its lack add "
            "up to that of the calculation?",
            {"file": "reports/sheet.json"},
            "SELECT 'yes' AS sheet_agrees, SUM(lack) AS in_sheet, SUM(lack) AS calculated "
            "FROM find_lack",
            ("find_lack", "write_sheet"),
            ("sheet=write_sheet",),
            {
                "facts": {
                    "sheet_agrees": ["agrees", "sheet", "write_sheet"],
                    "in_sheet": value(total("sheet", "lack")),
                    "calculated": value(total("find_lack", "lack")),
                }
            },
        ),
        Step(
            "write_report",
            DOCUMENT,
            "Report on {who}",
            "Report the worst item with its lack, the notice filed, and the lack in the sheet.",
            {"file": "reports/lack.md"},
            "SELECT w.item, w.lack, n.notice, c.in_sheet "
            "FROM name_worst w, file_notice n, check_sheet c",
            ("name_worst", "file_notice", "check_sheet"),
            work={
                "facts": {
                    "item": value(fact("name_worst", "item")),
                    "lack": value(fact("name_worst", "lack")),
                    "notice": value(fact("file_notice", "notice")),
                    "in_sheet": value(fact("check_sheet", "in_sheet")),
                }
            },
        ),
        Step(
            "verify_notice",
            VERIFICATION,
            "Verification for {who}",
            "Read notice and report again, and say whether they are what was handed over.",
            {"file": "reports/verified.json"},
            "SELECT 'yes' AS notice_agrees, 'yes' AS report_agrees, item, lack FROM write_report",
            ("file_notice", "write_report"),
            ("filed=file_notice", "paper=write_report"),
            {
                "facts": {
                    "notice_agrees": ["agrees", "filed", "file_notice"],
                    "report_agrees": ["agrees", "paper", "write_report"],
                    "item": value(fact("file_notice", "item")),
                    "lack": value(fact("write_report", "lack")),
                }
            },
        ),
    ),
    database="sqlite",
    forms={"notices": {"notice": "text", "item": "text", "lack": "integer"}},
    revisions=(("check_sheet", "write_sheet"),),
)
