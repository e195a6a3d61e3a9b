"""An account's ceiling against its invoices, and the letter about it."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import DOCUMENT, FORM, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import carried, fact, listed, only, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import accounts

BLUEPRINT: Final = Blueprint(
    "credit-ceiling",
    "Tell {who} how far its invoices are from its ceiling",
    ("Cray Bros", "Cray Bros East"),
    accounts,
    (
        Step(
            "read_account",
            DOCUMENT,
            "Account of {who}",
            "Read the table accounts and note contact and ceiling of {who}.",
            {"file": "work/account.md"},
            "SELECT contact, ceiling FROM accounts WHERE client = :who",
            read=("accounts",),
            work={
                "steps": [["take", "accounts"], ["keep", "client", "is", "{who}"]],
                "facts": only("contact ceiling"),
            },
        ),
        Step(
            "list_invoices",
            TABULAR,
            "Invoices of {who}",
            "Read inbox/invoices.csv and list invoice and amount of {who}.",
            {"file": "work/invoices.csv"},
            "SELECT invoice, amount FROM invoices WHERE client = :who",
            read=("invoices",),
            work=listed("invoices", "invoice amount", "client"),
        ),
        Step(
            "sum_invoices",
            DOCUMENT,
            "Invoices of {who} in all",
            "Say how many invoices there are, and their amount together.",
            {"file": "work/together.md"},
            "SELECT COUNT(*) AS invoices, SUM(amount) AS amount FROM list_invoices",
            ("list_invoices",),
            work={
                "steps": [["take", "list_invoices"]],
                "facts": {"invoices": ["count"], "amount": ["total", "amount"]},
            },
        ),
        Step(
            "compare_ceiling",
            VERIFICATION,
            "Ceiling of {who} against its invoices",
            "Say how far the amount of the invoices is above the ceiling of the account.",
            {"file": "work/above.json"},
            "SELECT amount, ceiling, amount - ceiling AS above FROM read_account, sum_invoices",
            ("read_account", "sum_invoices"),
            work={
                "facts": {
                    **carried(sum_invoices="amount", read_account="ceiling"),
                    "above": [
                        "minus",
                        fact("sum_invoices", "amount"),
                        fact("read_account", "ceiling"),
                    ],
                }
            },
        ),
        Step(
            "write_letter",
            DOCUMENT,
            "Letter to {who}",
            "Write to the contact of the account: how many invoices, and how far above.",
            {"file": "letters/ceiling.md"},
            "SELECT contact, invoices, above FROM read_account, sum_invoices, compare_ceiling",
            ("read_account", "sum_invoices", "compare_ceiling"),
            work={
                "facts": carried(
                    read_account="contact", sum_invoices="invoices", compare_ceiling="above"
                )
            },
        ),
        Step(
            "log_letter",
            FORM,
            "Letter to {who} in the log",
            "Log the letter L-5 in the table letters: contact and above as written.",
            {"table": "letters", "where": {"letter": "L-5"}},
            "SELECT 'L-5' AS letter, contact, above FROM write_letter",
            ("write_letter",),
            work={"facts": {"letter": value("L-5"), **carried(write_letter="contact above")}},
        ),
        Step(
            "verify_letter",
            VERIFICATION,
            "Verification of the letter to {who}",
            "Read log and letter again, and say whether they are what was handed over.",
            {"file": "reports/verified.json"},
            "SELECT 'yes' AS log_agrees, 'yes' AS letter_agrees, above, invoices FROM write_letter",
            ("log_letter", "write_letter"),
            ("logged=log_letter", "letter=write_letter"),
            {
                "facts": {
                    "log_agrees": ["agrees", "logged", "log_letter"],
                    "letter_agrees": ["agrees", "letter", "write_letter"],
                    **carried(log_letter="above", write_letter="invoices"),
                }
            },
        ),
    ),
    database="postgres",
    forms={"letters": {"letter": "text", "contact": "text", "above": "integer"}},
    split="development",
)
