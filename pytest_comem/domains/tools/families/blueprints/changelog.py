"""A changelog and release notes, committed to a repository."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import DOCUMENT, EXECUTION, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import carried, only, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import tickets

BLUEPRINT: Final = Blueprint(
    "changelog",
    "Commit the changelog of {who}",
    ("Viewer", "Viewer Lite"),
    tickets,
    (
        Step(
            "list_tickets",
            TABULAR,
            "Closed tickets of {who}",
            "Read inbox/tickets.csv and list ticket, kind and points of the closed ones of {who}.",
            {"file": "work/closed.csv"},
            "SELECT ticket, kind, points FROM tickets WHERE component = :who AND state = 'closed'",
            read=("tickets",),
            work={
                "steps": [
                    ["take", "tickets"],
                    ["keep", "component", "is", "{who}"],
                    ["keep", "state", "is", "closed"],
                    ["columns", ["ticket", "kind", "points"]],
                ]
            },
        ),
        Step(
            "read_owner",
            DOCUMENT,
            "Owner of {who}",
            "Read inbox/owners.csv and note owner and least_points of {who}.",
            {"file": "work/owner.md"},
            "SELECT owner, least_points FROM owners WHERE component = :who",
            read=("owners",),
            work={
                "steps": [["take", "owners"], ["keep", "component", "is", "{who}"]],
                "facts": only("owner least_points"),
            },
        ),
        Step(
            "list_fixes",
            TABULAR,
            "Fixes of {who}",
            "List ticket and points of the fixes among the closed tickets.",
            {"file": "work/fixes.csv"},
            "SELECT ticket, points FROM list_tickets WHERE kind = 'fix'",
            ("list_tickets",),
            work={
                "steps": [
                    ["take", "list_tickets"],
                    ["keep", "kind", "is", "fix"],
                    ["columns", ["ticket", "points"]],
                ]
            },
        ),
        Step(
            "list_features",
            TABULAR,
            "Features of {who}",
            "List ticket and points of the features among the closed tickets.",
            {"file": "work/features.csv"},
            "SELECT ticket, points FROM list_tickets WHERE kind = 'feature'",
            ("list_tickets",),
            work={
                "steps": [
                    ["take", "list_tickets"],
                    ["keep", "kind", "is", "feature"],
                    ["columns", ["ticket", "points"]],
                ]
            },
        ),
        Step(
            "commit_log",
            EXECUTION,
            "Changelog of {who}",
            "Commit docs/changelog.csv: the fixes, then the features.",
            {"commit": "docs/changelog.csv"},
            "SELECT ticket, points FROM list_fixes UNION ALL "
            "SELECT ticket, points FROM list_features",
            ("list_fixes", "list_features"),
            work={"steps": [["take", "list_fixes"], ["stack", "list_features"]]},
        ),
        Step(
            "name_largest",
            DOCUMENT,
            "Largest change of {who}",
            "Name the ticket with the most points that were committed.",
            {"file": "work/largest.md"},
            "SELECT ticket, points FROM commit_log ORDER BY points DESC, 1, 2 LIMIT 1",
            ("commit_log",),
            work={
                "steps": [["take", "commit_log"], ["best", "points"]],
                "facts": only("ticket points"),
            },
        ),
        Step(
            "check_log",
            VERIFICATION,
            "Check of the changelog of {who}",
            "Read docs/changelog.csv again: is it what was committed, and are its points those of "
            "fixes and features?",
            {"file": "work/check.json"},
            "SELECT 'yes' AS log_agrees, SUM(points) AS in_log, (SELECT SUM(points) FROM "
            "list_fixes) + (SELECT SUM(points) FROM list_features) AS in_lists FROM commit_log",
            ("list_fixes", "list_features", "commit_log"),
            ("log=commit_log",),
            {
                "facts": {
                    "log_agrees": ["agrees", "log", "commit_log"],
                    "in_log": value(total("log", "points")),
                    "in_lists": [
                        "plus",
                        total("list_fixes", "points"),
                        total("list_features", "points"),
                    ],
                }
            },
        ),
        Step(
            "commit_notes",
            EXECUTION,
            "Release notes of {who}",
            "Commit docs/release.md: owner, the largest ticket, and the points in the log.",
            {"commit": "docs/release.md"},
            "SELECT owner, ticket, in_log AS points FROM read_owner, name_largest, check_log",
            ("read_owner", "name_largest", "check_log"),
            work={
                "facts": carried(
                    read_owner="owner", name_largest="ticket", check_log="points=in_log"
                )
            },
        ),
        Step(
            "verify_release",
            VERIFICATION,
            "Verification of the release of {who}",
            "Read notes and changelog again, and say whether they are what was committed.",
            {"file": "work/verified.json"},
            "SELECT 'yes' AS notes_agree, 'yes' AS log_agrees, points FROM commit_notes",
            ("commit_log", "commit_notes"),
            ("log=commit_log", "notes=commit_notes"),
            {
                "facts": {
                    "notes_agree": ["agrees", "notes", "commit_notes"],
                    "log_agrees": ["agrees", "log", "commit_log"],
                    **carried(commit_notes="points"),
                }
            },
        ),
    ),
    repository=True,
    revisions=(("check_log", "commit_log"),),
)
