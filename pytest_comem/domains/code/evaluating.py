"""The evaluator: it runs the code itself, and believes no word of an artifact.

Patches are graded by SWE-bench's own functions on a log of our sandbox; statuses in receipts have
to be those of a run of our own. What an oracle knows beside its gold content:

``test_patch``, ``fail_to_pass``
    Of the instance, so that a certificate can show that no worker sees them.
``inputs``
    How many inputs the node requires; an output that rests on nothing then passes for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.domains.code import contents, grading
from pytest_comem.domains.code.claims import (
    last_name,
    squeezed,
    status_problems,
    strange_lines,
    tested_problems,
)
from pytest_comem.domains.code.contents import FIELDS, MOST
from pytest_comem.domains.code.diffs import Change, changes
from pytest_comem.domains.code.grading import Grade, grade, statuses
from pytest_comem.domains.code.instances import Instance
from pytest_comem.domains.code.locating import NAMED, is_library
from pytest_comem.domains.code.regions import Region, enclosing, same_function
from pytest_comem.domains.code.repairing import CHANGELOG, version_file, version_of
from pytest_comem.domains.code.running import MAX_TEXT, Runner, Tree
from pytest_comem.domains.code.scripts import outcome_of, script_of
from pytest_comem.executors.domain import Judgement
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Node

EVALUATOR: Final = "swebench-grading"
EVALUATOR_VERSION: Final = "1"
#: Lines that a planned region may have beyond its function.
_SLACK: Final = 3
_Consumed = Sequence[Artifact]


@final
class CodeEvaluator:
    """Judges the outputs of one workflow.

    :param tree: of the instance's base commit.
    """

    def __init__(self, runner: Runner, tree: Tree, instance: Instance) -> None:
        self._runner = runner
        self._tree = tree
        self._instance = instance
        self._problems: Mapping[str, Callable[[Any, Any, _Consumed], Iterator[str]]] = {
            contents.REQUIREMENTS: self._requirements,
            contents.REPRODUCTION: self._reproduction,
            contents.LOCALIZATION: self._localization,
            contents.BASELINE: self._baseline,
            contents.PLAN: self._plan,
            contents.CANDIDATE: self._candidate,
            contents.TESTS: self._tests,
            contents.RELEASE: self._release,
            contents.VERIFICATION: self._verification,
        }

    def evaluate(
        self, node: Node, oracle: Oracle, content: Any, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Judge the content of a node's artifact.

        The evidence names the grader's version, the sandbox, and the first problem found.

        :raises InfrastructureError: where the sandbox broke.
        """
        # One is enough, and the next could cost another run.
        problem = next(self._found(node, oracle, content, consumed), "")
        evidence = {
            "swebench": grading.version(),
            "sandbox": self._runner.kind,
            "instance": self._instance.instance_id,
            "problem": problem,
        }
        if problem:
            return Judgement(False, f"{problem[0].upper()}{problem[1:]}.", evidence)
        return Judgement(True, "What it says is what our own runs show.", evidence)

    def _found(
        self, node: Node, oracle: Oracle, content: Any, consumed: _Consumed
    ) -> Iterator[str]:
        yield from self._form_problems(node, content)
        yield from _handoff_problems(oracle, consumed)
        yield from self._problems[node.output_type](oracle.gold, content, consumed)

    def _form_problems(self, node: Node, content: Any) -> Iterator[str]:
        """Yield what keeps an output from being looked at."""
        fields = FIELDS.get(node.output_type)
        if fields is None:
            yield f"this domain makes no {node.output_type}"
        elif not isinstance(content, dict):
            yield "it is no JSON object"
        elif missing := [field for field in fields if field not in content]:
            yield f"it has no {missing[0]}"
        elif any(isinstance(each, list | dict) and len(each) > MOST for each in content.values()):
            yield f"a list of it has more than {MOST} entries"
        elif content["base_commit"] != self._instance.base_commit:
            yield "it is about another commit than the one that had to be worked on"

    def _requirements(self, gold: Any, content: Any, consumed: _Consumed) -> Iterator[str]:
        if contents.text(content, "issue") != self._instance.instance_id:
            yield "it is about another issue"
        points = {last_name(name) for name in contents.texts(content, "entry_points")}
        if not {last_name(name) for name in contents.texts(gold, "entry_points")} <= points:
            yield "a public name that the issue's examples call is missing"
        steps = contents.steps(content)
        told = {squeezed(*step) for step in steps}
        if not {squeezed(*step) for step in contents.steps(gold) if step[1]} <= told:
            yield "an example of the issue is missing, or expects something else"
        yield from self._script_problems(script_of(steps))

    def _script_problems(self, script: str) -> Iterator[str]:
        """Yield why a script does not show the fault."""
        if not script or len(script) > MAX_TEXT:
            yield "it has no script that can be run"
            return
        before = outcome_of(self._runner.script(self._tree, [], script))
        if before != "fails":
            yield f"on the base commit its script {before} where an assertion has to fail"
        after = outcome_of(self._runner.script(self._tree, [self._instance.patch], script))
        if after != "passes":
            yield f"with the right patch its script {after} where it has to pass"

    def _reproduction(self, gold: Any, content: Any, consumed: _Consumed) -> Iterator[str]:
        yield from self._script_problems(contents.text(content, "script"))
        if contents.text(content, "outcome") != "fails":
            yield "it does not say that the script fails"

    def _localization(self, gold: Any, content: Any, consumed: _Consumed) -> Iterator[str]:
        named = contents.items(content, "candidates")
        if len(named) > NAMED:
            yield f"it names more than {NAMED} functions"
        if not any(self._is_faulty(each) for each in named[:NAMED]):
            yield "it does not name the function that has to be changed"

    def _is_faulty(self, named: Any) -> bool:
        path, function = contents.text(named, "file"), contents.text(named, "function")
        return any(
            path == one.path and region is not None and same_function(function, region.name)
            for one, region in self._faulty()
        )

    def _faulty(self) -> list[tuple[Change, Region | None]]:
        """Return what the right patch changes of the library, and the function around it."""
        found = [one for one in changes(self._instance.patch) if is_library(one.path)]
        return [
            (one, enclosing(self._tree.text(one.path), min(one.lines)))
            for one in found
            if one.lines
        ]

    def _baseline(self, gold: Any, content: Any, consumed: _Consumed) -> Iterator[str]:
        own = statuses(self._runner.suite(self._tree))
        yield from status_problems(contents.tests(content), own, whole=True)

    def _plan(self, gold: Any, content: Any, consumed: _Consumed) -> Iterator[str]:
        if not self._is_faulty(content):
            yield "it names another function than the one that has to be changed"
            return
        start, end = contents.number(content, "start"), contents.number(content, "end")
        for change, region in self._faulty():
            if not all(start <= line <= end for line in change.lines):
                yield "its lines do not cover what has to be changed"
            if region and (start < region.start - _SLACK or end > region.end + _SLACK):
                yield "its lines go beyond the function that it names"
        if contents.text(content, "change") not in contents.CHANGES:
            yield f"its kind of change is none of {', '.join(contents.CHANGES)}"

    def _candidate(self, gold: Any, content: Any, consumed: _Consumed) -> Iterator[str]:
        patch = contents.text(content, "patch")
        if contents.text(content, "patch_sha256") != contents.patch_hash(patch):
            yield "its hash is not that of its patch"
        yield from self._patch_problems(patch, ())

    def _patch_problems(self, patch: str, beside: Sequence[str]) -> Iterator[str]:
        """Yield why a patch does not resolve the issue.

        :param beside: paths that it may change beside the library's modules.
        """
        if not patch:
            yield "it has no patch"
            return
        strange = sorted(strange_lines(patch, self._tree, beside))
        if strange:
            yield f"its patch does more than change the library: {strange[0][:100]}"
            return
        found = self._graded(patch)
        if not found.found:
            yield "its patch does not apply, or the tests do not come to an end"
        elif not found.resolved:
            yield (
                f"its patch is {found.status}: {len(found.failing)} tests fail that have to pass"
            )

    def _graded(self, patch: str) -> Grade:
        one = self._instance
        ran = self._runner.suite(self._tree, [patch, one.test_patch])
        return grade(ran, one.FAIL_TO_PASS, one.PASS_TO_PASS)

    def _tests(self, gold: Any, content: Any, consumed: _Consumed) -> Iterator[str]:
        scope = contents.text(gold, "scope")
        if contents.text(content, "scope") != scope:
            yield f"its scope is not {scope}"
        about = contents.text(content, "patch_sha256")
        given = [one for one in consumed if one.semantic_type == contents.CANDIDATE]
        patches = [contents.text(one.content, "patch") for one in given]
        patch = next((each for each in patches if contents.patch_hash(each) == about), None)
        if patch is None:
            yield "it is about no patch that was handed over"
            return
        if content.get("passed") is not True:
            yield "it does not say that everything passed"
        yield from self._own_run(patch, content, whole=scope != "focused")
        yield from self._reproduced(patch, content, consumed)
        yield from self._patch_problems(patch, ())

    def _own_run(self, patch: str, content: Any, *, whole: bool) -> Iterator[str]:
        own = statuses(self._runner.suite(self._tree, [patch]))
        tests = contents.tests(content)
        yield from status_problems(tests, own, whole=whole)
        if tests and not all(each in contents.GOOD for each in tests.values()):
            yield "a test fails"

    def _reproduced(self, patch: str, content: Any, consumed: _Consumed) -> Iterator[str]:
        """Yield whether what it says of the script is what the script does with the patch."""
        given = [one for one in consumed if one.semantic_type == contents.REPRODUCTION]
        scripts = [contents.text(one.content, "script") for one in given]
        for each in scripts:
            if outcome_of(self._runner.script(self._tree, [], each)) != "fails":
                yield "a script that was handed over does not fail without the patch"
            if outcome_of(self._runner.script(self._tree, [patch], each)) != "passes":
                yield "a script that was handed over does not pass with the patch"
        if contents.text(content, "reproduction") != ("passes" if scripts else ""):
            yield "what it says of the script is not what it does"

    def _release(self, gold: Any, content: Any, consumed: _Consumed) -> Iterator[str]:
        patch, where = contents.text(content, "patch"), version_file(self._tree)
        if contents.text(content, "issue") != self._instance.instance_id:
            yield "it is for another issue"
        yield from tested_problems(content, contents.text(content, "candidate_sha256"), consumed)
        files = self._runner.patched(self._tree, patch, [where, CHANGELOG])
        before, after = version_of(self._tree.text(where)), version_of(files.get(where) or "")
        if before is None or after is None or after <= before:
            yield "the version is not raised"
        elif contents.text(content, "version") != ".".join(map(str, after)):
            yield "it names another version than the module does"
        line = contents.text(content, "changelog").strip()
        added = [each for one in changes(patch) if one.path == CHANGELOG for each in one.added]
        if not line or self._instance.instance_id not in line or line not in map(str.strip, added):
            yield "no new line of the changelog names the issue"
        yield from self._patch_problems(patch, (where, CHANGELOG))

    def _verification(self, gold: Any, content: Any, consumed: _Consumed) -> Iterator[str]:
        about = contents.text(content, "patch_sha256")
        given = [one.content for one in consumed if one.semantic_type == contents.RELEASE]
        found = [one for one in given if contents.patch_hash(contents.text(one, "patch")) == about]
        if not found:
            yield "it is about no release that was handed over"
            return
        candidate = contents.text(found[0], "candidate_sha256")
        yield from tested_problems(content, candidate, consumed)
        if contents.text(content, "version") != contents.text(found[0], "version"):
            yield "it names another version than the release"
        if contents.text(content, "verdict") != "resolved":
            yield "its verdict is not the one of our own run"
        patch = contents.text(found[0], "patch")
        yield from self._own_run(patch, content, whole=True)
        yield from self._patch_problems(patch, (version_file(self._tree), CHANGELOG))


def _handoff_problems(oracle: Oracle, consumed: _Consumed) -> Iterator[str]:
    if oracle.secret.get("inputs") and not consumed:
        yield "it rests on nothing that was handed over"
    if not all(artifact.intact for artifact in consumed):
        yield "an artifact that it rests on is not what its hash was taken of"
