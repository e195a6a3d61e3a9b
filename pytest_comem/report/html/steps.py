"""The index of steps: what the list shows and filters by, a column a property."""

from __future__ import annotations

from typing import Any, Final, final

from pytest_comem.core.outcomes import Outcome, Usage, plus
from pytest_comem.report.html.table import Table, head_of, plain

PASSED, FAILED, UNSCORED, ABSENT = 0, 1, 2, -1
#: Labels that say what is hidden of a step, or no kind of step: no filter goes by them.
_HIDDEN: Final = frozenset({"expected_action", "domain", "instance", "required", "required_nodes"})


@final
class Words:
    """Words by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, word: str | None) -> int:
        """Return the number of *word*; -1 for none."""
        return -1 if word is None else self._numbers.setdefault(word, len(self._numbers))

    @property
    def all(self) -> list[str]:
        """Every word, by its number."""
        return list(self._numbers)


def index_of_steps(table: Table) -> dict[str, Any]:
    """Return steps and cases as columns."""
    words = Words()
    return {
        "episodes": [
            {"suite": suite, "domain": domain, "id": name}
            for _, suite, domain, name in table.episodes
        ],
        "steps": _steps(table, words),
        "cases": {
            "step": [case.step for case in table.cases],
            "row": [case.row for case in table.cases],
            "runs": [_results(table, run, words) for run in range(len(table.runs))],
        },
        "words": words.all,
    }


def _steps(table: Table, words: Words) -> dict[str, Any]:
    outcomes = list(table.steps.values())
    names = dict.fromkeys(name for each in outcomes for name in each.labels)
    return {
        "episode": [table.episodes[step[:4]] for step in table.steps],
        "id": [each.step.id for each in outcomes],
        "tail": [each.step.label[len(head_of(each)) + 1 :] for each in outcomes],
        "position": [each.step.position for each in outcomes],
        "repeat": [-1 if each.step.repeat is None else each.step.repeat for each in outcomes],
        "question": [str(each.query.get("text", "")) for each in outcomes],
        "requester": [words.number(each.query.get("requester")) for each in outcomes],
        "role": [words.number(each.query.get("role")) for each in outcomes],
        "labels": {
            name: [words.number(each.labels.get(name, "")) for each in outcomes] for name in names
        },
        "shown": [name for name in names if name not in _HIDDEN],
    }


def _results(table: Table, run: int, words: Words) -> dict[str, list[Any]]:
    found = [case.outcomes.get(run) for case in table.cases]
    return {
        "result": [result_of(each) for each in found],
        "kind": [words.number(each and failure_of(table, each)) for each in found],
        "action": [words.number(each and each.reply and str(each.reply.action)) for each in found],
        "tokens": [each and total(each).tokens for each in found],
    }


def result_of(outcome: Outcome | None) -> int:
    """Return a result's number."""
    if outcome is None:
        return ABSENT
    if outcome.verdict is None:
        return UNSCORED
    return PASSED if outcome.passed else FAILED


def failure_of(table: Table, outcome: Outcome) -> str | None:
    """Return in which way a step failed, or why it is unscored; ``None`` where it passed."""
    if outcome.verdict is None:
        failure = outcome.failure
        return f"{failure.attribution}/{failure.type}" if failure else "unknown"
    metrics = table.metrics(outcome.step.suite)
    if outcome.passed:
        return None
    return (metrics.failure_class(outcome) if metrics else None) or "failed"


def total(outcome: Outcome) -> Usage:
    """Return what all phases of a step took."""
    found = Usage()
    for usage in outcome.usage.values():
        found = plus(found, usage)
    return found


def usage_row(phase: str, usage: Usage) -> list[Any]:
    """Return what a phase took, in the form the page reads."""
    cost = None if usage.cost is None else round(usage.cost, 10)
    return [phase, plain(usage.seconds), usage.tokens, cost, usage.calls, usage.retries]
