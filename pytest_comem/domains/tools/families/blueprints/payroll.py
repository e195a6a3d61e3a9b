"""Hours of a workbook priced by rates of the database."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import DOCUMENT, FORM, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import (
    carried,
    fact,
    listed,
    only,
    same,
    total,
    value,
)
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import staff

BLUEPRINT: Final = Blueprint(
    "payroll",
    "Pay the hours of the {who} in March",
    ("Day crew", "Day crew South"),
    staff,
    (
        Step(
            "sum_hours",
            TABULAR,
            "Hours of the {who}",
            "Read the sheet March of books/hours.xlsx and add up the hours of the {who} by person; "
            "count says how many entries.",
            {"workbook": "books/pay.xlsx", "sheet": "Hours"},
            "SELECT person, SUM(hours) AS hours, COUNT(*) AS count FROM hours WHERE team = :who "
            "GROUP BY person",
            read=("hours",),
            work={
                "steps": [
                    ["take", "hours"],
                    ["keep", "team", "is", "{who}"],
                    ["sum", ["person"], ["hours"]],
                ]
            },
        ),
        Step(
            "list_rates",
            TABULAR,
            "Rates of the {who}",
            "Read the table people and list person and rate of the {who}.",
            {"workbook": "books/pay.xlsx", "sheet": "Rates"},
            "SELECT person, rate FROM people WHERE team = :who",
            read=("people",),
            work=listed("people", "person rate", "team"),
        ),
        Step(
            "price_hours",
            TABULAR,
            "Pay of the {who}",
            "Join hours and rates by person; pay is hours times rate.",
            {"workbook": "books/pay.xlsx", "sheet": "Pay"},
            "SELECT person, hours, rate, hours * rate AS pay FROM sum_hours "
            "JOIN list_rates USING (person)",
            ("sum_hours", "list_rates"),
            work={
                "steps": [
                    ["take", "sum_hours"],
                    ["join", "list_rates", "person"],
                    ["times", "pay", "hours", "rate"],
                    ["columns", ["person", "hours", "rate", "pay"]],
                ]
            },
        ),
        Step(
            "sum_pay",
            DOCUMENT,
            "Pay of the {who} together",
            "Say how many people are paid, for how many hours, and how much together.",
            {"workbook": "books/pay.xlsx", "sheet": "Together"},
            "SELECT COUNT(*) AS people, SUM(hours) AS hours, SUM(pay) AS pay FROM price_hours",
            ("price_hours",),
            work={
                "steps": [["take", "price_hours"]],
                "facts": {
                    "people": ["count"],
                    "hours": ["total", "hours"],
                    "pay": ["total", "pay"],
                },
            },
        ),
        Step(
            "name_highest",
            DOCUMENT,
            "Highest pay of the {who}",
            "Name the person with the highest pay, with hours and pay.",
            {"workbook": "books/pay.xlsx", "sheet": "Highest"},
            "SELECT person, hours, pay FROM price_hours ORDER BY pay DESC, 1, 2 LIMIT 1",
            ("price_hours",),
            work={
                "steps": [["take", "price_hours"], ["best", "pay"]],
                "facts": only("person hours pay"),
            },
        ),
        Step(
            "file_payout",
            FORM,
            "Payout to the {who}",
            "File the payout P-3 in the table payouts: people and pay together, and the highest.",
            {"table": "payouts", "where": {"payout": "P-3"}},
            "SELECT 'P-3' AS payout, s.people, s.pay, h.pay AS highest "
            "FROM sum_pay s, name_highest h",
            ("sum_pay", "name_highest"),
            work={
                "facts": {
                    "payout": value("P-3"),
                    **carried(sum_pay="people pay", name_highest="highest=pay"),
                }
            },
        ),
        Step(
            "check_hours",
            VERIFICATION,
            "Check of the hours of the {who}",
            "Check that the hours paid are the hours that were entered.",
            {"workbook": "books/pay.xlsx", "sheet": "Check"},
            "SELECT SUM(hours) AS entered, (SELECT hours FROM sum_pay) AS paid, 'yes' AS equal "
            "FROM sum_hours",
            ("sum_hours", "sum_pay"),
            work={
                "facts": {
                    "entered": value(total("sum_hours", "hours")),
                    "paid": value(fact("sum_pay", "hours")),
                    "equal": same(total("sum_hours", "hours"), fact("sum_pay", "hours")),
                }
            },
        ),
        Step(
            "verify_payout",
            VERIFICATION,
            "Verification of the payout to the {who}",
            "Read the payout again: is it what was handed over? Give its pay beside the hours "
            "checked.",
            {"workbook": "books/pay.xlsx", "sheet": "Verified"},
            "SELECT 'yes' AS payout_agrees, pay, paid AS hours FROM file_payout, check_hours",
            ("file_payout", "check_hours"),
            ("filed=file_payout",),
            {
                "facts": {
                    "payout_agrees": ["agrees", "filed", "file_payout"],
                    **carried(file_payout="pay", check_hours="hours=paid"),
                }
            },
        ),
    ),
    database="sqlite",
    forms={
        "payouts": {
            "payout": "text",
            "people": "integer",
            "pay": "integer",
            "highest": "integer",
        }
    },
    revisions=(("check_hours", "sum_pay"),),
)
