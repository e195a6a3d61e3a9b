"""Tasks of a Toolathlon-GYM checkout that the user has: what they ask, and what they need.

A task is a directory of ``tasks/finalpool``: ``task_config.json`` names its servers,
``docs/task.md`` says what to do, ``initial_workspace`` is what there is, ``preprocess/main.py``
changes files and rows before the work, ``evaluation/main.py`` judges files and rows afterwards,
beside ``groundtruth_workspace``. Nothing of a checkout is part of this package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import DataError
from pytest_comem.servers.opening import missing

_TASKS: Final = Path("tasks", "finalpool")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,120}")
#: Bytes of a file of a task that is read as text.
_LONGEST: Final = 1 << 20
#: Servers of ours by the names that tasks have for servers of the same kind.
_OURS: Final[Mapping[str, str]] = {
    "filesystem": "filesystem",
    "git": "git",
    "excel": "excel",
    "time": "time",
}


@final
@dataclass(frozen=True, slots=True)
class GymTask:
    """One task.

    :param name: of its directory.
    :param directory: in the checkout; nothing is written there.
    :param text: what the agent is asked.
    :param needs: names of servers, as the task has them.
    """

    name: str
    directory: Path
    text: str
    needs: tuple[str, ...]

    @property
    def servers(self) -> tuple[str, ...]:
        """The servers of ours that it needs, as far as there are such."""
        return tuple(_OURS[name] for name in self.needs if name in _OURS)

    def missing(self, sandbox: str = "auto") -> str | None:
        """Return why it cannot be run here; ``None`` where it can."""
        foreign = [name for name in self.needs if name not in _OURS]
        if foreign:
            return f"no server is declared for {', '.join(foreign)}"
        lacking = missing(self.servers, sandbox)
        return "; ".join(f"server {name}: {why}" for name, why in lacking.items()) or None


@final
class GymCheckout:
    """A checkout.

    :param root: its directory.
    :raises DataError: where it is none.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        if not (self.root / _TASKS).is_dir():
            raise DataError(f"has no directory {_TASKS}: not a checkout", file=str(root))

    @property
    def script(self) -> Path | None:
        """What makes its database; ``None`` where there is none."""
        for name in ("init.sql.gz", "init.sql"):
            if (self.root / "db" / name).is_file():
                return self.root / "db" / name
        return None

    def names(self) -> Sequence[str]:
        """Return the names of its tasks, sorted."""
        found = (self.root / _TASKS).glob("*/task_config.json")
        return sorted(path.parent.name for path in found if _NAME.fullmatch(path.parent.name))

    def task(self, name: str) -> GymTask:
        """Return a task.

        :raises DataError: where there is none of that name, or its files are not as they should be.
        """
        place = self.root / _TASKS / name
        if not _NAME.fullmatch(name) or not place.is_dir():
            raise DataError(f"has no task {name!r}", file=str(self.root))
        for needed in ("evaluation/main.py", "docs/task.md"):
            if not (place / needed).is_file():
                raise DataError(f"has no {needed}", file=str(place))
        file = place / "task_config.json"
        try:
            settings = json.loads(_text(file))
        except ValueError as error:
            raise DataError(f"is not JSON: {error}", file=str(file)) from error
        return GymTask(name, place, _text(place / "docs" / "task.md"), _servers(settings, file))


def _servers(settings: Any, file: Path) -> tuple[str, ...]:
    found = settings.get("needed_mcp_servers") if isinstance(settings, dict) else None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise DataError("is not a list of names", file=str(file), field="needed_mcp_servers")
    return tuple(dict.fromkeys(found))


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(_LONGEST + 1)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(file)) from error
    if len(content) > _LONGEST:
        raise DataError(f"has more than {_LONGEST} bytes", file=str(file))
    return content.decode("utf-8", "replace")
