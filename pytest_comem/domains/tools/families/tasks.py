"""The public words of a node: instruction, parameters, entity scope, tools and servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_comem.domains.tools import naming
from pytest_comem.domains.tools.contents import Body
from pytest_comem.domains.tools.families.blueprint import Blueprint, Source, Step
from pytest_comem.domains.tools.places import Place, read_place
from pytest_comem.domains.tools.tables import Table
from pytest_comem.workflows.schema import Task


def task_of(
    blueprint: Blueprint, step: Step, sources: Mapping[str, Source], who: str, body: Body
) -> Task:
    """Return a node's task.

    :param body: of its gold, of which the names of columns and facts are told.
    """
    place = read_place(step.place)
    parameters: dict[str, Any] = {"title": step.title, **step.work, "place": place.as_json()}
    if step.read:
        parameters["read"] = dict(_reads(step, sources))
    words = f"{blueprint.title.replace('{who}', who)}. {step.say} {_how(place, body)}"
    if isinstance(body, dict) and "yes" in body.values():
        words += " Whether things agree or are equal is told as yes or no."
    return Task(instruction=words.replace("{who}", who), parameters=_named(parameters, who))


def scope_of(step: Step, who: str) -> str:
    """Return the entity scope of what a node makes."""
    return f"{who}: {step.node_id.replace('_', ' ')}"


def tools_of(blueprint: Blueprint, step: Step, sources: Mapping[str, Source]) -> tuple[str, ...]:
    """Return the tools that a node needs, as its capability token names them."""
    return tuple(dict.fromkeys(_tools(blueprint, step, sources)))


def servers_of(tools: tuple[str, ...]) -> tuple[str, ...]:
    """Return the servers of tools."""
    return tuple(dict.fromkeys(naming.split_tool(tool)[0] for tool in tools))


def _reads(step: Step, sources: Mapping[str, Source]) -> Iterator[tuple[str, Any]]:
    for read in step.read:
        name, _, node = read.partition("=")
        yield name, {"result_of": node} if node else dict(sources[name].where)


def _named(value: Any, who: str) -> Any:
    if isinstance(value, str):
        return value.replace("{who}", who)
    if isinstance(value, dict):
        return {key: _named(each, who) for key, each in value.items()}
    return [_named(each, who) for each in value] if isinstance(value, list) else value


def _how(place: Place, body: Body) -> str:
    if isinstance(body, str):
        kind = "Commit it as" if place.kind == "commit" else "Write it to"
        return f"{kind} {place}."
    names = ", ".join(body.columns if isinstance(body, Table) else body)
    if place.kind == "rows":
        return (
            f"The table {place.path} then has the result under {place.column} {place.value}: "
            f"{names}."
        )
    if place.kind == "sheet":
        return f"Leave it as the sheet {place.sheet} of {place.path}, from A1 on: {names}."
    kind = "Commit it as" if place.kind == "commit" else "Write it to"
    forms = {
        ".csv": f"as CSV with the columns {names}",
        ".json": f"as a JSON object with {names}",
        ".md": f"with a line '- name: value' for each of {names}",
    }
    return f"{kind} {place}, {forms[place.suffix]}."


def _tools(blueprint: Blueprint, step: Step, sources: Mapping[str, Source]) -> Iterator[str]:
    database = blueprint.database or ""
    places = {each.node_id: read_place(each.place).kind for each in blueprint.steps}
    for read in step.read:
        name, _, node = read.partition("=")
        where = places[node] if node else next(iter(sources[name].where))
        if where in ("rows", "table"):
            yield naming.QUERY[database]
        else:
            yield naming.READ_SHEET if where in ("sheet", "workbook") else naming.READ_FILE
    if "run" in step.work:
        yield naming.QUERY[database]
    if "convert" in step.work:
        yield naming.CONVERT
    kind = places[step.node_id]
    if kind == "rows":
        yield naming.CHANGE[database]
    elif kind == "sheet":
        yield from (naming.CLEAR_SHEET, naming.NEW_SHEET, naming.WRITE_SHEET)
    else:
        yield naming.WRITE_FILE
        if kind == "commit":
            yield from (naming.STAGE, naming.COMMIT)
