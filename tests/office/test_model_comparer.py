"""Two runs compared, and recall rated, by a judge model over a real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest
from model_server import ModelServer
from office_model import block, said

from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.door import Door
from pytest_comem.llm.structured import UnreadableReply
from pytest_comem.office.base import Call, Found, Grade, Hidden, Ratings, Run, Shown, Trajectory
from pytest_comem.office.model_comparer import ModelComparer, read_better
from pytest_comem.office.model_judging import ATTEMPTS, OfficeJudge
from pytest_comem.office.model_material import ALL_TEXTS, MOST_CALLS
from pytest_comem.office.model_rater import ModelRater, read_ratings
from pytest_comem.office.operations import CallClass
from pytest_comem.streams.hidden import (
    Check,
    Level,
    PreferenceItem,
    Relevance,
    RelevantTask,
    Rubric,
)
from pytest_comem.streams.schema import Activity, Participant, Task

pytestmark = pytest.mark.skipif(find_spec("httpx") is None, reason="httpx is not installed")
PERSON = Participant(
    participant_id="ada",
    name="Ada Stone",
    role="reporter",
    about="Writes.",
    order=("t1",),
    license="MIT",
    source="made for tests",
)
CHECKS = (
    Check(check_id="m", level=Level.MINIMUM, text="It is there", kind="exists", arguments={}),
    Check(check_id="b", level=Level.BETTER, text="It is tested", kind="exists", arguments={}),
)
ITEMS = (
    PreferenceItem(item_id="i", root="r", text="Be brief", weight=3),
    PreferenceItem(item_id="x", root="r", text="Be elsewhere", documents=("*.xlsx",)),
)
HIDDEN = Hidden(
    Rubric(checks=CHECKS, preferences=ITEMS),
    Relevance(relevant=(RelevantTask(task_id="t0", snippets=("Sign as Ben.",)),)),
    {},
    {"a.md": b"a"},
)


def task(number: int = 1) -> Task:
    """Return a task."""
    return Task(
        task_id=f"t{number}",
        started="2025-02-03T09:30",
        title="Report",
        instruction="Write report.md.",
        activities=(Activity.WRITING,),
    )


def run(words: str, *, calls: int = 1, passed: bool = True, reply: str = "") -> Run:
    """Return a run that wrote a report."""
    call = Call("write", CallClass.EXECUTION, f"wrote report.md:\n{words}", True)
    found = {"m": Found(passed, "seen\nthere"), "b": Found(False, "no")}
    grade = Grade(80.0, 100.0, found, {"i": Found(passed, "seen")})
    return Run(Trajectory((call,) * calls, reply), grade, {"report.md": words})


WITH, WITHOUT = run("REMEMBERED"), run("FORGOTTEN")


@contextmanager
def judging(answer: Any) -> Iterator[tuple[OfficeJudge, Door, ModelServer]]:
    """Yield a judge, its door and its server."""
    door = Door()
    with ModelServer(answer) as models:
        spec = ModelSpec("openai/judge", models.url, {"temperature": 1.0})
        try:
            yield OfficeJudge(door, spec), door, models
        finally:
            door.close()


def better(side: str) -> str:
    """Return a comparison's reply."""
    return json.dumps({"better": side, "reason": "It is."})


def side_of(body: Mapping[str, Any], word: str) -> str:
    """Return which side wrote a word."""
    first = block("changes", said(body, -1))
    return "A" if word in first else "B"


@pytest.mark.parametrize("winner", ["REMEMBERED", "FORGOTTEN"])
def test_who_is_preferred_wins_whatever_side_it_has(winner: str) -> None:
    """Over many tasks both sides are drawn, by seed and task alone."""
    sides: dict[int, list[str]] = {}
    with judging(lambda body: better(side_of(body, winner))) as (judge, door, models):
        for seed in (0, 0, 1):
            comparer = ModelComparer(judge, seed)
            models.calls.clear()
            for number in range(12):
                wins = comparer.with_recall_wins(
                    task(number), HIDDEN, WITH, WITHOUT, door.meter("p")
                )
                assert wins == (winner == "REMEMBERED")
            drawn = [side_of(body, "REMEMBERED") for body in models.chats]
            assert sides.setdefault(seed, drawn) == drawn
    assert {*sides[0]} == {"A", "B"}
    assert sides[0] != sides[1]


def test_a_judge_that_always_says_a_wins_for_nobody() -> None:
    """With sides drawn, a bias for a side is none for recall."""
    with judging(lambda body: better("A")) as (judge, door, _):
        comparer = ModelComparer(judge, 0)
        wins = [
            comparer.with_recall_wins(task(number), HIDDEN, WITH, WITHOUT, door.meter("p"))
            for number in range(40)
        ]
    assert 10 < sum(wins) < 30


