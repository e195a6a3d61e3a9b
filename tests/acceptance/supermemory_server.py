"""A stand-in for the hosted service supermemory: its HTTP routes over a real loopback socket.

It speaks what the client of version 5 speaks, as far as the adapter needs it. As with the service,
texts are queued: a document is listed at once and searchable after a moment, an update leaves the
old text searchable until the new one is processed, and a document and what was learned from it have
different ids.
"""

from __future__ import annotations

import itertools
import json
import math
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any, Final, final
from urllib.parse import parse_qs, unquote, urlsplit

from pytest_comem.embedders.hash import HashEmbedder

#: The only key it accepts.
KEY: Final = "sm-stand-in-key"
_TIME: Final = "2026-01-01T00:00:00.000Z"
_Reply = tuple[int, Any]


@final
@dataclass
class Document:
    """One document of a namespace; *published* is what searches see."""

    id: str
    content: str
    metadata: Mapping[str, Any]
    ready_at: float
    learns: bool
    published: str | None = None


@final
@dataclass
class Service:
    """What the server holds, and how it behaves.

    :param delay: seconds until a text is processed.
    :param unreadable: texts that cannot be processed.
    """

    delay: float = 0.03
    unreadable: frozenset[str] = frozenset()
    namespaces: dict[str, dict[str, Document]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, target: str, body: Mapping[str, Any]) -> _Reply:
        """Return status and reply of one request."""
        url = urlsplit(target)
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        asked = {name: values[-1] for name, values in parse_qs(url.query).items()}
        with self._lock:
            self.requests.append(f"{method} {url.path}")
            match [method, *parts]:
                case ["POST", "ns", name, "document"]:
                    return self._add(name, body)
                case ["DELETE", "ns", name, "document"]:
                    return self._delete(name, body)
                case ["GET", "ns", name, "document", id]:
                    return self._get(name, id)
                case ["PATCH", "ns", name, "document", id]:
                    return self._update(name, id, body)
                case ["POST", "ns", name, "search"]:
                    return self._search(name, body)
                case ["POST", "ns", name, "list", "documents"]:
                    return self._list(name, body, asked)
                case ["DELETE", "ns", name, "memories"]:
                    return self._forget(name, body)
                case ["DELETE", "ns", name]:
                    return self._drop(name)
            return 404, {"error": "Route not found"}

    def _add(self, name: str, body: Mapping[str, Any]) -> _Reply:
        number = next(self._numbers)
        document = Document(
            f"doc_{number}",
            body["content"],
            body.get("metadata", {}),
            monotonic() + self.delay,
            body.get("taskType", "memory") == "memory",
        )
        self.namespaces.setdefault(name, {})[document.id] = document
        return 200, {"id": document.id, "status": "queued"}

    def _delete(self, name: str, body: Mapping[str, Any]) -> _Reply:
        documents = self.namespaces.get(name, {})
        known = [key for key in body["ids"] if documents.pop(key, None) is not None]
        missing = [key for key in body["ids"] if key not in known]
        errors = [{"id": key, "error": "Document not found"} for key in missing]
        return 200, {"count": len(known), "errors": errors}

    def _get(self, name: str, id: str) -> _Reply:
        document = self.namespaces.get(name, {}).get(id)
        return (200, self._row(document)) if document else (404, {"error": "Document not found"})

    def _update(self, name: str, id: str, body: Mapping[str, Any]) -> _Reply:
        document = self.namespaces.get(name, {}).get(id)
        if document is None:
            return 404, {"error": "Document not found"}
        self._status(document)
        document.content = body["content"]
        document.ready_at = monotonic() + self.delay
        return 200, {"id": id, "status": "queued"}

    def _search(self, name: str, body: Mapping[str, Any]) -> _Reply:
        found = []
        for document in self.namespaces.get(name, {}).values():
            self._status(document)
            if document.published is None or not _passes(document, body.get("filter")):
                continue
            similarity = _similarity(body["query"], document.published)
            if similarity >= body.get("threshold", 0.5):
                found.append(_result(document, similarity))
        found.sort(key=lambda result: -result["similarity"])
        return 200, {"results": found[: body.get("limit", 10)], "searchTime": 1}

    def _list(self, name: str, body: Mapping[str, Any], asked: Mapping[str, str]) -> _Reply:
        page, limit = int(asked.get("page", 1)), int(asked.get("limit", 10))
        rows = [
            self._row(document)
            for document in self.namespaces.get(name, {}).values()
            if _passes(document, body.get("filter"))
        ]
        pagination = {
            "currentPage": page,
            "limit": limit,
            "totalItems": len(rows),
            "totalPages": math.ceil(len(rows) / limit),
        }
        shown = rows[(page - 1) * limit : page * limit]
        return 200, {"documents": shown, "chunks": [], "memories": [], "pagination": pagination}

    def _forget(self, name: str, body: Mapping[str, Any]) -> _Reply:
        known = {f"mem_{key}": key for key in self.namespaces.get(name, {})}
        if not all(key in known for key in body["ids"]):
            return 404, {"error": "Memory not found"}
        for key in body["ids"]:
            self.namespaces[name].pop(known[key], None)
        return 200, {"count": len(body["ids"]), "errors": [], "matches": []}

    def _drop(self, name: str) -> _Reply:
        documents = self.namespaces.pop(name, None)
        if documents is None:
            return 404, {"error": "Namespace not found"}
        return 200, {
            "status": "deleted",
            "namespace": name,
            "deletedDocumentsCount": len(documents),
            "deletedMemoriesCount": 0,
        }

    def _status(self, document: Document) -> str:
        """Return how far a document is, publishing it when it is due."""
        if monotonic() < document.ready_at:
            return "queued"
        if document.content in self.unreadable:
            return "failed"
        document.published = document.content
        return "done"

    def _row(self, document: Document) -> dict[str, Any]:
        status = self._status(document)
        learning = "dreaming" if document.learns and status != "done" else "done"
        system = {"status": status, "dreamingStatus": learning}
        return {
            "id": document.id,
            "type": "text",
            "content": document.content,
            "metadata": document.metadata,
            "system": {**system, "createdAt": _TIME, "updatedAt": _TIME},
        }


@contextmanager
def serving(service: Service) -> Iterator[str]:
    """Serve *service* at 127.0.0.1 and yield its base URL."""

    class Handler(_Handler):
        behind = service

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    #: A pause between the two writes of a reply would cost 40 ms each.
    wbufsize = -1
    behind: Service

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or "{}")
        if self.headers.get("Authorization") == f"Bearer {KEY}":
            status, reply = self.behind.answer(self.command, self.path, body)
        else:
            status, reply = 401, {"error": "Unauthorized"}
        content = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()


def _passes(document: Document, condition: Mapping[str, Any] | None) -> bool:
    if condition is None:
        return True
    return bool(document.metadata.get(condition["field"]) == condition["value"])


def _result(document: Document, similarity: float) -> dict[str, Any]:
    learned = {"id": f"mem_{document.id}", "memory": document.published, "isLatest": True}
    passage = {"id": f"chunk_{document.id}", "chunk": document.published}
    return {
        **(learned if document.learns else passage),
        "metadata": document.metadata,
        "similarity": similarity,
        "system": {"createdAt": _TIME, "updatedAt": _TIME},
    }


def _similarity(one: str, other: str) -> float:
    left, right = HashEmbedder().embed([one, other])
    product = math.fsum(a * b for a, b in zip(left, right, strict=True))
    return min(1.0, max(0.0, product))
