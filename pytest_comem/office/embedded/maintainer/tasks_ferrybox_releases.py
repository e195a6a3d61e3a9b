"""Ferrybox's releases: 0.9.0 with dates in words, 0.10.0 after dates and contact have changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.office.embedded.maintainer.common import FERRYBOX, behaves
from pytest_comem.office.embedded.maintainer.tasks_quillspan_releases import (
    announcement_slots,
    date_slot,
)
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    decided,
    item,
    relevant,
    slot,
    step,
)
from pytest_comem.streams.hidden import Check, PreferenceItem
from pytest_comem.streams.plans import Plan, PlanStep
from pytest_comem.streams.schema import Activity

_CHANGELOG: Final = "ferrybox/CHANGELOG.md"


@final
@dataclass(frozen=True, slots=True)
class _Release:
    """What a release is made of.

    :param changes: a line each, by its heading; *words* is what readers must find of each.
    :param dated: the day as the reference writes it, and *other* as it should not be.
    """

    version: str
    before: str
    day: str
    changes: Mapping[str, Sequence[str]]
    words: Sequence[str]
    questions: str
    dated: str
    other: str

    @property
    def announced(self) -> str:
        """Path of the announcement."""
        return f"announce/{self.day}-ferrybox-release.md"

    def section(self) -> str:
        """Return the changelog's section, with a placeholder for the date."""
        lines = [f"## {self.version} ({{date:{self.day}}})", ""]
        for heading, texts in self.changes.items():
            lines += [f"### {heading}", "", *(f"- {text}" for text in texts), ""]
        return "\n".join(lines)

    def announcement(self, heading: str) -> str:
        """Return the announcement, with placeholders."""
        texts = [text for each in self.changes.values() for text in each]
        return (
            f"# Ferrybox {self.version}\n\n## {heading}\n\n"
            + "".join(f"- {text}\n" for text in texts)
            + f"\nReleased: {{date:{self.day}}}\n\nQuestions: {{slot:questions}}\n"
        )


def _steps(release: _Release) -> list[PlanStep]:
    by_hand = {"release": ["by_hand"]}
    steps: list[PlanStep] = [
        step("list", path="ferrybox", unless_known="release"),
        step("list", path="ferrybox/changes"),
        step("read", path=_CHANGELOG, unless_known="release"),
        step("list", path=".", unless_known="announcement"),
        step(
            "edit",
            path=_CHANGELOG,
            old="<!-- releases -->\n",
            new="<!-- releases -->\n\n" + release.section(),
            when=by_hand,
        ),
        step(
            "edit",
            path="ferrybox/pyproject.toml",
            old=f'version = "{release.before}"',
            new=f'version = "{release.version}"',
            when=by_hand,
        ),
        step(
            "shell",
            command=(
                f"cd ferrybox && python3 tools/collect.py {release.version} "
                f'"{{date:{release.day}}}"'
            ),
            when={"release": ["collect"]},
        ),
    ]
    for value, heading in (("Highlights", "Highlights"), ("callers", "What changes for you")):
        steps.append(
            step(
                "write",
                path="{slot:announcement}",
                text=release.announcement(heading),
                when={"changes_heading": [value]},
            )
        )
    return steps


def _plan(release: _Release, dates: str) -> Plan:
    """Return the plan; *dates* is the style that somebody uninformed would take."""
    default = f"announce/ferrybox-{release.version}.md"
    return Plan(
        slots=(
            date_slot(dates),
            slot(
                "release",
                "choice",
                "by_hand",
                options={"by_hand": [], "collect": ["tools/collect.py"]},
            ),
            *announcement_slots(default, release.day, "the issue tracker"),
        ),
        steps=tuple(_steps(release)),
    )


def _checks(release: _Release) -> tuple[Check, ...]:
    return (*_tool_checks(release), *_text_checks(release))


