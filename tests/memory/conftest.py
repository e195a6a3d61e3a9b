"""Guards for tests that run real memory libraries."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.core.addresses import is_loopback


@pytest.fixture
def contacted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Refuse and collect every connection or name look-up that leaves this machine."""
    attempts: list[str] = []
    connect, connect_ex, look_up = (
        socket.socket.connect,
        socket.socket.connect_ex,
        socket.getaddrinfo,
    )

    def refuse(address: Any) -> None:
        if isinstance(address, tuple) and not is_loopback(str(address[0])):
            attempts.append(str(address))
            raise OSError(f"this test allows no connection to {address}")

    def guarded_connect(self: socket.socket, address: Any) -> None:
        refuse(address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        refuse(address)
        return connect_ex(self, address)

    def guarded_look_up(host: Any, *arguments: Any, **more: Any) -> Any:
        if host is not None:
            refuse((host.decode() if isinstance(host, bytes) else host, 0))
        return look_up(host, *arguments, **more)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    yield attempts
    assert attempts == []


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, to see who writes there."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(folder))
    return folder
