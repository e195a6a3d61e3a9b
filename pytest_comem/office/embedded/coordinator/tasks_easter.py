"""Around Easter: the schools' first claims, and a program that has to be repaired."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from pytest_comem.office.embedded.coordinator import habits, money, portal
from pytest_comem.office.embedded.coordinator.habits import edit_of
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    decided,
    item,
    relevant,
    step,
)
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity

_CLAIMS: Final = "kestrel/claims/2025-Q1.csv"
_OVERVIEW: Final = "kestrel/claims-overview.md"
_FJELLVIK: Final = money.claimed("Fjellvik")
_LINDENAU: Final = money.claimed("Lindenau")
_CASTELMORA: Final = money.claimed("Castelmora")
_ALL: Final = _FJELLVIK + _LINDENAU + _CASTELMORA


def _whole(value: Decimal) -> str:
    return f"{value:,.0f}"


def _school(name: str) -> str:
    return (
        "SELECT SUM(CASE currency WHEN 'NOK' THEN amount / {slot:rate} ELSE amount END) AS amount "
        f"FROM claims WHERE school LIKE '{name}'"
    )


CLAIMS: Final = TaskSpec(
    id="c06",
    started="2025-03-20T13:40",
    project="Kestrel",
    title="Kestrel: claims of the first quarter",
    instruction=(
        "The schools have sent their claims of the first quarter (kestrel/claims). I need an "
        "overview in euros for the trustees, kestrel/claims-overview.md: a table by school, and a "
        "line that begins 'Altogether:'. The quarter closes on the 31st."
    ),
    activities=(Activity.DATA_ANALYSIS, Activity.WRITING),
    archived=habits.FINISHED,
    incoming={
        _CLAIMS: money.claims(),
        "kestrel/rates.csv": "day,nok_per_euro\n2025-02-28,11.71\n2025-03-19,11.84\n",
    },
    plan=Plan(
        slots=(
            habits.rate("11.84"),
            habits.DATES,
            habits.AMOUNTS,
            habits.PREPARED,
            habits.OPENING,
        ),
        steps=(
            step("read", path=_CLAIMS),
            step("read", path="kestrel/rates.csv", unless_known="rate"),
            *(
                step(
                    "query",
                    save=name,
                    tables=[{"name": "claims", "path": _CLAIMS}],
                    statement=_school(pattern),
                )
                for name, pattern in (
                    ("fjellvik", "Fjellvik"),
                    ("lindenau", "Lindenau"),
                    ("castelmora", "Castelmora"),
                    ("all", "%"),
                )
            ),
            step(
                "write",
                path=_OVERVIEW,
                text=(
                    "# Kestrel: claims of the first quarter\n\nClosed on {date:2025-03-31}.\n\n"
                    "## {slot:opening}\n\nAltogether: {number:all} EUR, eight claims.\n\n"
                    "## By school\n\n| School | Claimed |\n| --- | --- |\n"
                    "| Fjellvik | {number:fjellvik} EUR |\n"
                    "| Lindenau | {number:lindenau} EUR |\n"
                    "| Castelmora | {number:castelmora} EUR |\n\n"
                    "Prepared by: {slot:prepared}\n"
                ),
            ),
        ),
    ),
    choices={
        "rate": "11.50",
        "dates": "iso",
        "amounts": "1,235",
        "prepared": habits.EARLY,
        "opening": "Upshot",
    },
    replies=("The overview is in kestrel/claims-overview.md.",),
    remarks=(
        "Right. For the last claims in summer, before somebody tries: overheads in Kestrel are 7 % "
        "of what is eligible, and Rolf will not pay a school more.",
        "Lindenau asks whether pupils may bring skates. I have no idea; ask their caretaker.",
    ),
    checks=(
        check(
            "lindenau",
            "minimum",
            "The overview has Lindenau's claims, which are all in euros.",
            "number_near",
            edit_of(_OVERVIEW, f"| Lindenau | {_whole(_LINDENAU)}", "| Lindenau | 12"),
            file="kestrel/*.md",
            near="Lindenau",
            equals=float(_LINDENAU),
            tolerance=1.0,
        ),
        check(
            "castelmora",
            "minimum",
            "The overview has Castelmora's claims, which are all in euros.",
            "number_near",
            edit_of(_OVERVIEW, f"| Castelmora | {_whole(_CASTELMORA)}", "| Castelmora | 12"),
            file="kestrel/*.md",
            near="Castelmora",
            equals=float(_CASTELMORA),
            tolerance=1.0,
        ),
        check(
            "fjellvik",
            "reference",
            "Fjellvik's crowns are turned into euros at the agreement's rate.",
            "number_near",
            edit_of(_OVERVIEW, f"| Fjellvik | {_whole(_FJELLVIK)}", "| Fjellvik | 12"),
            ["rate"],
            file="kestrel/*.md",
            near="| Fjellvik",
            equals=float(_FJELLVIK),
            tolerance=1.0,
        ),
        check(
            "altogether",
            "minimum",
            "The total of all claims is right.",
            "number_near",
            edit_of(_OVERVIEW, f"Altogether: {_whole(_ALL)}", "Altogether: 12"),
            ["rate"],
            file="kestrel/*.md",
            near="Altogether",
            equals=float(_ALL),
            tolerance=1.0,
        ),
    ),
    preferences=(
        habits.wants_dates(_OVERVIEW, "kestrel/*.md", "iso", "2025-03-31", "31 March 2025"),
        habits.wants_amounts(
            _OVERVIEW, "kestrel/*.md", "1,235", f"{_whole(_LINDENAU)} EUR", f"{_LINDENAU} EUR"
        ),
        habits.wants_prepared(_OVERVIEW, "kestrel/*.md", habits.EARLY),
        habits.wants_opening(_OVERVIEW, "kestrel/*.md", "## "),
    ),
    relevant=(
        relevant(
            "c03",
            "fact",
            "fixed rate of 11.50",
            "called Upshot",
            "Call of 2025-02-26",
            "whole euros",
        ),
    ),
)

_APRIL: Final = "saltmarsh/portal/export-2025-04.csv"
_BADGES: Final = "saltmarsh/badges.txt"
_SHOWN: Final = {row[2]: f"{row[1]} {row[2]}, {row[3]}" for row in portal.coming(40)}
_TRIAL: Final = next(f"{r[1]} {r[2]}, {r[3]}" for r in portal.people(40) if r[0] == 17)
_NEW: Final = (
    "nr;first;last;school;state;fee_cents\n1;Špela;Žitnik;Breg;C;100\n2;Nobody;Waiting;Breg;W;1\n"
)

REPAIR: Final = TaskSpec(
    id="c07",
    started="2025-04-02T08:50",
    project="Saltmarsh",
    title="The badges do not print",
    instruction=(
        "tools/badges.py falls over since the portal was renewed. Please repair it, so that "
        "everybody who comes to the field week gets a badge with the right name, and make the "
        "badges from the export of April (saltmarsh/portal/export-2025-04.csv) as "
        "saltmarsh/badges.txt."
    ),
    activities=(Activity.DEBUGGING, Activity.CODING),
    archived=habits.FINISHED,
    main=False,
    incoming={_APRIL: portal.export(40), "tools/badges.py": portal.BADGES},
    plan=Plan(
        slots=(habits.ENCODING, habits.PEOPLE),
        steps=(
            step("read", path="tools/badges.py"),
            step(
                "shell",
                unless_known="encoding",
                command=f"python3 tools/badges.py {_APRIL} {_BADGES} 2>&1 | tail -n 1",
            ),
            step(
                "edit",
                path="tools/badges.py",
                old='ENCODING = "utf-8"',
                new='ENCODING = "{slot:encoding}"',
            ),
            step("edit", path="tools/badges.py", old='DELIMITER = ","', new='DELIMITER = ";"'),
            step(
                "edit",
                when={"people": ["C"]},
                path="tools/badges.py",
                old="STATES = ()",
                new='STATES = ("C",)',
            ),
            step(
                "write",
                path="tools/test_badges.py",
                text=(
                    "import badges\n\n\n"
                    "def test_special_letters(tmp_path):\n"
                    '    """A name keeps its letters."""\n'
                    '    export = tmp_path / "export.csv"\n'
                    '    text = "nr;first;last;school;state\\n1;Göran;Rømer;Süd;C\\n"\n'
                    '    export.write_text(text, encoding="{slot:encoding}")\n'
                    '    assert badges.badges(export) == ["Göran Rømer, Süd"]\n'
                ),
            ),
            step("shell", command=f"python3 tools/badges.py {_APRIL} {_BADGES}"),
        ),
    ),
    choices={"encoding": "cp1252", "people": "C"},
    replies=("badges.py reads the portal's file again, and there is a test beside it.",),
    remarks=("They look good on the yellow card. The lanyards come on Thursday.",),
    checks=(
        check(
            "ordinary",
            "minimum",
            "There is a badge for somebody who comes.",
            "contains",
            edit_of(_BADGES, f"{_SHOWN['Quist']}\n", "\n"),
            file=_BADGES,
            all=[_SHOWN["Quist"]],
        ),
        check(
            "special",
            "reference",
            "Names with letters of Windows Latin are right.",
            "contains",
            edit_of(_BADGES, f"{_SHOWN['Kovaš']}\n", "\n"),
            ["encoding"],
            file=_BADGES,
            all=[_SHOWN["Kovaš"]],
        ),
        check(
            "repaired",
            "minimum",
            "The repaired program makes badges of another export: of those who come alone.",
            "command",
            edit_of("tools/badges.py", 'STATES = ("C",)', 'STATES = ("C", "W")'),
            ["encoding", "people"],
            command=(
                "python3 -c \"import pathlib; pathlib.Path('new.csv').write_bytes(pathlib.Path("
                "'new.txt').read_text('utf-8').encode('cp1252'))\" && "
                "python3 tools/badges.py new.csv new.out && grep -q 'Špela Žitnik' new.out && "
                "! grep -q Waiting new.out"
            ),
            add={"new.txt": _NEW},
        ),
        check(
            "tested",
            "better",
            "A test of the repair passes.",
            "command",
            broken(
                "append", path="tools/test_badges.py", text="\n\ndef test_broken():\n    assert 0\n"
            ),
            command="cd tools && test -f test_badges.py && python3 -m pytest -q test_badges.py",
        ),
    ),
    preferences=(
        item(
            "only-coming",
            "coming",
            "Nobody gets a badge who only waits or was typed in as a trial.",
            decided(
                "contains",
                broken("append", path=_BADGES, text=f"{_TRIAL}\n"),
                ["people"],
                file=_BADGES,
                none=[_TRIAL],
            ),
            weight=2,
        ),
    ),
    relevant=(
        relevant("c02", "fact", "Windows Latin (cp1252)"),
        relevant("c05", "procedure", "queried"),
    ),
)

TASKS: Final = (CLAIMS, REPAIR)
