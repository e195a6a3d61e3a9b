"""A recorded run can be run again: what is found, what is recorded, what a step took."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cassette_calls import NAME, answer, chat, keep, lines, look, missed, record, replayed
from hypothesis import given
from hypothesis import strategies as st

from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.cassette_entry import (
    Address,
    Recorded,
    call_record,
    read_call,
)
from pytest_comem.llm.cassette_file import Line, to_line
from pytest_comem.llm.faults import Fault, ModelCallError

# Two surrogates that make a pair are one character once they have been written as JSON.
TEXT = st.text(st.characters(exclude_categories=())).map(lambda text: json.loads(json.dumps(text)))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(message=st.dictionaries(TEXT, VALUES, max_size=4), option=VALUES)
def test_any_call_and_any_message_round_trip(message: dict[str, object], option: object) -> None:
    """Whatever JSON is asked and answered is the same after it was written and read."""
    call = chat("x", option=option)
    recorded = Recorded(Completion(message, "stop", 1, 2, 0.1), None, 3)
    address = Address(call.key, 1, 2)
    raw = to_line(call_record(call, address, "s", "answer", recorded))
    assert raw.index(b"\n") == len(raw) - 1
    record = json.loads(raw)
    assert read_call(Line(Path("x"), 2, raw, record)) == (address, recorded)
    body = record["body"]
    assert ChatCall(ModelSpec(record["model"]), body.pop("messages"), body).key == call.key


@given(VALUES, VALUES)
def test_equal_calls_have_equal_keys_and_others_others(one: object, other: object) -> None:
    """A call's key tells exactly the bodies apart that JSON tells apart."""
    same_text = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (chat("x", a=one).key == chat("x", a=other).key) is same_text


def test_what_was_recorded_is_found_again(tmp_path: Path) -> None:
    """Completion, tokens, cost, retries and lasting failures come back as they were."""
    cassette = Cassette(CassetteMode.RECORD, tmp_path)
    part = cassette.part(NAME)
    unknown = answer("no\ud800\u2028\x85", cost=None)
    keep(part, chat("a"), answer(), retries=2)
    keep(part, chat("b"), unknown, occurrence=1)
    refusal = ModelCallError("not this", Fault.CONTENT_FILTER)
    keep(part, chat("c"), failure=refusal)
    part.close()
    assert (cassette.hits, cassette.misses, cassette.recorded) == (0, 0, 3)
    again = Cassette(CassetteMode.REPLAY, tmp_path)
    part = again.part(NAME)
    assert look(part, chat("a")) == Recorded(answer(), None, 2)
    assert look(part, chat("b"), occurrence=1) == Recorded(unknown, None, 0)
    found = look(part, chat("c"))
    assert found is not None
    assert found.completion is None
    assert found.failure is not None
    assert (found.failure.kind, str(found.failure)) == (Fault.CONTENT_FILTER, "not this")
    assert (again.hits, again.misses, again.recorded) == (3, 0, 0)


def test_all_that_determines_a_call_is_part_of_its_address(tmp_path: Path) -> None:
    """Another model, message, option, repeat or occurrence is another call."""
    record(tmp_path, chat("a", seed=1))
    part = replayed(tmp_path)
    assert look(part, chat("a", seed=1), step="elsewhere", phase="judge") is not None
    for other in (chat("b", seed=1), chat("a", seed=2), chat("a"), chat("a", seed=1, model="m")):
        missed(part, other)
    missed(part, chat("a", seed=1), occurrence=1)
    missed(part, chat("a", seed=1), repeat=1)


