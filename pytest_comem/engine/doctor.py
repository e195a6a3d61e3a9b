"""A small probe of a memory system: does it work at all, before anyone spends hours on a run?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.engine.watching import Watch
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.registry import SystemUnderTest

_ANN: Final = Principal("ann", "nurse")
_BEN: Final = Principal("ben", "doctor")
#: What is ingested, and the word of each that nothing else has.
_FACTS: Final = (
    ("The spare key hangs behind the copper kettle.", "kettle", _ANN),
    ("Deliveries for the greenhouse arrive on Thursday at noon.", "greenhouse", _BEN),
    ("The violin lesson moved to the chapel annex.", "violin", _ANN),
    ("Invoice 4471 was paid in full by the harbour office.", "4471", _BEN),
    ("The password hint mentions a lighthouse in Brittany.", "lighthouse", _ANN),
)


@final
@dataclass(frozen=True, slots=True)
class Check:
    """One thing the doctor looked at.

    :param name: what was looked at.
    :param passed: whether it is as it should be.
    :param detail: what was seen.
    """

    name: str
    passed: bool
    detail: str


def examine(system: SystemUnderTest, watch: Watch) -> list[Check]:
    """Probe *system*; nothing raised by it gets through.

    :param watch: has seen everything since before the system was imported, and no other system.
    """
    checks: list[Check] = []
    try:
        with GuardedMemory(system, "doctor-one") as one, GuardedMemory(system, "doctor-two") as two:
            for memory, facts in ((one, _FACTS[:4]), (two, _FACTS[4:])):
                for number, (text, _, speaker) in enumerate(facts):
                    memory.ingest(
                        Entry(f"e{number}", text, speaker, f"2026-01-0{number + 1}T09:00")
                    )
            checks.append(_recallable(one))
            checks.append(_isolated(one, two))
            checks.append(_bounded(one))
    except InfrastructureError as error:
        checks.append(Check("works", False, str(error)))
    checks += _watched(system, watch)
    return checks


def _watched(system: SystemUnderTest, watch: Watch) -> Iterator[Check]:
    if getattr(system.factory, "own_process", False):
        yield Check("what it contacts and writes", True, "not watched: it runs in its own process")
        return
    unseen = "as far as Python's audit events tell"
    contacted, written = ", ".join(watch.contacted), ", ".join([*watch.written][:5])
    yield Check("nothing but this machine contacted", not contacted, contacted or unseen)
    yield Check("nothing written elsewhere", not written, written or unseen)


def _recallable(memory: GuardedMemory) -> Check:
    found = [text for text, word, _ in _FACTS[:4] if _recalls(memory, text, word)]
    return Check(
        "what was ingested is recalled by its own words",
        len(found) == 4,
        f"{len(found)} of 4 entries",
    )


def _isolated(one: GuardedMemory, two: GuardedMemory) -> Check:
    own, foreign = _FACTS[4], _FACTS[0]
    leaks = [
        word
        for memory, (text, word, _) in ((one, own), (two, foreign))
        if _recalls(memory, text, word)
    ]
    detail = f"the other instance's {', '.join(leaks)} came back" if leaks else "two instances"
    return Check("instances do not see each other", not leaks, detail)


def _bounded(memory: GuardedMemory) -> Check:
    items = memory.recall(_query("What is there to know?", top_k=2)).items
    return Check("top-k is respected", len(items) <= 2, f"{len(items)} items for top-k 2")


def _recalls(memory: GuardedMemory, text: str, word: str) -> bool:
    return word in memory.recall(_query(text, top_k=memory.system.top_k)).text


def _query(text: str, *, top_k: int) -> Query:
    return Query(text, _ANN, (), "", top_k)