def _tool_checks(release: _Release) -> tuple[Check, ...]:
    """Return the checks of what the release tool does besides the changelog."""
    return (
        behaves(
            "version-twice",
            "minimum",
            f"pyproject.toml and ferrybox/__init__.py both say {release.version}.",
            "ferrybox",
            "from pathlib import Path\n\nimport ferrybox\n\n\n"
            "def test_version():\n"
            f'    assert ferrybox.__version__ == "{release.version}"\n'
            f"    assert 'version = \"{release.version}\"' in Path('pyproject.toml').read_text()\n",
            broken(
                "edit",
                path="ferrybox/ferrybox/__init__.py",
                old=f'"{release.version}"',
                new=f'"{release.before}"',
            ),
            ["release"],
        ),
        check(
            "collected",
            "minimum",
            "Nothing that is released is left in changes/.",
            "absent",
            broken("write", path="ferrybox/changes/57.fixed.md", text="Again.\n"),
            ["release"],
            file="ferrybox/changes/[0-9]*.md",
        ),
        check(
            "readme-stays",
            "better",
            "What explains the directory changes/ stays.",
            "unchanged",
            broken("delete", path="ferrybox/changes/README.md"),
            file="ferrybox/changes/README.md",
        ),
    )


def _text_checks(release: _Release) -> tuple[Check, ...]:
    first, *_, last = [text for each in release.changes.values() for text in each]
    return (
        check(
            "section",
            "minimum",
            "The changelog's section of the release has every change.",
            "contains",
            broken("edit", path=_CHANGELOG, old=f"- {first}\n", new=""),
            file=_CHANGELOG,
            all=[release.version, *release.words],
        ),
        check(
            "announced",
            "reference",
            "The announcement has every change.",
            "contains",
            broken("edit", path=release.announced, old=f"- {last}\n", new=""),
            file="announce/*.md",
            all=list(release.words),
        ),
    )


def _items(release: _Release, dates: str, contact: str) -> tuple[PreferenceItem, ...]:
    """Return the items; *dates* and *contact* are the roots of these two habits."""
    return (*_date_items(release, dates), *_announcement_items(release, contact))


def _date_items(release: _Release, root: str) -> tuple[PreferenceItem, ...]:
    path = release.announced
    style = "iso" if release.dated == release.day else "long"
    return (
        item(
            "heading-date",
            root,
            f"The date in the release's heading is written as {release.dated}.",
            decided(
                "line",
                broken("edit", path=_CHANGELOG, old=release.dated, new=release.other),
                ["dates"],
                file=_CHANGELOG,
                lead=f"{release.version} (",
                equal=f"{release.dated})",
            ),
            weight=2,
        ),
        item(
            "announcement-date",
            root,
            f"The announcement's date is written as {release.dated}.",
            decided(
                "date_style",
                broken("edit", path=path, old=f": {release.dated}", new=f": {release.other}"),
                ["dates"],
                file="announce/*.md",
                style=style,
                least=1,
            ),
        ),
    )


def _announcement_items(release: _Release, root: str) -> tuple[PreferenceItem, ...]:
    path = release.announced
    return (
        item(
            "announcement-name",
            "announcement-names",
            "An announcement's file is named by day and package: announce/DAY-PACKAGE-release.md.",
            decided(
                "name",
                broken("move", path=path, to="announce/new.md"),
                ["announcement"],
                file="announce/*.md",
                equal=path,
            ),
            weight=2,
        ),
        item(
            "for-you",
            "what-changes",
            "An announcement tells under 'What changes for you' what changes.",
            decided(
                "headings",
                broken("edit", path=path, old="What changes for you", new="News"),
                ["changes_heading"],
                file="announce/*.md",
                include=["What changes for you"],
            ),
        ),
        item(
            "questions",
            root,
            f"The announcement sends questions to {release.questions}.",
            decided(
                "line",
                broken("edit", path=path, old=release.questions, new="the forum"),
                ["questions"],
                file="announce/*.md",
                lead="Questions:",
                equal=release.questions,
            ),
            weight=2,
        ),
    )


