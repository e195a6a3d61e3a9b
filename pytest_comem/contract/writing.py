"""Promises about writing, recalling and listing."""

from __future__ import annotations

from typing import Final

from pytest_comem.contract.journal import (
    AsBefore,
    AtMost,
    BestFirst,
    Call,
    Has,
    NamesOnly,
    Step,
    Times,
)
from pytest_comem.contract.ledger import Memory, Written
from pytest_comem.contract.promise import promise
from pytest_comem.contract.sentences import ODD, UNRELATED
from pytest_comem.contract.trial import Trial

#: Numbers of entries around the page sizes that libraries use by default.
MANY: Final = (1, 5, 6, 11, 21, 51, 101, 150)


def write_some(trial: Trial, memory: Memory, at_least: int, at_most: int) -> list[Written]:
    """Write a drawn number of drawn entries."""
    entries = [trial.new_entry() for _ in range(trial.whole(at_least, at_most))]
    for entry in entries:
        memory.write(entry)
    return entries


@promise(examples=12)
def what_was_written_is_recallable(trial: Trial) -> None:
    """Every entry is recalled by its own words, given as many places as there are entries."""
    memory = trial.open()
    for entry in write_some(trial, memory, 1, 8):
        memory.must_recall(entry)


@promise(needs="verbatim", examples=15)
def order_and_duplicates_lose_nothing(trial: Trial) -> None:
    """What is written twice, at whatever place among others, is held twice."""
    memory = trial.open()
    first = trial.new_entry()
    others = [trial.new_entry() for _ in range(trial.whole(0, 4))]
    places = [trial.whole(0, len(others)) for _ in range(2)]
    sequence = others.copy()
    for place in sorted(places, reverse=True):
        sequence.insert(place, trial.again(first))
    for entry in sequence:
        memory.write(entry)
    memory.recall(first.text)
    memory.must(Times(first.text, 2), "what was written twice should be recalled twice")
    if trial.capabilities.lists:
        memory.entries()
        memory.must(Times(first.text, 2), "what was written twice should be listed twice")
    for entry in others:
        memory.must_recall(entry)


@promise(needs="lists", cases=MANY)
def everything_held_is_listed(trial: Trial) -> None:
    """The list of what is held has every entry, however many there are."""
    memory = trial.open()
    entries = [trial.new_entry(plain=True) for _ in range(trial.case)]
    for entry in entries:
        memory.write(entry)
    memory.entries()
    for entry in entries:
        claim = Times(entry.text) if trial.capabilities.verbatim else Has(entry.value)
        memory.must(claim, f"all {len(entries)} entries should be listed")


@promise(needs="verbatim", cases=ODD)
def odd_texts_survive_unchanged(trial: Trial) -> None:
    """A text comes back character for character, also where it looks like something else."""
    memory = trial.open()
    text: str = trial.case
    blank = not text.strip()
    if blank and not trial.capabilities.lists:
        # There is nothing to recall it by.
        return
    if memory.write(trial.named(text), may_refuse=blank) is None:
        return
    if trial.capabilities.lists:
        memory.entries()
        memory.must(Times(text), "the text should be listed as it was written")
    if not blank:
        memory.recall(text)
        memory.must(Times(text), "the text should be recalled as it was written")


@promise(examples=4, for_all=False)
def an_empty_memory_recalls_nothing(trial: Trial) -> None:
    """A memory nothing was written to recalls nothing, and says so without an error."""
    memory = trial.open()
    if trial.capabilities.lists:
        memory.entries()
        memory.must(AtMost(0), "nothing was written, so nothing should be listed")
    text, _ = trial.new_text()
    memory.recall(text, k=5)
    memory.must(AtMost(0), "nothing was written, so nothing should be recalled")


@promise(examples=10, for_all=False)
def no_more_is_recalled_than_asked_for(trial: Trial) -> None:
    """A recall of k passages returns at most k."""
    memory = trial.open()
    entries = write_some(trial, memory, 2, 8)
    for k in (1, 2, 5):
        expected = f"at most {k} should come back"
        memory.recall(entries[0].text, k=k)
        memory.must(AtMost(k), expected)
        if trial.capabilities.principals:
            memory.recall_of(entries[0].principal, entries[0].text, k=k)
            memory.must(AtMost(k), expected)


@promise(examples=10, for_all=False)
def scores_say_what_fits_best(trial: Trial) -> None:
    """Passages come best first, and an exact match scores no less than an unrelated text."""
    memory = trial.open()
    exact = trial.new_entry()
    others = [trial.named(text) for text in UNRELATED[: trial.whole(1, len(UNRELATED))]]
    place = trial.whole(0, len(others))
    for entry in [*others[:place], exact, *others[place:]]:
        memory.write(entry)
    memory.read(Call.SCORES, query=exact.text, k=memory.room)
    memory.must(BestFirst(exact.value), "the exact match should come first, scores should fall")


@promise(examples=10, for_all=False)
def recalled_passages_name_their_entries(trial: Trial) -> None:
    """A passage that names the entries it stands on names the right ones."""
    memory = trial.open()
    for entry in write_some(trial, memory, 2, 5):
        memory.read(Call.SOURCES, query=entry.text, k=memory.room)
        memory.must(
            NamesOnly(entry.value, entry.id), f"passages with {entry.value!r} should name their own"
        )


@promise(examples=10, for_all=False)
def recalling_changes_nothing(trial: Trial) -> None:
    """Recalling, however often, changes neither what is held nor what is recalled."""
    memory = trial.open()
    entries = write_some(trial, memory, 1, 5)
    asked = trial.one_of(entries)
    times = trial.whole(1, 3)

    def look() -> None:
        if trial.capabilities.lists:
            memory.entries()
        else:
            memory.recall(entries[0].text)

    look()
    memory.keep()
    for _ in range(times):
        memory.recall(asked.text, k=1)
    look()
    memory.must(AsBefore(), "the same should be there as before")


@promise(examples=1, for_all=False)
def unknown_arguments_are_refused(trial: Trial) -> None:
    """An argument that the library does not know is refused, not swallowed."""
    memory = trial.open()
    memory.write(trial.new_entry())
    step = Step(Call.UNKNOWN_ARGUMENT, memory.name, {"query": "door", "k": 1}, may_raise=True)
    trial.must_raise(step, unknown_entry=False, expected="an unknown argument should be refused")
