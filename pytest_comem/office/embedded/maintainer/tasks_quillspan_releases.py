"""Quillspan's releases: a small one in January that shows the habits, and 1.4.0 in March."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.maintainer.common import PYTEST, QUILLSPAN, behaves, plain
from pytest_comem.office.embedded.maintainer.ferrybox_files import FILES as FERRYBOX_FILES
from pytest_comem.office.embedded.maintainer.quillspan_files import FILES as QUILLSPAN_FILES
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
from pytest_comem.streams.plans import Plan, Slot
from pytest_comem.streams.schema import Activity, Observation

CONTACT: Final = "quill@oldfield.example"
_CHANGELOG: Final = "quillspan/CHANGELOG.md"

FRACTION_TEST: Final = (
    "from quillspan import parse\n\n\n"
    "def test_fractions_of_an_hour():\n"
    '    """Issue #41: half an hour went missing."""\n'
    '    assert parse("1.5h") == 5400\n'
)


def date_slot(default: str = "long") -> Slot:
    """Return the slot for dates of what is published."""
    return slot("dates", "date_style", default)


def announcement_slots(default: str, period: str, tracker: str) -> list[Slot]:
    """Return the slots of an announcement: its name, whom to ask, its headings."""
    return [
        slot(
            "announcement",
            "file_name",
            default,
            period=period,
            words=["release"],
        ),
        slot(
            "questions",
            "line",
            tracker,
            lead="Questions:",
        ),
        slot(
            "changes_heading",
            "choice",
            "Highlights",
            options={"Highlights": [], "callers": ["What changes for you"]},
        ),
    ]


FRACTIONS: Final = TaskSpec(
    id="m01-fractions",
    started="2025-01-13T09:10",
    project=QUILLSPAN,
    title="Fractions of an hour, and 1.3.3",
    instruction=(
        "Issue #41 is right: Quillspan reads 1.5h as one hour. Please fix that with a test and put "
        "out 1.3.3 with it today, with a short announcement."
    ),
    observations=(
        Observation(
            title="Issue #41 by jorund",
            text='parse("1.5h") gives 3600. I time bread with it, and the crust is black. '
            "1.5h should be 5400 seconds, as it is if I write 90m.",
        ),
    ),
    activities=(Activity.DEBUGGING, Activity.CODING, Activity.WRITING),
    scored=False,
    incoming={**QUILLSPAN_FILES, **FERRYBOX_FILES},
    plan=Plan(
        steps=(
            step("list", path="quillspan"),
            step("read", path="quillspan/quillspan/parsing.py"),
            step(
                "edit",
                path="quillspan/quillspan/parsing.py",
                old="int(float(amount)) * UNITS[unit]",
                new="round(float(amount) * UNITS[unit])",
            ),
            step("write", path="quillspan/tests/test_fractions.py", text=plain(FRACTION_TEST)),
            step(
                "edit",
                path=_CHANGELOG,
                old="Nothing yet.\n",
                new=(
                    "Nothing yet.\n\n## 1.3.3 (13 January 2025)\n\n### Fixed\n\n"
                    "- Fixed a bug with fractions.\n"
                ),
            ),
            step("read", path="quillspan/tests/test_version.py"),
            step("shell", command="cd quillspan && python3 tools/stamp.py 1.3.3"),
            step("shell", command=f"cd quillspan && {PYTEST} tests"),
            step(
                "write",
                path="announce/quillspan-1.3.3.md",
                text=(
                    "# Quillspan 1.3.3\n\n## Highlights\n\n"
                    "- parse() keeps fractions: 1.5h is 5400 seconds.\n\n"
                    "Questions: the issue tracker\n"
                ),
            ),
        )
    ),
    replies=("1.3.3 is ready: the fix, a test, the changelog and an announcement.",),
    edits=(
        do(
            "edit",
            path=_CHANGELOG,
            old="## 1.3.3 (13 January 2025)",
            new="## 1.3.3 - 2025-01-13",
        ),
        do(
            "edit",
            path=_CHANGELOG,
            old="- Fixed a bug with fractions.",
            new="- parse() keeps fractions of an hour. (#41)",
        ),
        do(
            "move",
            path="quillspan/tests/test_fractions.py",
            to="quillspan/tests/regressions/test_issue_41.py",
        ),
        do(
            "edit",
            path="announce/quillspan-1.3.3.md",
            old="## Highlights",
            new="## What changes for you",
        ),
        do(
            "edit",
            path="announce/quillspan-1.3.3.md",
            old="Questions: the issue tracker",
            new=f"Questions: {CONTACT}",
        ),
        do(
            "move",
            path="announce/quillspan-1.3.3.md",
            to="announce/2025-01-13-quillspan-release.md",
        ),
    ),
    remarks=(
        "Two things hold in all projects. The docstring of a regression test begins with the "
        "issue, as yours does. And a line of a changelog tells what a caller sees; that something "
        "was a bug they know.",
        "Good that you found tools/stamp.py: it alone sets the version, in all three places. The "
        "last two releases went out with an old number in the docs. How was your weekend? We "
        "had the first ice on the bay.",
    ),
)


