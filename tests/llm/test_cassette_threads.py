"""Cassettes used from many threads and processes at once."""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cassette_calls import answer, chat, keep, look

from pytest_comem.llm.cassette import Cassette, CassetteMode, Recorded
from pytest_comem.llm.faults import ModelCallError

PARTS = 8
CALLS = 40


def play(directory: Path, mode: CassetteMode, order: int) -> Cassette:
    """Make all calls of all parts on 16 threads, in an order of chance."""
    cassette = Cassette(mode, directory)
    parts = [cassette.part(f"gatemem/system-ep{number}") for number in range(PARTS)]

    def call(number: int) -> None:
        part, text = parts[number % PARTS], f"call {number // PARTS // 2}"
        step, phase = f"s{number % 5}", "answer" if number % 3 else "judge"
        occurrence = number // PARTS % 2
        found = look(part, chat(text), occurrence=occurrence, step=step, phase=phase)
        if found is None:
            part.record(
                chat(text),
                occurrence=occurrence,
                repeat=0,
                completion=answer(f"{text} {occurrence}"),
                failure=None,
                retries=number % 2,
                step=step,
                phase=phase,
            )
        else:
            assert found == Recorded(answer(f"{text} {occurrence}"), None, number % 2)
        part.settle(step, {"answer": float(number % 5)})
        if cassette.find_vector("m", text) is None:
            cassette.record_vectors("m", [text], [[float(len(text))]])

    numbers = list(range(PARTS * CALLS))
    random.Random(order).shuffle(numbers)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(call, numbers))
        list(pool.map(lambda part: part.close(), parts))
    cassette.close()
    return cassette


def contents(directory: Path) -> dict[str, bytes]:
    """Return every file's bytes by name."""
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def test_two_recordings_are_equal_whatever_the_order_of_threads(tmp_path: Path) -> None:
    """Files depend on what was asked and answered, and on nothing else."""
    texts = CALLS // 2
    first = play(tmp_path / "1", CassetteMode.RECORD, 1)
    assert first.recorded == PARTS * CALLS + texts
    play(tmp_path / "2", CassetteMode.RECORD, 2)
    play(tmp_path / "2", CassetteMode.AUTO, 3)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert len(contents(tmp_path / "1")) == PARTS + 1


def test_every_call_of_a_replay_on_threads_is_a_hit(tmp_path: Path) -> None:
    """Counts are exact: as many hits as calls and texts, no miss."""
    play(tmp_path, CassetteMode.RECORD, 1)
    replay = play(tmp_path, CassetteMode.REPLAY, 2)
    assert (replay.hits, replay.misses, replay.recorded) == (2 * PARTS * CALLS, 0, 0)


WORKER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from cassette_calls import answer, chat, keep
from pytest_comem.llm.cassette import Cassette, CassetteMode
cassette = Cassette(CassetteMode(sys.argv[3]), Path(sys.argv[1]), worker=sys.argv[2])
for number in range(4):
    part = cassette.part(f"gatemem/system-{sys.argv[2]}-{number}")
    for text in map(str, range(20)):
        keep(part, chat(text))
    part.close()
    cassette.record_vectors("m", ["shared", sys.argv[2]], [[0.5], [1.0]])
cassette.close()
"""


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_processes_record_into_one_directory(tmp_path: Path, mode: str) -> None:
    """Workers of one run each leave their parts and vectors; all of it is replayed by one."""
    here = str(Path(__file__).parents[1] / "acceptance")
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path), name, mode, here])
        for name in ("gw0", "gw1", "gw2")
    ]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    cassette = Cassette(CassetteMode.REPLAY, tmp_path)
    for name in ("gw0", "gw1", "gw2"):
        assert cassette.find_vector("m", name) == [1.0]
        for number in range(4):
            part = cassette.part(f"gatemem/system-{name}-{number}")
            assert all(look(part, chat(str(text))) for text in range(20))
            part.close()
    assert cassette.find_vector("m", "shared") == [0.5]
    assert cassette.misses == 0


def test_two_runs_do_not_write_one_part_at_once(tmp_path: Path) -> None:
    """The second one is told, and the first one's recording is whole."""
    pytest.importorskip("fcntl", reason="this system has no locks on files")
    first = Cassette(CassetteMode.RECORD, tmp_path)
    part = first.part("p")
    keep(part, chat("a"))
    for mode in (CassetteMode.RECORD, CassetteMode.AUTO):
        second = Cassette(mode, tmp_path).part("p")
        with pytest.raises(ModelCallError, match="another process is writing it"):
            second.record(
                chat("b"),
                occurrence=0,
                repeat=0,
                step="s",
                phase="p",
                completion=answer(),
                failure=None,
                retries=0,
            )
        second.close()
    keep(part, chat("c"))
    part.close()
    part = Cassette(CassetteMode.REPLAY, tmp_path).part("p")
    assert look(part, chat("a"))
    assert look(part, chat("c"))
