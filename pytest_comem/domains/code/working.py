"""The offline worker: a little generate-and-validate repair tool, naive about what it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from pytest_comem.domains.choosing import chosen
from pytest_comem.domains.code import contents, locating, tools
from pytest_comem.domains.code.contents import CANDIDATE, LOCALIZATION, PLAN, RELEASE
from pytest_comem.domains.code.grading import statuses
from pytest_comem.domains.code.issues import read_issue
from pytest_comem.domains.code.repairing import released, repaired
from pytest_comem.domains.code.running import Ran, Runner, Tree
from pytest_comem.domains.code.scripts import last_line, outcome_of, script_of
from pytest_comem.domains.code.sources import Assignment
from pytest_comem.executors.domain import Shown, Work
from pytest_comem.records.canonical import texts_of
from pytest_comem.workflows.artifacts import Artifact

_Inputs = Sequence[Artifact]
_Actions = list[Mapping[str, Any]]
_Content = dict[str, Any]


@final
class OfflineWorker:
    """Does the nodes of this domain on a checkout of the base commit.

    :param tree: of that commit.
    """

    def __init__(self, runner: Runner, tree: Tree, assignment: Assignment) -> None:
        self._runner = runner
        self._tree = tree
        self._about = assignment
        self._ways: Mapping[Any, Callable[[Shown, _Inputs, _Actions], _Content]] = {
            "analyse": self._analyse,
            "reproduce": self._reproduce,
            "baseline": self._baseline,
            "localize": self._localize,
            "plan": self._plan,
            "implement": self._implement,
            "test": self._test,
            "release": self._release,
            "verify": self._verify,
        }

    def work(self, shown: Shown) -> Work:
        """Return what a node makes of what the worker chooses to rest on."""
        action = shown.view.task.parameters.get("action")
        way = self._ways.get(action) if isinstance(action, str) else None
        inputs, actions = chosen(shown), list[Mapping[str, Any]]()
        content: _Content = {"base_commit": self._about.base_commit}
        if way is not None:
            content |= way(shown, inputs, actions)
        read = [shown.view.task.instruction, *(t for one in inputs for t in texts_of(one.content))]
        count = sum(len(text.split()) for text in [*read, *texts_of(content)])
        sent_back = [one.artifact_id for one in _sent_back(shown)]
        return Work(
            content,
            tuple(dict.fromkeys([*(one.artifact_id for one in inputs), *sent_back])),
            tuple(actions),
            {"execution": count},
        )

    def _analyse(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> _Content:
        actions.append({"action": tools.ISSUE})
        issue = read_issue("\n".join(one.text for one in shown.view.authorized_context))
        return {
            "issue": self._about.issue,
            "title": issue.title,
            "entry_points": list(issue.entry_points),
            "steps": [{"code": one.code, "expected": one.expected} for one in issue.steps],
            "actual": issue.actual,
        }

    def _reproduce(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> _Content:
        steps = [step for one in inputs for step in contents.steps(one.content)]
        script = script_of(steps)
        ran = self._script(shown, script, "", actions)
        return {
            "entry_points": [
                n for one in inputs for n in contents.texts(one.content, "entry_points")
            ],
            "script": script,
            "outcome": outcome_of(ran) if ran else "",
            "error": last_line(ran) if ran else "",
        }

    def _baseline(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> _Content:
        return {"tests": self._suite(shown, "", (), actions)}

    def _localize(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> _Content:
        method = shown.view.task.parameters.get("method")
        if method == "words":
            points = [n for one in inputs for n in contents.texts(one.content, "entry_points")]
            title = " ".join(contents.text(one.content, "title") for one in inputs)
            code = [step[0] for one in inputs for step in contents.steps(one.content)]
            code += [contents.text(one.content, "script") for one in inputs]
            actions.append({"action": tools.SEARCH, "words": points[:20]})
            found = locating.by_words(self._tree, points, title, code)
        elif shown.view.capability_token.allows_tool(tools.PYTHON):
            actions.append({"action": tools.PYTHON, "program": "spectrum"})
            found = locating.by_spectrum(
                self._runner, self._tree, _scripts(inputs), _passing(inputs)
            )
        else:
            found = []
        return {"method": str(method), "candidates": found}

    def _plan(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> _Content:
        best = _most_suspicious([one for one in inputs if one.semantic_type == LOCALIZATION])
        path = contents.text(best, "file")
        start, end = contents.number(best, "start"), contents.number(best, "end")
        actions.append({"action": tools.READ, "path": path[:300]})
        return {
            "file": path,
            "function": contents.text(best, "function"),
            "start": start,
            "end": end,
            "lines": [each for each in contents.items(best, "lines") if type(each) is int],
            "change": "modify",
            "hypotheses": locating.hypotheses(self._tree.text(path), start, end),
        }

    def _implement(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> _Content:
        plans = [one.content for one in inputs if one.semantic_type == PLAN]
        found = None
        if plans and shown.view.capability_token.allows_tool(tools.PYTHON):
            actions.append({"action": tools.PYTHON, "program": "repair"})
            script, tests = _scripts(inputs), _passing(inputs)
            refused = {contents.text(one.content, "patch_sha256") for one in _sent_back(shown)}
            found = repaired(self._runner, self._tree, plans[0], script, tests, refused)
        patch = found.patch if found else ""
        return {
            "patch": patch,
            "patch_sha256": contents.patch_hash(patch),
            "operator": found.operator if found else "",
            "tried": found.tried if found else 0,
        }

    def _test(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> _Content:
        scope, patch = shown.view.task.parameters.get("scope"), _patch(inputs)
        files = locating.near_tests(self._tree, patch) if scope == "focused" else ()
        tests = self._suite(shown, patch, files, actions)
        script = _scripts(inputs)
        ran = self._script(shown, script, patch, actions) if script else None
        reproduction = outcome_of(ran) if ran else ""
        good = bool(tests) and all(each in contents.GOOD for each in tests.values())
        return {
            "scope": str(scope),
            "patch_sha256": contents.patch_hash(patch),
            "tests": tests,
            "reproduction": reproduction,
            "passed": good and reproduction in ("passes", ""),
        }

    def _release(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> _Content:
        patch = _patch(inputs)
        title = str(shown.view.task.parameters.get("title"))
        actions.append({"action": tools.WRITE, "path": "CHANGELOG.md"})
        made = released(self._runner, self._tree, patch, self._about.issue, title)
        return {
            "issue": self._about.issue,
            "patch": made.patch,
            "candidate_sha256": contents.patch_hash(patch),
            "tested_sha256": _tested(inputs),
            "version": made.version,
            "changelog": made.line,
        }

    def _verify(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> _Content:
        patch = _patch([one for one in inputs if one.semantic_type == RELEASE])
        tests = self._suite(shown, patch, (), actions)
        script = _scripts(inputs)
        ran = self._script(shown, script, patch, actions) if script else None
        good = bool(tests) and all(each in contents.GOOD for each in tests.values())
        good = good and (ran is None or outcome_of(ran) == "passes")
        return {
            "patch_sha256": contents.patch_hash(patch),
            "tested_sha256": _tested(inputs),
            "tests": tests,
            "version": _first(inputs, "version"),
            "verdict": "resolved" if good else "unresolved",
        }

    def _suite(
        self, shown: Shown, patch: str, files: Sequence[str], actions: _Actions
    ) -> dict[str, str]:
        if not shown.view.capability_token.allows_tool(tools.TESTS):
            return {}
        actions.append({"action": tools.TESTS, "files": list(files)})
        return statuses(self._runner.suite(self._tree, [patch] if patch else [], files))

    def _script(self, shown: Shown, script: str, patch: str, actions: _Actions) -> Ran | None:
        if not shown.view.capability_token.allows_tool(tools.PYTHON):
            return None
        actions.append({"action": tools.PYTHON, "program": "script"})
        return self._runner.script(self._tree, [patch] if patch else [], script)


def _sent_back(shown: Shown) -> list[Artifact]:
    """Return the failed receipts that sent control back to this node."""
    came = [each.artifact for each in shown.view.incoming_artifacts]
    wanted = {slot.source for slot in shown.view.handoff_contract}
    return [
        one
        for one in came
        if one.semantic_type == contents.TESTS and one.producer.node_id not in wanted
    ]


def _first(inputs: _Inputs, field: str) -> str:
    """Return the first such text of the inputs, or nothing."""
    return next((text for one in inputs if (text := contents.text(one.content, field))), "")


def _scripts(inputs: _Inputs) -> str:
    """Return the scripts of all reproductions, one after the other, each once."""
    found = dict.fromkeys(contents.text(one.content, "script") for one in inputs)
    return "\n\n".join(script for script in found if script)


def _patch(inputs: _Inputs) -> str:
    kinds = (CANDIDATE, RELEASE)
    return _first([one for one in inputs if one.semantic_type in kinds], "patch")


def _tested(inputs: _Inputs) -> list[str]:
    """Return the hashes of the patches that the receipts among the inputs are about."""
    receipts = [one for one in inputs if one.semantic_type == contents.TESTS]
    found = [contents.text(one.content, "patch_sha256") for one in receipts]
    return sorted(set(found))


def _passing(inputs: _Inputs) -> list[str]:
    """Return the tests that passed before anything was changed."""
    receipts = [one for one in inputs if one.semantic_type == contents.BASELINE]
    tests = contents.tests(receipts[0].content) if receipts else None
    named = [name for name, status in (tests or {}).items() if status == "PASSED"]
    # What is no node id could be an option of pytest.
    return [name for name in named if "::" in name and not name.startswith(("-", "@"))]


def _most_suspicious(localizations: _Inputs) -> Any:
    """Return the function that ranks best over all localizations, with lines where one has them."""
    ranks: dict[tuple[str, str], float] = {}
    known: dict[tuple[str, str], Any] = {}
    for one in localizations:
        for place, each in enumerate(contents.items(one.content, "candidates")):
            name = (contents.text(each, "file"), contents.text(each, "function"))
            ranks[name] = ranks.get(name, 0.0) + 1 / (1 + place)
            if name not in known or not contents.items(known[name], "lines"):
                known[name] = each
    if not ranks:
        return {}
    return known[max(ranks, key=lambda name: ranks[name])]
