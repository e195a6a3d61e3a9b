"""February: three programmes start, and their ways of working are settled."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.coordinator import habits, portal
from pytest_comem.office.embedded.coordinator.habits import (
    action_rows,
    bullets,
    heading,
    markdown_table,
    para,
    table,
)
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    do,
    step,
)
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation

_KICKOFF: Final = "lantern/minutes.docx"
_KICKOFF_NAMED: Final = "lantern/minutes/lantern-minutes-2025-02.docx"

KICKOFF: Final = TaskSpec(
    id="c01",
    started="2025-02-05T09:10",
    project="Lantern",
    title="Minutes of the Lantern kick-off",
    instruction="Here are my notes of yesterday's Lantern kick-off. Please make minutes of them.",
    activities=(Activity.WRITING,),
    scored=False,
    observations=(
        Observation(
            title="Notes of the kick-off",
            text=(
                "There: Sunniva (chair of the panel), Rolf (finance), Peder (villages), I.\n"
                "The first call opens in the first days of March and closes with the month.\n"
                "Rolf on the agreement with Norhav: overheads are claimed as a flat 12 % of the "
                "direct costs in Lantern, without receipts. Nobody has to put them into a claim, "
                "but we lose the money if we forget.\n"
                "Sunniva wants to see two villages before the panel sits.\n"
                "Peder asks every village for one contact person, by the 19th."
            ),
        ),
    ),
    plan=Plan(
        steps=(
            step(
                "write_document",
                path=_KICKOFF,
                blocks=[
                    heading("Lantern kick-off"),
                    para("Meeting of 2025-02-04 in the small hall."),
                    heading("Agreed", 2),
                    *bullets(
                        "The first call opens on 2025-03-03.",
                        "Sunniva sees two villages before the panel sits.",
                        "Norhav pays overheads; Rolf keeps the agreement.",
                    ),
                    heading("To do", 2),
                    table(
                        action_rows(
                            "plain",
                            [
                                ("Peder", "One contact person a village", "2025-02-19"),
                                ("Rolf", "Copy of the agreement to all", "2025-02-12"),
                            ],
                        )
                    ),
                    para("Prepared by: the coordinator"),
                ],
            ),
        ),
    ),
    replies=("The minutes are in lantern/minutes.docx: three points, two tasks.",),
    edits=(
        do(
            "edit_document",
            path=_KICKOFF,
            old="Meeting of 2025-02-04",
            new="Meeting of 4 February 2025",
        ),
        do("edit_document", path=_KICKOFF, old="on 2025-03-03", new="on 3 March 2025"),
        do("edit_document", path=_KICKOFF, old="2025-02-19", new="19 February 2025"),
        do("edit_document", path=_KICKOFF, old="2025-02-12", new="12 February 2025"),
        do("edit_document", path=_KICKOFF, old="Task", new="Action"),
        do("edit_document", path=_KICKOFF, old="Responsible", new="Owner"),
        do("edit_document", path=_KICKOFF, old="Deadline", new="Due"),
        do(
            "edit_document",
            path=_KICKOFF,
            old="Prepared by: the coordinator",
            new=f"Prepared by: {habits.EARLY}",
        ),
        do("move", path=_KICKOFF, to=_KICKOFF_NAMED),
    ),
    remarks=(
        "I have sent it to Sunniva and Rolf as it is now. The photographs of the hall are not "
        "worth keeping, and the projector has to go back to the library.",
    ),
)

_FEBRUARY: Final = "saltmarsh/portal/export-2025-02.csv"

PORTAL: Final = TaskSpec(
    id="c02",
    started="2025-02-18T10:30",
    project="Saltmarsh",
    title="First participants of the Saltmarsh field week",
    instruction=(
        "The registration portal of the Saltmarsh field week is open and I have saved its first "
        "export. Please make the first list of participants for our partner in Wattenberg."
    ),
    activities=(Activity.DATA_PROCESS, Activity.TOOL_USE),
    scored=False,
    observations=(
        Observation(
            title="Call with the portal's helpdesk",
            text=(
                "Their exports are in Windows Latin (cp1252) and will stay so; read in any other "
                "way the Slovene names break. The columns are divided by semicolons.\n"
                "On the states: only rows in state C are people who come. W means waiting, and X "
                "are trials that I typed in myself when the form was new."
            ),
        ),
    ),
    incoming={_FEBRUARY: portal.export(7), "tools/check_list.py": portal.CHECK_LIST},
    plan=Plan(
        slots=(habits.ENCODING, habits.PEOPLE),
        steps=(
            step("list", path="saltmarsh"),
            *portal.counted_in(
                "rows",
                [
                    {
                        "name": "portal",
                        "path": _FEBRUARY,
                        "delimiter": ";",
                        "encoding": "{slot:encoding}",
                    }
                ],
                portal.LISTED,
            ),
            step(
                "write_sheet",
                path="saltmarsh/participants.xlsx",
                sheet="Participants",
                rows="{value:rows}",
            ),
            step("shell", command=f"python3 tools/check_list.py {_FEBRUARY}"),
        ),
    ),
    choices={"encoding": "cp1252", "people": "C"},
    replies=("The list is there, and nobody is in it twice.",),
    edits=(
        do(
            "move",
            path="saltmarsh/participants.xlsx",
            to="saltmarsh/lists/saltmarsh-participants-2025-02.xlsx",
        ),
    ),
    remarks=(
        "Good that you ran python3 tools/check_list.py on the export: no list of Saltmarsh leaves "
        "the house without its report.",
        "What goes to Wattenberg has dates as they write them there, 18.02.2025, and amounts "
        "likewise, 1.234,50 Euro. The mayor's office is strict about it.",
    ),
)

_CALL: Final = "kestrel/minutes/kestrel-minutes-2025-02.md"

PARTNERS: Final = TaskSpec(
    id="c03",
    started="2025-02-27T14:05",
    project="Kestrel",
    title="First call of the Kestrel schools",
    instruction="Please write up the first call of the Kestrel schools for their secretariats.",
    activities=(Activity.WRITING, Activity.PLANNING),
    archived=habits.FINISHED,
    scored=False,
    observations=(
        Observation(
            title="Notes of the call",
            text=(
                "Fjellvik, Lindenau and Castelmora, all three headmistresses.\n"
                "Money: what is paid in NOK is counted at the agreement's fixed rate of 11.50 "
                "(article 6), whatever the bank says on the day.\n"
                "First visit in the second week of May, in Lindenau. Travel grants come before.\n"
                "Castelmora would like minutes as plain Markdown, their portal shows nothing else."
            ),
        ),
    ),
    plan=Plan(
        steps=(
            step(
                "write",
                path=_CALL,
                text=(
                    "# Kestrel: first call of the schools\n\n"
                    "Call of 2025-02-26.\n\n"
                    "## Upshot\n\nThe first visit is to Lindenau and begins on 2025-05-12.\n\n"
                    "## Agreed\n\n- Each school is paid up to 2,480 EUR before the visit.\n"
                    "- NOK are counted at the agreement's rate.\n\n## To do\n\n"
                    + markdown_table(
                        action_rows(
                            "who",
                            [
                                ("Lindenau", "Programme of the week", "2025-03-21"),
                                ("Fjellvik", "Names of the pupils", "2025-03-14"),
                            ],
                        )
                    )
                    + f"\n\nPrepared by: {habits.EARLY}\n"
                ),
            ),
        ),
    ),
    replies=("The minutes of the call are ready to be put into the portal.",),
    remarks=(
        "That is how the schools want it: whole euros, and Who | What | When.",
        "One thing for all papers, in all projects: they open with a section called Upshot, two "
        "or three sentences. Sunniva and the trustees read nothing else.",
        "The schools send the names of their pupils in UTF-8, and in Kestrel the whole export "
        "counts: their C is for pupils who take the coach, so leave the letters alone.",
        "The ferry company has answered about group tickets; I will look at it after Easter.",
    ),
)

TASKS: Final = (KICKOFF, PORTAL, PARTNERS)
