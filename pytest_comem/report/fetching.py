"""How a download shows: a bar on a terminal, one plain line a file anywhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn

from pytest_comem.datasets.transfer import Listener


@contextmanager
def fetching_display(console: Console | None = None) -> Iterator[Listener]:
    """Yield the listener that fits standard output; a CI log counts as no terminal."""
    shown = console or Console(highlight=False, markup=False, emoji=False)
    if not shown.is_terminal or os.environ.get("CI"):
        yield _Lines(shown)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    with Progress(*columns, console=shown, transient=True) as progress:
        yield _Bar(progress)


@final
class _Lines:
    def __init__(self, console: Console) -> None:
        self._console = console

    def started(self, name: str, done: int, size: int | None) -> None:
        of = "" if size is None else f" ({size / 1e6:.1f} MB)"
        at = f", going on after {done / 1e6:.1f} MB" if done else ""
        self._console.print(f"{name}: fetching{of}{at}", soft_wrap=True, markup=False)

    def advanced(self, count: int) -> None:
        """Say nothing: a log needs no moving numbers."""

    def finished(self, name: str, how: str) -> None:
        self._console.print(f"{name}: {how}", soft_wrap=True, markup=False)


@final
class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def started(self, name: str, done: int, size: int | None) -> None:
        self._remove()
        self._task = self._progress.add_task(name, total=size, completed=done)

    def advanced(self, count: int) -> None:
        if self._task is not None:
            self._progress.advance(self._task, count)

    def finished(self, name: str, how: str) -> None:
        self._remove()
        self._progress.console.print(f"{name}: {how}", soft_wrap=True, markup=False)

    def _remove(self) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
