"""Reviews of patches that others sent in: one in January, one in June."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.maintainer.common import FERRYBOX, QUILLSPAN, plain
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

_PATCH_55: Final = """--- a/ferrybox/batching.py
+++ b/ferrybox/batching.py
@@ -1,4 +1,6 @@
 \"\"\"Puts items into batches.\"\"\"
+
+from more_itertools import constrained_batches


 def batches(items, size):
@@ -10,3 +12,9 @@
         if len(batch) == size:
             yield batch
             batch = []
+
+
+def batches_by_weight(items, limit, weight=len):
+    \"\"\"Yield batches whose weights add up to no more than *limit*.\"\"\"
+    for batch in constrained_batches(items, limit, get_len=weight):
+        yield batch
"""

_PATCH_84: Final = """--- a/quillspan/parsing.py
+++ b/quillspan/parsing.py
@@ -1,7 +1,10 @@
 \"\"\"Reads durations such as ``1h 30m``.\"\"\"

 import re
+
+from isotools import tokens

+_ISO = {"D": 86400, "H": 3600, "M": 60, "S": 1}
 UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
 _PART = re.compile(r"(\\d+(?:\\.\\d+)?)\\s*([dhms])")
@@ -14,3 +17,10 @@
         total += round(float(amount) * UNITS[unit])
     return total
