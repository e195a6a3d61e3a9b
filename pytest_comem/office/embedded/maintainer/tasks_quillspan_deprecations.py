"""Quillspan's deprecations: two functions that go, and how long they stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_comem.office.embedded.maintainer.common import PYTEST, QUILLSPAN, behaves, plain
from pytest_comem.office.embedded.maintainer.regression_tests import SLOTS, test_items, test_steps
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    decided,
    do,
    item,
    relevant,
    slot,
    step,
)
from pytest_comem.streams.hidden import PreferenceItem
from pytest_comem.streams.plans import Plan, PlanStep, Slot
from pytest_comem.streams.schema import Activity, Observation

_CHANGELOG: Final = "quillspan/CHANGELOG.md"
_TABLE: Final = "quillspan/docs/deprecations.md"
_SPELLING: Final = "quillspan/quillspan/spelling.py"
_PARSING: Final = "quillspan/quillspan/parsing.py"


def _test_path(number: int) -> str:
    return f"quillspan/tests/regressions/test_issue_{number}.py"


def _slots(next_one: str, two: str, three: str) -> list[Slot]:
    return [
        slot(
            "removal",
            "choice",
            next_one,
            options={
                next_one: [],
                two: ["two minor releases"],
                three: ["three minor releases"],
            },
        ),
        slot("issue", "choice", "none", options={"none": ["no number in it"], "brackets": ["(#"]}),
        slot(
            "wording",
            "choice",
            "code",
            options={"code": [], "caller": ["what a caller sees"]},
        ),
    ]


def _noted(old: str, code: str, caller: str, number: int) -> list[PlanStep]:
    """Return the steps that note a deprecation in the changelog, in four wordings."""
    steps = []
    for wording, text in (("code", code), ("caller", caller)):
        for issue, mark in (("none", ""), ("brackets", f" (#{number})")):
            steps.append(
                step(
                    "edit",
                    path=_CHANGELOG,
                    old=old,
                    new=f"## Unreleased\n\n### Deprecated\n\n- {text}{mark}\n",
                    when={"wording": [wording], "issue": [issue]},
                )
            )
    return steps


def _noted_items(line: str, number: int, successor: str) -> list[PreferenceItem]:
    """Return the items on a line of the changelog: *line* is the reference's."""
    return [
        item(
            "issue-in-brackets",
            "quillspan-issue",
            "A line of Quillspan's changelog ends with its issue in brackets.",
            decided(
                "contains",
                broken("edit", path=_CHANGELOG, old=f" (#{number})", new=""),
                ["issue"],
                file=_CHANGELOG,
                all=[f"(#{number})"],
            ),
            weight=2,
        ),
        item(
            "callers-view",
            "callers-view",
            "A line of a changelog tells what a caller sees: what to call now.",
            decided(
                "contains",
                broken("edit", path=_CHANGELOG, old=line, new=line.replace(successor, "it")),
                ["wording"],
                file=_CHANGELOG,
                all=[successor],
            ),
        ),
    ]


def _held(name: str, call: str, version: str) -> str:
    """Return a test that a call warns of its removal in a version."""
    return (
        "import warnings\n\n"
        f"from quillspan import {name}\n\n\n"
        "def test_says_when_it_goes():\n"
        "    with warnings.catch_warnings(record=True) as caught:\n"
        '        warnings.simplefilter("always")\n'
        f"        {call}\n"
        f'    assert any("{version}" in str(each.message) for each in caught)\n'
    )


def _still(name: str, expression: str) -> str:
    return (
        "import warnings\n\n"
        f"from quillspan import {name}\n\n\n"
        "def test_still_works():\n"
        "    with warnings.catch_warnings():\n"
        '        warnings.simplefilter("ignore")\n'
        f"        assert {expression}\n"
    )


def _warned(name: str, call: str) -> str:
    return (
        "import pytest\n\n"
        f"from quillspan import {name}\n\n\n"
        "def test_warns():\n"
        "    with pytest.warns(DeprecationWarning):\n"
        f"        {call}\n"
    )


