"""An outcome written as a line and read back."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.core.outcomes import (
    Attribution,
    Failure,
    Outcome,
    SystemInfo,
    Usage,
    Verdict,
)
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.core.replies import Action, Reply
from pytest_comem.core.steps import Step
from pytest_comem.engine.records import (
    OUTCOMES,
    from_record,
    read_outcomes,
    read_records,
    to_line,
    to_record,
)
from pytest_comem.errors import DataError

#: Every field has a value of its own, so that none can stand in for another.
SCORED = Outcome(
    key="k",
    step=Step("gatemem", "mine", "medical", "episode", "step", 3, "label", 2),
    data="tiny",
    system=SystemInfo("mine", "1.2", "c0ffee", reference=True, top_k=7),
    model="offline",
    judge="rules-1",
    scoring="paper",
    labels={"category": "utility", "attack_type": ""},
    query={"text": "Where?", "requester": "p", "role": "nurse"},
    reply=Reply(Action.ANSWER, "Here.", {"a": [1, None, "x"]}),
    recall=Recall((RecallItem("Here it is.", 0.25, ("t1", "t2")), RecallItem(""))),
    verdict=Verdict(True, "because", {"utility": 0.5, "leak": False, "none": None}, {"hits": [1]}),
    usage={
        "recall": Usage(0.125, 7),
        "answer": Usage(2.5, 0, None, 4, 5),
        "judge": Usage(cost=0.5),
    },
)
#: Fields that lines of older versions do not have.
LATER = {"model_label", "repeat"}
UNSCORED = replace(SCORED, reply=None, recall=None, verdict=None, usage={})
AWKWARD = (
    "",
    "two\nlines\r\n",
    "\u2028\u2029\x85\x0b",
    '"quoted" \\ \\n',
    "\x00\x1f\x7f",
    "é 漢 😀",
    "lone \ud800, \udfff and \\\udcff",
)


def written(outcomes: Iterable[Outcome], run: Path) -> Path:
    """Write a run directory of nothing but outcomes."""
    run.mkdir(exist_ok=True)
    lines = "".join(to_line(to_record(outcome)) for outcome in outcomes)
    (run / OUTCOMES).write_bytes(lines.encode())
    return run


def again(outcome: Outcome, run: Path) -> Outcome:
    """Return *outcome* after it was on disk."""
    (found,) = read_outcomes(written([outcome], run))
    return found


def test_a_scored_outcome_comes_back_equal(tmp_path: Path) -> None:
    """Every field is written and put back where it was."""
    assert again(SCORED, tmp_path) == SCORED


def test_a_line_of_an_older_version_is_read(tmp_path: Path) -> None:
    """Without models beside each other, repeats, calls and prices, there were none of them."""
    record = to_record(replace(SCORED, usage={"recall": Usage(0.125, 7)}))
    for name in LATER:
        del record[name]
    for name in ("cost", "calls", "retries"):
        del record["usage"]["recall"][name]
    (tmp_path / OUTCOMES).write_text(to_line(record))
    (found,) = read_outcomes(tmp_path)
    step = replace(SCORED.step, model="", repeat=None)
    assert found == replace(SCORED, step=step, usage={"recall": Usage(0.125, 7, 0.0, 0, 0)})
    assert found.repeat == 0


def test_a_notice_comes_back_and_leaves_no_trace_where_there_is_none(tmp_path: Path) -> None:
    """Lines of outcomes without one are what they were before there were notices."""
    noticed = replace(SCORED, notice="it was quiet")
    assert again(noticed, tmp_path) == noticed
    assert "notice" not in to_record(SCORED)


def test_a_repeat_is_not_a_run_without_repeats(tmp_path: Path) -> None:
    """The first of several repeats keeps its place in the label, so that it is found again."""
    for repeat in (None, 0, 1):
        outcome = replace(SCORED, step=replace(SCORED.step, repeat=repeat))
        assert again(outcome, tmp_path).step.label == outcome.step.label


def test_an_unknown_cost_stays_unknown(tmp_path: Path) -> None:
    """It is null in the line, neither 0 nor absent."""
    assert to_record(SCORED)["usage"]["answer"]["cost"] is None
    assert again(SCORED, tmp_path).usage["answer"].cost is None


def test_an_unreadable_answer_has_a_verdict_and_a_failure(tmp_path: Path) -> None:
    """A method's failure comes back with both."""
    outcome = replace(SCORED, failure=Failure(Attribution.METHOD, "unparsable", "no action"))
    assert again(outcome, tmp_path) == outcome


