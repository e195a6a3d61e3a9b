"""A recorded call as a line of a cassette, and back; keys never get that far."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar, final

from pytest_comem.core.printable import printable
from pytest_comem.llm.calls import ChatCall, Completion
from pytest_comem.llm.cassette_file import Line
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.secrets import without_secrets

#: Failures that are answers: the same call gets them again.
LASTING: Final = frozenset(
    {Fault.CONTENT_FILTER, Fault.CONTEXT_TOO_LONG, Fault.BAD_REQUEST, Fault.UNPARSABLE}
)
#: Members of a body that carry keys or headers for the transport; they are not written.
_CARRIERS: Final = ("api_key", "authorization", "headers", "extra_headers", "default_headers")

_PLAIN_NAME: Final = re.compile("[a-z_]+")

_Value = TypeVar("_Value")


@final
@dataclass(frozen=True, slots=True)
class Address:
    """Where a call stands in its part: what is asked, in which repeat, for which time."""

    key: str
    repeat: int
    occurrence: int


@final
@dataclass(frozen=True, slots=True)
class Recorded:
    """What a call was answered with.

    :param completion: the completion, or ``None`` where it failed.
    :param failure: the failure, or ``None``.
    :param retries: attempts beyond the first.
    """

    completion: Completion | None
    failure: ModelCallError | None
    retries: int


def scrubbed(value: _Value) -> _Value:
    """Return a JSON value with the keys of the environment blackened in every text of it.

    Plain lower-case names of members stay: they are the form of the file and of messages.
    """
    texts: list[str] = []
    _collect(value, texts)
    # One look at all texts is enough nearly always; no key holds a NUL.
    everything = "\0".join(texts)
    return value if without_secrets(everything) == everything else _blackened(value)


def shown_body(call: ChatCall) -> dict[str, Any]:
    """Return a call's body as it is written: messages first, then options by name.

    Options that carry keys are left out; keys in texts are still to be blackened.
    """
    options = {
        name: call.body[name]
        for name in sorted(call.body)
        if name != "messages" and name.lower() not in _CARRIERS
    }
    return {"messages": call.body["messages"], **options}


def call_record(
    call: ChatCall, address: Address, step: str, phase: str, recorded: Recorded
) -> dict[str, Any]:
    """Return the line of a call and its answer, before keys are blackened in it."""
    return {
        "step": step,
        "phase": phase,
        "key": address.key,
        "repeat": address.repeat,
        "occurrence": address.occurrence,
        "model": call.model.name,
        "body": shown_body(call),
        **_answer(recorded),
        "retries": recorded.retries,
    }


def scrubbed_completion(record: Mapping[str, Any], completion: Completion) -> Completion:
    """Return the completion as a replay of its scrubbed *record* will give it."""
    written = record["completion"]
    return replace(completion, message=written["message"], finish_reason=written["finish_reason"])


def timing_record(step: str, seconds: Mapping[str, float]) -> dict[str, Any]:
    """Return the line of what a step took, seconds by phase."""
    return {"timing": scrubbed(step), "seconds": dict(sorted(seconds.items()))}


def is_timing(line: Line) -> bool:
    """Whether a line says what a step took, rather than what a call was answered with."""
    return "timing" in line.record


def read_timing(line: Line) -> tuple[str, dict[str, float]]:
    """Return step and seconds by phase.

    :raises DataError: where the line has another form.
    """
    seconds = _field(line, "seconds", dict)
    for phase, value in seconds.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise line.error("is not a number", f"seconds.{phase[:40]!a}")
    return _field(line, "timing", str), seconds


def read_call(line: Line) -> tuple[Address, Recorded]:
    """Return where a call stands and what it was answered with.

    :raises DataError: where the line has another form.
    """
    for name, kind in (("step", str), ("phase", str), ("model", str), ("body", dict)):
        _field(line, name, kind)
    address = Address(
        _field(line, "key", str), _field(line, "repeat", int), _field(line, "occurrence", int)
    )
    retries = _field(line, "retries", int)
    if "failure" in line.record:
        return address, Recorded(None, _read_failure(line), retries)
    return address, Recorded(_read_completion(line), None, retries)


def place(line: Line) -> tuple[Any, ...]:
    """Return where a line stands in its file: calls by step, phase and address, then timings."""
    if is_timing(line):
        return (1, read_timing(line)[0])
    address, _ = read_call(line)
    step, phase = line.record["step"], line.record["phase"]
    return (0, step, phase, address.key, address.repeat, address.occurrence)


def _answer(recorded: Recorded) -> dict[str, Any]:
    if recorded.completion is None:
        failure = recorded.failure
        assert failure is not None
        return {"failure": {"kind": str(failure.kind), "message": str(failure)}}
    completion = recorded.completion
    return {
        "completion": {
            "message": dict(completion.message),
            "finish_reason": completion.finish_reason,
            "input_tokens": completion.input_tokens,
            "output_tokens": completion.output_tokens,
            "cost": completion.cost,
        }
    }


def _read_completion(line: Line) -> Completion:
    _field(line, "completion", dict)
    cost = _field(line, "completion.cost", int, float, type(None))
    return Completion(
        message=_field(line, "completion.message", dict),
        finish_reason=_field(line, "completion.finish_reason", str),
        input_tokens=_field(line, "completion.input_tokens", int),
        output_tokens=_field(line, "completion.output_tokens", int),
        cost=cost,
    )


def _read_failure(line: Line) -> ModelCallError:
    _field(line, "failure", dict)
    kind = _field(line, "failure.kind", str)
    if kind not in LASTING:
        raise line.error(f"is none of {', '.join(sorted(LASTING))}", "failure.kind")
    return ModelCallError(printable(_field(line, "failure.message", str)), Fault(kind))


def _field(line: Line, path: str, *kinds: type) -> Any:
    value: Any = line.record
    for name in path.split("."):
        if name not in value:
            raise line.error("is missing", path)
        value = value[name]
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise line.error(f"is {json.dumps(value)[:40]}, which is of the wrong type", path)
    return value


def _collect(value: Any, texts: list[str]) -> None:
    if isinstance(value, str):
        texts.append(value)
    elif isinstance(value, Mapping):
        for name, member in value.items():
            texts.append(str(name))
            _collect(member, texts)
    elif isinstance(value, list | tuple):
        for member in value:
            _collect(member, texts)


def _blackened(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {_blackened_name(name): _blackened(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_blackened(member) for member in value]
    return value


def _blackened_name(name: Any) -> Any:
    is_plain = not isinstance(name, str) or _PLAIN_NAME.fullmatch(name)
    return name if is_plain else without_secrets(name)
