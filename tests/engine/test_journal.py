"""Outcomes on disk as they are made."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pytest_comem.engine.journal import Journal, journals, read_journal
from pytest_comem.errors import DataError


def test_lines_of_many_threads_stay_whole(tmp_path: Path) -> None:
    """Eight threads write long lines at once; each is there once, none in another."""
    journal = Journal(tmp_path)

    def write(thread: int) -> None:
        for number in range(50):
            journal.append({"at": [thread, number], "text": "x" * 9000})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal.close()
    found = sorted(record["at"] for record in read_journal(journal.path))
    assert found == [[thread, number] for thread in range(8) for number in range(50)]


def test_each_process_has_a_file(tmp_path: Path) -> None:
    """Workers and a run of one process write beside each other, in a known order."""
    for worker in ("gw1", "", "gw0"):
        journal = Journal(tmp_path, worker)
        journal.append({"worker": worker})
        journal.close()
    (tmp_path / "outcomes.jsonl").write_text("")
    found = [record["worker"] for path in journals(tmp_path) for record in read_journal(path)]
    assert found == ["gw0", "gw1", ""]


def test_going_on_appends(tmp_path: Path) -> None:
    """A journal that is opened again keeps what it has."""
    for number in range(3):
        journal = Journal(tmp_path)
        journal.append({"n": number})
        journal.close()
    assert [record["n"] for record in read_journal(journal.path)] == [0, 1, 2]


def test_a_line_that_was_cut_off_is_none(tmp_path: Path) -> None:
    """Only the last line can be cut off; damage anywhere else is said with its place."""
    path = tmp_path / "outcomes-main.jsonl"
    path.write_bytes(b'{"n": 1}\n{"n": 2}\n{"n": ')
    assert list(read_journal(path)) == [{"n": 1}, {"n": 2}]
    path.write_bytes(b'{"n": 1}\n{"n": \n{"n": 3}\n')
    with pytest.raises(DataError, match=r"outcomes-main\.jsonl:2: not JSON"):
        list(read_journal(path))
    path.write_bytes(b"[]\n")
    with pytest.raises(DataError, match="not a JSON object"):
        list(read_journal(path))


def test_lone_surrogates_come_back(tmp_path: Path) -> None:
    """Whatever a library puts into a text can be written and read."""
    journal = Journal(tmp_path)
    journal.append({"text": "half \udc80 of it"})
    journal.close()
    assert list(read_journal(journal.path)) == [{"text": "half \udc80 of it"}]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_a_killed_process_loses_nothing_it_said_it_wrote(tmp_path: Path) -> None:
    """Every line that was acknowledged before SIGKILL is in the file, whole."""
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from pytest_comem.engine.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "for number in range(10**9):\n"
        "    journal.append({'n': number, 'text': 'x' * 20_000})\n"
        "    print(number, flush=True)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    told = -1
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            told = int(line)
            if told == 200:
                os.kill(process.pid, signal.SIGKILL)
    (path,) = journals(tmp_path)
    found = [record["n"] for record in read_journal(path)]
    assert found == list(range(len(found)))
    assert len(found) > told >= 200
    assert json.loads(path.read_bytes().splitlines()[0])["n"] == 0
