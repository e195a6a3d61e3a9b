"""Drafts of what a participant asked for: title, instruction and activities of a task.

Drafts come from the messages of the commits. What is drafted is the goal alone: no steps, and no
change as such. A person corrects them (:mod:`pytest_comem.histories.review`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, TypeAlias, final

from pytest_comem.histories.differences import cut
from pytest_comem.histories.patterns import literal, pattern_of
from pytest_comem.histories.work import Work
from pytest_comem.streams.schema import Activity

#: Fewer words with a meaning make no instruction.
LEAST_WORDS: Final = 3
_TITLE: Final = 120
_LONGEST: Final = 4_000
_NAMED_FILES: Final = 6
_TRAILER: Final = re.compile(
    r"^(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|reported-by|change-id|cc|"
    r"fixes|closes|refs|pull-request|pr-url|git-svn-id|cherry-picked-from|bug|link)\s{0,3}:.{1,300}$",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(
    r"\s{0,3}\((?:gh-)?#\d{1,8}\)|\b(?:closes|fixes|refs) #\d{1,8}\b,?", re.I
)
_PREFIX: Final = re.compile(
    r"^(?:\[[^\]]{1,30}\]\s{0,3}|[a-z]{2,12}(?:\([^)]{1,40}\))?!?:\s{1,3})", re.I
)
_SUBJECT_ONLY: Final = re.compile(r"^(?:merge|revert|fixup!|squash!|wip)\b", re.IGNORECASE)
_DIFF: Final = re.compile(r"^(?:diff --git |@@ |\+\+\+ |--- |index [0-9a-f]{7})")
_WORD: Final = re.compile(r"[^\W\d_][\w'-]{2,}")
_EMPTY: Final = frozenset(
    (
        *(
            "the",
            "and",
            "for",
            "with",
            "from",
            "that",
            "this",
            "into",
            "onto",
            "are",
            "was",
            "were",
        ),
        *("not", "but", "use", "all", "any", "its", "his", "her", "their", "our", "your", "you"),
        *("has", "have", "had", "will", "can", "should", "would", "could", "also", "some", "more"),
        *("most", "very", "just", "only", "than", "then", "them", "they", "there", "here", "when"),
        *("where", "which", "while", "what", "who", "how", "file", "files", "readme"),
    )
)
#: Imperatives for how messages that tell of something done begin.
_IMPERATIVE: Final = {
    **{f"{verb}ed": verb for verb in ("add", "document", "fix", "correct", "explain", "mention")},
    **{f"{verb}d": verb for verb in ("update", "remove", "move", "rename", "improve", "describe")},
    **{f"{verb}s": verb for verb in ("add", "update", "remove", "move", "improve", "document")},
    **{f"{verb}ing": verb for verb in ("add", "document", "correct", "explain", "mention")},
    **{"fixes": "fix", "fixing": "fix", "updating": "update", "removing": "remove"},
    **{"rewrote": "rewrite", "wrote": "write", "made": "make", "changed": "change"},
}
_CODE: Final = frozenset(
    (
        *(".py", ".js", ".ts", ".c", ".h", ".cpp", ".rs", ".go", ".java", ".rb", ".sh", ".bash"),
        *(".pl", ".lua", ".toml", ".cfg"),
    )
)
_DATA: Final = frozenset(
    (".csv", ".tsv", ".xlsx", ".json", ".yaml", ".yml", ".sqlite", ".sqlite3", ".db")
)
_PLANS: Final = re.compile(r"\b(?:plan|roadmap|todo|agenda|milestone|schedule|backlog)", re.I)
_REVIEWS: Final = re.compile(r"\b(?:typos?|review|proofread|spelling|grammar|reword|clarif)", re.I)
_BUGS: Final = re.compile(r"\b(?:fix|bug|broken|crash|wrong|repair)", re.I)


@final
@dataclass(frozen=True, slots=True)
class Draft:
    """What a participant asks for.

    :param title: one line.
    :param instruction: the goal.
    """

    title: str
    instruction: str


#: Drafts from the messages of a task's commits, and what became of each file by its path: ``new``,
#: ``changed``, ``renamed`` or ``deleted``.
Drafter: TypeAlias = Callable[[Sequence[str], Mapping[str, str]], Draft]


def fates_of(work: Work) -> dict[str, str]:
    """Return what became of each file of a task, by path.

    A new file whose name is a habit is named by its directory alone.
    """
    came = {new: old for old, new in work.renamed.items()}
    found = {path: "changed" if path in work.before else "new" for path in work.changed}
    found |= {path: "renamed" for path in work.changed if path in came and path in found}
    for path in [path for path in found if pattern_of(work, path) != literal(path)]:
        del found[path]
        found[f"a file in {PurePosixPath(path).parent}"] = "new"
    gone = [path for path in work.gone if path not in work.renamed]
    return dict(sorted((found | dict.fromkeys(gone, "deleted")).items()))


def draft_of(messages: Sequence[str], fates: Mapping[str, str]) -> Draft:
    """Return a draft made by rule: subjects in the imperative, bodies, and the files."""
    subjects: list[str] = []
    bodies: list[str] = []
    for message in messages:
        lines = list(_lines(message))
        subject = _imperative(lines[0]) if lines else ""
        if subject and subject.casefold() not in (one.casefold() for one in subjects):
            subjects.append(subject)
            bodies.append(" ".join(lines[1:]))
    title = cut(subjects[0] if subjects else "Update the documents", _TITLE)
    parts = [
        f"{subject.rstrip('.')}.{f' {body}' if body else ''}"
        for subject, body in zip(subjects, bodies, strict=True)
    ]
    told = cut(" ".join(parts or ["Update the documents."]), _LONGEST)
    return Draft(title, f"{told}{_about(fates)}")


def content_words(text: str) -> int:
    """Return how many different words of a text have a meaning of their own."""
    return len({word.lower() for word in _WORD.findall(text)} - _EMPTY)


def can_be_scored(draft: Draft, work: Work) -> bool:
    """Whether a task may be a target: it says enough, and at least one text file changes."""
    told = draft.instruction.removesuffix(_about(fates_of(work)))
    return bool(work.texts) and content_words(told) >= LEAST_WORDS


def activities_of(work: Work) -> tuple[Activity, ...]:
    """Return the activity labels of a task, by the kinds of its files and words of its messages.

    Code files are coding (debugging where the messages speak of a fault); tables and structured
    data are data processing; plans, agendas and roadmaps are planning; corrections of wording are
    review; every other text is writing.
    """
    said = "\n".join(work.messages)
    found = []
    for path in (*work.changed, *work.gone):
        name = PurePosixPath(path)
        if name.suffix.lower() in _CODE:
            found.append(Activity.DEBUGGING if _BUGS.search(said) else Activity.CODING)
        elif name.suffix.lower() in _DATA:
            found.append(Activity.DATA_PROCESS)
        elif _PLANS.search(name.stem):
            found.append(Activity.PLANNING)
        else:
            found.append(Activity.REVIEW if _REVIEWS.search(said) else Activity.WRITING)
    return tuple(one for one in Activity if one in found) or (Activity.WRITING,)


def _lines(message: str) -> Iterator[str]:
    """Yield the lines of a message that say something, up to a diff in it."""
    for line in message.splitlines():
        text = _REFERENCE.sub("", line).strip()
        if _DIFF.match(text):
            return
        if text and not _TRAILER.match(text):
            yield "".join(one for one in text if one.isprintable())


def _imperative(subject: str) -> str:
    """Return a subject line as a request."""
    text = _PREFIX.sub("", subject, count=1).strip() or subject
    if _SUBJECT_ONLY.match(text):
        return ""
    first, blank, rest = text.partition(" ")
    verb = _IMPERATIVE.get(first.lower())
    text = f"{verb}{blank}{rest}" if verb else text
    return text[:1].upper() + text[1:]


def _about(fates: Mapping[str, str]) -> str:
    """Return the sentences that say which files a task is about."""
    words = {"changed": "It is about", "new": "New is", "renamed": "The new name is"}
    said = []
    for fate, lead in (*words.items(), ("deleted", "No longer wanted is")):
        paths = [path for path, each in fates.items() if each == fate]
        more = f" and {len(paths) - _NAMED_FILES} more" if len(paths) > _NAMED_FILES else ""
        if paths:
            said.append(f" {lead} {', '.join(paths[:_NAMED_FILES])}{more}.")
    return "".join(said)
