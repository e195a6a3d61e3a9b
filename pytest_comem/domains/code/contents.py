"""What artifacts of this domain hold, and how to read any JSON as such without trusting it.

=====================  ==========================================================================
semantic type          fields
=====================  ==========================================================================
issue_requirements     issue, base_commit, title, entry_points, steps, actual
reproduction_receipt   base_commit, entry_points, script, outcome, error
localization_receipt   base_commit, method, candidates
baseline_receipt       base_commit, tests
patch_plan             base_commit, file, function, start, end, lines, change, hypotheses
patch_candidate        base_commit, patch, patch_sha256, operator, tried
test_receipt           base_commit, scope, patch_sha256, tests, reproduction, passed
release_bundle         base_commit, issue, patch, candidate_sha256, tested_sha256, version,
                       changelog
verification_receipt   base_commit, patch_sha256, tested_sha256, tests, version, verdict
=====================  ==========================================================================

A step is a statement with what an interactive session shows after it (code, expected). A candidate
is a function with its lines (file, function, start, end, score, lines). Tests are statuses by node
id, as pytest's summary names them. An outcome is ``fails`` for an assertion that does not hold,
``passes``, or ``breaks`` for anything else. *patch_sha256* is of the receipt's own patch,
*candidate_sha256* of the candidate that is released, *tested_sha256* lists those of the test
receipts that were handed over.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

REQUIREMENTS: Final = "issue_requirements"
REPRODUCTION: Final = "reproduction_receipt"
LOCALIZATION: Final = "localization_receipt"
BASELINE: Final = "baseline_receipt"
PLAN: Final = "patch_plan"
CANDIDATE: Final = "patch_candidate"
TESTS: Final = "test_receipt"
RELEASE: Final = "release_bundle"
VERIFICATION: Final = "verification_receipt"

#: The fields of every type.
FIELDS: Final = {
    REQUIREMENTS: ("issue", "base_commit", "title", "entry_points", "steps", "actual"),
    REPRODUCTION: ("base_commit", "entry_points", "script", "outcome", "error"),
    LOCALIZATION: ("base_commit", "method", "candidates"),
    BASELINE: ("base_commit", "tests"),
    PLAN: ("base_commit", "file", "function", "start", "end", "lines", "change", "hypotheses"),
    CANDIDATE: ("base_commit", "patch", "patch_sha256", "operator", "tried"),
    TESTS: ("base_commit", "scope", "patch_sha256", "tests", "reproduction", "passed"),
    RELEASE: (
        *("base_commit", "issue", "patch", "candidate_sha256", "tested_sha256"),
        *("version", "changelog"),
    ),
    VERIFICATION: (
        *("base_commit", "patch_sha256", "tested_sha256", "tests", "version", "verdict"),
    ),
}
#: Most entries of a list, and most tests, that are looked at.
MOST: Final = 500
#: What a plan may say of the kind of change.
CHANGES: Final = ("modify", "insert", "delete")
#: Statuses that are as they should be.
GOOD: Final = ("PASSED", "SKIPPED", "XFAIL")


def text(content: Any, field: str) -> str:
    """Return a text of a content, or nothing where it has no such text."""
    found = content.get(field) if isinstance(content, dict) else None
    return found if isinstance(found, str) else ""


def number(content: Any, field: str) -> int:
    """Return a whole number of a content, or 0 where it has no such number."""
    found = content.get(field) if isinstance(content, dict) else None
    return found if type(found) is int else 0


def items(content: Any, field: str) -> list[Any]:
    """Return a list of a content, or nothing where it has no such list."""
    found = content.get(field) if isinstance(content, dict) else None
    return found[:MOST] if isinstance(found, list) else []


def texts(content: Any, field: str) -> list[str]:
    """Return the texts of a list of a content."""
    return [each for each in items(content, field) if isinstance(each, str)]


def steps(content: Any) -> list[tuple[str, str]]:
    """Return the steps of requirements as far as they have the form of one."""
    read = [(text(each, "code"), text(each, "expected")) for each in items(content, "steps")]
    return [step for step in read if step[0]]


def tests(content: Any) -> dict[str, str] | None:
    """Return the statuses of a receipt, or ``None`` where it holds none in the right form."""
    found = content.get("tests") if isinstance(content, dict) else None
    if not isinstance(found, dict) or len(found) > MOST:
        return None
    return found if all(isinstance(each, str) for each in found.values()) else None


def patch_hash(patch: str) -> str:
    """Return the SHA-256 of a patch's text, 64 hexadecimal digits."""
    return hashlib.sha256(patch.encode("utf-8", "replace")).hexdigest()
