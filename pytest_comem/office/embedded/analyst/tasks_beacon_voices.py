"""The task of the project Beacon in which interviews are read for why customers leave."""

from __future__ import annotations

from collections import Counter
from typing import Final

from pytest_comem.office.embedded.analyst import habits
from pytest_comem.office.embedded.analyst.beacon import (
    INTERVIEWS,
    THEMES,
    channel,
    interview,
    promoters,
    queries,
    reading,
    usable,
)
from pytest_comem.office.embedded.analyst.data import answers, survey
from pytest_comem.office.embedded.analyst.harbour import untouched_register
from pytest_comem.office.embedded.specs import (
    TaskSpec,
    broken,
    check,
    decided,
    item,
    relevant,
    slot,
    step,
)
from pytest_comem.office.styles import format_number
from pytest_comem.streams.plans import Plan, PlanStep
from pytest_comem.streams.schema import Activity, Observation

_MAY: Final = tuple(answers("2025-05", 150))
_VOICE: Final = "beacon/*voice*.md"

_MENTIONS: Final = Counter(theme for *_, themes in INTERVIEWS for theme in themes)
_QUOTED: Final = (("frida", 4), ("cem", 1), ("hana", 6))
_DONE: Final = "beacon/2025-05-beacon-voice.md"
_NET_MAY: Final = promoters(usable(_MAY))
_TABLE: Final = "| Theme | Mentions |\n| --- | --- |\n" + "".join(
    f"| {theme} | {_MENTIONS[number]} |\n" for number, theme in enumerate(THEMES)
)


def _quotes(sources: bool) -> str:
    return "".join(
        f'- "{INTERVIEWS[number][2]}"' + (f" [interviews/{name}.md]" if sources else "") + "\n"
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
    "how often (a table with Theme and Mentions, themes as the interviews name them), the lines "
    "Answers counted: and Net promoter score:, and the quotes that say it best. The file is "
    "Markdown and has voice in its name.",
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
        **{f"interviews/{each[0]}.md": interview(*each) for each in INTERVIEWS},
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
            reading(),
            channel("none"),
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
            *(step("read", path=f"interviews/{each[0]}.md") for each in INTERVIEWS),
            step("shell", command="head -n 4 survey/2025-05.csv", unless_known="reading"),
            *(each for each in queries("survey/2025-05.csv") if each.save != "lines"),
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
            any_of=["no button to pause", "could not pause"],
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
