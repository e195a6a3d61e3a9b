"""MemOS behind the interface: the real library over an embedded Qdrant and our own server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from string import Template

import pytest
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import RecallItem
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.memos import MemOS

if any(find_spec(name) is None for name in ("memos", "qdrant_client")):
    pytest.skip("needs MemoryOS: pip install 'pytest-comem[memos]'", allow_module_level=True)

pytestmark = [
    pytest.mark.usefixtures("contacted"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    # Both from opening a memory: its settings are printed as a dict, its store is a local one.
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning"),
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
]

ALICE, BOB = Principal("alice", "nurse"), Principal("bob", "doctor")
SAID = (
    Entry("t1", "The night shift starts at ten.", ALICE, "2024-01-01T10:00"),
    Entry("t2", "Room seven has a new lamp.", BOB, "2024-01-02T10:00"),
    Entry("t3", "The budget of the ward is 4,300 dollars.", ALICE, None),
)
ODD = (
    "007",
    '{"a": [1, null]}',
    "party 🎉🎉",
    "שלום עולם",
    "{braces} and ${conversation}",
    "null\0byte",
    "  two  spaces \n\t and lines\n",
    "```json\n{}\n```",
)
#: Imports the library in a fresh process the way the adapter does, and says what that did.
IMPORT: str = """
import json, logging, os, sys, threading
from pathlib import Path

contacted = []


def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        contacted.append(str(arguments))


sys.addaudithook(watch)
handler = logging.FileHandler(sys.argv[1] + "/own.log", delay=True)
logging.getLogger().addHandler(handler)

import pytest_comem.memory.memos as adapter

assert "memos" not in sys.modules
adapter.MemOS.prepare(Path(sys.argv[1]) / "home")
logging.getLogger("memos.anything").warning("not for standard error")
print(json.dumps({
    "contacted": contacted,
    "handlers": [type(found).__name__ for found in logging.getLogger().handlers],
    "level": logging.getLogger().level,
    "threads": len(threading.enumerate()),
    "secret": os.environ.get("COMEM_TEST_SECRET"),
    "imported": "memos" in sys.modules,
}))
"""


def asking(text: str, top_k: int = 5) -> Query:
    """Return a query of a third person."""
    return Query(text, Principal("carol", "auditor"), (), "", top_k)


@contextmanager
def opened(root: Path, *options: str, name: str = "memos") -> Iterator[MemorySystem]:
    """Open one instance."""
    with system_called(name, *options, root=root).opened("one") as memory:
        yield memory


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[MemorySystem]:
    """A memory of what was said, raw."""
    with opened(tmp_path) as memory:
        for entry in SAID:
            memory.ingest(entry)
        yield memory


def test_what_was_said_is_recalled_by_its_own_words(filled: MemorySystem) -> None:
    """Each entry comes first for its own text, with its id and its speaker, without a score."""
    for entry in SAID:
        best = filled.recall(asking(entry.text)).items[0]
        assert best == RecallItem(entry.text, None, (entry.id,), entry.speaker)


def test_never_more_than_asked_for(filled: MemorySystem) -> None:
    """There are at most ``top_k`` items."""
    assert len(filled.recall(asking("the night shift", 2)).items) == 2


def test_an_empty_memory_recalls_nothing(tmp_path: Path) -> None:
    """Asking and listing before anything is said is no error."""
    with opened(tmp_path) as memory:
        assert memory.recall(asking("anything")).items == ()
        assert list(memory.entries()) == []


def test_more_than_a_page_is_recalled_and_listed(tmp_path: Path) -> None:
    """The store's page of a hundred rows does not cut a listing."""
    with opened(tmp_path) as memory:
        for number in range(120):
            memory.ingest(Entry(f"t{number}", f"Bed {number} is free.", ALICE))
        assert len(memory.recall(asking("Which bed is free?", 30)).items) == 30
        assert len(memory.entries()) == 120


def test_texts_come_back_unchanged(tmp_path: Path) -> None:
    """Nothing is parsed, escaped, trimmed or cut."""
    with opened(tmp_path) as memory:
        for number, text in enumerate(ODD):
            memory.ingest(Entry(f"t{number}", text, ALICE))
        assert [memory.recall(asking(text)).items[0].text for text in ODD] == list(ODD)
        assert {held.text for held in memory.entries()} == set(ODD)


def test_a_deleted_entry_is_gone(filled: MemorySystem) -> None:
    """It is neither recalled nor listed, and the others stay."""
    filled.delete("t1")
    assert {item.source_ids for item in filled.recall(asking(SAID[0].text)).items} == {
        ("t2",),
        ("t3",),
    }
    assert {item.text for item in filled.entries()} == {SAID[1].text, SAID[2].text}


def test_an_updated_entry_has_the_new_text_only(filled: MemorySystem) -> None:
    """The old text is gone, the new one is found by its words, its speaker stays."""
    filled.update("t2", "Room nine has an old radio.")
    best = filled.recall(asking("an old radio in room nine")).items[0]
    assert best == RecallItem("Room nine has an old radio.", None, ("t2",), BOB)
    assert SAID[1].text not in {item.text for item in filled.entries()}


def test_deleting_an_unknown_id_is_no_error_and_changes_nothing(filled: MemorySystem) -> None:
    """The library reports success."""
    filled.delete("no-such-entry")
    assert len(filled.entries()) == 3


