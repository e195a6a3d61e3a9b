"""All that is known of the steps of one episode, as the page's panel shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.datasets.governance import Category, Checkpoint, GovernanceEpisode
from pytest_comem.evaluators.governance import structured_text, targets
from pytest_comem.metrics.contextweave_counts import OFFICE
from pytest_comem.metrics.workflow_plays import WORKFLOWS, handoff_of
from pytest_comem.report.html.marks import places
from pytest_comem.report.html.pool import Pool, withheld
from pytest_comem.report.html.sources import NO_ENTRIES, NO_TASK_ENTRIES, Source
from pytest_comem.report.html.steps import usage_row
from pytest_comem.report.html.table import Case, EpisodeId, Table
from pytest_comem.report.workflow_blocks import handoff_words

#: What a row's patterns stand for in a text.
_KINDS: Final = {
    Category.UTILITY: "required",
    Category.ACCESS: "protected",
    Category.FORGETTING: "deleted",
}


def details_of(table: Table, sources: Sequence[Source]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of each episode and its details.

    :param sources: of each run.
    """
    by_episode: dict[int, list[int]] = {number: [] for number in table.episodes.values()}
    steps = [table.episodes[step[:4]] for step in table.steps]
    for place, case in enumerate(table.cases):
        by_episode[steps[case.step]].append(place)
    for name, number in table.episodes.items():
        yield (
            number,
            EpisodeDetails(table, name, _source(table, name, sources)).of(by_episode[number]),
        )


def _source(table: Table, name: EpisodeId, sources: Sequence[Source]) -> Source:
    """Return the first source that has the episode, of the runs that are of its world."""
    world, suite, _, episode = name
    fitting = [
        source
        for run, source in enumerate(sources)
        if table.worlds[run] == world and suite in table.runs[run].suites
    ]
    return next((source for source in fitting if episode in source.episodes), fitting[0])


@final
class EpisodeDetails:
    """The details of one episode, with each text held once."""

    def __init__(self, table: Table, name: EpisodeId, source: Source) -> None:
        self._table = table
        self._source = source
        self._suite, self._domain = name[1:3]
        self._episode: GovernanceEpisode | None = source.episodes.get(name[3])
        entries = self._episode.entries if self._episode else ()
        self._pool = Pool(entries)
        self._checkpoints = {
            each.id: each for each in (self._episode.checkpoints if self._episode else ())
        }
        self._marks = Marks(self._pool)

    def of(self, cases: Sequence[int]) -> dict[str, Any]:
        """Return the details of *cases*, which are all of this episode."""
        table = self._table
        cells = {
            place: {
                run: self._cell(outcome)
                for run, outcome in sorted(table.cases[place].outcomes.items())
            }
            for place in cases
        }
        outcomes = list(table.steps.values())
        steps = {
            step: self._step(
                outcomes[step],
                [table.cases[place] for place in cases if table.cases[place].step == step],
            )
            for step in dict.fromkeys(table.cases[place].step for place in cases)
        }
        episode = self._episode
        return {
            "entries": [
                [
                    entry.id,
                    entry.speaker.id,
                    entry.speaker.role,
                    entry.timestamp or "",
                    entry.kind or "",
                ]
                for entry in (episode.entries if episode else ())
            ],
            "missing": "" if episode else self._missing,
            "policy": self._source.policies.get(self._domain, "") if episode else "",
            "steps": steps,
            "cells": cells,
            "patterns": self._marks.patterns,
            "spans": self._marks.spans,
            "texts": [text.raw for text in self._pool.texts],
        }

    @property
    def _missing(self) -> str:
        if self._suite == WORKFLOWS:
            return NO_ENTRIES
        if self._suite == OFFICE:
            return NO_TASK_ENTRIES
        return self._source.missing or "The run's data have no such episode."

    def _step(self, outcome: Outcome, cases: Sequence[Case]) -> dict[str, Any]:
        checkpoint = self._checkpoints.get(outcome.step.id)
        kind, patterns = _sought(outcome, checkpoint, cases)
        as_of = checkpoint.as_of if checkpoint else -1
        numbers = {*range(as_of + 1)}
        for case in cases:
            for each in case.outcomes.values():
                numbers.update(self._texts_of(each))
        facts = (
            self._episode.facts_about(outcome.query.get("requester", "")) if self._episode else ()
        )
        return {
            "asOf": as_of,
            "kind": kind,
            "patterns": [self._marks.add(pattern, numbers) for pattern in dict.fromkeys(patterns)],
            "facts": [
                ": ".join((fact.type, ", ".join(f"{name} {value}" for name, value in fact)))
                for fact in facts
            ],
        }

    def _texts_of(self, outcome: Outcome) -> Iterator[int]:
        if outcome.reply is not None:
            yield from self._pool.lines(outcome.reply.text)
        for item in outcome.recall.items if outcome.recall else ():
            yield self._pool.number(item.text)

    def _cell(self, outcome: Outcome) -> dict[str, Any]:
        reply, recall, verdict, failure = (
            outcome.reply,
            outcome.recall,
            outcome.verdict,
            outcome.failure,
        )
        found: dict[str, Any] = {
            "key": outcome.key,
            "judge": _judge(outcome),
            "usage": [usage_row(*one) for one in outcome.usage.items()],
        }
        if reply is not None:
            found["said"] = self._pool.lines(reply.text)
            found["structured"] = structured_text(reply.structured)
        if recall is not None:
            found["items"] = self._pool.items(recall.items)
            found["withheld"] = withheld(recall.withheld)
            found["enforced"] = [recall.enforced_access, recall.enforced_deletion]
        if verdict is not None:
            found["reason"] = verdict.reason
            found["measures"] = {
                name: one for name, one in verdict.measures.items() if one is not None
            }
            found["evidence"] = structured_text(dict(verdict.evidence))
        if failure is not None:
            found["failure"] = [str(failure.attribution), failure.type, failure.message]
        if outcome.notice is not None:
            found["notice"] = outcome.notice
        return found


