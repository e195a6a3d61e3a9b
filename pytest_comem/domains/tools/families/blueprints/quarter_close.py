"""A quarter closed in one workbook: sixteen nodes, with branches, forms and a check between."""

from __future__ import annotations

from typing import Any, Final

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
from pytest_comem.domains.tools.families.sources import ledgers


def _sheet(name: str) -> dict[str, Any]:
    return {"workbook": "books/close.xlsx", "sheet": name}


_READING: Final = (
    Step(
        "list_entries",
        TABULAR,
        "Entries of {who}",
        "Read the sheet Ledger of books/ledger.xlsx and list entry, account and amount of {who}.",
        _sheet("Entries"),
        "SELECT entry, account, amount FROM ledger WHERE department = :who",
        read=("ledger",),
        work=listed("ledger", "entry account amount", "department"),
    ),
    Step(
        "list_budgets",
        TABULAR,
        "Budgets of {who}",
        "Read the table budgets and list account and budget of {who}.",
        _sheet("Budgets"),
        "SELECT account, budget FROM budgets WHERE department = :who",
        read=("budgets",),
        work=listed("budgets", "account budget", "department"),
    ),
    Step(
        "sum_accounts",
        TABULAR,
        "Spent by account of {who}",
        "Add up the entries by account; count says how many entries.",
        _sheet("Accounts"),
        "SELECT account, SUM(amount) AS amount, COUNT(*) AS count FROM list_entries "
        "GROUP BY account",
        ("list_entries",),
        work={"steps": [["take", "list_entries"], ["sum", ["account"], ["amount"]]]},
    ),
    Step(
        "compare_budgets",
        TABULAR,
        "Spent against budgets of {who}",
        "Join what was spent and the budgets by account; rest is budget minus amount.",
        _sheet("Compared"),
        "SELECT account, amount, budget, budget - amount AS rest FROM sum_accounts "
        "JOIN list_budgets USING (account)",
        ("sum_accounts", "list_budgets"),
        work={
            "steps": [
                ["take", "sum_accounts"],
                ["join", "list_budgets", "account"],
                ["minus", "rest", "budget", "amount"],
                ["columns", ["account", "amount", "budget", "rest"]],
            ]
        },
    ),
    Step(
        "list_over",
        TABULAR,
        "Accounts of {who} over budget",
        "List the accounts whose rest is below 0; over is how far below.",
        _sheet("Over"),
        "SELECT account, 0 - rest AS over FROM compare_budgets WHERE rest < 0",
        ("compare_budgets",),
        work={
            "steps": [
                ["take", "compare_budgets"],
                ["keep", "rest", "below", 0],
                ["times", "over", "rest", -1],
                ["columns", ["account", "over"]],
            ]
        },
    ),
    Step(
        "list_within",
        TABULAR,
        "Accounts of {who} within budget",
        "List account and rest of the accounts whose rest is at least 0.",
        _sheet("Within"),
        "SELECT account, rest FROM compare_budgets WHERE rest >= 0",
        ("compare_budgets",),
        work={
            "steps": [
                ["take", "compare_budgets"],
                ["keep", "rest", "at_least", 0],
                ["columns", ["account", "rest"]],
            ]
        },
    ),
)
_SUMMING: Final = (
    Step(
        "sum_over",
        DOCUMENT,
        "Over budget at {who} in all",
        "Say how many accounts are over, and by how much together.",
        _sheet("Over in all"),
        "SELECT COUNT(*) AS accounts, SUM(over) AS over FROM list_over",
        ("list_over",),
        work={
            "steps": [["take", "list_over"]],
            "facts": {"accounts": ["count"], "over": ["total", "over"]},
        },
    ),
    Step(
        "sum_within",
        DOCUMENT,
        "Rest of {who} in all",
        "Say how many accounts are within budget, and their rest together.",
        _sheet("Rest in all"),
        "SELECT COUNT(*) AS accounts, SUM(rest) AS rest FROM list_within",
        ("list_within",),
        work={
            "steps": [["take", "list_within"]],
            "facts": {"accounts": ["count"], "rest": ["total", "rest"]},
        },
    ),
    Step(
        "name_worst",
        DOCUMENT,
        "Account of {who} furthest over",
        "Name the account with the highest over.",
        _sheet("Worst"),
        "SELECT account, over FROM list_over ORDER BY over DESC, 1, 2 LIMIT 1",
        ("list_over",),
        work={
            "steps": [["take", "list_over"], ["best", "over"]],
            "facts": only("account over"),
        },
    ),
    Step(
        "name_richest",
        DOCUMENT,
        "Account of {who} with the largest rest",
        "Name the account with the highest rest.",
        _sheet("Richest"),
        "SELECT account, rest FROM list_within ORDER BY rest DESC, 1, 2 LIMIT 1",
        ("list_within",),
        work={
            "steps": [["take", "list_within"], ["best", "rest"]],
            "facts": only("account rest"),
        },
    ),
    Step(
        "net_rest",
        DOCUMENT,
        "Net rest of {who}",
        "Net is the rest in all minus over in all.",
        _sheet("Net"),
        "SELECT rest, over, rest - over AS net FROM sum_within, sum_over",
        ("sum_within", "sum_over"),
        work={
            "facts": {
                **carried(sum_within="rest", sum_over="over"),
                "net": ["minus", fact("sum_within", "rest"), fact("sum_over", "over")],
            }
        },
    ),
    Step(
        "check_net",
        VERIFICATION,
        "Check of the net rest of {who}",
        "Check that net is what the rest of all compared accounts adds up to.",
        _sheet("Check"),
        "SELECT net, (SELECT SUM(rest) FROM compare_budgets) AS compared, 'yes' AS equal "
        "FROM net_rest",
        ("net_rest", "compare_budgets"),
        work={
            "facts": {
                "net": value(fact("net_rest", "net")),
                "compared": value(total("compare_budgets", "rest")),
                "equal": same(fact("net_rest", "net"), total("compare_budgets", "rest")),
            }
        },
    ),
)
_CLOSING: Final = (
    Step(
        "file_transfer",
        FORM,
        "Transfer within {who}",
        "File the transfer X-6 in the table transfers: from the account with the largest rest to "
        "the one furthest over, as much as that is over.",
        {"table": "transfers", "where": {"transfer": "X-6"}},
        "SELECT 'X-6' AS transfer, r.account AS giver, w.account AS taker, w.over AS amount "
        "FROM name_richest r, name_worst w",
        ("name_richest", "name_worst"),
        work={
            "facts": {
                "transfer": value("X-6"),
                **carried(name_richest="giver=account", name_worst="taker=account amount=over"),
            }
        },
    ),
    Step(
        "write_memo",
        DOCUMENT,
        "Memo to {who}",
        "Write the memo: the transfer with its amount, how many accounts are over, and the net "
        "rest that was checked.",
        _sheet("Memo"),
        "SELECT transfer, amount, accounts, net FROM file_transfer, sum_over, check_net",
        ("file_transfer", "sum_over", "check_net"),
        work={
            "facts": carried(file_transfer="transfer amount", sum_over="accounts", check_net="net")
        },
    ),
    Step(
        "log_memo",
        FORM,
        "Memo to {who} in the log",
        "Log the memo M-2 in the table memos: amount and net as written.",
        {"table": "memos", "where": {"memo": "M-2"}},
        "SELECT 'M-2' AS memo, amount, net FROM write_memo",
        ("write_memo",),
        work={"facts": {"memo": value("M-2"), **carried(write_memo="amount net")}},
    ),
    Step(
        "verify_close",
        VERIFICATION,
        "Verification of the close of {who}",
        "Read transfer, memo and log again, and say whether they are what was handed over.",
        _sheet("Verified"),
        "SELECT 'yes' AS transfer_agrees, 'yes' AS memo_agrees, 'yes' AS log_agrees, net "
        "FROM log_memo",
        ("file_transfer", "write_memo", "log_memo"),
        ("filed=file_transfer", "paper=write_memo", "logged=log_memo"),
        {
            "facts": {
                "transfer_agrees": ["agrees", "filed", "file_transfer"],
                "memo_agrees": ["agrees", "paper", "write_memo"],
                "log_agrees": ["agrees", "logged", "log_memo"],
                **carried(log_memo="net"),
            }
        },
    ),
)

BLUEPRINT: Final = Blueprint(
    "quarter-close",
    "Close the quarter of {who} in its workbook",
    ("Field Unit", "Field Unit West"),
    ledgers,
    (*_READING, *_SUMMING, *_CLOSING),
    database="sqlite",
    forms={
        "transfers": {
            "transfer": "text",
            "giver": "text",
            "taker": "text",
            "amount": "integer",
        },
        "memos": {"memo": "text", "amount": "integer", "net": "integer"},
    },
    revisions=(("check_net", "net_rest"),),
)
