from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.component import LinesComponent
from pytest_comem.ownership import owning

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="these tests look at processes through /proc"
)

ADA, BEN = Principal("ada", "reporter"), Principal("ben", "nurse")
ASSISTANT = Principal("assistant", "assistant")
EXAMPLE = Path(__file__).resolve().parents[2] / "fixtures/components/keyword_memory.py"
#: Answers as it should, notes every request in the file of its first argument.
NOTING = """
import json, sys
from pathlib import Path
note = Path(sys.argv[1])
for line in sys.stdin:
    with note.open("a") as file:
        file.write(line)
    request = json.loads(line)
    inject = request["command"] == "inject"
    print(json.dumps({"ok": True} if inject else {"additional_context": "a\\n\\nb"}), flush=True)
"""
#: Answers an inject, and a recall by the code at hand.
ANSWERING = """
import json, os, signal, subprocess, sys, time
def say(text):
    sys.stdout.write(text + "\\n"); sys.stdout.flush()
for line in sys.stdin:
    request = json.loads(line)
    if request["command"] == "inject":
        say('{"ok": true}')
    else:
        CODE
"""
Open = Callable[..., MemorySystem]


def query(text: str = "what?", top_k: int = 3) -> Query:
    """Return a question of Ada's."""
    return Query(text, ADA, (), "", top_k)


def entry(id: str, text: str = "text", speaker: Principal = ADA, kind: str = "user") -> Entry:
    """Return an entry."""
    return Entry(id, text, speaker, "2026-01-01T00:00", kind)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open components that are closed afterwards: source of a program, its arguments, settings."""
    with ExitStack() as stack:

        def open_one(source: str | Path, *arguments: object, **options: object) -> MemorySystem:
            program = source
            if isinstance(source, str):
                program = tmp_path / "program.py"
                program.write_text(source, encoding="utf-8")
            words = " ".join(map(str, (sys.executable, program, *arguments)))
            settings = [f"cmd.{key}={value}" for key, value in options.items()]
            system = system_called(f"cmd:{words}", *settings, root=tmp_path / "state")
            return stack.enter_context(system.opened("toy"))

        yield open_one


def answering(code: str) -> str:
    """Return a program that answers each recall by *code*."""
    return ANSWERING.replace("CODE", code)


def texts(memory: MemorySystem, asked: Query | None = None) -> list[str]:
    """Return what is recalled."""
    return [item.text for item in memory.recall(asked or query()).items]


def noted(file: Path) -> list[Any]:
    """Return the requests that a program noted."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def is_running(pid: int) -> bool:
    """Whether a process lives, other than as a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def assert_gone(*pids: int) -> None:
    """Wait for the end of processes."""
    deadline = time.monotonic() + 20
    while any(map(is_running, pids)):
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.02)


def test_each_session_is_injected_once_before_the_question(opened: Open, tmp_path: Path) -> None:
    """A task is a session; an inject has the new ones and the index of the task asked about."""
    memory = opened(NOTING, tmp_path / "note")
    memory.ingest(entry("t0001.m01", "do it"))
    memory.ingest(entry("t0001.m02", "I did", ASSISTANT, "assistant"))
    memory.ingest(entry("t0001.m03", "result", ASSISTANT, "tool"))
    memory.ingest(entry("t0002.m01", "again"))
    assert not (tmp_path / "note").exists()
    assert texts(memory, query("first?")) == ["a\n\nb"]
    assert texts(memory, query("second?", 7)) == ["a\n\nb"]
    memory.ingest(entry("t0003.m01", "more"))
    texts(memory)
    first, second = (noted(tmp_path / "note")[number] for number in (0, 3))
    assert first == {
        "command": "inject",
        "dataset": {
            "participant": "ada",
            "sessions": [
                {
                    "session_id": "t0001",
                    "messages": [
                        {"role": "user", "content": "do it"},
                        {"role": "assistant", "content": "I did"},
                        {"role": "tool", "content": "result"},
                    ],
                },
                {"session_id": "t0002", "messages": [{"role": "user", "content": "again"}]},
            ],
        },
        "target": 3,
    }
    assert noted(tmp_path / "note")[1:3] == [
        {"command": "recall", "query": "first?", "top_k": 3},
        {"command": "recall", "query": "second?", "top_k": 7},
    ]
    assert [one["session_id"] for one in second["dataset"]["sessions"]] == ["t0003"]
    assert second["target"] == 4
    assert len(noted(tmp_path / "note")) == 5


def test_other_entries_are_a_session_for_each_run_of_them(opened: Open, tmp_path: Path) -> None:
    """What is said between two questions is one session, its messages with who said them."""
    memory = opened(NOTING, tmp_path / "note")
    memory.ingest(entry("e1", "one", BEN, "dialogue"))
    memory.ingest(entry("e2", "two", ASSISTANT, "dialogue"))
    texts(memory)
    memory.ingest(entry("e3", "three", ADA, "dialogue"))
    texts(memory)
    injects = [each for each in noted(tmp_path / "note") if each["command"] == "inject"]
    assert [each["target"] for each in injects] == [2, 3]
    assert [each["dataset"]["sessions"] for each in injects] == [
        [
            {
                "session_id": "s0001",
                "messages": [
                    {"role": "user", "content": "one", "name": "ben"},
                    {"role": "assistant", "content": "two", "name": "assistant"},
                ],
            }
        ],
        [
            {
                "session_id": "s0002",
                "messages": [{"role": "user", "content": "three", "name": "ada"}],
            }
        ],
    ]
    assert {each["dataset"]["participant"] for each in injects} == {"ben"}


def test_the_one_shot_form_gets_the_whole_prefix_in_a_fresh_directory(
    opened: Open, tmp_path: Path
) -> None:
    """A command written for the release finds data set, index, and nothing of an earlier inject."""
    note = tmp_path / "note"
    memory = opened(
        """
