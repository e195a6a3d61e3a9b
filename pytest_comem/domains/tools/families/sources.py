"""The material of the shipped families: invented, small, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Final

from pytest_comem.domains.tools.families.blueprint import Source
from pytest_comem.domains.tools.tables import Cell, Table

_ITEMS: Final = ("bolt", "clamp", "dowel", "flange", "gasket", "hinge", "rivet", "shim", "valve")
_SUPPLIERS: Final = ("Abel", "Brandt", "Castle")
_ZONES: Final = (
    ("Tokyo", "Asia/Tokyo"),
    ("Dubai", "Asia/Dubai"),
    ("Seoul", "Asia/Seoul"),
    ("Dhaka", "Asia/Dhaka"),
    ("Manila", "Asia/Manila"),
)
_PEOPLE: Final = ("Ada", "Ben", "Cleo", "Dov", "Edda", "Finn", "Gaia", "Hugo", "Ines", "Jon")
_KINDS: Final = ("fix", "feature", "chore")


def table(columns: str, rows: Iterable[Sequence[Cell]]) -> Table:
    """Return a table whose columns' names are words of a text."""
    return Table(tuple(columns.split()), tuple(tuple(row) for row in rows))


def _in_table(name: str, columns: str, rows: Iterable[Sequence[Cell]]) -> Source:
    return Source({"table": name}, table(columns, rows))


def _in_file(name: str, columns: str, rows: Iterable[Sequence[Cell]]) -> Source:
    return Source({"file": f"inbox/{name}.csv"}, table(columns, rows))


def _in_sheet(book: str, sheet: str, columns: str, rows: Iterable[Sequence[Cell]]) -> Source:
    return Source({"workbook": f"books/{book}.xlsx", "sheet": sheet}, table(columns, rows))


def _distinct(rng: Random, low: int, high: int, count: int) -> list[int]:
    """Return whole numbers no two of which are equal, so that there is one highest."""
    return rng.sample(range(low, high), count)


