"""Slots for the coordinator's habits, the blocks of her papers, and items that ask for a habit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_comem.office.embedded.specs import broken, decided, item, slot
from pytest_comem.streams.hidden import Mutation, PreferenceItem
from pytest_comem.streams.plans import Slot

#: How the last line of her papers names who made them: at first, and from June on.
EARLY: Final = "I. Halvorsen"
LATE: Final = "Programme Office, Brackenfield Trust"

#: What is put away once it is done, so that a workspace does not show how the last one was made.
FINISHED: Final = (
    *("*/minutes/*", "saltmarsh/lists/*", "saltmarsh/checks/*", "saltmarsh/*.md", "lantern/*.md"),
    *("lantern/letter-*", "lantern/claim-*", "kestrel/*.md", "saltmarsh/badges.txt", "office/*"),
)

#: Header rows of tables of what is to be done, by the choice of the slot ``actions``.
ACTION_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "plain": ("Task", "Responsible", "Deadline"),
    "three": ("Action", "Owner", "Due"),
    "five": ("No", "Owner", "Action", "Due", "Status"),
    "who": ("Who", "What", "When"),
}

DATES: Final = slot("dates", "date_style", "iso")
AMOUNTS: Final = slot("amounts", "number_style", "1,234.50", about=["EUR", "euro", "euros"])
PREPARED: Final = slot("prepared", "line", "The coordinator", lead="Prepared by:")
SIGNED: Final = slot("signed", "line", "The Lantern team", lead="Signed:")
OPENING: Final = slot(
    "opening",
    "choice",
    "Summary",
    options={"Upshot": ["Upshot"], "Summary": ["# Summary", "called Summary"]},
)
ACTIONS: Final = slot(
    "actions",
    "choice",
    "plain",
    options={
        "plain": ["Task | Responsible | Deadline"],
        "three": ["Action | Owner | Due", 'is now "Action"'],
        "five": ["No | Owner | Action | Due | Status", "Action | Due | Status"],
        "who": ["Who | What | When"],
    },
)
SOURCES: Final = slot(
    "sources", "choice", "no", options={"yes": ["# Sources", "section Sources"], "no": []}
)
ENCODING: Final = slot(
    "encoding",
    "choice",
    "latin-1",
    options={"cp1252": ["cp1252", "Windows Latin"], "latin-1": ["latin-1"]},
)
#: The same for files of which nobody would think that they are in anything but UTF-8.
PUPILS_ENCODING: Final = slot(
    "encoding",
    "choice",
    "utf-8",
    options={"cp1252": ["cp1252", "Windows Latin"], "utf-8": ["utf-8"]},
)
PEOPLE: Final = slot(
    "people",
    "choice",
    "everyone",
    options={"C": ["state C", "state = 'C'", '("C",)'], "everyone": ["whole export"]},
)
ROOMS: Final = slot(
    "rooms",
    "choice",
    "capacity",
    options={"seats": [": seats", "by seats"], "capacity": [": capacity", "by capacity"]},
)
CREW: Final = slot(
    "crew",
    "choice",
    "0",
    about=["boat", "boats"],
    options={"4": ["four of them are crew", "places - 4"], "0": ["places - 0"]},
)
CHECKED: Final = slot("checked", "choice", "no", options={"yes": ["check_list.py"], "no": []})
SHEET: Final = slot(
    "sheet",
    "choice",
    "Grey",
    options={
        "Green": ["sheet Green", 'sheet "Green"'],
        "Grey": ["sheet Grey", 'sheet "Grey"'],
    },
)
SUMS: Final = slot(
    "sums", "choice", "values", options={"formulas": ["=SUM(", "are formulas"], "values": []}
)


def named(default: str, period: str, *words: str) -> Slot:
    """Return the slot of the path of what a task writes."""
    return slot("name", "file_name", default, period=period, words=words)


def overhead(default: str) -> Slot:
    """Return the slot of the overheads' share of direct costs, in percent."""
    return slot(
        "overhead",
        "choice",
        default,
        about=["overhead", "overheads"],
        options={"0": [], "7": ["7 %"], "10": ["10 %"], "12": ["12 %"]},
    )


