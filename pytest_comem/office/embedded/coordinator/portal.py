"""The Saltmarsh registration portal's exports, and the little programs around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_comem.office.embedded.files import table
from pytest_comem.office.embedded.specs import step
from pytest_comem.streams.plans import PlanStep

_FIRST: Final = (
    "Anke",
    "Bjørn",
    "Clara",
    "Davor",
    "Elke",
    "Frida",
    "Göran",
    "Hanna",
    "Ivo",
    "Jule",
)
_LAST: Final = ("Brandt", "Kovaš", "Lüders", "Moen", "Žitnik", "Petersen", "Quist", "Rømer")
_SCHOOLS: Final = ("Gymnasium Wattenberg", "Bøkkevik skole", "Realschule Süd", "Osnovna šola Breg")
#: Of the number in the portal: who waits, and rows that are no people but trials.
_WAITING: Final = frozenset({5, 12, 23, 31})
_TRIALS: Final = frozenset({4, 17, 28})
#: Columns of an export.
COLUMNS: Final = ("nr", "first", "last", "school", "state", "fee_cents")

#: What a list of participants is: its header, and a line a person.
LISTED: Final = (
    "SELECT 'Nr', 'First', 'Last', 'School' UNION ALL SELECT nr, first, last, school FROM portal"
)

Row = tuple[int, str, str, str, str, int]


def people(count: int) -> list[Row]:
    """Return the first *count* rows of the portal."""
    rows = []
    for nr in range(1, count + 1):
        state = "X" if nr in _TRIALS else "W" if nr in _WAITING else "C"
        first, last = _FIRST[(nr * 7) % 10], _LAST[(nr * 3) % 8]
        fee = 14550 if nr % 3 else 12250
        rows.append((nr, first, last, _SCHOOLS[(nr * 5 + nr // 4) % 4], state, fee))
    return rows


def coming(count: int) -> list[Row]:
    """Return those of the first *count* rows who come."""
    return [row for row in people(count) if row[4] == "C"]


def export(count: int) -> bytes:
    """Return the export that holds the first *count* rows."""
    return table([COLUMNS, *people(count)], delimiter=";", encoding="cp1252")


CHECK_LIST: Final = '''"""Looks for people who are twice in an export of the portal.

Usage: python3 tools/check_list.py saltmarsh/portal/export-YYYY-MM.csv
The report goes to saltmarsh/checks, under the export's name.
"""

import pathlib
import sys


def twice(rows):
    seen, double = set(), []
    for number, *who in rows:
        person = tuple(who[:3])
        if person in seen:
            double.append(number.decode("ascii"))
        seen.add(person)
    return double


def main(path):
    lines = pathlib.Path(path).read_bytes().splitlines()[1:]
    rows = [line.split(b";") for line in lines]
    double = twice(rows)
    report = pathlib.Path("saltmarsh/checks") / (pathlib.Path(path).stem + ".txt")
    report.parent.mkdir(parents=True, exist_ok=True)
    text = f"{len(rows)} rows, {len(double)} twice: {', '.join(double) or 'none'}\\n"
    report.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main(sys.argv[1])
'''

BADGES: Final = '''"""Writes the name badges of the Saltmarsh field week, one a line.

Usage: python3 tools/badges.py EXPORT TARGET
"""

import csv
import sys

ENCODING = "utf-8"
DELIMITER = ","
#: States of the rows that get a badge; all rows where there are none.
STATES = ()


def badges(path):
    """Return the lines for the rows of an export."""
    with open(path, encoding=ENCODING, newline="") as file:
        rows = list(csv.DictReader(file, delimiter=DELIMITER))
    wanted = [row for row in rows if not STATES or row["state"] in STATES]
    return [f"{row['first']} {row['last']}, {row['school']}" for row in wanted]


def main(source, target):
    lines = badges(source)
    with open(target, "w", encoding="utf-8") as file:
        file.write("\\n".join(lines) + "\\n")
    print(f"{len(lines)} badges")


if __name__ == "__main__":
    main(*sys.argv[1:3])
'''


def counted_in(save: str, tables: Sequence[Mapping[str, str]], select: str) -> tuple[PlanStep, ...]:
    """Return the query of those whom the slot ``people`` counts in, one step a choice."""
    return tuple(
        step(
            "query",
            save=save,
            when={"people": [kind]},
            tables=list(map(dict, tables)),
            statement=f"{select}{where}",
        )
        for kind, where in (("C", " WHERE state = 'C'"), ("everyone", ""))
    )