def test_transient_failures_are_not_kept(tmp_path: Path) -> None:
    """What may succeed the next time is asked again."""
    part = Cassette(CassetteMode.AUTO, tmp_path).part(NAME)
    keep(part, chat("a"), failure=ModelCallError("slow down", Fault.RATE_LIMIT))
    part.close()
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_sorted_and_readable(tmp_path: Path) -> None:
    """Lines go by step, phase, key and occurrence; timings come last; text stands as it is."""
    cassette = Cassette(CassetteMode.RECORD, tmp_path)
    part = cassette.part(NAME)
    part.settle("s2", {"recall": 0.5, "answer": 1.5})
    keep(part, chat("später"), step="s2", phase="judge")
    keep(part, chat("später"), step="s2", phase="answer", occurrence=2)
    keep(part, chat("später"), step="s2", phase="answer", occurrence=1)
    keep(part, chat("z", top_p=1, seed=2), step="s1")
    part.close()
    (path,) = tmp_path.iterdir()
    first, *calls, timing = lines(path)
    assert first == {"comem-cassette": 1, "of": NAME}
    assert [(call["step"], call["phase"], call["occurrence"]) for call in calls] == [
        ("s1", "answer", 0),
        ("s2", "answer", 1),
        ("s2", "answer", 2),
        ("s2", "judge", 0),
    ]
    assert list(calls[0]["body"]) == ["messages", "seed", "temperature", "top_p"]
    assert timing == {"timing": "s2", "seconds": {"answer": 1.5, "recall": 0.5}}
    assert '"content": "später"'.encode() in path.read_bytes()


def test_no_key_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of the environment is blackened wherever it stands, whatever JSON makes of it."""
    secret = 'sk-"marked"\\\u00e9-key'
    monkeypatch.setenv("MARKED_API_KEY", secret)
    cassette = Cassette(CassetteMode.RECORD, tmp_path)
    part = cassette.part(NAME)
    call = chat(f"it is {secret}", stop=[secret], api_key="sk-given", extra_headers={"a": "sk-b"})
    said = replace(answer(), message={"content": f"ah, {secret}!", "more": [{secret: secret}]})
    returned = keep(part, call, said, step=f"s {secret}")
    keep(part, chat("b"), failure=ModelCallError(f"bad {secret}", Fault.BAD_REQUEST))
    part.settle(f"s {secret}", {"answer": 1.0})
    cassette.record_vectors("m", [f"{secret} {'x' * 90}"], [[1.0]])
    part.close()
    cassette.close()
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"marked" not in written
    assert b"sk-" not in written
    assert written.count(b"<MARKED_API_KEY>") == 9
    black = "<MARKED_API_KEY>"
    assert returned is not None
    assert returned.message == {"content": f"ah, {black}!", "more": [{black: black}]}
    part = replayed(tmp_path)
    assert look(part, call) == Recorded(returned, None, 0)
    assert part.settle(f"s {secret}", {"answer": 9.0}) == {"answer": 1.0}


def test_a_key_that_is_a_common_word_does_not_break_the_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password such as "messages" blackens texts, and no name of the file's own form."""
    for number, word in enumerate(("messages", "completion", "occurrence", "finish_reason")):
        monkeypatch.setenv(f"N{number}_PASSWORD", word)
    path = record(tmp_path, chat("my messages"))
    assert "my <N0_PASSWORD>" in path.read_text("utf-8")
    assert look(replayed(tmp_path), chat("my messages")) == Recorded(answer(), None, 0)


def test_auto_replays_hits_and_records_misses(tmp_path: Path) -> None:
    """The finished file holds old and new calls together, used or not, and then replays whole."""
    path = record(tmp_path, chat("a"), chat("b"))
    before = lines(path)
    cassette = Cassette(CassetteMode.AUTO, tmp_path)
    part = cassette.part(NAME)
    assert look(part, chat("a")) is not None
    keep(part, chat("c"))
    part.close()
    assert (cassette.hits, cassette.misses, cassette.recorded) == (1, 1, 1)
    after = lines(path)
    assert len(after) == 4
    assert all(line in after for line in before)
    part = replayed(tmp_path)
    assert all(look(part, chat(text)) for text in "abc")


