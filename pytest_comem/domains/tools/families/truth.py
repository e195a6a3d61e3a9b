"""What every node of a family has to leave behind, told by SQL and not by the worker's steps."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from random import Random
from typing import Any, Final

from pytest_comem.domains.tools.contents import Body, body_json, body_name
from pytest_comem.domains.tools.families.blueprint import Blueprint, Source, Step
from pytest_comem.domains.tools.places import read_place
from pytest_comem.domains.tools.tables import Cell, Table, table_of

_CLOCK: Final = re.compile(r"[0-9]{2}:[0-9]{2}")
#: Hours from a zone's clock to UTC; none of them knows summer time.
_TO_UTC: Final = (
    ("Asia/Tokyo", -9),
    ("Asia/Seoul", -9),
    ("Asia/Manila", -8),
    ("Asia/Dhaka", -6),
    ("Asia/Dubai", -4),
)


def bodies_of(blueprint: Blueprint, sources: Mapping[str, Source], who: str) -> dict[str, Body]:
    """Return the result of every node.

    :param who: whom the family is about.
    """
    found: dict[str, Body] = {}
    with closing(sqlite3.connect(":memory:")) as database:
        zones = [(zone, f"{hours} hours") for zone, hours in _TO_UTC]
        _keep(database, "zones", table_of(["zone", "shift"], zones))
        for name, source in sources.items():
            _keep(database, name, source.table)
        for step in blueprint.steps:
            cursor = database.execute(step.truth, {"who": who})
            # In an order that no version of SQLite has a say in.
            found_rows = sorted(cursor.fetchall(), key=lambda row: [str(each) for each in row])
            rows = table_of([one[0] for one in cursor.description], found_rows)
            _keep(database, step.node_id, rows)
            found[step.node_id] = _body(step, rows, who)
    return found


def _body(step: Step, rows: Table, who: str) -> Body:
    if "facts" not in step.work:
        return rows
    if len(rows.rows) != 1:
        raise ValueError(f"{step.node_id}: the truth has {len(rows.rows)} rows instead of one")
    facts = rows.records()[0]
    if "code" not in step.work:
        return facts
    code = str(step.work["code"]).replace("{who}", who)
    for name, value in facts.items():
        code = code.replace(f"{{{name}}}", str(value))
    return code


def _keep(database: sqlite3.Connection, name: str, table: Table) -> None:
    columns = ", ".join(f'"{column}"' for column in table.columns)
    marks = ", ".join("?" for _ in table.columns)
    database.execute(f'CREATE TABLE "{name}" ({columns})')
    database.executemany(f'INSERT INTO "{name}" VALUES ({marks})', table.rows)


def content_of(step: Step, body: Body, who: str, *, draft: bool = False) -> dict[str, Any]:
    """Return the content of an artifact with a result.

    :param draft: its summary says so, in many words.
    """
    title, place = step.title.replace("{who}", who), read_place(step.place)
    size = f"{len(body.rows)} rows" if isinstance(body, Table) else "one record"
    summary = f"{title}: {size}, at {place}."
    if draft:
        say = step.say.replace("{who}", who)
        summary = f"First draft, {title}. {say} {title} as far as it was known: {size}."
    return {"summary": summary, "place": place.as_json(), body_name(body): body_json(body)}


def aged(sources: Mapping[str, Source], rng: Random) -> dict[str, Source]:
    """Return the sources as they may have been earlier: the same rows, other numbers."""
    return {
        name: Source(
            source.where,
            Table(
                source.table.columns,
                tuple(tuple(_earlier(one, rng) for one in row) for row in source.table.rows),
            ),
        )
        for name, source in sources.items()
    }


def _earlier(value: Cell, rng: Random) -> Cell:
    """Return another number, or another time of the same hour."""
    if isinstance(value, int):
        return value + rng.randint(1, 9)
    if _CLOCK.fullmatch(value):
        return f"{value[:3]}{(int(value[3:]) + rng.randint(1, 9)) % 60:02}"
    return value
