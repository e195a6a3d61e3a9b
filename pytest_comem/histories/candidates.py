"""Candidates for the checks of a task, each with the operations that ought to break it.

Which are kept is decided by trying them out (:mod:`pytest_comem.histories.rubrics`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from pytest_comem.histories.differences import added_lines, cut, removed_lines
from pytest_comem.histories.drafting import Draft
from pytest_comem.histories.patterns import literal, pattern_of
from pytest_comem.histories.texts import ARCHIVES, as_text
from pytest_comem.histories.work import Work
from pytest_comem.streams.hidden import Check, Level, Mutation

#: Lines of a file that become candidates, phrases' length in characters, files that one check
#: says stay as they are.
_MOST_LINES: Final = 12
_SHORTEST, _LONGEST = 12, 120
_MOST_UNTOUCHED: Final = 50
_WORD: Final = re.compile(r"[^\W\d_][\w.'-]{3,40}")
#: Beginnings of placeholders, which stand within addresses, too.
_PLACEHOLDERS: Final = ("Person", "person", "user", "secret", "example")
_DECORATION: Final = " \t#>*+-=_`|~:"


def minimum_checks(work: Work, draft: Draft) -> Iterator[Check]:
    """Yield, for each changed file, what shows that the task was done there: best first.

    A word of the request that the file did not have before; or else a line that is new; for a file
    that is no text, that it is there.
    """
    level = Level.MINIMUM
    for path, (before, after) in work.texts.items():
        file = pattern_of(work, path)
        for word in _new_words(draft.title, before, after):
            mutation = rewritten(path, after, word, "(left out)")
            text = f"{path} speaks of {word}."
            yield _check("contains", {"file": file, "all": [word]}, level, text, mutation)
        for phrase in phrases(added_lines(before, after), before):
            mutation = rewritten(path, after, phrase, "(left out)")
            text = f'{path} says: "{phrase}"'
            yield _check("contains", {"file": file, "all": [phrase]}, level, text, mutation)
    for path in work.changed:
        if as_text(work.after[path]) is None or path not in work.texts:
            arguments = {"file": pattern_of(work, path)}
            yield _check("exists", arguments, level, f"{path} is there.", _delete(path))
    for path in work.gone:
        if path.lower().endswith(ARCHIVES):
            continue
        gone: dict[str, Any] = {"file": literal(path)}
        mutation = (Mutation(do="write", arguments={"path": path, "text": "Still here.\n"}),)
        yield _check("absent", gone, level, f"{path} is gone.", mutation)


def reference_checks(work: Work) -> Iterator[Check]:
    """Yield further added lines, removed lines that are gone, and untouched files."""
    level = Level.REFERENCE
    untouched = [path for path in work.before if work.after.get(path) == work.before[path]]
    if untouched:
        nearest = sorted(untouched, key=lambda path: (-_nearness(path, work.changed), path))
        kept = sorted(nearest[:_MOST_UNTOUCHED])
        text = f"Files that the task is not about stay as they were ({len(kept)})."
        stay = {"file": [literal(path) for path in kept]}
        yield _check("unchanged", stay, level, text, _delete(kept[0]))
    for path, (before, after) in work.texts.items():
        file = pattern_of(work, path)
        for phrase in phrases(added_lines(before, after), before):
            text = f'{path} has the line: "{phrase}"'
            mutation = rewritten(path, after, phrase, "(left out)")
            yield _check("contains", {"file": file, "all": [phrase]}, level, text, mutation)
        for phrase in phrases(removed_lines(before, after), after):
            text = f'{path} no longer says: "{phrase}"'
            mutation = (Mutation(do="append", arguments={"path": path, "text": f"\n{phrase}\n"}),)
            arguments = {"file": file, "none": [phrase]}
            yield _check("contains", arguments, level, text, mutation)


def phrases(lines: Sequence[str], other: str) -> Iterator[str]:
    """Yield pieces of lines that stand nowhere in another text, longest first."""
    found = dict[str, None]()
    there = " ".join(other.split()).casefold()
    for line in lines:
        text = " ".join(line.strip(_DECORATION).split())
        text = cut(text, _LONGEST)
        if len(text) >= _SHORTEST and text.casefold() not in there and text.isprintable():
            found[text] = None
    yield from sorted(found, key=lambda text: (-len(text), text))[:_MOST_LINES]


def rewritten(path: str, after: str, phrase: str, new: str) -> tuple[Mutation, ...]:
    """Return what takes a phrase out of a text, wherever it stands in it.

    An edit where it stands once; else the whole file anew.
    """
    if after.count(phrase) == 1 and after.casefold().count(phrase.casefold()) == 1:
        arguments: dict[str, Any] = {"path": path, "old": phrase, "new": new}
        return (Mutation(do="edit", arguments=arguments),)
    blanks = r"\s+".join(map(re.escape, phrase.split()))
    text = re.sub(blanks, lambda _: new, after, flags=re.IGNORECASE)
    return (Mutation(do="write", arguments={"path": path, "text": text}),)


def _check(
    kind: str, arguments: dict[str, Any], level: Level, text: str, mutation: Sequence[Mutation]
) -> Check:
    return Check(
        check_id="draft",
        level=level,
        text=text,
        kind=kind,
        arguments=arguments,
        mutation=tuple(mutation),
    )


def _delete(path: str) -> tuple[Mutation, ...]:
    return (Mutation(do="delete", arguments={"path": path}),)


def _new_words(request: str, before: str, after: str) -> Iterator[str]:
    """Yield words of a request that a text has now and did not have before, longest first."""
    was, now = before.casefold(), after.casefold()
    words = dict.fromkeys(match.rstrip(".'-") for match in _WORD.findall(request))
    for word in sorted(words, key=len, reverse=True):
        if word.casefold() in now and word.casefold() not in was and word not in _PLACEHOLDERS:
            yield word


def _nearness(path: str, changed: Sequence[str]) -> int:
    """Return how many directories a path shares with the nearest changed file."""
    own = PurePosixPath(path).parts[:-1]

    def shared(other: str) -> int:
        count = 0
        for one, another in zip(own, PurePosixPath(other).parts[:-1], strict=False):
            if one != another:
                break
            count += 1
        return count

    return max(map(shared, changed), default=0)