_TEST_HEAD: Final = "import warnings\n\nfrom quillspan import {}"


def _test(name: str, told: str, call: str) -> tuple[str, str, str]:
    body = (
        "    with warnings.catch_warnings(record=True) as caught:\n"
        '        warnings.simplefilter("always")\n'
        f"        {call}\n"
        "    assert caught[0].category is DeprecationWarning\n"
    )
    return f"def test_{name}_warns():", told, body


_LONG_TOLD: Final = "two names for one thing"
_LONG_TEST: Final = _test("spell_long", _LONG_TOLD, "spell_long(60)")
_ALL_TOLD: Final = "it builds a list of everything"
_ALL_TEST: Final = _test("parse_all", _ALL_TOLD, 'parse_all(["1m"])')
_LONG_LINE: Final = "spell_long() gives way to spell(seconds, long=True); it goes in 1.6."

SPELL_LONG: Final = TaskSpec(
    id="m07-spell-long",
    started="2025-03-06T10:20",
    project=QUILLSPAN,
    title="Deprecation of spell_long",
    instruction=(
        "spell_long() only calls spell(seconds, long=True), and two names for one thing confuse "
        "people (issue #63). Deprecate it in 1.4: it still works, warns, and tells when it goes; "
        "note it in the changelog."
    ),
    activities=(Activity.CODING, Activity.WRITING),
    plan=Plan(
        slots=(*_slots("1.5", "1.6", "1.7"), *SLOTS),
        steps=(
            step("list", path="quillspan", unless_known="removal"),
            step("read", path=_SPELLING),
            step(
                "edit",
                path=_SPELLING,
                old='"""Writes durations such as ``1h 30m``."""\n',
                new='"""Writes durations such as ``1h 30m``."""\n\nimport warnings\n',
            ),
            step(
                "edit",
                path=_SPELLING,
                old="    return spell(seconds, long=True)\n",
                new=plain(
                    "    warnings.warn(\n"
                    '        "spell_long() goes in Quillspan @; call spell(seconds, long=True)",\n'
                    "        DeprecationWarning)\n"
                    "    return spell(seconds, long=True)\n"
                ).replace("@", "{slot:removal}"),
            ),
            step("read", path=_CHANGELOG, unless_known="issue"),
            *_noted(
                "## Unreleased\n\nNothing yet.\n",
                "spell_long() now emits a DeprecationWarning; removal in {slot:removal}.",
                "spell_long() gives way to spell(seconds, long=True); it goes in {slot:removal}.",
                63,
            ),
            *test_steps(
                "quillspan", "test_spelling.py", 63, _TEST_HEAD.format("spell_long"), _LONG_TEST
            ),
            step("shell", command=f"cd quillspan && {PYTEST} tests"),
        ),
    ),
    choices={
        "removal": "1.6",
        "issue": "brackets",
        "wording": "caller",
        "place": "regressions",
        "docstring": "issue",
    },
    replies=("spell_long() warns now and names the release in which it goes.",),
    edits=(
        do(
            "edit",
            path=_SPELLING,
            old="DeprecationWarning)",
            new="DeprecationWarning, stacklevel=2)",
        ),
        do(
            "write",
            path=_TABLE,
            text=(
                "# Deprecations\n\n| Name | Since | Goes in | Use |\n| --- | --- | --- | --- |\n"
                "| spell_long() | 1.4 | 1.6 | spell(seconds, long=True) |\n"
            ),
        ),
    ),
    remarks=(
        "So that the warning points at the caller's own line and not at ours. The table in "
        "docs/deprecations.md is what Quillspan's packagers read; every deprecation gets a row.",
        "The spelling of day names in other languages can wait, nobody has asked twice.",
    ),
    checks=(
        behaves(
            "warns",
            "minimum",
            "spell_long() raises a DeprecationWarning.",
            "quillspan",
            _warned("spell_long", "spell_long(60)"),
            broken(
                "edit",
                path=_SPELLING,
                old="        DeprecationWarning",
                new="        FutureWarning",
            ),
        ),
        behaves(
            "still-works",
            "minimum",
            "spell_long() still gives the long form.",
            "quillspan",
            _still("spell_long", 'spell_long(3660) == "1 hour 1 minute"'),
            broken(
                "edit",
                path=_SPELLING,
                old="    return spell(seconds, long=True)\n",
                new="    return spell(seconds)\n",
            ),
        ),
        behaves(
            "removal-told",
            "reference",
            "The warning names 1.6 as the release in which spell_long() goes.",
            "quillspan",
            _held("spell_long", "spell_long(60)", "1.6"),
            broken("edit", path=_SPELLING, old="Quillspan 1.6;", new="Quillspan 2;"),
            ["removal"],
        ),
        check(
            "noted",
            "minimum",
            "The changelog tells under Deprecated of spell_long().",
            "contains",
            broken("edit", path=_CHANGELOG, old="### Deprecated", new="### Changed"),
            file=_CHANGELOG,
            all=["spell_long()"],
            section="Deprecated",
        ),
        check(
            "noted-removal",
            "reference",
            "The changelog names 1.6 as the release in which it goes.",
            "contains",
            broken("edit", path=_CHANGELOG, old=" in 1.6.", new=" later."),
            ["removal"],
            file=_CHANGELOG,
            all=["1.6"],
        ),
        behaves(
            "names-successor",
            "better",
            "The warning shows the call that takes its place.",
            "quillspan",
            _held("spell_long", "spell_long(60)", "long=True"),
            broken("edit", path=_SPELLING, old="; call spell(seconds, long=True)", new=""),
        ),
    ),
    preferences=(
        *_noted_items(_LONG_LINE, 63, "spell(seconds, long=True)"),
        *test_items("quillspan", "quillspan-regressions", _test_path(63), 63, _LONG_TOLD),
    ),
    relevant=(
        relevant("m05-talk", "fact", "two minor releases"),
        relevant("m01-fractions", "convention", "(#41)", "what a caller sees"),
    ),
)

