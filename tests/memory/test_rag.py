"""Dense retrieval over single entries."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from string import Template

import pytest
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.memory.base import UnknownEntryError

if find_spec("numpy") is None:
    pytest.skip("numpy is not installed: pytest-comem[rag]", allow_module_level=True)

from pytest_comem.memory.rag import CALLS, Rag

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
    '{"a": [1, 2]}',
    "[]",
    "🙂 fine 👩‍👩‍👧",
    "שלום עולם",
    "{braces} $names %s",
    "a\x00b",
    "",
    " \n\t ",
    "x" * 20_000,
)


def ask(text: str, top_k: int = 5) -> Query:
    """Return a query of no one in particular."""
    return Query(text, Principal("asker", "owner"), (), "", top_k)


def found(memory: Rag, text: str, top_k: int = 5) -> list[str]:
    """Return the ids of what is recalled."""
    return [item.source_ids[0] for item in memory.recall(ask(text, top_k)).items]


@pytest.fixture
def memory() -> Rag:
    """Return a memory of what was said."""
    filled = Rag(HashEmbedder())
    for entry_id, speaker, text in SAID:
        filled.ingest(Entry(entry_id, text, speaker))
    return filled


def test_each_entry_is_nearest_to_its_own_words(memory: Rag) -> None:
    """What was said is found by its own words, with its id, speaker and text, at cosine 1."""
    for entry_id, speaker, text in SAID:
        first = memory.recall(ask(text)).items[0]
        assert (first.source_ids, first.speaker, first.text) == ((entry_id,), speaker, text)
        assert first.score == pytest.approx(1.0, abs=1e-6)


def test_no_more_than_top_k_is_recalled_best_first(memory: Rag) -> None:
    """The limit holds, and scores descend."""
    assert [len(found(memory, "garden", k)) for k in (0, 1, 3, 9)] == [0, 1, 3, 4]
    scores = [item.score for item in memory.recall(ask("garden budget")).items]
    assert scores == sorted(scores, key=lambda score: -(score or 0.0))


def test_an_empty_memory_recalls_nothing() -> None:
    """Asking before anything is said, or after all of it is deleted, is no error."""
    memory = Rag(HashEmbedder())
    assert not memory.recall(ask("anything")).items
    assert not memory.recall_of("ann", ask("anything")).items
    memory.ingest(Entry("e0", "Something.", ANN))
    memory.delete("e0")
    assert not memory.recall(ask("Something.")).items
    assert memory.entries() == []


def test_equal_texts_are_all_kept_and_stand_in_the_order_said() -> None:
    """Equal texts have exactly equal scores wherever they stand, and the earlier comes first."""
    memory = Rag(HashEmbedder())
    chance = random.Random(1)
    for number in range(300):
        word = chance.choice(["a garden", "the garden", f"garden {number}"])
        memory.ingest(Entry(str(number), word, ANN))
    items = memory.recall(ask("the garden visit", 300)).items
    scores: dict[str, set[float | None]] = {}
    for item in items:
        scores.setdefault(item.text, set()).add(item.score)
    assert all(len(of_text) == 1 for of_text in scores.values())
    order = [int(item.source_ids[0]) for item in items if item.text == "the garden"]
    assert order == sorted(order)


def test_a_score_does_not_depend_on_what_else_is_held() -> None:
    """The last bit of an entry's score is the same in a memory of one and of many."""
    texts = [f"Note {number} about the garden and item {number * 7}." for number in range(200)]
    alone = {}
    for text in texts:
        single = Rag(HashEmbedder())
        single.ingest(Entry("e", text, ANN))
        alone[text] = single.recall(ask("garden item")).items[0].score
    many = Rag(HashEmbedder())
    for number, text in enumerate(texts):
        many.ingest(Entry(str(number), text, ANN))
    assert {item.text: item.score for item in many.recall(ask("garden item", 200)).items} == alone


def test_ranking_is_the_exact_one() -> None:
    """The order is that of cosines computed one by one."""
    texts = [
        f"{a} {b} on day {n}" for n, (a, b) in enumerate(zip("abcdefgh", "hgfedcba", strict=True))
    ]
    memory = Rag(HashEmbedder())
    for number, text in enumerate(texts):
        memory.ingest(Entry(str(number), text, ANN))
    (wanted, *vectors) = HashEmbedder().embed(["c f day 2", *texts])
    exact = {
        str(number): sum(x * y for x, y in zip(wanted, vector, strict=True))
        for number, vector in enumerate(vectors)
    }
    for item in memory.recall(ask("c f day 2", 8)).items:
        assert item.score == pytest.approx(exact[item.source_ids[0]], abs=1e-6)
    assert found(memory, "c f day 2", 1) == [max(exact, key=exact.__getitem__)]


def test_a_deleted_entry_is_gone_and_the_others_stay(memory: Rag) -> None:
    """Deleting takes out one entry and nothing else."""
    memory.delete("e1")
    assert sorted(found(memory, SAID[1][2])) == ["e0", "e2", "e3"]
    assert [found(memory, text, 1) for entry_id, _, text in SAID if entry_id != "e1"] == [
        ["e0"],
        ["e2"],
        ["e3"],
    ]
    memory.ingest(Entry("e4", SAID[1][2], BOB))
    assert found(memory, SAID[1][2], 1) == ["e4"]


