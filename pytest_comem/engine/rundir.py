"""A run's directory: the manifest first, outcomes as they come, in order at the end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.engine.records import OUTCOMES, to_line
from pytest_comem.errors import DataError, SettingsError

MANIFEST: Final = "manifest.json"
_DEFAULT_PARENT: Final = Path(".comem") / "runs"


@final
class RunDirectory:
    """Where one run writes.

    Outcomes are appended as whole flushed lines as their tests report, so that a killed run
    loses nothing that was reported; :meth:`finish` puts them into the order of the suite.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self._manifest = manifest
        self._lines: list[tuple[tuple[int, ...], int, int]] = []
        self._end = 0
        path.mkdir(parents=True, exist_ok=True)
        if (path / OUTCOMES).exists():
            raise SettingsError(
                f"--comem-run-dir: {path} already holds a run; name a new directory"
            )
        _write_json(path / MANIFEST, manifest)
        self._file = (path / OUTCOMES).open("xb")

    @classmethod
    def create(cls, path: Path, manifest: dict[str, Any], *, ours: bool) -> RunDirectory:
        """Return the directory *path*.

        :param ours: it is one of :func:`default_path`, kept out of version control and linked to
            as ``latest``.
        :raises SettingsError: where it cannot be made or already holds a run.
        """
        try:
            run = cls(path, manifest)
            if ours:
                ignore = path.parent.parent / ".gitignore"
                if not ignore.exists():
                    ignore.write_text("*\n", encoding="utf-8")
                _link_latest(path.parent, path.name)
            return run
        except OSError as error:
            raise SettingsError(
                f"--comem-run-dir: cannot write {error.filename}: {error.strerror}; "
                "name a directory that can be written"
            ) from error

    def append(self, record: Mapping[str, Any], order: tuple[int, ...]) -> None:
        """Write one outcome; *order* is its place in the finished file."""
        line = to_line(dict(record)).encode("utf-8", "backslashreplace")
        self._file.write(line)
        self._file.flush()
        self._lines.append((order, self._end, len(line)))
        self._end += len(line)

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Sort the outcomes and complete the manifest."""
        self._file.close()
        if self._lines != sorted(self._lines):
            self._sort()
        self._manifest["finished"] = dict(summary)
        _write_json(self.path / MANIFEST, self._manifest)

    def _sort(self) -> None:
        target = self.path / OUTCOMES
        temporary = target.with_suffix(".sorting")
        with target.open("rb") as source, temporary.open("wb") as sorted_file:
            for _, start, length in sorted(self._lines):
                source.seek(start)
                sorted_file.write(source.read(length))
        temporary.replace(target)


def default_path(root: Path, run_id: str) -> Path:
    """Return a new path under ``.comem/runs`` in *root*."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return root / _DEFAULT_PARENT / f"{stamp}-{run_id}"


def read_manifest(run: Path) -> dict[str, Any]:
    """Return a run's manifest; empty where it has none.

    :raises DataError: where it is not a JSON object.
    """
    path = run / MANIFEST
    if not path.is_file():
        return {}
    try:
        manifest = json.loads(path.read_bytes())
    except ValueError as error:
        raise DataError(f"not JSON: {error}", file=str(path)) from None
    if not isinstance(manifest, dict):
        raise DataError("not a JSON object", file=str(path))
    return manifest


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
