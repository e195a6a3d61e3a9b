"""Fetching the released files over real sockets, from servers that misbehave."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pytest_comem.datasets import transfer
from pytest_comem.datasets.download import default_directory, fetch
from pytest_comem.datasets.gatemem_release import CHECKSUMS
from pytest_comem.errors import InfrastructureError, SettingsError

#: Small stand-ins for the released files.
FILES = {name: f"{name}: {'x' * 5000}\n".encode() for name in CHECKSUMS}
FIRST = next(iter(FILES))


@dataclass
class Site:
    """A web server for :data:`FILES`, and how it misbehaves.

    :param layout: what stands before a file's name.
    :param ranges: whether it honours Range.
    :param cut: bytes after which each of the next answers breaks off.
    :param statuses: statuses of the next answers.
    :param requests: every path asked for, with its Range.
    """

    layout: str = "data/"
    ranges: bool = True
    cut: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    shift: int = 0
    redirect: str = ""
    contents: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    address: str = ""


def handler(site: Site) -> type[BaseHTTPRequestHandler]:
    """Return the request handler of *site*."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            site.requests.append((self.path, self.headers["Range"]))
            name = self.path.removeprefix(f"/mirror/{site.layout}")
            if site.statuses:
                return self.send_error(site.statuses.pop(0))
            if site.redirect:
                self.send_response(302)
                self.send_header("Location", site.redirect)
                self.send_header("Content-Length", "0")
                return self.end_headers()
            if name not in site.contents:
                return self.send_error(404)
            return self.answer(site.contents[name])

        def answer(self, content: bytes) -> None:
            asked = self.headers["Range"] if site.ranges else None
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
            if start >= len(content):
                self.send_error(416)
                return
            self.send_response(206 if asked else 200)
            if asked:
                first, last = start + site.shift, len(content) - 1
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            end = start + site.cut.pop(0) if site.cut else len(content)
            self.wfile.write(content[start:end])
            self.close_connection = True

    return Handler


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A running server, with the stand-ins' checksums taken for the release's."""
    for name, content in FILES.items():
        monkeypatch.setitem(CHECKSUMS, name, hashlib.sha256(content).hexdigest())
    monkeypatch.setenv("no_proxy", "*")
    site = Site()
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(site)) as server:
        site.address = f"http://127.0.0.1:{server.server_port}/mirror"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield site
        server.shutdown()
        thread.join()


class Log:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.starts: list[tuple[str, int, int | None]] = []
        self.received = 0
        self.done: dict[str, str] = {}

    def started(self, name: str, done: int, size: int | None) -> None:
        """Remember where a file starts."""
        self.starts.append((name, done, size))

    def advanced(self, count: int) -> None:
        """Add up bytes."""
        self.received += count

    def finished(self, name: str, how: str) -> None:
        """Remember what was done."""
        self.done[name] = how


def run(site: Site, directory: Path) -> Log:
    """Fetch from *site* without pauses and return what the listener was told."""
    log = Log()
    fetch(directory, log, origin=site.address, pause=0)
    return log


def files_in(directory: Path) -> dict[str, bytes]:
    """Return every file under *directory*."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("layout", ["data/", "", "data/gatemem/"])
def test_all_files_arrive_whatever_the_layout(site: Site, tmp_path: Path, layout: str) -> None:
    """Each layout is found by trying, once; then the files are there and nothing else."""
    site.layout = layout
    log = run(site, tmp_path / "new")
    assert files_in(tmp_path / "new") == FILES
    assert set(log.done.values()) == {"fetched"}
    assert log.received == sum(map(len, FILES.values()))
    tries = ("data/", "", "data/gatemem/").index(layout)
    assert len(site.requests) == len(FILES) + tries


