"""A private PostgreSQL cluster: reached by a Unix socket alone, in a sandbox, gone afterwards.

In bubblewrap it has no network, shared memory of its own, and an ordinary user whoever runs us, and
it ends when this process is killed. With sandbox ``none`` it is a child process among others, which
PostgreSQL refuses to be for root.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from pytest_comem.removal import remove_tree
from pytest_comem.sandbox.base import INSIDE, Limits, SandboxKind
from pytest_comem.sandbox.reading import UnreadableError, read_file
from pytest_comem.sandbox.service import HOLDING, Launch, Service, start
from pytest_comem.servers.base import Unavailable, database_failure

if TYPE_CHECKING:
    import psycopg

#: Name of the superuser, whom nobody but us can be.
ADMIN: Final = "comem"
PORT: Final = 5432
_OLDEST: Final = 13
#: From which on it can be said how a database is copied.
_CHOOSING: Final = 150_000
#: Where distributions keep the programs of each version.
_PLACES: Final = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
_LIMITS: Final = Limits(seconds=60, memory_mib=2048, processes=400, disk_mib=1024)
#: Seconds until it answers, and for it to end itself where no namespace ends it.
_STARTING: Final = 90.0
_ENDING: Final = 5.0
#: Characters that the path of a socket may have.
_LONGEST: Final = 100
#: Nothing of it has to survive a power cut, and it is small.
_SETTINGS: Final = {
    "listen_addresses": "",
    "fsync": "off",
    # A crash of one process would end the work of others in the middle, and they could not tell: it
    # ends the cluster instead.
    "restart_after_crash": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    "jit": "off",
    "shared_buffers": "16MB",
    "max_connections": "120",
    "max_parallel_workers": "0",
    "max_locks_per_transaction": "64",
    "temp_file_limit": "262144",
    "logging_collector": "off",
    "log_min_messages": "fatal",
    "timezone": "UTC",
}
#: Its parameters: the programs' directory, the data's, a log, the superuser; then the server's own.
_SCRIPT: Final = """
programs=$1 data=$2 log=$3 user=$4; shift 4
"$programs/initdb" -D "$data" -U "$user" --pwfile=/dev/stdin --auth=scram-sha-256 --no-sync \\
    --no-instructions --locale=C --encoding=UTF8 --wal-segsize=1 >/dev/null &&
