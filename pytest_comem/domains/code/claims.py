"""What artifacts claim, held against what our own runs came to and what was handed over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_comem.domains.code import contents
from pytest_comem.domains.code.locating import is_library
from pytest_comem.domains.code.running import MAX_TEXT, Tree
from pytest_comem.workflows.artifacts import Artifact

_NAMES: Final = re.compile(
    r"^(?:---|\+\+\+|diff --git|rename from|rename to|copy from|copy to|new file|deleted file) .*$",
    re.MULTILINE,
)


def status_problems(
    tests: Mapping[str, str] | None, own: Mapping[str, str], *, whole: bool
) -> Iterator[str]:
    """Yield where statuses are not those of our own run."""
    if not tests:
        yield "it has no status of any test"
        return
    wrong = sorted(name for name, status in tests.items() if own.get(name) != status)
    if wrong:
        yield f"the status of {wrong[0][:100]} is not the one of our own run"
    if whole and set(own) - set(tests):
        yield "it leaves tests out"


def tested_problems(content: Any, candidate: str, consumed: Sequence[Artifact]) -> Iterator[str]:
    """Yield where the receipts that were handed over are about another patch than the candidate."""
    receipts = [one.content for one in consumed if one.semantic_type == contents.TESTS]
    found = {contents.text(one, "patch_sha256") for one in receipts}
    candidates = [one.content for one in consumed if one.semantic_type == contents.CANDIDATE]
    given = {contents.patch_hash(contents.text(one, "patch")) for one in candidates}
    if set(contents.texts(content, "tested_sha256")) != found:
        yield "the hashes that it says were tested are not those of the receipts handed over"
    if found - {candidate} or given - {candidate}:
        yield "a receipt or a candidate that was handed over is about another patch"


def strange_lines(patch: str, tree: Tree, beside: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a patch that name anything but files of the library that are there."""

    def allowed(path: str) -> bool:
        return path in beside or (path in tree.files and is_library(path))

    for line in _NAMES.findall(patch[:MAX_TEXT]):
        kind, _, rest = line.partition(" ")
        if kind in ("---", "+++"):
            path = rest.split("\t")[0]
            if path[:2] not in ("a/", "b/") or not allowed(path[2:]):
                yield line
        elif kind == "diff":
            path = rest.removeprefix("--git a/").split(" b/")[0]
            if rest != f"--git a/{path} b/{path}" or not allowed(path):
                yield line
        else:
            yield line


def last_name(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def squeezed(code: str, expected: str) -> tuple[str, str]:
    """Return a step as steps are compared: by the marks in it, blanks put aside."""
    return "".join(code.split()), "".join(expected.split())