def _judge(outcome: Outcome) -> str:
    """Return who judged and under which rules, in words."""
    if outcome.step.suite == WORKFLOWS:
        return f"native evaluator; inputs delivered {handoff_words(handoff_of(outcome))}"
    return f"{outcome.judge}, {outcome.scoring} scoring"


@final
class Marks:
    """Where the patterns of an episode's steps occur in its texts.

    :param patterns: by number.
    :param spans: by number of the pattern, by number of the text: begins and ends.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._numbers: dict[str, int] = {}
        self._searched: list[set[int]] = []
        self.spans: list[dict[int, list[int]]] = []

    @property
    def patterns(self) -> list[str]:
        """Every pattern, by its number."""
        return list(self._numbers)

    def add(self, pattern: str, texts: set[int]) -> int:
        """Look for *pattern* in the texts of these numbers, and return its own number."""
        number = self._numbers.setdefault(pattern, len(self._numbers))
        if number == len(self.spans):
            self.spans.append({})
            self._searched.append(set())
        for place in sorted(texts - self._searched[number]):
            if found := places(pattern, self._pool.texts[place]):
                self.spans[number][place] = found
        self._searched[number] |= texts
        return number


def _sought(
    outcome: Outcome, checkpoint: Checkpoint | None, cases: Sequence[Case]
) -> tuple[str, tuple[str, ...]]:
    """Return what the judge looks for and as what; without the data, what it says it found."""
    category = outcome.labels.get("category", "")
    kind = _KINDS[Category(category)] if category in [*Category] else ""
    if checkpoint is not None:
        return kind, targets(checkpoint.annotation)
    said = [
        pattern
        for case in cases
        for each in case.outcomes.values()
        if each.verdict is not None
        for name in ("missing", "leaked")
        for pattern in _texts(each.verdict.evidence.get(name))
    ]
    return kind, tuple(dict.fromkeys(said))


def _texts(value: object) -> list[str]:
    return (
        [each for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else []
    )
