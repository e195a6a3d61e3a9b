"""mem0, the real library, behind its adapter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.registry import InstanceEndpoint
from pytest_comem.memory.base import MemorySystem, UnknownEntryError
from pytest_comem.memory.mem0 import Mem0
from pytest_comem.memory.registry import SystemUnderTest

# Looked up, not imported: telemetry must be off before the import.
if any(find_spec(name) is None for name in ("mem0", "qdrant_client", "langchain")):
    pytest.skip("mem0ai is not installed: pytest-comem[mem0]", allow_module_level=True)

pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning"),
    pytest.mark.usefixtures("contacted", "home"),
]

ANN = Principal("ann", "owner")
BOB = Principal("bob", "guest")
SAID = (
    ("e0", ANN, "The garden visit is on Friday."),
    ("e1", BOB, "The boiler was repaired by Hendrik."),
    ("e2", ANN, "The garden budget is 4,300 dollars."),
    ("e3", BOB, "Bread is baked on Sunday mornings."),
)
ODD = (
    "007",
    "1.50",
    "true",
    '{"a": [1, 2]}',
    "🙂 fine 👩‍👩‍👧",
    "שלום עולם",
    "{braces} $dollar %s",
    "nul\0byte",
    "  padded\n\tlines\r\n",
    "e\u0301 is not é",
    "x" * 100_000,
)


def entry(id: str, speaker: Principal, text: str) -> Entry:
    """Return an entry said at no particular time."""
    return Entry(id, text, speaker)


def about(text: str, top_k: int = 20, requester: Principal = BOB) -> Query:
    """Return a question that comes with nothing but itself."""
    return Query(text, requester, (), "", top_k)


def sources(recall: Recall) -> list[str]:
    """Return the entries recalled, in order."""
    return [source for item in recall.items for source in item.source_ids]


def filled(memory: MemorySystem) -> MemorySystem:
    """Ingest what is said in these tests."""
    for said in SAID:
        memory.ingest(entry(*said))
    return memory


@pytest.fixture
def raw(tmp_path: Path) -> SystemUnderTest:
    """mem0 without a model."""
    return system_called("mem0", root=tmp_path / "work")


@pytest.fixture
def extracting(tmp_path: Path) -> SystemUnderTest:
    """mem0 with the scripted model."""
    return system_called("mem0:extract", root=tmp_path / "work")


@pytest.fixture
def memory(raw: SystemUnderTest) -> Iterator[MemorySystem]:
    """A memory that holds what is said in these tests."""
    with raw.opened("test") as opened:
        yield filled(opened)


def test_what_was_said_is_found_by_its_own_words(memory: MemorySystem) -> None:
    """Every entry comes first for its own text, with its id, speaker and a score near one."""
    for name, speaker, text in SAID:
        best = max(memory.recall(about(text)).items, key=lambda item: item.score or 0.0)
        assert (best.text, best.source_ids, best.speaker) == (text, (name,), speaker)
        assert best.score == pytest.approx(1.0, abs=1e-5)


def test_buckets_take_turns(memory: MemorySystem) -> None:
    """The best of each principal's bucket comes first, then the second of each."""
    recall = memory.recall(about("the garden budget in dollars"))
    assert sources(recall)[0] == "e2"
    assert [item.speaker for item in recall.items] == [ANN, BOB, ANN, BOB][: len(recall.items)]


@pytest.mark.parametrize("top_k", [1, 2, 3])
def test_top_k_is_the_most_that_is_handed_over(memory: MemorySystem, top_k: int) -> None:
    """No more items than asked for are handed over, from all buckets together."""
    assert len(memory.recall(about("the garden", top_k)).items) == top_k
    assert len(memory.recall_of("ann", about("the garden", top_k)).items) == min(top_k, 2)


def test_top_k_is_not_capped_by_defaults_of_the_library(raw: SystemUnderTest) -> None:
    """Where there is more than mem0 hands over by default, all that was asked for is there."""
    with raw.opened("many") as memory:
        for number in range(90):
            memory.ingest(entry(f"e{number}", ANN, f"The cat number {number} sleeps."))
        assert len(memory.recall(about("The cat sleeps", 70)).items) == 70
        assert len(memory.entries()) == 90


