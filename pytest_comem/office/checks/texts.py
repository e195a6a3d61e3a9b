"""Checks of what is written: ``contains``, ``headings``, ``line``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.office.base import Found
from pytest_comem.office.blocks import Block
from pytest_comem.office.checks.base import (
    FailedError,
    Kind,
    Phrases,
    Scene,
    TextArguments,
    passed,
    plain,
    shown,
)
from pytest_comem.office.markdown import MARKS
from pytest_comem.records.base import Name

_UNMARKED: Final = dict.fromkeys(map(ord, "*`"))
#: What a line may begin with that is no part of its text.
_LIST_MARKS: Final = re.compile(r"[\s>*+\-\u2022]*")


@final
class ContainsArguments(TextArguments):
    """Arguments of ``contains``.

    :param all: phrases that all have to be there, in this order where *in_order*. A phrase that
        begins or ends with a digit is no part of a longer number. Marks of emphasis and code in
        Markdown do not matter, unless a phrase has some.
    :param any_of: of which one has to be.
    :param none: of which none may be.
    :param section: heading under which to look, down to the next of its level or above.
    """

    all: Phrases | None = None
    any_of: Phrases | None = None
    none: Phrases | None = None
    in_order: bool = False
    section: Name | None = None


@final
class HeadingsArguments(TextArguments):
    """Arguments of ``headings``, of all levels; *first* and *last* are how they begin and end."""

    equal: Phrases | None = None
    include: Phrases | None = None
    first: Name | Phrases | None = None
    last: Name | Phrases | None = None


@final
class LineArguments(TextArguments):
    """Arguments of ``line``.

    :param lead: what a line starts with; marks of lists and of emphasis do not matter.
    :param equal: how it has to go on, to its end.
    """

    lead: Name
    equal: Name | None = None
    one_of: Phrases | None = None


def contains(arguments: ContainsArguments, scene: Scene) -> Found:
    """Pass where the phrases stand in the file."""
    document = scene.document(arguments)
    path, blocks = document.path, document.blocks
    place = shown(path)
    if arguments.section is not None:
        blocks = section(blocks, arguments.section, path)
        place = f'{place}, section "{shown(arguments.section)}"'
    text = "\n".join(block.text for block in blocks)
    phrases = [*(arguments.all or ()), *(arguments.any_of or ()), *(arguments.none or ())]
    if document.is_markdown and not any(mark in each for mark in "*`" for each in phrases):
        text = text.translate(_UNMARKED)
    text = plain(text, arguments.exact)
    at = 0
    for phrase in arguments.all or ():
        found = _place(phrase, text, at, arguments.exact)
        if found is None:
            late = arguments.in_order and at and _place(phrase, text, 0, arguments.exact)
            why = "stands before what it should follow" if late else "is missing"
            raise FailedError(f'{place}: "{shown(phrase)}" {why}', file=path, phrase=phrase)
        at = found[1] if arguments.in_order else 0
    some = arguments.any_of or ()
    if some and not any(_place(phrase, text, 0, arguments.exact) for phrase in some):
        quoted = ", ".join(f'"{shown(phrase)}"' for phrase in some[:4])
        raise FailedError(f"{place}: has none of {quoted}", file=path)
    for phrase in arguments.none or ():
        if _place(phrase, text, 0, arguments.exact):
            raise FailedError(f'{place}: has "{shown(phrase)}"', file=path, phrase=phrase)
    return passed(f"{place}: says what it should", file=path)


def _place(phrase: str, text: str, start: int, exact: bool) -> tuple[int, int] | None:
    """Return where a phrase stands; never as part of a longer number."""
    wanted = plain(phrase, exact)
    at = text.find(wanted, start)
    while at >= 0:
        end = at + len(wanted)
        if not (_goes_on(text[max(0, at - 2) : at][::-1], wanted[:1])) and not _goes_on(
            text[end : end + 2], wanted[-1:]
        ):
            return at, end
        at = text.find(wanted, at + 1)
    return None


def _goes_on(beside: str, edge: str) -> bool:
    """Return whether a number at the edge of a phrase goes on beside it."""
    if not edge.isdigit() or not beside:
        return False
    return beside[0].isdigit() or (beside[0] in ".," and beside[1:2].isdigit())


def section(blocks: Sequence[Block], heading: str, path: str) -> list[Block]:
    """Return what stands under a heading.

    :raises FailedError: where there is no such heading.
    """
    wanted = plain(heading)
    for at, block in enumerate(blocks):
        if block.kind == "heading" and plain(block.text) == wanted:
            found = []
            for each in blocks[at + 1 :]:
                if each.kind == "heading" and each.level <= block.level:
                    break
                found.append(each)
            return found
    raise FailedError(f'{shown(path)}: has no section "{shown(heading)}"', file=path)


def headings(arguments: HeadingsArguments, scene: Scene) -> Found:
    """Pass where the file's headings are as they should be."""
    document = scene.document(arguments)
    own = [block.text for block in document.blocks if block.kind == "heading"]
    found = [plain(text, arguments.exact) for text in own]
    for name in ("equal", "include", "first", "last"):
        given = getattr(arguments, name)
        if given is None:
            continue
        every = (given,) if isinstance(given, str) else given
        wanted = [plain(text, arguments.exact) for text in every]
        if not _agree(name, found, wanted):
            raise FailedError(
                f"{shown(document.path)}: its headings are {_listed(own)}; "
                f"{_EXPECTED[name]} {_listed(every)}",
                file=document.path,
                found=own[:20],
            )
    return passed(f"{shown(document.path)}: its headings are {_listed(own)}", file=document.path)


