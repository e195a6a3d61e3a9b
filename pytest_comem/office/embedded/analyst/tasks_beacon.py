"""Tasks of the project Beacon: what customers say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from pytest_comem.office.embedded.analyst import habits
from pytest_comem.office.embedded.analyst.data import Answer, answers, survey
from pytest_comem.office.embedded.analyst.harbour import registered, untouched_register
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    decided,
    do,
    item,
    relevant,
    slot,
    step,
)
from pytest_comem.office.styles import format_number
from pytest_comem.streams.plans import Plan, PlanStep, Slot
from pytest_comem.streams.schema import Activity, Observation

_FEBRUARY: Final = tuple(answers("2025-02", 140))
_MAY: Final = tuple(answers("2025-05", 150))
_VOICE: Final = "beacon/*voice*.md"


def usable(lines: Sequence[Answer], kiosk: bool = False) -> list[Answer]:
    """Return the answers that count: with a score, and not the kiosk's, which come in twice."""
    return [a for a in lines if a.score is not None and (kiosk or a.channel != "kiosk")]


def promoters(lines: Sequence[Answer]) -> float:
    """Return the net promoter score to one decimal, halves away from zero."""
    scores = [a.score or 0 for a in lines]
    net = sum(s >= 9 for s in scores) - sum(s <= 6 for s in scores)
    tenths = 1000 * net / len(scores)
    return int(tenths + (0.5 if tenths >= 0 else -0.5)) / 10


def _reading() -> Slot:
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


def _queries(path: str) -> tuple[PlanStep, ...]:
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


def _channel(default: str) -> Slot:
    signs = {"none": ("every channel",), "kiosk": ("channel <> 'kiosk'", "kiosk")}
    return slot("channel", "choice", default, options=signs, about=["kiosk"])


_CLEAN: Final = "survey/2025-02-clean.csv"
_SUMMARY: Final = "beacon/february-voice.md"
_FINAL: Final = "beacon/2025-02-beacon-voice.md"
_QUOTE: Final = '- "boxes arrive late"'
_SOURCE: Final = next(
    a.number
    for a in usable(_FEBRUARY)
    if a.comment == "boxes arrive late" and a.score < 7  # type: ignore[operator]
)
_NET_FEBRUARY: Final = promoters(usable(_FEBRUARY))
_COUNT_FEBRUARY: Final = len(usable(_FEBRUARY))

