"""ContextWeave with a program as its agent: whole runs, and Codex where it is installed."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from made_agents import CHATTING, make_agent
from made_streams import make_stream
from model_server import Answer, ModelServer
from office_play import made_data, office_suite, play
from systems import system_called
from tiny_project import records

from pytest_comem.core.outcomes import Outcome, Usage
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.sockets import forwarded_model
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.door import Door
from pytest_comem.office.command_agent import CommandAgent
from pytest_comem.office.command_agent_program import MOUNTS, read_program
from pytest_comem.office.workbench import BenchSettings
from pytest_comem.sandbox.registry import choose

KIND = choose("auto").name
#: Path of Codex' program, where it is not in ``PATH`` under its name.
CODEX = os.environ.get("COMEM_CODEX") or shutil.which("codex") or ""
pytestmark = [
    pytest.mark.skipif(find_spec("httpx") is None, reason="httpx is not installed"),
    pytest.mark.skipif(KIND == "docker", reason="programs are run in bubblewrap alone"),
]
#: How Codex is called: in our sandbox instead of its own, with the model that is shown inside.
CODEX_CALL = (
    "exec --json --ephemeral --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "
    "-m {model} -c model_provider=comem -c model_providers.comem="
    '\'{name="comem",base_url="{base_url}",env_key="OPENAI_API_KEY",wire_api="responses"}\' -'
)
_TASK = re.compile(r"Write the status of \w+ of today to (\S+)\. The figures are in (\S+)\.")


def asked_for(body: Mapping[str, Any]) -> str:
    """Return all that a model is told by others than itself."""
    texts = [str(message["content"]) for message in body["messages"]]
    return "\n".join(texts)


def status(told: str) -> str:
    """Return the status report of a made task, signed as remembered reports are."""
    title, today = re.search(r"# Task: (.+)", told), re.search(r"Today: (\d{4}-\d\d-\d\d)", told)
    assert title
    assert today
    signed = re.findall(r"Prepared by: (.+)", told)
    points = re.findall(r"Open points: (\d+)", told)
    return (
        f"# {title[1]}\n\nDate: {today[1]}\n\nOpen points: {(points or ['0'])[-1]}\n\n"
        f"Prepared by: {(signed or ['the team'])[-1]}\n"
    )


def written(body: Mapping[str, Any]) -> Answer:
    """Say what is to be written."""
    return Answer(status(asked_for(body)), input_tokens=100, output_tokens=10)


def by_shell(body: Mapping[str, Any]) -> Answer:
    """Do a task as Codex' model: read the notes, write the report, end."""
    told = asked_for(body)
    task = _TASK.search(told)
    assert task
    steps = sum(message["role"] == "tool" for message in body["messages"])
    if steps == 0:
        command = f"cat {task[2]}"
    elif steps == 1:
        command = f"mkdir -p reports; cat > {task[1]} <<'END'\n{status(told)}END"
    else:
        return Answer("The report is written.", input_tokens=100, output_tokens=10)
    offered = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
    name = next(name for name in ("exec_command", "shell_command", "shell") if name in offered)
    (argument,) = {"cmd", "command"} & set(offered[name]["parameters"]["properties"])
    arguments = {argument: ["bash", "-lc", command] if name == "shell" else command}
    call = {
        "id": f"call_{steps}",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }
    return Answer(None, "tool_calls", {"tool_calls": [call]}, 100, 10)


def played(folder: Path, command: str, mounts: str, answer: Any, tasks: int) -> list[Outcome]:
    """Play a made stream by a program, with the whole history recalled."""
    door = Door()
    try:
        with ModelServer(answer) as models:
            model = forwarded_model(ModelSpec("openai/m", models.url), door, HashEmbedder())
            agent = CommandAgent(read_program(command, mounts), KIND, model)
            data = made_data(folder, tasks)
            suite = office_suite(folder, data, agent, bench=BenchSettings(KIND))
            return play(suite, system_called("full-context"), concurrency=2)
    finally:
        door.close()