import json, os, sys
from pathlib import Path
note, command, *more = sys.argv[1:]
found = {"command": command, "there": sorted(os.listdir())}
if command == "inject":
    found |= {"dataset": json.loads(Path(more[0]).read_text()), "index": more[1]}
    Path("kept").write_text("")
else:
    found |= {"query": more, "top_k": os.environ["COMEM_TOP_K"]}
    print(json.dumps({"additional_context": "known"}))
with open(note, "a") as file:
    file.write(json.dumps(found) + "\\n")
""",
        note,
        mode="once",
    )
    memory.ingest(entry("t1.m01"))
    assert texts(memory, query('"a" $b; c')) == ["known"]
    texts(memory)
    memory.ingest(entry("t2.m01"))
    texts(memory)
    first, asked, again, second, _ = noted(note)
    assert (asked["query"], asked["top_k"], asked["there"]) == (['"a" $b; c'], "3", ["kept"])
    assert again["command"] == "recall"
    found = [
        (each["index"], [one["session_id"] for one in each["dataset"]["sessions"]], each["there"])
        for each in (first, second)
    ]
    assert found == [("2", ["t1"], []), ("3", ["t1", "t2"], [])]


def test_an_empty_memory_is_told_so_before_it_is_asked(opened: Open, tmp_path: Path) -> None:
    """Whatever comes first, an inject comes before a recall."""
    texts(opened(NOTING, tmp_path / "note"))
    inject, _ = noted(tmp_path / "note")
    assert (inject["dataset"]["sessions"], inject["target"]) == ([], 1)


@pytest.mark.parametrize(
    ("reply", "passages"),
    [
        ({"additional_context": "a\n\nb"}, ["a\n\nb"]),
        ({"additional_context": " \n"}, []),
        ({"additional_context": "a\n\nb", "items": ["a", "", "b"]}, ["a", "b"]),
        ({"items": []}, []),
        ({"additional_context": "x" * 3_000_000}, ["x" * 3_000_000]),
    ],
)
def test_what_a_reply_recalls(opened: Open, reply: Any, passages: list[str]) -> None:
    """One passage, or those listed; blank ones are none."""
    length = len(reply.get("additional_context", ""))
    code = f"say(json.dumps({reply!r}))"
    if length > 1_000:
        code = f'say(json.dumps({{"additional_context": "x" * {length}}}))'
    assert texts(opened(answering(code))) == passages


@pytest.mark.parametrize("mode", ["lines", "once"])
@pytest.mark.parametrize(
    "text",
    ["a\nb\r\n\tc", "null \0 byte", "lone \ud800 half", "é 漢字 \u202e 🤖 \u2028", "x" * 700_000],
    ids=["lines", "null", "surrogate", "unicode", "long"],
)
def test_texts_travel_unchanged(opened: Open, text: str, mode: str) -> None:
    """Any text comes back as it went in, by either form."""
    if mode == "once" and "\ud800" in text:
        pytest.skip("the example writes UTF-8, which has no half characters")
    memory = opened(EXAMPLE, mode=mode)
    memory.ingest(entry("t1.m01", f"word {text}"))
    assert texts(memory, query("word")) == [f"word {text}"]


FAULTS = {
    "exit": ("sys.stderr.write('no such table'); sys.exit(3)", "exit status 3 in recall.*no such"),
    "killed": ("os.kill(os.getpid(), signal.SIGSEGV)", "ended with signal SIGSEGV in recall"),
    "half": ("sys.stdout.write('{\"addi'); sys.exit(0)", 'exit status 0 in recall after {"addi'),
    "closed": ("os.close(1); time.sleep(600)", "closed its output in recall"),
    "garbage": ("say('Loading model...')", "not JSON .*: Loading model"),
    "bytes": ("os.write(1, b'\\xff\\n')", "not JSON"),
    "list": ("say('[]')", r"no JSON object: \[\]"),
    "twice": ('say(\'{"items": [], "items": []}\')', "twice in one object"),
    "nan": ("say('{\"additional_context\": NaN}')", "NaN is no number"),
    "deep": ('say(\'{"a": \' + "[" * 200000)', "nested too deeply"),
    "empty": ("say('{}')", "without a text additional_context .*: an empty object"),
    "other": ('say(\'{"context": "x"}\')', "without a text additional_context .*: context"),
    "number": ("say('{\"additional_context\": 1}')", "without a text additional_context"),
    "items": ("say('{\"items\": [1]}')", "items that are not a list of texts"),
    "many": ('say(\'{"items": ["a", "b", "c", "d"]}\')', "4 items where top_k is 3"),
    "error": ('say(\'{"error": "out of memory"}\')', "refused recall: out of memory"),
    "much": ("sys.stdout.write('x' * 20_000_000); sys.stdout.flush()", "more than 16 MiB"),
    "silent": ("time.sleep(600)", r"took more than 0\.7 s for recall \(setting timeout\)"),
    "terminal": ("say('\\x1b[31mred')", r"not JSON .*: \\x1b\[31mred"),
}


@pytest.mark.parametrize(("code", "message"), FAULTS.values(), ids=list(FAULTS))
def test_whatever_a_program_does_wrong_is_an_adapters_fault(
    opened: Open, code: str, message: str
) -> None:
    """The error names the program and what came, it is ended, and not asked again."""
    seconds = 0.7 if "sleep" in code else 60
    memory = opened(answering(code), timeout=seconds)
    assert isinstance(memory, LinesComponent)
    with pytest.raises(InfrastructureError, match=f"(?s)component .*program.py .*{message}") as one:
        memory.recall(query())
    assert one.value.type == "adapter"
    assert_gone(memory.program.pid)
    with pytest.raises(InfrastructureError) as two:
        memory.recall(query())
    assert str(two.value) == str(one.value)


def test_a_long_command_is_named_by_its_end(opened: Open, tmp_path: Path) -> None:
    """Wherever a program lies, a message says which one it is, and is not without end."""
    place = tmp_path / ("deep" * 20) / ("deeper" * 20)
    place.mkdir(parents=True)
    script = place / "forgetful.py"
    script.write_text("raise SystemExit(3)", encoding="utf-8")
    with pytest.raises(InfrastructureError, match=r"component .*forgetful\.py ") as found:
        opened(script).recall(query())
    assert len(str(found.value)) < 600


def test_an_inject_has_to_be_confirmed(opened: Open) -> None:
    """What does not say ok may not have stored anything."""
    memory = opened("for line in __import__('sys').stdin: print('{}', flush=True)")
    with pytest.raises(InfrastructureError, match="answered inject with something else"):
        memory.recall(query())


def test_what_was_not_asked_for_is_not_taken_for_the_next_answer(opened: Open) -> None:
    """A second line would put all later answers one question behind."""
    memory = opened(answering('say(\'{"items": ["1"]}\\n{"items": ["2"]}\')'))
    assert texts(memory) == ["1"]
    with pytest.raises(InfrastructureError, match="wrote before it was asked"):
        memory.recall(query())


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("sys.exit('no index')", "ended with exit status 1 in inject.*no index"),
        ("time.sleep(600 * (sys.argv[1] == 'recall'))", r"took more than 0\.9 s for recall"),
        ("print('{}\\n{}')", "answered recall with what is not JSON"),
        ("pass", "answered recall with what is not JSON"),
        ("os.kill(os.getpid(), 9)", "signal SIGKILL in inject"),
        ("print('x' * 20_000_000)", "more than 16 MiB for inject"),
    ],
)
def test_faults_of_the_one_shot_form(opened: Open, code: str, message: str) -> None:
    """The exit status counts, and what a recall prints is the answer and nothing else."""
    seconds = 0.9 if "sleep" in code else 60
    memory = opened(f"import os, sys, time\n{code}", mode="once", timeout=seconds)
    with pytest.raises(InfrastructureError, match=f"(?s){message}") as found:
        memory.recall(query())
    assert found.value.type == "adapter"


@pytest.mark.parametrize("text", ["x" * 3_000_000, "a\0b", "\ud800"], ids=["long", "null", "half"])
def test_a_question_that_cannot_be_an_argument(opened: Open, text: str) -> None:
    """The one-shot form cannot ask everything; that is said and no verdict."""
    with pytest.raises(InfrastructureError, match=r"cannot be started: .+") as found:
        opened(EXAMPLE, mode="once").recall(query(text))
    assert found.value.type == "adapter"


def test_pipes_that_are_full_do_not_wait_for_each_other(opened: Open) -> None:
    """A program may complain at length before it reads on."""
    memory = opened(
        """
