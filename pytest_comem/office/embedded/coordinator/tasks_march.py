"""March: the first meeting, list and claims that follow what was settled."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.coordinator import habits, portal
from pytest_comem.office.embedded.coordinator.habits import (
    action_rows,
    bullets,
    edit_of,
    heading,
    para,
    table,
)
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    relevant,
    step,
)
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

_STEERING_ACTIONS: Final = (
    ("Rolf", "Account for the grants", "{date:2025-03-14}"),
    ("Peder", "Posters to the five villages", "{date:2025-03-10}"),
    ("Ines", "Dates of the panel to the members", "{date:2025-03-21}"),
)
_STEERING: Final = "lantern/minutes/lantern-minutes-2025-03.docx"
_STEERING_ANY: Final = "lantern/*minutes*.docx"

STEERING: Final = TaskSpec(
    id="c04",
    started="2025-03-05T09:00",
    project="Lantern",
    title="Minutes of Lantern's steering group in March",
    instruction=(
        "Please write the minutes of yesterday's Lantern steering group from my notes, as a "
        "document in the folder lantern."
    ),
    activities=(Activity.WRITING,),
    archived=habits.FINISHED,
    observations=(
        Observation(
            title="Notes of the steering group, Tuesday the 4th of March",
            text=(
                "The call is open since Monday; two villages have already asked for the form.\n"
                "Decided: the panel has five members and Sunniva breaks ties. Decided: a village "
                "may apply once.\n"
                "Rolf opens an account for the grants by the 14th. Peder brings posters to the "
                "five villages by the 10th. I send the dates of the panel to its members by the "
                "21st.\nThe next meeting is on the 6th of May."
            ),
        ),
    ),
    plan=Plan(
        slots=(
            habits.DATES,
            habits.ACTIONS,
            habits.PREPARED,
            habits.OPENING,
            habits.named("lantern/minutes.docx", "2025-03", "minutes"),
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
                        para("Meeting of {date:2025-03-04}."),
                        heading("{slot:opening}", 2),
                        para("The call is open and the panel's rules are settled."),
                        heading("Decisions", 2),
                        *bullets(
                            "The panel has five members; Sunniva breaks ties.",
                            "A village may apply once.",
                        ),
                        heading("Next steps", 2),
                        table(action_rows(kind, _STEERING_ACTIONS)),
                        para("Next meeting: {date:2025-05-06}."),
                        para("Prepared by: {slot:prepared}"),
                    ],
                )
                for kind in habits.ACTION_COLUMNS
            ),
        ),
    ),
    choices={
        "dates": "long",
        "actions": "three",
        "prepared": habits.EARLY,
        "opening": "Upshot",
        "name": _STEERING,
    },
    replies=("The minutes of March are written.",),
    remarks=(
        "For April, when the panel has sat: its secretary keeps a workbook of the applications. "
        "What was granted stands in the sheet Green; the other one is only what they asked for.",
        "Letters of Lantern are signed like this, and amounts in them are written EUR 3,400.00:\n"
        "Signed: Ines Halvorsen, for the Lantern panel",
    ),
    checks=(
        check(
            "decided",
            "minimum",
            "The minutes say that Sunniva breaks ties.",
            "contains",
            edit_of(_STEERING, "Sunniva breaks ties", "the chair decides"),
            file="lantern/*.docx",
            all=["Sunniva"],
            any_of=["tie", "casting"],
        ),
        check(
            "once",
            "minimum",
            "The minutes say that a village may apply once.",
            "contains",
            edit_of(_STEERING, "apply once", "apply"),
            file="lantern/*.docx",
            any_of=["once", "one application", "single application"],
        ),
        check(
            "tasks",
            "reference",
            "All three tasks are in the minutes.",
            "contains",
            edit_of(_STEERING, "Posters to", "Letters to"),
            file="lantern/*.docx",
            all=["account", "posters", "dates"],
        ),
        check(
            "decisions",
            "better",
            "Decisions stand under a heading of their own.",
            "headings",
            broken("edit_document", path=_STEERING, old="Decisions", new="Notes"),
            file="lantern/*.docx",
            include=["Decisions"],
        ),
    ),
    preferences=(
        habits.wants_dates(
            _STEERING, "lantern/*.docx", "long", "Meeting of 4 March 2025", "Meeting of 2025-03-04"
        ),
        habits.wants_columns(_STEERING, "lantern/*.docx", "three", "Owner"),
        habits.wants_prepared(_STEERING, "lantern/*.docx", habits.EARLY),
        habits.wants_opening(_STEERING, "lantern/*.docx"),
        habits.wants_name(_STEERING, _STEERING_ANY, "lantern/minutes/march-minutes.docx"),
    ),
    relevant=(
        relevant("c01", "convention", "Meeting of 4 February 2025"),
        relevant("c03", "convention", "called Upshot"),
    ),
)

_MARCH: Final = "saltmarsh/portal/export-2025-03.csv"
_LIST: Final = "saltmarsh/lists/saltmarsh-participants-2025-03.xlsx"
_NOTE: Final = "saltmarsh/note-march.md"
_COMING: Final = portal.coming(16)
_FEES: Final = sum(row[5] for row in _COMING) / 100
#: The first whose name only the right encoding reads, and one that any reads; lines of the sheet.
_SPECIAL: Final = next(n for n, row in enumerate(_COMING, 2) if row[2] == "Kovaš")
_ORDINARY: Final = next(n for n, row in enumerate(_COMING, 2) if row[2] == "Moen")
_PORTAL: Final = [
    {"name": "portal", "path": _MARCH, "delimiter": ";", "encoding": "{slot:encoding}"}
]

LIST: Final = TaskSpec(
    id="c05",
    started="2025-03-12T11:20",
    project="Saltmarsh",
    title="Saltmarsh: participants in March",
    instruction=(
        "The portal's export of March is saved. Please make the list of participants for "
        "Wattenberg (a sheet Participants with Nr, First, Last and School, in the folder "
        "saltmarsh), and saltmarsh/note-march.md to go with it, which says as of the 12th how many "
        "they are and what they owe, in lines that begin 'Participants:' and 'Fees due:'."
    ),
    activities=(Activity.DATA_PROCESS, Activity.WRITING, Activity.TOOL_USE),
    archived=habits.FINISHED,
    incoming={_MARCH: portal.export(16)},
    plan=Plan(
        slots=(
            habits.ENCODING,
            habits.PEOPLE,
            habits.CHECKED,
            habits.DATES,
            habits.AMOUNTS,
            habits.PREPARED,
            habits.named("saltmarsh/participants-march.xlsx", "2025-03", "participants"),
        ),
        steps=(
            step("list", path="saltmarsh/portal", unless_known="encoding"),
            step("shell", unless_known="encoding", command=f"head -n 4 {_MARCH}"),
            *portal.counted_in(
                "rows",
                _PORTAL,
                portal.LISTED,
            ),
            *portal.counted_in(
                "count",
                _PORTAL,
                "SELECT COUNT(*) FROM portal",
            ),
            *portal.counted_in(
                "fees",
                _PORTAL,
                "SELECT SUM(fee_cents) / 100.0 FROM portal",
            ),
            step("write_sheet", path="{slot:name}", sheet="Participants", rows="{value:rows}"),
            step(
                "shell",
                when={"checked": ["yes"]},
                command=f"python3 tools/check_list.py {_MARCH}",
            ),
            step(
                "write",
                path=_NOTE,
                text=(
                    "# Participants of the field week\n\nAs of {date:2025-03-12}.\n\n"
                    "Participants: {value:count}\nFees due: {number:fees} Euro\n\n"
                    "The list comes with this note.\n\nPrepared by: {slot:prepared}\n"
                ),
            ),
        ),
    ),
    choices={
        "encoding": "cp1252",
        "people": "C",
        "checked": "yes",
        "dates": "dotted",
        "amounts": "1.234,50",
        "prepared": habits.EARLY,
        "name": _LIST,
    },
    replies=("List, note and the report of the check are done.",),
    remarks=(
        "Thank you, it went out at noon.",
        "For the houses in spring, keep in mind: in Saltmarsh we choose rooms by seats. What the "
        "resource service calls capacity counts people standing, and the fire brigade does not.",
    ),
    checks=(
        check(
            "listed",
            "minimum",
            "The list holds the participants with number and name.",
            "value",
            broken(
                "set_cells", path=_LIST, sheet="Participants", cells={f"C{_ORDINARY}": "Somebody"}
            ),
            file="saltmarsh/*.xlsx",
            sheet="Participants",
            key={"Nr": str(_COMING[_ORDINARY - 2][0])},
            column="Last",
            equals="Moen",
        ),
        check(
            "only-coming",
            "reference",
            "The list holds those who come, and nobody else.",
            "rows",
            broken(
                "set_cells",
                path=_LIST,
                sheet="Participants",
                cells={f"A{len(_COMING) + 2}": 99, f"C{len(_COMING) + 2}": "Nobody"},
            ),
            ["people"],
            file="saltmarsh/*.xlsx",
            sheet="Participants",
            count=len(_COMING),
        ),
        check(
            "names-right",
            "reference",
            "Names are read in the export's encoding.",
            "value",
            broken("set_cells", path=_LIST, sheet="Participants", cells={f"C{_SPECIAL}": "Kova"}),
            ["encoding"],
            file="saltmarsh/*.xlsx",
            sheet="Participants",
            key={"Nr": str(_COMING[_SPECIAL - 2][0])},
            column="Last",
            equals="Kovaš",
        ),
        check(
            "counted",
            "minimum",
            f"The note says that {len(_COMING)} come.",
            "number_near",
            edit_of(_NOTE, f"Participants: {len(_COMING)}", "Participants: 3"),
            ["people"],
            file="saltmarsh/*.md",
            near="Participants:",
            equals=len(_COMING),
        ),
        check(
            "checked",
            "reference",
            "The report of tools/check_list.py on this export is there.",
            "exists",
            broken("delete", path="saltmarsh/checks/export-2025-03.txt"),
            ["checked"],
            file="saltmarsh/checks/*2025-03*",
        ),
        check(
            "fees",
            "reference",
            f"The note says that the fees come to {_FEES:.2f} euros.",
            "number_near",
            edit_of(_NOTE, "Fees due: ", "Fees due: 17 of "),
            ["people"],
            file="saltmarsh/*.md",
            near="Fees due:",
            equals=_FEES,
        ),
    ),
    preferences=(
        habits.wants_dates(_NOTE, "saltmarsh/*.md", "dotted", "12.03.2025", "2025-03-12"),
        habits.wants_amounts(
            _NOTE,
            "saltmarsh/*.md",
            "1.234,50",
            f"{_FEES:,.2f}".translate(str.maketrans(",.", ".,")),
            f"{_FEES:.2f}",
        ),
        habits.wants_prepared(_NOTE, "saltmarsh/*.md", habits.EARLY),
        habits.wants_name(_LIST, "saltmarsh/*.xlsx", "saltmarsh/lists/march.xlsx"),
    ),
    relevant=(
        relevant("c01", "convention", f"Prepared by: {habits.EARLY}"),
        relevant(
            "c02",
            "convention",
            "Windows Latin (cp1252)",
            "I renamed saltmarsh/participants.xlsx",
            "leaves the house without its report",
            "18.02.2025",
        ),
    ),
)

TASKS: Final = (STEERING, LIST)