def test_auto_with_hits_alone_leaves_the_file(tmp_path: Path) -> None:
    """Nothing is written where nothing is missing."""
    path = record(tmp_path, chat("a"))
    path.chmod(0o444)
    stamp = path.stat().st_mtime_ns
    part = Cassette(CassetteMode.AUTO, tmp_path).part(NAME)
    assert look(part, chat("a")) is not None
    part.close()
    assert path.stat().st_mtime_ns == stamp
    assert list(tmp_path.iterdir()) == [path]


def test_record_begins_afresh_and_replaces_at_the_end(tmp_path: Path) -> None:
    """The old recording is whole until the new one is, and then gone."""
    path = record(tmp_path, chat("a"))
    old = path.read_bytes()
    part = Cassette(CassetteMode.RECORD, tmp_path).part(NAME)
    keep(part, chat("a"), answer("new"))
    assert path.read_bytes() == old
    assert look(replayed(tmp_path), chat("a")) == Recorded(answer(), None, 0)
    part.close()
    assert look(replayed(tmp_path), chat("a")) == Recorded(answer("new"), None, 0)
    assert list(tmp_path.iterdir()) == [path]


def test_a_recording_without_a_call_leaves_the_old_one(tmp_path: Path) -> None:
    """A run that is stopped before its first call costs no recording."""
    path = record(tmp_path, chat("a"))
    old = path.read_bytes()
    Cassette(CassetteMode.RECORD, tmp_path).part(NAME).close()
    assert path.read_bytes() == old


def test_replay_writes_nothing(tmp_path: Path) -> None:
    """Hits, misses, timings and vectors leave a replayed directory as it is."""
    record(tmp_path, chat("a"))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    cassette = Cassette(CassetteMode.REPLAY, tmp_path)
    part = cassette.part(NAME)
    look(part, chat("a"))
    missed(part, chat("b"))
    assert (
        part.record(
            chat("b"),
            occurrence=0,
            repeat=0,
            step="s",
            phase="p",
            completion=answer(),
            failure=None,
            retries=0,
        )
        == answer()
    )
    part.settle("s1", {"answer": 1.0})
    assert cassette.record_vectors("m", ["x"], [[0.1]]) == [[0.1]]
    part.close()
    cassette.close()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
    assert cassette.recorded == 0


def test_off_neither_finds_nor_keeps(tmp_path: Path) -> None:
    """Without a cassette every call is made, and no directory is needed or made."""
    record(tmp_path / "old", chat("a"))
    for directory in (tmp_path / "old", tmp_path / "none"):
        cassette = Cassette(CassetteMode.OFF, directory)
        part = cassette.part(NAME)
        keep(part, chat("a"))
        assert part.settle("s1", {"answer": 1.0}) == {"answer": 1.0}
        assert cassette.find_vector("m", "x") is None
        part.close()
        cassette.close()
        assert (cassette.hits, cassette.misses, cassette.recorded) == (0, 0, 0)
    assert not (tmp_path / "none").exists()


def test_a_replayed_step_takes_what_it_took(tmp_path: Path) -> None:
    """Replay gives the recorded seconds to the last bit; unrecorded steps keep their own."""
    part = Cassette(CassetteMode.RECORD, tmp_path).part(NAME)
    keep(part, chat("a"))
    assert part.settle("s1", {"answer": 3.0}) == {"answer": 3.0}
    took = {"answer": 0.1 + 0.2, "judge": 1e-9}
    assert part.settle("s1", took) == took
    part.close()
    part = replayed(tmp_path)
    look(part, chat("a"))
    assert part.settle("s1", {"answer": 0.0}) == took
    assert part.settle("s2", {"answer": 0.5}) == {"answer": 0.5}


