"""When ports are open, split by opening and closing, joined again."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.contents import DOCUMENT, TABULAR, VERIFICATION
from pytest_comem.domains.tools.families.asking import carried, listed, only, total, value
from pytest_comem.domains.tools.families.blueprint import Blueprint, Step
from pytest_comem.domains.tools.families.sources import ports

BLUEPRINT: Final = Blueprint(
    "port-windows",
    "Tell the ships of {who} when their ports are open",
    ("Gull Line", "Gull Line Cargo"),
    ports,
    (
        Step(
            "list_calls",
            TABULAR,
            "Calls of {who}",
            "Read inbox/calls.csv and list call, town and tons of {who}.",
            {"file": "work/calls.csv"},
            "SELECT call, town, tons FROM calls WHERE line = :who",
            read=("calls",),
            work=listed("calls", "call town tons", "line"),
        ),
        Step(
            "list_ports",
            TABULAR,
            "Ports for {who}",
            "Read inbox/ports.csv and list town, zone, opens and closes for the ships of {who}.",
            {"file": "work/ports.csv"},
            "SELECT town, zone, opens, closes FROM ports",
            read=("ports",),
            work=listed("ports", "town zone opens closes"),
        ),
        Step(
            "join_hours",
            TABULAR,
            "Hours of the calls of {who}",
            "Join calls and ports by town.",
            {"file": "work/hours.csv"},
            "SELECT call, town, tons, zone, opens, closes FROM list_calls "
            "JOIN list_ports USING (town)",
            ("list_calls", "list_ports"),
            work={"steps": [["take", "list_calls"], ["join", "list_ports", "town"]]},
        ),
        Step(
            "convert_opens",
            TABULAR,
            "Openings for {who} in UTC",
            "Convert opens from the clock of its zone to UTC, as from_utc, a call each.",
            {"file": "work/opens.csv"},
            "SELECT call, tons, strftime('%H:%M', '2001-01-01 ' || opens, shift) AS from_utc "
            "FROM join_hours JOIN zones USING (zone)",
            ("join_hours",),
            work={
                "convert": ["join_hours", "opens", "zone", "UTC", "from_utc"],
                "steps": [["take", "converted"], ["columns", ["call", "tons", "from_utc"]]],
            },
        ),
        Step(
            "convert_closes",
            TABULAR,
            "Closings for {who} in UTC",
            "Convert closes from the clock of its zone to UTC, as to_utc, a call each.",
            {"file": "work/closes.csv"},
            "SELECT call, strftime('%H:%M', '2001-01-01 ' || closes, shift) AS to_utc "
            "FROM join_hours JOIN zones USING (zone)",
            ("join_hours",),
            work={
                "convert": ["join_hours", "closes", "zone", "UTC", "to_utc"],
                "steps": [["take", "converted"], ["columns", ["call", "to_utc"]]],
            },
        ),
        Step(
            "join_windows",
            TABULAR,
            "Windows of the calls of {who}",
            "Join openings and closings by call.",
            {"file": "work/windows.csv"},
            "SELECT call, tons, from_utc, to_utc FROM convert_opens "
            "JOIN convert_closes USING (call)",
            ("convert_opens", "convert_closes"),
            work={"steps": [["take", "convert_opens"], ["join", "convert_closes", "call"]]},
        ),
        Step(
            "name_largest",
            DOCUMENT,
            "Largest call of {who}",
            "Name the call with the most tons, with its window.",
            {"file": "reports/largest.md"},
            "SELECT call, tons, from_utc, to_utc FROM join_windows ORDER BY tons DESC, 1 LIMIT 1",
            ("join_windows",),
            work={
                "steps": [["take", "join_windows"], ["best", "tons"]],
                "facts": only("call tons from_utc to_utc"),
            },
        ),
        Step(
            "check_tons",
            VERIFICATION,
            "Check of the tons of {who}",
            "Check that the windows hold the tons of all calls, and read their file again.",
            {"file": "reports/tons.json"},
            "SELECT 'yes' AS file_agrees, SUM(tons) AS in_calls, (SELECT SUM(tons) "
            "FROM join_windows) AS in_windows FROM list_calls",
            ("list_calls", "join_windows"),
            ("windows=join_windows",),
            {
                "facts": {
                    "file_agrees": ["agrees", "windows", "join_windows"],
                    "in_calls": value(total("list_calls", "tons")),
                    "in_windows": value(total("join_windows", "tons")),
                }
            },
        ),
        Step(
            "write_notice",
            DOCUMENT,
            "Notice to {who}",
            "Write the notice: the largest call with its window, and the tons of all windows.",
            {"file": "reports/notice.md"},
            "SELECT call, from_utc, to_utc, in_windows AS tons FROM name_largest, check_tons",
            ("name_largest", "check_tons"),
            work={
                "facts": carried(name_largest="call from_utc to_utc", check_tons="tons=in_windows")
            },
        ),
        Step(
            "verify_notice",
            VERIFICATION,
            "Verification of the notice to {who}",
            "Read the notice again: is it what was handed over?",
            {"file": "reports/verified.json"},
            "SELECT 'yes' AS notice_agrees, call, tons FROM write_notice",
            ("write_notice",),
            ("paper=write_notice",),
            {
                "facts": {
                    "notice_agrees": ["agrees", "paper", "write_notice"],
                    **carried(write_notice="call tons"),
                }
            },
        ),
    ),
    revisions=(("check_tons", "join_windows"),),
)