_EXPECTED: Final = {
    "equal": "expected are",
    "include": "they should include",
    "first": "they should begin with",
    "last": "they should end with",
}


def _agree(name: str, found: list[str], wanted: list[str]) -> bool:
    if name == "equal":
        return found == wanted
    if name == "include":
        return all(each in found for each in wanted)
    return (found[: len(wanted)] if name == "first" else found[-len(wanted) :]) == wanted


def _listed(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - 8} more" if len(texts) > 8 else ""
    return (", ".join(f'"{shown(text)}"' for text in texts[:8]) or "none") + more


def line(arguments: LineArguments, scene: Scene) -> Found:
    """Pass where a line that starts with the lead goes on as it should."""
    document = scene.document(arguments)
    lead = _bare(arguments.lead, arguments.exact)
    wanted = [arguments.equal] if arguments.equal is not None else list(arguments.one_of or ())
    allowed = {_bare(text, arguments.exact) for text in wanted}
    seen = []
    for block in document.blocks:
        for each in block.text.splitlines():
            text = _bare(each, arguments.exact)
            if text.startswith(lead):
                rest = text[len(lead) :].strip()
                seen.append(rest)
                if rest in allowed:
                    return passed(f'{shown(document.path)}: "{shown(each)}"', file=document.path)
    place = f'{shown(document.path)}: the line "{shown(arguments.lead)}"'
    if not seen:
        raise FailedError(f"{place} is missing", file=document.path)
    choice = " or ".join(f'"{shown(text)}"' for text in wanted)
    raise FailedError(
        f'{place} goes on with "{shown(seen[0])}"; expected is {choice}',
        file=document.path,
        found=shown(seen[0]),
    )


def _bare(text: str, exact: bool) -> str:
    """Return a line without marks of lists and emphasis."""
    start = _LIST_MARKS.match(text)
    rest = text[start.end() :] if start else text
    return plain(rest.translate(dict.fromkeys(map(ord, MARKS))), exact)


def _contains_problem(arguments: ContainsArguments) -> str:
    given = (arguments.all, arguments.any_of, arguments.none)
    return "" if any(given) else "give one of all, any_of, none"


def _headings_problem(arguments: HeadingsArguments) -> str:
    given = (arguments.equal, arguments.include, arguments.first, arguments.last)
    return "" if any(each is not None for each in given) else "give equal, include, first or last"


def _line_problem(arguments: LineArguments) -> str:
    both = (arguments.equal is None) == (arguments.one_of is None)
    return "give either equal or one_of" if both else ""


KINDS: Final[Mapping[str, Kind[Any]]] = {
    "contains": Kind(ContainsArguments, contains, _contains_problem),
    "headings": Kind(HeadingsArguments, headings, _headings_problem),
    "line": Kind(LineArguments, line, _line_problem),
}
