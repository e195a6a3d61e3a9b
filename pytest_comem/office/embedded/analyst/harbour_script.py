"""The churn script that the analyst keeps, and its repair."""

from __future__ import annotations

from typing import Any, Final

from pytest_comem.office.embedded.analyst import habits
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    relevant,
    slot,
    step,
)
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

SCRIPT: Final = '''"""Counts churn from rows of the warehouse (number, plan, started, ended)."""


def active_at(accounts, day):
    """Return the accounts that are ours on a day."""
    return [
        each
        for each in accounts
        if each["started"] < day and (each["ended"] is None or each["ended"] >= day)
    ]


def churn_rate(accounts, month):
    """Return the share of accounts lost in a month such as 2025-02, in percent."""
    start = active_at(accounts, month + "-01")
    lost = [each for each in start if (each["ended"] or "")[:7] == month]
    return round(100 * len(lost) / len(start), 1)
'''
_TESTS: Final = """from tools.churn import churn_rate


def account(started, ended=None, plan="basic"):
    return {"plan": plan, "started": started, "ended": ended}


def test_when_one_of_two_leaves():
    accounts = [account("2024-01-05"), account("2024-03-01", "2025-02-10")]
    assert churn_rate(accounts, "2025-02") == 50.0
"""
_NEW_TEST: Final = """

def {slot:naming}_nobody_is_there_yet():
    assert churn_rate([account("2025-02-03")], "2025-01") == 0.0
"""
_INTERNAL_TEST: Final = """

def {slot:naming}_a_test_account_leaves():
    accounts = [account("2024-01-05"), account("2024-02-01", "2025-02-10", "internal")]
    assert churn_rate(accounts, "2025-02") == 0.0
"""
_HIDDEN: Final = {
    "empty": "from tools.churn import churn_rate\n\n"
    'ONE = {"number": "A1", "plan": "plus", "started": "2025-02-03", "ended": None}\n'
    'assert churn_rate([ONE], "2025-01") == 0\nassert churn_rate([], "2025-01") == 0\n',
    "half": "from tools.churn import churn_rate\n\n"
    'STAYS = {"number": "A1", "plan": "plus", "started": "2024-02-03", "ended": None}\n'
    'LEAVES = dict(STAYS, ended="2025-02-28")\n'
    'assert churn_rate([STAYS, LEAVES], "2025-02") == 50.0\n',
    "internal": "from tools.churn import churn_rate\n\n"
    'STAYS = {"number": "A1", "plan": "plus", "started": "2024-02-03", "ended": None}\n'
    'OURS = dict(STAYS, plan="internal", ended="2025-02-10")\n'
    'assert churn_rate([STAYS, OURS], "2025-02") == 0.0\n',
}
_GUARD: Final = "    if not start:\n        return 0.0\n"
_CHANGES: Final = "tools/CHANGES.md"
_SOLVED: Final = "tools/churn.py"

_NAMING: Final = slot(
    "naming",
    "choice",
    "test_rate",
    options={"test_rate": ("test_rate",), "test_when": ("test_when",)},
)

_REPAIR: Final = Plan(
    slots=(
        habits.leaves(),
        _NAMING,
        habits.dates("Data as of", "dates"),
        slot("changed", "line", "the data team", lead="Changed by:"),
    ),
    steps=(
        step("list", path="tools"),
        step("read", path=_SOLVED),
        step("shell", command="python3 -m pytest -q tests"),
        step(
            "edit",
            path=_SOLVED,
            old="    lost = [each for",
            new=_GUARD + "    lost = [each for",
        ),
        step(
            "edit",
            path=_SOLVED,
            old='        if each["started"] < day',
            new='        if each["plan"] != "internal"\n        and each["started"] < day',
            when=habits.LEFT_OUT,
        ),
        step("append", path="tests/test_churn.py", text=_NEW_TEST),
        step("append", path="tests/test_churn.py", text=_INTERNAL_TEST, when=habits.LEFT_OUT),
        step("shell", command="python3 -m pytest -q tests"),
        step(
            "append",
            path=_CHANGES,
            text="\n## {date:2025-03-12|dates}\n\n- churn_rate is 0 for a month in which nobody "
            "was there yet\n\nChanged by: {slot:changed}\n",
        ),
        step(
            "edit",
            path=_CHANGES,
            old="nobody was there yet\n",
            new="nobody was there yet\n- accounts on the plan internal are left out\n",
            when=habits.LEFT_OUT,
        ),
    ),
)