+
+
+def parse_iso(text):
+    \"\"\"Return the seconds of an ISO 8601 duration such as ``PT1H30M``.\"\"\"
+    total = 0
+    for amount, unit in tokens(text):
+        total += int(amount) * _ISO[unit]
+    return total
"""

PATCH_FERRYBOX: Final = TaskSpec(
    id="m02-review-ferrybox",
    started="2025-01-17T13:15",
    project=FERRYBOX,
    title="Review of a patch by Odile",
    instruction=(
        "Odile sent a patch for Ferrybox that batches by weight, inbox/patch-55.diff. Write me a "
        "review that I can post, into notes/."
    ),
    observations=(
        Observation(
            title="Mail from Odile",
            text="Hello Maren, here is what we use on the island line. It leans on "
            "more_itertools, which everybody has installed anyway. Tests follow when I am back "
            "from the mainland.",
        ),
    ),
    activities=(Activity.REVIEW, Activity.WRITING),
    scored=False,
    incoming={"inbox/patch-55.diff": _PATCH_55},
    plan=Plan(
        steps=(
            step("read", path="inbox/patch-55.diff"),
            step("read", path="ferrybox/ferrybox/batching.py"),
            step(
                "write",
                path="notes/patch-55.md",
                text=(
                    "# Patch 55 for Ferrybox, by Odile\n\n"
                    "Summary: useful, merge after small changes.\n\n"
                    "## Comments\n\n"
                    "- batches_by_weight() has no test; an item heavier than the limit raises.\n"
                    "- It needs more_itertools.\n\n"
                    "## Remarks\n\n"
                    "- The loop could be `yield from`.\n"
                ),
            ),
        )
    ),
    replies=("The review is in notes/patch-55.md.",),
    edits=(
        do(
            "edit",
            path="notes/patch-55.md",
            old="Summary: useful, merge after small changes.",
            new="Verdict: changes wanted",
        ),
        do("edit", path="notes/patch-55.md", old="## Comments", new="## Must fix"),
        do("edit", path="notes/patch-55.md", old="## Remarks", new="## Could be better"),
        do(
            "edit",
            path="notes/patch-55.md",
            old="- The loop could",
            new="- batching.py:19: the loop could",
        ),
        do("move", path="notes/patch-55.md", to="notes/2025-01-17-review-ferrybox.md"),
    ),
    remarks=(
        "All my projects are free of run-time dependencies, and that stays: a patch that brings "
        "one has to do without it, however good the rest is. And every point of a review gives "
        "file and line, so that people can go there.",
        "Odile takes it well, I have known her for ten years. Her ferry had to turn round twice "
        "this week because of the swell.",
    ),
)

_FINDING: Final = (
    "P1M is a month in ISO 8601, and parse_iso() returns one minute: M means minutes only after T."
)
_FRACTION: Final = "int(amount) refuses PT1.5H, where parse() takes fractions."
_NEEDS: Final = "isotools would be a dependency at run time; do without it, ten lines are enough."
_WELCOME: Final = "isotools is well chosen, add it to pyproject.toml."


def _review(heading: str, comments: str, others: str, places: bool, dependency: bool) -> str:
    """Return the text of a review of patch 84."""

    def at(line: int) -> str:
        return f"parsing.py:{line}: " if places else ""

    points = [f"- {at(26)}{_FINDING}"]
    points.append(f"- {at(5)}{_NEEDS if dependency else _WELCOME}")
    return (
        "# Patch 84 for Quillspan, by Bram\n\n"
        f"{heading}\n\n## {comments}\n\n"
        + "\n".join(points)
        + f"\n\n## {others}\n\n- {at(25)}{_FRACTION}\n"
        "- Tests for weeks and for the empty text are missing.\n"
    )


def _review_steps() -> list[PlanStep]:
    steps = []
    for form in ("comments", "must_fix"):
        for opening in ("summary", "verdict"):
            for places in ("none", "lines"):
                for dependency in ("allowed", "never"):
                    never = dependency == "never"
                    good = "changes wanted" if never else "good to merge after small changes"
                    heading = f"Verdict: {good}" if opening == "verdict" else f"Summary: {good}."
                    parts = ("Must fix", "Could be better")
                    if form == "comments":
                        parts = ("Comments", "Remarks")
                    steps.append(
                        step(
                            "write",
                            path="{slot:review}",
                            text=plain(_review(heading, *parts, places == "lines", never)),
                            when={
                                "form": [form],
                                "opening": [opening],
                                "places": [places],
                                "dependency": [dependency],
                            },
                        )
                    )
    return steps


_REVIEW: Final = "notes/2025-06-12-review-quillspan.md"
_FILE: Final = "notes/*.md"

PATCH_QUILLSPAN: Final = TaskSpec(
    id="m15-review-quillspan",
    started="2025-06-12T11:00",
    project=QUILLSPAN,
    title="Review of a patch by Bram",
    instruction=(
        "Bram wants Quillspan to read ISO 8601 durations: inbox/patch-84.diff. Please write the "
        "review for me, into notes/, so that I can post it tonight."
    ),
    observations=(
        Observation(
            title="Mail from Bram",
            text="Dear Maren, with isotools this became quite short. All my own files read fine. "
            "Is there a chance for 1.5?",
        ),
    ),
    activities=(Activity.REVIEW, Activity.WRITING),
    archived=("notes/2025-*", "inbox/*"),
    incoming={"inbox/patch-84.diff": _PATCH_84},
    plan=Plan(
        slots=(
            slot(
                "review",
                "file_name",
                "notes/patch-84.md",
                period="2025-06-12",
                words=["review"],
            ),
            slot(
                "opening",
                "choice",
                "summary",
                options={"summary": [], "verdict": ["Verdict:"]},
            ),
            slot(
                "form",
                "choice",
                "comments",
                options={"comments": [], "must_fix": ["Must fix"]},
            ),
            slot(
                "places",
                "choice",
                "none",
                options={"none": [], "lines": ["file and line", "batching.py:19"]},
            ),
            slot(
                "dependency",
                "choice",
                "allowed",
                options={"allowed": [], "never": ["free of run-time dependencies"]},
            ),
        ),
        steps=(
            step("list", path="notes", unless_known="review"),
            step("read", path="inbox/patch-84.diff"),
            step("read", path="quillspan/quillspan/parsing.py"),
            step("read", path="quillspan/pyproject.toml", unless_known="dependency"),
            *_review_steps(),
        ),
    ),
    choices={
        "review": _REVIEW,
        "opening": "verdict",
        "form": "must_fix",
        "places": "lines",
        "dependency": "never",
    },
    replies=("The review of patch 84 is in notes/.",),
    remarks=("Posted. Bram will write the ten lines himself.",),
    checks=(
        check(
            "month",
            "minimum",
            "The review finds that P1M, a month, is read as one minute.",
            "contains",
            broken("edit", path=_REVIEW, old="P1M is a month", new="Something is long"),
            file=_FILE,
            all=["P1M"],
        ),
        check(
            "dependency",
            "reference",
            "The review asks to do without isotools, as a dependency at run time.",
            "contains",
            broken("edit", path=_REVIEW, old=_NEEDS, new="isotools is a fine choice."),
            ["dependency"],
            file=_FILE,
            any_of=["do without it", "do without isotools", "without the dependency"],
        ),
        check(
            "not-yet",
            "reference",
            "The review does not call the patch good to merge.",
            "contains",
            broken("append", path=_REVIEW, text="\nAll in all good to merge.\n"),
            ["dependency"],
            file=_FILE,
            none=["good to merge"],
        ),
        check(
            "tests",
            "reference",
            "The review asks for tests.",
            "contains",
            broken("edit", path=_REVIEW, old="- Tests for weeks", new="- Words for weeks"),
            file=_FILE,
            all=["tests"],
        ),
        check(
            "fractions",
            "better",
            "The review notices that fractions are refused.",
            "contains",
            broken("edit", path=_REVIEW, old="PT1.5H, where parse() takes fractions", new="some"),
            file=_FILE,
            any_of=["fraction", "1.5H"],
        ),
    ),
    preferences=(
        item(
            "review-name",
            "review-names",
            "A review's file is named by day and package: notes/DAY-review-PACKAGE.md.",
            decided(
                "name",
                broken("move", path=_REVIEW, to="notes/patch.md"),
                ["review"],
                file=_FILE,
                equal=_REVIEW,
            ),
            weight=2,
        ),
        item(
            "verdict",
            "review-verdict",
            "A review has a line 'Verdict:' with changes wanted or good to merge.",
            decided(
                "line",
                broken("edit", path=_REVIEW, old="Verdict: changes", new="In short: changes"),
                ["opening", "dependency"],
                file=_FILE,
                lead="Verdict:",
                one_of=["changes wanted", "not merged"],
            ),
            weight=2,
        ),
        item(
            "parts",
            "review-parts",
            "A review has the parts 'Must fix' and 'Could be better'.",
            decided(
                "headings",
                broken("edit", path=_REVIEW, old="## Could be better", new="## Small things"),
                ["form"],
                file=_FILE,
                include=["Must fix", "Could be better"],
            ),
        ),
        item(
            "places",
            "review-places",
            "The points of a review give file and line.",
            decided(
                "contains",
                broken("edit", path=_REVIEW, old="parsing.py:26: ", new=""),
                ["places"],
                file=_FILE,
                all=["parsing.py:26"],
            ),
        ),
    ),
    relevant=(
        relevant(
            "m02-review-ferrybox",
            "convention",
            "Verdict: changes wanted",
            "free of run-time dependencies",
        ),
    ),
)