def stores(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Stock of sites in the database, a price list, deliveries, and a plan in a workbook."""
    sites = [*who, "Quarry"]
    units = {site: _distinct(rng, 3, 40, len(_ITEMS)) for site in sites}
    minimum = {site: _distinct(rng, 12, 45, len(_ITEMS)) for site in sites}
    each = [(site, place, item) for site in sites for place, item in enumerate(_ITEMS)]
    prices = _distinct(rng, 110, 990, len(_ITEMS))
    return {
        "stock": _in_table(
            "stock",
            "site item on_hand minimum",
            [(site, item, units[site][at], minimum[site][at]) for site, at, item in each],
        ),
        "prices": _in_file(
            "prices",
            "item supplier price",
            [(item, rng.choice(_SUPPLIERS), prices[at]) for at, item in enumerate(_ITEMS)],
        ),
    }


def supplies(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Stock in the database, deliveries in a file, what is wanted in a workbook."""
    sites = [*who, "Quarry"]
    each = [(site, item) for site in sites for item in _ITEMS]
    wanted = _distinct(rng, 120, 400, len(each))
    return {
        "stock": _in_table(
            "stock", "site item on_hand", [(*one, rng.randint(10, 60)) for one in each]
        ),
        "deliveries": _in_file(
            "deliveries", "site item coming", [(*one, rng.randint(5, 50)) for one in each]
        ),
        "wanted": _in_sheet(
            "plan",
            "Wanted",
            "site item wanted",
            [(*e, w) for e, w in zip(each, wanted, strict=True)],
        ),
    }


def orders(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Orders in the database, and the terms of every client in a file."""
    clients = [*who, "Tarn Group"]
    rows = [
        (f"o{number:03}", clients[number % 3], _ITEMS[(number // 3) % len(_ITEMS)], units, price)
        for number, (units, price) in enumerate(
            zip(_distinct(rng, 4, 120, 54), _distinct(rng, 100, 900, 54), strict=True)
        )
    ]
    rng.shuffle(rows)
    terms = [(client, 20 + 7 * at, 31 + 9 * at) for at, client in enumerate(clients)]
    return {
        "orders": _in_table("orders", "number client item units price", rows),
        "terms": _in_file("terms", "client least_units days", terms),
    }


def accounts(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Payments and accounts in the database, invoices in a file; some are paid in parts or not."""
    clients = [*who, "Tarn Group"]
    invoices: list[tuple[Cell, ...]] = []
    payments: list[tuple[Cell, ...]] = []
    amounts = _distinct(rng, 1_000, 9_000, 36)
    for number, amount in enumerate(amounts):
        client, invoice = clients[number % 3], f"i{number:03}"
        invoices.append((invoice, client, amount))
        how = number // 3 % 4
        parts = ([amount], [amount // 3, amount // 4], [amount - 450, 450], [])[how]
        payments += (
            (f"p{len(payments) + at:03}", invoice, client, part) for at, part in enumerate(parts)
        )
    rng.shuffle(payments)
    limits = [
        (client, contact, limit)
        for client, contact, limit in zip(
            clients, ("Mira", "Otto", "Pia"), (9_000, 12_000, 15_000), strict=True
        )
    ]
    return {
        "payments": _in_table("payments", "payment invoice client received", payments),
        "accounts": _in_table("accounts", "client contact ceiling", limits),
        "invoices": _in_file("invoices", "invoice client amount", invoices),
    }


def staff(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Hours of teams in a workbook, rates of people in the database."""
    teams = [*who, "Night crew"]
    people = [(name, teams[at % 3]) for at, name in enumerate((*_PEOPLE, "Kai", "Lea"))]
    rates = _distinct(rng, 21, 64, len(people))
    return {
        "hours": _in_sheet(
            "hours",
            "March",
            "person team hours",
            [(name, team, rng.randint(4, 19)) for name, team in people for _ in range(2)],
        ),
        "people": _in_table(
            "people",
            "person team rate",
            [(*one, rate) for one, rate in zip(people, rates, strict=True)],
        ),
    }


def meters(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Readings and tariffs of streets in a workbook, corrections in a file."""
    streets = [*who, "Mill Road"]
    each = [(f"m{number:02}", streets[number % 3]) for number in range(24)]
    used = _distinct(rng, 120, 700, len(each))
    before = [rng.randint(1_000, 5_000) for _ in each]
    rows = [(*one, b, b + u) for one, b, u in zip(each, before, used, strict=True)]
    return {
        "readings": _in_sheet("meters", "Readings", "meter street earlier later", rows),
        "tariffs": _in_sheet(
            "meters",
            "Tariffs",
            "street tariff fee",
            [(street, 17 + 4 * at, 230 + 35 * at) for at, street in enumerate(streets)],
        ),
        "corrections": _in_file(
            "corrections", "meter refund", [(meter, rng.randint(1, 30)) for meter, _ in each]
        ),
    }


def holders(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Readings of streets in a workbook, who holds which meter in the database."""
    found = meters(rng, who)
    rows = found["readings"].table.rows
    held = [(row[0], _PEOPLE[at * 7 % 10], rng.randint(2, 9)) for at, row in enumerate(rows)]
    return {
        "readings": found["readings"],
        "holders": _in_table("holders", "meter holder factor", held),
    }


def tickets(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Tickets of components in a file, and who looks after which component."""
    return {
        "tickets": _in_file("tickets", "ticket component kind state points", _tickets(rng, who)),
        "owners": _in_file(
            "owners",
            "component owner least_points",
            [(who[0], "Ada", 30), (who[1], "Ben", 45), ("Search", "Cleo", 55)],
        ),
    }


def triage(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """The same with the tickets in the database."""
    return {
        "tickets": _in_table("tickets", "ticket component kind state points", _tickets(rng, who)),
        "owners": tickets(rng, who)["owners"],
    }


def _tickets(rng: Random, who: tuple[str, str]) -> list[tuple[Cell, ...]]:
    components = [*who, "Search"]
    rows: list[tuple[Cell, ...]] = [
        (
            f"t{number:03}",
            components[number % 3],
            _KINDS[number // 3 % 3],
            "open" if number // 9 % 3 == 1 else "closed",
            points,
        )
        for number, points in enumerate(_distinct(rng, 10, 99, 54))
    ]
    rng.shuffle(rows)
    return rows


def visits(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Visits to clients, by the clock of the place."""
    clients = [*who, "Tarn Group"]
    minutes = _distinct(rng, 20, 110, 30)
    rows = []
    for number, length in enumerate(minutes):
        town, zone = rng.choice(_ZONES)
        starts = f"{rng.randint(9, 17):02}:{rng.choice((0, 15, 30, 45)):02}"
        rows.append((f"v{number:02}", clients[number % 3], town, zone, starts, length))
    return {"visits": _in_table("visits", "visit client town zone starts minutes", rows)}


def ports(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Calls of ships at ports, and when these open and close by their own clock."""
    lines = [*who, "Tarn Line"]
    calls = [
        (f"c{number:02}", lines[number % 3], rng.choice(_ZONES)[0], tons)
        for number, tons in enumerate(_distinct(rng, 50, 400, 27))
    ]
    hours = [
        (town, zone, f"{9 + at}:{15 * at % 60:02}".zfill(5), f"{16 + at}:{45 - 15 * at % 60:02}")
        for at, (town, zone) in enumerate(_ZONES)
    ]
    return {
        "calls": _in_file("calls", "call line town tons", calls),
        "ports": _in_file("ports", "town zone opens closes", hours),
    }


def ledgers(rng: Random, who: tuple[str, str]) -> Mapping[str, Source]:
    """Entries of departments in a workbook, their budgets in the database."""
    departments = [*who, "Depot"]
    each = [(one, f"k{40 + at}") for one in departments for at in range(9)]
    spent = {one: _distinct(rng, 40, 400, 3) for one in each}
    amounts = _distinct(rng, -160, 200, len(each))
    entries = [
        (f"e{number:03}", *one, amount)
        for number, (one, amount) in enumerate((one, a) for one in each for a in spent[one])
    ]
    rng.shuffle(entries)
    return {
        "ledger": _in_sheet("ledger", "Ledger", "entry department account amount", entries),
        "budgets": _in_table(
            "budgets",
            "department account budget",
            [(*one, sum(spent[one]) + more) for one, more in zip(each, amounts, strict=True)],
        ),
    }
