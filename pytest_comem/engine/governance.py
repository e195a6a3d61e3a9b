"""GateMem's episodes played: ingest up to a checkpoint, ask, judge, go on."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from time import perf_counter
from typing import Any, Final, final

from pytest_comem.agents.governance import Responder
from pytest_comem.core.entries import Query
from pytest_comem.core.outcomes import Attribution, Failure, Outcome, Usage, Verdict
from pytest_comem.core.recall import Recall, WithheldReason
from pytest_comem.core.replies import UNPARSABLE, Reply
from pytest_comem.core.steps import Step
from pytest_comem.datasets.governance import (
    Category,
    Checkpoint,
    GovernanceData,
    GovernanceEpisode,
)
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.engine.governance_keys import OutcomeKeys
from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.evaluators.judging import Judge
from pytest_comem.evaluators.patterns import ScannedText, hits
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.settings import Settings


@final
@dataclass(frozen=True, slots=True)
class Player:
    """Who answers the steps of one part of a run.

    :param model: name as the user gave it.
    :param label: name in ids; empty where the run has only one model.
    :param repeat: number of the repeat, 0-based; ``None`` where the run repeats nothing.
    :param responder: answers.
    """

    model: str
    label: str
    repeat: int | None
    responder: Responder


@final
@dataclass(slots=True)
class _Asked:
    """What came of one checkpoint so far."""

    reply: Reply | None = None
    recall: Recall | None = None
    verdict: Verdict | None = None
    failure: Failure | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Note the seconds of *phase*, also of one that breaks off."""
        started = perf_counter()
        try:
            yield
        finally:
            self.seconds[phase] = perf_counter() - started