def test_a_program_is_played_like_every_agent(tmp_path: Path) -> None:
    """Its work is graded, with recall and without, and its model's tokens are each outcome's."""
    script = make_agent(tmp_path / "agents", CHATTING)
    outcomes = played(tmp_path, f"cmd:python3 {script}", str(script), written, 3)
    assert [outcome.failure for outcome in outcomes] == [None] * 3
    for number, outcome in enumerate(outcomes):
        assert outcome.verdict is not None
        # The first task has nothing to recall, and so no run of its own.
        usage = outcome.usage.get("answer", Usage())
        assert (usage.calls, usage.tokens) == ((1, 110) if number else (0, 0))
        calls = [call["class"] for call in outcome.verdict.evidence["calls"]]
        assert calls == ["other"]
        assert outcome.verdict.measures["other"] == 1


@pytest.fixture
def codex() -> str:
    """The command that runs Codex."""
    if not CODEX:
        pytest.skip("there is no codex; install @openai/codex or set COMEM_CODEX to its program")
    if KIND != "bubblewrap":
        pytest.skip("Codex is let loose in bubblewrap alone")
    return f"cmd:{shlex.quote(CODEX)} {CODEX_CALL}"


def test_codex_does_the_tasks(tmp_path: Path, codex: str) -> None:
    """The real Codex, in the sandbox, by its Responses API: it reads, writes, and is counted."""
    outcomes = played(tmp_path, codex, "", by_shell, 2)
    assert [outcome.failure for outcome in outcomes] == [None] * 2
    last = outcomes[-1]
    assert last.verdict is not None
    assert last.reply is not None
    assert last.reply.text == "The report is written."
    assert (last.usage["answer"].calls, last.usage["answer"].tokens) == (3, 330)
    measures = last.verdict.measures
    assert (measures["exploration"], measures["execution"], measures["other"]) == (1, 1, 0)
    # The figure stands in the notes alone, so that it was read, kept and written inside.
    checks = last.verdict.evidence["checks"]
    assert checks["figure"]["passed"]
    # It signs as what was recalled, of another project, does.
    assert "ben field" in checks["signature"]["reason"]
    alone = last.verdict.evidence["without_recall"]["checks"]
    assert "the team" in alone["signature"]["reason"]


def test_a_run_is_asked_for_on_the_command_line(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``--comem-agent cmd:...`` with ``--comem-model``; what it needs is named in a variable."""
    make_stream(project.path / "streams", "ada", 2)
    script = make_agent(project.path / "agents", CHATTING)
    monkeypatch.setenv(MOUNTS, str(script))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-nobody")
    with ModelServer(written) as models:
        result = project.runpytest_subprocess(
            *("-p", "no:cacheprovider", "--tb=short", "--memory-system=full-context"),
            *("--comem-streams=streams", "--comem-run-dir=run", "--comem-seed=0"),
            *("--comem-model=openai/m", f"--comem-api-base={models.url}"),
            *(f"--comem-agent=cmd:python3 {script}", "contextweave"),
        )
        assert result.parseoutcomes()
        assert {body["model"] for body in models.chats} == {"m"}
    rows = records(project.path / "run")
    assert [row["failure"] for row in rows] == [None, None]
    assert rows[1]["usage"]["answer"]["tokens"] == 110
    refused = project.runpytest_subprocess(
        *("-p", "no:cacheprovider", "--memory-system=none", "--comem-streams=streams"),
        *("--comem-agent=cmd:no-such-agent", "contextweave"),
    )
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*there is no program 'no-such-agent'*"])


def test_a_recorded_run_of_codex_is_replayed(
    project: pytest.Pytester, codex: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a call: what it adds to its requests by chance tells no two of them apart."""
    make_stream(project.path / "streams", "ada", 2)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-nobody")
    for mode, calls in (("record", 9), ("replay", 0)):
        with ModelServer(by_shell) as models:
            project.runpytest_subprocess(
                *("-p", "no:cacheprovider", "--tb=short", "--memory-system=full-context"),
                *("--comem-streams=streams", f"--comem-run-dir={mode}", "--comem-model=openai/m"),
                *(f"--comem-api-base={models.url}", "--comem-cassette", mode, "tape"),
                *(f"--comem-agent={codex}", "contextweave"),
            )
            assert len(models.chats) == calls
    recorded, replayed = (records(project.path / mode) for mode in ("record", "replay"))
    assert [row["failure"] for row in recorded] == [None, None]
    for before, after in zip(recorded, replayed, strict=True):
        assert after["verdict"] == before["verdict"]
    # The first task has nothing to recall, and so no run of its own.
    assert [rows[1]["usage"]["answer"]["tokens"] for rows in (recorded, replayed)] == [330, 330]