def test_files_that_are_right_are_not_asked_for_again(site: Site, tmp_path: Path) -> None:
    """A second run only checks; a file with another content is replaced, and that is said."""
    run(site, tmp_path)
    site.requests.clear()
    assert set(run(site, tmp_path).done.values()) == {"already here"}
    assert site.requests == []
    (tmp_path / FIRST).write_text("edited")
    assert run(site, tmp_path).done[FIRST] == "replaced, its checksum was wrong"
    assert files_in(tmp_path) == FILES


def test_a_partial_file_is_gone_on_with(site: Site, tmp_path: Path) -> None:
    """What a killed run has left is not downloaded again."""
    part = tmp_path / f"{FIRST}.part"
    part.parent.mkdir()
    part.write_bytes(FILES[FIRST][:1000])
    log = run(site, tmp_path)
    assert site.requests[0][1] == "bytes=1000-"
    assert log.starts[0] == (FIRST, 1000, len(FILES[FIRST]))
    assert files_in(tmp_path) == FILES


def test_a_server_without_ranges_sends_the_whole_file(site: Site, tmp_path: Path) -> None:
    """Where Range is ignored the partial file is started over, not appended to."""
    site.ranges = False
    part = tmp_path / f"{FIRST}.part"
    part.parent.mkdir()
    part.write_bytes(b"y" * 1000)
    assert run(site, tmp_path).starts[0] == (FIRST, 0, len(FILES[FIRST]))
    assert files_in(tmp_path) == FILES


@pytest.mark.parametrize("ranges", [True, False])
def test_a_cut_connection_is_taken_up_again(site: Site, tmp_path: Path, ranges: bool) -> None:
    """A transfer that breaks off is tried again, from where it broke if the server can."""
    site.cut, site.ranges = [700, 300], ranges
    run(site, tmp_path)
    assert [asked for _, asked in site.requests[:3]] == [
        None,
        "bytes=700-",
        "bytes=1000-" if ranges else "bytes=300-",
    ]
    assert files_in(tmp_path) == FILES


def test_a_connection_that_keeps_breaking_leaves_a_part_to_go_on_from(
    site: Site, tmp_path: Path
) -> None:
    """After some tries it is given up, and the next run needs only the rest."""
    site.cut = [100, 100, 100]
    with pytest.raises(InfrastructureError, match=r"cut after 300 of .* bytes \(gave up after 3"):
        run(site, tmp_path)
    assert files_in(tmp_path) == {f"{FIRST}.part": FILES[FIRST][:300]}
    site.requests.clear()
    run(site, tmp_path)
    assert site.requests[0][1] == "bytes=300-"
    assert files_in(tmp_path) == FILES


def test_a_busy_server_is_asked_again(site: Site, tmp_path: Path) -> None:
    """503 and 429 are worth another try."""
    site.statuses = [503, 429]
    run(site, tmp_path)
    assert files_in(tmp_path) == FILES


@pytest.mark.parametrize("stale", [b"y" * 1000, b"y" * 9000])
def test_a_part_of_another_file_is_thrown_away(site: Site, tmp_path: Path, stale: bytes) -> None:
    """A partial file that does not fit the released one costs a second try, no failure."""
    part = tmp_path / f"{FIRST}.part"
    part.parent.mkdir()
    part.write_bytes(stale)
    run(site, tmp_path)
    assert files_in(tmp_path) == FILES


def test_a_complete_part_needs_no_network(site: Site, tmp_path: Path) -> None:
    """A run killed just before the renaming has lost nothing."""
    part = tmp_path / f"{FIRST}.part"
    part.parent.mkdir()
    part.write_bytes(FILES[FIRST])
    run(site, tmp_path)
    assert len(site.requests) == len(FILES) - 1
    assert files_in(tmp_path) == FILES


def test_another_range_than_asked_for_is_not_appended(site: Site, tmp_path: Path) -> None:
    """A server that answers with other bytes does not spoil the file."""
    site.shift = 1
    part = tmp_path / f"{FIRST}.part"
    part.parent.mkdir()
    part.write_bytes(FILES[FIRST][:1000])
    run(site, tmp_path)
    assert files_in(tmp_path) == FILES


