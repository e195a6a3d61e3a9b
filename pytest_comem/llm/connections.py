"""Kept connections to one server, in time that does not grow with their number.

A pool of httpx looks at all of its connections for every request, which costs more than the request
once there are dozens. Here each client has one connection, and whoever calls takes the one given
back last.
"""

from __future__ import annotations

import ssl
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, final
from urllib.parse import urlsplit

from pytest_comem.core.addresses import is_loopback

if TYPE_CHECKING:
    import httpx


@final
class Connections:
    """Clients of one server, as many as callers at once; from any thread.

    :param base_url: of the server.
    """

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        local = is_loopback(parts.hostname or "")
        # A proxy must not see what is meant for this machine.
        self._direct = ("all://", "http://", "https://") if local else ()
        # Reading certificates takes a tenth of a second: once for all, and only if used.
        plain = local and parts.scheme == "http"
        self._verify: ssl.SSLContext | bool = not plain and ssl.create_default_context()
        self._free: deque[httpx.Client] = deque()
        self._all: list[httpx.Client] = []
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def one(self) -> Iterator[httpx.Client]:
        """Yield a client for one request."""
        try:
            client = self._free.pop()
        except IndexError:
            client = self._new()
        try:
            yield client
        finally:
            self._free.append(client)

    def close(self) -> None:
        """Close all connections, also those in use."""
        with self._lock:
            self._closed = True
            clients, self._all = self._all, []
        for client in clients:
            client.close()

    def _new(self) -> httpx.Client:
        import httpx

        client = httpx.Client(
            verify=self._verify,
            mounts=dict.fromkeys(self._direct),
            follow_redirects=False,
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
        )
        with self._lock:
            if self._closed:
                client.close()
                raise RuntimeError("the run is over")
            self._all.append(client)
        return client
