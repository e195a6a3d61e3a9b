"""Whether a memory still has what it was told last: entries are asked for by their own words.

A memory that swallows a failed ingest answers on, and scores plausibly low. The probe finds the
plain case: *nothing* of what was recently told comes back. It is generous, because a false alarm is
worse than a miss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.notices import BROKEN, LOST, PROBE
from pytest_comem.core.outcomes import Outcome, Usage, plus
from pytest_comem.core.printable import printable
from pytest_comem.core.recall import Recall
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.engine.governance_asking import Asked
from pytest_comem.errors import InfrastructureError
from pytest_comem.language.consent import withdrawals
from pytest_comem.language.retraction import deletion_clauses
from pytest_comem.language.words import READ, content_words
from pytest_comem.llm.faults import RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.memory.base import Capabilities
from pytest_comem.memory.deletions import DeletionLedger

#: Entries asked for; more of a memory that extracts, which may rightly leave out small talk.
_ASKED: Final = 3
_ASKED_OF_EXTRACTING: Final = 6
#: Entries from the end among which they are looked for.
_FAR: Final = 40
#: Content words of an entry that says something, and of those the ones that make it news: nobody
#: has said them before.
_SAID: Final = 3
_NEW: Final = 2


def is_probed(mode: str, capabilities: Capabilities) -> bool:
    """Whether a memory is probed at the end of an episode.

    A reference is not: it hands over what it is shown.

    :param mode: ``on``, ``off``, or ``auto``, which takes those that are a service elsewhere.
    """
    wanted = mode == "on" or (mode == "auto" and capabilities.external_service)
    return wanted and not capabilities.reference


def entries_to_ask(told: Sequence[Entry], *, verbatim: bool) -> list[Entry]:
    """Return the latest entries that a memory should have something of, the last one first.

    Left out are questions, deletions and withdrawals of consent, what was deleted since, and what
    says little: a memory may rightly hold nothing of those. The same is true of what says nothing
    new, which is only asked for where nothing else is left.

    :param told: everything ingested, in order.
    :param verbatim: whether the memory keeps the text it is given.
    """
    ledger = DeletionLedger()
    for entry in told:
        ledger.add(entry.text)
    gone = ledger.unavailable()
    first = max(0, len(told) - _FAR)
    before = _words_of(entry.text for entry in told[:first])
    news: list[Entry] = []
    others: list[Entry] = []
    for place in range(first, len(told)):
        content = content_words(told[place].text)
        if len(content) >= _SAID and place not in gone and _states(told[place].text):
            (news if len(content - before) >= _NEW else others).append(told[place])
        before |= content
    return (news or others)[::-1][: _ASKED if verbatim else _ASKED_OF_EXTRACTING]


def is_recalled(entry: Entry, recall: Recall, known: frozenset[str], *, verbatim: bool) -> bool:
    """Whether *recall* holds anything of *entry*, or says that it keeps it back.

    :param known: content words of what was told before all entries that are asked for; an item
        with none but these may be older than they are.
    :param verbatim: whether the memory keeps the text it is given.
    """
    if any(entry.id in item.source_ids for item in recall.items):
        return True
    if any(entry.id in kept.source_ids or not kept.source_ids for kept in recall.withheld):
        return True
    if _plain(entry.text) in _plain(recall.text):
        return True
    content = content_words(entry.text)
    new = content - known
    if len(new) >= _NEW:
        shared = new & _words_of(item.text for item in recall.items)
        return len(shared) >= (_NEW if verbatim else 1)
    most = max((len(content & _words_of([item.text])) for item in recall.items), default=0)
    return most >= (len(content) / 2 if verbatim else _NEW)


def probed(
    last: Outcome,
    told: Sequence[Entry],
    memory: GuardedMemory,
    meter: Meter,
    query_for: Callable[[Entry], Query],
) -> Outcome | None:
    """Return an episode's last outcome with what a probe of *memory* noticed, and what it cost.

    ``None`` where nothing was told that can be asked for.

    :param told: everything ingested, in order.
    :param query_for: makes the query for an entry, by its own words.
    :raises RunStopped: where the whole run is ended.
    """
    entries = entries_to_ask(told, verbatim=memory.system.capabilities.verbatim)
    if not entries:
        return None
    # A name of its own, by which recorded seconds are found.
    meter.step = f"{last.step.id} ({PROBE})"
    asked = Asked()
    with asked.timed(PROBE):
        notice = notice_of(memory, entries, told, query_for)
    asked.account(meter)
    usage = dict(last.usage)
    for phase, used in asked.usage.items():
        usage[phase] = plus(usage.get(phase, Usage()), used)
    return replace(last, usage=usage, notice=notice)


def notice_of(
    memory: GuardedMemory,
    entries: Sequence[Entry],
    told: Sequence[Entry],
    query_for: Callable[[Entry], Query],
) -> str | None:
    """Ask *memory* for *entries* until it has one; return what is to be noticed, or ``None``.

    :param entries: as :func:`entries_to_ask` returns them.
    :raises RunStopped: where the whole run is ended.
    """
    verbatim = memory.system.capabilities.verbatim
    before = told[: told.index(entries[-1])]
    known = _words_of(entry.text for entry in before)
    for entry in entries:
        try:
            recall = memory.recall(query_for(entry), PROBE)
        except RunStopped:
            raise
        except InfrastructureError as error:
            return printable(f"{BROKEN}: {error}")
        if is_recalled(entry, recall, known, verbatim=verbatim):
            return None
    names = ", ".join(entry.id for entry in reversed(entries))
    what = "a recent entry" if len(entries) == 1 else f"{len(entries)} recent entries"
    return printable(
        f"{LOST} {what} was recallable ({names}): the memory may have lost what it was told"
    )


def _states(text: str) -> bool:
    """Whether *text* says something that is to be remembered."""
    is_question = text.rstrip().endswith("?")
    return not is_question and not deletion_clauses(text) and not withdrawals(text)


def _words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the content words of whole *texts*, however long."""
    return frozenset().union(
        *(
            content_words(text[start : start + READ])
            for text in texts
            for start in range(0, len(text), READ)
        )
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
