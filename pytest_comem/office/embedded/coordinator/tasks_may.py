"""May: Lantern's minutes get a new form, which is none of Kestrel's."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.coordinator import habits, money, portal
from pytest_comem.office.embedded.coordinator.habits import (
    action_rows,
    bullets,
    edit_of,
    heading,
    markdown_table,
    para,
    table,
)
from pytest_comem.office.embedded.specs import TaskSpec, check, do, relevant, step
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

_MAY: Final = "lantern/minutes/lantern-minutes-2025-05.docx"

NEW_FORM: Final = TaskSpec(
    id="c10",
    started="2025-05-08T09:05",
    project="Lantern",
    title="Lantern's steering group in May",
    instruction="Minutes of Tuesday's Lantern steering group, please; my notes are short.",
    activities=(Activity.WRITING,),
    archived=habits.FINISHED,
    scored=False,
    observations=(
        Observation(
            title="Notes of the steering group",
            text=(
                "The four villages have their letters. Eikdal starts digging on the 26th.\n"
                "Open evening in the library: forty guests, good bread. Rolf misses two receipts.\n"
                "Sunniva complains that nobody can see from the minutes what is still open."
            ),
        ),
    ),
    plan=Plan(
        steps=(
            step(
                "write_document",
                path=_MAY,
                blocks=[
                    heading("Lantern: steering group"),
                    para("Meeting of 6 May 2025."),
                    heading("Upshot", 2),
                    para("All villages have their letters, and the first starts to build."),
                    heading("Decisions", 2),
                    *bullets("Eikdal starts on 26 May 2025.", "One open evening a year is enough."),
                    heading("Next steps", 2),
                    table(
                        action_rows(
                            "five",
                            [
                                ("Rolf", "Two receipts of the open evening", "16 May 2025"),
                                ("Peder", "Photographs of the digging", "30 May 2025"),
                            ],
                        )
                    ),
                    para(f"Prepared by: {habits.EARLY}"),
                ],
            ),
        ),
    ),
    replies=("Minutes with numbers and a state for each task, as Sunniva asked.",),
    edits=(
        do(
            "edit_document",
            path=_MAY,
            old="Two receipts of the open evening",
            new="Receipts of hall and bread",
        ),
    ),
    remarks=(
        "So from now on the table of tasks in Lantern is No | Owner | Action | Due | Status. "
        "The one we had until April is history.",
    ),
)

_PARTNER_ACTIONS: Final = (
    ("Castelmora", "Rooms for the workshop", "{date:2025-06-06}"),
    ("Lindenau", "Photographs of the visit", "{date:2025-05-30}"),
    ("Fjellvik", "Dates of the return visit", "{date:2025-06-13}"),
)
_PUPILS: Final = "kestrel/pupils.csv"
_PUPIL_TABLES: Final = [{"name": "pupils", "path": _PUPILS, "encoding": "{slot:encoding}"}]
_COUNT: Final = len(money.PUPILS)
_PARTNER: Final = "kestrel/minutes/kestrel-minutes-2025-05.md"

PARTNER_CALL: Final = TaskSpec(
    id="c11",
    started="2025-05-20T15:00",
    project="Kestrel",
    title="Kestrel: call after the visit to Lindenau",
    instruction=(
        "We talked with the Kestrel schools yesterday, notes below. Please write the minutes for "
        "their portal, in the folder kestrel. They should say how many pupils were in Lindenau by "
        "kestrel/pupils.csv (in a line that begins 'Pupils:') and whose suitcase it was."
    ),
    activities=(Activity.WRITING, Activity.DATA_PROCESS),
    archived=habits.FINISHED,
    incoming={_PUPILS: money.pupils()},
    observations=(
        Observation(
            title="Notes of the call, Monday the 19th of May",
            text=(
                "Lindenau was a success; pupil 9 has lost a suitcase. Cost of the week: 5,320 in "
                "all.\n"
                "Castelmora looks for rooms for the workshop until the 6th of June. Lindenau sends "
                "photographs by the 30th. Fjellvik proposes dates of the return visit by the 13th "
                "of June. Agreed: the return visit is in autumn."
            ),
        ),
    ),
    plan=Plan(
        slots=(
            habits.DATES,
            habits.AMOUNTS,
            habits.ACTIONS,
            habits.PREPARED,
            habits.OPENING,
            habits.PUPILS_ENCODING,
            habits.PEOPLE,
            habits.named("kestrel/call.md", "2025-05", "minutes"),
        ),
        steps=(
            step("list", path="kestrel", unless_known="name"),
            step("read", path=_PUPILS, unless_known="people"),
            *portal.counted_in(
                "count",
                _PUPIL_TABLES,
                "SELECT COUNT(*) FROM pupils",
            ),
            step(
                "query",
                save="owner",
                tables=_PUPIL_TABLES,
                statement="SELECT first || ' ' || last FROM pupils WHERE nr = 9",
            ),
            *(
                step(
                    "write",
                    when={"actions": [kind]},
                    path="{slot:name}",
                    text=(
                        "# Kestrel: call of the schools\n\nCall of {date:2025-05-19}.\n\n"
                        "## {slot:opening}\n\nThe visit to Lindenau was a success.\n\n"
                        "Pupils: {value:count}\n\n"
                        "## Agreed\n\n- The return visit is in autumn.\n"
                        "- The week cost {number:5320} EUR.\n"
                        "- The suitcase is that of {value:owner}.\n\n## To do\n\n"
                        + markdown_table(action_rows(kind, _PARTNER_ACTIONS))
                        + "\n\nPrepared by: {slot:prepared}\n"
                    ),
                )
                for kind in habits.ACTION_COLUMNS
            ),
        ),
    ),
    choices={
        "dates": "iso",
        "amounts": "1,235",
        "actions": "who",
        "encoding": "utf-8",
        "people": "everyone",
        "prepared": habits.EARLY,
        "opening": "Upshot",
        "name": _PARTNER,
    },
    replies=("The minutes are ready for the portal.",),
    remarks=(
        "Castelmora has them already. The suitcase was found in Hamburg.",
        "The agreement is changed, all three have signed: in what is claimed after June crowns are "
        "counted at the bank's rate of the day, the last one in our list.",
    ),
    checks=(
        check(
            "agreed",
            "minimum",
            "The minutes say when the return visit is.",
            "contains",
            edit_of(_PARTNER, "return visit is in autumn", "return visit is open"),
            file="kestrel/*.md",
            all=["autumn"],
        ),
        check(
            "cost",
            "minimum",
            "The minutes say what the week cost.",
            "contains",
            edit_of(_PARTNER, "cost 5,320 EUR", "cost 5,230 EUR"),
            file="kestrel/*.md",
            any_of=["5,320", "5,320.00", "5320", "5320.00", "5.320", "5.320,00", "5 320"],
        ),
        check(
            "pupils",
            "minimum",
            f"The minutes say that {_COUNT} pupils were there.",
            "number_near",
            edit_of(_PARTNER, f"Pupils: {_COUNT}", "Pupils: 17"),
            ["people"],
            file="kestrel/*.md",
            near="Pupils:",
            equals=_COUNT,
        ),
        check(
            "suitcase",
            "reference",
            "The owner of the suitcase is named, with the right letters.",
            "contains",
            edit_of(_PARTNER, "Zoë Brandão", "somebody"),
            ["encoding"],
            file="kestrel/*.md",
            all=["Zoë Brandão"],
        ),
        check(
            "tasks",
            "reference",
            "All three schools' tasks are there.",
            "contains",
            edit_of(_PARTNER, "for the workshop", "for all"),
            file="kestrel/*.md",
            all=["workshop", "photographs", "dates"],
        ),
    ),
    preferences=(
        habits.wants_dates(
            _PARTNER, "kestrel/*.md", "iso", "Call of 2025-05-19", "Call of 19 May 2025"
        ),
        habits.wants_amounts(_PARTNER, "kestrel/*.md", "1,235", "5,320 EUR", "5320.00 EUR"),
        habits.wants_columns(_PARTNER, "kestrel/*.md", "who", "What"),
        habits.wants_prepared(_PARTNER, "kestrel/*.md", habits.EARLY),
        habits.wants_opening(_PARTNER, "kestrel/*.md", "## "),
        habits.wants_name(_PARTNER, "kestrel/*.md", "kestrel/minutes/may.md"),
    ),
    relevant=(
        relevant(
            "c03",
            "convention",
            "wrote kestrel/minutes/kestrel-minutes-2025-02.md",
            "whole euros",
            "called Upshot",
            "in Kestrel the whole export",
        ),
    ),
)

TASKS: Final = (NEW_FORM, PARTNER_CALL)