A06: Final = TaskSpec(
    id="a06",
    started="2025-03-05T13:30",
    project=habits.BEACON,
    title="Answers of February",
    instruction="First month of the survey: please clean survey/2025-02.csv into "
    "survey/2025-02-clean.csv (number, day, channel, score; only answers with a score, and without "
    "the kiosk, which sends everything twice) and write a short summary with the net promoter "
    "score to beacon/february-voice.md.",
    observations=(
        Observation(
            title="Mail from Yusuf (product)",
            text="We pipe your summary into our dashboard, so plain figures please, nothing that a "
            "parser trips over. A date such as 2025-02-28 is fine.",
        ),
    ),
    activities=(Activity.DATA_PROCESS, Activity.WRITING, Activity.TOOL_USE),
    archived=("reports/*", "finance/2025-*"),
    incoming={"survey/2025-02.csv": survey(_FEBRUARY)},
    plan=Plan(
        slots=(
            _reading(),
            _channel("kiosk"),
            habits.dates("Data as of", "Closed on", "dates"),
            habits.numbers("thousands", "Revenue in EUR", "Monthly fees lost"),
            habits.questions(),
            habits.register(),
        ),
        steps=(
            step("list", path="survey"),
            step("shell", command="head -n 4 survey/2025-02.csv", unless_known="reading"),
            *_queries("survey/2025-02.csv"),
            step("write", path=_CLEAN, text="number,day,channel,score\n{value:lines}\n"),
            step(
                "write",
                path=_SUMMARY,
                text="# Beacon, February 2025\n\nAnswers until: {date:2025-02-28|dates}\n\n"
                "## Findings\n\n- Answers counted: {value:count}\n"
                "- Net promoter score: {number:net|numbers}\n"
                "- Boxes packed that month: {number:18260.5|numbers}\n\n"
                f"## Quotes\n\n{_QUOTE}\n\n"
                "Prepared by: Customer Data team\nQuestions to: {slot:questions}\n",
            ),
            step(
                "shell",
                command=f"python3 tools/register.py {_SUMMARY}",
                when={"register": ["yes"]},
            ),
        ),
    ),
    choices={
        "reading": "commas",
        "channel": "kiosk",
        "dates": "iso",
        "numbers": "1234.5",
        "questions": habits.ADDRESS,
        "register": "yes",
    },
    replies=("The clean answers and a summary are there.",),
    edits=(
        do("edit", path=_SUMMARY, old=_QUOTE, new=f"{_QUOTE} [{_SOURCE}]"),
        do(
            "edit",
            path=_SUMMARY,
            old="Prepared by: Customer Data team",
            new=f"Prepared by: {habits.SIGNATURES[habits.BEACON]}",
        ),
        do("move", path=_SUMMARY, to=_FINAL),
    ),
    remarks=(
        "Product reads this with other eyes than Retention: a quote without its source, in square "
        "brackets right behind it, is an anecdote to them.",
        "Yusuf's parser took it at once. His exports always have commas, as this one.",
    ),
    checks=(
        check(
            "clean",
            "minimum",
            f"The clean file has the {_COUNT_FEBRUARY} answers that count.",
            "rows",
            broken("append", path=_CLEAN, text="S999,2025-02-28,web,9\n"),
            ("reading", "channel"),
            file=_CLEAN,
            count=_COUNT_FEBRUARY,
        ),
        check(
            "columns",
            "reference",
            "The clean file has the four columns.",
            "columns",
            broken("edit", path=_CLEAN, old="number,day,channel,score", new="id,day,channel,score"),
            file=_CLEAN,
            equal=["number", "day", "channel", "score"],
        ),
        check(
            "net",
            "reference",
            f"The net promoter score is {_NET_FEBRUARY}.",
            "number_near",
            broken(
                "edit",
                path=_FINAL,
                old=f"score: {format_number(_NET_FEBRUARY, '1234.5')}",
                new="score: 1.2",
            ),
            ("reading", "channel"),
            file=_VOICE,
            near="Net promoter score:",
            equals=_NET_FEBRUARY,
        ),
        registered(3),
        check(
            "counted",
            "better",
            "The summary says how many answers it rests on.",
            "number_near",
            broken("edit", path=_FINAL, old="Answers counted", new="Answers"),
            ("reading", "channel"),
            file=_VOICE,
            near="Answers counted:",
            equals=_COUNT_FEBRUARY,
        ),
    ),
    preferences=(
        habits.dates_item(
            "beacon-plain",
            _VOICE,
            "iso",
            broken("edit", path=_FINAL, old="2025-02-28", new="28 February 2025"),
        ),
        habits.numbers_item(
            "beacon-plain",
            _VOICE,
            "1234.5",
            broken("edit", path=_FINAL, old="18260.5", new="18,260.5"),
        ),
        habits.questions_item(_FINAL, _VOICE),
    ),
    relevant=(relevant("a03", "convention", "whom to ask", "when a report is finished"),),
)

#: Interviews with customers who left: what each says, and on which themes.
_THEMES: Final = ("late boxes", "price", "no pause")
_INTERVIEWS: Final = (
    ("berta", "2025-05-05", "The box came on Tuesday when it should have come on Friday.", (0,)),
    ("cem", "2025-05-06", "You raised the price twice in a year and told me once.", (1,)),
    ("dora", "2025-05-07", "I only wanted a break for the summer, and could not pause.", (2,)),
    ("emil", "2025-05-12", "Late again, and then the price letter on top of it.", (0, 1)),
    ("frida", "2025-05-13", "Three late boxes in a row. That was it.", (0,)),
    ("goran", "2025-05-14", "My daughter moved out. Nothing to do with you.", ()),
    ("hana", "2025-05-15", "There was no button to pause, so I pressed the other one.", (2,)),
    ("ivo", "2025-05-19", "The courier left it with a neighbour I do not have, days late.", (0,)),
)