def test_an_empty_memory_recalls_nothing(raw: SystemUnderTest) -> None:
    """A fresh instance has nothing to say, and nothing to list."""
    with raw.opened("empty") as memory:
        assert memory.recall(about("anything")).items == ()
        assert memory.recall_of("ann", about("anything")).items == ()
        assert list(memory.entries()) == []


def test_instances_do_not_see_each_other(raw: SystemUnderTest) -> None:
    """Two instances open at once hold only what each was told."""
    with raw.opened("one") as one, raw.opened("two") as two:
        one.ingest(entry("e0", ANN, "The garden visit is on Friday."))
        two.ingest(entry("e0", ANN, "The boiler was repaired."))
        assert [item.text for item in one.entries()] == ["The garden visit is on Friday."]
        assert [item.text for item in two.entries()] == ["The boiler was repaired."]


def test_many_at_once_do_what_one_after_another_do(raw: SystemUnderTest) -> None:
    """Sixteen instances in sixteen threads recall what they recall one after another."""
    together = threading.Barrier(16)

    def play(number: int, wait: Callable[[], object]) -> list[tuple[str, float | None]]:
        wait()
        with raw.opened(f"thread-{number}") as memory:
            filled(memory)
            memory.ingest(entry("own", BOB, f"The garden number of this one is {number}."))
            memory.delete("e0")
            items = memory.recall(about("the garden number")).items
        return [(item.text, item.score) for item in items]

    with ThreadPoolExecutor(16) as pool:
        at_once = list(pool.map(lambda number: play(number, together.wait), range(16)))
    assert at_once == [play(number, lambda: None) for number in range(16)]


def test_nothing_is_written_elsewhere(
    extracting: SystemUnderTest, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Home and working directory stay empty, and a discarded instance leaves nothing behind."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    setup = extracting.setup("test")
    memory = extracting.open(setup)
    filled(memory).recall(about("the garden"))
    memory.close()
    setup.discard()
    assert list(home.iterdir()) == []
    assert list(Path.cwd().iterdir()) == []
    assert not setup.directory.exists() or list(setup.directory.iterdir()) == []


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:12]))
def test_odd_texts_come_back_unchanged(raw: SystemUnderTest, text: str) -> None:
    """Raw texts are kept to the character."""
    with raw.opened("odd") as memory:
        memory.ingest(entry("odd", ANN, text))
        assert [item.text for item in memory.entries()] == [text]
        assert [item.text for item in memory.recall(about(text)).items] == [text]


def test_a_deleted_entry_is_gone(memory: MemorySystem) -> None:
    """What was deleted is neither listed nor recalled, and the rest stays."""
    memory.delete("e2")
    assert "e2" not in sources(memory.recall(about("The garden budget is 4,300 dollars.")))
    assert sorted(name for item in memory.entries() for name in item.source_ids) == [
        "e0",
        "e1",
        "e3",
    ]


def test_an_updated_entry_has_its_new_text_only(memory: MemorySystem) -> None:
    """An update keeps id and speaker; the old text is not recalled any more."""
    memory.update("e2", "The greenhouse costs 900 euros.")
    (best, *_) = memory.recall_of("ann", about("The greenhouse costs 900 euros.")).items
    assert (best.text, best.source_ids) == ("The greenhouse costs 900 euros.", ("e2",))
    assert best.speaker == ANN
    assert all("4,300" not in item.text for item in memory.entries())


def test_principals_are_kept_apart(memory: MemorySystem) -> None:
    """One principal's part holds what that principal said, and deleting it spares the others."""
    assert set(sources(memory.recall_of("ann", about("the boiler and bread")))) <= {"e0", "e2"}
    memory.delete_principal("ann")
    memory.delete_principal("nobody")
    assert set(sources(memory.recall(about("the garden boiler and bread")))) == {"e1", "e3"}


@pytest.mark.parametrize("id", ["nope", "", "*", "00000000-0000-0000-0000-000000000000"])
def test_unknown_ids_are_reported(memory: MemorySystem, id: str) -> None:
    """Deleting or updating what was never stored is an error and changes nothing."""
    with pytest.raises(UnknownEntryError):
        memory.delete(id)
    with pytest.raises(UnknownEntryError):
        memory.update(id, "new")
    assert len(memory.entries()) == 4


