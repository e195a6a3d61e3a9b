"""Traces: whatever is done to a sealed one shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workflow_play import SIGNER, Play, played, surroundings, twins

from pytest_comem.errors import DataError, InfrastructureError
from pytest_comem.records.canonical import canonical
from pytest_comem.workflows.events import Action, End
from pytest_comem.workflows.hidden import Operator, clean_instance
from pytest_comem.workflows.replay import passed, replay
from pytest_comem.workflows.signing import Signer
from pytest_comem.workflows.traces import TraceWriter, event_hash


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A sealed trace."""
    return played(tmp_path / "t.jsonl")


@cache
def sealed() -> bytes:
    """Return the bytes of a sealed trace of a small polluted instance."""
    pair = twins(Operator.UNVERIFIED_RESULT, "induction", "sum-proof")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        return played(path, pair.polluted, "sum-proof").read_bytes()


def holds(content: bytes, signer: Signer | None = SIGNER) -> bool:
    """Whether a trace of these bytes passes every check."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        path.write_bytes(content)
        return passed(replay(path, signer))


def failed(path: Path, signer: Signer | None = SIGNER) -> dict[str, list[str]]:
    """Return places and problems by the name of the failed check."""
    return {
        one.name: [f"{finding.where}: {finding.problem}" for finding in one.where]
        for one in replay(path, signer)
        if one.passed is False
    }


@pytest.mark.parametrize("signer", [SIGNER, None])
def test_a_whole_trace_holds(trace: Path, signer: Signer | None) -> None:
    """With the key every check is made; without it those that need it say so."""
    checks = replay(trace, signer)
    assert passed(checks)
    open_ones = {one.name: one.detail for one in checks if one.passed is None}
    missing = "the run's key is not here"
    assert open_ones == ({} if signer else {"seal": missing, "receipt signatures": missing})


def test_equal_plays_make_equal_bytes(tmp_path: Path) -> None:
    """With one key; there is no time, path or host in a trace."""
    one, other = played(tmp_path / "a.jsonl"), played(tmp_path / "b.jsonl")
    assert one.read_bytes() == other.read_bytes()


@settings(deadline=None, max_examples=120)
@given(st.data())
def test_any_changed_byte_shows(data: st.DataObject) -> None:
    """Anywhere, to anything, with the key and without it."""
    content = bytearray(sealed())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[place]))
    signer = data.draw(st.sampled_from([SIGNER, None]))
    assert not holds(bytes(content), signer)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_lines_that_move_show(data: st.DataObject) -> None:
    """One that is dropped, doubled or exchanged with another, and a cut anywhere."""
    lines = sealed().splitlines(keepends=True)
    place = data.draw(st.integers(0, len(lines) - 1))
    other = data.draw(st.integers(0, len(lines) - 1).filter(lambda one: one != place))
    exchanged = list(lines)
    exchanged[place], exchanged[other] = lines[other], lines[place]
    changed = [
        lines[:place] + lines[place + 1 :],
        [*lines[: place + 1], *lines[place:]],
        exchanged,
        lines[: max(1, place)],
    ]
    assert not holds(b"".join(data.draw(st.sampled_from(changed))), None)


def test_every_cut_within_a_line_shows() -> None:
    """Also the line end of the last event belongs to it."""
    content = sealed()
    assert not holds(content[:-1])
    assert not holds(content + b"\n")
    assert not holds(content.replace(b"\n", b"\r\n"))


def edits() -> Iterator[tuple[str, list[int], str]]:
    """Yield a change of the order of lines (by index), and what is said of it."""
    count = 88
    order = list(range(count))
    yield "dropped", order[:9] + order[10:], "line 10, node repro_parse: an event before this"
    yield (
        "doubled",
        [*order[:10], *order[9:]],
        "line 11, node repro_parse: this handoff is there twice",
    )
    yield (
        "reordered",
        [*order[:8], 9, 8, *order[10:]],
        "line 9, node repro_parse: an event before this",
    )


@pytest.mark.parametrize(("order", "said"), [each[1:] for each in edits()], ids=lambda _: "")
def test_the_first_change_is_named(trace: Path, order: list[int], said: str) -> None:
    """With its line, its node, and what seems to have happened."""
    lines = trace.read_bytes().splitlines(keepends=True)
    lines = [lines[index] for index in order if index < len(lines)]
    trace.write_bytes(b"".join(lines))
    assert failed(trace)["hash chain"][0].startswith(said)


def test_an_unsealed_trace_says_so(tmp_path: Path) -> None:
    """As a run leaves it that was killed."""
    around = surroundings()
    play = Play(tmp_path / "t.jsonl", clean_instance(around.family), around.gold)
    play.writer.append(Action(node_id="issue", attempt=1, action="work"))
    play.writer.close()
    found = failed(tmp_path / "t.jsonl")
    assert found["end"] == ["line 1: cut off, or the run was killed: there is no end event"]
    assert found["initialization"] == [
        "line 1, node issue: an event (action) before it",
        "line 1: there is no initialization",
    ]


def test_an_event_of_another_trace_shows(trace: Path, tmp_path: Path) -> None:
    """Even at its own place, with its own right hash, and of the same run."""
    pair = twins(Operator.WRONG_ENTITY, "patch")
    other = played(tmp_path / "other.jsonl", pair.polluted).read_bytes().splitlines(keepends=True)
    lines = trace.read_bytes().splitlines(keepends=True)
    trace.write_bytes(b"".join([*lines[:5], other[5], *lines[6:]]))
    found = failed(trace)["hash chain"]
    assert [line.partition(":")[0] for line in found] == [
        "line 6, node issue",
        "line 7, node issue",
    ]
    assert all("does not follow the event before it" in line for line in found)


def test_the_end_counts(trace: Path) -> None:
    """A number that is not that of the events is named, whoever sealed it."""
    lines = trace.read_bytes().splitlines(keepends=True)
    end = json.loads(lines[-1])
    end["payload"]["count"] += 1
    end["hash"] = event_hash(end["seq"], end["previous"], end["payload"])
    trace.write_bytes(b"".join([*lines[:-1], canonical(end) + b"\n"]))
    assert failed(trace, None) == {"end": ["line 88: 88 events were sealed, and 87 are here"]}


def test_another_key_does_not_confirm(trace: Path) -> None:
    """The seal and every receipt are refused."""
    found = failed(trace, Signer(bytes(32)))
    assert found["seal"] == ["line 88: the run's key did not seal this trace"]
    assert len(found["receipt signatures"]) == 9
    assert "forged" in found["receipt signatures"][0]


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    """In some order, each once, in one chain."""
    with TraceWriter(tmp_path / "t.jsonl", SIGNER) as writer:
        with ThreadPoolExecutor(8) as pool:
            actions = [Action(node_id="n", attempt=1, action=f"{i}") for i in range(200)]
            list(pool.map(writer.append, actions))
        writer.end("completed")
    checks = {one.name: one.passed for one in replay(tmp_path / "t.jsonl", SIGNER)}
    assert checks["hash chain"]
    assert checks["seal"]


def test_nothing_follows_the_end(tmp_path: Path) -> None:
    """And only end() writes one."""
    writer = TraceWriter(tmp_path / "t.jsonl", SIGNER)
    with pytest.raises(ValueError, match="seals"):
        writer.append(End(count=0, status="completed", seal="0" * 64))
    writer.end("completed")
    with pytest.raises(ValueError, match="has ended"):
        writer.append(Action(node_id="n", attempt=1, action="late"))


def test_a_trace_is_not_written_over(trace: Path) -> None:
    """A file that is there already is trouble around the method, and stays."""
    before = trace.read_bytes()
    with pytest.raises(InfrastructureError, match="cannot be written: File exists"):
        TraceWriter(trace, SIGNER)
    assert trace.read_bytes() == before


def test_an_empty_file_is_no_trace(tmp_path: Path) -> None:
    """Nor is one that is not there."""
    (tmp_path / "t.jsonl").touch()
    with pytest.raises(DataError, match="empty"):
        replay(tmp_path / "t.jsonl", None)
    with pytest.raises(DataError, match="cannot be read"):
        replay(tmp_path / "absent.jsonl", None)