@pytest.mark.parametrize("attribution", list(Attribution))
def test_a_failure_comes_back_equal(attribution: Attribution, tmp_path: Path) -> None:
    """Whose fault it was, which part broke and the message; what never came to be stays absent."""
    outcome = replace(UNSCORED, failure=Failure(attribution, "adapter", "it broke"))
    found = again(outcome, tmp_path)
    assert found == outcome
    assert found.failure is not None
    assert found.failure.attribution is attribution


def test_what_was_kept_back_comes_back_equal(tmp_path: Path) -> None:
    """Each reason with its score and sources, known or not."""
    kept = (
        Withheld(WithheldReason.DELETED, 0.5, ("t1", "t2")),
        Withheld(WithheldReason.UNAUTHORIZED),
    )
    found = again(replace(SCORED, recall=Recall((), kept)), tmp_path)
    assert found.recall == Recall((), kept)
    assert [each.reason for each in found.recall.withheld] == [each.reason for each in kept]


@pytest.mark.parametrize("access", [False, True])
@pytest.mark.parametrize("deletion", [False, True])
def test_what_a_system_enforces_comes_back(access: bool, deletion: bool, tmp_path: Path) -> None:
    """The two claims are not mixed up."""
    recall = Recall(enforced_access=access, enforced_deletion=deletion)
    assert again(replace(SCORED, recall=recall), tmp_path).recall == recall


def test_nothing_recalled_is_not_never_recalled(tmp_path: Path) -> None:
    """An empty recall and an empty reply stay apart from those that never came to be."""
    outcome = replace(SCORED, recall=Recall(), reply=Reply(""))
    found = again(outcome, tmp_path)
    assert (found.recall, found.reply) == (Recall(), Reply(""))


@pytest.mark.parametrize("text", AWKWARD)
def test_any_text_comes_back_equal(text: str, tmp_path: Path) -> None:
    """Line ends, quotes, controls and lone surrogates survive wherever a method can put them."""
    scored = replace(
        SCORED,
        reply=Reply(text, text, {text: [text]}),
        recall=Recall(
            (RecallItem(text, None, (text,)),), (Withheld(WithheldReason.DELETED, 1.0, (text,)),)
        ),
        verdict=Verdict(False, text, {text: None}, {text: text}),
        labels={text: text},
        query={text: text},
    )
    failed = replace(UNSCORED, failure=Failure(Attribution.INFRASTRUCTURE, text, text))
    assert list(read_outcomes(written([scored, failed], tmp_path))) == [scored, failed]


@pytest.mark.parametrize("text", AWKWARD)
def test_a_line_is_one_line_of_utf8(text: str) -> None:
    """Whatever a text holds, its line has one line feed, at the end, and can be encoded."""
    line = to_line({"text": text}).encode()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")


@pytest.mark.parametrize("score", [math.inf, -math.inf, 0.0, -3.5, 1e300, None])
def test_any_score_comes_back_equal(score: float | None, tmp_path: Path) -> None:
    """Scores are the memory's own, whatever their range."""
    recall = Recall((RecallItem("x", score),), (Withheld(WithheldReason.DELETED, score),))
    assert again(replace(SCORED, recall=recall), tmp_path).recall == recall


def test_a_score_that_is_no_number_stays_one(tmp_path: Path) -> None:
    """A memory that divides by zero does not stop the run from being written or read."""
    recall = Recall((RecallItem("x", math.nan),), (Withheld(WithheldReason.DELETED, math.nan),))
    found = again(replace(SCORED, recall=recall), tmp_path).recall
    assert found is not None
    for score in (found.items[0].score, found.withheld[0].score):
        assert score is not None
        assert math.isnan(score)


def test_a_librarys_own_numbers_become_plain_ones(tmp_path: Path) -> None:
    """A score that only converts to a number, as array libraries have them, is written as one."""
    score: Any = Fraction(1, 4)
    recall = Recall((RecallItem("x", score),), (Withheld(WithheldReason.DELETED, score),))
    found = again(replace(SCORED, recall=recall), tmp_path).recall
    assert found is not None
    for plain in (found.items[0].score, found.withheld[0].score):
        assert type(plain) is float
        assert plain == 0.25


def test_equal_runs_differ_in_seconds_only() -> None:
    """Two plays of a step that took different time have records that are equal otherwise."""
    first, second = (
        to_record(replace(SCORED, usage={"recall": Usage(seconds, 7)})) for seconds in (0.5, 0.75)
    )
    assert first != second
    for record in (first, second):
        del record["usage"]["recall"]["seconds"]
    assert first == second


def test_outcomes_are_read_in_file_order(tmp_path: Path) -> None:
    """With the number of each line, and from the file as well as from its directory."""
    outcomes = [replace(SCORED, key=key) for key in ("b", "c", "a")]
    run = written(outcomes, tmp_path)
    assert list(read_outcomes(run)) == outcomes
    assert list(read_outcomes(run / OUTCOMES)) == outcomes
    assert [(line, record["key"]) for line, record in read_records(run)] == [
        (1, "b"),
        (2, "c"),
        (3, "a"),
    ]