def _interview(name: str, day: str, said: str, themes: tuple[int, ...]) -> str:
    about = ", ".join(_THEMES[each] for each in themes) or "none of ours"
    return (
        f"# Interview with {name.capitalize()}, {day}\n\nAsked why they left and what would have "
        f"kept them.\n\n> {said}\n\nThemes: {about}\n\nThey were told that we may quote them "
        "without their family name.\n"
    )


_MENTIONS: Final = Counter(theme for *_, themes in _INTERVIEWS for theme in themes)
_QUOTED: Final = (("frida", 4), ("cem", 1), ("hana", 6))
_DONE: Final = "beacon/2025-05-beacon-voice.md"
_NET_MAY: Final = promoters(usable(_MAY))
_TABLE: Final = "| Theme | Mentions |\n| --- | --- |\n" + "".join(
    f"| {theme} | {_MENTIONS[number]} |\n" for number, theme in enumerate(_THEMES)
)


def _quotes(sources: bool) -> str:
    return "".join(
        f'- "{_INTERVIEWS[number][2]}"' + (f" [interviews/{name}.md]" if sources else "") + "\n"
        for name, number in _QUOTED
    )


def _voice(sources: bool) -> PlanStep:
    text = (
        "# Beacon, May 2025\n\nAnswers until: {date:2025-05-31|dates}\n\n## Findings\n\n"
        "- Answers counted: {value:count}\n- Net promoter score: {number:net|numbers}\n"
        "- Boxes packed that month: {number:19410.5|numbers}\n\n"
        f"{_TABLE}\n## Quotes\n\n{_quotes(sources)}\n"
        "Prepared by: {slot:signature}\nQuestions to: {slot:questions}\n"
    )
    return step(
        "write", path="{slot:path}", text=text, when={"sources": ["yes" if sources else "no"]}
    )