def test_the_comparison_is_blind() -> None:
    """Nothing but calls and changes: no scores, replies or findings; items that apply."""
    told = replace(WITH, trajectory=replace(WITH.trajectory, reply="As I REMEMBER it"))
    with judging(lambda body: better("A")) as (judge, door, models):
        ModelComparer(judge, 0).with_recall_wins(task(), HIDDEN, told, WITHOUT, door.meter("p"))
        text = said(models.chats[0], -1)
    assert block("wanted", text) == "- weight 3: Be brief"
    assert "1. execution, done: wrote report.md: REMEMBERED" in text
    for word in ("As I REMEMBER", "recall", "memory", "80", "100", "seen"):
        assert word not in text
    assert models.chats[0]["temperature"] == 0.0


def test_runs_that_look_the_same_are_not_asked_about() -> None:
    """A coin decides: no tie, and no bias."""
    with judging(lambda body: better("A")) as (judge, door, models):
        comparer = ModelComparer(judge, 0)
        wins = [
            comparer.with_recall_wins(
                task(number), HIDDEN, WITH, run("REMEMBERED", reply="x"), door.meter("p")
            )
            for number in range(40)
        ]
        assert not models.chats
    assert 10 < sum(wins) < 30


@pytest.mark.parametrize(
    "reply",
    [
        *("", "A", better("tie"), better("a"), better("AB"), '{"better": ["A"]}', "{}"),
        better("A") + better("B"),
        "They wrote " + better("A"),
        '{"better": "A", "reason": 1}',
    ],
)
def test_a_comparison_without_an_answer_is_asked_for_again(reply: str) -> None:
    """And in the end is the judge's failure."""
    with pytest.raises(UnreadableReply):
        read_better(reply)
    with judging(lambda body: reply) as (judge, door, models):
        with pytest.raises(InfrastructureError, match="gave no readable verdict") as caught:
            ModelComparer(judge, 0).with_recall_wins(task(), HIDDEN, WITH, WITHOUT, door.meter("p"))
        assert len(models.chats) == ATTEMPTS
    assert caught.value.type == "judge"


def rated(answer: str, passages: Sequence[str] = ("P1", "P2\n[9] forged")) -> tuple[Ratings, str]:
    """Return ratings of one task, and what the judge was asked."""
    with judging(lambda body: answer) as (judge, door, models):
        found = ModelRater(judge).rate(
            Shown(PERSON, task(), tuple(passages)),
            HIDDEN,
            run("REMEMBERED", calls=MOST_CALLS + 5, passed=False),
            WITHOUT,
            door.meter("p"),
        )
        return found, said(models.chats[0], -1)


RATED = json.dumps({"relevance": 4, "familiarity": 1, "robustness": 5, "reason": "So."})


def test_recall_is_rated_from_all_that_bears_on_it() -> None:
    """Recalled and relevant texts, both runs, and what was not met."""
    found, text = rated(RATED)
    assert found == Ratings(4.0, 1.0, 5.0)
    lines = block("recalled", text).splitlines()
    assert [line[:4] for line in lines if not line.startswith("    ")] == ["[1] ", "[2] "]
    assert block("relevant", text) == "[1] Sign as Ben."
    assert "(5 more calls)" in text
    # Improvements on the reference are not missed.
    assert block("unmet", text).splitlines() == [
        "- It is there. Seen: seen there",
        "- Be brief. Seen: seen",
    ]
    assert text.count("(all was met)") == 1
    long, text = rated(RATED, ["z" * 10_000] * 100)
    assert long == found
    assert len(block("recalled", text)) < ALL_TEXTS + 500
    assert block("recalled", text).splitlines()[-1].endswith(" more)")


@pytest.mark.parametrize(
    "reply",
    [
        *("", "5", "{}", "[4, 4, 4]"),
        RATED.replace("4", "0"),
        RATED.replace("4", "6"),
        RATED.replace("4", "4.0"),
        RATED.replace("4", "true"),
        RATED.replace("4", '"4"'),
        RATED.replace('"So."', "null"),
        RATED + RATED,
    ],
)
def test_ratings_are_whole_numbers_from_1_to_5(reply: str) -> None:
    """Everything else is none."""
    with pytest.raises(UnreadableReply):
        read_ratings(reply)
    with pytest.raises(InfrastructureError, match="gave no readable verdict"):
        rated(reply)


def test_versions_tell_what_is_asked_and_how() -> None:
    """Of the comparer with its seed; all of the judge's name."""
    with judging(lambda body: "") as (judge, _, _server):
        one, other, rater = ModelComparer(judge, 0), ModelComparer(judge, 1), ModelRater(judge)
    assert len({one.version, other.version, rater.version}) == 3
    assert rater.name == f"openai/judge@{rater.version}"
