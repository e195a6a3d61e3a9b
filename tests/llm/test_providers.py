from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import model_server
import pytest
from model_server import Answer, ModelServer, always, rate_limit
from model_server import Fault as Failing

from pytest_comem.errors import SettingsError
from pytest_comem.llm import library
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.litellm_transport import LiteLLMTransport
from pytest_comem.llm.prices import check_prices, prices_of
from pytest_comem.llm.providers import (
    check_model,
    known_price,
    unsupported_parameters,
)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
installed = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed")
KEY = "sk-marked-key-of-a-test"
CUSTOM = {"input_cost_per_token": 0.5, "output_cost_per_token": 2.0}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI's key and Anthropic's, and no others."""
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def chat(
    server: ModelServer,
    name: str = "openai/gpt-4o",
    parameters: dict[str, Any] | None = None,
    timeout: float = 10.0,
    **more: Any,
) -> Completion:
    """Make one attempt at *server*, through LiteLLM."""
    spec = ModelSpec(name, server.url, parameters or {}, timeout)
    return LiteLLMTransport().chat(ChatCall(spec, [{"role": "user", "content": "a b c"}], more))


@installed
def test_a_call_and_its_reply() -> None:
    """What is asked arrives, and what is answered comes back in OpenAI's shape."""
    tool = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    reply = Answer(None, finish_reason="tool_calls", message={"tool_calls": [tool]})
    with ModelServer(lambda body: reply) as server:
        completion = chat(server, parameters={"temperature": 0, "seed": 1}, seed=2, stop=["."])
    assert server.calls == [
        {
            "model": "gpt-4o",
            "messages": [{"role": "user", "content": "a b c"}],
            "temperature": 0,
            "seed": 2,
            "stop": ["."],
        }
    ]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert completion.message == {"role": "assistant", "content": None, "tool_calls": [tool]}
    assert (completion.finish_reason, completion.input_tokens) == ("tool_calls", 3)


@installed
def test_costs() -> None:
    """They come from the user's prices or LiteLLM's table; an unknown price is not 0."""
    with ModelServer(lambda body: "one two") as server:
        listed = chat(server).cost
        assert listed == pytest.approx(3 * 2.5e-06 + 2 * 1e-05)
        assert chat(server, "openai/unheard-of").cost is None
        assert chat(server, parameters=CUSTOM).cost == 5.5
        assert "input_cost_per_token" not in server.calls[-1]
        assert chat(server).cost == listed
    with ModelServer(lambda body: Answer("x", with_usage=False)) as server:
        assert chat(server).cost is None


@installed
def test_a_call_of_code_under_test_stays_where_it_is() -> None:
    """Members of a body that LiteLLM would take for an address, a key or a stub are not passed."""
    with ModelServer() as server, ModelServer() as elsewhere:
        more: dict[str, Any] = {
            "api_base": elsewhere.url,
            "base_url": elsewhere.url,
            "api_key": "other",
            "mock_response": "stub",
            "model": "openai/other",
            "num_retries": 3,
            "stream": True,
            "extra_headers": {"X-Other": "1"},
        }
        assert chat(server, **more).text == "ok"
    assert (len(server.calls), elsewhere.calls) == (1, [])
    assert server.calls[0]["model"] == "gpt-4o"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert "x-other" not in server.headers[0]


@installed
def test_a_seed_is_left_out_where_there_is_none() -> None:
    """A run always has one, and not every provider takes it."""
    reply = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [{"type": "text", "text": "yes"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 1},
    }
    script = always(Failing(how="body", status=200, body=json.dumps(reply).encode()))
    with ModelServer(faults=script) as server:
        completion = chat(server, "anthropic/claude-sonnet-4-5", {"seed": 1, "max_tokens": 9})
    assert (completion.text, completion.input_tokens) == ("yes", 3)
    assert completion.cost is not None
    assert "seed" not in server.calls[0]
    assert server.calls[0]["max_tokens"] == 9


