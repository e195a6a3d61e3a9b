"""What a memory system in another process and its owner say to each other.

The owner writes requests to the program's standard input and reads replies from its standard
output, one JSON object a line, ASCII only (everything else as ``\\u`` escapes, which also carry
lone surrogates). What the program writes to standard error is shown with the step at hand. Requests
come one at a time, the next one after the reply to the last::

    {"op": "open", "protocol": 1, "system": {"module": "my_pkg.adapter", "class": "Mine",
     "file": "/.../adapter.py", "path": ["/..."]}, "options": {}, "directory": "/...", "top_k": 20,
     "seed": 0, "embedding": {"url": "http://127.0.0.1:8000/v1", "model": "hash-1",
     "dimensions": 384, "api_key": "..."}, "chat": {"url": "...", "model": "...", "api_key": "..."}}
    {"op": "ingest", "entry": ENTRY}
    {"op": "recall", "query": QUERY}
    {"op": "recall_of", "principal_id": "alice", "query": QUERY}
    {"op": "entries"}
    {"op": "delete", "entry_id": "t1"}
    {"op": "update", "entry_id": "t1", "text": "..."}
    {"op": "delete_principal", "principal_id": "alice"}
    {"op": "probe_unknown_argument"}
    {"op": "close"}

with ``ENTRY`` as ``{"id", "text", "speaker": {"id", "role"}, "timestamp", "kind"}`` and ``QUERY``
as ``{"text", "requester": {"id", "role"}, "relationships": [{"type", "fields": [[name, value]]}],
"policy", "top_k"}``. Each gets one reply::

    {"ok": RECALL}
    {"error": {"type": "UnknownEntryError", "message": "t1", "part": null}}

``RECALL`` is ``{"items": [ITEM], "withheld": [{"reason", "score", "source_ids"}],
"enforced_access", "enforced_deletion"}`` with ``ITEM`` as ``{"text", "score", "source_ids",
"speaker"}``, where all but the text may be missing or null; ``entries`` gets a list of ``ITEM``,
every other operation ``null``. Three types of error mean something: ``UnknownEntryError``,
``NotImplementedError`` for an operation the system does not have, and ``InfrastructureError``,
whose ``part`` says what broke. The program ends after its reply to ``close``, and when its standard
input ends. Whatever it started is killed then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_comem.core.entries import Entry, Principal, Query, Relationship
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import UnknownEntryError

PROTOCOL: Final = 1
#: Errors that stay what they are.
MEANINGFUL: Final = (UnknownEntryError, NotImplementedError, InfrastructureError)


def to_line(value: Mapping[str, Any]) -> bytes:
    """Return one line of the protocol; numbers of other libraries become Python's."""
    return json.dumps(value, default=float).encode("ascii") + b"\n"


def from_entry(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON."""
    return {
        "id": entry.id,
        "text": entry.text,
        "speaker": _from_principal(entry.speaker),
        "timestamp": entry.timestamp,
        "kind": entry.kind,
    }


def to_entry(value: Mapping[str, Any]) -> Entry:
    """Return the entry that a JSON value says."""
    speaker = Principal(**value["speaker"])
    return Entry(value["id"], value["text"], speaker, value["timestamp"], value["kind"])


def from_query(query: Query) -> dict[str, Any]:
    """Return a query as JSON."""
    return {
        "text": query.text,
        "requester": _from_principal(query.requester),
        "relationships": [
            {"type": fact.type, "fields": [list(field) for field in fact.fields]}
            for fact in query.relationships
        ],
        "policy": query.policy,
        "top_k": query.top_k,
    }


def to_query(value: Mapping[str, Any]) -> Query:
    """Return the query that a JSON value says."""
    facts = tuple(
        Relationship(fact["type"], tuple((name, text) for name, text in fact["fields"]))
        for fact in value["relationships"]
    )
    requester = Principal(**value["requester"])
    return Query(value["text"], requester, facts, value["policy"], value["top_k"])


def from_item(item: RecallItem) -> dict[str, Any]:
    """Return a passage as JSON; its position is the engine's matter."""
    return {
        "text": item.text,
        "score": item.score,
        "source_ids": list(item.source_ids),
        "speaker": None if item.speaker is None else _from_principal(item.speaker),
    }


def to_item(value: Mapping[str, Any]) -> RecallItem:
    """Return the passage that a JSON value says."""
    speaker = value.get("speaker")
    return RecallItem(
        value["text"],
        value.get("score"),
        tuple(value.get("source_ids") or ()),
        None if speaker is None else Principal(**speaker),
    )


def from_recall(recall: Recall) -> dict[str, Any]:
    """Return a recall as JSON."""
    return {
        "items": [from_item(item) for item in recall.items],
        "withheld": [
            {"reason": kept.reason, "score": kept.score, "source_ids": list(kept.source_ids)}
            for kept in recall.withheld
        ],
        "enforced_access": recall.enforced_access,
        "enforced_deletion": recall.enforced_deletion,
    }


def to_recall(value: Mapping[str, Any]) -> Recall:
    """Return the recall that a JSON value says."""
    return Recall(
        items=tuple(to_item(item) for item in value.get("items") or ()),
        withheld=tuple(
            Withheld(
                WithheldReason(kept["reason"]),
                kept.get("score"),
                tuple(kept.get("source_ids") or ()),
            )
            for kept in value.get("withheld") or ()
        ),
        enforced_access=bool(value.get("enforced_access")),
        enforced_deletion=bool(value.get("enforced_deletion")),
    )


def from_error(error: BaseException) -> dict[str, Any]:
    """Return an error as JSON; a subclass of one that means something is sent as that."""
    kinds = [kind.__name__ for kind in MEANINGFUL if isinstance(error, kind)]
    part = error.type if isinstance(error, InfrastructureError) else None
    return {"type": (kinds or [type(error).__name__])[0], "message": str(error), "part": part}


def to_error(value: Mapping[str, Any], what: str) -> Exception:
    """Return the error that a JSON value says.

    :param what: says where it was raised, for errors of types that mean nothing here.
    """
    name, message = str(value.get("type")), str(value.get("message") or "")
    if name == "UnknownEntryError":
        return UnknownEntryError(message)
    if name == "NotImplementedError":
        return NotImplementedError(message)
    if name == "InfrastructureError":
        return InfrastructureError(message, type=str(value.get("part") or "adapter"))
    detail = f"{name}: {message}" if message else name
    return InfrastructureError(f"{what} raised {detail}", type="adapter")


def _from_principal(principal: Principal) -> dict[str, str]:
    return {"id": principal.id, "role": principal.role}
