"""The offline worker: does what a task's parameters say, on whatever artifacts look right.

Parameters of a task, beside its words:

``title``
    What the result is called.
``read``
    Sources, by the name under which steps know them: where they lie, or ``{"result_of": NODE}``,
    the place that the artifact chosen for an input names.
``run``
    The input whose code is run on the database; steps know its rows as ``run``.
``convert``
    ``[NAME, COLUMN, ZONE COLUMN, ZONE, INTO]``: a table with a column more, clock times in another
    zone; steps know it as ``converted``.
``steps``, ``facts``
    See :mod:`pytest_comem.domains.tools.relating`; without facts the result is a table.
``code``
    A text with ``{NAME}`` for the facts, instead of them.
``place``
    Where the result has to lie.

It uses the values of the artifacts that it chose, right or wrong, verified or not, and overwrites
what lies at its place, so that a second attempt can mend a first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from pytest_comem.domains.choosing import chosen
from pytest_comem.domains.tools.contents import Body, body_json, body_name, read_body
from pytest_comem.domains.tools.naming import POSTGRES, SQLITE
from pytest_comem.domains.tools.places import Place, read_place
from pytest_comem.domains.tools.relating import calculated, facts_of
from pytest_comem.domains.tools.services import Caller, Services, file_text
from pytest_comem.domains.tools.tables import NoTableError, Table, of_records, table_of
from pytest_comem.executors.domain import Shown, Work
from pytest_comem.records.canonical import texts_of
from pytest_comem.workflows.artifacts import Artifact

_Parameters = Mapping[str, Any]
_DATABASES: Final = (SQLITE, POSTGRES)


@final
class OfflineWorker:
    """Does nodes through the servers of one instance.

    :param seen: the workspace's path as servers see it.
    """

    def __init__(self, caller: Caller, seen: str) -> None:
        self._caller = caller
        self._seen = seen

    def work(self, shown: Shown) -> Work:
        """Do a node's work with what the worker chooses to rest on.

        :raises InfrastructureError: where a server broke; work that cannot be done is bad work.
        """
        services = Services(self._caller, self._seen, shown.view.capability_token)
        inputs = _inputs(shown)
        asked: _Parameters = shown.view.task.parameters
        try:
            content = _Node(asked, inputs, services).content()
        except NoTableError as error:
            content = {"summary": f"It could not be done: {str(error)[:300]}."}
        artifacts = {one.artifact_id: one for one in inputs.values()}
        read = [t for one in artifacts.values() for t in texts_of(one.content)]
        told = [shown.view.task.instruction, *read, *texts_of(content)]
        return Work(
            content,
            tuple(artifacts),
            tuple(services.actions),
            {"execution": sum(len(text.split()) for text in told)},
        )


def _inputs(shown: Shown) -> dict[str, Artifact]:
    """Return the artifact chosen for every input, by the node that has to hand it over."""
    found: dict[str, Artifact] = {}
    for slot in shown.view.handoff_contract:
        alone = shown.view.model_copy(update={"handoff_contract": (slot,)})
        for artifact in chosen(Shown(alone, shown.recalled, shown.texts)):
            found[slot.source] = artifact
    return found


@final
class _Node:
    """One node's work."""

    def __init__(
        self, asked: _Parameters, inputs: Mapping[str, Artifact], services: Services
    ) -> None:
        self._asked = asked
        self._inputs = inputs
        self._services = services

    def content(self) -> dict[str, Any]:
        """Do it and return the content of the artifact.

        :raises NoTableError: where it cannot be done.
        """
        asked, place = self._asked, read_place(self._asked.get("place"))
        known: dict[str, Body] = {
            source: read_body(artifact.content) for source, artifact in self._inputs.items()
        }
        for name, where in self._part("read", dict).items():
            known[name] = self._read(where)
        if "run" in asked:
            known["run"] = self._run(known.get(str(asked["run"])))
        if "convert" in asked:
            known["converted"] = self._converted(known)
        current = calculated(self._part("steps", list), known)
        title = str(asked.get("title", ""))[:200]
        body = self._body(current, known)
        self._write(place, body, title)
        return {
            "summary": f"{title}: {_size(body)}, at {place}.",
            "place": place.as_json(),
            body_name(body): body_json(body),
        }

    def _part(self, name: str, kind: type) -> Any:
        found = self._asked.get(name, kind())
        if not isinstance(found, kind):
            raise NoTableError(f"the task's {name} cannot be read")
        return found

    def _body(self, current: Table, known: Mapping[str, Body]) -> Body:
        facts = self._part("facts", dict)
        if not facts:
            return current
        told = facts_of(facts, current, known)
        code = self._part("code", str)
        for name, value in told.items():
            code = code.replace(f"{{{name}}}", str(value).replace("'", "''"))
        return code or told

    def _read(self, where: Any) -> Body:
        if not isinstance(where, dict):
            raise NoTableError("a source is nowhere")
        if "result_of" in where:
            return self._result(self._inputs.get(str(where["result_of"])))
        if "table" in where:
            return self._services.rows(self._database(), str(where["table"]))
        if "file" in where:
            return self._services.read_table(str(where["file"]))
        return self._services.read_sheet(str(where.get("workbook")), str(where.get("sheet")))

    def _result(self, artifact: Artifact | None) -> Body:
        """Return what lies where an artifact says that its result lies."""
        content = artifact.content if artifact else None
        if not isinstance(content, dict):
            raise NoTableError("no result was handed over")
        place = read_place(content.get("place"))
        if place.kind not in ("rows", "sheet"):
            return self._services.read_result(place)
        found = self._lying(place)
        # A row that was handed over as facts is read as facts.
        return found.records()[0] if "facts" in content and len(found.rows) == 1 else found

    def _lying(self, place: Place) -> Table:
        if place.kind == "sheet":
            return self._services.read_sheet(place.path, place.sheet)
        every = self._services.rows(self._database(), place.path)
        records = [one for one in every.records() if one.get(place.column) == place.value]
        return of_records(records, every.columns)

    def _database(self) -> str:
        return self._services.database(_DATABASES)

    def _run(self, code: Body | None) -> Table:
        if not isinstance(code, str):
            raise NoTableError("no code was handed over")
        return self._services.query(self._database(), code)

    def _converted(self, known: Mapping[str, Body]) -> Table:
        if len(self._part("convert", list)) != 5:
            raise NoTableError("the task's convert cannot be read")
        name, column, zone, other, into = self._asked["convert"]
        table = known.get(str(name))
        if not isinstance(table, Table) or not {column, zone} <= set(table.columns):
            raise NoTableError("there is no table of times and zones")
        rows = []
        for record in table.records():
            shown = self._services.converted(record[column], record[zone], str(other))
            rows.append([*record.values(), shown])
        return table_of([*table.columns, into], rows)

    def _write(self, place: Place, body: Body, title: str) -> None:
        if place.kind == "rows":
            rows = body if isinstance(body, Table) else _one_row(body)
            self._services.replace_rows(self._database(), place, rows)
        elif place.kind == "sheet":
            rows = body if isinstance(body, Table) else _one_row(body)
            self._services.write_sheet(place.path, place.sheet, rows)
        else:
            self._services.write_file(place.path, file_text(body, place, title))
            if place.kind == "commit":
                self._services.commit(place.path, title)


def _one_row(body: Body) -> Table:
    if not isinstance(body, dict):
        raise NoTableError("code is no row")
    return table_of(list(body), [list(body.values())])


def _size(body: Body) -> str:
    if isinstance(body, Table):
        return f"{len(body.rows)} rows"
    return "a script" if isinstance(body, str) else f"{len(body)} facts"
