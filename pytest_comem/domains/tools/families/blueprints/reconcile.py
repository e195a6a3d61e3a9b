"""Invoices against payments: what is open, in branches that overlap."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import DOCUMENT, FORM, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import carried, listed, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import accounts

BLUEPRINT: Final = Blueprint(
    "payment-reconcile",
    "Find what {who} still owes, from its invoices and its payments",
    ("Alder Ltd", "Alder Ltd West"),
    accounts,
    (
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
            "list_payments",
            TABULAR,
            "Payments of {who}",
            "Read the table payments and list payment, invoice and received of {who}.",
            {"file": "work/payments.csv"},
            "SELECT payment, invoice, received FROM payments WHERE client = :who",
            read=("payments",),
            work=listed("payments", "payment invoice received", "client"),
        ),
        Step(
            "sum_payments",
            TABULAR,
            "Payments by invoice of {who}",
            "Add up what was received by invoice; count says in how many payments.",
            {"file": "work/received.csv"},
            "SELECT invoice, SUM(received) AS received, COUNT(*) AS count FROM list_payments "
            "GROUP BY invoice",
            ("list_payments",),
            work={"steps": [["take", "list_payments"], ["sum", ["invoice"], ["received"]]]},
        ),
        Step(
            "find_unpaid",
            TABULAR,
            "Unpaid invoices of {who}",
            "List the invoices for which no payment came at all; open is their amount.",
            {"file": "work/unpaid.csv"},
            "SELECT invoice, amount AS open FROM list_invoices "
            "WHERE invoice NOT IN (SELECT invoice FROM sum_payments)",
            ("list_invoices", "sum_payments"),
            work={
                "steps": [
                    ["take", "list_invoices"],
                    ["lacking", "sum_payments", "invoice"],
                    ["plus", "open", "amount", 0],
                    ["columns", ["invoice", "open"]],
                ]
            },
        ),
        Step(
            "find_partly",
            TABULAR,
            "Partly paid invoices of {who}",
            "List the invoices for which less came than their amount; open is the difference.",
            {"file": "work/partly.csv"},
            "SELECT invoice, amount - received AS open FROM list_invoices "
            "JOIN sum_payments USING (invoice) WHERE received < amount",
            ("list_invoices", "sum_payments"),
            work={
                "steps": [
                    ["take", "list_invoices"],
                    ["join", "sum_payments", "invoice"],
                    ["minus", "open", "amount", "received"],
                    ["keep", "open", "at_least", 1],
                    ["columns", ["invoice", "open"]],
                ]
            },
        ),
        Step(
            "list_open",
            TABULAR,
            "Open invoices of {who}",
            "Put unpaid and partly paid invoices into one list.",
            {"file": "work/open.csv"},
            "SELECT invoice, open FROM find_unpaid UNION ALL SELECT invoice, open FROM find_partly",
            ("find_unpaid", "find_partly"),
            work={"steps": [["take", "find_unpaid"], ["stack", "find_partly"]]},
        ),
        Step(
            "check_balance",
            VERIFICATION,
            "Check of the balance of {who}",
            "Check that all invoices less all that was received by invoice is what is open.",
            {"file": "reports/balance.json"},
            "SELECT (SELECT SUM(amount) FROM list_invoices) - (SELECT SUM(received) "
            "FROM sum_payments) AS balance, (SELECT SUM(open) FROM list_open) AS open",
            ("list_invoices", "sum_payments", "list_open"),
            work={
                "facts": {
                    "balance": [
                        "minus",
                        total("list_invoices", "amount"),
                        total("sum_payments", "received"),
                    ],
                    "open": value(total("list_open", "open")),
                }
            },
        ),
        Step(
            "file_reminder",
            FORM,
            "Reminder to {who}",
            "File the reminder D-12 in the table reminders: open in all, and how many invoices.",
            {"table": "reminders", "where": {"reminder": "D-12"}},
            "SELECT 'D-12' AS reminder, SUM(open) AS open, COUNT(*) AS invoices FROM list_open",
            ("list_open",),
            work={
                "facts": {
                    "reminder": value("D-12"),
                    "open": value(total("list_open", "open")),
                    "invoices": value({"count": "list_open"}),
                }
            },
        ),
        Step(
            "write_letter",
            DOCUMENT,
            "Letter to {who}",
            "Write the letter: open and invoices as filed, and the balance that was checked.",
            {"file": "letters/reminder.md"},
            "SELECT reminder, r.open, invoices, balance FROM file_reminder r, check_balance",
            ("file_reminder", "check_balance"),
            work={
                "facts": carried(file_reminder="reminder open invoices", check_balance="balance")
            },
        ),
        Step(
            "verify_letter",
            VERIFICATION,
            "Verification of the letter to {who}",
            "Read reminder and letter again, and say whether they are what was handed over.",
            {"file": "reports/verified.json"},
            "SELECT 'yes' AS reminder_agrees, 'yes' AS letter_agrees, open FROM write_letter",
            ("file_reminder", "write_letter"),
            ("filed=file_reminder", "letter=write_letter"),
            {
                "facts": {
                    "reminder_agrees": ["agrees", "filed", "file_reminder"],
                    "letter_agrees": ["agrees", "letter", "write_letter"],
                    **carried(write_letter="open"),
                }
            },
        ),
    ),
    database="postgres",
    forms={"reminders": {"reminder": "text", "open": "integer", "invoices": "integer"}},
    revisions=(("check_balance", "list_open"),),
)
