"""GateMem's engine: what outcomes are known by, and where time goes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest
from systems import system_called

from pytest_comem.core.entries import Principal, Query
from pytest_comem.core.outcomes import Outcome, Verdict
from pytest_comem.core.recall import Recall
from pytest_comem.core.replies import Reply
from pytest_comem.core.steps import Step
from pytest_comem.datasets import gatemem
from pytest_comem.datasets.governance import Annotation, Category, GovernanceEpisode
from pytest_comem.engine.governance import GovernanceSuite, Player
from pytest_comem.engine.governance_keys import OutcomeKeys
from pytest_comem.evaluators.governance import Scoring
from pytest_comem.evaluators.judging import RuleJudge
from pytest_comem.evaluators.patterns import ScannedText
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.llm.meter import Meter
from pytest_comem.settings import Settings

SETTINGS = Settings(("bm25",))
DATA = gatemem.load(domains=("office",))
EPISODE = DATA.episodes[0]
CHECKPOINT = EPISODE.checkpoints[0]
SYSTEM = system_called("bm25")
STEP = Step("gatemem", "bm25", EPISODE.domain, EPISODE.id, CHECKPOINT.id, 0)
ANSWERING = ("some/model", "version")
#: Longer than anything else that happens in a phase.
LONG: Final = 0.05


def key(
    *,
    step: Step = STEP,
    episode: GovernanceEpisode = EPISODE,
    requester: Principal = CHECKPOINT.requester,
    policy: str = "policy",
    judge: str = "rules",
    settings: Settings = SETTINGS,
    answering: tuple[str, str] = ANSWERING,
) -> str:
    """Return the key of one outcome."""
    keys = OutcomeKeys({EPISODE.domain: policy}, judge, settings)
    checkpoint = replace(CHECKPOINT, requester=requester)
    return keys.of(step, episode, checkpoint, SYSTEM, answering)


def test_the_key_changes_with_everything_that_may_change_the_result() -> None:
    """No two of these may be taken for the same outcome."""
    requester = CHECKPOINT.requester
    keys = [
        key(),
        key(step=replace(STEP, repeat=1)),
        key(step=replace(STEP, repeat=2)),
        key(episode=replace(EPISODE, entries=EPISODE.entries[:-1])),
        key(episode=replace(EPISODE, relationships=())),
        key(requester=replace(requester, id="another")),
        key(requester=replace(requester, role="another")),
        key(policy="another"),
        key(judge="another"),
        key(settings=replace(SETTINGS, scoring="release-gated")),
        key(settings=replace(SETTINGS, seed=1)),
        key(answering=("another", "version")),
        key(answering=("some/model", "another")),
    ]
    assert len(set(keys)) == len(keys)


def test_the_first_repeat_has_the_key_of_a_run_without_repeats() -> None:
    """It is the same question with the same seed."""
    assert key(step=replace(STEP, repeat=0)) == key()


class Answering:
    """A responder that takes its time and then does what it is told."""

    name: Final = "slow"
    version: Final = "1"

    def __init__(self, end: Callable[[], Reply]) -> None:
        self._end = end

    def answer(self, query: Query, recall: Recall, meter: Meter) -> Reply:
        """Return the reply, or raise."""
        time.sleep(LONG)
        return self._end()


class SlowJudge:
    """A judge that takes its time and comes to no verdict."""

    name: Final = "slow"

    def judge(
        self,
        annotation: Annotation,
        query: Query,
        reply: Reply,
        *,
        exposed: ScannedText,
        meter: Meter,
    ) -> Verdict:
        """Fail."""
        time.sleep(LONG)
        raise trouble()


def trouble() -> ModelCallError:
    """Return the failure of a call."""
    return ModelCallError("busy", Fault.RATE_LIMIT)


def fail() -> Reply:
    """Answer nothing."""
    raise trouble()


def first_outcome(end: Callable[[], Reply], judge: RuleJudge | SlowJudge) -> Outcome:
    """Play one step."""
    player = Player("slow", "", None, Answering(end))
    suite = GovernanceSuite(DATA, [player], judge, SETTINGS, Door())
    (outcome,) = suite.play(suite.steps(SYSTEM)[:1], SYSTEM)
    assert outcome.failure is not None
    assert outcome.failure.type == "rate_limit"
    return outcome


def test_the_time_of_a_failed_answer_is_the_answers() -> None:
    """A step that nobody judged has no time of a judge."""
    usage = first_outcome(fail, RuleJudge(Scoring.PAPER)).usage
    assert usage["answer"].seconds >= LONG
    assert "judge" not in usage


def test_the_time_of_a_failed_judgement_is_the_judges() -> None:
    """What an answer took before stays its own."""
    usage = first_outcome(lambda: Reply("refuse"), SlowJudge()).usage
    assert usage["answer"].seconds >= LONG
    assert usage["judge"].seconds >= LONG
    assert list(usage) == ["ingest", "recall", "answer", "judge"]


@pytest.mark.parametrize("category", list(Category))
def test_the_key_changes_with_what_a_row_is_about(category: Category) -> None:
    """Another annotation is another question to the judge."""
    keys = OutcomeKeys({EPISODE.domain: ""}, "rules", SETTINGS)
    annotation = replace(CHECKPOINT.annotation, category=category)
    rows = [
        annotation,
        replace(annotation, expected_action="another"),
        replace(annotation, include=("another",)),
        replace(annotation, not_include=("another",)),
        replace(annotation, leak_targets=("another",)),
    ]
    found = {
        keys.of(STEP, EPISODE, replace(CHECKPOINT, annotation=row), SYSTEM, ANSWERING)
        for row in rows
    }
    assert len(found) == len(rows)
