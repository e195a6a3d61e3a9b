"""``comem build``: material for a benchmark from one's own work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pytest_comem.histories.build import Built
    from pytest_comem.histories.drafting import Drafter


def build_contextweave(
    directory: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="With --apply: the stream to correct.")
    ] = None,
    repository: Annotated[
        Path | None, typer.Option("--from-git", metavar="REPO", help="A git repository.")
    ] = None,
    paths: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="A file or directory of it; may be given again."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="New directory to write.")
    ] = None,
    author: Annotated[
        str, typer.Option(metavar="NAME", help="Name or address; else who has most commits.")
    ] = "",
    since: Annotated[
        str, typer.Option(metavar="DAY", help="No task before this day, such as 2024-01-31 (UTC).")
    ] = "",
    until: Annotated[
        str, typer.Option(metavar="DAY", help="No task on this day or later (UTC).")
    ] = "",
    gap: Annotated[
        int, typer.Option(metavar="MINUTES", min=1, help="Longest pause within one task.")
    ] = 120,
    limit: Annotated[
        int | None, typer.Option(metavar="TASKS", min=1, help="Tasks at most, the earliest.")
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="A model that drafts titles and instructions.")
    ] = "",
    api_base: Annotated[
        str, typer.Option(metavar="URL", help="Base URL of the model; else its provider's own.")
    ] = "",
    keep_names: Annotated[
        bool, typer.Option("--keep-names", help="Keep names of authors; their addresses go.")
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept-drafts", help="Score drafts that nobody has reviewed.")
    ] = False,
    review: Annotated[
        Path | None,
        typer.Option("--apply", metavar="FILE", help="Apply a corrected review.jsonl to DIR."),
    ] = None,
) -> None:
    """Turn the history of somebody's documents into a stream of office tasks.

    An author's edits are grouped into tasks by time and files; each has a drafted instruction, the
    files before and after, and a drafted rubric. E-mail and network addresses, phone numbers, keys,
    home directories and authors' names are replaced, the same by the same everywhere; look through
    the result all the same. No task is scored before its line in DIR/review.jsonl says "reviewed":
    true: correct that file, then run 'comem build contextweave --apply DIR/review.jsonl DIR'. Such
    streams have no plans, so they are for language models and command-line agents, and not for the
    offline agent.
    """
    from pytest_comem.errors import SettingsError
    from pytest_comem.histories.build import Wanted, apply, build

    if review is not None:
        if repository is not None or out is not None or directory is None:
            raise SettingsError("--apply FILE takes DIR, and neither --from-git nor -o")
        _say(apply(directory, review), directory)
        return
    if repository is None or out is None or not paths or directory is not None:
        raise SettingsError("say --from-git REPO --paths PATH -o DIR, or --apply FILE DIR")
    wanted = Wanted(
        tuple(dict.fromkeys(map(_path, paths))),
        author,
        _day("--since", since),
        _day("--until", until),
        timedelta(minutes=gap),
        limit,
        keep_names,
        accept,
    )
    with _drafter(model, api_base) as drafter:
        _say(build(repository, wanted, out, drafter), out)


@contextmanager
def _drafter(model: str, api_base: str) -> Iterator[Drafter]:
    """Give what drafts: rules, or a model through the door."""
    from pytest_comem.histories.drafting import draft_of

    if not model:
        yield draft_of
        return
    from pytest_comem.histories.model_drafts import ModelDrafter
    from pytest_comem.llm.calls import ModelSpec
    from pytest_comem.llm.door import Door
    from pytest_comem.llm.structured import StructuredModel

    door = Door()
    try:
        spec = ModelSpec(model, api_base, {"temperature": 0.0, "max_tokens": 1024})
        yield ModelDrafter(StructuredModel(door, spec), door.meter("history"))
    finally:
        door.close()


def _say(built: Built, directory: Path) -> None:
    """Print what came of it, and what is to be done next."""
    from pytest_comem.core.printable import printable

    def line(text: str) -> None:
        typer.echo(printable(text))

    commits = f"{built.commits} commits, " if built.commits else ""
    line(f"{directory}: {commits}{built.tasks} tasks, {built.targets} of them scored")
    if built.replaced:
        line("replaced: " + ", ".join(f"{n} x {kind}" for kind, n in built.replaced.items()))
    for why, count in built.left_out.items():
        line(f"left out of workspaces: {count} files ({why})")
    waiting = built.drafted - built.targets
    if waiting > 0:
        line(f"{waiting} more can be scored: correct {directory / 'review.jsonl'}, set reviewed")
        line(f"then: comem build contextweave --apply {directory / 'review.jsonl'} {directory}")
    line("it has no plans: for a language model or a command-line agent, not the offline agent")


def _path(text: str) -> str:
    """Return a path as git has it in trees."""
    from pytest_comem.errors import SettingsError

    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or not text:
        raise SettingsError(f"--paths {text}: is no path inside the repository, such as docs/")
    return str(path)


def _day(option: str, text: str) -> datetime | None:
    from pytest_comem.errors import SettingsError

    if not text:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise SettingsError(f"{option} {text}: is no day, such as 2024-01-31") from None