exec "$programs/postgres" -D "$data" "$@" </dev/null >/dev/null 2>"$log"
"""
_LOG: Final = "log"


def lacking(kind: str) -> tuple[str, str] | None:
    """Return what a cluster lacks here and how to get it, in a clause each.

    :param kind: of the sandbox that it is to run in.
    """
    place = programs()
    if place is None:
        return "PostgreSQL's server is not installed", "Debian, Ubuntu: apt-get install postgresql"
    if 0 < int(_numbers(str(place))[-1]) < _OLDEST:
        return f"PostgreSQL in {place} is too old", f"install version {_OLDEST} or later"
    if kind not in HOLDING:
        return f"sandbox {kind} cannot hold a server", f"choose {' or '.join(HOLDING)}"
    if kind == "none" and os.geteuid() == 0:
        return "PostgreSQL does not run as root", "install bubblewrap, or use another user"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed", "pip install 'psycopg[binary]>=3.2'"
    return None


def programs() -> Path | None:
    """Return the directory of PostgreSQL's programs, the newest version's; ``None`` for none."""
    found = [path.parent for place in _PLACES for path in Path("/").glob(f"{place[1:]}/initdb")]
    if found:
        return max(found, key=lambda place: [int(n) for n in _numbers(str(place))])
    initdb = shutil.which("initdb")
    # Debian's are links into one; what is not in the system's directory is not seen in a sandbox.
    place = Path(initdb).resolve().parent if initdb else None
    return place if place is not None and (place / "postgres").exists() else None


@final
class Cluster:
    """A running cluster, made by :func:`open_cluster`.

    :ivar sockets: directory of its socket on the host.
    """

    def __init__(self, directory: Path, kind: str, service: Service, password: str) -> None:
        self._kind = kind
        self.directory = directory
        self.sockets = directory / "sockets"
        self._service = service
        self._password = password
        # A path through it is short, whatever the directory's own is.
        self._place = os.open(self.sockets, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._closed = False
        self._lock = threading.Lock()
        self._admin: psycopg.Connection[Any] | None = None

    def connect(
        self, database: str, user: str = ADMIN, password: str = "", options: str = ""
    ) -> psycopg.Connection[Any]:
        """Return a connection that commits every statement.

        :raises psycopg.Error: where it is refused.
        """
        import psycopg

        return psycopg.connect(
            host=f"/proc/self/fd/{self._place}",
            port=PORT,
            dbname=database,
            user=user,
            password=password or self._password,
            options=options,
            connect_timeout=10,
            autocommit=True,
        )

    def admin(self) -> psycopg.Connection[Any]:
        """Return the superuser's connection, which stays open and serves any thread.

        :raises psycopg.Error: where there is none to be had.
        """
        import psycopg

        with self._lock:
            if self._admin is not None:
                # It may have been ended meanwhile.
                with suppress(psycopg.Error):
                    self._admin.execute("SELECT 1")
                    return self._admin
                self._admin.close()
            self._admin = self.connect("postgres")
            return self._admin

    def run(self, statement: str) -> None:
        """Run a statement of ours as the superuser.

        :raises psycopg.Error: where that fails.
        """
        self.admin().execute(statement.encode())

    def clone(self, new: str, template: str, owner: str) -> None:
        """Copy a database that nobody is connected to; names are ours.

        :raises psycopg.Error: where that fails.
        """
        # Files are copied faster than logged where nothing is synchronised; older versions know no
        # other way.
        how = "STRATEGY FILE_COPY" if self.admin().info.server_version >= _CHOOSING else ""
        self.run(f"CREATE DATABASE {new} TEMPLATE {template} OWNER {owner} {how}")
        self.run(f"REVOKE ALL ON DATABASE {new} FROM PUBLIC")

    def alive(self) -> None:
        """Look whether it runs.

        :raises InfrastructureError: of type ``database``, where it does not.
        """
        if self._closed or self._service.look() or self._service.is_over():
            how = self._service.how() or "was closed"
            raise database_failure(f"PostgreSQL's cluster: {how}")

    def close(self) -> None:
        """End it and remove its directory; may be called again."""
        if self._closed:
            return
        self._closed = True
        if self._admin is not None:
            self._admin.close()
        if self._kind == "none":
            # It has to remove its shared memory, which else goes with the namespace.
            self._service.kill(signal.SIGQUIT, _ENDING)
        self._service.close()
        os.close(self._place)
        remove_tree(self.directory)

    def wait(self) -> None:
        """Wait until it answers.

        :raises InfrastructureError: where it does not.
        """
        import psycopg

        until = time.monotonic() + _STARTING
        while True:
            try:
                self.connect("postgres").close()
            except psycopg.Error as error:
                if self._service.is_over() or time.monotonic() > until:
                    words = _words(self._service, self.directory)
                    raise database_failure(
                        f"PostgreSQL's cluster: does not start: {words or error}"
                    ) from error
                time.sleep(0.01)
            else:
                return


def open_cluster(directory: Path, kind: SandboxKind) -> Cluster:
    """Return a new cluster that answers.

    :param directory: its own, made here and removed when it is closed.
    :raises Unavailable: where it cannot be had here.
    :raises InfrastructureError: of type ``database`` or ``sandbox``, where it does not start.
    """
    if missing := lacking(kind.name):
        raise Unavailable("PostgreSQL", *missing)
    place = programs()
    assert place is not None
    if kind.name == "none" and len(str(directory.absolute())) > _LONGEST - 30:
        raise Unavailable(
            "PostgreSQL",
            f"without a sandbox, the path of its socket may have {_LONGEST} characters, and "
            f"{directory} is too long",
            "install bubblewrap, or choose a shorter directory for the run",
        )
    (directory / "sockets").mkdir(parents=True, mode=0o700)
    directory.chmod(0o700)
    password = secrets.token_hex(16)
    try:
        service = start(kind.name, _launch(directory, kind.name, place))
    except BaseException:
        remove_tree(directory)
        raise
    cluster = Cluster(directory, kind.name, service, password)
    try:
        with suppress(BrokenPipeError), service.stdin as stdin:
            stdin.write(f"{password}\n".encode())
        cluster.wait()
    except BaseException:
        cluster.close()
        raise
    return cluster


def _launch(directory: Path, kind: str, place: Path) -> Launch:
    """Return what makes an empty cluster and runs it.

    In bubblewrap its data lie in memory, in a file system that goes with the namespace: a database
    is hundreds of small files, and copying those is what a disk is slow at.
    """
    inside = INSIDE if kind == "bubblewrap" else str(directory)
    data = "/tmp/data" if kind == "bubblewrap" else f"{inside}/data"
    settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    return Launch(
        [
            *("/bin/sh", "-c", _SCRIPT, "sh", str(place), data, f"{inside}/{_LOG}", ADMIN),
            *("-k", f"{inside}/sockets", *settings),
        ],
        directory,
        _LIMITS,
        "PostgreSQL's cluster",
    )


def _words(service: Service, directory: Path) -> str:
    """Return what an ended cluster said."""
    with suppress(OSError, UnreadableError):
        if service.is_over():
            said = os.read(service.stderr.fileno(), 2_000)
            said = said or read_file(directory, _LOG, 1 << 20)[-2_000:]
            return said.decode("utf-8", "replace").strip()
    return ""


def _numbers(text: str) -> Sequence[str]:
    return "".join(one if one.isdigit() else " " for one in text).split() or ["0"]
