"""Who calls: each memory instance has an address of its own at the server.

A library calls from threads, event loops and processes of its own, so that nothing in a request
says whose it is, except the address it was sent to.
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, field
from typing import Final, final

from pytest_comem.endpoint.aliases import Aliases
from pytest_comem.llm.meter import Meter

#: What stands in front of an instance's token in a path.
PREFIX: Final = "/i/"


@final
@dataclass(frozen=True, slots=True)
class Caller:
    """One memory instance.

    :param meter: counts its calls.
    :param aliases: what stands for its random ids in requests.
    """

    meter: Meter
    aliases: Aliases = field(default_factory=Aliases)


@final
class Callers:
    """The instances that may call, by token; used from many threads.

    A token cannot be guessed: every user and every web page of this machine can reach loopback,
    and what is asked here is paid with the key of who runs the benchmark.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callers: dict[str, Caller] = {}

    def admit(self, meter: Meter) -> str:
        """Return the token under which *meter*'s instance calls from now on."""
        token = secrets.token_urlsafe()
        with self._lock:
            self._callers[token] = Caller(meter)
        return token

    def dismiss(self, token: str) -> None:
        """Forget the instance with this token."""
        with self._lock:
            self._callers.pop(token, None)

    def find(self, token: str) -> Caller | None:
        """Return the instance with this token."""
        with self._lock:
            return self._callers.get(token)


def split(path: str) -> tuple[str | None, str]:
    """Return the token in a request's path, or ``None``, and the path without it."""
    if not path.startswith(PREFIX):
        return None, path
    token, slash, rest = path.removeprefix(PREFIX).partition("/")
    return token, slash + rest
