"""The identity of an evaluated item, and its place in pytest's ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Final, TypeAlias, final

#: What shares one memory: suite, system, model, episode and repeat.
RunKey: TypeAlias = tuple[str, str, str, str, int]

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
    :param model: label of the model (:func:`model_labels`); empty where the run has only one.
    :param repeat: number of the repeat, 0-based; ``None`` where the run repeats nothing.
    """

    suite: str
    system: str
    domain: str
    episode: str
    id: str
    position: int
    model: str = ""
    repeat: int | None = None

    @property
    def run(self) -> RunKey:
        """What shares one memory."""
        return (self.suite, self.system, self.model, self.episode, self.repeat or 0)

    @property
    def run_label(self) -> str:
        """What of :attr:`label` names the run: system, model, domain, episode and repeat."""
        return _run_label(self.system, self.model, self.domain, self.episode, self.repeat)

    @property
    def label(self) -> str:
        """The id in brackets of the pytest item: the run (:attr:`run_label`) and the step.

        The last dash separates the step, so that everything before it names the episode's run:
        the scheduler groups by that.
        """
        short = self.id.removeprefix(self.episode).lstrip("_") or self.id
        # Kept by many: one copy is enough.
        return intern(f"{self.run_label}-{safe(short).replace('-', '_')}")


@lru_cache(maxsize=1_024)
def _run_label(system: str, model: str, domain: str, episode: str, repeat: int | None) -> str:
    names = (system, model, domain, episode) if model else (system, domain, episode)
    number = "" if repeat is None else f".r{repeat + 1}"
    return "-".join(map(safe, names)) + number


def safe(part: str) -> str:
    """Return *part* with everything but letters, digits, ``_``, ``.`` and ``-`` replaced."""
    return _UNSAFE.sub("_", part)


def model_labels(models: Sequence[str], systems: Sequence[str]) -> dict[str, str]:
    """Return what stands for each of *models* in its steps' labels; nothing for a single one.

    No two pairs of a system and a model begin a label in the same way, whatever their names have
    in common.

    :param models: names of the run's models.
    :param systems: labels of the run's memory systems.
    """
    names = dict.fromkeys(models)
    if len(names) < 2:
        return dict.fromkeys(names, "")
    labels: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        label = wanted = safe(name) or "model"
        number = 1
        while taken & (heads := {f"{safe(system)}-{label}" for system in systems or ("",)}):
            number += 1
            label = f"{wanted}.{number}"
        labels[name] = label
        taken |= heads
    return labels