def rate(bank: str) -> Slot:
    """Return the slot of what a euro is in crowns, *bank* being the bank's of the day."""
    return slot(
        "rate",
        "choice",
        bank,
        about=["NOK", "crowns", "amount_nok"],
        options={"11.50": ["11.50", "11,50"], bank: [bank, "the bank's rate of the day"]},
    )


def heading(text: str, level: int = 1) -> dict[str, Any]:
    """Return the block of a heading."""
    return {"kind": "heading", "level": level, "text": text}


def para(text: str) -> dict[str, Any]:
    """Return the block of a paragraph."""
    return {"kind": "paragraph", "text": text}


def bullets(*texts: str) -> list[dict[str, Any]]:
    """Return a block a bullet."""
    return [{"kind": "bullet", "text": text} for text in texts]


def table(rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return the block of a table."""
    return {"kind": "table", "rows": [list(row) for row in rows]}


def action_rows(kind: str, actions: Sequence[tuple[str, str, str]]) -> list[list[str]]:
    """Return the table of *actions* (who, what, until when) in one of the four ways."""
    rows = [list(ACTION_COLUMNS[kind])]
    for number, (who, what, when) in enumerate(actions, 1):
        if kind == "five":
            rows.append([str(number), who, what, when, "open"])
        elif kind == "who":
            rows.append([who, what, when])
        else:
            rows.append([what, who, when])
    return rows


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows, the header first, as a table of Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def edit_of(path: str, old: str, new: str) -> Mutation:
    """Return the mutation that replaces a text of a document or text file."""
    name = "edit_document" if path.endswith(".docx") else "edit"
    return broken(name, path=path, old=old, new=new)


def wants_dates(path: str, files: str, style: str, old: str, new: str) -> PreferenceItem:
    """Return the item on dates; *old* of the reference becomes *new*, of another style."""
    return item(
        "dates",
        "dates",
        f"Every date is written in the programme's way ({style}).",
        decided("date_style", edit_of(path, old, new), ["dates"], file=files, style=style),
        weight=2,
    )


def wants_amounts(path: str, files: str, style: str, old: str, new: str) -> PreferenceItem:
    """Return the item on amounts; *old* of the reference becomes *new*, of another style."""
    return item(
        "amounts",
        "amounts",
        f"Amounts are written in the programme's way (as {style}).",
        decided("number_style", edit_of(path, old, new), ["amounts"], file=files, style=style),
        weight=2,
    )


def wants_prepared(path: str, files: str, who: str) -> PreferenceItem:
    """Return the item on the line that says who made the paper."""
    return item(
        "prepared",
        "prepared-by",
        f"The paper ends with 'Prepared by: {who}'.",
        decided(
            "line",
            edit_of(path, f"Prepared by: {who}", "Prepared by: the office"),
            ["prepared"],
            file=files,
            lead="Prepared by:",
            equal=who,
        ),
    )


def wants_opening(path: str, files: str, mark: str = "", name: str = "Upshot") -> PreferenceItem:
    """Return the item on the section that papers open with.

    :param mark: what stands before the heading in the file: ``## `` in Markdown.
    :param name: of the section: Upshot until June, Summary from July on.
    """
    return item(
        "opening",
        "upshot",
        f"The paper opens with a section called {name}.",
        decided(
            "headings",
            edit_of(path, f"{mark}{name}", f"{mark}At a glance"),
            ["opening"],
            file=files,
            include=[name],
        ),
    )


def wants_columns(path: str, files: str, kind: str, cell: str) -> PreferenceItem:
    """Return the item on the table of actions; *cell* of its header is what a mutation renames."""
    columns = ACTION_COLUMNS[kind]
    old, new = cell, "Remark"
    if not path.endswith(".docx"):
        line = "| " + " | ".join(columns) + " |"
        old, new = line, line.replace(cell, "Remark")
    return item(
        "columns",
        "actions",
        f"What is to be done stands in a table with the columns {', '.join(columns)}.",
        decided("columns", edit_of(path, old, new), ["actions"], file=files, equal=list(columns)),
        weight=2,
    )


def wants_name(path: str, files: str, other: str) -> PreferenceItem:
    """Return the item on the file's name; *other* is one that *files* matches as well."""
    return item(
        "name",
        "names",
        f"The file is called {path}.",
        decided("name", broken("move", path=path, to=other), ["name"], file=files, equal=path),
    )