def test_an_entry_is_deleted_once(memory: MemorySystem) -> None:
    """The second deletion of an entry is reported as one of an unknown id."""
    memory.delete("e0")
    with pytest.raises(UnknownEntryError):
        memory.delete("e0")


@pytest.mark.parametrize("name", ["mem0", "mem0:extract"])
def test_what_was_stored_is_there_after_reopening(name: str, tmp_path: Path) -> None:
    """Opened again on the same directory, it recalls, deletes and updates as before."""
    system = system_called(name, root=tmp_path / "work")
    setup = system.setup("test")
    memory = filled(system.open(setup))
    before = memory.recall(about("the garden"))
    memory.close()
    memory = system.open(setup)
    # Local Qdrant loads in reverse order and rounds again: scores differ in the last places.
    after = memory.recall(about("the garden"))
    assert {(i.text, *i.source_ids, i.speaker) for i in after.items} == {
        (i.text, *i.source_ids, i.speaker) for i in before.items
    }
    memory.delete("e2")
    memory.close()
    memory = system.open(setup)
    assert {name for item in memory.entries() for name in item.source_ids} == {"e0", "e1", "e3"}
    memory.close()
    setup.discard()


def test_closing_releases_files_and_threads(raw: SystemUnderTest) -> None:
    """After closing, its directory can be opened again at once and no thread is left."""
    threads = threading.active_count()
    setup = raw.setup("test")
    raw.open(setup).close()
    raw.open(setup).close()
    assert threading.active_count() <= threads


@pytest.mark.parametrize("id", ["%", "_", "a", "A", "\uff41", "ann'--", "null", "x" * 3000])
def test_principals_that_look_alike_are_kept_apart(memory: MemorySystem, id: str) -> None:
    """Ids that look like patterns, or like another id, are ids of their own."""
    memory.ingest(entry("own", Principal(id, "guest"), "The garden is mine."))
    assert sources(memory.recall_of(id, about("garden"))) == ["own"]
    memory.delete_principal(id)
    assert len(memory.entries()) == 4


def test_ids_the_library_takes_for_something_else_are_passed_on(memory: MemorySystem) -> None:
    """``*`` is mem0's wildcard even as a user id, and blank ids it refuses; both stay visible."""
    assert len(memory.recall_of("*", about("garden boiler bread")).items) == 4
    for name in ("", " ", "two words"):
        with pytest.raises(ValueError, match="Invalid user_id"):
            memory.ingest(entry("own", Principal(name, "guest"), "The garden is mine."))


def test_a_blank_question_is_refused_by_the_library(memory: MemorySystem) -> None:
    """mem0 raises for a blank query, and so does the adapter."""
    with pytest.raises(ValueError, match="Invalid query"):
        memory.recall(about(" \n"))


def test_capabilities_tell_the_modes_apart() -> None:
    """Only extracting needs a model; then nothing is verbatim and nothing is replaced."""
    raw = Mem0.capabilities_with({"infer": False})
    assert raw == Mem0.capabilities
    assert raw.verbatim
    assert raw.needs_embedder
    assert not raw.needs_model
    extracting = Mem0.capabilities_with({"infer": True})
    assert extracting.needs_model
    assert extracting.deletes
    assert not extracting.verbatim
    assert not extracting.updates


def test_extracting_keeps_a_memory_a_sentence(extracting: SystemUnderTest) -> None:
    """Every memory knows the entry it stems from, and goes with it."""
    with extracting.opened("test") as memory:
        memory.ingest(entry("e0", ANN, "The garden visit is on Friday. Dr. Ito brings a spade."))
        memory.ingest(entry("e1", BOB, "The boiler was repaired."))
        assert sorted((item.text, item.source_ids) for item in memory.entries()) == [
            ("Dr. Ito brings a spade.", ("e0",)),
            ("The boiler was repaired.", ("e1",)),
            ("The garden visit is on Friday.", ("e0",)),
        ]
        assert sources(memory.recall_of("ann", about("who brings a spade")))[0] == "e0"
        memory.delete("e0")
        assert [item.source_ids for item in memory.entries()] == [("e1",)]