def test_auto_times_a_step_anew_where_a_call_was_made(tmp_path: Path) -> None:
    """A step whose calls were all hits keeps its recorded seconds; one miss, and it is timed."""
    part = Cassette(CassetteMode.RECORD, tmp_path).part(NAME)
    for step in ("s1", "s2"):
        keep(part, chat(step), step=step)
        part.settle(step, {"answer": 1.0})
    part.close()
    part = Cassette(CassetteMode.AUTO, tmp_path).part(NAME)
    look(part, chat("s1"), step="s1")
    look(part, chat("s2"), step="s2")
    keep(part, chat("more"), step="s2")
    assert part.settle("s1", {"answer": 9.0}) == {"answer": 1.0}
    assert part.settle("s2", {"answer": 9.0}) == {"answer": 9.0}
    part.close()
    part = replayed(tmp_path)
    assert part.settle("s1", {}) == {"answer": 1.0}
    assert part.settle("s2", {}) == {"answer": 9.0}


def test_a_part_asked_for_twice_is_finished_by_the_last(tmp_path: Path) -> None:
    """Repeats of an episode may share a part, at once or one after the other."""
    cassette = Cassette(CassetteMode.RECORD, tmp_path)
    first, second = cassette.part(NAME), cassette.part(NAME)
    keep(first, chat("a"), repeat=0)
    first.close()
    keep(second, chat("a"), repeat=1)
    second.close()
    third = cassette.part(NAME)
    keep(third, chat("a"), repeat=2)
    third.close()
    cassette = Cassette(CassetteMode.REPLAY, tmp_path)
    first, second = cassette.part(NAME), cassette.part(NAME)
    first.close()
    assert all(look(second, chat("a"), repeat=repeat) for repeat in range(3))


def test_closing_the_cassette_finishes_parts_in_use(tmp_path: Path) -> None:
    """A run that ends while episodes go on leaves finished files, and nothing after them."""
    cassette = Cassette(CassetteMode.RECORD, tmp_path)
    part = cassette.part(NAME)
    keep(part, chat("a"))
    cassette.close()
    (path,) = tmp_path.iterdir()
    finished = path.read_bytes()
    keep(part, chat("b"))
    part.settle("s1", {"answer": 1.0})
    part.close()
    late = cassette.part("another")
    keep(late, chat("b"))
    late.close()
    cassette.close()
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [finished]
    assert cassette.recorded == 1


def test_a_call_after_its_part_was_closed_is_no_hit(tmp_path: Path) -> None:
    """A library's thread that comes too late is told so."""
    record(tmp_path, chat("a"))
    part = replayed(tmp_path)
    part.close()
    assert "after its episode had ended" in missed(part, chat("a"))


def test_what_cannot_be_written_down_is_a_failure_of_the_call(tmp_path: Path) -> None:
    """A message that is no JSON, or a full disk, is an infrastructure error and not a crash."""
    part = Cassette(CassetteMode.RECORD, tmp_path / "c").part(NAME)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (deep, b"bytes"):
        with pytest.raises(ModelCallError, match="cannot be recorded") as caught:
            keep(part, chat("a"), replace(answer(), message={"content": value}))
        assert caught.value.kind is Fault.CASSETTE
    (tmp_path / "c").rmdir()
    with pytest.raises(ModelCallError, match=r"cassette .*\.new cannot be written: No such file"):
        keep(part, chat("a"))


def test_a_directory_is_needed_for_replay_and_made_otherwise(tmp_path: Path) -> None:
    """Without a recording the option is named, and the way to one."""
    with pytest.raises(SettingsError, match=r"--comem-cassette: there is no directory .*record"):
        Cassette(CassetteMode.REPLAY, tmp_path / "none")
    Cassette(CassetteMode.AUTO, tmp_path / "new" / "deep")
    assert (tmp_path / "new" / "deep").is_dir()
    (tmp_path / "file").touch()
    for mode in (CassetteMode.RECORD, CassetteMode.REPLAY):
        with pytest.raises(SettingsError, match="--comem-cassette"):
            Cassette(mode, tmp_path / "file")
