"""An engine on this machine: where it listens, and what it says when something is wrong."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, final

from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.base import failure

_DEFAULT: Final = "unix:///var/run/docker.sock"
#: Seconds that one answer may take.
_PATIENCE: Final = 60
_HEADERS: Final = 1 << 16


@final
class Engine:
    """Docker's engine as the environment names it, through a socket of this machine.

    One on another machine would not see the workspaces.

    :ivar client: of the ``docker`` package.
    :raises SettingsError: where there is none, saying what to do.
    """

    def __init__(self) -> None:
        try:
            import docker
        except ImportError as error:
            raise SettingsError(
                "sandbox docker: needs the 'docker' package: pip install 'pytest-comem[docker]'"
            ) from error
        address = os.environ.get("DOCKER_HOST") or _DEFAULT
        if not address.startswith("unix://"):
            raise SettingsError(
                f"sandbox docker: DOCKER_HOST is {address}; workspaces are shared with the engine, "
                "which has to be on this machine (unix://...)"
            )
        self._path = address.removeprefix("unix://")
        try:
            # The package leaves a socket behind where nobody answers.
            with socket.socket(socket.AF_UNIX) as trial:
                trial.settimeout(_PATIENCE)
                trial.connect(self._path)
            self.client: Any = docker.DockerClient(
                base_url=address, version="auto", timeout=_PATIENCE
            )
        except Exception as error:
            raise SettingsError(
                f"sandbox docker: no engine answers at {address}; start one (Debian, Ubuntu: "
                "apt-get install docker.io), or set DOCKER_HOST"
            ) from error

    def close(self) -> None:
        """Close its connections."""
        self.client.close()

    def require(self, image: str) -> None:
        """Look for an image.

        :raises SettingsError: where the engine does not have it, saying how to make it.
        """
        from docker.errors import ImageNotFound

        with speaking("its images cannot be listed"):
            try:
                self.client.images.get(image)
            except ImageNotFound as error:
                raise SettingsError(
                    f"sandbox docker: the engine has no image {image}; make it with "
                    "fixtures/images/build.sh, or of the Dockerfile there"
                ) from error

    def attach(self, execution: str) -> tuple[socket.socket, bytes]:
        """Start a prepared program; return its stream and what has been read of it already.

        :raises OSError: where the engine does not give it.
        """
        body = b'{"Detach": false, "Tty": false}'
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            stream.settimeout(_PATIENCE)
            stream.connect(self._path)
            stream.sendall(
                f"POST /v{self.client.api.api_version}/exec/{execution}/start HTTP/1.1\r\n"
                "Host: docker\r\nContent-Type: application/json\r\nConnection: Upgrade\r\n"
                f"Upgrade: tcp\r\nContent-Length: {len(body)}\r\n\r\n".encode("ascii")
                + body
            )
            received = b""
            while b"\r\n\r\n" not in received:
                chunk = stream.recv(4096)
                received += chunk
                if not chunk or len(received) > _HEADERS:
                    raise OSError(f"the engine answers {received[:200]!r}")
            head, _, rest = received.partition(b"\r\n\r\n")
            if head.split(b" ", 2)[1] not in (b"101", b"200"):
                raise OSError(_said(rest) or f"the engine answers {head[:200]!r}")
            stream.setblocking(False)
        except BaseException:
            stream.close()
            raise
        return stream, rest


@contextmanager
def speaking(problem: str) -> Iterator[None]:
    """Turn whatever goes wrong with the engine into an infrastructure error."""
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except (DockerException, RequestException, OSError) as error:
        raise failure(f"sandbox docker: {problem}: {error}") from error


def _said(body: bytes) -> str:
    try:
        return str(json.loads(body)["message"])
    except (ValueError, TypeError, KeyError):
        return ""
