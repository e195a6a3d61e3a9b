"""What Lantern and Kestrel pay: applications, costs and claims of 2025, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from pytest_comem.office.embedded.files import table, workbook

#: Village, project, contact, asked for, granted; in whole euros.
APPLICATIONS: Final = (
    ("Brattholm", "Solar roof of the boathouse", "Astrid Venn", 8200, 6450),
    ("Eikdal", "Heat pump for the village hall", "Jon Eikdal", 9000, 9000),
    ("Søndre Myr", "Shared charging post", "Liv Torp", 5600, 4100),
    ("Kvernes", "Insulation of the school annex", "Arne Moss", 7400, 5250),
    ("Ulvang", "Bicycle workshop", "Tiril Hauge", 3300, 0),
)
#: Day, item, kind, amount in euros; of the second quarter.
COSTS: Final = (
    ("2025-04-08", "Travel to Brattholm", "travel", "184.60"),
    ("2025-04-23", "Evaluation visit Eikdal", "travel", "212.35"),
    ("2025-05-06", "Hall for the open evening", "events", "640.00"),
    ("2025-05-07", "Coffee and bread", "events", "158.90"),
    ("2025-05-22", "Travel to Kvernes", "travel", "96.15"),
    ("2025-06-11", "Printing of the village guide", "events", "1187.50"),
)
#: Number, school, item, currency, amount; of the first quarter.
CLAIMS: Final = (
    ("K-01", "Fjellvik", "ferry tickets", "NOK", "18400.00"),
    ("K-02", "Fjellvik", "host families", "NOK", "31050.00"),
    ("K-03", "Fjellvik", "museum", "NOK", "4830.00"),
    ("K-04", "Lindenau", "bus", "EUR", "1460.00"),
    ("K-05", "Lindenau", "host families", "EUR", "2215.40"),
    ("K-06", "Castelmora", "train", "EUR", "1984.25"),
    ("K-07", "Castelmora", "workshop room", "EUR", "540.00"),
    ("K-08", "Fjellvik", "bus", "NOK", "9775.00"),
)
#: Number, first and last name, school, state (by coach or train) of those who were in Lindenau.
PUPILS: Final = tuple(
    (
        nr,
        "Zoë" if nr == 9 else ("Lars", "Ida", "Paulo", "Marta", "Kai")[nr % 5],
        "Brandão" if nr == 9 else ("Holm", "Weiß", "Costa", "Lie")[nr % 4],
        ("Fjellvik", "Castelmora")[nr % 2],
        "C" if nr % 3 else "T",
    )
    for nr in range(1, 27)
)
#: What a euro is in crowns by the agreement of Kestrel until June, and at the bank in July.
BANK: Final = Decimal("11.62")
AGREED: Final = Decimal("11.50")
#: Item and amount in crowns of Fjellvik's last claim.
LAST_CLAIM: Final = (
    ("Ferry tickets", 27600),
    ("Host families", 48300),
    ("Materials", 6440),
    ("Guides", 11730),
)


def applications() -> bytes:
    """Return the workbook of applications."""
    head = ["Village", "Project", "Contact", "Amount"]
    asked = [[v, p, c, a] for v, p, c, a, _ in APPLICATIONS]
    granted = [[v, p, c, g] for v, p, c, _, g in APPLICATIONS if g]
    return workbook({"Grey": [head, *asked], "Green": [head, *granted]})


def costs() -> bytes:
    """Return the list of costs of the second quarter."""
    return table([("day", "item", "kind", "amount"), *COSTS])


def claims() -> bytes:
    """Return the schools' claims of the first quarter."""
    return table([("claim", "school", "item", "currency", "amount"), *CLAIMS])


def pupils() -> bytes:
    """Return the list of the pupils who were in Lindenau."""
    return table([("nr", "first", "last", "school", "state"), *PUPILS])


def last_claim() -> bytes:
    """Return Fjellvik's last claim as the school filled it in, with ten percent on top."""
    rows: list[Sequence[object]] = [["Item", "Amount_NOK"], *LAST_CLAIM]
    direct = sum(amount for _, amount in LAST_CLAIM)
    asked = float(cents(Decimal(direct) / BANK * Decimal("1.10")))
    return workbook(
        {"Claim": rows, "Asked for": [["What", "EUR"], ["Direct costs and overheads", asked]]}
    )


def cents(value: Decimal) -> Decimal:
    """Return an amount to the cent, halves rounded up."""
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def granted(village: str) -> int:
    """Return what the panel granted a village."""
    return next(row[4] for row in APPLICATIONS if row[0] == village)


def claimed(school: str) -> Decimal:
    """Return what a school's claims of the first quarter come to, in euros, to the cent."""
    total = Decimal(0)
    for _, of, _, currency, amount in CLAIMS:
        if of == school:
            total += Decimal(amount) / (AGREED if currency == "NOK" else 1)
    return cents(total)