A13: Final = TaskSpec(
    id="a13",
    started="2025-06-05T09:40",
    project=habits.BEACON,
    title="Why customers leave",
    instruction="Product wants to know why people leave. Please read the interviews (interviews/) "
    "and the answers of May (survey/2025-05.csv), and write up under beacon/ which themes come up "
    "how often, the net promoter score, and the quotes that say it best.",
    observations=(
        Observation(
            title="Mail from Yusuf (product)",
            text="We have money for one of three things: a better courier, a pause button, or "
            "doing nothing about prices. Tell us which.",
        ),
    ),
    activities=(Activity.DEEP_RESEARCH, Activity.DATA_ANALYSIS, Activity.WRITING),
    archived=("reports/*", "drafts/*", "finance/2025-*"),
    incoming={
        "survey/2025-05.csv": survey(_MAY),
        **{f"interviews/{each[0]}.md": _interview(*each) for each in _INTERVIEWS},
    },
    plan=Plan(
        slots=(
            slot(
                "path",
                "file_name",
                "beacon/voice.md",
                period="2025-05",
                words=["voice"],
                about=["voice"],
            ),
            _reading(),
            _channel("none"),
            slot(
                "sources",
                "choice",
                "no",
                options={"no": (), "yes": ("square brackets", 'late" [')},
                about=["quote", "quotes"],
            ),
            habits.dates("Data as of", "Closed on", "Answers until", "dates"),
            habits.numbers(
                "thousands", "Revenue in EUR", "Monthly fees lost", "Net promoter score"
            ),
            habits.signed(),
            habits.questions(),
            habits.register(),
        ),
        steps=(
            step("list", path="interviews"),
            *(step("read", path=f"interviews/{each[0]}.md") for each in _INTERVIEWS),
            step("shell", command="head -n 4 survey/2025-05.csv", unless_known="reading"),
            *(each for each in _queries("survey/2025-05.csv") if each.save != "lines"),
            _voice(sources=False),
            _voice(sources=True),
            step(
                "shell",
                command="python3 tools/register.py {slot:path}",
                when={"register": ["yes"]},
            ),
        ),
    ),
    choices={
        "path": _DONE,
        "reading": "commas",
        "channel": "kiosk",
        "sources": "yes",
        "dates": "iso",
        "numbers": "1234.5",
        "signature": habits.SIGNATURES[habits.BEACON],
        "questions": habits.ADDRESS,
        "register": "no",
    },
    replies=("Late boxes come up most often; I would put the money on the courier.",),
    remarks=("Yusuf goes for the courier. The pause button comes in autumn.",),
    checks=(
        check(
            "themes",
            "minimum",
            f"Late boxes are mentioned {_MENTIONS[0]} times.",
            "value",
            broken(
                "edit",
                path=_DONE,
                old=f"| late boxes | {_MENTIONS[0]} |",
                new="| late boxes | 3 |",
            ),
            file=_VOICE,
            key={"Theme": "late boxes"},
            column="Mentions",
            equals=_MENTIONS[0],
        ),
        check(
            "counted",
            "minimum",
            f"It rests on the {len(usable(_MAY))} answers that count, without the kiosk's.",
            "number_near",
            broken(
                "edit",
                path=_DONE,
                old=f"counted: {len(usable(_MAY))}",
                new=f"counted: {len(_MAY)}",
            ),
            ("reading", "channel"),
            file=_VOICE,
            near="Answers counted:",
            equals=len(usable(_MAY)),
        ),
        check(
            "net",
            "reference",
            f"The net promoter score is {_NET_MAY}.",
            "number_near",
            broken(
                "edit",
                path=_DONE,
                old=f"score: {format_number(_NET_MAY, '1234.5')}",
                new="score: 1.2",
            ),
            ("reading", "channel"),
            file=_VOICE,
            near="Net promoter score:",
            equals=_NET_MAY,
        ),
        check(
            "quotes",
            "reference",
            "It quotes who could not pause.",
            "contains",
            broken("edit", path=_DONE, old="There was no button to pause", new="No such button"),
            file=_VOICE,
            all=["no button to pause"],
        ),
        untouched_register(),
        check(
            "more",
            "better",
            "Prices are counted as well, from more than one interview.",
            "value",
            broken("edit", path=_DONE, old=f"| price | {_MENTIONS[1]} |", new="| price | 7 |"),
            file=_VOICE,
            key={"Theme": "price"},
            column="Mentions",
            equals=_MENTIONS[1],
        ),
    ),
    preferences=(
        habits.named(_DONE, _VOICE, "beacon/voice-of-may.md"),
        habits.dates_item(
            "beacon-plain",
            _VOICE,
            "iso",
            broken("edit", path=_DONE, old="2025-05-31", new="31/05/2025"),
        ),
        habits.numbers_item(
            "beacon-plain",
            _VOICE,
            "1234.5",
            broken("edit", path=_DONE, old="19410.5", new="19 410,50"),
        ),
        item(
            "sources",
            "beacon-quotes",
            "Every quote has its source behind it in square brackets.",
            decided(
                "contains",
                broken("edit", path=_DONE, old=" [interviews/cem.md]", new=""),
                ["sources"],
                file=_VOICE,
                all=[f"[interviews/{name}.md]" for name, _ in _QUOTED],
            ),
            weight=3,
        ),
        habits.signed_item(habits.BEACON, _DONE, _VOICE),
        habits.questions_item(_DONE, _VOICE),
    ),
    relevant=(
        relevant(
            "a06",
            "convention",
            "I changed beacon/february-voice.md",
            "in square brackets",
            "always have commas",
            "channel <> 'kiosk'",
            "wrote beacon/february-voice.md",
        ),
        relevant("a11", "convention", "register themselves"),
        relevant("a03", "convention", "whom to ask"),
    ),
)
