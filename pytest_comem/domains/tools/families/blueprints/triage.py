"""A query committed, run, and its first ticket assigned."""

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
from pytest_comem.domains.tools.families.asking import carried, only, same, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import triage

BLUEPRINT: Final = Blueprint(
    "triage-query",
    "Commit the triage query of {who}, run it, and assign what comes first",
    ("Viewer", "Viewer Lite"),
    triage,
    (
        Step(
            "read_policy",
            DOCUMENT,
            "Triage policy of {who}",
            "Read inbox/owners.csv and note owner and least_points of {who}.",
            {"file": "work/policy.md"},
            "SELECT owner, least_points FROM owners WHERE component = :who",
            read=("owners",),
            work={
                "steps": [["take", "owners"], ["keep", "component", "is", "{who}"]],
                "facts": only("owner least_points"),
            },
        ),
        Step(
            "commit_query",
            CODE,
            "Triage query of {who}",
            "Fill least_points of the policy into the template of the parameters, and commit it "
            "as queries/triage.sql.",
            {"commit": "queries/triage.sql"},
            "SELECT least_points FROM read_policy",
            ("read_policy",),
            work={
                "facts": carried(read_policy="least_points"),
                "code": "SELECT ticket, kind, points FROM tickets WHERE component = '{who}' "
                "AND state = 'closed' AND points >= {least_points} ORDER BY ticket\n",
            },
        ),
        Step(
            "run_query",
            EXECUTION,
            "Tickets of {who} by the query",
            "Run the query handed over on the database and keep its rows.",
            {"file": "work/rows.csv"},
            "SELECT ticket, kind, points FROM tickets WHERE component = :who AND state = 'closed' "
            "AND points >= (SELECT least_points FROM read_policy)",
            ("commit_query",),
            work={"run": "commit_query", "steps": [["take", "run"]]},
        ),
        Step(
            "sum_kinds",
            TABULAR,
            "Points by kind of {who}",
            "Add up the points of the rows by kind; count says how many tickets.",
            {"file": "work/kinds.csv"},
            "SELECT kind, SUM(points) AS points, COUNT(*) AS count FROM run_query GROUP BY kind",
            ("run_query",),
            work={"steps": [["take", "run_query"], ["sum", ["kind"], ["points"]]]},
        ),
        Step(
            "name_first",
            DOCUMENT,
            "First ticket of {who}",
            "Name the ticket with the most points among the rows, and its kind.",
            {"file": "work/first.md"},
            "SELECT ticket, kind, points FROM run_query ORDER BY points DESC, 1, 2 LIMIT 1",
            ("run_query",),
            work={
                "steps": [["take", "run_query"], ["best", "points"]],
                "facts": only("ticket kind points"),
            },
        ),
        Step(
            "assign_first",
            FORM,
            "Assignment for {who}",
            "File the assignment T-9 in the table assignments: the owner of the policy gets the "
            "first ticket.",
            {"table": "assignments", "where": {"assignment": "T-9"}},
            "SELECT 'T-9' AS assignment, owner, ticket, points FROM read_policy, name_first",
            ("read_policy", "name_first"),
            work={
                "facts": {
                    "assignment": value("T-9"),
                    **carried(read_policy="owner", name_first="ticket points"),
                }
            },
        ),
        Step(
            "check_points",
            VERIFICATION,
            "Check of the points of {who}",
            "Check that the points by kind add up to those of the rows.",
            {"file": "work/check.json"},
            "SELECT SUM(points) AS in_rows, (SELECT SUM(points) FROM sum_kinds) AS by_kind, "
            "'yes' AS equal FROM run_query",
            ("run_query", "sum_kinds"),
            work={
                "facts": {
                    "in_rows": value(total("run_query", "points")),
                    "by_kind": value(total("sum_kinds", "points")),
                    "equal": same(total("run_query", "points"), total("sum_kinds", "points")),
                }
            },
        ),
        Step(
            "verify_assignment",
            VERIFICATION,
            "Verification of the assignment for {who}",
            "Read the assignment again: is it what was handed over? Give its ticket beside the "
            "points of all rows.",
            {"file": "work/verified.json"},
            "SELECT 'yes' AS assignment_agrees, ticket, in_rows FROM assign_first, check_points",
            ("assign_first", "check_points"),
            ("filed=assign_first",),
            {
                "facts": {
                    "assignment_agrees": ["agrees", "filed", "assign_first"],
                    **carried(assign_first="ticket", check_points="in_rows"),
                }
            },
        ),
    ),
    database="sqlite",
    forms={
        "assignments": {
            "assignment": "text",
            "owner": "text",
            "ticket": "text",
            "points": "integer",
        }
    },
    repository=True,
    revisions=(("check_points", "sum_kinds"),),
)
