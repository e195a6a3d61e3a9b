"""Recall and its use rated by a judge model (ContextWeave, "Diagnostics"), each 1 to 5."""

from __future__ import annotations

from typing import Final, final

from pytest_comem.llm.meter import Meter
from pytest_comem.llm.prompts import Prompt
from pytest_comem.llm.structured import UnreadableReply
from pytest_comem.llm.whole_reply import whole_object
from pytest_comem.office.base import Hidden, Ratings, Run, Shown
from pytest_comem.office.model_judging import OfficeJudge, reason_of, schema_of
from pytest_comem.office.model_material import (
    SHOWING,
    calls_text,
    changes_text,
    task_text,
    texts_block,
    unmet_text,
)

LOWEST: Final = 1
HIGHEST: Final = 5
_NAMES: Final = ("relevance", "familiarity", "robustness")
RATINGS_SCHEMA: Final = schema_of(
    **{name: {"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))} for name in _NAMES}
)


@final
class ModelRater:
    """Rates by a judge model; see :class:`pytest_comem.office.base.Rater`."""

    def __init__(self, judge: OfficeJudge) -> None:
        self._judge = judge
        self._prompt = Prompt.load("pytest_comem.office", "office_ratings")
        self.version: Final = judge.version_of(self._prompt.version, RATINGS_SCHEMA, SHOWING)
        self.name: Final = f"{judge.name}@{self.version}"

    def rate(
        self, shown: Shown, hidden: Hidden, with_recall: Run, without: Run, meter: Meter
    ) -> Ratings:
        """Rate one task.

        :raises InfrastructureError: of type ``judge`` where the model gives no readable ratings.
        """
        relevant = [text for one in hidden.relevance.relevant for text in one.snippets]
        return self._judge.ask(
            self._prompt,
            {
                "task": task_text(shown.task),
                "recalled": texts_block("recalled", shown.passages),
                "relevant": texts_block("relevant", relevant),
                **_side("with", hidden, with_recall),
                **_side("without", hidden, without),
            },
            RATINGS_SCHEMA,
            read_ratings,
            meter,
        )


def read_ratings(text: str) -> Ratings:
    """Return the ratings that a reply gives.

    :raises UnreadableReply: where one is no whole number from 1 to 5.
    """
    members = whole_object(text)
    reason_of(members)
    found: dict[str, float] = {}
    for name in _NAMES:
        value = members.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise UnreadableReply(f"{name} has to be a whole number")
        if not LOWEST <= value <= HIGHEST:
            raise UnreadableReply(f"{name} has to be from {LOWEST} to {HIGHEST}")
        found[name] = float(value)
    return Ratings(**found)


def _side(name: str, hidden: Hidden, run: Run) -> dict[str, str]:
    rubric = hidden.rubric
    return {
        f"calls_{name}": calls_text("calls", run.trajectory.calls),
        f"changes_{name}": changes_text("changes", run.changes),
        f"unmet_{name}": unmet_text(rubric.checks, rubric.preferences, run.grade),
    }
