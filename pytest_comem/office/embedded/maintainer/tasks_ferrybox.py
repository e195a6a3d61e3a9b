"""Ferrybox's bugs: the last batch that got lost, and cells that were not quoted."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.maintainer.common import (
    FERRYBOX,
    PYTEST,
    behaves,
    guards,
    plain,
)
from pytest_comem.office.embedded.maintainer.ferrybox_files import BATCHING, EXPORT
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
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

_CHANGELOG: Final = "ferrybox/CHANGELOG.md"
_BATCHING: Final = "ferrybox/ferrybox/batching.py"
_EXPORT: Final = "ferrybox/ferrybox/export.py"
_BATCHES_TEST: Final = "ferrybox/tests/test_batching.py"
_EXPORT_TEST: Final = "ferrybox/tests/test_export.py"
_FRAGMENT: Final = "ferrybox/changes/57.fixed.md"
_FRAGMENT_66: Final = "ferrybox/changes/66.fixed.md"
_WORDING: Final = slot(
    "wording", "choice", "code", options={"code": [], "caller": ["what a caller sees"]}
)
_LOST: Final = "the last items got lost"
_NOTE: Final = "batches() keeps the last items, in a shorter batch."

LAST_BATCH: Final = TaskSpec(
    id="m04-last-batch",
    started="2025-02-06T11:30",
    project=FERRYBOX,
    title="The last batch",
    instruction=(
        "Issue #57: batches() of Ferrybox loses the last items where they do not fill a batch. "
        "Please fix it, with a regression test and a line for the changelog."
    ),
    observations=(
        Observation(
            title="Issue #57 by tidewatch",
            text="list(batches(range(5), 2)) is [[0, 1], [2, 3]]. Where did 4 go? We lost the "
            "last readings of every day before we noticed.",
        ),
    ),
    activities=(Activity.DEBUGGING, Activity.CODING),
    plan=Plan(
        slots=(*SLOTS, _WORDING),
        steps=(
            step("list", path="ferrybox"),
            step("read", path=_BATCHING),
            step(
                "edit",
                path=_BATCHING,
                old="            batch = []\n",
                new="            batch = []\n    if batch:\n        yield batch\n",
            ),
            step(
                "edit",
                path=_BATCHING,
                old="lists of *size* items, in order.",
                new="lists of *size* items, in order; the last may be shorter.",
            ),
            *test_steps(
                "ferrybox",
                "test_batching.py",
                57,
                "from ferrybox import batches",
                (
                    "def test_the_last_batch_may_be_shorter():",
                    _LOST,
                    "    assert list(batches([1, 2, 3], 2)) == [[1, 2], [3]]\n",
                ),
            ),
            step(
                "edit",
                path=_CHANGELOG,
                old="<!-- releases -->\n",
                new="<!-- releases -->\n\n## Next\n\n- Fixed a bug in the loop of batching.py.\n",
                when={"wording": ["code"]},
            ),
            step(
                "edit",
                path=_CHANGELOG,
                old="<!-- releases -->\n",
                new=f"<!-- releases -->\n\n## Next\n\n- {_NOTE}\n",
                when={"wording": ["caller"]},
            ),
            step("shell", command=f"cd ferrybox && {PYTEST} tests"),
        ),
    ),
    choices={"place": "module", "docstring": "issue", "wording": "caller"},
    replies=("The last items come in a shorter batch now; a test and a line for readers are in.",),
    edits=(
        do("edit", path=_CHANGELOG, old=f"\n## Next\n\n- {_NOTE}\n", new=""),
        do("write", path=_FRAGMENT, text=f"{_NOTE}\n"),
    ),
    remarks=(
        "Ferrybox goes another way than Quillspan here. Until a release each change lies in a file "
        "of its own, changes/NUMBER.KIND.md with KIND added, fixed or removed, one line and no "
        "number in it. And its tests stay beside the module's other tests, as you put this one; I "
        "want them read together: beside the module.",
        "Tidewatch asked whether we could have a call about their volumes. I told them after the "
        "winter break.",
    ),
    checks=(
        behaves(
            "keeps-last",
            "minimum",
            "batches() yields the last items in a shorter batch.",
            "ferrybox",
            "from ferrybox import batches\n\n\n"
            "def test_last():\n"
            "    assert list(batches([1, 2, 3], 2)) == [[1, 2], [3]]\n"
            "    assert list(batches(iter('ab'), 5)) == [['a', 'b']]\n",
            broken("edit", path=_BATCHING, old="    if batch:\n        yield batch\n", new=""),
        ),
        behaves(
            "rest-holds",
            "minimum",
            "A size below 1 is still refused.",
            "ferrybox",
            "import pytest\n\nfrom ferrybox import batches\n\n\n"
            "def test_rest():\n"
            "    with pytest.raises(ValueError):\n"
            "        list(batches([1], 0))\n",
            broken("edit", path=_BATCHING, old="size < 1", new="size < 0"),
        ),
        guards(
            "guarded",
            "reference",
            "The tests fail while the last items get lost.",
            "ferrybox",
            "ferrybox/batching.py",
            BATCHING,
            broken("edit", path=_BATCHES_TEST, old="batches([1, 2, 3], 2)", new="[[1, 2], [3]]"),
        ),
        check(
            "noted",
            "reference",
            "A line for readers of the changelog is there, in it or in changes/.",
            "exists",
            broken("move", path=_FRAGMENT, to="ferrybox/note.md"),
            file=["ferrybox/CHANGELOG.md", "ferrybox/changes/*.md"],
        ),
        check(
            "documented",
            "better",
            "The docstring of batches() says that the last may be shorter.",
            "contains",
            broken("edit", path=_BATCHING, old="; the last may be shorter", new=""),
            file=_BATCHING,
            any_of=["last may be shorter", "last one may be shorter", "last batch may be shorter"],
        ),
    ),
    preferences=(
        *test_items("ferrybox", "ferrybox-tests", _BATCHES_TEST, 57, _LOST),
        item(
            "callers-view",
            "callers-view",
            "A line of a changelog tells what a caller sees.",
            decided(
                "contains",
                broken("edit", path=_FRAGMENT, old="batches() keeps", new="It keeps"),
                ["wording"],
                file=["ferrybox/*.md"],
                all=["batches()"],
            ),
        ),
    ),
    relevant=(relevant("m01-fractions", "convention", "docstring of a regression test"),),
)

_QUOTED_SOURCE: Final = '''def to_csv(rows, delimiter=","):
    """Return rows as CSV text; every row ends with CR and LF, cells are quoted where needed."""
    lines = (delimiter.join(_cell(value, delimiter) for value in row) for row in rows)
    return "".join(line + "\\r\\n" for line in lines)


def _cell(value, delimiter):
    text = str(value)
    if any(mark in text for mark in (delimiter, '"', "\\r", "\\n")):
        return '"' + text.replace('"', '""') + '"'
    return text
'''
_PLAIN_SOURCE: Final = EXPORT[EXPORT.index("def to_csv") :]
_SPLIT: Final = "a cell with a comma became two"
_QUOTE_NOTE: Final = "to_csv() quotes cells that hold the delimiter, quotes or line ends."
_QUOTE_CODE: Final = "Fixed joining of values, added a helper _cell."

QUOTING: Final = TaskSpec(
    id="m09-quoting",
    started="2025-03-20T10:05",
    project=FERRYBOX,
    title="Cells that need quotes",
    instruction=(
        "Issue #66: to_csv() of Ferrybox writes a cell with a comma as two. Fix it, with a "
        "regression test and the line for the next release's changelog."
    ),
    observations=(
        Observation(
            title="Issue #66 by harbourlog",
            text='to_csv([["Ness, the pier", 4]]) gives three columns. Quotes and line ends in a '
            "cell go wrong as well. Files without any of these must stay as they are, byte for "
            "byte.",
        ),
    ),
    activities=(Activity.DEBUGGING, Activity.CODING, Activity.WRITING),
    plan=Plan(
        slots=(
            *SLOTS,
            _WORDING,
            slot(
                "note",
                "choice",
                "changelog",
                options={
                    "changelog": ["## Unreleased"],
                    "changes": ["changes/NUMBER.KIND.md", "changes/57.fixed.md"],
                },
            ),
            slot(
                "issue", "choice", "none", options={"none": ["no number in it"], "brackets": ["(#"]}
            ),
        ),
        steps=(
            step("list", path="ferrybox", unless_known="note"),
            step("read", path=_EXPORT),
            step("edit", path=_EXPORT, old=plain(_PLAIN_SOURCE), new=plain(_QUOTED_SOURCE)),
            *test_steps(
                "ferrybox",
                "test_export.py",
                66,
                "from ferrybox import to_csv",
                (
                    "def test_cells_are_quoted_where_needed():",
                    _SPLIT,
                    '    assert to_csv([["Ness, the pier", 4]]) == \'"Ness, the pier",4\\r\\n\'\n',
                ),
            ),
            *(
                each
                for issue, mark in (("none", ""), ("brackets", " (#66)"))
                for wording, text in (("code", _QUOTE_CODE), ("caller", _QUOTE_NOTE))
                for each in (
                    step(
                        "edit",
                        path=_CHANGELOG,
                        old="<!-- releases -->\n",
                        new=f"<!-- releases -->\n\n## Next\n\n- {text}{mark}\n",
                        when={"note": ["changelog"], "issue": [issue], "wording": [wording]},
                    ),
                    step(
                        "write",
                        path=_FRAGMENT_66,
                        text=f"{text}{mark}\n",
                        when={"note": ["changes"], "issue": [issue], "wording": [wording]},
                    ),
                )
            ),
            step("shell", command=f"cd ferrybox && {PYTEST} tests"),
        ),
    ),
    choices={
        "place": "module",
        "docstring": "issue",
        "wording": "caller",
        "note": "changes",
        "issue": "none",
    },
    replies=("Cells are quoted where they need it; the change waits in changes/.",),
    remarks=(
        "Right. At a release of Ferrybox tools/collect.py gathers what lies in changes/; it alone "
        "touches the changelog and both places of the version. In the headings of Ferrybox dates "
        "are in words, as in 0.8.2 (2 December 2024): harbour offices read it.",
        "Ferrybox's users have a list of their own, so its announcements end with\n"
        "Questions: ferry-users@lists.example\n"
        "and people answer each other there, which saves me an evening a week.",
    ),
    checks=(
        behaves(
            "quotes",
            "minimum",
            "Cells with the delimiter, quotes or line ends are quoted.",
            "ferrybox",
            "import csv\nimport io\n\nfrom ferrybox import to_csv\n\n\n"
            "def test_quotes():\n"
            "    rows = [['a,b', 'say \"x\"'], ['two\\nlines', 'c']]\n"
            "    assert list(csv.reader(io.StringIO(to_csv(rows), newline=''))) == rows\n",
            broken("edit", path=_EXPORT, old="""'"' + text.replace('"', '""') + '"'""", new="text"),
        ),
        behaves(
            "plain-stays",
            "minimum",
            "Rows without such cells are written as before, with CR and LF.",
            "ferrybox",
            "from ferrybox import to_csv\n\n\n"
            "def test_plain():\n"
            "    assert to_csv([['a', 1]], ';') == 'a;1\\r\\n'\n",
            broken("edit", path=_EXPORT, old='+ "\\r\\n" for', new='+ "\\n" for'),
        ),
        guards(
            "guarded",
            "reference",
            "The tests fail while cells are not quoted.",
            "ferrybox",
            "ferrybox/export.py",
            EXPORT,
            broken(
                "edit",
                path=_EXPORT_TEST,
                old='to_csv([["Ness, the pier", 4]])',
                new="'\"Ness, the pier\",4\\r\\n'",
            ),
        ),
        check(
            "collectable",
            "reference",
            "The change waits where the release tool collects it: changes/66.fixed.md.",
            "exists",
            broken("move", path=_FRAGMENT_66, to="ferrybox/changes/quotes.md"),
            ["note"],
            file="ferrybox/changes/66.fixed.md",
        ),
        check(
            "changelog-alone",
            "reference",
            "CHANGELOG.md of Ferrybox is left to the release tool.",
            "unchanged",
            broken("move", path=_CHANGELOG, to="ferrybox/changes.txt"),
            ["note"],
            file=_CHANGELOG,
        ),
        check(
            "documented",
            "better",
            "The docstring of to_csv() says that cells are quoted.",
            "contains",
            broken("edit", path=_EXPORT, old=", cells are quoted where needed", new=""),
            file=_EXPORT,
            any_of=["quoted where", "are quoted", "quotes cells"],
        ),
    ),
    preferences=(
        *test_items("ferrybox", "ferrybox-tests", _EXPORT_TEST, 66, _SPLIT),
        item(
            "callers-view",
            "callers-view",
            "A line of a changelog tells what a caller sees.",
            decided(
                "contains",
                broken("edit", path=_FRAGMENT_66, old="to_csv() quotes", new="It quotes"),
                ["wording"],
                file=["ferrybox/*.md"],
                all=["to_csv()"],
            ),
        ),
        item(
            "no-number",
            "ferrybox-changes",
            "A line in changes/ has no number in it: the file's name has it.",
            decided(
                "contains",
                broken("append", path=_FRAGMENT_66, text="See #66.\n"),
                ["note", "issue"],
                file=["ferrybox/changes/*.md"],
                none=["#66"],
            ),
            weight=2,
        ),
    ),
    relevant=(
        relevant("m04-last-batch", "convention", "changes/NUMBER.KIND.md"),
        relevant("m01-fractions", "convention", "docstring of a regression test"),
    ),
)