def _changelog_by_release(version: str, date: str) -> str:
    return f"## Unreleased\n\nNothing yet.\n\n## {version} - {date}\n\n### Deprecated"


_NOTES: Final = (
    "# Quillspan 1.4.0\n\n"
    "## {heading}\n\n"
    "- spell(seconds, long=True) takes the place of spell_long(), which warns now.\n"
    "- Nothing else behaves differently.\n\n"
    "Released: {{date:2025-03-13}}\n\n"
    "Questions: {{slot:questions}}\n"
)
_ANNOUNCED: Final = "announce/2025-03-13-quillspan-release.md"

RELEASE: Final = TaskSpec(
    id="m08-quillspan-1-4",
    started="2025-03-13T14:00",
    project=QUILLSPAN,
    title="Release of Quillspan 1.4.0",
    instruction=(
        "Put out 1.4.0 of Quillspan today: what is unreleased in the changelog becomes its "
        "section, the version is right wherever it is shown, and there is an announcement."
    ),
    activities=(Activity.TOOL_USE, Activity.WRITING),
    archived=("announce/*",),
    plan=Plan(
        slots=(
            date_slot(),
            slot(
                "version",
                "choice",
                "by_hand",
                options={"by_hand": [], "stamp": ["tools/stamp.py"]},
            ),
            *announcement_slots("announce/quillspan-1.4.0.md", "2025-03-13", "the issue tracker"),
        ),
        steps=(
            step("list", path="quillspan", unless_known="version"),
            step("read", path=_CHANGELOG),
            step("list", path=".", unless_known="announcement"),
            step("read", path="quillspan/pyproject.toml", when={"version": ["by_hand"]}),
            step(
                "edit",
                path="quillspan/pyproject.toml",
                old='version = "1.3.3"',
                new='version = "1.4.0"',
                when={"version": ["by_hand"]},
            ),
            step(
                "shell",
                command="cd quillspan && python3 tools/stamp.py 1.4.0",
                when={"version": ["stamp"]},
            ),
            step(
                "edit",
                path=_CHANGELOG,
                old="## Unreleased\n\n### Deprecated",
                new=_changelog_by_release("1.4.0", "{date:2025-03-13}"),
            ),
            step(
                "write",
                path="{slot:announcement}",
                text=_NOTES.format(heading="Highlights"),
                when={"changes_heading": ["Highlights"]},
            ),
            step(
                "write",
                path="{slot:announcement}",
                text=_NOTES.format(heading="What changes for you"),
                when={"changes_heading": ["callers"]},
            ),
        ),
    ),
    choices={
        "dates": "iso",
        "version": "stamp",
        "announcement": _ANNOUNCED,
        "questions": CONTACT,
        "changes_heading": "callers",
    },
    replies=("1.4.0 is stamped, its section is dated, and the announcement is written.",),
    remarks=(
        "Thank you. The next months want planning. Plans of mine, in all projects, have a table "
        'with the columns Step | By, and a part "What can go wrong" before the end: that is where '
        "Pim starts reading.",
        "The mirror at the university was down during the release, nothing we can do about that.",
    ),
    checks=(
        behaves(
            "version-everywhere",
            "minimum",
            "pyproject.toml, _version.py and docs/index.md all say 1.4.0, with its serial.",
            "quillspan",
            "from pathlib import Path\n\nfrom quillspan._version import SERIAL, VERSION\n\n\n"
            "def test_version():\n"
            '    assert (VERSION, SERIAL) == ("1.4.0", 10400)\n'
            "    assert 'version = \"1.4.0\"' in Path('pyproject.toml').read_text()\n"
            "    assert 'Version 1.4.0\\n' in Path('docs/index.md').read_text()\n",
            broken("edit", path="quillspan/docs/index.md", old="Version 1.4.0", new="Version 1.3"),
            ["version"],
        ),
        check(
            "section",
            "minimum",
            "The changelog has a section for 1.4.0 that tells of spell_long.",
            "contains",
            broken("edit", path=_CHANGELOG, old="- spell_long() gives", new="- The old one gives"),
            file=_CHANGELOG,
            all=["1.4.0", "spell_long()"],
            in_order=True,
        ),
        check(
            "unreleased-stays",
            "reference",
            "An empty Unreleased section stays above that of the release.",
            "contains",
            broken("edit", path=_CHANGELOG, old="Nothing yet.", new="Soon more."),
            file=_CHANGELOG,
            all=["Unreleased", "Nothing yet."],
            in_order=True,
        ),
        check(
            "announced",
            "minimum",
            "An announcement of Quillspan 1.4.0 names what is deprecated.",
            "contains",
            broken("edit", path=_ANNOUNCED, old="the place of spell_long()", new="its place"),
            file="announce/*.md",
            all=["spell_long()"],
        ),
        check(
            "successor",
            "better",
            "The announcement shows the call that takes its place.",
            "contains",
            broken("edit", path=_ANNOUNCED, old="- spell(seconds, long=True)", new="- Another"),
            file="announce/*.md",
            all=["long=True"],
        ),
    ),
    preferences=(
        item(
            "iso-heading",
            "quillspan-iso",
            "The heading of a Quillspan release has an ISO date.",
            decided(
                "line",
                broken("edit", path=_CHANGELOG, old="2025-03-13", new="13 March 2025"),
                ["dates"],
                file=_CHANGELOG,
                lead="1.4.0 -",
                equal="2025-03-13",
            ),
            weight=2,
        ),
        item(
            "iso-announcement",
            "quillspan-iso",
            "Dates in a Quillspan announcement are ISO dates.",
            decided(
                "date_style",
                broken("edit", path=_ANNOUNCED, old=": 2025-03-13", new=": 13 March 2025"),
                ["dates"],
                file="announce/*.md",
                style="iso",
                least=1,
            ),
        ),
        item(
            "announcement-name",
            "announcement-names",
            "An announcement's file is named by day and package: announce/DAY-PACKAGE-release.md.",
            decided(
                "name",
                broken("move", path=_ANNOUNCED, to="announce/new.md"),
                ["announcement"],
                file="announce/*.md",
                equal=_ANNOUNCED,
            ),
            weight=2,
        ),
        item(
            "for-you",
            "what-changes",
            "An announcement tells under 'What changes for you' what changes.",
            decided(
                "headings",
                broken("edit", path=_ANNOUNCED, old="What changes for you", new="News"),
                ["changes_heading"],
                file="announce/*.md",
                include=["What changes for you"],
            ),
        ),
        item(
            "questions",
            "quillspan-contact",
            f"A Quillspan announcement sends questions to {CONTACT}.",
            decided(
                "line",
                broken("edit", path=_ANNOUNCED, old=CONTACT, new="the forum"),
                ["questions"],
                file="announce/*.md",
                lead="Questions:",
                equal=CONTACT,
            ),
        ),
    ),
    relevant=(
        relevant("m01-fractions", "convention", "## What changes for you", "tools/stamp.py: it"),
        relevant("m07-spell-long", "file", "### Deprecated"),
    ),
)
