"""Recorded embeddings: a vector a text, shared by all processes of a run."""

from __future__ import annotations

import json
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_comem.errors import DataError
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.faults import Fault, ModelCallError

LONG = "a text of some length, " * 10


def recorded(directory: Path, vectors: dict[str, list[float]], worker: str = "") -> Path:
    """Record one vector a text and return the file."""
    cassette = Cassette(CassetteMode.RECORD, directory, worker=worker)
    cassette.record_vectors("m", list(vectors), list(vectors.values()))
    cassette.close()
    return directory / f"embeddings-{worker or 'main'}.jsonl"


def found(directory: Path, text: str, worker: str = "") -> list[float] | None:
    """Return the vector of a text in a replay."""
    return Cassette(CassetteMode.REPLAY, directory, worker=worker).find_vector("m", text)


@given(st.lists(st.floats(width=32, allow_nan=False)))
def test_32_bit_numbers_are_kept_exactly(
    tmp_path_factory: pytest.TempPathFactory, vector: list[float]
) -> None:
    """What fits is the same, to the last bit and sign."""
    directory = tmp_path_factory.mktemp("c")
    recorded(directory, {"x": vector})
    assert array("d", found(directory, "x") or []).tobytes() == array("d", vector).tobytes()


def test_a_recording_run_gets_what_a_replay_will_get(tmp_path: Path) -> None:
    """More digits are rounded when recorded, and not only when replayed."""
    cassette = Cassette(CassetteMode.RECORD, tmp_path)
    (kept,) = cassette.record_vectors("m", ["x"], [[0.1, 1 / 3]])
    cassette.close()
    assert kept != [0.1, 1 / 3]
    assert kept == pytest.approx([0.1, 1 / 3])
    assert found(tmp_path, "x") == kept


def test_of_two_vectors_for_a_text_the_first_counts(tmp_path: Path) -> None:
    """A text that is embedded twice while recording has one vector then and later."""
    cassette = Cassette(CassetteMode.RECORD, tmp_path)
    assert cassette.record_vectors("m", ["x", "y", "x"], [[1], [2], [3]]) == [[1], [2], [1]]
    assert cassette.find_vector("m", "x") == [1]
    assert cassette.recorded == 2
    cassette.close()
    assert found(tmp_path, "x") == [1]


def test_vectors_are_found_by_model_and_whole_text(tmp_path: Path) -> None:
    """Texts that begin alike are told apart, though only their beginning is written."""
    recorded(tmp_path, {LONG + "a": [1.0], LONG + "b": [2.0], "\ud800": [3.0]})
    cassette = Cassette(CassetteMode.REPLAY, tmp_path)
    assert cassette.find_vector("m", LONG + "b") == [2.0]
    assert cassette.find_vector("m", "\ud800") == [3.0]
    for model, text in (("m", LONG), ("other", LONG + "a")):
        with pytest.raises(ModelCallError, match="holds no vector of the embedder") as caught:
            cassette.find_vector(model, text)
        assert caught.value.kind is Fault.CASSETTE
    assert "only of m" in str(caught.value)
    assert (cassette.hits, cassette.misses) == (2, 2)


def test_the_file_is_sorted_and_short(tmp_path: Path) -> None:
    """Two recordings in another order are equal, and a text is written shortened."""
    one = recorded(tmp_path / "1", {"b": [1.0], LONG: [2.0], "a": [3.0]})
    two = recorded(tmp_path / "2", {LONG: [2.0], "a": [3.0], "b": [1.0]})
    assert one.read_bytes() == two.read_bytes()
    texts = [json.loads(line).get("text") for line in one.read_text("utf-8").splitlines()]
    assert texts == [None, "a", f"{LONG[:79]}…", "b"]


def test_every_process_reads_the_files_of_all(tmp_path: Path) -> None:
    """A worker finds what another recorded, and its own vector where both have one."""
    recorded(tmp_path, {"x": [0.0], "both": [0.0]}, "gw0")
    recorded(tmp_path, {"y": [1.0], "both": [1.0]}, "gw1")
    for worker, both in (("gw0", 0.0), ("gw1", 1.0), ("", 1.0)):
        assert found(tmp_path, "x", worker) == [0.0]
        assert found(tmp_path, "y", worker) == [1.0]
        assert found(tmp_path, "both", worker) == [both]


def test_auto_adds_to_what_is_there(tmp_path: Path) -> None:
    """Known vectors are hits, new ones go to the process' own file, none is written twice."""
    path = recorded(tmp_path, {"x": [0.0]}, "gw0")
    before = path.read_bytes()
    for text in ("y", "z"):
        cassette = Cassette(CassetteMode.AUTO, tmp_path)
        assert cassette.find_vector("m", "x") == [0.0]
        assert cassette.find_vector("m", text) is None
        cassette.record_vectors("m", [text], [[1.0]])
        cassette.close()
        assert (cassette.hits, cassette.misses, cassette.recorded) == (1, 1, 1)
    assert path.read_bytes() == before
    assert found(tmp_path, "y") == found(tmp_path, "z") == [1.0]
    assert (tmp_path / "embeddings-main.jsonl").read_bytes().count(b"\n") == 3


def test_what_another_worker_left_unfinished_is_taken_over(tmp_path: Path) -> None:
    """A run killed with more workers is completed by one with fewer, and replays whole."""
    killed = Cassette(CassetteMode.RECORD, tmp_path, worker="gw5")
    killed.record_vectors("m", ["x", "y"], [[0.5], [0.25]])
    cassette = Cassette(CassetteMode.AUTO, tmp_path)
    assert cassette.find_vector("m", "x") == [0.5]
    assert cassette.find_vector("m", "x") == [0.5]
    cassette.close()
    assert cassette.recorded == 0
    assert found(tmp_path, "x") == [0.5]
    killed.close()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", 1),
        ("sha256", "00"),
        ("sha256", "x" * 64),
        ("sha256", None),
        ("vector", "AAAA"),
        ("vector", "*"),
        ("vector", [0.5]),
    ],
)
def test_a_damaged_vector_is_named(tmp_path: Path, field: str, value: object) -> None:
    """File, line and field are said."""
    path = recorded(tmp_path, {"x": [1.0]})
    first, line = path.read_text("utf-8").splitlines()
    path.write_text(f"{first}\n{json.dumps(json.loads(line) | {field: value})}\n", "utf-8")
    with pytest.raises(DataError) as caught:
        found(tmp_path, "x")
    assert (caught.value.file, caught.value.line, caught.value.field) == (str(path), 2, field)


def test_what_is_no_row_of_numbers_is_a_failure_of_the_call(tmp_path: Path) -> None:
    """A provider may answer anything."""
    cassette = Cassette(CassetteMode.RECORD, tmp_path)
    for vector in (["0.5"], [None], [[0.5]]):
        with pytest.raises(ModelCallError, match="no row of numbers"):
            cassette.record_vectors("m", ["x"], [vector])  # type: ignore[list-item]
