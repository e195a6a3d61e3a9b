"""Gold outputs: derived from an instance's right patch by real runs, and results like them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, final

from pytest_comem.domains.code import contents
from pytest_comem.domains.code.diffs import changes, unified
from pytest_comem.domains.code.families.blueprint import Step
from pytest_comem.domains.code.families.tasks import title_of
from pytest_comem.domains.code.grading import grade, statuses
from pytest_comem.domains.code.inside.mutation import mutants
from pytest_comem.domains.code.instances import Instance
from pytest_comem.domains.code.issues import read_issue
from pytest_comem.domains.code.locating import hypotheses, is_library, near_tests
from pytest_comem.domains.code.regions import Region, enclosing, functions
from pytest_comem.domains.code.repairing import released
from pytest_comem.domains.code.running import Runner, Tree
from pytest_comem.domains.code.scripts import last_line, outcome_of, script_of

Content = dict[str, Any]


@final
class Bench:
    """An instance on its base commit, with what is right and what only looks so."""

    def __init__(self, runner: Runner, tree: Tree, instance: Instance) -> None:
        self.runner = runner
        self.tree = tree
        self.instance = instance

    def gold(self, step: Step, *, has_script: bool = False) -> Content:
        """Return what a step makes.

        :param has_script: whether a reproduction is among its inputs.
        """
        one = self.instance
        return self.output(step, one.patch, self.script, self.region, has_script=has_script)

    def output(
        self, step: Step, patch: str, script: str, place: tuple[str, Region], *, has_script: bool
    ) -> Content:
        """Return what a step would make with another patch, script or place."""
        makers: dict[str, Callable[[], Content]] = {
            "analyse": self._analysed,
            "reproduce": lambda: self.reproduced(script),
            "baseline": lambda: {"tests": statuses(self.runner.suite(self.tree))},
            "localize": lambda: self.located(step.option, place),
            "plan": lambda: self.planned(place),
            "implement": lambda: self.implemented(patch),
            "test": lambda: self.tested(step.option, patch, has_script=has_script),
            "release": lambda: self.released(patch),
            "verify": lambda: self.verified(patch),
        }
        return {"base_commit": self.instance.base_commit, **makers[step.action]()}

    @cached_property
    def script(self) -> str:
        """The script of the issue's examples."""
        issue = read_issue(self.instance.problem_statement)
        return script_of((one.code, one.expected) for one in issue.steps)

    @cached_property
    def region(self) -> tuple[str, Region]:
        """The file and the function that the right patch changes.

        :raises LookupError: where it changes none.
        """
        for one in changes(self.instance.patch):
            if is_library(one.path) and one.lines:
                found = enclosing(self.tree.text(one.path), min(one.lines))
                if found is not None:
                    return one.path, found
        raise LookupError(f"the patch of {self.instance.instance_id} changes no function")

    @cached_property
    def other_region(self) -> tuple[str, Region]:
        """A function of the same file that has nothing to do with it, the longest one."""
        path, right = self.region
        others = [
            one for one in self._functions(path) if one.end < right.start or one.start > right.end
        ]
        for other in sorted(self.tree.files):
            if not others and is_library(other) and other != path:
                path, others = other, self._functions(other)
        return path, max(others, key=lambda one: (one.end - one.start, one.start))

    def _functions(self, path: str) -> list[Region]:
        return functions(self.tree.text(path))

    @cached_property
    def failing_patches(self) -> tuple[str, ...]:
        """Plausible patches of the right function that apply and do not resolve the issue."""
        path, region = self.region
        raw = self.tree.files[path]
        found = []
        for mutant in mutants(raw, region.start, region.end, []):
            after = mutant.applied(raw).decode()
            patch = unified({path: raw.decode()}, {path: after})
            if _is_python(after) and not self.resolves(patch):
                found.append(patch)
            if len(found) == 2:
                return tuple(found)
        raise LookupError(f"no two changes of {region.name} fail")

    def resolves(self, patch: str) -> bool:
        """Whether a patch resolves the issue."""
        one = self.instance
        ran = self.runner.suite(self.tree, [patch, one.test_patch])
        return grade(ran, one.FAIL_TO_PASS, one.PASS_TO_PASS).resolved

    def _analysed(self) -> Content:
        issue = read_issue(self.instance.problem_statement)
        return {
            "issue": self.instance.instance_id,
            "title": issue.title,
            "entry_points": list(issue.entry_points),
            "steps": [{"code": one.code, "expected": one.expected} for one in issue.steps],
            "actual": issue.actual,
        }

    def reproduced(self, script: str) -> Content:
        """Return what comes of a script on the base commit."""
        ran = self.runner.script(self.tree, [], script)
        issue = read_issue(self.instance.problem_statement)
        return {
            "entry_points": list(issue.entry_points),
            "script": script,
            "outcome": outcome_of(ran),
            "error": last_line(ran),
        }

    def located(self, method: str, place: tuple[str, Region]) -> Content:
        """Return a localization that names one place."""
        path, one = place
        named = {"file": path, "function": one.name, "start": one.start, "end": one.end}
        return {"method": method, "candidates": [{**named, "score": 1.0, "lines": []}]}

    def planned(self, place: tuple[str, Region]) -> Content:
        """Return the plan to change one place."""
        path, one = place
        return {
            "file": path,
            "function": one.name,
            "start": one.start,
            "end": one.end,
            "lines": [],
            "change": "modify",
            "hypotheses": hypotheses(self.tree.text(path), one.start, one.end),
        }

    def implemented(self, patch: str) -> Content:
        """Return a candidate."""
        sha256 = contents.patch_hash(patch)
        return {"patch": patch, "patch_sha256": sha256, "operator": "", "tried": 1}

    def tested(self, scope: str, patch: str, *, has_script: bool) -> Content:
        """Return the receipt of a candidate's tests, which says that everything passed."""
        files = near_tests(self.tree, patch) if scope == "focused" else ()
        return {
            "scope": scope,
            "patch_sha256": contents.patch_hash(patch),
            "tests": statuses(self.runner.suite(self.tree, [patch], files)),
            "reproduction": "passes" if has_script else "",
            "passed": True,
        }

    def released(self, patch: str) -> Content:
        """Return the release of a candidate."""
        one, sha256 = self.instance, contents.patch_hash(patch)
        made = released(self.runner, self.tree, patch, one.instance_id, title_of(one))
        return {
            "issue": one.instance_id,
            "patch": made.patch,
            "candidate_sha256": sha256,
            "tested_sha256": [sha256],
            "version": made.version,
            "changelog": made.line,
        }

    def verified(self, patch: str) -> Content:
        """Return the verification of a candidate's release."""
        release = self.released(patch)
        return {
            "patch_sha256": contents.patch_hash(release["patch"]),
            "tested_sha256": [contents.patch_hash(patch)],
            "tests": statuses(self.runner.suite(self.tree, [release["patch"]])),
            "version": release["version"],
            "verdict": "resolved",
        }


def _is_python(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def unapplicable(patch: str) -> str:
    """Return a patch whose context is not the one of the file."""
    lines = patch.split("\n")
    return "\n".join(
        f"{line}  # here"
        if line[:1] in (" ", "-") and line[1:].strip() and line[:3] != "---"
        else line
        for line in lines
    )


def edited(tests: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield statuses of which one was changed."""
    for name, status in tests.items():
        yield {**tests, name: "FAILED" if status == "PASSED" else "PASSED"}
