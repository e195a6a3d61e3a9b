"""Promises about keeping principals apart, whatever they are called."""

from __future__ import annotations

from typing import Final

from pytest_comem.contract.asking import SOMEBODY
from pytest_comem.contract.journal import Has, Lacks
from pytest_comem.contract.ledger import Memory, Written
from pytest_comem.contract.promise import promise
from pytest_comem.contract.sentences import ALIKE, NAMES
from pytest_comem.contract.trial import Trial

#: Entries of one principal, around the page sizes that libraries use by default.
MANY: Final = (2, 11, 21, 51, 101, 120, 150)
#: Numbers of entries, and who wrote them.
PARTS: Final = tuple((1, name) for name in (SOMEBODY, *NAMES)) + tuple((n, SOMEBODY) for n in MANY)
#: Every pair of names that are alike, either of them first.
BOTH_WAYS: Final = tuple(pair[::turn] for pair in ALIKE for turn in (1, -1))


def write_for_two(trial: Trial, memory: Memory) -> list[Written]:
    """Write an entry for each of the case's two names; the memory may refuse either."""
    written = [
        memory.write(trial.new_entry(name, plain=True), may_refuse=True) for name in trial.case
    ]
    return [entry for entry in written if entry is not None]


@promise(needs="principals", cases=NAMES)
def any_name_will_do_for_a_principal(trial: Trial) -> None:
    """A principal may have any name; what it said is recalled in its own part."""
    memory = trial.open()
    entry = trial.new_entry(trial.case, plain=True)
    memory.write(entry)
    memory.recall_of(entry.principal, entry.text)
    memory.must(Has(entry.value), f"{entry.principal!r} should recall what it said")


@promise(needs="principals", cases=BOTH_WAYS)
def no_principal_recalls_what_another_said(trial: Trial) -> None:
    """A recall in one principal's part has nothing that another said, however alike the names."""
    memory = trial.open()
    written = write_for_two(trial, memory)
    for own, other in (written, written[::-1]) if len(written) == 2 else ():
        memory.recall_of(own.principal, other.text)
        memory.must(Lacks(other.value), f"{other.value!r} is no affair of {own.principal!r}")


@promise(needs="deletes_principals", cases=PARTS)
def deleting_a_principal_deletes_all_of_it(trial: Trial) -> None:
    """After everything of one principal was deleted, nothing of it is found, however much."""
    memory = trial.open()
    size, name = trial.case
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


@promise(needs="deletes_principals", cases=BOTH_WAYS)
def deleting_a_principal_leaves_the_others(trial: Trial) -> None:
    """Deleting everything of one principal leaves all others, however alike the names."""
    memory = trial.open()
    written = write_for_two(trial, memory)
    if not written:
        return
    memory.delete_principal(written[0].principal)
    for entry in [*memory.held.values()]:
        memory.must_recall(entry)
