"""What the project Beacon works on: the survey's answers, and interviews with who left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_comem.office.embedded.analyst.data import Answer
from pytest_comem.office.embedded.specs import slot, step
from pytest_comem.streams.plans import PlanStep, Slot


def usable(lines: Sequence[Answer], kiosk: bool = False) -> list[Answer]:
    """Return the answers that count: with a score, and not the kiosk's, which come in twice."""
    return [a for a in lines if a.score is not None and (kiosk or a.channel != "kiosk")]


def promoters(lines: Sequence[Answer]) -> float:
    """Return the net promoter score to one decimal, halves away from zero."""
    scores = [a.score or 0 for a in lines]
    net = sum(s >= 9 for s in scores) - sum(s <= 6 for s in scores)
    tenths = 1000 * net / len(scores)
    return int(tenths + (0.5 if tenths >= 0 else -0.5)) / 10


def reading() -> Slot:
    """Return the slot for how the survey's export is read; the plain way is right."""
    signs = {
        "commas": ("commas", 'delimiter ","'),
        "semicolons": ("semicolons", 'delimiter ";"'),
    }
    return slot(
        "reading", "choice", "commas", options=signs, about=["semicolons", "commas", "delimiter"]
    )


_USABLE: Final = "score IS NOT NULL AND score <> '' AND channel <> '{slot:channel}'"
_NET: Final = "round(100.0 * (sum(score >= 9) - sum(score <= 6)) / count(*), 1)"


def _query(path: str, statement: str, save: str, reading: str) -> PlanStep:
    how = {"delimiter": ";", "encoding": "cp1252"} if reading == "semicolons" else {}
    return step(
        "query",
        tables=[{"name": "answers", "path": path, **how}],
        statement=statement,
        save=save,
        when={"reading": [reading]},
    )


def queries(path: str) -> tuple[PlanStep, ...]:
    """Return the queries of a month\'s answers, for each way to read the export."""
    line = "number || ',' || day || ',' || channel || ',' || score"
    statements = {
        "lines": f"SELECT group_concat(line, char(10)) FROM (SELECT {line} AS line FROM answers "
        f"WHERE {_USABLE} ORDER BY number)",
        "count": f"SELECT count(*) FROM answers WHERE {_USABLE}",
        "net": f"SELECT {_NET} FROM answers WHERE {_USABLE}",
    }
    return tuple(
        _query(path, statement, save, reading)
        for reading in ("commas", "semicolons")
        for save, statement in statements.items()
    )


def channel(default: str) -> Slot:
    """Return the slot for the channel that is left out."""
    signs = {"none": ("every channel",), "kiosk": ("channel <> 'kiosk'", "kiosk")}
    return slot("channel", "choice", default, options=signs, about=["kiosk"])


#: Interviews with customers who left: what each says, and on which themes.
THEMES: Final = ("late boxes", "price", "no pause")
INTERVIEWS: Final = (
    ("berta", "2025-05-05", "The box came on Tuesday when it should have come on Friday.", (0,)),
    ("cem", "2025-05-06", "You raised the price twice in a year and told me once.", (1,)),
    ("dora", "2025-05-07", "I only wanted a break for the summer, and could not pause.", (2,)),
    ("emil", "2025-05-12", "Late again, and then the price letter on top of it.", (0, 1)),
    ("frida", "2025-05-13", "Three late boxes in a row. That was it.", (0,)),
    ("goran", "2025-05-14", "My daughter moved out. Nothing to do with you.", ()),
    ("hana", "2025-05-15", "There was no button to pause, so I pressed the other one.", (2,)),
    ("ivo", "2025-05-19", "The courier left it with a neighbour I do not have, days late.", (0,)),
)


def interview(name: str, day: str, said: str, themes: tuple[int, ...]) -> str:
    """Return an interview\'s file."""
    about = ", ".join(THEMES[each] for each in themes) or "none of ours"
    return (
        f"# Interview with {name.capitalize()}, {day}\n\nAsked why they left and what would have "
        f"kept them.\n\n> {said}\n\nThemes: {about}\n\nThey were told that we may quote them "
        "without their family name.\n"
    )
