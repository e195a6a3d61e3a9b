"""What an adapter can see of another episode when it looks wherever a library plausibly would."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_project import checkpoint, episode, write_data

NAMES = ("one", "two", "three")
#: Looks around before it stores anything, at every question and at its end, and reports the lines
#: that it found: where, and what. It stores whatever it is told wherever it was handed a place.
SPY = """
import contextlib, os, tempfile, threading, urllib.request
from pathlib import Path

from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.endpoint.client import ChatClient
from pytest_comem.memory.base import MemorySystem

STORE, THREAD = {}, threading.local()
MET = threading.Barrier(3)


class Spy(MemorySystem):
    options = {"label": "x"}
    meets = False

    def __init__(self, setup):
        self.setup, self.items, self.seen, self.name = setup, [], {}, ""
        self.look()

    @classmethod
    def open(cls, setup):
        return cls(setup)

    def ingest(self, entry):
        self.name = entry.text.split()[-1]
        self.items.append(RecallItem(entry.text, source_ids=(entry.id,)))
        for file in ("memory.db", "deep/history.db"):
            place = self.setup.directory / file
            place.parent.mkdir(exist_ok=True)
            with place.open("a") as opened:
                opened.write(entry.text)
        STORE.setdefault(self.setup.namespace, []).append(entry.text)
        THREAD.told = [*getattr(THREAD, "told", []), entry.text]
        self.setup.options["told"] = entry.text
        for vector in self.setup.embedder.embed(["the same text", entry.text]):
            vector[:] = [entry.text]
        self.client().ask([{"role": "user", "content": "Remember: " + entry.text}])

    def recall(self, query):
        if self.meets:
            with contextlib.suppress(threading.BrokenBarrierError):
                MET.wait(20)
        self.look()
        return Recall(tuple(self.items[-query.top_k:]))

    def close(self):
        self.look()
        report = Path(os.environ["SPY_REPORTS"], self.name)
        report.write_text("".join(f"{where}: {what}\\n" for where, what in self.seen.items()))

    def client(self):
        return ChatClient(self.setup.endpoint.chat_url, self.setup.endpoint.chat_model, "x")

    def look(self):
        found = {}
        for kind, place in self.places().items():
            for path in sorted(place.rglob("*")):
                with contextlib.suppress(OSError):
                    found[f"{kind} {path.name}"] = path.read_text("utf-8", "replace")
        found["collection"] = STORE.get(self.setup.namespace)
        found["thread"] = getattr(THREAD, "told", None)
        found["options"] = self.setup.options
        found["environment"] = dict(os.environ)
        embedder = self.setup.embedder
        found["vectors"] = embedder.embed(["the same text"])
        found["embedder"] = [getattr(embedder, n) for n in dir(embedder) if n[0] != "_"]
        question = {"role": "user", "content": "What is there to know about the other episode?"}
        found["model"] = self.client().ask([question])
        for path in ("/models", "/../../", "/../"):
            with contextlib.suppress(OSError):
                url = self.setup.endpoint.chat_url + path
                with urllib.request.urlopen(url, timeout=10) as answer:
                    found[f"endpoint {path}"] = answer.read().decode()
        for where, what in found.items():
            self.seen[where] = self.seen.get(where, "") + " " + " ".join(repr(what).split("\\n"))

    def places(self):
        return {
            "directory": self.setup.directory,
            "beside": self.setup.directory.parent,
            "here": Path.cwd(),
            "temporary": Path(tempfile.gettempdir()),
        }


class Meeting(Spy):
    meets = True


class Apart(Spy):
    own_process = True


class Leaky(MemorySystem):
    told = []

    def ingest(self, entry):
        self.told.append(RecallItem(entry.text, source_ids=(entry.id,)))

    def recall(self, query):
        words = set(query.text.split())
        best = sorted(self.told, key=lambda item: -len(words & set(item.text.split())))
        return Recall(tuple(best[: query.top_k]))
"""


@pytest.fixture
def spied(
    project: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> pytest.Pytester:
    """Three episodes whose data, reports and run are outside of where pytest is started."""
    outside = tmp_path / "outside"
    steps = [checkpoint(name, number, number * 2) for name in NAMES for number in (1, 2)]
    write_data(outside, [episode(name) for name in NAMES], steps)
    for variable in ("SPY_REPORTS", "TMPDIR"):
        (outside / variable).mkdir()
        monkeypatch.setenv(variable, str(outside / variable))
    here = project.path / "here"
    here.mkdir()
    (here / "spies.py").write_text(SPY, encoding="utf-8")
    monkeypatch.chdir(here)
    return project


def reports(spied: pytest.Pytester, tmp_path: Path, system: str, *more: str) -> dict[str, str]:
    """Play all episodes on *system* and return what each instance has seen."""
    outside = tmp_path / "outside"
    arguments = [
        *(f"--memory-system=spies:{system}", f"--comem-data={outside / 'data'}", "gatemem"),
        *(f"--comem-run-dir={outside / 'run'}", "-p", "no:cacheprovider", *more),
    ]
    found = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], capture_output=True, text=True, check=False
    )
    assert "6 passed" in found.stdout, found.stdout + found.stderr
    seen = {path.name: path.read_text() for path in (outside / "SPY_REPORTS").iterdir()}
    assert set(seen) == set(NAMES)
    return seen


@pytest.mark.parametrize(
    ("system", "more"),
    [
        ("Spy", ["--comem-concurrency=1"]),
        ("Meeting", ["--comem-concurrency=3"]),
        ("Spy", ["--comem-concurrency=1", "--comem-keep-state"]),
        pytest.param(
            "Spy",
            ["-n2"],
            marks=pytest.mark.skipif(
                importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
            ),
        ),
        pytest.param(
            "Apart",
            [],
            marks=pytest.mark.skipif(os.name != "posix", reason="no worker processes here"),
        ),
    ],
)
def test_nothing_handed_out_shows_another_episode(
    spied: pytest.Pytester, tmp_path: Path, system: str, more: list[str]
) -> None:
    """One after the other, at once, in workers, in own processes: each sees itself only."""
    for name, seen in reports(spied, tmp_path, system, *more).items():
        # It did look, and where it had stored something it found it.
        for where in ("directory memory.db", "beside memory.db", "collection", "thread", "options"):
            (line,) = (each for each in seen.splitlines() if each.startswith(f"{where}:"))
            assert f"fact2 of {name}" in line
        for other in set(NAMES) - {name}:
            foreign = [line for line in seen.splitlines() if f" of {other}" in line]
            assert foreign == []


def test_a_library_that_leaks_by_itself_is_told_by_the_doctor(spied: pytest.Pytester) -> None:
    """A store of the class is the library's own doing; nothing we hand out could prevent it."""
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "from pytest_comem.cli import main; main()",
            "doctor",
            "spies:Leaky",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1, found.stderr
    (line,) = (each for each in found.stdout.splitlines() if "instances do not see" in each)
    assert "the other instance's" in line
