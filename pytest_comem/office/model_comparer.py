"""Which of two runs of a task did better, by a judge model: blind, sides drawn, never a tie."""

from __future__ import annotations

from typing import Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.prompts import Prompt
from pytest_comem.llm.structured import UnreadableReply
from pytest_comem.llm.whole_reply import whole_object
from pytest_comem.office.base import Hidden, Run
from pytest_comem.office.grading import applicable
from pytest_comem.office.model_judging import OfficeJudge, reason_of, schema_of
from pytest_comem.office.model_material import (
    SHOWING,
    calls_text,
    changes_text,
    items_text,
    task_text,
)
from pytest_comem.streams.schema import Task

PAIR_SCHEMA: Final = schema_of(better={"type": "string", "enum": ["A", "B"]})


@final
class ModelComparer:
    """Compares by a judge model; see :class:`pytest_comem.office.base.Comparer`.

    The judge is shown the calls and changes of both runs, never scores, replies or recalled texts.
    Two runs that look the same are not shown: a coin decides, drawn as sides are.

    :param seed: of sides and coins.
    """

    def __init__(self, judge: OfficeJudge, seed: int) -> None:
        self._judge = judge
        self._seed = seed
        self._prompt = Prompt.load("pytest_comem.office", "office_pairwise")
        self.version: Final = judge.version_of(self._prompt.version, PAIR_SCHEMA, SHOWING, seed)
        self.name: Final = f"{judge.name}@{self.version}"

    def with_recall_wins(
        self, task: Task, hidden: Hidden, with_recall: Run, without: Run, meter: Meter
    ) -> bool:
        """Return whether the run with recall is preferred.

        :raises InfrastructureError: of type ``judge`` where the model gives no readable verdict.
        """
        with_is_a = _drawn(self._seed, task)
        a, b = (with_recall, without) if with_is_a else (without, with_recall)
        shown = [_shown(one) for one in (a, b)]
        if shown[0] == shown[1]:
            return with_is_a
        (calls_a, changes_a), (calls_b, changes_b) = shown
        items = [
            item
            for item in hidden.rubric.preferences
            if applicable(item, hidden.before, hidden.reference)
        ]
        a_wins = self._judge.ask(
            self._prompt,
            {
                "task": task_text(task),
                "items": items_text(items),
                "calls_a": calls_a,
                "changes_a": changes_a,
                "calls_b": calls_b,
                "changes_b": changes_b,
            },
            PAIR_SCHEMA,
            read_better,
            meter,
        )
        return a_wins == with_is_a


def read_better(text: str) -> bool:
    """Return whether a reply says that A did better.

    :raises UnreadableReply: where it says neither A nor B.
    """
    members = whole_object(text)
    better = members.get("better")
    if better not in ("A", "B"):
        raise UnreadableReply('better has to be "A" or "B"; there is no tie')
    reason_of(members)
    return bool(better == "A")


def _shown(run: Run) -> tuple[str, str]:
    return calls_text("calls", run.trajectory.calls), changes_text("changes", run.changes)


def _drawn(seed: int, task: Task) -> bool:
    # Ids of tasks are unique within a stream; what is asked tells streams apart.
    digits = stable_hash(["side", seed, task.task_id, task.instruction])
    return bool(int(digits[:8], 16) & 1)