import json, sys
sys.stderr.write("x" * 1_000_000)
for line in sys.stdin:
    sys.stderr.write("y" * 1_000_000)
    print('{"ok": true, "items": ["read"]}', flush=True)
"""
    )
    memory.ingest(entry("t1.m01", "z" * 3_000_000))
    assert texts(memory) == ["read"]


LOOKS = "say(json.dumps({'items': [os.getcwd(), json.dumps(dict(os.environ)), str(os.listdir())]}))"


def test_a_program_has_a_directory_of_its_own_and_no_key(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two instances do not meet; the run's labels are there, for whoever cleans up."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "a test of another episode")
    with owning("abcd", tmp_path / "owned") as owner:
        one, two = (texts(opened(answering(LOOKS))) for _ in range(2))
    assert one[0] != two[0]
    assert one[2] == "[]"
    environment = json.loads(one[1])
    assert owner.labels.items() <= environment.items()
    assert not {"OPENAI_API_KEY", "PYTEST_CURRENT_TEST", "COMEM_MODEL"} & set(environment)
    assert "sk-very-secret-key" not in one[1]
    assert not Path(one[0]).is_relative_to(Path.cwd() / "fixtures")


def test_a_program_may_have_the_runs_endpoint(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given our own address, and not the user's key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    environment = json.loads(texts(opened(answering(LOOKS), model="true"))[1])
    assert environment["OPENAI_BASE_URL"].startswith("http://127.0.0.1:")
    assert environment["COMEM_EMBEDDING_URL"].startswith("http://127.0.0.1:")
    assert environment["OPENAI_API_KEY"] not in ("sk-very-secret-key", "")


CHILD = (
    "child = subprocess.Popen(['sleep', '600']); "
    "say(json.dumps({'items': [f'{os.getpid()} {child.pid}']})); "
)


def test_closing_ends_it_and_what_it_started(opened: Open) -> None:
    """Also a program that stays at the end of its input."""
    memory = opened(answering(CHILD) + "\ntime.sleep(600)\n")
    pids = [int(pid) for pid in texts(memory)[0].split()]
    assert all(map(is_running, pids))
    memory.close()
    assert_gone(*pids)


def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """However that dies, and whatever the program does at the end of its input."""
    program = tmp_path / "program.py"
    program.write_text(answering(CHILD) + "\ntime.sleep(600)\n", encoding="utf-8")
    parent = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parents[1] / "acceptance")!r})
from systems import system_called
from pytest_comem.core.entries import Principal, Query
held = [open("/dev/null") for _ in range(30)]
system = system_called("cmd:{sys.executable} {program}")
with system.opened("toy") as memory:
    print(memory.recall(Query("?", Principal("a", "b"), (), "", 3)).text, flush=True)
    time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()]
        os.kill(process.pid, signal.SIGKILL)
    assert len(pids) == 2
    assert_gone(*pids)


def test_the_configuration_follows_the_program(tmp_path: Path) -> None:
    """Another content is another configuration, the same one the same, also beside a new file."""
    program = tmp_path / "program.py"
    found = []
    for content in ("a", "b", "a"):
        program.write_text(content, encoding="utf-8")
        found.append(system_called(f"cmd:{sys.executable} {program}").info.configuration)
    assert found[0] == found[2] != found[1]


def test_files_are_found_from_where_the_run_was_started(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path in the command means the same as in a shell there; other words stay."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/data").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    memory = opened(
        answering("say(json.dumps({'items': sys.argv[1:]}))"), "folder/data", "folder", "-x"
    )
    assert texts(memory) == [str(tmp_path / "folder/data"), "folder", "-x"]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("cmd", (), "no program is named"),
        ("cmd:", (), "no program is named"),
        ("cmd:''", (), "no program is named"),
        ("cmd:no-such-program-here x", (), "no-such-program-here: there is no such program"),
        ("cmd:./README.md", (), r"README.md: it may not be executed \(chmod \+x\)"),
        ("cmd:python3 'a", (), "no closing quotation; a comma separates systems"),
        ("cmd:true", ("cmd.mode=twice",), "'twice' is neither lines nor once"),
        ("cmd:true", ("cmd.timeout=0",), "no number of seconds"),
        ("cmd:true", ("cmd.time=0",), "unknown setting; did you mean timeout"),
        ("x=cmd:true", ("y.mode=once",), r"y.KEY: no such system"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(
    name: str, options: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs and settings are checked when the run is put together."""
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    with pytest.raises(SettingsError, match=f"(?i){message}"):
        system_called(name, *options)


def test_a_command_with_a_comma_is_a_setting(opened: Open, tmp_path: Path) -> None:
    """What the list of systems cannot hold goes in beside it."""
    system = system_called(
        "mine=cmd", f"mine.command={sys.executable} {EXAMPLE} ''", "cmd.timeout=5"
    )
    assert (system.info.name, system.options["timeout"]) == ("mine", 5.0)
    assert str(system.options["command"]).endswith("keyword_memory.py ''")
