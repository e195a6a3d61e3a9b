"""Who the coordinator is, what she wants of all work, and her sixteen tasks in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pytest_comem.office.embedded.coordinator import (
    tasks_april,
    tasks_august,
    tasks_easter,
    tasks_february,
    tasks_july,
    tasks_june,
    tasks_march,
    tasks_may,
    tasks_trip,
)
from pytest_comem.office.embedded.coordinator.chatter import CHATTER
from pytest_comem.streams.hidden import RootPreference, RootPreferences
from pytest_comem.streams.schema import Participant

TASKS: Final = tuple(
    replace(task, remarks=(*task.remarks, *CHATTER.get(task.id, ())))
    for task in (
        *tasks_february.TASKS,
        *tasks_march.TASKS,
        *tasks_easter.TASKS,
        *tasks_april.TASKS,
        *tasks_may.TASKS,
        *tasks_june.TASKS,
        *tasks_july.TASKS,
        *tasks_trip.TASKS,
        *tasks_august.TASKS,
    )
)

PARTICIPANT: Final = Participant(
    participant_id="coordinator",
    name="Ines Halvorsen",
    role="programme coordinator",
    about=(
        "Coordinates three programmes of the Brackenfield Trust: Lantern gives small grants to "
        "villages that save energy, Saltmarsh is a field week for schools by the sea, Kestrel is "
        "an exchange of three schools. Writes minutes, letters, claims and plans for people "
        "who have little time."
    ),
    projects=("Lantern", "Saltmarsh", "Kestrel"),
    order=tuple(task.id for task in TASKS),
    license="Apache-2.0",
    source="written for pytest-comem; persons, places and companies are invented",
)

PREFERENCES: Final = RootPreferences(
    preferences=(
        RootPreference(
            preference_id="dates",
            text=(
                "Dates are written as a programme's readers write them: 4 March 2025 in Lantern, "
                "12.03.2025 in Saltmarsh, 2025-05-19 in Kestrel."
            ),
        ),
        RootPreference(
            preference_id="amounts",
            text=(
                "So are amounts: EUR 3,400.00 in Lantern, 1.234,50 Euro in Saltmarsh, whole euros "
                "in Kestrel (2,480 EUR)."
            ),
        ),
        RootPreference(
            preference_id="actions",
            text=(
                "Minutes end with a table of what is to be done: Action, Owner, Due in Lantern "
                "until April 2025 and No, Owner, Action, Due, Status since May; Who, What, When in "
                "Kestrel."
            ),
        ),
        RootPreference(
            preference_id="names",
            text="Files are called after programme, kind and month, in a folder of their kind.",
        ),
        RootPreference(
            preference_id="upshot",
            text=(
                "Papers open with a section of two or three sentences, called Upshot, and Summary "
                "since the end of June 2025."
            ),
        ),
        RootPreference(
            preference_id="prepared-by",
            text=(
                "Papers end with a line 'Prepared by:': first I. Halvorsen, since June 2025 the "
                "office and the trust instead of a name."
            ),
        ),
        RootPreference(
            preference_id="signed",
            text="Letters of Lantern are signed: Ines Halvorsen, for the Lantern panel.",
            project="Lantern",
        ),
        RootPreference(
            preference_id="coming",
            text="Lists and badges of Saltmarsh name only people who come: state C of the portal.",
            project="Saltmarsh",
        ),
        RootPreference(
            preference_id="formulas", text="Sums in workbooks are formulas that can be followed."
        ),
        RootPreference(
            preference_id="sources",
            text="What is looked up in notes has a section Sources that names them by their path.",
        ),
    )
)
