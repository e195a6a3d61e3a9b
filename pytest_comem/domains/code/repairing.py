"""Patches: found by trying changes of a planned region, and made into a release."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.domains.code import contents
from pytest_comem.domains.code.diffs import changes, unified
from pytest_comem.domains.code.locating import is_library
from pytest_comem.domains.code.running import Runner, Tree
from pytest_comem.sandbox.base import MIB, Limits

#: Changes that are tried for one plan, and how often a refused one is gone on from.
MOST_TRIED: Final = 900
_AGAIN: Final = 3
LIMITS: Final = Limits(
    seconds=600, memory_mib=2048, processes=64, disk_mib=256, output_bytes=4 * MIB
)
CHANGELOG: Final = "CHANGELOG.md"
_VERSION: Final = re.compile(r'^__version__ = "(\d{1,6})\.(\d{1,6})\.(\d{1,6})"', re.MULTILINE)
_HEADING: Final = re.compile(r"^## .*$", re.MULTILINE)


@final
@dataclass(frozen=True, slots=True)
class Found:
    """A patch with how it was found; empty where none was."""

    patch: str = ""
    operator: str = ""
    tried: int = 0


@final
@dataclass(frozen=True, slots=True)
class Bundle:
    """A release: the whole patch, the raised version and the line of the changelog."""

    patch: str = ""
    version: str = ""
    line: str = ""


def repaired(
    runner: Runner,
    tree: Tree,
    plan: object,
    script: str,
    tests: Sequence[str],
    refused: Collection[str],
) -> Found:
    """Return the first change of the planned region after which script and tests pass.

    :param plan: content of a plan, of any shape.
    :param tests: that passed before; all where none are given.
    :param refused: hashes of patches that were found and rejected before.
    """
    path = contents.text(plan, "file")
    start, end = contents.number(plan, "start"), contents.number(plan, "end")
    if path not in tree.files or not is_library(path) or not script or not 0 < start <= end:
        return Found()
    given = {
        "file": path,
        "start": start,
        "end": end,
        "lines": [each for each in contents.items(plan, "lines") if type(each) is int],
        "script": script,
        "tests": list(tests),
        "most": MOST_TRIED,
        "skipped": list[str](),
    }
    for _ in range(_AGAIN):
        made = runner.driver(tree, "repair", given, LIMITS)
        source, operator = contents.text(made, "source"), contents.text(made, "operator")
        tried = contents.number(made, "tried")
        if not source:
            return Found(tried=tried)
        patch = unified({path: tree.text(path)}, {path: source})
        if contents.patch_hash(patch) not in refused:
            return Found(patch, operator, tried)
        given["skipped"] = [*given["skipped"], hashlib.sha256(source.encode()).hexdigest()]  # type: ignore[misc]
    return Found(tried=tried)


def version_of(text: str) -> tuple[int, int, int] | None:
    """Return the version that a module says it has."""
    found = _VERSION.search(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def version_file(tree: Tree) -> str:
    """Return the path of the module that says the version; nothing where none does."""
    named = (path for path in sorted(tree.files) if path.endswith("/__init__.py"))
    return next((path for path in named if version_of(tree.text(path))), "")


def released(runner: Runner, tree: Tree, patch: str, issue: str, title: str) -> Bundle:
    """Return the release of a patch: version raised, changelog told; nothing where it does not fit.

    :param title: of the issue, for the changelog.
    """
    where = version_file(tree)
    paths = sorted({*(one.path for one in changes(patch)), where, CHANGELOG})
    files = runner.patched(tree, patch, paths)
    after = {path: text for path, text in files.items() if text is not None}
    found = version_of(after.get(where, ""))
    if found is None:
        return Bundle()
    version = f"{found[0]}.{found[1]}.{found[2] + 1}"
    line = f"- {title} ({issue})"
    after[where] = _VERSION.sub(f'__version__ = "{version}"', after[where], count=1)
    after[CHANGELOG] = _told(after.get(CHANGELOG, "# Changelog\n"), f"## {version}\n\n{line}\n")
    before = {path: tree.text(path) for path in after if path in tree.files}
    return Bundle(unified(before, after), version, line)


def _told(changelog: str, section: str) -> str:
    """Return a changelog with a section more, before the newest one."""
    newest = _HEADING.search(changelog)
    at = newest.start() if newest else len(changelog)
    return f"{changelog[:at]}{section}\n{changelog[at:]}"
