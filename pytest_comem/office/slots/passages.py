"""Recalled passages as the offline agent reads them: parts with a day, a project and what counts.

A passage is an entry's text or whatever a memory made of it; it is data, read up to a bound and
never acted on as an instruction. Where one holds several entries, each is a part of its own. What a
text says was replaced is dropped: the OLD of ``"OLD" is now "NEW"`` and ``replaced "OLD" with
"NEW"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, final

from pytest_comem.streams.schema import Participant, Task

#: So much of a passage is read, in characters.
READ: Final = 50_000

_HEADER: Final = re.compile(
    r"^[ \t>*\-\d.]{0,8}\[(?P<day>\d{4}-\d{2}-\d{2})(?:T[\d:]{4,8})?"
    r"(?:, (?P<project>[^\]\n]{1,200}))?\][ \t]*",
    re.MULTILINE | re.ASCII,
)
_SPEAKER: Final = re.compile(r"(?P<name>[^\n:\"]{1,60}): ")
_EVERYWHERE: Final = re.compile(r"\b(?:everywhere|all (?:my |our |the )?projects)\b", re.I)
_FROM_NOW: Final = re.compile(r"\bfrom now on\b", re.I)
_OWN: Final = re.compile(
    r"\bI (?:changed|renamed)\b|\" is now \"|\breplaced with \"|\bfrom now on\b|\balways\b"
    r"|\bprefer\w*\b|\bin future\b|\bgoing forward\b",
    re.I,
)
_AWAY: Final = re.compile(
    r"\b(?:instead of|rather than|no longer|previously|formerly|used to|avoid\w*"
    r"|(?:do not|don['\u2019]?t|does not|doesn['\u2019]?t|never|not|stop\w*)\b)"
    r"(?:[ ](?:be |to )?(?:use|uses|write|writes|want|wants|using|writing)\b)?"
    r".{0,200}?(?=[,;](?:\s|$)|[.!?](?:\s|$)|\n|\b(?:but|use|write|please|now)\b|$)"
    r"|(?<=\bfrom\b).{1,60}?(?=\bto\b)",
    re.I,
)
_CHANGE: Final = re.compile(r"\b(?:switch|chang|mov|convert|went|go)\w*\b.{0,40}?$", re.I | re.S)


@final
@dataclass(frozen=True, slots=True)
class Passage:
    """One entry, or what a memory made of some, as far as it can be told.

    :param index: 0-based place of the passage in what was recalled.
    :param day: of the header, ISO 8601; empty where there is none, which is oldest.
    :param project: of the header, else the one project that the text names.
    :param named: projects that its text names.
    :param everywhere: whether somebody says in it that something holds in all projects.
    :param from_now: whether somebody says in it that something holds from now on.
    :param own: whether the participant states a habit in it or corrects something.
    :param heard: whether the participant says it, as its header tells.
    :param result: whether a tool said it: it shows what was found, not how things are written.
    :param text: the whole part.
    :param kept: without header and speaker and without what was replaced.
    """

    index: int
    day: str
    project: str | None
    named: tuple[str, ...]
    everywhere: bool
    from_now: bool
    own: bool
    heard: bool
    result: bool
    text: str
    kept: str

    def applies(self, task: Task) -> int:
        """Return how far it concerns a task: 2 its own, 1 perhaps, 0 another project's.

        What holds everywhere concerns every task, unless the text names only other projects. What
        holds from now on does so where the passage belongs to no project.
        """
        ours = any(_same(name, task.project) for name in self.named)
        if (self.everywhere or (self.from_now and not self.project)) and (ours or not self.named):
            return 2
        if self.project:
            return 2 if _same(self.project, task.project) else 0
        return 1

    def holds(self, words: Sequence[str]) -> bool:
        """Return whether it has one of some words or phrases; it does where there are none."""
        return not words or any(pattern_of(word).search(self.text) for word in words)


def read_passages(texts: Sequence[str], participant: Participant) -> list[Passage]:
    """Return the parts of recalled passages, in order."""
    return [
        part for index, text in enumerate(texts) for part in _parts(index, text[:READ], participant)
    ]


def in_order(passages: Sequence[Passage], task: Task) -> list[Passage]:
    """Return passages in the order in which they are believed.

    What concerns the task comes first, and what tools returned last of it; then the newer; of one
    day what states a habit or corrects, then what else the participant said, then the memory's own
    order.
    """

    def belief(passage: Passage) -> tuple[int, bool, str, bool, bool]:
        return (
            passage.applies(task),
            not passage.result,
            passage.day,
            passage.own,
            passage.heard,
        )

    return sorted(passages, key=belief, reverse=True)


@lru_cache(maxsize=4096)
def pattern_of(phrase: str) -> re.Pattern[str]:
    """Return what finds a literal phrase as whole words; case and runs of blanks do not matter."""
    words = r"\s+".join(map(re.escape, phrase.split()))
    before = r"(?<!\w)" if phrase.strip()[:1].isalnum() else ""
    after = r"(?!\w)" if phrase.strip()[-1:].isalnum() else ""
    return re.compile(before + words + after, re.IGNORECASE) if words else re.compile(r"(?!)")


def without_rejected(text: str) -> str:
    """Return a text without what it says is not, or no longer, wanted.

    That is what follows *instead of*, *not*, *no longer* and the like up to the end of the clause,
    and the first half of *switched from one to the other*.
    """

    def drop(match: re.Match[str]) -> str:
        if match.group()[:1].isspace():
            lead = match.string[max(0, match.start() - 60) : match.start() - len("from")]
            return " " if _CHANGE.search(lead) else match.group()
        return ""

    return _AWAY.sub(drop, text)


def _parts(index: int, text: str, participant: Participant) -> Iterator[Passage]:
    starts = [
        match.start()
        for match in _HEADER.finditer(text)
        # A dated line inside a document begins no entry.
        if not match.start() or match["project"] or _SPEAKER.match(text, match.end())
    ]
    edges = [*([] if starts[:1] == [0] else [0]), *starts, len(text)]
    for start, end in pairwise(edges):
        if text[start:end].strip():
            yield _read(index, text[start:end].strip(), participant)


def _read(index: int, text: str, participant: Participant) -> Passage:
    header = _HEADER.match(text)
    body = text[header.end() :] if header else text
    speaker = _SPEAKER.match(body) if header else None
    body = body[speaker.end() :] if speaker else body
    named = [name for name in participant.projects if pattern_of(name).search(body)]
    project = header["project"] if header else None
    if project is None and len(named) == 1:
        project = named[0]
    kept = without_replaced(body)
    # What the assistant wrote into files, and what tools returned, states nothing.
    said = speaker is None or speaker["name"] not in ("assistant", "result")
    return Passage(
        index=index,
        day=header["day"] if header else "",
        project=project,
        named=tuple(named),
        everywhere=said and _EVERYWHERE.search(body) is not None,
        from_now=said and _FROM_NOW.search(body) is not None,
        own=said and _OWN.search(kept) is not None,
        heard=said and speaker is not None,
        result=speaker is not None and speaker["name"] == "result",
        text=text,
        kept=kept,
    )


def without_replaced(text: str) -> str:
    """Return a text without the OLD of ``"OLD" is now "NEW"`` and ``replaced "OLD" with "NEW"``."""
    kept, start = [], 0
    while (at := text.find('" is now "', start)) >= 0:
        said = text.rfind("I changed ", start, at)
        opening = text.find(': "', said, at) + 2 if said >= 0 else -1
        if opening < 2:
            opening = text.rfind('"', start, at)
        kept.append(text[start : opening if opening >= start else at])
        start = at + 1
    return _without_first("".join([*kept, text[start:]]))


def _without_first(text: str) -> str:
    kept, start = [], 0
    while (at := text.find('replaced "', start)) >= 0:
        end = text.find('" with "', at)
        if end < 0:
            break
        kept.append(text[start:at] + "replaced")
        start = end + 1
    return "".join([*kept, text[start:]])


def _same(name: str, other: str | None) -> bool:
    return other is not None and name.casefold().split() == other.casefold().split()
