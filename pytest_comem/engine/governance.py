"""GateMem's episodes played: ingest up to a checkpoint, ask, judge, go on."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, final

from pytest_comem.agents.governance import Responder
from pytest_comem.core.entries import Principal, Query
from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.core.replies import UNPARSABLE
from pytest_comem.core.steps import Step
from pytest_comem.datasets.governance import (
    Checkpoint,
    GovernanceData,
    GovernanceEpisode,
)
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.engine.governance_asking import Asked, ideal
from pytest_comem.engine.governance_keys import OutcomeKeys
from pytest_comem.engine.probing import is_probed, probed
from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.evaluators.judging import Judge
from pytest_comem.evaluators.patterns import ScannedText
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
class GovernanceSuite:
    """The GateMem suite over one data set."""

    name: Final = "gatemem"
    parameter: Final = "checkpoint"
    holds_whole: Final = False

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

    def close(self) -> None:
        """Do nothing: episodes share nothing that runs."""

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
        last: Outcome | None = None
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
            asked = Asked()
            with asked.timed("ingest"):
                while ingested <= checkpoint.as_of:
                    entry = episode.entries[ingested]
                    memory.ingest(entry)
                    positions[entry.id] = ingested
                    ingested += 1
            if step in known:
                if memory.system.capabilities.recall_changes:
                    memory.recall(self._question(episode, checkpoint, memory.system.top_k))
                # What it cost stands in the outcome that is known.
                meter.take()
                last = None
                continue
            self._ask(asked, step, episode, checkpoint, memory, positions, meter)
            last = self._outcome(step, episode, checkpoint, memory.system, asked)
            yield last
        if last is not None and not self._is_known_later(last.step, known):
            yield from self._probed(last, ingested, memory, meter)

    def _is_known_later(self, step: Step, known: Container[Step]) -> bool:
        """Whether a later step of the episode is known: then *step* is not the last one."""
        checkpoints = self._episodes[step.episode].checkpoints[step.position + 1 :]
        return any(
            replace(step, id=checkpoint.id, position=position) in known
            for position, checkpoint in enumerate(checkpoints, start=step.position + 1)
        )

    def _probed(
        self, last: Outcome, ingested: int, memory: GuardedMemory, meter: Meter
    ) -> Iterator[Outcome]:
        """Yield the episode's last outcome again where the memory is probed.

        :param ingested: entries that the memory was told.
        """
        if is_probed(self._settings.probe, memory.system.capabilities):
            episode = self._episodes[last.step.episode]
            top_k = memory.system.top_k
            ask = lambda said: self._query(episode, said.text, said.speaker, top_k)  # noqa: E731
            again = probed(last, episode.entries[:ingested], memory, meter, ask)
            if again is not None:
                yield again

    def unscored(self, step: Step, system: SystemUnderTest, failure: Failure) -> Outcome:
        """Return the outcome of a checkpoint that never came to a verdict."""
        episode = self._episodes[step.episode]
        checkpoint = self._checkpoints[step.episode, step.id]
        return self._outcome(step, episode, checkpoint, system, Asked(failure=failure))

    def _ask(
        self,
        asked: Asked,
        step: Step,
        episode: GovernanceEpisode,
        checkpoint: Checkpoint,
        memory: GuardedMemory,
        positions: dict[str, int],
        meter: Meter,
    ) -> None:
        """Fill *asked*; what breaks in answering or judging is this step's trouble alone."""
        query = self._question(episode, checkpoint, memory.system.top_k)
        if memory.is_shown_annotations:
            memory.reveal(*ideal(episode, checkpoint))
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
                asked.fail_as_unparsable()
        except BenchmarkDefect as defect:
            asked.failure = Failure(Attribution.BENCHMARK, "pattern", str(defect))
        except RunStopped:
            raise
        except InfrastructureError as error:
            asked.failure = Failure(Attribution.INFRASTRUCTURE, error.type, str(error))
        asked.account(meter)
        asked.count_words(query, exposed)

    def _player(self, step: Step) -> Player:
        return self._players[step.model, step.repeat]

    def _answering(self, step: Step) -> tuple[str, str]:
        """Return model and version of who answers *step*."""
        player = self._player(step)
        return player.model, player.responder.version

    def _question(self, episode: GovernanceEpisode, checkpoint: Checkpoint, top_k: int) -> Query:
        return self._query(episode, checkpoint.question, checkpoint.requester, top_k)

    def _query(
        self, episode: GovernanceEpisode, text: str, requester: Principal, top_k: int
    ) -> Query:
        return Query(
            text=text,
            requester=requester,
            relationships=episode.facts_about(requester.id),
            policy=self._data.policies[episode.domain],
            top_k=top_k,
        )

    def _outcome(
        self,
        step: Step,
        episode: GovernanceEpisode,
        checkpoint: Checkpoint,
        system: SystemUnderTest,
        asked: Asked,
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
