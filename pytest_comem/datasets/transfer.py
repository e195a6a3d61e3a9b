"""One file over HTTP, resumable: what arrives goes into a part file that a later try goes on with.

Only http and https, bounded in time and size. Proxies are those of the environment, as usual for
urllib.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any, Final, Protocol, final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from pytest_comem import __version__
from pytest_comem.errors import InfrastructureError, SettingsError

#: Seconds one connection or one read may take.
TIMEOUT: Final = 30.0

#: Seconds one try at one file may take; the next run goes on from there.
MAX_SECONDS: Final = 900.0

#: Largest accepted file in bytes; the largest released one has less than a tenth of it.
MAX_BYTES: Final = 64 * 1024 * 1024

#: Tries before a connection that keeps breaking is given up.
ATTEMPTS: Final = 3

_CHUNK: Final = 64 * 1024
_ABSENT: Final = frozenset({401, 403, 404, 410})
_BUSY: Final = frozenset({408, 429, 500, 502, 503, 504})
_CONTENT_RANGE: Final = re.compile(r"bytes (\d+)-\d*/")


class Listener(Protocol):
    """Who is told about progress."""

    def started(self, name: str, done: int, size: int | None) -> None:
        """*done* bytes of *name* are here already; *size* is all of it, or ``None``."""

    def advanced(self, count: int) -> None:
        """*count* more bytes have arrived."""

    def finished(self, name: str, how: str) -> None:
        """*name* is in place; *how* says what was done for it."""


class _BrokenError(Exception):
    """The transfer stopped half-way, or the server is busy; another try may help."""


class _AbsentError(Exception):
    """The server has no such file."""


class _WebOnly(HTTPRedirectHandler):
    """Follow redirects within http and https only."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Check the new address first."""
        if urlsplit(newurl).scheme not in {"http", "https"}:
            raise HTTPError(newurl, code, "redirect to something other than http", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@final
class Source:
    """A place on the web that holds files under one of a few layouts.

    :param base: address that the files' paths are appended to.
    :param layouts: what may stand before a file's name; the first that works is kept.
    :param pause: seconds before the second try, growing with each further one.
    :raises SettingsError: where *base* is no http or https address.
    """

    def __init__(self, base: str, layouts: Sequence[str], *, pause: float = 1.0) -> None:
        parts = urlsplit(base)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
            raise SettingsError(
                "--from: give an http or https address without user name, "
                "such as https://mirror.example/gatemem"
            )
        self.base = base.rstrip("/")
        self._layouts = tuple(layouts)
        self._pause = pause
        self._opener = build_opener(_WebOnly)

    def receive(self, name: str, part: Path, listener: Listener) -> None:
        """Download *name* into *part*, going on from what is there.

        :raises InfrastructureError: where the server cannot be reached, has no such file, or the
            connection keeps breaking; *part* then keeps what has arrived.
        :raises SettingsError: where *part* cannot be written.
        """
        problem = ""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._receive_from_layouts(name, part, listener)
            except _BrokenError as broken:
                problem = str(broken)
                if attempt < ATTEMPTS:
                    time.sleep(self._pause * attempt)
        raise InfrastructureError(
            f"{self.base}: {name}: {problem} (gave up after {ATTEMPTS} tries); "
            "the same command goes on from what has arrived",
            type="download",
        )

    def _receive_from_layouts(self, name: str, part: Path, listener: Listener) -> None:
        for layout in self._layouts:
            try:
                self._receive(f"{self.base}/{layout}{name}", name, part, listener)
            except _AbsentError as absent:
                status = str(absent)
            else:
                self._layouts = (layout,)
                return
        tried = ", ".join(f"{layout}{name}" for layout in self._layouts)
        raise InfrastructureError(
            f"{self.base} has no {tried} (HTTP status {status})", type="download"
        )

    def _receive(self, url: str, name: str, part: Path, listener: Listener) -> None:
        have = part.stat().st_size if part.is_file() else 0
        with self._open(url, have, part) as response:
            resumed = response.status == 206
            if resumed and _first_byte(response.headers.get("Content-Range")) != have:
                part.unlink()
                raise _BrokenError("the server sent another part of the file than was asked for")
            done = have if resumed else 0
            length = response.headers.get("Content-Length", "")
            size = done + int(length) if length.isdecimal() else None
            _refuse_oversize(size or 0, url, part)
            listener.started(name, done, size)
            with _writing(part):
                file = part.open("ab" if resumed else "wb")
            with file:
                for block in _blocks(response):
                    _refuse_oversize(done + len(block), url, part)
                    with _writing(part):
                        file.write(block)
                    listener.advanced(len(block))
                    done += len(block)
        if size is not None and done < size:
            raise _BrokenError(f"the connection was cut after {done:,} of {size:,} bytes")

    def _open(self, url: str, have: int, part: Path) -> Any:
        headers = {"User-Agent": f"pytest-comem/{__version__}"}
        if have:
            headers["Range"] = f"bytes={have}-"
        try:
            return self._opener.open(Request(url, headers=headers), timeout=TIMEOUT)
        except HTTPError as error:
            error.close()
            raise self._refusal(error, have, part) from None
        except URLError as error:
            raise InfrastructureError(
                f"cannot reach {self.base}: {error.reason}", type="download"
            ) from None
        except (OSError, HTTPException) as error:
            raise _BrokenError(_named(error)) from None

    def _refusal(self, error: HTTPError, have: int, part: Path) -> Exception:
        if error.code in _ABSENT:
            return _AbsentError(error.code)
        if error.code == 416 and have:
            part.unlink(missing_ok=True)
            return _BrokenError("what had arrived does not fit the server's file")
        if error.code in _BUSY:
            return _BrokenError(f"the server is busy (HTTP status {error.code})")
        return InfrastructureError(
            f"{self.base} answers with HTTP status {error.code}: {error.reason}", type="download"
        )


def _refuse_oversize(size: int, url: str, part: Path) -> None:
    if size > MAX_BYTES:
        part.unlink(missing_ok=True)
        raise InfrastructureError(
            f"{url} is larger than {MAX_BYTES:,} bytes: not a file of this benchmark",
            type="download",
        )


def _blocks(response: Any) -> Iterator[bytes]:
    """Yield the body, bounded in time.

    :raises _BrokenError: where the connection breaks or the time is over.
    """
    deadline = time.monotonic() + MAX_SECONDS
    while True:
        try:
            block: bytes = response.read(_CHUNK)
        except (OSError, HTTPException) as error:
            raise _BrokenError(_named(error)) from None
        if not block:
            return
        yield block
        if time.monotonic() > deadline:
            raise _BrokenError(f"it takes longer than {MAX_SECONDS:.0f} s")


@contextmanager
def _writing(part: Path) -> Iterator[None]:
    """Tell a full or read-only disk from a broken connection."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SettingsError(f"--to: {part} cannot be written: {reason}") from None


def _first_byte(content_range: str | None) -> int | None:
    match = _CONTENT_RANGE.match(content_range or "")
    return int(match[1]) if match else None


def _named(error: BaseException) -> str:
    return f"the connection broke ({type(error).__name__}: {error})"
