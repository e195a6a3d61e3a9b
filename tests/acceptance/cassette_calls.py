"""Calls for tests of cassettes: made, recorded and looked for in one line each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec
from pytest_comem.llm.cassette import Cassette, CassetteMode, Part, Recorded
from pytest_comem.llm.faults import Fault, ModelCallError

NAME = "gatemem/rag-medical-ep1"


def chat(*texts: str, model: str = "openai/gpt", **more: Any) -> ChatCall:
    """Return a call with one user message a text."""
    messages = [{"role": "user", "content": text} for text in texts]
    return ChatCall(ModelSpec(model, parameters={"temperature": 0}), messages, more)


def answer(text: str = "yes", cost: float | None = 0.25) -> Completion:
    """Return a completion that says *text*."""
    return Completion({"role": "assistant", "content": text}, "stop", 7, 3, cost)


def keep(
    part: Part,
    call: ChatCall,
    completion: Completion | None = None,
    *,
    failure: ModelCallError | None = None,
    step: str = "s1",
    phase: str = "answer",
    occurrence: int = 0,
    repeat: int = 0,
    retries: int = 0,
) -> Completion | None:
    """Look for a call and record it, as the door does."""
    assert look(part, call, step=step, phase=phase, occurrence=occurrence, repeat=repeat) is None
    return part.record(
        call,
        occurrence=occurrence,
        repeat=repeat,
        step=step,
        phase=phase,
        completion=completion or (None if failure else answer()),
        failure=failure,
        retries=retries,
    )


def look(
    part: Part,
    call: ChatCall,
    *,
    step: str = "s1",
    phase: str = "answer",
    occurrence: int = 0,
    repeat: int = 0,
) -> Recorded | None:
    """Look for a call."""
    return part.find(call, occurrence=occurrence, repeat=repeat, step=step, phase=phase)


def record(directory: Path, *calls: ChatCall, step: str = "s1") -> Path:
    """Record calls of the part ``NAME`` and return its file."""
    cassette = Cassette(CassetteMode.RECORD, directory)
    part = cassette.part(NAME)
    for call in calls:
        keep(part, call, step=step)
    part.close()
    cassette.close()
    (path,) = directory.glob("gatemem*")
    return path


def replayed(directory: Path, name: str = NAME) -> Part:
    """Return a part to be replayed."""
    return Cassette(CassetteMode.REPLAY, directory).part(name)


def missed(part: Part, call: ChatCall, **where: Any) -> str:
    """Return what is said of a call that is not recorded."""
    with pytest.raises(ModelCallError) as caught:
        look(part, call, **where)
    assert caught.value.kind is Fault.CASSETTE
    return str(caught.value)


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the parsed lines of a plain file."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
