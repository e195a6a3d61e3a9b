"""LangMem behind the interface: the real library over its in-memory store."""

from __future__ import annotations

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
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.langmem import LangMem

if any(find_spec(name) is None for name in ("langmem", "langchain_openai")):
    pytest.skip("needs langmem: pip install 'pytest-comem[langmem]'", allow_module_level=True)

pytestmark = [
    pytest.mark.usefixtures("contacted"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
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
    "{braces} and {langgraph_user_id}",
    "null\0byte",
    "  two  spaces \n\t and lines\n",
    "```json\n{}\n```",
)


def asking(text: str, top_k: int = 5) -> Query:
    """Return a query of a third person."""
    return Query(text, Principal("carol", "auditor"), (), "", top_k)


@contextmanager
def opened(root: Path, *options: str, name: str = "langmem") -> Iterator[MemorySystem]:
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
    """Each entry comes first for its own text, with its id, its speaker and a score of one."""
    for entry in SAID:
        best = filled.recall(asking(entry.text)).items[0]
        assert (best.text, best.source_ids, best.speaker) == (
            entry.text,
            (entry.id,),
            entry.speaker,
        )
        assert best.score == pytest.approx(1.0)


def test_the_best_comes_first_and_never_more_than_asked_for(filled: MemorySystem) -> None:
    """Scores fall, and there are at most ``top_k`` items."""
    items = filled.recall(asking("the night shift", 2)).items
    scores = [item.score or 0.0 for item in items]
    assert len(items) == 2
    assert scores == sorted(scores, reverse=True)


def test_an_empty_memory_recalls_nothing(tmp_path: Path) -> None:
    """Asking and listing before anything is said is no error."""
    with opened(tmp_path) as memory:
        assert memory.recall(asking("anything")).items == ()
        assert list(memory.entries()) == []


def test_more_than_a_library_default_is_recalled_and_listed(tmp_path: Path) -> None:
    """The library's own limit of ten rows does not apply."""
    with opened(tmp_path) as memory:
        for number in range(40):
            memory.ingest(Entry(f"t{number}", f"Bed {number} is free.", ALICE))
        assert len(memory.recall(asking("Which bed is free?", 30)).items) == 30
        assert len(memory.entries()) == 40


@pytest.mark.parametrize("text", ODD)
def test_texts_come_back_unchanged(text: str, tmp_path: Path) -> None:
    """Nothing is parsed, escaped, trimmed or cut."""
    with opened(tmp_path) as memory:
        memory.ingest(Entry("t1", text, ALICE))
        (item,) = memory.recall(asking(text)).items
        assert item.text == text
        assert [held.text for held in memory.entries()] == [text]


def test_a_deleted_entry_is_gone(filled: MemorySystem) -> None:
    """It is neither recalled nor listed, and the others stay."""
    filled.delete("t1")
    assert {item.source_ids for item in filled.recall(asking(SAID[0].text)).items} == {
        ("t2",),
        ("t3",),
    }
    assert {item.text for item in filled.entries()} == {SAID[1].text, SAID[2].text}


def test_an_updated_entry_has_the_new_text_only(filled: MemorySystem) -> None:
    """The old text is gone, the new one is found by its words."""
    filled.update("t2", "Room nine has an old radio.")
    best = filled.recall(asking("an old radio in room nine")).items[0]
    assert (best.text, best.source_ids) == ("Room nine has an old radio.", ("t2",))
    assert SAID[1].text not in {item.text for item in filled.entries()}


def test_deleting_an_unknown_id_is_no_error_and_changes_nothing(filled: MemorySystem) -> None:
    """The library reports success."""
    filled.delete("no-such-entry")
    assert len(filled.entries()) == 3


def test_updating_an_unknown_id_stores_it(filled: MemorySystem) -> None:
    """The library's put does not tell new from old."""
    filled.update("no-such-entry", "A text nobody said.")
    best = filled.recall(asking("A text nobody said.")).items[0]
    assert (best.text, best.source_ids, best.speaker) == (
        "A text nobody said.",
        ("no-such-entry",),
        None,
    )


def test_the_same_text_three_times_is_three_rows(tmp_path: Path) -> None:
    """The library does not look for duplicates where no model is asked."""
    with opened(tmp_path) as memory:
        for number in range(3):
            memory.ingest(Entry(f"t{number}", "Tea at four.", ALICE))
        assert len(memory.entries()) == 3


def test_one_principals_part_is_read_alone(filled: MemorySystem) -> None:
    """A namespace of a principal holds what that principal said."""
    query = asking(SAID[1].text)
    assert {item.source_ids for item in filled.recall_of("alice", query).items} == {
        ("t1",),
        ("t3",),
    }
    assert filled.recall_of("nobody", query).items == ()
    assert filled.recall_of("*", query).items == ()


def test_a_principal_with_a_dot_is_refused(tmp_path: Path) -> None:
    """The library allows no dots in a namespace, and says so."""
    with opened(tmp_path) as memory, pytest.raises(ValueError, match="periods"):
        memory.ingest(Entry("t1", "Hello.", Principal("dr.who", "doctor")))


def test_two_instances_do_not_see_each_other(tmp_path: Path) -> None:
    """What one holds, the other neither recalls nor lists."""
    system = system_called("langmem", root=tmp_path)
    with system.opened("one") as one, system.opened("two") as two:
        one.ingest(SAID[0])
        assert two.recall(asking(SAID[0].text)).items == ()
        assert list(two.entries()) == []


@pytest.mark.parametrize("name", ["langmem", "langmem:extract"])
def test_instances_at_once_answer_as_one_after_another(name: str, tmp_path: Path) -> None:
    """Sixteen instances on sixteen threads give what they give alone."""
    system = system_called(name, root=tmp_path)
    together = threading.Barrier(16)

    def play(number: int, start: Callable[[], object]) -> list[RecallItem]:
        start()
        with system.opened(str(number)) as memory:
            for turn in range(6):
                memory.ingest(Entry(f"t{turn}", f"Patient {number} has bed {number}-{turn}.", BOB))
            if system.capabilities.deletes:
                memory.delete("t0")
            return list(memory.recall(asking(f"Which bed has patient {number}?")).items)

    alone = [play(number, lambda: None) for number in range(16)]
    with ThreadPoolExecutor(16) as pool:
        at_once = list(pool.map(lambda number: play(number, together.wait), range(16)))
    assert at_once == alone
    assert all(len(items) == 5 for items in alone)


def test_nothing_is_written_and_no_thread_is_left(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home, the working directory and the list of threads stay as they were."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    before = set(threading.enumerate())
    with opened(tmp_path / "root") as memory:
        memory.ingest(SAID[0])
        memory.recall(asking("night"))
    assert set(threading.enumerate()) == before
    assert list(home.iterdir()) == []
    assert list((tmp_path / "cwd").iterdir()) == []


def test_importing_the_adapter_does_not_import_the_library() -> None:
    """Somebody who does not use the library does not wait for it."""
    code = "import sys, pytest_comem.memory.langmem; assert 'langmem' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_model_keeps_each_turn_word_for_word(tmp_path: Path) -> None:
    """Extracting with the scripted model, what was said is recalled with its entry and speaker."""
    with opened(tmp_path, name="langmem:extract") as memory:
        for entry in SAID:
            memory.ingest(entry)
        for entry in SAID:
            best = memory.recall(asking(entry.text)).items[0]
            assert (best.text, best.source_ids, best.speaker) == (
                entry.text,
                (entry.id,),
                entry.speaker,
            )


def test_the_model_is_shown_what_is_remembered(tmp_path: Path) -> None:
    """A turn that is remembered already is not stored a second time."""
    with opened(tmp_path, name="langmem:extract") as memory:
        memory.ingest(SAID[0])
        memory.ingest(Entry("t9", SAID[0].text, ALICE))
        assert [item.source_ids for item in memory.entries()] == [("t1",)]


def test_extracting_no_entry_is_deleted_or_replaced(tmp_path: Path) -> None:
    """A row that the model merged stands on several entries; taking it away would lose others."""
    system = system_called("langmem:extract", root=tmp_path)
    assert not system.capabilities.deletes
    assert not system.capabilities.updates
    with system.opened("one") as memory:
        for entry in SAID:
            memory.ingest(entry)
        with pytest.raises(NotImplementedError, match="other entries"):
            memory.delete("t3")
        with pytest.raises(NotImplementedError, match="other entries"):
            memory.update("t3", "New.")
        assert len(memory.entries()) == len(SAID)


def test_a_memory_that_was_not_stored_is_reported(tmp_path: Path) -> None:
    """The manager swallows an embedder's error while it writes; the adapter looks."""

    class Broken:
        name, dimensions = "broken", 2

        def embed(self, texts: list[str]) -> list[list[float]]:
            if any("Message ====" not in text for text in texts):
                raise OSError("the embedder is down")
            return [[1.0, 0.0] for _ in texts]

    system = system_called("langmem:extract", root=tmp_path)
    setup = system.setup("one")
    setup.embedder = Broken()  # type: ignore[assignment]
    memory = system.open(setup)
    with pytest.raises(InfrastructureError, match="as stored, and it is not"):
        memory.ingest(SAID[0])
    memory.close()


def test_the_public_calls_do_what_the_adapter_does(tmp_path: Path) -> None:
    """The calls printed with a counter-example run as they stand."""
    calls = LangMem.calls
    assert calls is not None

    def call(source: str, **places: str) -> str:
        return Template(source).substitute({"m": "m", "directory": repr(str(tmp_path)), **places})

    show = "print(sorted(found))"
    lines = [
        calls.preamble,
        call(calls.open),
        call(calls.ingest, id="a", text="'Tea at four.'", principal="'alice'", timestamp="None"),
        call(calls.ingest, id="b", text="'Rome in May.'", principal="'bob'", timestamp="None"),
        call(calls.recall, query="'When is tea?'", k="1") + "\nprint(found)",
        call(calls.recall_of, query="'When is tea?'", k="5", principal="'bob'") + f"\n{show}",
        call(calls.update, id="b", text="'Rome in June.'"),
        call(calls.delete, id="'never-stored'"),
        call(calls.entries) + f"\n{show}",
        call(calls.delete, id="a"),
        call(calls.entries) + f"\n{show}",
        call(calls.close),
    ]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60
    )
    assert run.stdout.splitlines() == [
        "['Tea at four.']",
        "['Rome in May.']",
        "['Rome in June.', 'Tea at four.']",
        "['Rome in June.']",
    ], run.stderr
