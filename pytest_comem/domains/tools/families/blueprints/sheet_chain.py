"""A long chain over the sheets of one workbook."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import DOCUMENT, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import carried, fact, listed, only, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import meters

BLUEPRINT: Final = Blueprint(
    "sheet-chain",
    "Take the readings of {who} through the workbook to its bills",
    ("Lake Street", "Lake Street Upper"),
    meters,
    (
        Step(
            "list_readings",
            TABULAR,
            "Readings of {who}",
            "Read the sheet Readings of books/meters.xlsx and list meter, earlier and later of "
            "{who}.",
            {"file": "work/readings.csv"},
            "SELECT meter, earlier, later FROM readings WHERE street = :who",
            read=("readings",),
            work=listed("readings", "meter earlier later", "street"),
        ),
        Step(
            "find_used",
            TABULAR,
            "Used in {who}",
            "Write the sheet Used: meter and used, which is later minus earlier.",
            {"workbook": "books/meters.xlsx", "sheet": "Used"},
            "SELECT meter, later - earlier AS used FROM list_readings",
            ("list_readings",),
            work={
                "steps": [
                    ["take", "list_readings"],
                    ["minus", "used", "later", "earlier"],
                    ["columns", ["meter", "used"]],
                ]
            },
        ),
        Step(
            "list_refunds",
            TABULAR,
            "Refunds for meters, for {who}",
            "Read inbox/corrections.csv and list meter and refund for the bills of {who}.",
            {"file": "work/refunds.csv"},
            "SELECT meter, refund FROM corrections",
            read=("corrections",),
            work=listed("corrections", "meter refund"),
        ),
        Step(
            "correct_used",
            TABULAR,
            "Net use in {who}",
            "Join what was used with the refunds; net is used minus refund. Write the sheet Net.",
            {"workbook": "books/meters.xlsx", "sheet": "Net"},
            "SELECT meter, used - refund AS net FROM find_used JOIN list_refunds USING (meter)",
            ("find_used", "list_refunds"),
            work={
                "steps": [
                    ["take", "find_used"],
                    ["join", "list_refunds", "meter"],
                    ["minus", "net", "used", "refund"],
                    ["columns", ["meter", "net"]],
                ]
            },
        ),
        Step(
            "read_tariff",
            DOCUMENT,
            "Tariff of {who}",
            "Read the sheet Tariffs of books/meters.xlsx and note tariff and fee of {who}.",
            {"file": "work/tariff.md"},
            "SELECT tariff, fee FROM tariffs WHERE street = :who",
            read=("tariffs",),
            work={
                "steps": [["take", "tariffs"], ["keep", "street", "is", "{who}"]],
                "facts": only("tariff fee"),
            },
        ),
        Step(
            "price_net",
            TABULAR,
            "Price of the net use in {who}",
            "Price is net times the tariff. Write the sheet Price.",
            {"workbook": "books/meters.xlsx", "sheet": "Price"},
            "SELECT meter, net, net * tariff AS price FROM correct_used, read_tariff",
            ("correct_used", "read_tariff"),
            work={
                "steps": [
                    ["take", "correct_used"],
                    ["times", "price", "net", fact("read_tariff", "tariff")],
                ]
            },
        ),
        Step(
            "add_fee",
            TABULAR,
            "Bills of {who}",
            "Due is the price plus the fee of the tariff. Write the sheet Bills.",
            {"workbook": "books/meters.xlsx", "sheet": "Bills"},
            "SELECT meter, price, price + fee AS due FROM price_net, read_tariff",
            ("price_net", "read_tariff"),
            work={
                "steps": [
                    ["take", "price_net"],
                    ["plus", "due", "price", fact("read_tariff", "fee")],
                    ["columns", ["meter", "price", "due"]],
                ]
            },
        ),
        Step(
            "sum_bills",
            DOCUMENT,
            "Bills of {who} together",
            "Say how many bills there are, and what is due together.",
            {"file": "reports/together.md"},
            "SELECT COUNT(*) AS bills, SUM(due) AS due FROM add_fee",
            ("add_fee",),
            work={
                "steps": [["take", "add_fee"]],
                "facts": {"bills": ["count"], "due": ["total", "due"]},
            },
        ),
        Step(
            "name_highest",
            DOCUMENT,
            "Highest bill of {who}",
            "Name the meter with the highest due.",
            {"file": "reports/highest.md"},
            "SELECT meter, due FROM add_fee ORDER BY due DESC, 1, 2 LIMIT 1",
            ("add_fee",),
            work={
                "steps": [["take", "add_fee"], ["best", "due"]],
                "facts": only("meter due"),
            },
        ),
        Step(
            "check_sheet",
            VERIFICATION,
            "Check of the sheet of {who}",
            "Read the sheet Bills again: is it what was handed over, and is due in it what was "
            "added up?",
            {"file": "reports/sheet.json"},
            "SELECT 'yes' AS sheet_agrees, SUM(due) AS in_sheet, (SELECT due FROM sum_bills) "
            "AS added FROM add_fee",
            ("add_fee", "sum_bills"),
            ("sheet=add_fee",),
            {
                "facts": {
                    "sheet_agrees": ["agrees", "sheet", "add_fee"],
                    "in_sheet": value(total("sheet", "due")),
                    "added": value(fact("sum_bills", "due")),
                }
            },
        ),
        Step(
            "write_report",
            DOCUMENT,
            "Report on {who}",
            "Report bills and due together, the highest meter, and due in the sheet.",
            {"file": "reports/bills.md"},
            "SELECT bills, s.due, meter, in_sheet FROM sum_bills s, name_highest, check_sheet",
            ("sum_bills", "name_highest", "check_sheet"),
            work={
                "facts": carried(
                    sum_bills="bills due", name_highest="meter", check_sheet="in_sheet"
                )
            },
        ),
        Step(
            "verify_report",
            VERIFICATION,
            "Verification for {who}",
            "Read the report again: is it what was handed over?",
            {"file": "reports/verified.json"},
            "SELECT 'yes' AS report_agrees, due, meter FROM write_report",
            ("write_report",),
            ("paper=write_report",),
            {
                "facts": {
                    "report_agrees": ["agrees", "paper", "write_report"],
                    **carried(write_report="due meter"),
                }
            },
        ),
    ),
    revisions=(("check_sheet", "add_fee"),),
)