def _runs(name: str) -> dict[str, Any]:
    return {
        "command": f"python3 check_{name}.py",
        "add": {f"check_{name}.py": _HIDDEN[name]},
        "seconds": 60,
    }


A07: Final = TaskSpec(
    id="a07",
    started="2025-03-12T14:10",
    project=habits.HARBOUR,
    title="The churn script disagrees",
    instruction="tools/churn.py crashes for months before our first account, and its rate for "
    "February is higher than the one I sent to Retention. Please find out why, repair both, add "
    "tests and a note of the change in tools/CHANGES.md.",
    observations=(
        Observation(
            title="Output of Monday's run",
            text="churn_rate(rows, '2022-12'): ZeroDivisionError: division by zero\n"
            "churn_rate(rows, '2025-02'): 4.9 (the report says 4.3)",
        ),
    ),
    activities=(Activity.DEBUGGING, Activity.CODING),
    archived=("reports/*", "survey/*", "beacon/*"),
    incoming={
        _SOLVED: SCRIPT,
        "tools/__init__.py": "",
        "tests/test_churn.py": _TESTS,
        _CHANGES: "# Changes of the tools\n",
    },
    plan=_REPAIR,
    choices={
        "accounts": "internal",
        "naming": "test_when",
        "dates": "long",
        "changed": "ML-Data",
    },
    replies=("Both are repaired; the second came from accounts on the plan internal.",),
    remarks=("I should have seen that one. Please keep the tests short like these.",),
    checks=(
        check(
            "empty",
            "minimum",
            "A month before the first account has the rate 0.",
            "command",
            broken("edit", path=_SOLVED, old=_GUARD, new="    start = start or [None] * 0\n"),
            **_runs("empty"),
        ),
        check(
            "half",
            "minimum",
            "Who leaves still counts.",
            "command",
            broken("edit", path=_SOLVED, old="round(100 *", new="round(90 *"),
            **_runs("half"),
        ),
        check(
            "internal",
            "reference",
            "The company's own test accounts do not count.",
            "command",
            broken("edit", path=_SOLVED, old='!= "internal"', new='!= "inner"'),
            ("accounts",),
            **_runs("internal"),
        ),
        check(
            "noted",
            "reference",
            "The change log names what changed.",
            "contains",
            broken("edit", path=_CHANGES, old="churn_rate is 0", new="The rate is 0"),
            file=_CHANGES,
            any_of=["churn_rate", "churn.py", "crash", "division"],
        ),
        check(
            "explained",
            "better",
            "The change log says which accounts are left out.",
            "contains",
            broken("edit", path=_CHANGES, old="on the plan internal are", new="of ours are"),
            ("accounts",),
            file=_CHANGES,
            any_of=["internal", "test accounts"],
        ),
    ),
    preferences=(
        habits.dates_item(
            "harbour-dates",
            _CHANGES,
            "long",
            broken("edit", path=_CHANGES, old="12 March 2025", new="2025-03-12"),
        ),
        habits.line_item("changed", "code", _CHANGES, _CHANGES, "Changed by:", "ML-Data", 2),
        habits.contains_item(
            "naming",
            "code",
            "New tests are called test_when and what is the case.",
            "tests/*.py",
            ["test_when_nobody"],
            broken(
                "edit",
                path="tests/test_churn.py",
                old="test_when_nobody_is",
                new="test_rate_nobody_is",
            ),
            ["naming"],
            2,
        ),
    ),
    relevant=(
        relevant("a04", "procedure", "plan <> 'internal'", "wrote reports/2025-01-harbour-churn"),
        relevant("a03", "convention", "Changed by:", "test_when"),
        relevant("a01", "convention", "test accounts"),
    ),
)