def test_an_entry_that_yields_nothing_new_is_known(extracting: SystemUnderTest) -> None:
    """mem0 stores the same memory once; the entry that repeats it can be deleted all the same."""
    with extracting.opened("test") as memory:
        memory.ingest(entry("e0", ANN, "The garden visit is on Friday."))
        memory.ingest(entry("e1", ANN, "The garden visit is on Friday."))
        assert [item.source_ids for item in memory.entries()] == [("e0",)]
        memory.delete("e1")
        assert len(memory.entries()) == 1


def test_a_key_of_another_provider_changes_nothing(
    extracting: SystemUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model asked is the endpoint's, whatever keys the environment holds."""
    monkeypatch.setenv("OPENROUTER_API_KEY", "secret")
    with extracting.opened("test") as memory:
        memory.ingest(entry("e0", ANN, "The garden visit is on Friday."))
        assert len(memory.entries()) == 1


def test_a_model_that_cannot_be_reached_is_an_error(
    extracting: SystemUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken model is never an entry without memories."""
    monkeypatch.setattr(InstanceEndpoint, "chat_url", "http://127.0.0.1:9/v1")
    with extracting.opened("test") as memory, pytest.raises(Exception, match="extraction failed"):
        memory.ingest(entry("e0", ANN, "The garden visit is on Friday."))


class _FailingOn:
    """Embeds, except on these calls, counted from 1 once it is told to."""

    name = "failing"
    dimensions = HashEmbedder.dimensions

    def __init__(self) -> None:
        self.failing: frozenset[int] = frozenset()
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors, or fail."""
        self.calls += 1
        if self.calls in self.failing:
            raise OSError(f"the embedder is down (call {self.calls})")
        return HashEmbedder().embed(texts)


@pytest.fixture
def failing(extracting: SystemUnderTest) -> Iterator[tuple[_FailingOn, MemorySystem]]:
    """An embedder, and a memory that extracts and embeds with it."""
    embedder = _FailingOn()
    setup = extracting.setup("failing")
    setup.embedder = embedder
    memory = extracting.open(setup)
    embedder.calls = 0
    yield embedder, memory
    memory.close()
    setup.discard()


TWO = "The garden visit is on Friday. Dr. Ito brings a spade."


def test_a_memory_that_could_not_be_embedded_is_an_error(
    failing: tuple[_FailingOn, MemorySystem],
) -> None:
    """mem0 leaves it out and reports the rest; what it stored can be deleted all the same."""
    embedder, memory = failing
    # 1: the entry. 2, 3: both memories at once. 4, 5: one by one.
    embedder.failing = frozenset({3, 5})
    with pytest.raises(OSError, match=r"call 3"):
        memory.ingest(entry("e0", ANN, TWO))
    assert [item.text for item in memory.entries()] == ["The garden visit is on Friday."]
    memory.delete("e0")
    assert list(memory.entries()) == []


def test_a_failure_that_mem0_makes_up_for_is_none(
    failing: tuple[_FailingOn, MemorySystem],
) -> None:
    """Where its second attempt works, nothing is lost."""
    embedder, memory = failing
    embedder.failing = frozenset({3})
    memory.ingest(entry("e0", ANN, TWO))
    assert len(memory.entries()) == 2


def test_a_failure_is_raised_once_and_by_the_call_it_belongs_to(
    failing: tuple[_FailingOn, MemorySystem],
) -> None:
    """What made one entry or a question fail does not come up again with the next entry."""
    embedder, memory = failing
    embedder.failing = frozenset({1})
    with pytest.raises(OSError, match="call 1"):
        memory.ingest(entry("e0", ANN, TWO))
    memory.ingest(entry("e1", ANN, TWO))
    embedder.failing = frozenset({embedder.calls + 1})
    with pytest.raises(OSError, match="is down"):
        memory.recall(about("the garden"))
    memory.ingest(entry("e2", ANN, "Bread is baked on Sunday."))
    assert len(memory.entries()) == 3


@pytest.mark.parametrize("package", ["fastembed", "spacy"])
def test_what_mem0_finds_installed_is_part_of_the_configuration(
    raw: SystemUnderTest, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keyword and entity search come and go with packages; the hash tells such runs apart."""
    here = find_spec(package) is not None

    def look_up(name: str) -> object:
        return (None if here else object()) if name == package else find_spec(name)

    monkeypatch.setattr("pytest_comem.memory.mem0.find_spec", look_up)
    other = system_called("mem0", root=tmp_path / "other")
    assert other.info.configuration != raw.info.configuration
