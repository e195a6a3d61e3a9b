"""Promises about deleting and updating."""

from __future__ import annotations

from typing import Final

from pytest_comem.contract.journal import Call
from pytest_comem.contract.ledger import Memory
from pytest_comem.contract.promise import promise
from pytest_comem.contract.trial import NEVER_STORED, Trial
from pytest_comem.contract.writing import write_some

#: Operations that may come after a deletion, on other entries.
_AFTER: Final = ("write", "write again", "recall", "update", "reopen")


def go_on(trial: Trial, memory: Memory) -> None:
    """Do a drawn number of drawn things that concern entries that are held, or new ones."""
    for _ in range(trial.whole(0, 3)):
        held = [*memory.held.values()]
        action = trial.one_of(_AFTER)
        if action == "write":
            memory.write(trial.new_entry())
        elif action == "write again" and held:
            memory.write(trial.again(trial.one_of(held)))
        elif action == "recall" and held:
            memory.recall(trial.one_of(held).text)
        elif action == "update" and held and trial.capabilities.updates:
            memory.update(trial.one_of(held), *trial.new_text())
        elif action == "reopen" and trial.capabilities.persists:
            memory.reopen()


@promise(needs="deletes")
def what_was_deleted_stays_deleted(trial: Trial) -> None:
    """No recall and no list has a deleted entry, whatever happens to others afterwards."""
    memory = trial.open()
    write_some(trial, memory, 1, 5)
    for _ in range(trial.whole(1, 2)):
        if memory.held:
            memory.delete(trial.one_of([*memory.held.values()]))
        go_on(trial, memory)
    for entry in memory.deleted:
        memory.must_not_reveal(entry)


@promise(needs="deletes", examples=15)
def deleting_one_leaves_the_others(trial: Trial) -> None:
    """Deleting an entry leaves every other one, also one that says the same."""
    memory = trial.open()
    entries = write_some(trial, memory, 2, 5)
    if trial.capabilities.verbatim and trial.whole(0, 1):
        entries.append(trial.again(trial.one_of(entries)))
        memory.write(entries[-1])
    memory.delete(trial.one_of(entries))
    for entry in [*memory.held.values()]:
        memory.must_recall(entry)


@promise(needs="deletes", examples=5)
def deleting_an_unknown_id_is_reported(trial: Trial) -> None:
    """Deleting an id that is not there is reported, also one that was deleted before."""
    memory = trial.open()
    entries = write_some(trial, memory, 1, 2)
    if trial.whole(0, 1):
        memory.delete(entries[0])
        memory.must_report(Call.DELETE, id=entries[0].id)
    else:
        memory.must_report(Call.DELETE, id=NEVER_STORED)


@promise(needs="updates")
def an_updated_text_replaces_the_old_one(trial: Trial) -> None:
    """After an update no recall and no list has the old text."""
    memory = trial.open()
    write_some(trial, memory, 1, 4)
    for _ in range(trial.whole(1, 3)):
        memory.update(trial.one_of([*memory.held.values()]), *trial.new_text())
        if trial.whole(0, 1):
            go_on(trial, memory)
    for entry in memory.replaced:
        memory.must_not_reveal(entry)


@promise(needs="updates", examples=12)
def an_updated_text_is_recallable(trial: Trial) -> None:
    """After an update the new text is recalled by its own words, and every other entry still is."""
    memory = trial.open()
    write_some(trial, memory, 1, 4)
    for _ in range(trial.whole(1, 3)):
        memory.update(trial.one_of([*memory.held.values()]), *trial.new_text())
    for entry in [*memory.held.values()]:
        memory.must_recall(entry)


@promise(needs="updates", examples=5)
def updating_an_unknown_id_is_reported(trial: Trial) -> None:
    """Updating an id that is not there is reported."""
    memory = trial.open()
    write_some(trial, memory, 1, 2)
    text, _ = trial.new_text()
    memory.must_report(Call.UPDATE, id=NEVER_STORED, text=text)
