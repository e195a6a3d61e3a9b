"""GateMem's episodes played: ingest up to a checkpoint, ask, judge, go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from time import perf_counter
from typing import Any, Final, final

from pytest_comem.agents.governance import Responder
from pytest_comem.core.entries import Query
from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.outcomes import Attribution, Failure, Outcome, Usage, Verdict
from pytest_comem.core.recall import Recall, WithheldReason
from pytest_comem.core.replies import Reply
from pytest_comem.core.steps import Step
from pytest_comem.datasets.governance import (
    Category,
    Checkpoint,
    GovernanceData,
    GovernanceEpisode,
)
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.evaluators.governance import Scoring, verdict
from pytest_comem.evaluators.patterns import ScannedText, hits
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.settings import Settings

JUDGE: Final = "rules-1"


@final
class GovernanceSuite:
    """The GateMem suite over one data set."""

    name: Final = "gatemem"
    parameter: Final = "checkpoint"

    def __init__(self, data: GovernanceData, responder: Responder, settings: Settings) -> None:
        self._data = data
        self._responder = responder
        self._settings = settings
        self._scoring = Scoring(settings.scoring)
        self._episodes = {episode.id: episode for episode in data.episodes}
        self._checkpoints = {
            (episode.id, checkpoint.id): checkpoint
            for episode in data.episodes
            for checkpoint in episode.checkpoints
        }
        self._episode_hashes: dict[str, str] = {}

    def steps(self, system: SystemUnderTest) -> Sequence[Step]:
        """Return every checkpoint for *system*."""
        return [
            Step(self.name, system.info.name, episode.domain, episode.id, checkpoint.id, position)
            for episode in self._data.episodes
            for position, checkpoint in enumerate(episode.checkpoints)
        ]

    def describe(self) -> dict[str, Any]:
        """Return the data's revision, checksums and warnings."""
        return {
            "revision": self._data.revision,
            "episodes": len(self._data.episodes),
            "checkpoints": self._data.checkpoint_count,
            "checksums": dict(self._data.checksums),
            "warnings": list(self._data.warnings),
        }

    def play(self, steps: Iterable[Step], system: SystemUnderTest) -> Iterator[Outcome]:
        """Play one episode on a fresh memory and yield one outcome a checkpoint."""
        remaining = iter(steps)
        first = next(remaining, None)
        if first is None:
            return
        with GuardedMemory(system, first.episode) as memory:
            ingested = 0
            positions: dict[str, int] = {}
            for step in chain([first], remaining):
                episode = self._episodes[step.episode]
                checkpoint = self._checkpoints[step.episode, step.id]
                if checkpoint.as_of < ingested - 1:
                    raise InfrastructureError(
                        f"{step.id} is asked after a later checkpoint of its episode; "
                        "do not reorder the items of a suite",
                        type="harness",
                    )
                started = perf_counter()
                while ingested <= checkpoint.as_of:
                    entry = episode.entries[ingested]
                    memory.ingest(entry)
                    positions[entry.id] = ingested
                    ingested += 1
                usage = {"ingest": Usage(perf_counter() - started)}
                yield self._ask(step, episode, checkpoint, memory, positions, usage)

    def unscored(self, step: Step, system: SystemUnderTest, failure: Failure) -> Outcome:
        """Return the outcome of a checkpoint that never came to a verdict."""
        episode = self._episodes[step.episode]
        checkpoint = self._checkpoints[step.episode, step.id]
        return self._outcome(step, episode, checkpoint, system, failure=failure)

    def _ask(
        self,
        step: Step,
        episode: GovernanceEpisode,
        checkpoint: Checkpoint,
        memory: GuardedMemory,
        positions: dict[str, int],
        usage: dict[str, Usage],
    ) -> Outcome:
        query = self._query(episode, checkpoint, memory.system.top_k)
        if memory.is_shown_annotations:
            memory.reveal(*_ideal(episode, checkpoint))
        started = perf_counter()
        recall = memory.recall(query).located(positions)
        asked = perf_counter()
        reply = self._responder.answer(query, recall)
        answered = perf_counter()
        exposed = recall.text
        decision, failure = self._judge(checkpoint, reply, exposed)
        judged = perf_counter()
        usage["recall"] = Usage(asked - started)
        usage["answer"] = Usage(answered - asked, _words(query.text, exposed, reply.text))
        usage["judge"] = Usage(judged - answered)
        return self._outcome(
            step,
            episode,
            checkpoint,
            memory.system,
            reply=reply,
            recall=recall,
            decision=decision,
            failure=failure,
            usage=usage,
        )

    def _judge(
        self, checkpoint: Checkpoint, reply: Reply, exposed: str
    ) -> tuple[Verdict | None, Failure | None]:
        try:
            decision = verdict(
                checkpoint.annotation,
                checkpoint.question,
                reply,
                exposed=ScannedText(exposed),
                scoring=self._scoring,
            )
        except BenchmarkDefect as defect:
            return None, Failure(Attribution.BENCHMARK, "pattern", str(defect))
        return decision, None

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
        *,
        reply: Reply | None = None,
        recall: Recall | None = None,
        decision: Verdict | None = None,
        failure: Failure | None = None,
        usage: dict[str, Usage] | None = None,
    ) -> Outcome:
        annotation = checkpoint.annotation
        return Outcome(
            key=self._key(episode, checkpoint, system),
            step=step,
            data=self._data.revision,
            system=system.info,
            model=self._settings.model,
            judge=JUDGE,
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
            reply=reply,
            recall=recall,
            verdict=decision,
            failure=failure,
            usage=usage or {},
        )

    def _key(
        self, episode: GovernanceEpisode, checkpoint: Checkpoint, system: SystemUnderTest
    ) -> str:
        annotation = checkpoint.annotation
        return stable_hash(
            [
                self._episode_hash(episode),
                checkpoint.id,
                checkpoint.question,
                checkpoint.requester.id,
                checkpoint.as_of,
                [annotation.category, annotation.expected_action],
                [annotation.include, annotation.not_include, annotation.leak_targets],
                [system.info.name, system.info.version, system.info.configuration],
                [self._settings.model, getattr(self._responder, "version", ""), JUDGE],
                [self._settings.scoring, system.top_k, self._settings.seed],
            ]
        )

    def _episode_hash(self, episode: GovernanceEpisode) -> str:
        known = self._episode_hashes.get(episode.id)
        if known is None:
            known = stable_hash(
                [
                    [
                        [
                            *(entry.id, entry.text, entry.timestamp, entry.kind),
                            *(entry.speaker.id, entry.speaker.role),
                        ]
                        for entry in episode.entries
                    ],
                    [[fact.type, fact.fields] for fact in episode.relationships],
                    self._data.policies[episode.domain],
                ]
            )
            self._episode_hashes[episode.id] = known
        return known


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