def test_wrong_bytes_never_get_the_final_name(site: Site, tmp_path: Path) -> None:
    """A file whose checksum differs is thrown away and named, with both checksums."""
    site.contents[FIRST] = b"<html>Please log in</html>"
    with pytest.raises(
        InfrastructureError, match=rf"{FIRST} is not the released file: its SHA-256"
    ):
        run(site, tmp_path)
    assert files_in(tmp_path) == {}


def test_wrong_bytes_do_not_replace_an_earlier_file(site: Site, tmp_path: Path) -> None:
    """What stood under the final name stays until there is something right to put there."""
    site.contents[FIRST] = b"wrong"
    (tmp_path / FIRST).parent.mkdir()
    (tmp_path / FIRST).write_bytes(b"mine")
    with pytest.raises(InfrastructureError, match="nothing of it was kept"):
        run(site, tmp_path)
    assert files_in(tmp_path) == {FIRST: b"mine"}


def test_a_file_that_is_nowhere_names_what_was_tried(site: Site, tmp_path: Path) -> None:
    """404 for every layout says so, and how to get the files by hand."""
    site.contents.clear()
    with pytest.raises(InfrastructureError) as caught:
        run(site, tmp_path)
    message = str(caught.value)
    assert f"has no data/{FIRST}, {FIRST}, data/gatemem/{FIRST} (HTTP status 404)" in message
    assert "by hand" in message
    assert f"{tmp_path}/<domain>/" in message
    assert "COMEM_DATA" in message


def test_a_refusal_is_told_with_its_status(site: Site, tmp_path: Path) -> None:
    """A status that no second try would change is told at once."""
    site.statuses = [418]
    with pytest.raises(InfrastructureError, match="HTTP status 418"):
        run(site, tmp_path)
    assert len(site.requests) == 1


def test_too_large_a_file_is_refused(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the bound nothing is kept."""
    monkeypatch.setattr(transfer, "MAX_BYTES", 1000)
    with pytest.raises(InfrastructureError, match="larger than 1,000 bytes"):
        run(site, tmp_path)
    assert files_in(tmp_path) == {}


def test_without_a_server_it_says_what_to_do(tmp_path: Path) -> None:
    """No network is one message with the way round it."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(InfrastructureError) as caught:
            fetch(tmp_path, Log(), origin=origin, pause=0)
    message = str(caught.value)
    assert message.startswith(f"cannot reach {origin}: ")
    assert f"pytest --comem-data {tmp_path} ..., or set COMEM_DATA" in message
    assert "https://huggingface.co/datasets/Ray368/GateMem" in message


@pytest.mark.parametrize(
    "origin", ["file:///etc", "ftp://example.org/x", "example.org/x", "http://", "http://u:p@h/x"]
)
def test_only_web_addresses_are_taken(tmp_path: Path, origin: str) -> None:
    """Anything but a plain http or https address is refused before anything happens."""
    with pytest.raises(SettingsError, match="--from: give an http or https address"):
        fetch(tmp_path, Log(), origin=origin)


def test_a_redirect_may_not_leave_the_web(site: Site, tmp_path: Path) -> None:
    """A redirect to a file or FTP address is not followed."""
    site.redirect = "ftp://127.0.0.1/data"
    with pytest.raises(InfrastructureError, match="HTTP status 302"):
        run(site, tmp_path)


def test_a_directory_that_cannot_be_written_names_the_option(site: Site, tmp_path: Path) -> None:
    """A file in the place of a folder is told as such."""
    (tmp_path / "medical").write_text("")
    with pytest.raises(SettingsError, match=r"--to: .* cannot be written"):
        run(site, tmp_path)


def test_the_default_directory_is_in_the_user_s_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """XDG_CACHE_HOME counts where it is an absolute path, else ~/.cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_directory() == tmp_path / "pytest-comem" / "gatemem"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for value in ("relative", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert default_directory() == tmp_path / "home" / ".cache" / "pytest-comem" / "gatemem"