@pytest.mark.parametrize("name", ["run", "nowhere"])
def test_a_directory_without_outcomes_is_named(name: str, tmp_path: Path) -> None:
    """Whether or not it exists, the error says which directory holds no run."""
    (tmp_path / "run").mkdir()
    with pytest.raises(DataError, match=OUTCOMES) as caught:
        list(read_outcomes(tmp_path / name))
    assert caught.value.file == str(tmp_path / name)


@pytest.mark.parametrize(
    "bad", [b"", b"{", b'{"key": "k', b'{"key": "\xff"}', b"no", b"[]", b'"key"', b"null", b"{} {}"]
)
def test_a_bad_line_is_named(bad: bytes, tmp_path: Path) -> None:
    """What is no JSON object is an error with file and line; lines before it are read."""
    run = written([SCORED], tmp_path)
    with (run / OUTCOMES).open("ab") as file:
        file.write(bad + b"\n")
    found = read_records(run)
    assert next(found)[0] == 1
    with pytest.raises(DataError) as caught:
        next(found)
    assert (caught.value.file, caught.value.line) == (str(run / OUTCOMES), 2)


def rejected(record: Any, run: Path) -> DataError:
    """Return the error of a run whose second line is *record*."""
    written([SCORED], run)
    with (run / OUTCOMES).open("ab") as file:
        file.write(to_line(record).encode())
    found = read_outcomes(run)
    assert next(found) == SCORED
    with pytest.raises(DataError) as caught:
        next(found)
    return caught.value


@pytest.mark.parametrize("as_file", [False, True])
def test_an_object_that_is_no_outcome_is_named(as_file: bool, tmp_path: Path) -> None:
    """The error names the file, not its directory, and the line."""
    written([SCORED], tmp_path)
    with (tmp_path / OUTCOMES).open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(DataError) as caught:
        list(read_outcomes(tmp_path / OUTCOMES if as_file else tmp_path))
    assert str(caught.value).startswith(f"{tmp_path / OUTCOMES}:2:")


@pytest.mark.parametrize("field", sorted(set(to_record(SCORED)) - {"attempt"} - LATER))
def test_a_missing_field_is_named(field: str, tmp_path: Path) -> None:
    """An outcome without one of its fields is not read as if it had another value."""
    record = to_record(SCORED)
    del record[field]
    assert field in rejected(record, tmp_path).problem


def _set(*path: str | int, to: Any) -> Callable[[Any], None]:
    def change(record: Any) -> None:
        for name in path[:-1]:
            record = record[name]
        record[path[-1]] = to

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("key", to=None),
        _set("domain", to=None),
        _set("position", to="3"),
        _set("system", to="mine"),
        _set("system", "unknown", to=1),
        _set("labels", to=None),
        _set("labels", to=["category"]),
        _set("query", to="Where?"),
        _set("usage", to=[]),
        _set("usage", "recall", to=0.5),
        _set("usage", "recall", "cost", to="free"),
        _set("usage", "recall", "tokens", to=0.5),
        _set("usage", "recall", "calls", to=None),
        _set("usage", "recall", "unknown", to=1),
        _set("repeat", to="1"),
        _set("model_label", to=None),
        _set("notice", to=None),
        _set("reply", to="Here."),
        _set("recall", to=[]),
        _set("recall", "items", to=None),
        _set("recall", "items", 0, "source_ids", to=None),
        _set("recall", "withheld", to=[{"reason": "shy", "score": None, "source_ids": []}]),
        _set("verdict", to=True),
        _set("verdict", "passed", to="false"),
        _set("verdict", "measures", to=None),
        _set("failure", to="broke"),
        _set("failure", to={"attribution": "nobody", "type": "x", "message": "x"}),
    ],
)
def test_a_field_of_another_type_is_named(change: Callable[[Any], None], tmp_path: Path) -> None:
    """A value that the field cannot have is an error with file and line, wherever it stands."""
    record = to_record(SCORED)
    change(record)
    error = rejected(record, tmp_path)
    assert (error.file, error.line) == (str(tmp_path / OUTCOMES), 2)


def test_a_record_read_back_makes_the_same_record() -> None:
    """What travels between processes as a line is written by the controller as it would have been.

    A score is cut to six digits the first time, and to the same six ever after.
    """
    recall = Recall((RecallItem("x", 1 / 3),), (Withheld(WithheldReason.DELETED, 2 / 3),))
    outcome = replace(SCORED, recall=recall, usage={"recall": Usage(1 / 7, 1)})
    line = to_line(to_record(outcome))
    assert to_line(to_record(from_record(json.loads(line)))) == line
