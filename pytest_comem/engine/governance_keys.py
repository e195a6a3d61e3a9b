"""The keys of GateMem's outcomes: a hash of everything that could change the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.steps import Step
from pytest_comem.datasets.governance import Checkpoint, GovernanceEpisode
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.settings import Settings


@final
class OutcomeKeys:
    """Makes the keys of one run.

    :param policies: texts by domain.
    :param judge: the judge's name, which changes with everything that may change its verdicts.
    """

    def __init__(self, policies: Mapping[str, str], judge: str, settings: Settings) -> None:
        self._policies = policies
        self._judge = judge
        self._settings = settings
        self._episodes: dict[str, str] = {}

    def of(
        self,
        step: Step,
        episode: GovernanceEpisode,
        checkpoint: Checkpoint,
        system: SystemUnderTest,
        answering: tuple[str, str],
    ) -> str:
        """Return the key of one step's outcome.

        :param answering: name of the model that answers, and version of how it is asked.
        """
        annotation = checkpoint.annotation
        return stable_hash(
            [
                self._episode(episode),
                checkpoint.id,
                checkpoint.question,
                [checkpoint.requester.id, checkpoint.requester.role],
                checkpoint.as_of,
                [annotation.category, annotation.expected_action],
                [annotation.include, annotation.not_include, annotation.leak_targets],
                [system.info.name, system.info.version, system.info.configuration],
                [*answering, self._judge],
                [self._settings.scoring, system.top_k, self._settings.seed],
                # Absent where nothing is repeated, so that most keys stay what they were.
                *([step.repeat] if step.repeat else []),
            ]
        )

    def _episode(self, episode: GovernanceEpisode) -> str:
        known = self._episodes.get(episode.id)
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
                    self._policies[episode.domain],
                ]
            )
            self._episodes[episode.id] = known
        return known
