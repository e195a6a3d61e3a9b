"""Promises about several instances, restarts, and failures around the memory."""

from __future__ import annotations

from typing import Final

from pytest_comem.contract.journal import AtMost, Call, Lacks, Step, Times
from pytest_comem.contract.promise import promise
from pytest_comem.contract.sentences import ODD
from pytest_comem.contract.trial import Trial
from pytest_comem.contract.writing import write_some

_THREADS: Final = 8


@promise(examples=15)
def two_instances_do_not_disturb_each_other(trial: Trial) -> None:
    """Two memories used in turns hold what each was told, also after one of them was closed."""
    memories = (trial.open("m"), trial.open("n"))
    for memory in memories:
        memory.write(trial.new_entry())
    for _ in range(trial.whole(0, 4)):
        memory = trial.one_of(memories)
        held = [*memory.held.values()]
        if held and trial.capabilities.deletes and trial.whole(0, 3) == 3:
            memory.delete(trial.one_of(held))
        else:
            memory.write(trial.new_entry())
    for memory, other in (memories, memories[::-1]):
        for entry in other.held.values():
            memory.recall(entry.text)
            memory.must(Lacks(entry.value), f"{entry.value!r} was told to the other memory")
    closed = trial.one_of(memories)
    closed.close()
    for memory in memories:
        if memory is not closed:
            for entry in memory.held.values():
                memory.must_recall(entry)


@promise(examples=2)
def instances_in_threads_lose_nothing(trial: Trial) -> None:
    """Eight memories that are written to in eight threads at once hold what each was told.

    One instance is for one thread (:class:`pytest_comem.memory.base.MemorySystem`), so nothing is
    promised of threads that share one.
    """
    texts = [[trial.new_text()[0] for _ in range(trial.whole(1, 6))] for _ in range(_THREADS)]
    trial.do(Step(Call.THREADS, "m", {"texts": texts}))
    trial.check(AtMost(0), "every memory should recall what its own thread wrote and no more")


@promise(needs="persists", examples=10 + len(ODD), cases=("", *ODD))
def what_was_written_survives_a_restart(trial: Trial) -> None:
    """Closed and opened again on the same directory, a memory recalls everything it held."""
    memory = trial.open()
    odd: str = trial.case
    if odd.strip():
        memory.write(trial.named(odd), may_refuse=True, remember=False)
    # A text that is not recalled as it was written is another promise's affair.
    was_there = bool(odd.strip()) and trial.capabilities.verbatim and odd in memory.recall(odd)
    for _ in range(trial.whole(1, 2)):
        write_some(trial, memory, 1, 3)
        memory.reopen()
    for entry in [*memory.held.values()]:
        memory.must_recall(entry)
    if was_there:
        memory.recall(odd)
        memory.must(Times(odd), "the text should be recalled as it was before")


def loses_nothing_silently(trial: Trial, part: str) -> None:
    """Write before, while and after *part* fails, and look for what was accepted."""
    memory = trial.open()
    write_some(trial, memory, 0, 2)
    for _ in range(trial.whole(1, 2)):
        trial.do(Step(Call.FAIL, memory.name, {"part": part, "failing": True}))
        # What raised may be kept or not; what did not raise must be.
        memory.write(trial.new_entry(), may_refuse=True)
        trial.do(Step(Call.FAIL, memory.name, {"part": part, "failing": False}))
        write_some(trial, memory, 0, 1)
    for entry in [*memory.held.values()]:
        memory.must_recall(entry)


@promise(needs="needs_embedder", examples=6, breaks="embedder")
def a_failing_embedder_loses_nothing_silently(trial: Trial) -> None:
    """While the embedder fails, writing raises or keeps the entry; all that was accepted stays."""
    loses_nothing_silently(trial, "embedder")


@promise(needs="needs_model", examples=6, breaks="model")
def a_failing_model_loses_nothing_silently(trial: Trial) -> None:
    """While the model fails, writing raises or keeps the entry; all that was accepted stays."""
    loses_nothing_silently(trial, "model")
