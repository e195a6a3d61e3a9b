"""Why recall helped or not, decided without a model (ContextWeave, "Diagnostics").

Relevance holds what was recalled against the snippets that would help, continuity counts what calls
were for, solvability asks which open problems recalled passages would have solved, and
hallucination robustness which problems they made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from pytest_comem.office.base import Call, Followed, Found, Grade
from pytest_comem.office.operations import CallClass
from pytest_comem.streams.hidden import Level, Rubric

#: Cosine from which a passage and a snippet count as the same thing (paper).
THRESHOLD: Final = 0.65

#: Texts to vectors, one each.
Embed: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[float]]]


@final
@dataclass(frozen=True, slots=True)
class Similarity:
    """How near recalled passages come to the snippets that would help; shares are 0 to 1.

    :param mean: over snippets, of the largest cosine to a passage; ``None`` without either.
    :param precision: share of passages that are near some snippet; ``None`` without either.
    :param recall: share of snippets that some passage is near; 0 where nothing was recalled, and
        ``None`` where there are no snippets.
    """

    mean: float | None
    precision: float | None
    recall: float | None


def similarity(passages: Sequence[str], snippets: Sequence[str], embed: Embed) -> Similarity:
    """Return how near passages come to snippets; each text is embedded once.

    :raises InfrastructureError: as *embed* does.
    """
    if not snippets:
        return Similarity(None, None, None)
    if not passages:
        return Similarity(None, None, 0.0)
    texts = list(dict.fromkeys((*passages, *snippets)))
    vectors = dict(zip(texts, map(_unit, embed(texts)), strict=True))
    cosines = [[_dot(vectors[one], vectors[other]) for other in snippets] for one in passages]
    best = [max(row[place] for row in cosines) for place in range(len(snippets))]
    return Similarity(
        mean=math.fsum(best) / len(best),
        precision=sum(max(row) >= THRESHOLD for row in cosines) / len(passages),
        recall=sum(one >= THRESHOLD for one in best) / len(best),
    )


def continuity(calls: Sequence[Call]) -> dict[CallClass, int]:
    """Return how many calls were for what; every class has a count."""
    return {kind: sum(call.call_class is kind for call in calls) for kind in CallClass}


@final
@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a task's run left unsolved.

    :param name: of the check or preference item.
    :param slots: what a solver has to know.
    """

    name: str
    slots: tuple[str, ...]

    def is_solvable(self, rubric: Rubric, known: Mapping[str, Sequence[str]]) -> bool:
        """Return whether recalled passages would solve it.

        They do where they offer the right value of each slot that it depends on, among others
        perhaps. A problem that depends on no slot is none of memory's.

        :param known: values offered, by slot.
        """
        return bool(self.slots) and all(
            slot in rubric.choices and rubric.choices[slot] in known.get(slot, ())
            for slot in self.slots
        )


def open_problems(grade: Grade, rubric: Rubric) -> list[Problem]:
    """Return the failed checks up to the reference's level, and the failed preference items.

    Improvements on the reference are no problems when they are missing, nor is what was not
    decided.
    """
    checks = [
        Problem(check.check_id, check.slots)
        for check in rubric.checks
        if check.level is not Level.BETTER and _failed(grade.checks, check.check_id)
    ]
    return checks + [
        Problem(item.item_id, item.test.slots if item.test else ())
        for item in rubric.preferences
        if _failed(grade.items, item.item_id)
    ]


def memory_induced(
    with_recall: Grade, without: Grade, followed: Sequence[Followed], rubric: Rubric
) -> bool:
    """Return whether misleading recall caused or worsened a problem.

    It did where the agent followed recall to a wrong value of a slot, and something that depends
    on this slot passes without recall and fails with it; or, where nothing of the kind names a
    slot, where the Workspace Score is lower with recall.
    """
    wrong = {
        one.slot
        for one in followed
        if one.slot in rubric.choices and one.value != rubric.choices[one.slot]
    }
    if not wrong:
        return False
    checks = _worse(with_recall.checks, without.checks)
    items = _worse(with_recall.items, without.items)
    depends = [check.slots for check in rubric.checks if check.check_id in checks] + [
        item.test.slots if item.test else () for item in rubric.preferences if item.item_id in items
    ]
    if any(wrong & set(slots) for slots in depends):
        return True
    unnamed = not depends or not all(depends)
    return unnamed and with_recall.workspace < without.workspace


def _failed(found: Mapping[str, Found], name: str) -> bool:
    return name in found and found[name].passed is False


def _worse(found: Mapping[str, Found], before: Mapping[str, Found]) -> set[str]:
    """Return what passed before and now fails."""
    return {name for name, one in before.items() if one.passed and _failed(found, name)}


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(math.fsum(part * part for part in vector))
    return [part / length for part in vector] if length > 0 else [0.0] * len(vector)


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(left * right for left, right in zip(one, other, strict=True))
