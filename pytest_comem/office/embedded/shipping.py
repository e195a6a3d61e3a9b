"""Writes the embedded set: ``python -m pytest_comem.office.embedded.shipping [PARTICIPANT]``.

Whoever changes a participant runs it, and certifies the stream. It runs the participants' own
scripts on this machine, and takes a few seconds.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_comem.locations import fixture_path
from pytest_comem.office.embedded.building import TaskSpec, build
from pytest_comem.streams.hidden import RootPreferences
from pytest_comem.streams.schema import Participant

#: The participants; each has a module ``<participant>.stream`` here with ``PARTICIPANT``,
#: ``PREFERENCES`` and ``TASKS``.
PARTICIPANTS: Final = ("analyst", "coordinator", "maintainer")


def parts_of(participant: str) -> tuple[Participant, RootPreferences, Sequence[TaskSpec]]:
    """Return what a participant's author wrote down.

    :raises ValueError: where there is no such participant.
    """
    if participant not in PARTICIPANTS:
        raise ValueError(f"no participant {participant!r}; there are {', '.join(PARTICIPANTS)}")
    module = importlib.import_module(f"pytest_comem.office.embedded.{participant}.stream")
    return module.PARTICIPANT, module.PREFERENCES, module.TASKS


def ship(participant: str, destination: Path | None = None) -> Path:
    """Write a participant's stream, where the shipped ones are if nothing else is said."""
    place = destination or fixture_path("contextweave") / participant
    build(*parts_of(participant), place)
    return place


if __name__ == "__main__":
    for name in sys.argv[1:] or PARTICIPANTS:
        print(ship(name))
