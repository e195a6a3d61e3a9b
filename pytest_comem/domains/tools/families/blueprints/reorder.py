"""An order for what is short at a site: chain, form, a check that sends back."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import DOCUMENT, FORM, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import fact, listed, same, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import stores

BLUEPRINT: Final = Blueprint(
    "reorder-request",
    "Order what is short at {who} from the supplier with the largest part",
    ("Harbour", "Harbour North"),
    stores,
    (
        Step(
            "list_stock",
            TABULAR,
            "Stock at {who}",
            "Read the table stock and list item, on_hand and minimum of everything at {who}.",
            {"file": "work/stock.csv"},
            "SELECT item, on_hand, minimum FROM stock WHERE site = :who",
            read=("stock",),
            work=listed("stock", "item on_hand minimum", "site"),
        ),
        Step(
            "list_prices",
            TABULAR,
            "Price list for {who}",
            "Read inbox/prices.csv and list item, supplier and price for the buyers of {who}.",
            {"file": "work/prices.csv"},
            "SELECT item, supplier, price FROM prices",
            read=("prices",),
            work={"steps": [["take", "prices"], ["columns", ["item", "supplier", "price"]]]},
        ),
        Step(
            "find_short",
            TABULAR,
            "What is short at {who}",
            "From the stock handed over, list every item below its minimum with the missing units "
            "as gap.",
            {"file": "work/short.csv"},
            "SELECT item, minimum - on_hand AS gap FROM list_stock WHERE on_hand < minimum",
            ("list_stock",),
            work={
                "steps": [
                    ["take", "list_stock"],
                    ["minus", "gap", "minimum", "on_hand"],
                    ["keep", "gap", "at_least", 1],
                    ["columns", ["item", "gap"]],
                ]
            },
        ),
        Step(
            "cost_items",
            TABULAR,
            "Cost of what is short at {who}",
            "Join the short items with the price list; cost is gap times price.",
            {"file": "work/cost.csv"},
            "SELECT item, supplier, gap, gap * price AS cost "
            "FROM find_short JOIN list_prices USING (item)",
            ("find_short", "list_prices"),
            work={
                "steps": [
                    ["take", "find_short"],
                    ["join", "list_prices", "item"],
                    ["times", "cost", "gap", "price"],
                    ["columns", ["item", "supplier", "gap", "cost"]],
                ]
            },
        ),
        Step(
            "sum_suppliers",
            TABULAR,
            "Cost by supplier for {who}",
            "Add up gap and cost of the costed items by supplier; count says how many items.",
            {"file": "work/suppliers.csv"},
            "SELECT supplier, SUM(gap) AS gap, SUM(cost) AS cost, COUNT(*) AS count "
            "FROM cost_items GROUP BY supplier",
            ("cost_items",),
            work={"steps": [["take", "cost_items"], ["sum", ["supplier"], ["gap", "cost"]]]},
        ),
        Step(
            "choose_supplier",
            DOCUMENT,
            "Supplier chosen for {who}",
            "Name the supplier with the highest cost, with its cost, items and units.",
            {"file": "reports/choice.md"},
            "SELECT supplier, cost, count AS items, gap AS units FROM sum_suppliers "
            "ORDER BY cost DESC, 1, 2 LIMIT 1",
            ("sum_suppliers",),
            work={
                "steps": [["take", "sum_suppliers"], ["best", "cost"]],
                "facts": {
                    "supplier": ["only", "supplier"],
                    "cost": ["only", "cost"],
                    "items": ["only", "count"],
                    "units": ["only", "gap"],
                },
            },
        ),
        Step(
            "file_request",
            FORM,
            "Purchase request of {who}",
            "File the request R-41 in the table requests: supplier, items and cost as chosen.",
            {"table": "requests", "where": {"request": "R-41"}},
            "SELECT 'R-41' AS request, supplier, items, cost FROM choose_supplier",
            ("choose_supplier",),
            work={
                "facts": {
                    "request": value("R-41"),
                    "supplier": value(fact("choose_supplier", "supplier")),
                    "items": value(fact("choose_supplier", "items")),
                    "cost": value(fact("choose_supplier", "cost")),
                }
            },
        ),
        Step(
            "check_costs",
            VERIFICATION,
            "Check of the costs of {who}",
            "Check that the costs by supplier add up to the cost of the single items.",
            {"file": "reports/costs.json"},
            "SELECT (SELECT SUM(cost) FROM cost_items) AS single, "
            "(SELECT SUM(cost) FROM sum_suppliers) AS grouped, 'yes' AS equal",
            ("cost_items", "sum_suppliers"),
            work={
                "facts": {
                    "single": value(total("cost_items", "cost")),
                    "grouped": value(total("sum_suppliers", "cost")),
                    "equal": same(total("cost_items", "cost"), total("sum_suppliers", "cost")),
                }
            },
        ),
        Step(
            "write_report",
            DOCUMENT,
            "Report on the order of {who}",
            "Report supplier and cost of the choice, the request filed, and what all suppliers "
            "together would cost.",
            {"file": "reports/order.md"},
            "SELECT c.supplier, c.cost, r.request, k.grouped AS all_suppliers "
            "FROM choose_supplier c, file_request r, check_costs k",
            ("choose_supplier", "file_request", "check_costs"),
            work={
                "facts": {
                    "supplier": value(fact("choose_supplier", "supplier")),
                    "cost": value(fact("choose_supplier", "cost")),
                    "request": value(fact("file_request", "request")),
                    "all_suppliers": value(fact("check_costs", "grouped")),
                }
            },
        ),
        Step(
            "verify_order",
            VERIFICATION,
            "Verification of the order of {who}",
            "Read the filed request and the report again, and say whether they are what was "
            "handed over.",
            {"file": "reports/verified.json"},
            "SELECT 'yes' AS request_agrees, 'yes' AS report_agrees, cost, all_suppliers "
            "FROM write_report",
            ("file_request", "write_report"),
            ("filed=file_request", "paper=write_report"),
            {
                "facts": {
                    "request_agrees": ["agrees", "filed", "file_request"],
                    "report_agrees": ["agrees", "paper", "write_report"],
                    "cost": value(fact("file_request", "cost")),
                    "all_suppliers": value(fact("write_report", "all_suppliers")),
                }
            },
        ),
    ),
    database="sqlite",
    forms={
        "requests": {
            "request": "text",
            "supplier": "text",
            "items": "integer",
            "cost": "integer",
        }
    },
    revisions=(("check_costs", "sum_suppliers"),),
)