_ALL_LINE: Final = "parse_all() gives way to map(parse, texts); it goes in 1.8."
_ROW: Final = "| parse_all() | 1.5 | 1.8 | map(parse, texts) |\n"


def _parse_all_steps() -> Sequence[PlanStep]:
    steps = []
    for known, tail in (("no", ""), ("yes", ", stacklevel=2")):
        steps.append(
            step(
                "edit",
                path=_PARSING,
                old="    return [parse(text) for text in texts]\n",
                new=(
                    "    warnings.warn(\n"
                    '        "parse_all() goes in Quillspan {slot:removal}; '
                    'call map(parse, texts)",\n'
                    f"        DeprecationWarning{tail})\n"
                    "    return [parse(text) for text in texts]\n"
                ),
                when={"stacklevel": [known]},
            )
        )
    return steps


PARSE_ALL: Final = TaskSpec(
    id="m14-parse-all",
    started="2025-06-05T09:40",
    project=QUILLSPAN,
    title="Deprecation of parse_all",
    instruction=(
        "parse_all() is a loop that everybody can write (issue #79). Deprecate it in 1.5 as we do "
        "such things: it still works, warns, and tells when it goes."
    ),
    observations=(
        Observation(
            title="Issue #79 by saltmarsh-dev",
            text="We call parse_all on a generator and it builds a list of two million numbers. "
            "map(parse, texts) does it without. Could the function go?",
        ),
    ),
    activities=(Activity.CODING, Activity.WRITING),
    plan=Plan(
        slots=(
            *_slots("1.6", "1.7", "1.8"),
            *SLOTS,
            slot("stacklevel", "choice", "no", options={"no": [], "yes": ["stacklevel=2"]}),
            slot("table", "choice", "no", options={"no": [], "yes": ["docs/deprecations.md"]}),
        ),
        steps=(
            step("list", path="quillspan", unless_known="removal"),
            step("read", path=_PARSING),
            step("read", path=_SPELLING, unless_known="stacklevel"),
            step("edit", path=_PARSING, old="import re\n", new="import re\nimport warnings\n"),
            *_parse_all_steps(),
            step("read", path=_CHANGELOG, unless_known="issue"),
            *_noted(
                "## Unreleased\n\nNothing yet.\n",
                "parse_all() now emits a DeprecationWarning; removal in {slot:removal}.",
                "parse_all() gives way to map(parse, texts); it goes in {slot:removal}.",
                79,
            ),
            step(
                "append",
                path=_TABLE,
                text=_ROW.replace("1.8", "{slot:removal}"),
                when={"table": ["yes"]},
            ),
            *test_steps(
                "quillspan", "test_parsing.py", 79, _TEST_HEAD.format("parse_all"), _ALL_TEST
            ),
            step("shell", command=f"cd quillspan && {PYTEST} tests"),
        ),
    ),
    choices={
        "removal": "1.8",
        "issue": "brackets",
        "wording": "caller",
        "stacklevel": "yes",
        "table": "yes",
        "place": "regressions",
        "docstring": "issue",
    },
    replies=("parse_all() warns now; the changelog and the packagers' table say so too.",),
    remarks=("Good. The packagers have written already, they are glad of the longer time.",),
    checks=(
        behaves(
            "warns",
            "minimum",
            "parse_all() raises a DeprecationWarning.",
            "quillspan",
            _warned("parse_all", 'parse_all(["1m"])'),
            broken(
                "edit", path=_PARSING, old="        DeprecationWarning", new="        FutureWarning"
            ),
        ),
        behaves(
            "still-works",
            "minimum",
            "parse_all() still gives a list of seconds.",
            "quillspan",
            _still("parse_all", 'parse_all(["1m", "2h"]) == [60, 7200]'),
            broken(
                "edit",
                path=_PARSING,
                old="    return [parse(text) for text in texts]\n",
                new="    return []\n",
            ),
        ),
        behaves(
            "removal-told",
            "minimum",
            "The warning names 1.8 as the release in which parse_all() goes.",
            "quillspan",
            _held("parse_all", 'parse_all(["1m"])', "1.8"),
            broken("edit", path=_PARSING, old="Quillspan 1.8;", new="Quillspan 2;"),
            ["removal"],
        ),
        check(
            "noted",
            "minimum",
            "The changelog tells of parse_all().",
            "contains",
            broken("edit", path=_CHANGELOG, old="- parse_all() gives", new="- One name gives"),
            file=_CHANGELOG,
            all=["parse_all()"],
        ),
        check(
            "row",
            "reference",
            "The packagers' table in docs/deprecations.md has a row for parse_all().",
            "contains",
            broken("edit", path=_TABLE, old="| parse_all() |", new="| parse_many() |"),
            ["table"],
            file=_TABLE,
            all=["| parse_all() |"],
        ),
        check(
            "row-removal",
            "reference",
            "That table names 1.8 as the release in which something goes.",
            "contains",
            broken("edit", path=_TABLE, old="| 1.8 |", new="| later |"),
            ["table", "removal"],
            file=_TABLE,
            all=["| 1.5 | 1.8 |"],
        ),
        behaves(
            "names-successor",
            "better",
            "The warning shows the call that takes its place.",
            "quillspan",
            _held("parse_all", 'parse_all(["1m"])', "map(parse"),
            broken("edit", path=_PARSING, old="; call map(parse, texts)", new=""),
        ),
    ),
    preferences=(
        *_noted_items(_ALL_LINE, 79, "map(parse, texts)"),
        *test_items("quillspan", "quillspan-regressions", _test_path(79), 79, _ALL_TOLD),
        item(
            "points-at-caller",
            "stacklevel",
            "A warning points at the caller's line: stacklevel=2.",
            decided(
                "contains",
                broken("edit", path=_PARSING, old=", stacklevel=2", new=""),
                ["stacklevel"],
                file=_PARSING,
                all=["stacklevel=2"],
            ),
            weight=2,
        ),
    ),
    relevant=(
        relevant("m12-mails", "convention", "three minor releases"),
        relevant("m07-spell-long", "convention", "stacklevel=2", "docs/deprecations.md is what"),
        relevant("m01-fractions", "convention", "(#41)", "what a caller sees"),
    ),
)
