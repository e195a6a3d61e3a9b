"""July: what the notes say of a closing trip."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.coordinator import habits
from pytest_comem.office.embedded.coordinator.habits import edit_of
from pytest_comem.office.embedded.files import table
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    check,
    decided,
    item,
    relevant,
    step,
)
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity

_NOTES: Final = {
    "saltmarsh/notes/2025-03-harbour.md": (
        "# Harbour office\n\nThe old pier is closed until autumn; boats for groups leave from the "
        "north quay. The harbour master needs a list of names a day before.\n"
    ),
    "saltmarsh/notes/2025-04-tides.md": (
        "# Tides in July\n\nThe seal bank is dry and quiet in the last week of July, from ten in "
        "the morning until two. After that no boat goes near it.\n"
    ),
    "saltmarsh/notes/2025-05-boats.md": (
        "# Leaflets of the boats\n\nAll three can land at the seal bank, the prices are in "
        "boats.csv. The Möwe is the oldest, and the children like it best.\n"
    ),
    "saltmarsh/notes/2025-05-lunch.md": (
        "# Lunch on the way\n\nThe bakery packs bags for groups. The tea house on the island is "
        "too small and only takes cash.\n"
    ),
    "saltmarsh/notes/2025-06-insurance.md": (
        "# Insurance\n\nThe school insurance covers boats that carry life jackets for all. The "
        "three boats of Brandt do; the ferry is covered anyway.\n"
    ),
}
_BOATS: Final = "saltmarsh/notes/boats.csv"
_TRIP: Final = "saltmarsh/closing-trip.md"
_TRIP_SQL: Final = "FROM boats WHERE places - {slot:crew} >= 37 ORDER BY price LIMIT 1"
_TRIP_CHOICES: Final = ("no", "yes")
_RELIED: Final = (
    "\n\n## Sources\n\n- saltmarsh/notes/2025-03-harbour.md\n- saltmarsh/notes/2025-04-tides.md\n"
    "- saltmarsh/notes/boats.csv"
)

TRIP: Final = TaskSpec(
    id="c15",
    started="2025-07-15T11:10",
    project="Saltmarsh",
    title="The closing trip of the field week",
    instruction=(
        "For the closing trip we take 37 guests to the seal bank. What do our notes "
        "(saltmarsh/notes) say: which boat is the cheapest that takes us all, from where does it "
        "leave, and is the 28th of July a good day, from when until when? A page for Wattenberg, "
        "please: saltmarsh/closing-trip.md, with lines that begin 'Boat:' and 'Price:'."
    ),
    activities=(Activity.DEEP_RESEARCH, Activity.WRITING),
    archived=habits.FINISHED,
    incoming={
        **_NOTES,
        _BOATS: table(
            [
                ("boat", "places", "price"),
                ("Möwe", 38, "1180.00"),
                ("Seestern", 44, "1345.50"),
                ("Nordlicht", 60, "1720.00"),
            ]
        ),
    },
    plan=Plan(
        slots=(
            habits.CREW,
            habits.SOURCES,
            habits.DATES,
            habits.AMOUNTS,
            habits.PREPARED,
            habits.OPENING,
        ),
        steps=(
            step("list", path="saltmarsh/notes"),
            *(step("read", path=path) for path in _NOTES),
            *(
                step(
                    "query",
                    save=name,
                    tables=[{"name": "boats", "path": _BOATS}],
                    statement=f"SELECT {name} {_TRIP_SQL}",
                )
                for name in ("boat", "price")
            ),
            *(
                step(
                    "write",
                    when={"sources": [listed]},
                    path=_TRIP,
                    text=(
                        "# The closing trip\n\n## {slot:opening}\n\n"
                        "The trip can be on {date:2025-07-28}: the bank is dry from ten to two.\n\n"
                        "## What the notes say\n\nBoat: {value:boat}\n"
                        "Price: {number:price} Euro\nIt leaves from the north quay; the old pier "
                        "is closed." + (_RELIED if listed == "yes" else "") + "\n\n"
                        "Prepared by: {slot:prepared}\n"
                    ),
                )
                for listed in _TRIP_CHOICES
            ),
        ),
    ),
    choices={
        "crew": "4",
        "sources": "yes",
        "dates": "dotted",
        "amounts": "1.234,50",
        "prepared": habits.LATE,
        "opening": "Summary",
    },
    replies=("The page about the trip is saltmarsh/closing-trip.md.",),
    remarks=("The mayor comes along, so we are 38; the boat can take it.",),
    checks=(
        check(
            "quay",
            "minimum",
            "The page says that the boat leaves from the north quay.",
            "contains",
            edit_of(_TRIP, "north quay", "harbour"),
            file="saltmarsh/*.md",
            all=["north quay"],
        ),
        check(
            "boat",
            "minimum",
            "The boat has a place for every guest beside its crew.",
            "line",
            edit_of(_TRIP, "Boat: Seestern", "Boat: Möwe"),
            ["crew"],
            file="saltmarsh/*.md",
            lead="Boat:",
            equal="Seestern",
        ),
        check(
            "tide",
            "reference",
            "The page says when the bank is dry.",
            "contains",
            edit_of(_TRIP, "dry from ten to two", "dry in the morning"),
            file="saltmarsh/*.md",
            any_of=["ten", "10"],
        ),
        check(
            "price",
            "reference",
            "The page has the boat's price.",
            "number_near",
            edit_of(_TRIP, "Price: 1.345,50", "Price: 1.180,00"),
            ["crew"],
            file="saltmarsh/*.md",
            near="Price:",
            equals=1345.5,
        ),
    ),
    preferences=(
        habits.wants_dates(_TRIP, "saltmarsh/*.md", "dotted", "28.07.2025", "28 July 2025"),
        habits.wants_amounts(_TRIP, "saltmarsh/*.md", "1.234,50", "1.345,50", "1,345.50"),
        item(
            "sources",
            "sources",
            "A section Sources names the notes relied on, by their path.",
            decided(
                "contains",
                edit_of(_TRIP, "- saltmarsh/notes/2025-04-tides.md", "- the tides"),
                ["sources"],
                file="saltmarsh/*.md",
                section="Sources",
                all=["saltmarsh/notes/2025-03-harbour.md", "saltmarsh/notes/2025-04-tides.md"],
            ),
            weight=2,
        ),
        habits.wants_prepared(_TRIP, "saltmarsh/*.md", habits.LATE),
        habits.wants_opening(_TRIP, "saltmarsh/*.md", "## ", "Summary"),
    ),
    relevant=(
        relevant("c12", "convention", f"Prepared by: {habits.LATE}", "section Sources"),
        relevant("c13", "convention", "is called Summary"),
        relevant("c09", "fact", "four of them are crew", "wrote saltmarsh/field-week.md"),
        relevant("c02", "convention", "18.02.2025"),
    ),
)

TASKS: Final = (TRIP,)
