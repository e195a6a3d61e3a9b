"""From a repository to a stream's directory, and from a corrected review to the stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import SettingsError
from pytest_comem.histories.commits import commits_of
from pytest_comem.histories.draft_stream import StreamDraft, drafted
from pytest_comem.histories.drafting import Drafter, draft_of
from pytest_comem.histories.git import open_history
from pytest_comem.histories.grouping import Author, Group, author_of, groups_of
from pytest_comem.histories.placeholders import Placeholders
from pytest_comem.histories.review import REVIEW_FILE, applied, read_review, review_of, written
from pytest_comem.histories.storing import (
    all_files,
    read_draft,
    refuse_private,
    stream_files,
    write_again,
    write_new,
)
from pytest_comem.histories.work import Preparing, Work
from pytest_comem.streams.schema import MAX_TASKS, Participant

#: Minutes between two commits of one task, at most.
GAP: Final = 120


@final
@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a repository becomes a stream.

    :param paths: files and directories, relative to the repository.
    :param author: address or name; the one with most commits where it is empty.
    :param since: first moment of a task, and
    :param until: the first that is too late.
    :param limit: tasks at most, the earliest; as many as a stream may have where ``None``.
    :param keep_names: whether names of people stay.
    :param accept: whether drafts count as reviewed.
    """

    paths: tuple[str, ...]
    author: str = ""
    since: datetime | None = None
    until: datetime | None = None
    gap: timedelta = timedelta(minutes=GAP)
    limit: int | None = None
    keep_names: bool = False
    accept: bool = False


@final
@dataclass(frozen=True, slots=True)
class Built:
    """What came of it.

    :param commits: that touch the paths, of everybody.
    :param targets: tasks that are scored now, and
    :param drafted: those that are once they are reviewed.
    :param replaced: how many different values of each kind were replaced.
    :param left_out: how many files were left out of workspaces, by why.
    """

    commits: int
    tasks: int
    targets: int
    drafted: int
    replaced: Mapping[str, int]
    left_out: Mapping[str, int]


def build(
    repository: Path, wanted: Wanted, destination: Path, drafter: Drafter = draft_of
) -> Built:
    """Make a stream of a repository's history, in a new directory.

    :raises SettingsError: where an option does not go with the repository, or the directory is
        there already.
    :raises DataError: where something private would be written.
    :raises InfrastructureError: where git broke.
    """
    placeholders = Placeholders(wanted.keep_names)
    with open_history(repository) as reader:
        commits = commits_of(reader, wanted.paths)
        author = author_of(commits, wanted.author)
        placeholders.introduce((one.name, one.email) for one in commits)
        groups = groups_of(commits, author, wanted.gap, wanted.since, wanted.until)
        preparing = Preparing(reader, wanted.paths, placeholders)
        most = min(wanted.limit or MAX_TASKS, MAX_TASKS)
        works = _works(preparing, islice(groups, most))
        draft = drafted(
            works,
            lambda order: _participant(author, placeholders, wanted.paths, order),
            drafter,
            placeholders.text,
        )
    review = review_of(draft, wanted.accept)
    stream = applied(draft, list(enumerate(review, 1)))
    text = written(review)
    refuse_private(draft, placeholders.left_in, {REVIEW_FILE: text.replace("\\n", "\n")})
    write_new(destination, all_files(draft, stream, text))
    left_out = {why: len(names) for why, names in sorted(preparing.left_out.items())}
    return _built(len(commits), draft, stream, placeholders.counts, left_out)


def apply(directory: Path, review: Path) -> Built:
    """Put a corrected review into effect; the draft is not changed.

    :raises DataError: naming what is wrong with the review or the draft.
    :raises SettingsError: where the directory cannot be written.
    """
    draft = read_draft(directory)
    lines = read_review(review)
    stream = applied(draft, lines, review.name)
    files = stream_files(stream)
    files[REVIEW_FILE] = written(line for _, line in lines).encode("utf-8")
    write_again(directory, files)
    return _built(0, draft, stream, {}, {})


def _works(preparing: Preparing, groups: Iterator[Group]) -> Iterator[Work]:
    """Yield the work of groups, those left out that change nothing that a workspace keeps."""
    latest, number = datetime(1970, 1, 1, tzinfo=UTC), 1
    for group in groups:
        work = preparing.work(group, number, latest)
        if work.changed or work.gone:
            yield work
            latest, number = work.started, number + 1


def _participant(
    author: Author, placeholders: Placeholders, paths: Sequence[str], order: tuple[str, ...]
) -> Participant:
    if not order:
        problem = "no task is left: no commit of the author changes a file that can be kept"
        raise SettingsError(f"{problem}; see --paths, --author, --since and --until")
    name = placeholders.name(author.name, author.email)
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in name.lower())
    places = placeholders.text(", ".join(paths))[:2_000]
    return Participant(
        participant_id="-".join(part for part in plain.split("-") if part)[:60] or "author",
        name=name,
        role="author",
        about=f"Keeps the files under {places}.",
        order=order,
        license="that of the repository",
        source="a git history",
    )


def _built(
    commits: int,
    draft: StreamDraft,
    stream: StreamDraft,
    replaced: Mapping[str, int],
    left_out: Mapping[str, int],
) -> Built:
    targets = sum(one.task.scored for one in stream.tasks)
    able = sum(one.rubric is not None for one in draft.tasks)
    return Built(commits, len(stream.tasks), targets, able, replaced, left_out)
