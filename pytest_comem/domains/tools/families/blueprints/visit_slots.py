"""Visits brought to one clock, in tables of the database alone."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import DOCUMENT, FORM, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import carried, fact, only, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import visits

BLUEPRINT: Final = Blueprint(
    "visit-slots",
    "Book the visits to {who} by one clock",
    ("Alder Ltd", "Alder Ltd West"),
    visits,
    (
        Step(
            "list_visits",
            TABULAR,
            "Visits to {who}",
            "Read the table visits and put the visits to {who} into the table picked, run S-2.",
            {"table": "picked", "where": {"run": "S-2"}},
            "SELECT visit, zone, starts, minutes, 'S-2' AS run FROM visits WHERE client = :who",
            read=("visits",),
            work={
                "steps": [
                    ["take", "visits"],
                    ["keep", "client", "is", "{who}"],
                    ["columns", ["visit", "zone", "starts", "minutes"]],
                    ["put", "run", "S-2"],
                ]
            },
        ),
        Step(
            "convert_starts",
            TABULAR,
            "Starts of the visits to {who} in UTC",
            "Convert starts from the clock of its zone to UTC, as utc, into the table slots.",
            {"table": "slots", "where": {"run": "S-2"}},
            "SELECT visit, minutes, strftime('%H:%M', '2001-01-01 ' || starts, shift) AS utc, run "
            "FROM list_visits JOIN zones USING (zone)",
            ("list_visits",),
            work={
                "convert": ["list_visits", "starts", "zone", "UTC", "utc"],
                "steps": [
                    ["take", "converted"],
                    ["columns", ["visit", "minutes", "utc", "run"]],
                ],
            },
        ),
        Step(
            "list_long",
            TABULAR,
            "Long visits to {who}",
            "Put the slots of at least 60 minutes into the table long_slots.",
            {"table": "long_slots", "where": {"run": "S-2"}},
            "SELECT visit, minutes, utc, run FROM convert_starts WHERE minutes >= 60",
            ("convert_starts",),
            work={"steps": [["take", "convert_starts"], ["keep", "minutes", "at_least", 60]]},
        ),
        Step(
            "list_brief",
            TABULAR,
            "Brief visits to {who}",
            "Put the slots below 60 minutes into the table brief_slots.",
            {"table": "brief_slots", "where": {"run": "S-2"}},
            "SELECT visit, minutes, utc, run FROM convert_starts WHERE minutes < 60",
            ("convert_starts",),
            work={"steps": [["take", "convert_starts"], ["keep", "minutes", "below", 60]]},
        ),
        Step(
            "sum_minutes",
            DOCUMENT,
            "Minutes of the visits to {who}",
            "Say how many minutes the long and the brief visits take.",
            {"table": "loads", "where": {"run": "S-2"}},
            "SELECT 'S-2' AS run, (SELECT SUM(minutes) FROM list_long) AS long_minutes, "
            "(SELECT SUM(minutes) FROM list_brief) AS brief_minutes",
            ("list_long", "list_brief"),
            work={
                "facts": {
                    "run": value("S-2"),
                    "long_minutes": value(total("list_long", "minutes")),
                    "brief_minutes": value(total("list_brief", "minutes")),
                }
            },
        ),
        Step(
            "book_longest",
            FORM,
            "Booking of the longest visit to {who}",
            "Book K-4 in the table bookings: the long visit with the most minutes, at its utc.",
            {"table": "bookings", "where": {"booking": "K-4"}},
            "SELECT 'K-4' AS booking, visit, utc, minutes FROM list_long "
            "ORDER BY minutes DESC, 1, 2 LIMIT 1",
            ("list_long",),
            work={
                "steps": [["take", "list_long"], ["best", "minutes"]],
                "facts": {"booking": value("K-4"), **only("visit utc minutes")},
            },
        ),
        Step(
            "check_minutes",
            VERIFICATION,
            "Check of the minutes of the visits to {who}",
            "Check that long and brief minutes together are those of all slots.",
            {"table": "checks", "where": {"run": "S-2"}},
            "SELECT 'S-2' AS run, SUM(minutes) AS slots, (SELECT long_minutes + brief_minutes "
            "FROM sum_minutes) AS loads FROM convert_starts",
            ("convert_starts", "sum_minutes"),
            work={
                "facts": {
                    "run": value("S-2"),
                    "slots": value(total("convert_starts", "minutes")),
                    "loads": [
                        "plus",
                        fact("sum_minutes", "long_minutes"),
                        fact("sum_minutes", "brief_minutes"),
                    ],
                }
            },
        ),
        Step(
            "verify_booking",
            VERIFICATION,
            "Verification of the booking for {who}",
            "Read the booking again: is it what was handed over? Give its visit beside the minutes "
            "of all slots.",
            {"table": "verified", "where": {"run": "S-2"}},
            "SELECT 'S-2' AS run, 'yes' AS booking_agrees, visit, slots "
            "FROM book_longest, check_minutes",
            ("book_longest", "check_minutes"),
            ("filed=book_longest",),
            {
                "facts": {
                    "run": value("S-2"),
                    "booking_agrees": ["agrees", "filed", "book_longest"],
                    **carried(book_longest="visit", check_minutes="slots"),
                }
            },
        ),
    ),
    database="sqlite",
    forms={
        "picked": {
            "visit": "text",
            "zone": "text",
            "starts": "text",
            "minutes": "integer",
            "run": "text",
        },
        "slots": {"visit": "text", "minutes": "integer", "utc": "text", "run": "text"},
        "long_slots": {"visit": "text", "minutes": "integer", "utc": "text", "run": "text"},
        "brief_slots": {"visit": "text", "minutes": "integer", "utc": "text", "run": "text"},
        "loads": {"run": "text", "long_minutes": "integer", "brief_minutes": "integer"},
        "bookings": {
            "booking": "text",
            "visit": "text",
            "utc": "text",
            "minutes": "integer",
        },
        "checks": {"run": "text", "slots": "integer", "loads": "integer"},
        "verified": {
            "run": "text",
            "booking_agrees": "text",
            "visit": "text",
            "slots": "integer",
        },
    },
    revisions=(("check_minutes", "sum_minutes"),),
)
