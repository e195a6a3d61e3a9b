"""ContextWeave's streams as they are played: history as entries, targets at their points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, final

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.hashing import stable_hash
from pytest_comem.errors import BenchmarkDefect
from pytest_comem.office.base import Hidden
from pytest_comem.office.checks.registry import validate
from pytest_comem.office.operations import OPERATIONS
from pytest_comem.records.canonical import digest
from pytest_comem.streams.entries import entries_of
from pytest_comem.streams.hidden_files import HiddenTask, load_hidden
from pytest_comem.streams.loading import Stream, StreamTask, load_streams
from pytest_comem.streams.places import shown_file
from pytest_comem.streams.workspaces import contents
from pytest_comem.streams.workspaces import digest as digest_of

#: A target's workspaces, before and after.
_FILES: Final = ("workspace.json", "hidden/reference.json")
#: Groups of the distance to the nearest relevant task, by the largest of each.
_DISTANCES: Final = ((0, "none"), (1, "1"), (3, "2-3"), (10, "4-10"))


@final
@dataclass(frozen=True, eq=False)
class Target:
    """A scored task.

    :param stream: that it belongs to.
    :param position: number of tasks before it.
    :param hidden: what only graders see.
    """

    stream: Stream
    task: StreamTask
    position: int
    hidden: HiddenTask

    @property
    def id(self) -> str:
        """Its id, unique within its stream."""
        return self.task.task.task_id

    @property
    def participant(self) -> str:
        """Id of the participant."""
        return self.stream.participant.participant_id

    @cached_property
    def digest(self) -> str:
        """Hash of everything of this task that could change how it is done or graded."""
        hidden = self.hidden
        return digest(
            [
                self.stream.participant.model_dump(mode="json"),
                self.task.task.model_dump(mode="json"),
                self.task.plan and self.task.plan.model_dump(mode="json"),
                self._stored[0],
                hidden.rubric.model_dump(mode="json"),
                hidden.relevance.model_dump(mode="json"),
                self._stored[1],
            ]
        )

    @cached_property
    def _stored(self) -> tuple[str, str]:
        """Hashes of the workspaces before and after, as they are when first asked for."""
        before = self.task.workspace_digest(self.stream)
        assert before is not None
        return before, self.hidden.reference_digest(self.stream)

    def require_as_loaded(self) -> None:
        """Refuse to do a task whose stored files are no longer those of its key.

        :raises BenchmarkDefect: where a stored file is gone, or is another than when it was loaded.
        """
        workspace = self.task.workspace
        assert workspace is not None
        now = digest_of(self.stream, workspace), digest_of(self.stream, self.hidden.reference)
        for which, file, then in zip(now, _FILES, self._stored, strict=True):
            if which != then:
                raise BenchmarkDefect(
                    f"{self.participant}/tasks/{self.id}/{file}: a stored file of it has changed "
                    "since the run began; start again"
                )

    @cached_property
    def distance(self) -> str:
        """The group of how many tasks back the nearest relevant one is."""
        order = self.stream.participant.order
        relevant = [one.task_id for one in self.hidden.relevance.relevant]
        nearest = min((self.position - order.index(name) for name in relevant), default=0)
        return next((name for most, name in _DISTANCES if nearest <= most), "more than 10")

    def query(self, top_k: int) -> Query:
        """Return what a memory is asked before the task: its goal, and its project's name."""
        task, participant = self.task.task, self.stream.participant
        asked = f"{task.project}: {task.instruction}" if task.project else task.instruction
        asker = Principal(participant.participant_id, participant.role)
        return Query(asked, asker, relationships=(), policy="", top_k=top_k)

    def graders_view(self) -> Hidden:
        """Return what a grader gets."""
        workspace = self.task.workspace
        assert workspace is not None
        return Hidden(
            rubric=self.hidden.rubric,
            relevance=self.hidden.relevance,
            before=contents(self.stream, workspace),
            reference=contents(self.stream, self.hidden.reference),
        )

    def evidence(self, history: tuple[Entry, ...]) -> tuple[str, ...]:
        """Return the ids of the entries that a perfect memory recalls, nearest task first."""
        found: dict[str, None] = {}
        for relevant in self.hidden.relevance.relevant:
            begins = f"{relevant.task_id}.m"
            for entry in history:
                if entry.id.startswith(begins) and any(
                    snippet in entry.text for snippet in relevant.snippets
                ):
                    found[entry.id] = None
        return tuple(found)


@final
@dataclass(frozen=True, eq=False)
class PlayedStream:
    """A stream with its targets.

    :param targets: in order of time.
    """

    stream: Stream
    targets: tuple[Target, ...]

    @property
    def id(self) -> str:
        """Id of the participant, and of the episode."""
        return self.stream.participant.participant_id

    @cached_property
    def sessions(self) -> tuple[tuple[Entry, ...], ...]:
        """The entries of every task, in order."""
        return tuple(
            tuple(entries_of(self.stream.participant, one.task, one.session))
            for one in self.stream.tasks
        )

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """Hash of everything told before each position, one more than there are tasks."""
        found = [stable_hash([])]
        for session in self.sessions:
            told = [
                [one.id, one.text, one.timestamp, one.kind, one.speaker.id, one.speaker.role]
                for one in session
            ]
            found.append(stable_hash([found[-1], told]))
        return tuple(found)

    def history(self, position: int) -> tuple[Entry, ...]:
        """Return the entries of the tasks before a position."""
        return tuple(entry for session in self.sessions[:position] for entry in session)


@final
@dataclass(frozen=True, eq=False)
class OfficeData:
    """All streams of a run."""

    streams: tuple[PlayedStream, ...]

    @cached_property
    def targets(self) -> Mapping[tuple[str, str], Target]:
        """Every target by participant and task."""
        return {(one.id, target.id): target for one in self.streams for target in one.targets}

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """Hash of everything in a stream that is played, by participant."""
        return {
            one.id: stable_hash([one.prefixes[-1], [target.digest for target in one.targets]])
            for one in self.streams
        }

    @cached_property
    def revision(self) -> str:
        """Hash of everything that is played."""
        return stable_hash(list(self.digests.values()))


def load_office(root: Path, limit: int | None = None) -> OfficeData:
    """Return the streams of a directory, each with its hidden files.

    :param limit: targets a stream, the first ones; all where ``None``.
    :raises DataError: naming file, participant, task and field of what is wrong.
    """
    data = OfficeData(tuple(_played(stream, limit) for stream in load_streams(root, OPERATIONS)))
    # Stored files are held against these hashes when they are used.
    _ = data.digests
    return data


def _played(stream: Stream, limit: int | None) -> PlayedStream:
    targets = [
        Target(stream, task, position, _checked(stream, task))
        for position, task in enumerate(stream.tasks)
        if task.task.scored
    ]
    return PlayedStream(stream, tuple(targets[:limit]))


def _checked(stream: Stream, task: StreamTask) -> HiddenTask:
    """Return a task's hidden side, every test of its rubric one that can be decided."""
    hidden = load_hidden(stream, task, OPERATIONS)
    file = shown_file(stream.directory, f"tasks/{task.id}/hidden/rubric.json")
    for number, check in enumerate(hidden.rubric.checks):
        validate(check, file, f"checks.{number}")
    for number, item in enumerate(hidden.rubric.preferences):
        if item.test is not None:
            validate(item.test, file, f"preferences.{number}.test")
    return hidden
