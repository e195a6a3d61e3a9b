"""Everything that plays the families of stateful tools."""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import Any, Final, final

from pytest_comem.domains.tools.evaluating import EVALUATOR_VERSION, evaluate
from pytest_comem.domains.tools.material import POSTGRES, Material, material_of, result_places
from pytest_comem.domains.tools.state import State
from pytest_comem.domains.tools.toolbox import ServerToolbox, content_schema
from pytest_comem.domains.tools.working import OfflineWorker
from pytest_comem.errors import BenchmarkDefect, DataError, InfrastructureError
from pytest_comem.executors.domain import Judgement, Shown, Stand, Toolbox, Work
from pytest_comem.removal import remove_tree
from pytest_comem.servers.base import (
    Database,
    DatabaseKind,
    Databases,
    QueryError,
    ToolServers,
    Unavailable,
)
from pytest_comem.servers.opening import missing, open_databases, open_servers
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Domain, Family, Node
from pytest_comem.workflows.views import NodeView

#: Of the offline worker and what it chooses by.
WORKER_VERSION: Final = "1"


@final
class ToolsStand:
    """One instance's own workspace, database and servers."""

    def __init__(self, servers: ToolServers, state: State) -> None:
        self._servers = servers
        self._state = state
        self._worker = OfflineWorker(servers, servers.seen)

    def work(self, shown: Shown) -> Work:
        """Do a node's work through the servers that its token names."""
        return self._worker.work(shown)

    def evaluate(
        self, node: Node, oracle: Oracle, artifact: Artifact, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Judge an output by the files and rows that it left.

        :raises InfrastructureError: where a server or the database is dead.
        """
        self._servers.alive()
        return evaluate(self._state, node, oracle, artifact.content, consumed)

    def tools(self, view: NodeView) -> Toolbox:
        """Return the servers' tools that a node's token names."""
        return ServerToolbox(self._servers, self._servers.seen, view, self._state)

    def schema(self, view: NodeView) -> Mapping[str, Any]:
        """Return the JSON Schema of what a node has to make."""
        return content_schema(view)


@final
class ToolsKit:
    """The domain kit of stateful tools; close it when nothing is played any more.

    :param sandbox: kind of sandbox that servers run in.
    :param directory: for workspaces and databases, part of a run's state so that a killed run's are
        found; a temporary one where none is given.
    """

    domain: Final = Domain.STATEFUL_TOOL
    version: Final = f"worker {WORKER_VERSION}, state {EVALUATOR_VERSION}"

    def __init__(self, sandbox: str = "auto", directory: Path | None = None) -> None:
        self._given = directory
        self._sandbox = sandbox
        self._opened = ExitStack()
        self._lock = Lock()
        self._root: Path | None = None
        self._databases: Databases | None = None

    def missing(self, family: Family) -> str | None:
        """Return which servers of a family are not here, and how to get them."""
        lacking = missing(servers_of(family), self._sandbox)
        told = [f"server {name}: {why}" for name, why in lacking.items() if why]
        return "; ".join(told) or None

    @contextmanager
    def open(self, family: Family, instance: str) -> Iterator[Stand]:
        """Open a fresh stand: workspace and database as the family starts, its servers running.

        :raises BenchmarkDefect: where the family's material is not right, or a server that it names
            cannot be had here.
        :raises InfrastructureError: where a server or database does not start.
        """
        try:
            material = material_of(family)
        except DataError as error:
            raise BenchmarkDefect(f"family {family.family_id}: {error}") from None
        if lacking := self.missing(family):
            raise BenchmarkDefect(f"family {family.family_id}: unavailable: {lacking}")
        with ExitStack() as stack:
            workspace = stack.enter_context(self._workspace(family, material))
            try:
                database = self._database(family, material)
                if database is not None:
                    stack.callback(database.drop)
                servers = stack.enter_context(
                    open_servers(
                        workspace,
                        database=database,
                        sandbox=self._sandbox,
                        label=f"workflow {instance}",
                    )
                )
                servers.start(servers_of(family))
            except Unavailable as error:
                raise BenchmarkDefect(f"family {family.family_id}: unavailable: {error}") from None
            yield ToolsStand(servers, State(workspace, database, material))

    def close(self) -> None:
        """Drop the databases and remove what is left; may be called again."""
        with self._lock:
            self._databases, self._root = None, None
            self._opened.close()
        atexit.unregister(self.close)

    def __enter__(self) -> ToolsKit:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _place(self) -> Path:
        """Return the directory of this process' instances."""
        with self._lock:
            if self._root is None:
                if self._given is not None:
                    self._given.mkdir(parents=True, exist_ok=True)
                self._root = Path(mkdtemp(prefix="comem-tools-", dir=self._given))
                self._opened.callback(shutil.rmtree, self._root, ignore_errors=True)
                # Where nobody closes it, an ending process does.
                atexit.register(self.close)
            return self._root

    @contextmanager
    def _workspace(self, family: Family, material: Material) -> Iterator[Path]:
        try:
            place = Path(mkdtemp(prefix="w-", dir=self._place()))
            workspace = place / "workspace"
            workspace.mkdir()
            material.lay_out(workspace, tuple(result_places(family)))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InfrastructureError(f"a workspace: {reason}", type="harness") from None
        try:
            yield workspace
        finally:
            try:
                remove_tree(place)
            except OSError:
                # What a dying server still holds goes with the directory of all.
                shutil.rmtree(place, ignore_errors=True)

    def _database(self, family: Family, material: Material) -> Database | None:
        if material.database is None:
            return None
        place = self._place() / "databases"
        with self._lock:
            if self._databases is None:
                self._databases = self._opened.enter_context(open_databases(place, self._sandbox))
            databases = self._databases
        kind: DatabaseKind = "postgresql" if material.database == POSTGRES else "sqlite"
        try:
            return databases.clone(family.family_id, material.template_sql(), kind)
        except QueryError as error:
            text = f"family {family.family_id}: its tables cannot be made: {error}"
            raise BenchmarkDefect(text) from None


def servers_of(family: Family) -> tuple[str, ...]:
    """Return the servers that the tokens of a family's nodes name."""
    return tuple(dict.fromkeys(server for node in family.nodes for server in node.servers))
