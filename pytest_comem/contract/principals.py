"""Promises about keeping principals apart, whatever they are called."""

from __future__ import annotations

from typing import Final

from pytest_comem.contract.journal import Has, Lacks
from pytest_comem.contract.performer import SOMEBODY
from pytest_comem.contract.promise import promise
from pytest_comem.contract.sentences import ALIKE, NAMES
from pytest_comem.contract.trial import Memory, Trial, Written

#: Entries of one principal, around the page sizes that libraries use by default.
MANY: Final = (1, 2, 11, 21, 51, 101, 120, 150)


def write_for_two(trial: Trial, memory: Memory) -> list[Written]:
    """Write an entry for each of two names that are alike; the memory may refuse either."""
    names = trial.one_of(ALIKE)
    if trial.whole(0, 1):
        names = names[::-1]
    written = [memory.write(trial.new_entry(name, plain=True), may_refuse=True) for name in names]
    return [entry for entry in written if entry is not None]


@promise(needs="principals", examples=len(NAMES) + 8)
def any_name_will_do_for_a_principal(trial: Trial) -> None:
    """A principal may have any name; what it said is recalled in its own part."""
    memory = trial.open()
    entry = trial.new_entry(trial.one_of(NAMES), plain=True)
    memory.write(entry)
    memory.recall_of(entry.principal, entry.text)
    memory.must(Has(entry.value), f"{entry.principal!r} should recall what it said")


@promise(needs="principals", examples=2 * len(ALIKE))
def no_principal_recalls_what_another_said(trial: Trial) -> None:
    """A recall in one principal's part has nothing that another said, however alike the names."""
    memory = trial.open()
    written = write_for_two(trial, memory)
    for own, other in (written, written[::-1]) if len(written) == 2 else ():
        memory.recall_of(own.principal, other.text)
        memory.must(Lacks(other.value), f"{other.value!r} is no affair of {own.principal!r}")


@promise(needs="deletes_principals", examples=len(MANY) + len(NAMES))
def deleting_a_principal_deletes_all_of_it(trial: Trial) -> None:
    """After everything of one principal was deleted, nothing of it is found, however much."""
    memory = trial.open()
    size = trial.one_of(MANY)
    name = trial.one_of(NAMES) if size == 1 else SOMEBODY
    written = [
        memory.write(trial.new_entry(name, plain=True), may_refuse=True) for _ in range(size)
    ]
    entries = [entry for entry in written if entry is not None]
    if not entries:
        return
    memory.delete_principal(name)
    if trial.capabilities.persists:
        memory.reopen()
    # What a page size leaves behind is at one end.
    for entry in dict.fromkeys((entries[0], entries[-1])):
        memory.must_not_reveal(entry)
    if trial.capabilities.lists:
        memory.entries()
        for entry in entries:
            memory.must(Lacks(entry.value), f"all {len(entries)} entries should be gone")


@promise(needs="deletes_principals", examples=2 * len(ALIKE))
def deleting_a_principal_leaves_the_others(trial: Trial) -> None:
    """Deleting everything of one principal leaves all others, however alike the names."""
    memory = trial.open()
    written = write_for_two(trial, memory)
    if not written:
        return
    memory.delete_principal(written[0].principal)
    for entry in [*memory.held.values()]:
        memory.must_recall(entry)
