"""One step of a baseline as one line: its result, its labels, and a token for each repeat.

A line reads ``["fail", "privacy", "family_overreach", "refuse", "access_leak 010-"]``: the result,
the labels' values, and of each repeat the class of its failure (or ``pass`` or ``unscored``) with
its measures, a character each: 1 true, 0 false, - not applicable. With repeats the result is
``3/5``, the passes of the scored ones, and a repeat that was never recorded is ``null``. A measure
that is a number stands as ``#``, and the token is a list that goes on with the numbers:
``["pass 1#-#", 0.25, 3]``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, final

from pytest_comem.core.outcomes import Attribution, Failure, Outcome, Verdict
from pytest_comem.metrics.suites import SuiteMetrics

#: A measure of one step.
Measure: TypeAlias = bool | float | None

PASS: Final = "pass"
FAIL: Final = "fail"
UNSCORED: Final = "unscored"
_NUMBER: Final = "#"
_LETTERS: Final[Mapping[bool | None, str]] = {True: "1", False: "0", None: "-"}
_MEANING: Final = {letter: value for value, letter in _LETTERS.items()}


@final
@dataclass(frozen=True, slots=True)
class Columns:
    """What the values of a row's lines are values of.

    :param labels: names of the labels.
    :param measures: names of the measures.
    """

    labels: tuple[str, ...]
    measures: tuple[str, ...]

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], besides: Collection[str] = ()) -> Columns:
        """Return the names that *outcomes* have, in their own order.

        :param besides: labels that stand elsewhere.
        """
        labels = (name for outcome in outcomes for name in outcome.labels if name not in besides)
        measures = (
            name for outcome in outcomes if outcome.verdict for name in outcome.verdict.measures
        )
        return cls(tuple(dict.fromkeys(labels)), tuple(dict.fromkeys(measures)))


def encode(repeats: Sequence[Outcome | None], columns: Columns, metrics: SuiteMetrics) -> list[Any]:
    """Return the line of one step.

    :param repeats: its outcomes by number of the repeat; ``None`` where one is missing, never all.
    """
    known = [outcome for outcome in repeats if outcome is not None]
    scored = [outcome for outcome in known if outcome.verdict is not None]
    if len(repeats) > 1:
        result = f"{sum(outcome.passed for outcome in scored)}/{len(scored)}"
    else:
        result = (PASS if scored[0].passed else FAIL) if scored else UNSCORED
    labels = [known[0].labels.get(name, "") for name in columns.labels]
    tokens = [outcome and _token(outcome, columns, metrics) for outcome in repeats]
    return [result, *labels, *tokens]


def decode(line: Sequence[Any], columns: Columns, like: Outcome) -> list[Outcome | None]:
    """Return the outcomes of one step by number of the repeat, as far as a line tells.

    :param like: an outcome whose step, system, judge and so on they have, and labels beside theirs.
    :raises KeyError, TypeError, ValueError: where the line is not of this form.
    """
    labels = line[1 : 1 + len(columns.labels)]
    tokens = line[1 + len(columns.labels) :]
    if not all(isinstance(label, str) for label in labels) or not tokens:
        raise ValueError(f"not a step's line: {line!r:.200}")
    own = dict(zip(columns.labels, labels, strict=True))
    common = replace(like, labels={**like.labels, **own})
    return [None if token is None else _outcome(token, columns, common) for token in tokens]


def _token(outcome: Outcome, columns: Columns, metrics: SuiteMetrics) -> str | list[Any]:
    if outcome.verdict is None:
        return UNSCORED
    word = PASS if outcome.passed else metrics.failure_class(outcome) or FAIL
    values = [outcome.verdict.measures.get(name) for name in columns.measures]
    numbers = [value for value in values if value is not None and not isinstance(value, bool)]
    text = f"{word} {''.join(map(_letter, values))}".rstrip()
    return (
        [text, *(int(one) if float(one).is_integer() else one for one in numbers)]
        if numbers
        else text
    )


def _letter(value: Measure) -> str:
    return _LETTERS[value] if value is None or isinstance(value, bool) else _NUMBER


def _outcome(token: Any, columns: Columns, like: Outcome) -> Outcome:
    """Return the outcome of a token; its failure's type is the class."""
    if token == UNSCORED:
        reason = Failure(Attribution.INFRASTRUCTURE, UNSCORED, "unscored in the baseline")
        return replace(like, verdict=None, failure=reason)
    text, numbers = (token, []) if isinstance(token, str) else (token[0], list(token[1:]))
    if not isinstance(text, str) or not all(isinstance(one, float | int) for one in numbers):
        raise TypeError(f"not a result: {token!r:.200}")
    word, _, letters = text.partition(" ")
    if letters.count(_NUMBER) != len(numbers):
        raise ValueError(f"as many numbers as {_NUMBER} are expected: {token!r:.200}")
    remaining = iter(numbers)
    values: list[Measure] = [
        float(next(remaining)) if letter == _NUMBER else _MEANING[letter] for letter in letters
    ]
    measures = dict(zip(columns.measures, values, strict=True))
    failure = None if word == PASS else Failure(Attribution.METHOD, word, "")
    return replace(like, verdict=Verdict(word == PASS, "", measures), failure=failure)
