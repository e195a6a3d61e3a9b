"""A whole trace verified again, with nothing run: integrity here, conduct in ``conduct``.

With the run's key every change shows. Without it the hash chain shows a change that was not carried
through to the end, and the events are held against each other; who wrote them stays open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_comem.workflows.checks import Check, Finding, check
from pytest_comem.workflows.conduct import conduct_checks
from pytest_comem.workflows.events import End, Event, Initialization, ReceiptIssued
from pytest_comem.workflows.receipts import flaws
from pytest_comem.workflows.signing import Signer
from pytest_comem.workflows.traces import START, Line, read_trace, seal_of

_NO_KEY = "the run's key is not here"


def replay(path: Path, signer: Signer | None) -> tuple[Check, ...]:
    """Return every check of a trace.

    :param signer: of the run; without one, what only its key can tell is left open and says so.
    :raises DataError: where the file cannot be read as lines at all.
    """
    lines = list(read_trace(path))
    count = f"{len(lines):,} lines"
    return (
        check("lines", count, _form(lines)),
        check("hash chain", count, _chain(lines)),
        check("end", count, _end(lines)),
        _seal(lines, signer),
        _signatures(lines, signer),
        *conduct_checks([(line.number, line.event) for line in lines if line.event is not None]),
    )


def passed(checks: Iterable[Check]) -> bool:
    """Whether no check failed; one that could not be made does not count."""
    return all(each.passed is not False for each in checks)


def _at(number: int) -> str:
    return f"line {number}"


def _form(lines: Sequence[Line]) -> Iterator[Finding]:
    for line in lines:
        if line.problem:
            yield Finding(_at(line.number), line.problem)


def _chain(lines: Sequence[Line]) -> Iterator[Finding]:
    last = START
    for position, line in enumerate(lines):
        event = line.event
        if event is None:
            yield Finding(_at(line.number), "no event, so the chain breaks here")
            return
        where = f"{_at(line.number)}{_node(event)}"
        if not line.sound:
            text = f"edited: the {event.payload.type} is not what its hash was made of"
            yield Finding(where, text)
        if event.seq != position or event.previous != last:
            yield Finding(where, _break(event, position))
        last = event.hash


def _break(event: Event, position: int) -> str:
    kind = event.payload.type
    if event.seq > position:
        return f"an event before this {kind} is missing or moved: it is {event.seq}, not {position}"
    if event.seq < position:
        return f"this {kind} is there twice or moved: it is {event.seq}, not {position}"
    return f"this {kind} does not follow the event before it"


def _end(lines: Sequence[Line]) -> Iterator[Finding]:
    ends = [line for line in lines if line.event and isinstance(line.event.payload, End)]
    last = lines[-1]
    if not ends:
        yield Finding(_at(last.number), "cut off, or the run was killed: there is no end event")
    for line in ends:
        if line is not last:
            yield Finding(_at(line.number), "an end event, and more comes after it")
        payload = line.event.payload if line.event else None
        if isinstance(payload, End) and payload.count != line.number - 1:
            text = f"{payload.count} events were sealed, and {line.number - 1} are here"
            yield Finding(_at(line.number), text)


def _seal(lines: Sequence[Line], signer: Signer | None) -> Check:
    name = "seal"
    if signer is None:
        return Check(name, None, _NO_KEY)
    event = lines[-1].event
    payload = event.payload if event else None
    if event is None or not isinstance(payload, End):
        return check(name, "no end event", [Finding(_at(lines[-1].number), "there is no seal")])
    right = seal_of(signer, payload.count, payload.status, event.previous)
    text = "the run's key did not seal this trace"
    wrong = [Finding(_at(lines[-1].number), text)] if right != payload.seal else []
    return check(name, "by the run's key", wrong)


def _signatures(lines: Sequence[Line], signer: Signer | None) -> Check:
    found = [
        (line.number, line.event.payload.receipt)
        for line in lines
        if line.event and isinstance(line.event.payload, ReceiptIssued)
    ]
    if signer is None:
        return Check("receipt signatures", None, _NO_KEY)
    wrong = (
        Finding(f"{_at(number)}, node {receipt.node_id}", problem)
        for number, receipt in found
        for problem in flaws(receipt, signer)
    )
    return check("receipt signatures", f"{len(found):,} receipts", wrong)


def _node(event: Event) -> str:
    payload = event.payload
    if isinstance(payload, Initialization | End):
        return ""
    node = getattr(payload, "node_id", None) or getattr(payload, "target", None)
    return f", node {node}" if node else ""
