from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import worker_systems as toys
from systems import system_called, workshop
from toy_memories import TakesAnyArgument, Toy

from pytest_comem.core.entries import Entry, Principal, Query, Relationship
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory import worker, worker_protocol
from pytest_comem.memory.base import MemorySystem, UnknownEntryError
from pytest_comem.memory.setup import Setup
from pytest_comem.memory.worker import WorkerMemory, open_in_worker
from pytest_comem.memory.worker_child import OPERATIONS
from pytest_comem.ownership import owning

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="these tests look at processes through /proc"
)

ALICE, BOB = Principal("alice", "nurse"), Principal("bob", "patient")
Open = Callable[[type[MemorySystem]], WorkerMemory]


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """A set-up with the hash embedder and the scripted model."""
    return workshop(tmp_path).setup("toy", options={"word": "x", "number": 2.5}, top_k=7)


@pytest.fixture
def opened(setup: Setup) -> Iterator[Open]:
    """Open systems that are ended afterwards, whatever happened to them."""
    memories: list[WorkerMemory] = []

    def open_one(system: type[MemorySystem]) -> WorkerMemory:
        memory = open_in_worker(system, setup)
        assert isinstance(memory, WorkerMemory)
        memories.append(memory)
        return memory

    yield open_one
    for memory in memories:
        memory.process.end()


def entry(text: str, id: str = "t1", speaker: Principal = ALICE) -> Entry:
    """Return an entry."""
    return Entry(id, text, speaker, "2026-01-01T00:00", "dialogue")


def query(text: str = "what?", top_k: int = 20) -> Query:
    """Return a question of Alice."""
    facts = (Relationship("member", (("user", "alice"), ("team", "x"))),)
    return Query(text, ALICE, facts, "a policy", top_k)


def is_running(pid: int) -> bool:
    """Whether a process lives, other than as a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone_within(seconds: float, *pids: int) -> bool:
    """Whether all processes end in so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(is_running(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def test_every_operation_happens_in_the_other_process(opened: Open) -> None:
    """Ingest, recall, listing, update and the two deletions do there what they do here."""
    memory = opened(toys.Echo)
    for number, speaker in enumerate((ALICE, BOB, BOB)):
        memory.ingest(entry(f"text {number}", f"t{number}", speaker))
    first = RecallItem("text 0", None, ("t0",), ALICE)
    assert memory.recall(query(top_k=1)) == Recall((first,))
    assert [item.text for item in memory.recall_of("bob", query()).items] == ["text 1", "text 2"]
    memory.update("t0", "new")
    memory.delete("t1")
    assert [item.text for item in memory.entries()] == ["new", "text 2"]
    memory.delete_principal("bob")
    assert [item.source_ids for item in memory.entries()] == [("t0",)]
    memory.close()


def test_no_operation_is_left_out() -> None:
    """Whatever a memory system can be asked is forwarded, and the other process knows it."""
    operations = {
        name
        for name, value in vars(MemorySystem).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }
    assert operations >= {
        "ingest", "recall", "recall_of", "entries", "delete", "update", "delete_principal",
        "probe_unknown_argument", "close",
    }  # fmt: skip
    assert operations <= set(vars(WorkerMemory))
    assert operations == set(OPERATIONS)
    for name in operations:
        assert f'{{"op": "{name}"' in (worker_protocol.__doc__ or "")


def test_an_unknown_argument_is_tried_in_the_other_process(opened: Open) -> None:
    """What the library says to it arrives: an error, nothing, or that there is no such call."""
    with pytest.raises(InfrastructureError, match="raised TypeError: unexpected keyword"):
        opened(Toy).probe_unknown_argument()
    opened(TakesAnyArgument).probe_unknown_argument()
    with pytest.raises(NotImplementedError):
        opened(toys.Bare).probe_unknown_argument()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\nb\r\n\tc",
        "null \0 byte",
        "lone \ud800 surrogate",
        "é 漢字 \u202e 🤖 \u2028",
        "x" * 500_000,
    ],
    ids=["empty", "lines", "null", "surrogate", "unicode", "long"],
)
def test_texts_travel_unchanged(opened: Open, text: str) -> None:
    """Any text comes back as it was, in ids and names as well."""
    memory = opened(toys.Echo)
    speaker = Principal(f"p{text[:10]}", text[:10])
    memory.ingest(entry(text, f"id{text[:10]}", speaker))
    (item,) = memory.recall(query()).items
    assert item == RecallItem(text, None, (f"id{text[:10]}",), speaker)


