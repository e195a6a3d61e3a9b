"""April: what the panel awarded, and where the field week sleeps."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.coordinator import habits, money, portal
from pytest_comem.office.embedded.coordinator.habits import edit_of, heading, para
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    check,
    decided,
    item,
    relevant,
    step,
)
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Observation, Resource

_BOOK: Final = "lantern/applications.xlsx"
_LETTER: Final = "lantern/letter-brattholm.docx"
_AWARDS: Final = "lantern/awards.md"
_GRANT: Final = money.granted("Brattholm")
_GRANTS: Final = sum(row[4] for row in money.APPLICATIONS)

AWARDS: Final = TaskSpec(
    id="c08",
    started="2025-04-15T10:15",
    project="Lantern",
    title="Award letter to Brattholm",
    instruction=(
        "The Lantern panel sat yesterday and its secretary has sent lantern/applications.xlsx. "
        "Please write the award letter to Brattholm (lantern/letter-brattholm.docx), dated today, "
        "with the sum after the words 'a grant of EUR' and the day of the report, which is the "
        "last of October. And a short page for the trustees, lantern/awards.md, with what is "
        "awarded, after the words 'Altogether: EUR' and 'Brattholm: EUR'."
    ),
    activities=(Activity.WRITING, Activity.DATA_PROCESS),
    archived=(*habits.FINISHED, "tools/*badges.py"),
    incoming={_BOOK: money.applications()},
    plan=Plan(
        slots=(
            habits.SHEET,
            habits.DATES,
            habits.AMOUNTS,
            habits.SIGNED,
            habits.PREPARED,
            habits.OPENING,
        ),
        steps=(
            step("list", path="lantern", unless_known="sheet"),
            *(
                step(
                    "query",
                    save=name,
                    tables=[{"name": "book", "path": _BOOK, "sheet": "{slot:sheet}"}],
                    statement=f"SELECT SUM(Amount) FROM book WHERE Village LIKE '{pattern}'",
                )
                for name, pattern in (("grant", "Brattholm"), ("grants", "%"))
            ),
            step(
                "write_document",
                path=_LETTER,
                blocks=[
                    para("Astrid Venn, Village of Brattholm"),
                    para("{date:2025-04-15}"),
                    heading("Solar roof of the boathouse"),
                    para("Dear Astrid Venn,"),
                    para(
                        "the panel has awarded your village a grant of EUR {number:grant}. Please "
                        "send us your report by {date:2025-10-31}."
                    ),
                    para("Signed: {slot:signed}"),
                ],
            ),
            step(
                "write",
                path=_AWARDS,
                text=(
                    "# Awards of the first call\n\n## {slot:opening}\n\n"
                    "The panel sat on {date:2025-04-14}.\n\n"
                    "- Altogether: EUR {number:grants}\n- Brattholm: EUR {number:grant}\n\n"
                    "Prepared by: {slot:prepared}\n"
                ),
            ),
        ),
    ),
    choices={
        "sheet": "Green",
        "dates": "long",
        "amounts": "1,234.50",
        "signed": "Ines Halvorsen, for the Lantern panel",
        "prepared": habits.EARLY,
        "opening": "Upshot",
    },
    replies=("Letter and page are written.",),
    remarks=(
        "Signed and posted. Rolf has one wish for workbooks, in all projects: sums in them are "
        "formulas, so that he can follow them; a bare number he sends back.",
        "Ulvang got nothing this time, poor Tiril. I ring her myself.",
    ),
    checks=(
        check(
            "addressed",
            "minimum",
            "The letter goes to Astrid Venn.",
            "contains",
            edit_of(_LETTER, "Dear Astrid Venn", "Dear neighbour"),
            file="lantern/*.docx",
            all=["Dear Astrid Venn"],
        ),
        check(
            "report",
            "minimum",
            "The letter asks for a report by the end of October.",
            "contains",
            edit_of(_LETTER, "your report by", "something by"),
            file="lantern/*.docx",
            all=["report by"],
        ),
        check(
            "grant",
            "minimum",
            "The letter names what the panel awarded.",
            "number_near",
            edit_of(_LETTER, f"{_GRANT:,}.00", "8,200.00"),
            ["sheet"],
            file="lantern/*.docx",
            near="a grant of EUR",
            equals=_GRANT,
        ),
        check(
            "grants",
            "reference",
            "The page has the total of all awards.",
            "number_near",
            edit_of(_AWARDS, f"{_GRANTS:,}.00", "33,500.00"),
            ["sheet"],
            file="lantern/*.md",
            near="Altogether: EUR",
            equals=_GRANTS,
        ),
        check(
            "listed",
            "reference",
            "The page names Brattholm's award.",
            "number_near",
            edit_of(_AWARDS, f"Brattholm: EUR {_GRANT:,}.00", "Brattholm: EUR 8,200.00"),
            ["sheet"],
            file="lantern/*.md",
            near="Brattholm: EUR",
            equals=_GRANT,
        ),
    ),
    preferences=(
        habits.wants_dates(
            _LETTER, "lantern/*.docx", "long", "by 31 October 2025", "by 2025-10-31"
        ),
        habits.wants_amounts(
            _AWARDS,
            "lantern/*.md",
            "1,234.50",
            f"Altogether: EUR {_GRANTS:,}.00",
            f"Altogether: EUR {_GRANTS}.00",
        ),
        item(
            "signed",
            "signed",
            "The letter is signed for the Lantern panel.",
            decided(
                "line",
                edit_of(_LETTER, "for the Lantern panel", "coordinator"),
                ["signed"],
                file="lantern/*.docx",
                lead="Signed:",
                equal="Ines Halvorsen, for the Lantern panel",
            ),
            weight=2,
        ),
        habits.wants_prepared(_AWARDS, "lantern/*.md", habits.EARLY),
        habits.wants_opening(_AWARDS, "lantern/*.md", "## "),
    ),
    relevant=(
        relevant(
            "c04",
            "convention",
            "stands in the sheet Green",
            "Signed: Ines",
            "Meeting of 4 March 2025",
        ),
        relevant("c03", "convention", "called Upshot"),
    ),
)

_HOUSES: Final = (
    ("Deichhaus", {"seats": "30", "capacity": "60", "rent": "190.50", "kitchen": "yes"}),
    ("Schilfhof", {"seats": "42", "capacity": "48", "rent": "312.75", "kitchen": "yes"}),
    ("Wattstation", {"seats": "56", "capacity": "90", "rent": "405.00", "kitchen": "no"}),
)
_FIELD: Final = "saltmarsh/field-week.md"
_GUESTS: Final = len(portal.coming(40))
_RENT: Final = 4 * 312.75
_APRIL: Final = "saltmarsh/portal/export-2025-04.csv"
_PORTAL: Final = [
    {"name": "portal", "path": _APRIL, "delimiter": ";", "encoding": "{slot:encoding}"}
]
_HOUSES_SQL: Final = " UNION ALL ".join(
    f"SELECT '{name}' AS house, {{value:{name}}} AS places, {{value:{name}.rent}} AS rent"
    for name, _ in _HOUSES
)

FIELD_WEEK: Final = TaskSpec(
    id="c09",
    started="2025-04-28T09:30",
    project="Saltmarsh",
    title="Where the field week eats and sleeps",
    instruction=(
        "Please plan the house for the Saltmarsh field week (four nights from the 16th of June): "
        "the cheapest of Deichhaus, Schilfhof and Wattstation that takes everybody who comes by "
        "the April export, and what it costs. The resource service knows the houses. Wattenberg "
        "wants the plan by Wednesday: saltmarsh/field-week.md, with lines that begin 'House:', "
        "'Guests:' and 'Rent for four nights:', and a word on breakfast."
    ),
    activities=(Activity.PLANNING, Activity.TOOL_USE),
    archived=habits.FINISHED,
    observations=(
        Observation(
            title="Call from the shipping company Brandt",
            text=(
                "They have boats for the closing trip in July too. Careful with their leaflets: "
                "the places they print count the crew, and on every boat four of them are crew."
            ),
        ),
    ),
    resources=tuple(Resource(name=name, attributes=known) for name, known in _HOUSES),
    plan=Plan(
        slots=(
            habits.ENCODING,
            habits.PEOPLE,
            habits.ROOMS,
            habits.DATES,
            habits.AMOUNTS,
            habits.PREPARED,
            habits.OPENING,
        ),
        steps=(
            step("ask_resource", request="list", unless_known="rooms"),
            *portal.counted_in(
                "guests",
                _PORTAL,
                "SELECT COUNT(*) FROM portal",
            ),
            *(
                step("ask_resource", save=name, request=f"{name}: {{slot:rooms}}")
                for name, _ in _HOUSES
            ),
            *(
                step("ask_resource", save=f"{name}.rent", request=f"{name}: rent")
                for name, _ in _HOUSES
            ),
            step(
                "query",
                save="house",
                tables=_PORTAL,
                statement=(
                    f"SELECT house FROM ({_HOUSES_SQL}) WHERE places >= {{value:guests}} "
                    "ORDER BY rent LIMIT 1"
                ),
            ),
            step(
                "query",
                save="cost",
                tables=_PORTAL,
                statement=(
                    f"SELECT 4 * rent FROM ({_HOUSES_SQL}) WHERE places >= {{value:guests}} "
                    "ORDER BY rent LIMIT 1"
                ),
            ),
            step(
                "query",
                save="spare",
                tables=_PORTAL,
                statement=(
                    f"SELECT MIN(places - {{value:guests}}) FROM ({_HOUSES_SQL}) "
                    "WHERE house = '{value:house}'"
                ),
            ),
            step(
                "write",
                path=_FIELD,
                text=(
                    "# Field week: the house\n\n## {slot:opening}\n\n"
                    "We sleep and eat in one house from {date:2025-06-16} to {date:2025-06-20}.\n\n"
                    "## Plan\n\nHouse: {value:house}\nGuests: {value:guests}\n"
                    "Rent for four nights: {number:cost} Euro\nSeats to spare: {value:spare}\n\n"
                    "Breakfast is at eight.\n\n"
                    "Prepared by: {slot:prepared}\n"
                ),
            ),
        ),
    ),
    choices={
        "encoding": "cp1252",
        "people": "C",
        "rooms": "seats",
        "dates": "dotted",
        "amounts": "1.234,50",
        "prepared": habits.EARLY,
        "opening": "Upshot",
    },
    replies=("The plan names the house, the guests and the rent.",),
    remarks=("Booked. The cook wants to know about nuts; I have asked the schools.",),
    checks=(
        check(
            "house-named",
            "minimum",
            "The plan names one of the houses and when breakfast is.",
            "contains",
            edit_of(_FIELD, "Breakfast is at eight", "Coffee is ready"),
            file="saltmarsh/*.md",
            all=["Breakfast"],
        ),
        check(
            "house",
            "minimum",
            "The house has a seat for everybody.",
            "line",
            edit_of(_FIELD, "House: Schilfhof", "House: Deichhaus"),
            ["rooms", "people"],
            file="saltmarsh/*.md",
            lead="House:",
            equal="Schilfhof",
        ),
        check(
            "guests",
            "reference",
            f"{_GUESTS} guests come.",
            "number_near",
            edit_of(_FIELD, f"Guests: {_GUESTS}", "Guests: 40"),
            ["people"],
            file="saltmarsh/*.md",
            near="Guests:",
            equals=_GUESTS,
        ),
        check(
            "rent",
            "reference",
            f"The rent is {_RENT:.2f} euros.",
            "number_near",
            edit_of(_FIELD, "four nights: 1.251,00", "four nights: 762,00"),
            ["rooms", "people"],
            file="saltmarsh/*.md",
            near="Rent for four nights:",
            equals=_RENT,
        ),
        check(
            "spare",
            "better",
            "The plan says how many seats are to spare.",
            "number_near",
            edit_of(_FIELD, f"Seats to spare: {42 - _GUESTS}", "Seats to spare: some"),
            ["rooms", "people"],
            file="saltmarsh/*.md",
            near="spare",
            equals=42 - _GUESTS,
        ),
    ),
    preferences=(
        habits.wants_dates(_FIELD, "saltmarsh/*.md", "dotted", "16.06.2025", "2025-06-16"),
        habits.wants_amounts(_FIELD, "saltmarsh/*.md", "1.234,50", "1.251,00", "1251.00"),
        habits.wants_prepared(_FIELD, "saltmarsh/*.md", habits.EARLY),
        habits.wants_opening(_FIELD, "saltmarsh/*.md", "## "),
    ),
    relevant=(
        relevant("c05", "fact", "we choose rooms by seats", "As of 12.03.2025"),
        relevant("c02", "fact", "Windows Latin (cp1252)"),
        relevant("c03", "convention", "called Upshot"),
    ),
)

TASKS: Final = (AWARDS, FIELD_WEEK)
