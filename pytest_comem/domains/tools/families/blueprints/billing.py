"""Readings of a workbook billed to the holders of meters."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import FORM, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import carried, listed, only, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import holders

BLUEPRINT: Final = Blueprint(
    "meter-billing",
    "Bill the largest holder of {who}",
    ("Lake Street", "Lake Street Upper"),
    holders,
    (
        Step(
            "list_readings",
            TABULAR,
            "Readings of {who}",
            "Read the sheet Readings of books/meters.xlsx and list meter, earlier and later of "
            "{who}.",
            {"workbook": "books/bills.xlsx", "sheet": "Readings"},
            "SELECT meter, earlier, later FROM readings WHERE street = :who",
            read=("readings",),
            work=listed("readings", "meter earlier later", "street"),
        ),
        Step(
            "list_holders",
            TABULAR,
            "Holders of meters, for {who}",
            "Read the table holders and list meter, holder and factor.",
            {"workbook": "books/bills.xlsx", "sheet": "Holders"},
            "SELECT meter, holder, factor FROM holders",
            read=("holders",),
            work=listed("holders", "meter holder factor"),
        ),
        Step(
            "find_used",
            TABULAR,
            "Used in {who}",
            "Used is later minus earlier, a meter each.",
            {"workbook": "books/bills.xlsx", "sheet": "Used"},
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
            "price_used",
            TABULAR,
            "Due in {who}",
            "Join what was used with the holders by meter; due is used times factor.",
            {"workbook": "books/bills.xlsx", "sheet": "Due"},
            "SELECT meter, holder, used * factor AS due FROM find_used "
            "JOIN list_holders USING (meter)",
            ("find_used", "list_holders"),
            work={
                "steps": [
                    ["take", "find_used"],
                    ["join", "list_holders", "meter"],
                    ["times", "due", "used", "factor"],
                    ["columns", ["meter", "holder", "due"]],
                ]
            },
        ),
        Step(
            "sum_holders",
            TABULAR,
            "Due by holder of {who}",
            "Add up what is due by holder; count says how many meters.",
            {"table": "dues", "where": {"run": "B-8"}},
            "SELECT 'B-8' AS run, holder, SUM(due) AS due, COUNT(*) AS count FROM price_used "
            "GROUP BY holder",
            ("price_used",),
            work={
                "steps": [
                    ["take", "price_used"],
                    ["sum", ["holder"], ["due"]],
                    ["put", "run", "B-8"],
                ]
            },
        ),
        Step(
            "file_bill",
            FORM,
            "Bill for {who}",
            "File the bill B-8 in the table bills for the holder with the highest due.",
            {"table": "bills", "where": {"bill": "B-8"}},
            "SELECT 'B-8' AS bill, holder, due, count AS meters FROM sum_holders "
            "ORDER BY due DESC, 1, 2 LIMIT 1",
            ("sum_holders",),
            work={
                "steps": [["take", "sum_holders"], ["best", "due"]],
                "facts": {"bill": value("B-8"), **only("holder due meters=count")},
            },
        ),
        Step(
            "check_dues",
            VERIFICATION,
            "Check of the dues of {who}",
            "Check that what is due by meter and by holder is the same.",
            {"table": "checks", "where": {"run": "B-8"}},
            "SELECT 'B-8' AS run, SUM(due) AS by_meter, (SELECT SUM(due) FROM sum_holders) "
            "AS by_holder FROM price_used",
            ("price_used", "sum_holders"),
            work={
                "facts": {
                    "run": value("B-8"),
                    "by_meter": value(total("price_used", "due")),
                    "by_holder": value(total("sum_holders", "due")),
                }
            },
        ),
        Step(
            "verify_bill",
            VERIFICATION,
            "Verification of the bill for {who}",
            "Read the bill again: is it what was handed over? Give its due beside that of all "
            "meters.",
            {"workbook": "books/bills.xlsx", "sheet": "Verified"},
            "SELECT 'yes' AS bill_agrees, due, by_meter FROM file_bill, check_dues",
            ("file_bill", "check_dues"),
            ("filed=file_bill",),
            {
                "facts": {
                    "bill_agrees": ["agrees", "filed", "file_bill"],
                    **carried(file_bill="due", check_dues="by_meter"),
                }
            },
        ),
    ),
    database="postgres",
    forms={
        "dues": {"holder": "text", "due": "integer", "count": "integer", "run": "text"},
        "bills": {"bill": "text", "holder": "text", "due": "integer", "meters": "integer"},
        "checks": {"run": "text", "by_meter": "integer", "by_holder": "integer"},
    },
    revisions=(("check_dues", "sum_holders"),),
)
