"""What else is said in the coordinator's sessions: about much of the same things, and no help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: What she says at the end of a task's session, by the task.
CHATTER: Final[Mapping[str, tuple[str, ...]]] = {
    "c01": (
        "Before I forget: Peder has found a list of all villages from the last programme. Half of "
        "the contacts have moved, so I would rather ring them one by one than write letters. He "
        "may put the list on the shelf, in case somebody wants the old claims.",
    ),
    "c02": (
        "The caretaker in Wattenberg called about beds. I told him that nobody knows yet how many "
        "guests there will be, and that the plan for the house comes after Easter. He was friendly "
        "about it. He also has a cousin with a boat, which I said we would think about.",
        "The registration form itself stays as it is. Somebody asked for a question about "
        "allergies; the schools collect those, and the portal should not know them.",
    ),
    "c03": (
        "Fjellvik wants to know whether the museum can be claimed. It can, it is in the programme. "
        "Lindenau wants to know whether a bus can be claimed for a visit to the same museum, and "
        "that too. Please do not write it into the minutes, I have answered both of them.",
    ),
    "c04": (
        "Sunniva asked for shorter meetings. We were two hours and ten minutes, of which twenty "
        "were about the name of the bank account. Next time Rolf and I agree on such things "
        "before, and the steering group hears the decision.",
        "Peder's posters are at the printer's. The first proof had Lantern with a capital N in the "
        "middle; he says it was meant as a joke.",
    ),
    "c05": (
        "The Gymnasium has asked twice whether their second teacher is on the list of "
        "participants. Teachers are not in the portal at all, they come with their pupils and have "
        "the teachers' room. I have told them so, and that the fees of teachers are paid by us.",
        "My colleague in Wattenberg prints every list and pins it to the door of the kitchen. So "
        "no remarks about people, please, ever.",
    ),
    "c06": (
        "The trustees meet on Friday in the library. I present the claims of Kestrel after the "
        "report of the auditors, which never takes less than an hour, so two minutes have to do. "
        "If they ask about the workshop room in Castelmora: it has no heating, that is why it is "
        "so cheap.",
    ),
    "c07": (
        "While you are at it, do not touch the printer's settings. The last time somebody repaired "
        "the badges, all letters of the office came out on yellow card, the claim to Norhav "
        "included. Rolf still tells the story at every meeting.",
    ),
    "c08": (
        "The mayor of Brattholm wants to come to the boathouse when the roof is done, with the "
        "paper. I said yes, if it is before the dark months. Eikdal has already thanked us, before "
        "its letter was even in the post; the panel's secretary must have talked.",
        "The applications that were not granted are kept for five years, in paper. I have asked "
        "the caretaker for another shelf.",
    ),
    "c09": (
        "The cook cannot start before the sixteenth because of the choir festival. The first "
        "evening there will be bread, cheese and whatever the schools bring, which was the best "
        "meal of last year anyway. Rooms are shared by school, teachers have the rooms at the end.",
        "Somebody has to count life jackets. Not now, but before the closing trip, and not by "
        "looking at the leaflet.",
    ),
    "c10": (
        "The open evening was worth the trouble. Two people from Ulvang came, looked at the solar "
        "panels on the table and asked when the next call is. I said that it is not for me to "
        "decide, which is true, and gave them the form.",
    ),
    "c11": (
        "The headmistress in Lindenau has sent a parcel of photographs, on paper. We scan five of "
        "them for the trustees and send the rest on. The pupils' letters of thanks are in it too; "
        "I have read all of them and can recommend the one about the coach.",
    ),
    "c12": (
        "The old minutes, lists and claims go upstairs in the grey boxes, the plans of finished "
        "programmes go to the cellar. Peder has painted the numbers on the boxes himself, and as "
        "far as I can see there are two sevens.",
        "The coffee machine moves last. This is the only thing on which the whole house agreed.",
    ),
    "c13": (
        "Kvernes has rung again. Their builder has found work on the mainland, and the new one "
        "wants to see the annex before he says a price. Peder goes there with a thermometer and a "
        "cake. If it takes longer than we gave them, the steering group hears of it in autumn.",
    ),
    "c14": (
        "Norhav's new lady wants to see the boathouse. I have offered her the last week of August, "
        "when the roof is on, and a walk around the bay. She asked about the guide to the villages "
        "as well, so put a copy on my desk, please.",
    ),
    "c15": (
        "Brandt's captain says that seals do not read timetables either. He is probably right. The "
        "children from Breg want to know whether one may swim there: one may not.",
    ),
}
