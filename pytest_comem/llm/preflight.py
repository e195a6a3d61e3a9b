"""What can be known to be wrong with a model before anything is played."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from pytest_comem.core.addresses import is_loopback
from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import ModelSpec

#: Seconds a server may take to accept a connection.
_PATIENCE: Final = 3.0
_PORTS: Final = {"http": 80, "https": 443}


def require_reachable(models: Mapping[str, ModelSpec]) -> None:
    """Connect once to every base URL that the user gave.

    Through a proxy only the proxy could be seen, so nothing is tried then.

    :param models: by the option that names them.
    :raises SettingsError: naming the option, the address and the trouble.
    """
    for option, model in models.items():
        parts = urlsplit(model.api_base)
        host = parts.hostname or ""
        if not host or (_has_proxy(parts.scheme) and not is_loopback(host)):
            continue
        try:
            place = (host, parts.port or _PORTS.get(parts.scheme, 443))
        except ValueError as error:
            raise SettingsError(
                f"{option}: {model.api_base} is no address: its port is none"
            ) from error
        try:
            socket.create_connection(place, timeout=_PATIENCE).close()
        except OSError as error:
            why = "it does not answer" if isinstance(error, TimeoutError) else error.strerror
            raise SettingsError(
                f"{option}: {model.api_base} cannot be reached ({why or error}), so {model.name} "
                "cannot be asked; start the server or correct the address. Nothing was played."
            ) from error


def _has_proxy(scheme: str) -> bool:
    names = (f"{scheme}_proxy", "all_proxy")
    return any(os.environ.get(name) or os.environ.get(name.upper()) for name in names)
