"""Public reports about the pinned versions, reproduced with the libraries' own calls.

What an adapter does not go through (a history file, a default, a second store) no promise of the
contract can see. Each program below asserts that the library still does what was reported; one that
fails says that the report no longer holds, and that the documentation must follow.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from string import Template
from textwrap import dedent
from typing import NamedTuple

import pytest

from pytest_comem.memory.a_mem import AMem
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.calls import PublicCalls
from pytest_comem.memory.langmem import LangMem
from pytest_comem.memory.mem0 import Mem0
from pytest_comem.memory.memos import MemOS


class Report(NamedTuple):
    """A report: the library, what it says, and a program on an empty memory ``m``."""

    library: str
    says: str
    program: str


REPORTS = {
    "mem0-limit-is-swallowed": Report(
        "mem0",
        "search(limit=...) is taken without complaint and limits nothing",
        """
        for number in range(30):
            m.add(f"tea number {number}", user_id="ann", infer=False)
        found = m.search("tea", filters={"user_id": "ann"}, limit=3, threshold=0.0)["results"]
        assert len(found) > 3, len(found)
        """,
    ),
    "mem0-lists-twenty": Report(
        "mem0",
        "get_all() without a number returns 20 memories, however many there are",
        """
        for number in range(30):
            m.add(f"tea number {number}", user_id="ann", infer=False)
        assert len(m.get_all(filters={"user_id": "ann"})["results"]) == 20
        """,
    ),
    "mem0-wildcard-user": Report(
        "mem0",
        "a user called * reads, and deletes, what every user said",
        """
        m.add("the tea is green", user_id="ann", infer=False)
        rows = m.search("tea", filters={"user_id": "*"}, threshold=0.0)["results"]
        assert [row["user_id"] for row in rows] == ["ann"]
        m.delete_all(user_id="*")
        assert m.get_all(filters={"user_id": "ann"})["results"] == []
        """,
    ),
    "mem0-deleted-text-stays-in-the-history": Report(
        "mem0",
        "a deleted text stays in the history and in its file",
        """
        id = m.add("the PIN is 4711", user_id="ann", infer=False)["results"][0]["id"]
        m.delete(id)
        assert any("4711" in str(row) for row in m.history(id))
        m.close()
        assert b"4711" in open(f"{directory}/history.db", "rb").read()
        """,
    ),
    "mem0-threshold": Report(
        "mem0",
        "search() without a threshold drops what is there",
        """
        m.add("the tea is green", user_id="ann", infer=False)
        query, ann = "zebra crossing", {"user_id": "ann"}
        assert m.search(query, filters=ann)["results"] == []
        """,
    ),
    "mem0-telemetry-locks-a-second-store": Report(
        "mem0",
        "with telemetry on, a second memory on another path cannot be opened",
        """
        import socket

        def refuse(*arguments, **more):
            raise OSError("no network in this test")

        socket.socket.connect = socket.getaddrinfo = refuse
        import mem0.memory.main

        mem0.memory.main.MEM0_TELEMETRY = True
        first = Memory.from_config(config(f"{directory}-first"))
        try:
            Memory.from_config(config(f"{directory}-second"))
        except Exception as error:
            assert "already accessed" in str(error), error
        else:
            raise AssertionError("both were opened")
        os._exit(0)  # telemetry waits for the network at exit
        """,
    ),
    "langmem-three-identical-creates": Report(
        "langmem",
        "creating the same memory three times makes three rows",
        """
        from langmem import create_manage_memory_tool

        tool = create_manage_memory_tool(("memories", "ann"), store=m.store)
        for _ in range(3):
            tool.invoke({"content": "The tea is green.", "action": "create"})
        assert len(m.store.search(("memories", "ann"), limit=100)) == 3
        """,
    ),
    "langmem-a-parent-reads-its-children": Report(
        "langmem",
        "a search tool on the parent namespace returns what a user's own namespace holds",
        """
        from langmem import create_search_memory_tool

        m.put("k", memory("The tea is green."), config=of("ann"))
        found = create_search_memory_tool(("memories",), store=m.store).invoke({"query": "tea"})
        assert "The tea is green." in str(found)
        """,
    ),
    "langmem-unknown-id-reported-as-deleted": Report(
        "langmem",
        "the tool says that it deleted an id that was never there",
        """
        from uuid import uuid4

        from langmem import create_manage_memory_tool

        tool = create_manage_memory_tool(("memories", "ann"), store=m.store)
        said = tool.invoke({"action": "delete", "id": str(uuid4())})
        assert said.startswith("Deleted memory"), said
        """,
    ),
    "memos-unknown-id-deleted-quietly": Report(
        "memos",
        "deleting an id that was never there, or is no id at all, returns quietly",
        """
        m.delete(["not-a-uuid"])
        """,
    ),
    "a-mem-scores-are-distances": Report(
        "a_mem",
        "the nearest note has the smallest score",
        """
        m.add_note("the tea is green", keywords=[], context="", tags=[])
        m.add_note("invoices are due in May", keywords=[], context="", tags=[])
        found = m.search("the tea is green", k=2)
        texts = [m.read(row["id"]).content for row in found]
        assert texts[0] == "the tea is green", texts
        assert found[0]["score"] < found[1]["score"], found
        """,
    ),
    "a-mem-unknown-id-reported-as-deleted": Report(
        "a_mem",
        "deleting an id that was never there returns True",
        """
        assert m.delete("never there") is True
        """,
    ),
}

MODULES = {
    "mem0": ("mem0", "qdrant_client", "langchain"),
    "langmem": ("langmem",),
    "memos": ("memos", "qdrant_client"),
    "a_mem": ("agentic_memory",),
}


ADAPTERS: dict[str, type[MemorySystem]] = {
    "mem0": Mem0,
    "langmem": LangMem,
    "memos": MemOS,
    "a_mem": AMem,
}


def calls_of(library: str) -> PublicCalls:
    """Return the library's calls as its adapter publishes them."""
    calls = ADAPTERS[library].calls
    assert calls is not None
    return calls


@pytest.mark.parametrize("name", REPORTS)
def test_the_report_holds(name: str, tmp_path: Path) -> None:
    """The pinned version does what was reported."""
    report = REPORTS[name]
    if any(find_spec(module) is None for module in MODULES[report.library]):
        pytest.skip(f"{report.library} is not installed")
    calls = calls_of(report.library)
    directory = repr(str(tmp_path / "store"))
    source = "\n".join(
        [
            calls.preamble,
            f"directory = {directory}",
            Template(calls.open).substitute(m="m", directory=directory),
            dedent(report.program),
        ]
    )
    found = subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path / "home")},
        timeout=300,
        check=False,
    )
    assert found.returncode == 0, f"{report.says}: no longer so\n{found.stderr[-2000:]}"
