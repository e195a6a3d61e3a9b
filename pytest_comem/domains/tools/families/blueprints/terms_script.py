"""A query written from terms, run on the database, and an offer made of its rows."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import (
    CODE,
    DOCUMENT,
    EXECUTION,
    FORM,
    TABULAR,
    VERIFICATION,
)
from pytest_comem.domains.tools.families.asking import fact, same, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import orders

BLUEPRINT: Final = Blueprint(
    "terms-script",
    "Offer {who} its best item, by a query that follows its terms",
    ("Alder Ltd", "Alder Ltd West"),
    orders,
    (
        Step(
            "read_terms",
            DOCUMENT,
            "Terms of {who}",
            "Read inbox/terms.csv and note least_units and days of {who}.",
            {"file": "work/terms.md"},
            "SELECT least_units, days FROM terms WHERE client = :who",
            read=("terms",),
            work={
                "steps": [["take", "terms"], ["keep", "client", "is", "{who}"]],
                "facts": {"least_units": ["only", "least_units"], "days": ["only", "days"]},
            },
        ),
        Step(
            "write_query",
            CODE,
            "Query for the orders of {who}",
            "Write the query for the orders of {who}: fill least_units of the terms into the "
            "template of the parameters.",
            {"file": "work/select.sql"},
            "SELECT least_units FROM read_terms",
            ("read_terms",),
            work={
                "facts": {"least_units": value(fact("read_terms", "least_units"))},
                "code": "SELECT item, units, units * price AS amount FROM orders "
                "WHERE client = '{who}' AND units >= {least_units} ORDER BY number\n",
            },
        ),
        Step(
            "run_query",
            EXECUTION,
            "Orders of {who} by its terms",
            "Run the query handed over on the database and keep its rows.",
            {"file": "work/selected.csv"},
            "SELECT item, units, units * price AS amount FROM orders WHERE client = :who "
            "AND units >= (SELECT least_units FROM read_terms)",
            ("write_query",),
            work={"run": "write_query", "steps": [["take", "run"]]},
        ),
        Step(
            "sum_items",
            TABULAR,
            "Amounts by item of {who}",
            "Add up units and amount of the rows by item; count says how many orders.",
            {"file": "work/items.csv"},
            "SELECT item, SUM(units) AS units, SUM(amount) AS amount, COUNT(*) AS count "
            "FROM run_query GROUP BY item",
            ("run_query",),
            work={"steps": [["take", "run_query"], ["sum", ["item"], ["units", "amount"]]]},
        ),
        Step(
            "choose_item",
            DOCUMENT,
            "Best item of {who}",
            "Name the item with the highest amount, its amount, and the amount of all.",
            {"file": "reports/best.md"},
            "SELECT item, amount, (SELECT SUM(amount) FROM sum_items) AS together "
            "FROM sum_items ORDER BY amount DESC, 1, 2 LIMIT 1",
            ("sum_items",),
            work={
                "steps": [["take", "sum_items"], ["best", "amount"]],
                "facts": {
                    "item": ["only", "item"],
                    "amount": ["only", "amount"],
                    "together": value(total("sum_items", "amount")),
                },
            },
        ),
        Step(
            "file_offer",
            FORM,
            "Offer to {who}",
            "File the offer F-3 in the table offers: the best item with its amount, and the days "
            "of the terms.",
            {"table": "offers", "where": {"offer": "F-3"}},
            "SELECT 'F-3' AS offer, item, amount, days FROM choose_item, read_terms",
            ("choose_item", "read_terms"),
            work={
                "facts": {
                    "offer": value("F-3"),
                    "item": value(fact("choose_item", "item")),
                    "amount": value(fact("choose_item", "amount")),
                    "days": value(fact("read_terms", "days")),
                }
            },
        ),
        Step(
            "check_rows",
            VERIFICATION,
            "Check of the rows of {who}",
            "Check that the amounts by item add up to those of the rows that the query gave.",
            {"file": "reports/rows.json"},
            "SELECT SUM(amount) AS in_rows, (SELECT SUM(amount) FROM sum_items) AS by_item, "
            "'yes' AS equal FROM run_query",
            ("run_query", "sum_items"),
            work={
                "facts": {
                    "in_rows": value(total("run_query", "amount")),
                    "by_item": value(total("sum_items", "amount")),
                    "equal": same(total("run_query", "amount"), total("sum_items", "amount")),
                }
            },
        ),
        Step(
            "verify_offer",
            VERIFICATION,
            "Verification of the offer to {who}",
            "Read the offer again: is it what was handed over? Give its amount beside that of all "
            "rows checked.",
            {"file": "reports/verified.json"},
            "SELECT 'yes' AS offer_agrees, amount, in_rows FROM file_offer, check_rows",
            ("file_offer", "check_rows"),
            ("filed=file_offer",),
            {
                "facts": {
                    "offer_agrees": ["agrees", "filed", "file_offer"],
                    "amount": value(fact("file_offer", "amount")),
                    "in_rows": value(fact("check_rows", "in_rows")),
                }
            },
        ),
    ),
    database="sqlite",
    forms={"offers": {"offer": "text", "item": "text", "amount": "integer", "days": "integer"}},
    revisions=(("check_rows", "sum_items"),),
)
