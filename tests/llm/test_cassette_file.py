"""Files of a cassette: names, forms, what a killed run leaves, what is refused."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cassette_calls import NAME, answer, chat, keep, lines, look, record, replayed
from hypothesis import given
from hypothesis import strategies as st

from pytest_comem.errors import DataError
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.cassette_file import LARGE, safe_name
from pytest_comem.llm.faults import Fault, ModelCallError


@given(st.lists(st.text(st.sampled_from("aA-_./\\ é\0") | st.characters()), max_size=8))
def test_names_are_safe_and_never_shared(names: list[str]) -> None:
    """A file name has no way out of its directory and is one part's alone, in any case."""
    names = [*names, *map(safe_name, names), *map(str.lower, names)]
    safe = {name: safe_name(name) for name in names}
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,125}", each) for each in safe.values())
    assert len({each.lower() for each in safe.values()}) == len(safe)


@pytest.mark.parametrize(
    "name", ["../../up", "/etc/passwd", "..", "", "a" * 5000, "embeddings-main", "nul\0", "C:\\x"]
)
def test_hostile_names_stay_in_the_directory(tmp_path: Path, name: str) -> None:
    """An episode's name comes from a data file; whatever it is, it is recorded and replayed."""
    directory = tmp_path / "inside"
    cassette = Cassette(CassetteMode.RECORD, directory)
    part = cassette.part(name)
    keep(part, chat("a"))
    cassette.record_vectors("m", ["x"], [[0.5]])
    cassette.close()
    assert list(tmp_path.iterdir()) == [directory]
    assert len(list(directory.iterdir())) == 2
    again = Cassette(CassetteMode.REPLAY, directory)
    assert look(again.part(name), chat("a")) is not None
    assert again.find_vector("m", "x") == [0.5]


def test_plain_names_stay_plain() -> None:
    """Who looks for a part's file finds it by its name."""
    assert safe_name("rag_medical-ep1") == "rag_medical-ep1"
    assert safe_name("gatemem/rag-ep1").startswith("gatemem-rag-ep1-")