def test_everything_a_recall_says_travels(opened: Open) -> None:
    """Scores, speakers, what was withheld and both flags arrive as they were."""
    memory = opened(toys.Curator)
    memory.ingest(entry("one"))
    assert memory.recall(query()) == Recall(
        (RecallItem("one", 0.1, ("t1",), ALICE),),
        (Withheld(WithheldReason.UNAUTHORIZED, float("inf"), ("a", "b")),),
        enforced_access=True,
        enforced_deletion=True,
    )


def test_the_setup_travels(opened: Open, setup: Setup) -> None:
    """The other process has the same settings, directory, vectors and query."""
    memory = opened(toys.Reporter)
    texts = [item.text for item in memory.recall(query("who is it?")).items]
    endpoint = setup.endpoint
    assert texts[:7] == [
        "options [('number', 2.5), ('word', 'x')]",
        "top_k 7 seed 0",
        f"directory {setup.directory} namespace {setup.namespace}",
        f"chat {endpoint.chat_url} {endpoint.chat_model} {endpoint.api_key}",
        "embedder hash-1 384",
        f"vector {HashEmbedder().embed(['who is it?'])[0]}",
        f"query who is it? {ALICE} a policy 20 [\"member (('user', 'alice'), ('team', 'x'))\"]",
    ]


def test_the_key_is_in_neither_arguments_nor_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys go through the pipe, where no process list shows them."""
    place = workshop(tmp_path)
    monkeypatch.setattr(type(place.endpoint), "api_key", "secret-local-key")
    setup = place.setup("toy", options={}, top_k=1)
    memory = open_in_worker(toys.Reporter, setup)
    assert isinstance(memory, WorkerMemory)
    pid = memory.process.pid
    seen = b"".join(Path(f"/proc/{pid}/{name}").read_bytes() for name in ("cmdline", "environ"))
    assert any("secret-local-key" in item.text for item in memory.recall(query()).items)
    memory.close()
    assert b"secret-local-key" not in seen


def test_a_worker_of_a_run_is_labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With run and owner, for whoever cleans up; which test pytest is at is not its business."""
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "a test of another episode")
    place = workshop(tmp_path)
    with owning("abcd", tmp_path / "state") as owner:
        memory = open_in_worker(toys.Echo, place.setup("toy", options={}, top_k=1))
    assert isinstance(memory, WorkerMemory)
    environment = Path(f"/proc/{memory.process.pid}/environ").read_bytes().decode().split("\0")
    memory.close()
    assert {f"{name}={value}" for name, value in owner.labels.items()} <= set(environment)
    assert not [line for line in environment if line.startswith("PYTEST_CURRENT_TEST")]