def test_an_updated_entry_is_found_by_its_new_words_only(memory: Rag) -> None:
    """The new text takes the old one's place, id and speaker; the old one is nowhere."""
    memory.update("e1", "The kettle whistles at noon.")
    first = memory.recall(ask("kettle whistles")).items[0]
    assert (first.source_ids, first.speaker) == (("e1",), BOB)
    assert [item.source_ids for item in memory.entries()] == [("e0",), ("e1",), ("e2",), ("e3",)]
    assert all("boiler" not in item.text for item in memory.recall(ask("boiler repaired")).items)


def test_unknown_ids_are_reported(memory: Rag) -> None:
    """Deleting or updating what is not there says so, and changes nothing."""
    before = memory.entries()
    operations: tuple[Callable[[], None], ...] = (
        lambda: memory.delete("e9"),
        lambda: memory.update("e9", "New."),
    )
    for operation in operations:
        with pytest.raises(UnknownEntryError, match="e9"):
            operation()
    memory.delete_principal("nobody")
    assert memory.entries() == before


def test_principals_are_kept_apart(memory: Rag) -> None:
    """One principal's part holds what that one said; deleting it leaves the others whole."""
    recalled = memory.recall_of("bob", ask("garden"))
    assert {item.source_ids[0] for item in recalled.items} == {"e1", "e3"}
    memory.delete_principal("bob")
    assert [item.source_ids[0] for item in memory.entries()] == ["e0", "e2"]
    assert not memory.recall_of("bob", ask("bread")).items
    assert found(memory, "bread baked") == ["e0", "e2"] or found(memory, "bread baked") == [
        "e2",
        "e0",
    ]


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text[:12]))
def test_odd_texts_come_back_unchanged(memory: Rag, text: str) -> None:
    """Whatever a text looks like, it is found by itself and returned as it was."""
    memory.ingest(Entry("odd", text, ANN))
    first = memory.recall(ask(text)).items[0]
    assert (first.text, first.source_ids) == (text, ("odd",))
    assert memory.entries()[-1].text == text


def test_sixteen_at_once_are_like_one_after_another(contacted: list[str], tmp_path: Path) -> None:
    """Instances in threads do not see each other, and say the same as alone."""
    system = system_called("rag", root=tmp_path)

    def play(number: int) -> list[tuple[str, float | None]]:
        with system.opened(f"episode {number}") as memory:
            for turn in range(40):
                memory.ingest(Entry(f"{number}-{turn}", f"Turn {turn} of house {number}.", ANN))
            items = memory.recall(ask(f"turn 7 house {number}", 40)).items
            assert all(item.source_ids[0].startswith(f"{number}-") for item in items)
            return [(item.text, item.score) for item in items]

    alone = [play(number) for number in range(16)]
    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(play, range(16))) == alone
    assert contacted == []


def test_nothing_is_written(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It lives in memory: no directory of its own, nothing in the home or working directory."""
    cwd = tmp_path / "cwd"
    cwd.mkdir()
    monkeypatch.chdir(cwd)
    system = system_called("rag", root=tmp_path / "root")
    setup = system.setup("one")
    memory = system.open(setup)
    memory.ingest(Entry("e0", "Something.", ANN))
    memory.recall(ask("Something."))
    memory.close()
    written = [path for place in (home, cwd, tmp_path / "root") for path in place.rglob("*")]
    assert [path for path in written if path.is_file()] == []


def program() -> Iterator[str]:
    """Yield the source of a program that uses every public call."""
    yield CALLS.preamble
    yield Template(CALLS.open).substitute(m="m", directory=repr("unused"))
    for variable, (_, speaker, text) in zip("abcd", SAID, strict=True):
        yield Template(CALLS.ingest).substitute(
            m="m", id=variable, text=repr(text), principal=repr(speaker.id), timestamp="None"
        )
    places = {"m": "m", "query": repr("garden budget"), "k": "2", "principal": repr("bob")}
    for source in (CALLS.recall, CALLS.recall_of):
        yield Template(source).substitute(places) + "\nprint(found)"
    yield Template(CALLS.delete).substitute(m="m", id="a")
    yield Template(CALLS.update).substitute(m="m", id="c", text=repr("New words."))
    yield Template(CALLS.delete_principal).substitute(places)
    yield Template(CALLS.entries).substitute(m="m") + "\nprint(found)"
    yield Template(CALLS.close).substitute(m="m")


def test_the_public_calls_run() -> None:
    """The source that counter-examples are printed with does what the adapter does."""
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(program())], capture_output=True, text=True, check=True
    )
    recalled, of_bob, rest = run.stdout.splitlines()
    assert recalled == repr([SAID[2][2], SAID[0][2]])
    assert "Bread" in of_bob
    assert "garden" not in of_bob
    assert rest == repr(["New words."])
