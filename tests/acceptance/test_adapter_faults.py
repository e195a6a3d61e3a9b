"""Adapters that fail in every way at every place: what becomes of which step."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_project import records

ADAPTER = """
import sys, time
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.base import MemorySystem

PLACE, FAULT = {place!r}, {fault!r}


async def soon():
    return None


def fail(right):
    if FAULT == "exception":
        raise RuntimeError("the store is gone")
    if FAULT == "exit":
        sys.exit("the store is gone")
    if FAULT == "hang":
        while True:
            time.sleep(0.05)
            print("STILL HERE")
    return {{
        "none": lambda: None,
        "number": lambda: 42,
        "text": lambda: "everything",
        "generator": lambda: (one for one in ()),
        "coroutine": soon,
        "items: generator": lambda: Recall(one for one in right.items),
    }}[FAULT]()


class Faulty(MemorySystem):
    # Only the episode "one" is hit, in its second step: the turns t3 to t5.
    def __init__(self):
        self.items = []

    @classmethod
    def open(cls, setup):
        if PLACE == "open" and "one" in setup.directory.name:
            return fail(None)
        return cls()

    def ingest(self, entry):
        self.items.append(RecallItem(entry.text, source_ids=(entry.id,)))
        if PLACE == "ingest" and entry.id == "t3" and "one" in entry.text:
            return fail(None)

    def recall(self, query):
        right = Recall(tuple(self.items[-query.top_k:]))
        if PLACE == "recall" and "fact5 of one" in query.text:
            return fail(right)
        return right

    def close(self):
        if PLACE == "close" and "one" in self.items[0].text:
            return fail(None)
"""
PLACES = ("open", "ingest", "recall", "close")
#: Outcome of the steps of the episode "one", by place; ``E`` is the error itself, ``n`` a step
#: that was not asked because of it.
EXPECTED = {"open": "Enn", "ingest": ".En", "recall": ".En", "close": "..E"}
CASES = [
    *((place, fault) for place in PLACES for fault in ("exception", "exit", "hang", "number")),
    *((place, "coroutine") for place in PLACES),
    *((place, "none") for place in ("open", "recall")),
    *(("recall", fault) for fault in ("text", "generator", "items: generator")),
    ("ingest", "generator"),
]


def run(project: pytest.Pytester, place: str, fault: str) -> pytest.RunResult:
    """Run the suite on an adapter with one fault."""
    project.makepyfile(faulty=ADAPTER.format(place=place, fault=fault))
    arguments = ["--memory-system=faulty:Faulty", "--comem-data=data", "gatemem"]
    limit = "--comem-step-timeout=" + ("1" if fault == "hang" else "60")
    return project.runpytest_subprocess(
        "-p", "no:cacheprovider", "--comem-run-dir=run", limit, *arguments, timeout=40
    )


def letters(run: Path, episode: str) -> tuple[str, list[str]]:
    """Return a letter for every step of *episode* by position, and the types of its errors."""
    found, types = "", []
    mine = [record for record in records(run) if record["episode"] == episode]
    for record in sorted(mine, key=lambda one: int(one["position"])):
        failure = record["failure"]
        if failure is None:
            assert record["verdict"]["passed"]
            found += "."
            continue
        assert failure["attribution"] == "infrastructure"
        assert record["verdict"] is None
        found += "n" if failure["message"].startswith("not asked, because") else "E"
        types.append(failure["type"])
    return found, types


@pytest.mark.parametrize(("place", "fault"), CASES)
def test_a_fault_is_an_error_of_the_right_steps(
    project: pytest.Pytester, place: str, fault: str
) -> None:
    """The step at hand has the error, later ones name it, and the other episode is untouched."""
    result = run(project, place, fault)
    text = result.stdout.str() + result.stderr.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert letters(project.path / "run", "two") == ("..", [])
    found, types = letters(project.path / "run", "one")
    assert found == EXPECTED[place]
    assert set(types) == {"timeout" if fault == "hang" else "adapter"}
    outcomes = result.parseoutcomes()
    assert outcomes["errors"] == len(types)
    assert outcomes["passed"] == 5 - len(types)
    assert "Traceback" not in text
    assert "INTERNALERROR" not in text
    assert "session.py" not in text
    if fault == "hang":
        # What was said before belongs to the step's report; the rest is nobody's.
        assert "STILL HERE" not in text.partition("GateMem scorecard")[2]
    else:
        assert f"memory system faulty:Faulty {_words(place, fault)}" in text


def _words(place: str, fault: str) -> str:
    """Return how the message of an error begins."""
    if fault in ("exception", "exit"):
        return "could not be opened" if place == "open" else f"raised in {place}()"
    return f"{place}()"
