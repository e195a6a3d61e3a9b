"""A run's directory: the manifest first, outcomes as they come, in order at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.engine.exclusive import Exclusive
from pytest_comem.engine.records import OUTCOMES, size_of, to_line
from pytest_comem.errors import DataError, SettingsError

MANIFEST: Final = "manifest.json"
#: Directory in a run where its memory systems store things while it goes on.
STATE: Final = "state"
#: Where runs are written that name no directory.
DEFAULT_PARENT: Final = Path(".comem") / "runs"


@final
class RunDirectory:
    """Where one run writes.

    Outcomes are appended as whole flushed lines as their tests report, so that a killed run
    loses nothing that was reported; :meth:`finish` puts them into the order of the suite.

    :param kept: lines of an earlier part of the same run, by name, with their places.
    :param size: bytes of the file that these were read from.
    """

    def __init__(
        self,
        path: Path,
        manifest: dict[str, Any],
        kept: Mapping[str, tuple[tuple[int, ...], bytes]] | None = None,
        size: int = 0,
    ) -> None:
        self.path = path
        self._manifest = manifest
        self._lines: dict[str, tuple[tuple[int, ...], int, int]] = {}
        self._end = 0
        path.mkdir(parents=True, exist_ok=True)
        self._exclusive = _held_alone(path)
        target = path / OUTCOMES
        if kept is not None:
            if size_of(target) != size:
                raise SettingsError(
                    f"--comem-resume: another process has written to {target} since it was read; "
                    "start again"
                )
            self._keep(target, kept)
        elif target.exists():
            raise SettingsError(
                f"--comem-run-dir: {path} already holds a run; name a new directory, or go on with "
                f"it (--comem-resume {path})"
            )
        _write_json(path / MANIFEST, manifest)
        self._file = target.open("xb" if kept is None else "ab")

    @classmethod
    def create(cls, path: Path, manifest: dict[str, Any], *, ours: bool) -> RunDirectory:
        """Return the new directory *path*.

        :param ours: it is one of :func:`default_path`, kept out of version control and linked to
            as ``latest``.
        :raises SettingsError: where it cannot be made or already holds a run.
        """
        with _said_of(path):
            run = cls(path, manifest)
            if ours:
                ignore = path.parent.parent / ".gitignore"
                if not ignore.exists():
                    ignore.write_text("*\n", encoding="utf-8")
                _link_latest(path.parent, path.name)
            return run

    @classmethod
    def resume(
        cls,
        path: Path,
        manifest: dict[str, Any],
        kept: Mapping[str, tuple[tuple[int, ...], bytes]],
        size: int,
    ) -> RunDirectory:
        """Return the directory of an earlier part of this run, holding only what is *kept*.

        :param size: bytes of the file of outcomes when what is kept was read from it.
        :raises SettingsError: where it cannot be written, or another process writes to it.
        """
        with _said_of(path):
            return cls(path, manifest, kept, size)

    def append(self, name: str, record: Mapping[str, Any], place: tuple[int, ...]) -> None:
        """Write one outcome; what is already there under *name* stays.

        :param place: its place in the finished file.
        """
        if name in self._lines:
            return
        line = to_line(dict(record)).encode("utf-8", "backslashreplace")
        self._file.write(line)
        self._file.flush()
        self._note(name, place, line)

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Sort the outcomes and complete the manifest."""
        self._file.close()
        lines = list(self._lines.values())
        if lines != sorted(lines):
            self._sort(sorted(lines))
        self._manifest["finished"] = dict(summary)
        _write_json(self.path / MANIFEST, self._manifest)
        self._exclusive.let_go()

    def _keep(self, target: Path, kept: Mapping[str, tuple[tuple[int, ...], bytes]]) -> None:
        temporary = target.with_suffix(".keeping")
        with temporary.open("wb") as file:
            for name, (place, line) in kept.items():
                file.write(line)
                self._note(name, place, line)
        temporary.replace(target)

    def _note(self, name: str, place: tuple[int, ...], line: bytes) -> None:
        self._lines[name] = (place, self._end, len(line))
        self._end += len(line)

    def _sort(self, lines: list[tuple[tuple[int, ...], int, int]]) -> None:
        target = self.path / OUTCOMES
        temporary = target.with_suffix(".sorting")
        with target.open("rb") as source, temporary.open("wb") as sorted_file:
            for _, start, length in lines:
                source.seek(start)
                sorted_file.write(source.read(length))
        temporary.replace(target)


def _held_alone(path: Path) -> Exclusive:
    try:
        return Exclusive(path)
    except BlockingIOError:
        raise SettingsError(
            f"--comem-run-dir, --comem-resume: the run in {path} still goes on in another process; "
            "wait for its end or end it, or name another directory"
        ) from None


@contextmanager
def _said_of(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SettingsError(
            f"--comem-run-dir: cannot write {error.filename or path}: {error.strerror}; "
            "name a directory that can be written"
        ) from error


def default_path(root: Path, run_id: str) -> Path:
    """Return a new path under ``.comem/runs`` in *root*."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return root / DEFAULT_PARENT / f"{stamp}-{run_id}"


def read_manifest(run: Path) -> dict[str, Any]:
    """Return a run's manifest; empty where it has none.

    :raises DataError: where it is not a JSON object.
    """
    path = run / MANIFEST
    if not path.is_file():
        return {}
    try:
        manifest = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", file=str(path)) from None
    if not isinstance(manifest, dict):
        raise DataError("not a JSON object", file=str(path))
    return manifest


def is_run(path: Path) -> bool:
    """Whether *path* is the directory of a run: it has a manifest that names this plugin."""
    try:
        versions = read_manifest(path).get("versions")
    except (DataError, OSError):
        return False
    return isinstance(versions, dict) and "pytest-comem" in versions


def _write_json(path: Path, value: Any) -> None:
    temporary = path.with_suffix(".writing")
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    # A lone surrogate, as in a message, becomes the JSON escape that it is read back from.
    temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
    temporary.replace(path)


def _link_latest(parent: Path, name: str) -> None:
    link = parent / "latest"
    try:
        link.unlink(missing_ok=True)
        link.symlink_to(name, target_is_directory=True)
    except OSError:
        # No symbolic links here (some file systems): the header names the directory anyway.
        return