def test_updating_an_unknown_id_stores_it(filled: MemorySystem) -> None:
    """The library's update does not tell new from old."""
    filled.update("no-such-entry", "A text nobody said.")
    best = filled.recall(asking("A text nobody said.")).items[0]
    assert best == RecallItem("A text nobody said.", None, ("no-such-entry",), None)


def test_the_same_text_three_times_is_three_memories(tmp_path: Path) -> None:
    """The library does not look for duplicates."""
    with opened(tmp_path) as memory:
        for number in range(3):
            memory.ingest(Entry(f"t{number}", "Tea at four.", ALICE))
        assert len(memory.entries()) == 3


def test_two_instances_do_not_see_each_other(tmp_path: Path) -> None:
    """What one holds, the other neither recalls nor lists."""
    system = system_called("memos", root=tmp_path)
    with system.opened("one") as one, system.opened("two") as two:
        one.ingest(SAID[0])
        assert two.recall(asking(SAID[0].text)).items == ()
        assert list(two.entries()) == []


@pytest.mark.parametrize("name", ["memos", "memos:extract"])
def test_opened_again_it_holds_what_it_held(name: str, tmp_path: Path) -> None:
    """After closing, the same directory gives the same memories, which can be deleted."""
    system = system_called(name, root=tmp_path)
    setup = system.setup("one")
    first = system.open(setup)
    for entry in SAID:
        first.ingest(entry)
    first.close()
    first.close()
    second = system.open(setup)
    best = second.recall(asking(SAID[1].text)).items[0]
    assert best == RecallItem(SAID[1].text, None, ("t2",), BOB)
    second.delete("t2")
    assert {item.source_ids for item in second.entries()} == {("t1",), ("t3",)}
    second.close()


@pytest.mark.parametrize("name", ["memos", "memos:extract"])
def test_instances_at_once_answer_as_one_after_another(name: str, tmp_path: Path) -> None:
    """Sixteen instances on sixteen threads give what they give alone."""
    system = system_called(name, root=tmp_path)
    together = threading.Barrier(16)

    def play(number: int, start: Callable[[], object]) -> list[RecallItem]:
        start()
        with system.opened(str(number)) as memory:
            for turn in range(4):
                memory.ingest(Entry(f"t{turn}", f"Patient {number} has bed {number}-{turn}.", BOB))
            memory.delete("t0")
            return list(memory.recall(asking(f"Which bed has patient {number}?")).items)

    alone = [play(number, lambda: None) for number in range(16)]
    with ThreadPoolExecutor(16) as pool:
        at_once = list(pool.map(lambda number: play(number, together.wait), range(16)))
    assert at_once == alone
    assert all(len(items) == 3 for items in alone)


def test_nothing_is_written_elsewhere_and_nothing_is_printed(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The home and the working directory stay as they were, and so do both streams."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    with opened(tmp_path / "root") as memory:
        memory.ingest(SAID[0])
        memory.recall(asking("night"))
    assert list(home.iterdir()) == []
    assert list((tmp_path / "cwd").iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_the_import_leaves_the_process_as_it_was(tmp_path: Path) -> None:
    """Importing contacts nobody, keeps log handlers, reads no ``.env`` and prints nothing."""
    # The library looks for the file above its own modules, so it is given a place of its own.
    (tmp_path / ".env").write_text("COMEM_TEST_SECRET=read\n", "utf-8")
    library = find_spec("memos")
    assert library is not None
    assert library.origin is not None
    (tmp_path / "memos").symlink_to(Path(library.origin).parent)
    run = subprocess.run(
        [sys.executable, "-c", IMPORT, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONWARNINGS": "ignore"},
    )
    assert json.loads(run.stdout) == {
        "contacted": [],
        "handlers": ["FileHandler"],
        "level": 30,
        "threads": 1,
        "secret": None,
        "imported": True,
    }, run.stderr
    assert run.stderr == ""


def test_the_model_keeps_each_turn_word_for_word(tmp_path: Path) -> None:
    """Extracting with the scripted model, what was said is recalled with its entry and speaker."""
    with opened(tmp_path, name="memos:extract") as memory:
        for entry in SAID:
            memory.ingest(entry)
        for entry in SAID:
            best = memory.recall(asking(entry.text)).items[0]
            assert best == RecallItem(entry.text, None, (entry.id,), entry.speaker)


def test_the_public_calls_do_what_the_adapter_does(tmp_path: Path) -> None:
    """The calls printed with a counter-example run as they stand."""
    calls = MemOS.calls
    assert calls is not None

    def call(source: str, **places: str) -> str:
        directory = repr(str(tmp_path / "store"))
        return Template(source).substitute({"m": "m", "directory": directory, **places})

    show = "print(sorted(found))"
    lines = [
        calls.preamble,
        call(calls.open),
        call(calls.ingest, id="a", text="'Tea at four.'", principal="'alice'", timestamp="None"),
        call(calls.ingest, id="b", text="'Rome in May.'", principal="'bob'", timestamp="None"),
        call(calls.recall, query="'When is tea?'", k="1") + "\nprint(found)",
        call(calls.update, id="b", text="'Rome in June.'"),
        call(calls.delete, id="'never-stored'"),
        call(calls.entries) + f"\n{show}",
        call(calls.delete, id="a"),
        call(calls.close),
        call(calls.open),
        call(calls.entries) + f"\n{show}",
        call(calls.close),
    ]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    # The library logs to standard output.
    printed = [line for line in run.stdout.splitlines() if line.startswith("['")]
    assert printed == [
        "['Tea at four.']",
        "['Rome in June.', 'Tea at four.']",
        "['Rome in June.']",
    ], run.stderr