def test_the_users_key_is_not_in_the_workers_environment(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The door has it and makes the worker's calls; everything else of the environment is there."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user")
    monkeypatch.setenv("SOME_SETTING", "kept-as-it-is")
    process = opened(toys.Echo).process
    environment = Path(f"/proc/{process.pid}/environ").read_bytes()
    assert b"sk-of-the-user" not in environment
    assert b"SOME_SETTING=kept-as-it-is" in environment


def test_prepare_gets_a_directory_that_goes_with_the_instance(opened: Open, setup: Setup) -> None:
    """Caches of a worker's library are inside the instance's directory and discarded with it."""
    memory = opened(toys.Homely)
    (item,) = memory.recall(query()).items
    assert Path(item.text) == setup.directory / "home"
    memory.close()
    setup.discard()
    assert not Path(item.text).exists()


def test_prints_do_not_disturb_and_are_shown(
    opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the library prints, in Python or below, comes out here before the operation returns."""
    memory = opened(toys.Printer)
    capsys.readouterr()
    memory.ingest(entry("é\ud800"))
    shown = capsys.readouterr()
    assert shown.out == ""
    for line in ("printed é\\ud800", "complained", '{"ok": null}', "from a child"):
        assert line in shown.err.splitlines()
    assert [item.text for item in memory.entries()] == ["é\ud800"]


def test_full_pipes_do_not_wait_for_each_other(
    opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    """A library may print more than a pipe holds, and be given more than a pipe holds."""
    memory = opened(toys.Flooder)
    memory.ingest(entry("z" * 300_000))
    assert capsys.readouterr().err.count("y") == 300_000
    assert len(memory.entries()[0].text) == 300_000


@pytest.mark.parametrize(
    ("text", "kind", "part", "message"),
    [
        ("value", InfrastructureError, "adapter", r"ingest\(\) raised ValueError: a bad\nvalue"),
        ("exit", InfrastructureError, "adapter", r"raised SystemExit: 3"),
        ("base", InfrastructureError, "adapter", r"raised Rude: rude"),
        ("provider", InfrastructureError, "provider", r"^no answer$"),
        ("unknown", UnknownEntryError, None, r"^t9$"),
        ("not", NotImplementedError, None, r"^never$"),
    ],
)
def test_errors_arrive(
    opened: Open, text: str, kind: type[Exception], part: str | None, message: str
) -> None:
    """Errors that mean something stay what they are, others name themselves, and it goes on."""
    memory = opened(toys.Fragile)
    for _ in range(2):
        with pytest.raises(kind, match=message) as caught:
            memory.ingest(entry(text))
        assert type(caught.value) is kind
        assert getattr(caught.value, "type", None) == part


def test_an_errors_traceback_is_shown(opened: Open, capsys: pytest.CaptureFixture[str]) -> None:
    """The place in the library is in the output, for unexpected errors alone."""
    memory = opened(toys.Fragile)
    capsys.readouterr()
    for text in ("unknown", "not"):
        with pytest.raises((UnknownEntryError, NotImplementedError)):
            memory.ingest(entry(text))
    assert capsys.readouterr().err == ""
    with pytest.raises(InfrastructureError):
        memory.ingest(entry("value"))
    assert "worker_systems.py" in capsys.readouterr().err


def test_a_recall_of_another_type_is_an_error(opened: Open) -> None:
    """What is no Recall is refused in the worker."""
    with pytest.raises(InfrastructureError, match="returned list, not a Recall"):
        opened(toys.Fragile).recall(query())


def test_missing_operations_are_missing(opened: Open) -> None:
    """An operation the system does not have raises as it does in one process."""
    memory = opened(toys.Bare)
    calls: list[Callable[[], object]] = [
        memory.entries,
        lambda: memory.delete("x"),
        lambda: memory.update("x", "y"),
        lambda: memory.recall_of("alice", query()),
        lambda: memory.delete_principal("alice"),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError):
            call()


@pytest.mark.parametrize(
    ("text", "status"),
    [("kill", r"-9 \(SIGKILL\)"), ("exit", "7"), ("orphan", r"-9 \(SIGKILL\)")],
)
def test_a_dead_worker_is_named_at_once(opened: Open, text: str, status: str) -> None:
    """Its exit status and last words are told, also where a child of it holds the pipes open."""
    memory = opened(toys.Mortal)
    started = time.monotonic()
    with pytest.raises(InfrastructureError, match=rf"(?s)exit status {status}.*famous last words"):
        memory.ingest(entry(text))
    with pytest.raises(InfrastructureError, match="exit status"):
        memory.recall(query())
    memory.close()
    memory.close()
    assert time.monotonic() - started < 5
    assert gone_within(1, memory.process.pid)


def test_a_worker_killed_between_operations_is_named(opened: Open) -> None:
    """The next operation says what happened, and that one only."""
    memory = opened(toys.Echo)
    os.kill(memory.process.pid, signal.SIGKILL)
    with pytest.raises(InfrastructureError, match=r"died with exit status -9 .* in recall\(\)"):
        memory.recall(query())


def test_a_hanging_close_is_bounded(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an error, and the process and whatever it started are gone."""
    monkeypatch.setattr(worker, "CLOSE", 0.5)
    memory = opened(toys.Hanger)
    pids = [int(item.text) for item in memory.recall(query()).items]
    with pytest.raises(InfrastructureError, match=r"close\(\) took more than 0\.5 seconds"):
        memory.close()
    assert gone_within(1, *pids)


def test_close_ends_the_process(opened: Open) -> None:
    """A closed worker is gone, a second close does nothing, and using it is an error."""
    memory = opened(toys.Echo)
    memory.close()
    assert not is_running(memory.process.pid)
    memory.close()
    with pytest.raises(InfrastructureError, match="used after"):
        memory.recall(query())


def test_an_error_in_close_arrives_and_ends_the_process(opened: Open) -> None:
    """The process does not outlive a close that raises."""
    memory = opened(toys.Fragile)
    with pytest.raises(InfrastructureError, match=r"close\(\) raised RuntimeError: will not close"):
        memory.close()
    assert not is_running(memory.process.pid)


def test_a_system_that_cannot_be_opened(setup: Setup) -> None:
    """What open raises is told, and no process is left."""
    with pytest.raises(InfrastructureError, match=r"Unopenable .* raised OSError: no room"):
        open_in_worker(toys.Unopenable, setup)


def test_a_class_that_only_a_file_defines(setup: Setup, tmp_path: Path) -> None:
    """A conftest's class is found by its file, though its module has no importable name."""
    import importlib.util

    file = tmp_path / "deep" / "conftest.py"
    file.parent.mkdir()
    file.write_text(
        "from pytest_comem.core.recall import Recall\n"
        "from pytest_comem.memory.base import MemorySystem\n"
        "class Mine(MemorySystem):\n"
        "    def ingest(self, entry): pass\n"
        "    def recall(self, query): return Recall.from_texts(['mine'])\n"
    )
    spec = importlib.util.spec_from_file_location("odd.conftest", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["odd.conftest"] = module
    try:
        spec.loader.exec_module(module)
        memory = open_in_worker(module.Mine, setup)
    finally:
        del sys.modules["odd.conftest"]
    assert memory.recall(query()).text == "mine"
    memory.close()


@pytest.mark.parametrize("busy", [False, True])
def test_workers_end_with_their_owner(tmp_path: Path, busy: bool) -> None:
    """Killing the owner ends an idle worker and one in the middle of an operation."""
    script = f"""
import sys, threading, time
sys.path.insert(0, {str(Path(toys.__file__).parent)!r})
import worker_systems as toys
from pathlib import Path
from systems import workshop
from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.memory.worker import open_in_worker
who = Principal("a", "b")
setup = workshop(Path({str(tmp_path)!r})).setup("x", options={{}}, top_k=1)
memory = open_in_worker(toys.Hanger, setup)
print(*(item.text for item in memory.recall(Query("", who, (), "", 2)).items), flush=True)
if {busy}:
    memory.ingest(Entry("t", "hang", who))
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        pids = [int(pid) for pid in owner.stdout.readline().split()]
        time.sleep(0.3)
        assert all(is_running(pid) for pid in pids)
        owner.kill()
    assert gone_within(5, *pids)


def test_a_worker_may_change_threads(setup: Setup) -> None:
    """An instance opened by a thread that has ended works on in another."""
    with ThreadPoolExecutor(1) as pool:
        memory = pool.submit(open_in_worker, toys.Echo, setup).result()
    time.sleep(0.1)
    memory.ingest(entry("still here"))
    assert memory.recall(query()).text == "still here"
    memory.close()


def test_workers_at_once_do_not_see_each_other(tmp_path: Path) -> None:
    """Instances in several threads each hold their own."""
    place = workshop(tmp_path)

    def play(number: int) -> list[str]:
        setup = place.setup("toy", options={}, top_k=9)
        memory = open_in_worker(toys.Echo, setup)
        for turn in range(20):
            memory.ingest(entry(f"{number}.{turn}", f"t{turn}"))
        texts = [item.text for item in memory.entries()]
        memory.close()
        return texts

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(play, range(4)))
    assert found == [[f"{number}.{turn}" for turn in range(20)] for number in range(4)]


def test_a_system_that_wants_a_process_gets_one(tmp_path: Path) -> None:
    """Where a class says so, the registry opens it in a worker."""
    system = system_called("worker_systems:Reporter", root=tmp_path)
    with system.opened("x") as memory:
        assert isinstance(memory, WorkerMemory)
        assert "('word', 'plain')" in memory.recall(query()).text