@final
class GovernanceSuite:
    """The GateMem suite over one data set."""

    name: Final = "gatemem"
    parameter: Final = "checkpoint"

    def __init__(
        self,
        data: GovernanceData,
        players: Sequence[Player],
        judge: Judge,
        settings: Settings,
        door: Door,
    ) -> None:
        self._data = data
        self._players = {(player.label, player.repeat): player for player in players}
        self._judge = judge
        self._settings = settings
        self._door = door
        self._episodes = {episode.id: episode for episode in data.episodes}
        self._checkpoints = {
            (episode.id, checkpoint.id): checkpoint
            for episode in data.episodes
            for checkpoint in episode.checkpoints
        }
        self._keys = OutcomeKeys(data.policies, judge.name, settings)

    def steps(self, system: SystemUnderTest) -> Sequence[Step]:
        """Return every checkpoint for *system*, by model, repeat, episode and position."""
        return [
            Step(
                self.name,
                system.info.name,
                episode.domain,
                episode.id,
                checkpoint.id,
                position,
                label,
                repeat,
            )
            for label, repeat in self._players
            for episode in self._data.episodes
            for position, checkpoint in enumerate(episode.checkpoints)
        ]

    def describe(self) -> dict[str, Any]:
        """Return the data's revision, checksums and warnings, and its episodes in playing order."""
        return {
            "revision": self._data.revision,
            "episodes": len(self._data.episodes),
            "checkpoints": self._data.checkpoint_count,
            "order": [episode.id for episode in self._data.episodes],
            "checksums": dict(self._data.checksums),
            "warnings": list(self._data.warnings),
        }

    def key(self, step: Step, system: SystemUnderTest) -> str:
        """Return the hash of everything that could change a step's outcome."""
        checkpoint = self._checkpoints[step.episode, step.id]
        return self._keys.of(
            step, self._episodes[step.episode], checkpoint, system, self._answering(step)
        )

    def play(
        self,
        steps: Iterable[Step],
        system: SystemUnderTest,
        known: Container[Step] = frozenset(),
    ) -> Iterator[Outcome]:
        """Play one episode on a fresh memory and yield one outcome a checkpoint.

        :param known: steps whose outcomes are known: the memory is brought up to them, and they
            are not asked again.
        """
        remaining = iter(steps)
        first = next(remaining, None)
        if first is None:
            return
        meter = self._door.meter(f"{self.name}/{first.run_label}", first.repeat or 0)
        try:
            with GuardedMemory(system, first.episode, meter) as memory:
                yield from self._play(chain([first], remaining), memory, meter, known)
        finally:
            self._door.finish(meter)

    def _play(
        self,
        steps: Iterable[Step],
        memory: GuardedMemory,
        meter: Meter,
        known: Container[Step],
    ) -> Iterator[Outcome]:
        ingested = 0
        positions: dict[str, int] = {}
        for step in steps:
            episode = self._episodes[step.episode]
            checkpoint = self._checkpoints[step.episode, step.id]
            if checkpoint.as_of < ingested - 1:
                raise InfrastructureError(
                    f"{step.id} is asked after a later checkpoint of its episode; "
                    "do not reorder the items of a suite",
                    type="harness",
                )
            meter.step = step.id
            asked = _Asked()
            with asked.timed("ingest"):
                while ingested <= checkpoint.as_of:
                    entry = episode.entries[ingested]
                    memory.ingest(entry)
                    positions[entry.id] = ingested
                    ingested += 1
            if step in known:
                if memory.system.capabilities.recall_changes:
                    memory.recall(self._query(episode, checkpoint, memory.system.top_k))
                # What it cost stands in the outcome that is known.
                meter.take()
                continue
            self._ask(asked, step, episode, checkpoint, memory, positions, meter)
            yield self._outcome(step, episode, checkpoint, memory.system, asked)

    def unscored(self, step: Step, system: SystemUnderTest, failure: Failure) -> Outcome:
        """Return the outcome of a checkpoint that never came to a verdict."""
        episode = self._episodes[step.episode]
        checkpoint = self._checkpoints[step.episode, step.id]
        return self._outcome(step, episode, checkpoint, system, _Asked(failure=failure))

    def _ask(
        self,
        asked: _Asked,
        step: Step,
        episode: GovernanceEpisode,
        checkpoint: Checkpoint,
        memory: GuardedMemory,
        positions: dict[str, int],
        meter: Meter,
    ) -> None:
        """Fill *asked*; what breaks in answering or judging is this step's trouble alone."""
        query = self._query(episode, checkpoint, memory.system.top_k)
        if memory.is_shown_annotations:
            memory.reveal(*_ideal(episode, checkpoint))
        with asked.timed("recall"):
            asked.recall = memory.recall(query).located(positions)
        exposed = asked.recall.text
        try:
            with asked.timed("answer"), meter.during("answer"):
                asked.reply = self._player(step).responder.answer(query, asked.recall, meter)
            with asked.timed("judge"), meter.during("judge"):
                asked.verdict = self._judge.judge(
                    checkpoint.annotation,
                    query,
                    asked.reply,
                    exposed=ScannedText(exposed),
                    meter=meter,
                )
            if asked.reply.action == UNPARSABLE:
                asked.verdict, asked.failure = _unparsable(asked.verdict)
        except BenchmarkDefect as defect:
            asked.failure = Failure(Attribution.BENCHMARK, "pattern", str(defect))
        except RunStopped:
            raise
        except InfrastructureError as error:
            asked.failure = Failure(Attribution.INFRASTRUCTURE, error.type, str(error))
        self._account(asked, query, exposed, meter)

    def _account(self, asked: _Asked, query: Query, exposed: str, meter: Meter) -> None:
        """Say what each phase took, as it was recorded where the step is replayed."""
        calls = meter.take()
        seconds = dict(asked.seconds)
        if meter.recording is not None:
            seconds = dict(meter.recording.settle(meter.step, seconds))
        for phase in dict.fromkeys([*asked.seconds, *seconds, *calls]):
            known = calls.get(phase, Usage())
            asked.usage[phase] = replace(known, seconds=seconds.get(phase, 0.0))
        answer = asked.usage.get("answer")
        if answer is not None and not answer.calls and asked.reply is not None:
            words = _words(query.text, exposed, asked.reply.text)
            asked.usage["answer"] = replace(answer, tokens=words)

    def _player(self, step: Step) -> Player:
        return self._players[step.model, step.repeat]

    def _answering(self, step: Step) -> tuple[str, str]:
        """Return model and version of who answers *step*."""
        player = self._player(step)
        return player.model, player.responder.version

    def _query(self, episode: GovernanceEpisode, checkpoint: Checkpoint, top_k: int) -> Query:
        return Query(
            text=checkpoint.question,
            requester=checkpoint.requester,
            relationships=episode.facts_about(checkpoint.requester.id),
            policy=self._data.policies[episode.domain],
            top_k=top_k,
        )

    def _outcome(
        self,
        step: Step,
        episode: GovernanceEpisode,
        checkpoint: Checkpoint,
        system: SystemUnderTest,
        asked: _Asked,
    ) -> Outcome:
        annotation = checkpoint.annotation
        return Outcome(
            key=self.key(step, system),
            step=step,
            data=self._data.revision,
            system=system.info,
            model=self._player(step).model,
            judge=self._judge.name,
            scoring=self._settings.scoring,
            labels={
                "category": str(annotation.category),
                "attack_type": annotation.attack_type,
                "expected_action": annotation.expected_action,
            },
            query={
                "text": checkpoint.question,
                "requester": checkpoint.requester.id,
                "role": checkpoint.requester.role,
            },
            reply=asked.reply,
            recall=asked.recall,
            verdict=asked.verdict,
            failure=asked.failure,
            usage=asked.usage,
        )


def _unparsable(verdict: Verdict) -> tuple[Verdict, Failure]:
    """Return the failing verdict of a reply that names no action, whatever it holds."""
    reason = verdict.reason or "The reply holds nothing that is not allowed."
    told = f"The model's reply could not be read as one of the four actions. {reason}"
    failure = Failure(Attribution.METHOD, UNPARSABLE, told)
    return replace(verdict, passed=False, reason=told), failure


def _words(*texts: str) -> int:
    """Return the number of words, which stands for tokens where no model counts them."""
    return sum(len(text.split()) for text in texts)


def _ideal(
    episode: GovernanceEpisode, checkpoint: Checkpoint
) -> tuple[tuple[str, ...], WithheldReason | None]:
    """Return what a perfect memory hands over: the latest entry that holds each element."""
    annotation = checkpoint.annotation
    if annotation.category is Category.ACCESS:
        return (), WithheldReason.UNAUTHORIZED
    if annotation.category is Category.FORGETTING:
        return (), WithheldReason.DELETED
    found: list[int] = []
    for pattern in annotation.include:
        for position in range(checkpoint.as_of, -1, -1):
            if hits(pattern, ScannedText(episode.entries[position].text)):
                found.append(position)
                break
    return tuple(episode.entries[position].id for position in sorted(set(found))), None