def _choices(release: _Release, dates: str) -> dict[str, str]:
    return {
        "dates": dates,
        "release": "collect",
        "announcement": release.announced,
        "questions": release.questions,
        "changes_heading": "callers",
    }


_APRIL: Final = _Release(
    version="0.9.0",
    before="0.8.2",
    day="2025-04-10",
    changes={
        "Added": ["batches() takes any iterable, generators too."],
        "Fixed": [
            "batches() keeps the last items, in a shorter batch.",
            "to_csv() quotes cells that hold the delimiter, quotes or line ends.",
        ],
    },
    words=("takes any iterable", "keeps the last items", "quotes cells"),
    questions="ferry-users@lists.example",
    dated="10 April 2025",
    other="2025-04-10",
)
_JUNE: Final = _Release(
    version="0.10.0",
    before="0.9.0",
    day="2025-06-26",
    changes={
        "Added": ["to_csv() takes an iterator of rows."],
        "Fixed": ["batches() refuses a size that is no whole number."],
        "Removed": ["Python 3.8 is not supported any more."],
    },
    words=("iterator of rows", "no whole number", "Python 3.8"),
    questions="help@ferrybox.example",
    dated="2025-06-26",
    other="26 June 2025",
)

RELEASE_APRIL: Final = TaskSpec(
    id="m11-ferrybox-0-9",
    started="2025-04-10T15:20",
    project=FERRYBOX,
    title="Release of Ferrybox 0.9.0",
    instruction=(
        "Release Ferrybox 0.9.0 today: everything that waits goes into the changelog, the version "
        "is set, and an announcement for its users is in announce/."
    ),
    activities=(Activity.TOOL_USE, Activity.WRITING),
    archived=("announce/*",),
    incoming={"ferrybox/changes/60.added.md": "batches() takes any iterable, generators too.\n"},
    plan=_plan(_APRIL, "long"),
    choices=_choices(_APRIL, "long"),
    replies=("0.9.0 has its section, nothing waits any more, and the announcement is written.",),
    remarks=(
        "Sent. Three thank-you mails within the hour, one of them with a photograph of the quay.",
    ),
    checks=_checks(_APRIL),
    preferences=_items(_APRIL, "ferrybox-words", "ferrybox-list"),
    relevant=(
        relevant("m09-quoting", "procedure", "tools/collect.py gathers", "ferry-users@lists"),
        relevant("m08-quillspan-1-4", "convention", "# Quillspan 1.4.0"),
        relevant("m01-fractions", "convention", "## What changes for you"),
    ),
)

RELEASE_JUNE: Final = TaskSpec(
    id="m16-ferrybox-0-10",
    started="2025-06-26T14:30",
    project=FERRYBOX,
    title="Release of Ferrybox 0.10.0",
    instruction=(
        "Ferrybox 0.10.0 goes out today: bring what waits into the changelog, set the version, "
        "and write the announcement for its users."
    ),
    activities=(Activity.TOOL_USE, Activity.WRITING),
    archived=("announce/*",),
    incoming={
        "ferrybox/changes/71.added.md": "to_csv() takes an iterator of rows.\n",
        "ferrybox/changes/74.fixed.md": "batches() refuses a size that is no whole number.\n",
        "ferrybox/changes/76.removed.md": "Python 3.8 is not supported any more.\n",
    },
    plan=_plan(_JUNE, "iso"),
    choices=_choices(_JUNE, "iso"),
    replies=("0.10.0 is collected and announced.",),
    remarks=("Thank you, and a good midsummer. I am back on 14 July.",),
    checks=_checks(_JUNE),
    preferences=_items(_JUNE, "iso-everywhere", "ferrybox-help"),
    relevant=(
        relevant("m12-mails", "convention", "ISO dates", "help@ferrybox.example"),
        relevant("m11-ferrybox-0-9", "procedure", "tools/collect.py 0.9.0", "# Ferrybox 0.9.0"),
        relevant("m09-quoting", "procedure", "tools/collect.py gathers"),
    ),
)