@installed
@pytest.mark.parametrize("name", ["openai/gpt-4o", "anthropic/claude-sonnet-4-5"])
@pytest.mark.parametrize(
    ("failing", "kind"),
    [
        (rate_limit("7"), Fault.RATE_LIMIT),
        (Failing(status=429, code="insufficient_quota"), Fault.AUTHENTICATION),
        (Failing(status=401, message=f"Wrong: {KEY}"), Fault.AUTHENTICATION),
        (Failing(status=403), Fault.AUTHENTICATION),
        (Failing(status=404, message="no such model"), Fault.BAD_REQUEST),
        (Failing(status=400, message="prompt is too long: 9 > 8"), Fault.CONTEXT_TOO_LONG),
        (Failing(status=400, code="content_filter"), Fault.CONTENT_FILTER),
        (Failing(status=500), Fault.SERVER_ERROR),
        (Failing(status=529), Fault.SERVER_ERROR),
        (Failing(how="close"), Fault.CONNECTION),
        (Failing(how="break"), Fault.CONNECTION),
        (Failing(how="garbage"), Fault.SERVER_ERROR),
        (Failing(how="body", status=200, body=b"[]"), Fault.SERVER_ERROR),
        (Failing(how="delay", delay=60), Fault.TIMEOUT),
    ],
    ids=lambda value: value if isinstance(value, Fault) else f"{value.how}-{value.status}",
)
def test_faults(name: str, failing: Failing, kind: Fault) -> None:
    """One attempt is one request; LiteLLM's exceptions become the fault that happened."""
    with ModelServer(faults=always(failing)) as server, pytest.raises(ProviderFault) as caught:
        chat(server, name, timeout=0.5 if failing.delay else 10.0)
    fault = caught.value
    assert fault.kind is kind
    assert fault.retry_after == (7.0 if "Retry-After" in failing.headers else None)
    assert KEY not in str(fault)
    assert "\n" not in str(fault)
    assert len(server.calls) == 1


@installed
def test_a_fault_does_not_inherit_from_the_one_before() -> None:
    """An attempt made while another's failure is handled is judged by itself."""
    with ModelServer(faults=always(Failing(status=401))) as server:
        with pytest.raises(ProviderFault) as caught:
            chat(server)
        try:
            raise caught.value
        except ProviderFault:
            with pytest.raises(ProviderFault) as second:
                chat(server, "nowhere/x")
    assert second.value.kind is Fault.BAD_REQUEST


@installed
def test_embeddings_are_one_attempt_as_well() -> None:
    """LiteLLM and OpenAI's client retry nothing."""
    with ModelServer(faults=always(Failing())) as server, pytest.raises(ProviderFault) as caught:
        LiteLLMTransport().embed(ModelSpec("openai/x", server.url), ["a"])
    assert (caught.value.kind, len(server.calls)) == (Fault.SERVER_ERROR, 1)


@installed
def test_it_is_quiet_and_ends() -> None:
    """It contacts nobody at import, prints and logs nothing, and lets the process end."""
    code = """
import socket, sys
sys.path.insert(0, sys.argv[1])
from model_server import ModelServer, first, Fault
from pytest_comem.llm.calls import ChatCall, ModelSpec
from pytest_comem.llm.litellm_transport import LiteLLMTransport
def refuse(*arguments, **more):
    raise SystemExit(f"contacted {arguments}")
connect, socket.socket.connect = socket.socket.connect, refuse
from pytest_comem.llm.library import load_litellm
assert load_litellm().telemetry is False
socket.socket.connect = connect
import logging
logging.basicConfig(level="DEBUG")
logging.getLogger().handlers[0].addFilter(lambda record: record.name.startswith("LiteLLM"))
with ModelServer(faults=first(Fault())) as server:
    call = ChatCall(ModelSpec("openai/gpt-4o", server.url), [{"role": "user", "content": "x"}])
    for _ in range(2):
        try:
            LiteLLMTransport().chat(call)
        except Exception:
            pass
"""
    place = str(Path(model_server.__file__).parent)
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, place],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


@installed
@pytest.mark.parametrize(
    "name", ["openai/gpt-4o-mini", "gpt-4o-mini", "openai/not-released-yet", "ollama/llama3"]
)
def test_models_that_can_be_called(name: str) -> None:
    """New models of a known provider are let pass; local ones need no key."""
    check_model(ModelSpec(name))


