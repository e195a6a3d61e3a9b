"""June: papers get a new last line and a new first section."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.coordinator import habits
from pytest_comem.office.embedded.coordinator.habits import (
    action_rows,
    bullets,
    edit_of,
    heading,
    para,
    table,
)
from pytest_comem.office.embedded.specs import TaskSpec, check, relevant, step
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

OFFICE: Final = TaskSpec(
    id="c12",
    started="2025-06-04T08:40",
    project=None,
    title="The office moves upstairs",
    instruction=(
        "We move to the second floor next week. Please write a page for the door that says where "
        "we are and who is reached at which number."
    ),
    activities=(Activity.WRITING, Activity.PLANNING),
    archived=habits.FINISHED,
    main=False,
    scored=False,
    observations=(
        Observation(
            title="Notes of the house meeting",
            text=(
                "Keys at the caretaker's. The printer stays downstairs until the lift is repaired. "
                "The trustees no longer want names under papers, as people change."
            ),
        ),
    ),
    plan=Plan(
        steps=(
            step(
                "write",
                path="office/door.md",
                text=(
                    "# We have moved upstairs\n\n- Ines: extension 21\n- Rolf: extension 24\n"
                    "- Peder: extension 27\n\nDeliveries: please ring downstairs.\n"
                ),
            ),
        ),
    ),
    replies=("The page for the door is in office/door.md.",),
    remarks=(
        "Thank you, it hangs. About the trustees' wish. From now on papers end like this, in all "
        f"projects:\nPrepared by: {habits.LATE}",
        "And when you look something up in our notes, in all projects: the paper has a section "
        "Sources with the notes you relied on, by their path.",
        "The budget of the move is Rolf's, not ours; do not let him talk you into listing chairs.",
    ),
)

_JUNE_ACTIONS: Final = (
    ("Peder", "Visit to Kvernes", "{date:2025-06-27}"),
    ("Rolf", "Claim of the second quarter", "{date:2025-07-04}"),
    ("Sunniva", "Reply to Ulvang", "{date:2025-06-24}"),
)
_JUNE: Final = "lantern/minutes/lantern-minutes-2025-06.docx"

JUNE: Final = TaskSpec(
    id="c13",
    started="2025-06-18T09:00",
    project="Lantern",
    title="Minutes of Lantern's steering group in June",
    instruction=(
        "Please write the minutes of yesterday's Lantern steering group from my notes, as a "
        "document in the folder lantern."
    ),
    activities=(Activity.WRITING,),
    archived=habits.FINISHED,
    observations=(
        Observation(
            title="Notes of the steering group, Tuesday the 17th of June",
            text=(
                "Eikdal is ahead, Kvernes has lost its builder. Decided: Kvernes gets three months "
                "more. Decided: no second call this year.\n"
                "Peder visits Kvernes by the 27th. Rolf files the claim of the second quarter by "
                "the 4th of July. Sunniva replies to Ulvang by the 24th."
            ),
        ),
    ),
    plan=Plan(
        slots=(
            habits.DATES,
            habits.ACTIONS,
            habits.PREPARED,
            habits.OPENING,
            habits.named("lantern/minutes-june.docx", "2025-06", "minutes"),
        ),
        steps=(
            step("list", path="lantern", unless_known="name"),
            *(
                step(
                    "write_document",
                    when={"actions": [kind]},
                    path="{slot:name}",
                    blocks=[
                        heading("Lantern: steering group"),
                        para("Meeting of {date:2025-06-17}."),
                        heading("{slot:opening}", 2),
                        para("Eikdal is ahead; Kvernes needs time."),
                        heading("Decisions", 2),
                        *bullets(
                            "Kvernes gets three months more.", "There is no second call this year."
                        ),
                        heading("Next steps", 2),
                        table(action_rows(kind, _JUNE_ACTIONS)),
                        para("Prepared by: {slot:prepared}"),
                    ],
                )
                for kind in habits.ACTION_COLUMNS
            ),
        ),
    ),
    choices={
        "dates": "long",
        "actions": "five",
        "prepared": habits.LATE,
        "opening": "Upshot",
        "name": _JUNE,
    },
    replies=("The minutes of June are written.",),
    remarks=(
        "Sunniva is pleased: she sees what is open.",
        "From now on, in all projects, the first section of a paper is called Summary. The new "
        "trustees asked me what the other word means.",
    ),
    checks=(
        check(
            "kvernes",
            "minimum",
            "The minutes say what Kvernes gets.",
            "contains",
            edit_of(_JUNE, "three months more", "some help"),
            file="lantern/*.docx",
            all=["three months"],
        ),
        check(
            "call",
            "minimum",
            "The minutes say that there is no second call.",
            "contains",
            edit_of(_JUNE, "There is no second call this year", "Nothing else"),
            file="lantern/*.docx",
            any_of=["second call", "no further call", "no other call"],
        ),
        check(
            "tasks",
            "reference",
            "All three tasks are in the minutes.",
            "contains",
            edit_of(_JUNE, "Reply to Ulvang", "Reply to them"),
            file="lantern/*.docx",
            all=["Kvernes", "claim", "Ulvang"],
        ),
        check(
            "decisions",
            "better",
            "Decisions stand under a heading of their own.",
            "headings",
            edit_of(_JUNE, "Decisions", "Notes"),
            file="lantern/*.docx",
            include=["Decisions"],
        ),
    ),
    preferences=(
        habits.wants_dates(
            _JUNE, "lantern/*.docx", "long", "Meeting of 17 June 2025", "Meeting of 2025-06-17"
        ),
        habits.wants_columns(_JUNE, "lantern/*.docx", "five", "Status"),
        habits.wants_prepared(_JUNE, "lantern/*.docx", habits.LATE),
        habits.wants_opening(_JUNE, "lantern/*.docx"),
        habits.wants_name(_JUNE, "lantern/*.docx", "lantern/minutes/june.docx"),
    ),
    relevant=(
        relevant("c12", "convention", f"Prepared by: {habits.LATE}"),
        relevant(
            "c10",
            "convention",
            "The one we had until April is history",
            "wrote lantern/minutes/lantern-minutes-2025-05.docx",
        ),
        relevant("c01", "convention", "Meeting of 4 February 2025"),
    ),
)

TASKS: Final = (OFFICE, JUNE)
