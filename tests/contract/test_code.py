from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.contract.asking import MOMENT
from pytest_comem.contract.code import code_of
from pytest_comem.contract.journal import (
    AsBefore,
    AtMost,
    BestFirst,
    Broken,
    Call,
    Claim,
    Has,
    Lacks,
    NamesOnly,
    NothingRaised,
    Raised,
    Step,
    Times,
)
from pytest_comem.contract.opening import open_memory
from pytest_comem.memory.base import UnknownEntryError
from pytest_comem.memory.calls import PublicCalls

needs_numpy = pytest.mark.skipif(find_spec("numpy") is None, reason="numpy is not installed")
NASTY = "it's \"$m\" ${text}\n\\n {found} '''\x00\u202e"


def write(number: int, text: str) -> Step:
    """Return a step that writes."""
    values = {"id": f"e{number}", "text": text, "principal": "ann", "timestamp": MOMENT}
    return Step(Call.INGEST, "m", values)


def play(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own."""
    (folder / "script.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-X", "utf8", "script.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def rag_calls() -> PublicCalls:
    """Return a library's own calls."""
    from pytest_comem.memory.rag import CALLS

    return CALLS


@needs_numpy
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("holds", [True, False])
def test_code_fails_exactly_where_its_claim_does_not_hold(
    tmp_path: Path, own: bool, holds: bool
) -> None:
    """Whatever a text holds, it stays a text; the script ends with the claim as an assert."""
    steps = [
        Step(Call.OPEN, "m"),
        write(1, NASTY),
        write(2, "The door code is dozolo."),
        Step(Call.DELETE, "m", {"id": "e2"}),
        Step(Call.RECALL, "m", {"query": NASTY, "k": 5}),
    ]
    claim: Claim = Times(NASTY) if holds else Has("dozolo")
    broken = Broken(steps, claim, expected=NASTY, happened="")
    played = play(tmp_path, code_of(broken, rag_calls() if own else None, "'rag'"))
    assert played.returncode == (0 if holds else 1), played.stderr
    assert holds or played.stderr.strip().splitlines()[-1].startswith("AssertionError")


@needs_numpy
def test_many_writes_become_a_loop(tmp_path: Path) -> None:
    """A long sequence stays short to read; entries that are needed again have their variable."""
    steps = [Step(Call.OPEN, "m"), *(write(n, f"note {n}") for n in range(1, 31))]
    steps += [Step(Call.DELETE, "m", {"id": "e7"}), Step(Call.ENTRIES, "m")]
    code = code_of(Broken(steps, AtMost(29), expected="", happened=""), rag_calls(), "'rag'")
    assert code.count("ingest(") == 1
    assert "e7 = ids[6]" in code
    assert "e8" not in code
    assert play(tmp_path, code).returncode == 0


@needs_numpy
@pytest.mark.parametrize(("claim", "code"), [(Raised(), 0), (NothingRaised(), 1)])
def test_claims_about_errors_are_asserted(tmp_path: Path, claim: Claim, code: int) -> None:
    """A script says itself that something was raised, or was not."""
    steps = [Step(Call.OPEN, "m"), Step(Call.DELETE, "m", {"id": "no-such-id"}, may_raise=True)]
    broken = Broken(steps, claim, expected="be reported", happened="")
    played = play(tmp_path, code_of(broken, rag_calls(), "'rag'"))
    assert played.returncode == code, played.stderr
    assert not code or played.stderr.strip().splitlines()[-1].startswith("AssertionError")


def test_what_may_be_raised_is_any_exception(tmp_path: Path) -> None:
    """A library may refuse with what is no Exception; Ctrl-C ends the script all the same."""
    calls = PublicCalls(
        preamble="import os\nclass Rude(BaseException): pass\ndef refuse(e): raise e",
        open="$m = []",
        ingest="$id = refuse(KeyboardInterrupt if os.environ.get('STOP') else Rude)",
        recall="found = $m",
    )
    refused = replace(write(1, "x"), may_raise=True)
    steps = [Step(Call.OPEN, "m"), refused, Step(Call.RECALL, "m", {"query": "x", "k": 1})]
    code = code_of(Broken(steps, AtMost(0), expected="", happened=""), calls, "")
    assert play(tmp_path, code).returncode == 0
    stopped = play(tmp_path, "import os\nos.environ['STOP'] = 'yes'\n" + code)
    assert "KeyboardInterrupt" in stopped.stderr
    assert stopped.returncode != 0


@pytest.mark.parametrize(
    ("claim", "found", "holds"),
    [
        (Has("a'b"), ["xa'bx"], True),
        (Has("ab"), [], False),
        (Lacks("ab"), ["a", "b"], True),
        (Lacks("ab"), ["cab"], False),
        (Times(NASTY), [NASTY], True),
        (Times("a", 2), ["a", "aa"], False),
        (AtMost(2), ["a", "b"], True),
        (AtMost(0), ["a"], False),
        (AsBefore(), ["b", "a"], True),
        (AsBefore(), ["a"], False),
        (BestFirst("x"), [(0.9, "x"), (0.1, "y")], True),
        (BestFirst("x"), [(0.1, "x"), (0.9, "y")], False),
        (BestFirst("x"), [(0.9, "y"), (0.1, "x")], False),
        (BestFirst("x"), [], True),
        (NamesOnly("x", "e1"), [(("e1",), "x"), ((), "x"), (("e2",), "y")], True),
        (NamesOnly("x", "e1"), [(("e2",), "x")], False),
    ],
)
def test_a_claim_and_its_source_say_the_same(
    claim: Claim, found: Sequence[Any], holds: bool
) -> None:
    """What is printed is what was checked."""
    before = ["a", "b"]
    assert claim.holds(found, before) is holds
    assert eval(claim.source, {"found": list(found), "before": before}) is holds


def test_the_interface_for_scripts_works(tmp_path: Path) -> None:
    """A memory opened by name takes and gives plain texts and raises the library's errors."""
    memory = open_memory("bm25", directory=tmp_path / "state")
    entry = memory.ingest("The door code is 4711.")
    assert memory.recall("door code", k=5) == ["The door code is 4711."]
    assert memory.sources("door code", k=5) == [((entry,), "The door code is 4711.")]
    with pytest.raises(NotImplementedError):
        memory.delete(entry)
    memory.close()


@needs_numpy
def test_the_embedder_of_a_script_can_fail(tmp_path: Path) -> None:
    """A script can take the embedder away and give it back."""
    memory = open_memory("rag", directory=tmp_path / "state")
    memory.set_failing("embedder")
    with pytest.raises(ConnectionError):
        memory.ingest("lost")
    memory.set_failing("embedder", False)
    entry = memory.ingest("kept")
    assert memory.recall("kept") == ["kept"]
    memory.delete(entry)
    with pytest.raises(UnknownEntryError):
        memory.delete(entry)


@needs_numpy
@pytest.mark.parametrize(
    "script",
    [
        "m = open_memory('rag')\nm.ingest('x')\nassert count() > before\nm.close()",
        "m = open_memory('rag')\nm.ingest('x')",
        "m = open_memory('rag')\nm.ingest('x')\nassert not m.recall('x', k=1)",
        "assert not in_threads('rag', texts=[['x is bakudo.'], ['y is dozolo.']])",
    ],
    ids=["closed", "not closed", "fails", "threads"],
)
def test_a_script_leaves_no_temporary_directories(tmp_path: Path, script: str) -> None:
    """What was made for a memory without a directory of its own goes with it, or with Python."""
    (tmp_path / "temporary").mkdir()
    head = (
        "import os, tempfile\n"
        "tempfile.tempdir = os.path.abspath('temporary')\n"
        "from pytest_comem.contract.opening import in_threads, open_memory\n"
        "count = lambda: sum(len(names) for _, names, _ in os.walk('temporary'))\n"
        "before = count()\n"
    )
    played = play(tmp_path, head + script)
    assert "Traceback" not in played.stderr or "AssertionError" in played.stderr, played.stderr
    assert not list((tmp_path / "temporary").iterdir())


def test_a_directory_of_the_callers_stays(tmp_path: Path) -> None:
    """What was stored is there after close; a temporary memory's is not."""
    kept = open_memory("toy_memories:Toy", directory=tmp_path / "state")
    gone = open_memory("toy_memories:Toy")
    for memory in (kept, gone):
        memory.ingest("The door code is 4711.")
        memory.close()
    assert list((tmp_path / "state").iterdir())
    again = open_memory("toy_memories:Toy", directory=tmp_path / "state")
    assert again.recall("door code", k=5) == ["The door code is 4711."]
    again.close()