@installed
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("opnai/gpt-4o-mini", "did you mean .*openai/gpt-4o-mini"),
        ("gpt-4o-mni", "did you mean .*gpt-4o-mini"),
        ("offlne", "did you mean offline"),
        ("zzzzzz", "choose from offline, offline-verbatim.*provider/model"),
        ("deepseek/deepseek-chat", "set the environment variable DEEPSEEK_API_KEY"),
        ("gemini/gemini-2.5-pro", "GOOGLE_API_KEY or GEMINI_API_KEY"),
    ],
)
def test_models_that_cannot(name: str, message: str) -> None:
    """The message says why, and what may have been meant."""
    with pytest.raises(SettingsError, match=message):
        check_model(ModelSpec(name), also=("offline", "offline-verbatim"))


@installed
def test_an_empty_key_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """LiteLLM would send it."""
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        check_model(ModelSpec("openai/gpt-4o"))
    check_model(ModelSpec("openai/gpt-4o", "http://127.0.0.1:8000/v1"))


def test_litellm_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the command, before a run and in it; a base URL does without."""
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    spec = ModelSpec("anthropic/x")
    with pytest.raises(SettingsError, match=r"needs the package litellm; pip install"):
        check_model(spec)
    with pytest.raises(ProviderFault, match=r"needs the package litellm; pip install") as caught:
        LiteLLMTransport().chat(ChatCall(spec, []))
    assert caught.value.kind is Fault.BAD_REQUEST
    assert not known_price(spec)
    assert unsupported_parameters(spec) == []


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (ModelSpec("x", "localhost:8000"), "no base URL"),
        (ModelSpec("x", "http://localhost/v1", {"api_key": "k"}), "api_key cannot be given"),
        (ModelSpec("x", "http://localhost/v1", {"input_cost_per_token": "free"}), "no.* a price"),
    ],
)
def test_settings_that_cannot_be_used(spec: ModelSpec, message: str) -> None:
    """They are found before the first call."""
    with pytest.raises(SettingsError, match=message):
        check_model(spec)


@installed
def test_known_prices() -> None:
    """The table's, the user's, or none; LiteLLM's own look-up would say 0 or ask a server."""
    base = "http://127.0.0.1:8000/v1"
    assert known_price(ModelSpec("openai/gpt-4o"))
    assert known_price(ModelSpec("gpt-4o"))
    assert known_price(ModelSpec("anthropic/claude-sonnet-4-5"))
    assert known_price(ModelSpec("x", base, CUSTOM))
    assert not known_price(ModelSpec("openai/unheard-of"))
    assert not known_price(ModelSpec("ollama/unheard-of"))
    assert not known_price(ModelSpec("openai/gpt-4o", base))
    assert not known_price(ModelSpec("openai/gpt-4o", "", {"input_cost_per_token": 0.1}))


@installed
def test_parameters_a_model_does_not_take() -> None:
    """Values count: some models only take one temperature."""
    asked = {"temperature": 0.0, "seed": 1, "max_tokens": 9, "top_k": 3}
    assert unsupported_parameters(ModelSpec("openai/gpt-4o", "", asked)) == []
    assert unsupported_parameters(ModelSpec("openai/o3", "", asked)) == ["temperature"]
    assert unsupported_parameters(ModelSpec("anthropic/claude-sonnet-4-5", "", asked)) == ["seed"]
    assert unsupported_parameters(ModelSpec("x", "http://127.0.0.1:8000/v1", asked)) == []


@pytest.mark.parametrize("price", [-1, float("inf"), float("nan"), "1", True, [1]])
def test_prices_that_are_none(price: Any) -> None:
    """They are refused before a run, and count as not given in one."""
    with pytest.raises(SettingsError, match="output_cost_per_token"):
        check_prices({"output_cost_per_token": price})
    assert not prices_of({"output_cost_per_token": price}).given


def test_prices() -> None:
    """A price of 0 is a price; tokens without a price have no cost, nor has a price without any."""
    assert prices_of({"input_cost_per_token": 0, "output_cost_per_token": 0}).cost(5, 5) == 0.0
    assert prices_of({"input_cost_per_token": 1}).cost(5, 5) is None
    assert prices_of({"input_cost_per_token": 1}).cost(5, 0) == 5.0
    assert prices_of(CUSTOM).cost(0, 0) is None
