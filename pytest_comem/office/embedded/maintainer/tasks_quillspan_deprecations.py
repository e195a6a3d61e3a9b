"""Quillspan's deprecations: two functions that go, and how long they stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_comem.office.embedded.maintainer.common import PYTEST, QUILLSPAN, behaves, plain
from pytest_comem.office.embedded.maintainer.quillspan_deprecations import (
    CHANGELOG,
    PARSING,
    SPELLING,
    TABLE,
    TEST_HEAD,
    noting_items,
    noting_steps,
    open_slots,
    path_of_test,
    still_works,
    tells,
    warning_test,
    warns,
)
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
from pytest_comem.streams.plans import Plan, PlanStep
from pytest_comem.streams.schema import Activity, Observation

_LONG_TOLD: Final = "two names for one thing"
_LONG_TEST: Final = warning_test("spell_long", _LONG_TOLD, "spell_long(60)")
_ALL_TOLD: Final = "it builds a list of everything"
_ALL_TEST: Final = warning_test("parse_all", _ALL_TOLD, 'parse_all(["1m"])')
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
        slots=(*open_slots("1.5", "1.6", "1.7"), *SLOTS),
        steps=(
            step("list", path="quillspan", unless_known="removal"),
            step("read", path=SPELLING),
            step(
                "edit",
                path=SPELLING,
                old='"""Writes durations such as ``1h 30m``."""\n',
                new='"""Writes durations such as ``1h 30m``."""\n\nimport warnings\n',
            ),
            step(
                "edit",
                path=SPELLING,
                old="    return spell(seconds, long=True)\n",
                new=plain(
                    "    warnings.warn(\n"
                    '        "spell_long() goes in Quillspan @; call spell(seconds, long=True)",\n'
                    "        DeprecationWarning)\n"
                    "    return spell(seconds, long=True)\n"
                ).replace("@", "{slot:removal}"),
            ),
            step("read", path=CHANGELOG, unless_known="issue"),
            *noting_steps(
                "## Unreleased\n\nNothing yet.\n",
                "spell_long() now emits a DeprecationWarning; removal in {slot:removal}.",
                "spell_long() gives way to spell(seconds, long=True); it goes in {slot:removal}.",
                63,
            ),
            *test_steps(
                "quillspan", "test_spelling.py", 63, TEST_HEAD.format("spell_long"), _LONG_TEST
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
            path=SPELLING,
            old="DeprecationWarning)",
            new="DeprecationWarning, stacklevel=2)",
        ),
        do(
            "write",
            path=TABLE,
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
            warns("spell_long", "spell_long(60)"),
            broken(
                "edit",
                path=SPELLING,
                old="        DeprecationWarning",
                new="        FutureWarning",
            ),
        ),
        behaves(
            "still-works",
            "minimum",
            "spell_long() still gives the long form.",
            "quillspan",
            still_works("spell_long", 'spell_long(3660) == "1 hour 1 minute"'),
            broken(
                "edit",
                path=SPELLING,
                old="    return spell(seconds, long=True)\n",
                new="    return spell(seconds)\n",
            ),
        ),
        behaves(
            "removal-told",
            "reference",
            "The warning names 1.6 as the release in which spell_long() goes.",
            "quillspan",
            tells("spell_long", "spell_long(60)", "1.6"),
            broken("edit", path=SPELLING, old="Quillspan 1.6;", new="Quillspan 2;"),
            ["removal"],
        ),
        check(
            "noted",
            "minimum",
            "The changelog tells under Deprecated of spell_long().",
            "contains",
            broken("edit", path=CHANGELOG, old="### Deprecated", new="### Changed"),
            file=CHANGELOG,
            all=["spell_long()"],
            section="Deprecated",
        ),
        check(
            "noted-removal",
            "reference",
            "The changelog names 1.6 as the release in which it goes.",
            "contains",
            broken("edit", path=CHANGELOG, old=" in 1.6.", new=" later."),
            ["removal"],
            file=CHANGELOG,
            all=["1.6"],
        ),
        behaves(
            "names-successor",
            "better",
            "The warning shows the call that takes its place.",
            "quillspan",
            tells("spell_long", "spell_long(60)", "long=True"),
            broken("edit", path=SPELLING, old="; call spell(seconds, long=True)", new=""),
        ),
    ),
    preferences=(
        *noting_items(_LONG_LINE, 63, "spell(seconds, long=True)"),
        *test_items("quillspan", "quillspan-regressions", path_of_test(63), 63, _LONG_TOLD),
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
                path=PARSING,
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
            title="Issue #79 by dunegrass-dev",
            text="We call parse_all on a generator and it builds a list of two million numbers. "
            "map(parse, texts) does it without. Could the function go?",
        ),
    ),
    activities=(Activity.CODING, Activity.WRITING),
    plan=Plan(
        slots=(
            *open_slots("1.6", "1.7", "1.8"),
            *SLOTS,
            slot("stacklevel", "choice", "no", options={"no": [], "yes": ["stacklevel=2"]}),
            slot("table", "choice", "no", options={"no": [], "yes": ["docs/deprecations.md"]}),
        ),
        steps=(
            step("list", path="quillspan", unless_known="removal"),
            step("read", path=PARSING),
            step("read", path=SPELLING, unless_known="stacklevel"),
            step("edit", path=PARSING, old="import re\n", new="import re\nimport warnings\n"),
            *_parse_all_steps(),
            step("read", path=CHANGELOG, unless_known="issue"),
            *noting_steps(
                "## Unreleased\n\nNothing yet.\n",
                "parse_all() now emits a DeprecationWarning; removal in {slot:removal}.",
                "parse_all() gives way to map(parse, texts); it goes in {slot:removal}.",
                79,
            ),
            step(
                "append",
                path=TABLE,
                text=_ROW.replace("1.8", "{slot:removal}"),
                when={"table": ["yes"]},
            ),
            *test_steps(
                "quillspan", "test_parsing.py", 79, TEST_HEAD.format("parse_all"), _ALL_TEST
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
            warns("parse_all", 'parse_all(["1m"])'),
            broken(
                "edit", path=PARSING, old="        DeprecationWarning", new="        FutureWarning"
            ),
        ),
        behaves(
            "still-works",
            "minimum",
            "parse_all() still gives a list of seconds.",
            "quillspan",
            still_works("parse_all", 'parse_all(["1m", "2h"]) == [60, 7200]'),
            broken(
                "edit",
                path=PARSING,
                old="    return [parse(text) for text in texts]\n",
                new="    return []\n",
            ),
        ),
        behaves(
            "removal-told",
            "minimum",
            "The warning names 1.8 as the release in which parse_all() goes.",
            "quillspan",
            tells("parse_all", 'parse_all(["1m"])', "1.8"),
            broken("edit", path=PARSING, old="Quillspan 1.8;", new="Quillspan 2;"),
            ["removal"],
        ),
        check(
            "noted",
            "minimum",
            "The changelog tells of parse_all().",
            "contains",
            broken("edit", path=CHANGELOG, old="- parse_all() gives", new="- One name gives"),
            file=CHANGELOG,
            all=["parse_all()"],
        ),
        check(
            "row",
            "reference",
            "The packagers' table in docs/deprecations.md has a row for parse_all().",
            "contains",
            broken("edit", path=TABLE, old="| parse_all() |", new="| parse_many() |"),
            ["table"],
            file=TABLE,
            all=["| parse_all() |"],
        ),
        check(
            "row-removal",
            "reference",
            "That table names 1.8 as the release in which something goes.",
            "contains",
            broken("edit", path=TABLE, old="| 1.8 |", new="| later |"),
            ["table", "removal"],
            file=TABLE,
            all=["| 1.5 | 1.8 |"],
        ),
        behaves(
            "names-successor",
            "better",
            "The warning shows the call that takes its place.",
            "quillspan",
            tells("parse_all", 'parse_all(["1m"])', "map(parse"),
            broken("edit", path=PARSING, old="; call map(parse, texts)", new=""),
        ),
    ),
    preferences=(
        *noting_items(_ALL_LINE, 79, "map(parse, texts)"),
        *test_items("quillspan", "quillspan-regressions", path_of_test(79), 79, _ALL_TOLD),
        item(
            "points-at-caller",
            "stacklevel",
            "A warning points at the caller's line: stacklevel=2.",
            decided(
                "contains",
                broken("edit", path=PARSING, old=", stacklevel=2", new=""),
                ["stacklevel"],
                file=PARSING,
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
