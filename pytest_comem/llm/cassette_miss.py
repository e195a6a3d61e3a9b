"""Why a replay cannot answer a call: what differs from the nearest one that was recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_comem.llm.calls import ChatCall
from pytest_comem.llm.cassette_entry import Address, is_timing, read_call, scrubbed, shown_body
from pytest_comem.llm.cassette_file import CassetteFile

#: Characters of a text that are shown, at most.
EXCERPT: Final = 60
#: Characters shown before the first one that differs.
_LEAD: Final = 12
#: Parameters whose values are shown, at most.
_MOST_PARAMETERS: Final = 3
_WAY_OUT: Final = (
    "Record again with --comem-cassette record, or let --comem-cassette auto add what is missing."
)

_Record = Mapping[str, Any]


def explain_miss(
    call: ChatCall, address: Address, *, step: str, phase: str, file: CassetteFile
) -> str:
    """Return one paragraph: where the call was made, what differs, and the way out.

    :raises DataError: where the file is damaged.
    """
    asked = scrubbed(
        {"step": step, "phase": phase, "model": call.model.name, "body": shown_body(call)}
    )
    same: list[Address] = []
    best: _Record | None = None
    best_nearness: tuple[int, ...] = ()
    for line in file.read():
        if is_timing(line):
            continue
        other, _ = read_call(line)
        if other.key == address.key:
            same.append(other)
        nearness = _nearness(line.record, asked, best_nearness)
        if nearness > best_nearness:
            best, best_nearness = line.record, nearness
    step = _excerpt(asked["step"]) or "(none)"
    place = f"step {step}, phase {phase}: not in the cassette {file.shown}"
    return f"{place}: {_reason(address, same, scrubbed(best), asked, file)}. {_WAY_OUT}"


def _reason(
    address: Address,
    same: Sequence[Address],
    best: _Record | None,
    asked: _Record,
    file: CassetteFile,
) -> str:
    times = [other.occurrence for other in same if other.repeat == address.repeat]
    if times and max(times) > address.occurrence:
        return (
            f"the call is recorded {_times(len(times))}, but not for time "
            f"{address.occurrence + 1}, which failed when it was recorded"
        )
    if times:
        return f"the call is recorded {_times(len(times))} and asked for once more"
    if same:
        repeats = ", ".join(str(repeat) for repeat in sorted({other.repeat for other in same}))
        return f"the call is recorded for repeat {repeats}, and asked for in {address.repeat}"
    if best is None:
        left = " but the rest of a recording that broke off" if file.unfinished.exists() else ""
        return f"nothing is recorded for this part{left}"
    is_of_step = best["step"] == asked["step"]
    whose = "of this step" if is_of_step else f"of this part (step {_excerpt(best['step'])})"
    what = "; ".join(_differences(best, asked))
    return f"the nearest recorded call {whose}, phase {_excerpt(best['phase'])}, differs in {what}"


def _nearness(recorded: _Record, asked: _Record, least: tuple[int, ...]) -> tuple[int, ...]:
    """Return how near two calls are; not to the end where *least* cannot be reached."""
    context = (
        int(recorded["step"] == asked["step"]),
        int(recorded["phase"] == asked["phase"]),
    )
    if context < least[:2]:
        return context
    shared = 0
    for one, other in zip(_messages(recorded), _messages(asked), strict=False):
        one, other = _text(one), _text(other)
        start = _shared_start(one, other)
        rest = min(len(one), len(other)) - start
        shared += start + _shared_start(one[::-1][:rest], other[::-1][:rest])
    parameters = _parameters(recorded), _parameters(asked)
    equal = sum(parameters[0].get(name) == value for name, value in parameters[1].items())
    return (*context, shared, int(recorded["model"] == asked["model"]), equal)


def _differences(recorded: _Record, asked: _Record) -> list[str]:
    found = []
    if recorded["model"] != asked["model"]:
        found.append(f"the model: {_both(recorded['model'], asked['model'])}")
    found += _parameter_differences(_parameters(recorded), _parameters(asked))
    ours, theirs = _messages(recorded), _messages(asked)
    if len(ours) != len(theirs):
        found.append(f"the number of messages: recorded {len(ours)}, asked for {len(theirs)}")
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), start=1):
        if _dumped(one) != _dumped(other):
            found.append(_message_difference(number, one, other))
            break
    return found or ["nothing that is written to the file (keys and headers are not)"]


def _parameter_differences(recorded: _Record, asked: _Record) -> list[str]:
    names = sorted(recorded.keys() | asked.keys())
    pairs = {
        name: [_dumped(side[name]) if name in side else "nothing" for side in (recorded, asked)]
        for name in names
    }
    differing = [name for name in names if pairs[name][0] != pairs[name][1]]
    found = [
        f"parameter {_excerpt(name)}: {_both(*pairs[name])}"
        for name in differing[:_MOST_PARAMETERS]
    ]
    if len(differing) > _MOST_PARAMETERS:
        found.append(f"{len(differing) - _MOST_PARAMETERS} more parameters")
    return found


def _message_difference(number: int, recorded: Any, asked: Any) -> str:
    label, one, other = f"message {number}", _text(recorded), _text(asked)
    if isinstance(recorded, dict) and isinstance(asked, dict):
        members = sorted(recorded.keys() | asked.keys(), key=lambda name: (name != "role", name))
        for name in members:
            sides = [side.get(name) for side in (recorded, asked)]
            if _dumped(sides[0]) != _dumped(sides[1]):
                one, other = (side if isinstance(side, str) else _dumped(side) for side in sides)
                label += f" ({_excerpt(asked.get('role'))})"
                label += "" if name == "content" else f", {_excerpt(name)},"
                break
    start = _shared_start(one, other)
    return f"{label} from character {start + 1}: {_both(one, other)}"


def _both(recorded: str, asked: str) -> str:
    start = max(0, _shared_start(recorded, asked) - _LEAD)
    return f"recorded {_quoted(recorded, start)}, asked for {_quoted(asked, start)}"


def _quoted(text: str, start: int) -> str:
    """Return a piece of a text that may hold anything, safe to print, in quotes."""
    # What repr escapes is what moves a cursor or turns the direction of text around.
    piece = repr(text[start : start + EXCERPT])[1:-1]
    before, after = "…" if start else "", "…" if len(text) > start + EXCERPT else ""
    room = EXCERPT - len(before) - len(after)
    if len(piece) > room:
        piece, after = piece[: EXCERPT - len(before) - 1], "…"
    return f'"{before}{piece}{after}"'


def _excerpt(value: Any) -> str:
    return repr(str(value))[1:-1][:EXCERPT]


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _messages(record: _Record) -> Sequence[Any]:
    messages = record["body"].get("messages")
    return messages if isinstance(messages, list | tuple) else ()


def _parameters(record: _Record) -> _Record:
    return {name: value for name, value in record["body"].items() if name != "messages"}


def _text(message: Any) -> str:
    content = message.get("content") if isinstance(message, Mapping) else None
    return content if isinstance(content, str) else _dumped(message)


def _dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _shared_start(one: str, other: str) -> int:
    """Return how many characters two texts share at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