def test_large_files_are_compressed_and_small_ones_are_not(tmp_path: Path) -> None:
    """Either form is read; a file that changes its form leaves one; equal content, equal bytes."""
    long = "word " * (LARGE // 5)
    path = record(tmp_path / "one", chat(long))
    assert path.suffixes == [".jsonl", ".gz"]
    assert path.stat().st_size < LARGE / 10
    assert path.read_bytes() == record(tmp_path / "two", chat(long)).read_bytes()
    assert path.read_bytes()[3:8] == bytes(5), "no file name, no time"
    assert look(replayed(tmp_path / "one"), chat(long)) is not None
    small = record(tmp_path / "one", chat("a"))
    assert [each.name for each in (tmp_path / "one").iterdir()] == [small.name]
    assert small.suffix == ".jsonl"
    part = Cassette(CassetteMode.AUTO, tmp_path / "one").part(NAME)
    keep(part, chat(long))
    part.close()
    assert [each.name for each in (tmp_path / "one").iterdir()] == [path.name]
    part = replayed(tmp_path / "one")
    assert look(part, chat("a"))
    assert look(part, chat(long))


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from cassette_calls import NAME, chat, keep
from pytest_comem.llm.cassette import Cassette, CassetteMode
cassette = Cassette(CassetteMode.RECORD, Path(sys.argv[1]))
part = cassette.part(NAME)
for text in "abc":
    keep(part, chat(text))
    part.settle(text, {"answer": 1.0})
cassette.record_vectors("m", ["x", "y"], [[0.5], [0.25]])
os._exit(1)
"""


def killed(directory: Path) -> list[Path]:
    """Record three calls in a process that ends without clean-up; return what it left."""
    here = str(Path(__file__).parents[1] / "acceptance")
    subprocess.run([sys.executable, "-c", KILLED, str(directory), here], check=False)
    return sorted(directory.iterdir())


def test_a_killed_recording_loses_nothing(tmp_path: Path) -> None:
    """Mode auto goes on from it, without a line that was cut off, and finishes the file."""
    vectors, calls = killed(tmp_path)
    assert [vectors.suffix, calls.suffix] == [".new", ".new"]
    for path in (vectors, calls):
        path.write_bytes(path.read_bytes() + b'{"step": "s1", "pha')
    cassette = Cassette(CassetteMode.AUTO, tmp_path)
    part = cassette.part(NAME)
    assert all(look(part, chat(text)) for text in "abc")
    assert part.settle("b", {"answer": 9.0}) == {"answer": 1.0}
    assert cassette.find_vector("m", "y") == [0.25]
    keep(part, chat("d"))
    cassette.close()
    assert [path.suffix for path in sorted(tmp_path.iterdir())] == [".jsonl", ".jsonl"]
    again = Cassette(CassetteMode.REPLAY, tmp_path)
    part = again.part(NAME)
    assert all(look(part, chat(text)) for text in "abcd")
    assert [again.find_vector("m", text) for text in "xy"] == [[0.5], [0.25]]


def test_auto_finishes_what_was_left_also_without_a_call(tmp_path: Path) -> None:
    """After one run in mode auto, a replay holds what the killed run had recorded."""
    killed(tmp_path)
    part = Cassette(CassetteMode.AUTO, tmp_path).part(NAME)
    part.close()
    assert all(look(replayed(tmp_path), chat(text)) for text in "abc")


def test_record_does_not_go_on_from_what_was_left(tmp_path: Path) -> None:
    """A new recording holds its own calls alone; a replay looks at finished files alone."""
    killed(tmp_path)
    with pytest.raises(ModelCallError, match="but the rest of a recording that broke off"):
        look(replayed(tmp_path), chat("a"))
    path = record(tmp_path, chat("z"))
    assert [line["body"]["messages"][0]["content"] for line in lines(path)[1:]] == ["z"]


def test_what_was_left_empty_or_cut_in_its_first_line_is_begun_anew(tmp_path: Path) -> None:
    """A run killed at its very first line is no obstacle."""
    path = record(tmp_path, chat("a"))
    for left in (b"", b'{"comem-ca'):
        path.with_name(f"{path.name}.new").write_bytes(left)
        part = Cassette(CassetteMode.AUTO, tmp_path).part(NAME)
        assert look(part, chat("a"))
        keep(part, chat(f"b{len(left)}"))
        part.close()
        assert list(tmp_path.iterdir()) == [path]
    assert len(lines(path)) == 4


def test_after_a_crash_between_two_forms_the_newer_counts(tmp_path: Path) -> None:
    """Both forms may be there for a moment; the one written last overrules."""
    path = record(tmp_path, chat("a"))
    packed = path.with_name(f"{path.name}.gz")
    newer = path.read_bytes().replace(b'"yes"', b'"newer"')
    packed.write_bytes(gzip.compress(newer))
    found = look(replayed(tmp_path), chat("a"))
    assert found is not None
    assert found.completion == answer("newer")


DAMAGE = {
    "not JSON": (b'{"step": ', "not JSON"),
    "no object": (b"[1]\n", "not a JSON object"),
    "not UTF-8": (b'{"step": "\xff"}\n', "not JSON.*codec"),
    "nested": (b"[" * 200_000 + b"\n", "not JSON"),
    "field missing": (b'{"step": "s"}\n', "field phase: is missing"),
    "timing": (b'{"timing": "s", "seconds": {"answer": "1"}}\n', "seconds.*is not a number"),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("mode", [CassetteMode.REPLAY, CassetteMode.AUTO])
def test_a_damaged_line_is_named(tmp_path: Path, kind: str, mode: CassetteMode) -> None:
    """File and line are said, and nothing is played on half a recording."""
    path = record(tmp_path, chat("a"), chat("b"))
    damage, problem = DAMAGE[kind]
    path.write_bytes(path.read_bytes() + damage)
    with pytest.raises(DataError, match=problem) as caught:
        Cassette(mode, tmp_path).part(NAME)
    assert (caught.value.file, caught.value.line) == (str(path), 4)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("step", 1),
        ("key", None),
        ("repeat", True),
        ("occurrence", "0"),
        ("body", []),
        ("completion", "yes"),
        ("completion.message", None),
        ("completion.cost", "free"),
        ("completion.input_tokens", 1.5),
        ("failure", {"kind": "rate_limit", "message": ""}),
        ("failure", {"kind": ["bad_request"], "message": ""}),
    ],
)
def test_a_field_of_another_type_is_named(tmp_path: Path, field: str, value: object) -> None:
    """A line that is JSON but no recorded call says which field is wrong."""
    path = record(tmp_path, chat("a"))
    first, line = lines(path)
    inner = line
    *outer, last = field.split(".")
    for name in outer:
        inner = inner[name]
    inner[last] = value
    path.write_text("\n".join(map(json.dumps, (first, line))), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        replayed(tmp_path)
    assert caught.value.line == 2
    assert (caught.value.field or "").startswith(field)


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        (b"", "is empty"),
        (b'{"comem-cassette": 2, "of": "x"}\n', "has form 2, and this version .* reads form 1"),
        (b'{"comem-cassette": 1, "of": "x"}\n', "does not belong to 'gatemem/rag-medical-ep1'"),
        (b'{"outcome": 1}\n', "is not the first line of a cassette"),
    ],
)
def test_files_of_others_are_refused(tmp_path: Path, first: bytes, problem: str) -> None:
    """Another version, another part's file or no cassette at all is an error, not a miss."""
    path = record(tmp_path, chat("a"))
    path.write_bytes(first)
    with pytest.raises(DataError, match=problem):
        replayed(tmp_path)


def test_damaged_compression_is_named(tmp_path: Path) -> None:
    """A compressed file that is cut off, changed or none at all is named with its line."""
    path = record(tmp_path, chat("word " * LARGE))
    whole = path.read_bytes()
    changed = whole[:200] + b"\0\0\0\0" + whole[204:]
    for content in (whole[:-50], b"none", changed):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"cannot be read|not JSON") as caught:
            replayed(tmp_path)
        assert caught.value.file == str(path)


