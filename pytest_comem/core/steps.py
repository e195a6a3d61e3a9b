"""The identity of an evaluated item, and its place in pytest's ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, final

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]")


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One evaluated item: a checkpoint, a node, a task.

    :param suite: name of the suite.
    :param system: label of the memory system.
    :param domain: part of the benchmark the episode belongs to.
    :param episode: episode id.
    :param id: id of the step, unique within its episode.
    :param position: place in the episode's order of steps, 0-based.
    """

    suite: str
    system: str
    domain: str
    episode: str
    id: str
    position: int

    @property
    def run(self) -> tuple[str, str, str]:
        """What shares one memory: the suite, the system and the episode."""
        return (self.suite, self.system, self.episode)

    @property
    def label(self) -> str:
        """The id in brackets of the pytest item: system, domain, episode and step.

        The last dash separates the step, so that everything before it names the episode's run:
        the scheduler groups by that.
        """
        short = self.id.removeprefix(self.episode).lstrip("_") or self.id
        head = f"{safe(self.system)}-{safe(self.domain)}-{safe(self.episode)}"
        return f"{head}-{safe(short).replace('-', '_')}"


def safe(part: str) -> str:
    """Return *part* with everything but letters, digits, ``_``, ``.`` and ``-`` replaced."""
    return _UNSAFE.sub("_", part)