@pytest.mark.parametrize("mode", [CassetteMode.RECORD, CassetteMode.AUTO])
def test_no_link_is_written_through(tmp_path: Path, mode: CassetteMode) -> None:
    """A link that came with somebody's recordings does not lead a recording to other files."""
    other = tmp_path / "other.txt"
    other.write_bytes(b"precious\n")
    (tmp_path / f"{safe_name(NAME)}.jsonl.new").symlink_to(other)
    with pytest.raises((ModelCallError, DataError)):
        keep(Cassette(mode, tmp_path).part(NAME), chat("a"))
    assert other.read_bytes() == b"precious\n"


def test_a_failure_that_is_read_cannot_steer_a_terminal(tmp_path: Path) -> None:
    """A recording may come from anybody; its messages are printed."""
    part = Cassette(CassetteMode.RECORD, tmp_path).part(NAME)
    keep(part, chat("a"), failure=ModelCallError("\x1b[2J gone", Fault.BAD_REQUEST))
    part.close()
    recorded = look(replayed(tmp_path), chat("a"))
    assert recorded is not None
    assert str(recorded.failure) == r"\x1b[2J gone"


def test_a_damaged_file_is_not_replaced(tmp_path: Path) -> None:
    """Where the file turns out damaged when it is to be completed, old and new calls stay."""
    path = record(tmp_path, chat("a"))
    part = Cassette(CassetteMode.AUTO, tmp_path).part(NAME)
    keep(part, chat("b"))
    path.write_bytes(b"damaged\n")
    with pytest.raises(DataError):
        part.close()
    assert path.read_bytes() == b"damaged\n"
    assert len(lines(path.with_name(f"{path.name}.new"))) == 2
