"""The tools of one node for a language model: the servers' own, as far as its token names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, final

from pytest_comem.domains.tools.contents import (
    BODIES,
    CODE,
    DOCUMENT,
    FORM,
    LONGEST_CODE,
    TABULAR,
    VERIFICATION,
    body_json,
    body_name,
)
from pytest_comem.domains.tools.naming import split_tool
from pytest_comem.domains.tools.places import read_place
from pytest_comem.domains.tools.services import Caller
from pytest_comem.domains.tools.state import State
from pytest_comem.domains.tools.tables import MOST_COLUMNS, MOST_ROWS, NoTableError
from pytest_comem.executors.domain import ToolRefusal, ToolSpec
from pytest_comem.servers.base import ServerTool
from pytest_comem.workflows.views import NodeView

_ANSWER: Final = 30_000
_CELL: Final = {"type": ["integer", "string"]}


class Serving(Caller, Protocol):
    """Running servers with their tools."""

    def specs(self, names: Sequence[str]) -> Sequence[ServerTool]:
        """Return the tools of running servers."""


@final
class ServerToolbox:
    """Tools of running servers; :class:`pytest_comem.executors.domain.Toolbox`.

    :param seen: the workspace's path as servers see it.
    """

    def __init__(self, servers: Serving, seen: str, view: NodeView, state: State) -> None:
        self._servers = servers
        self._view = view
        self._state = state
        self._seen = seen

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools that the token names, in its order."""
        token = self._view.capability_token
        known = {f"{one.server}__{one.name}": one for one in self._servers.specs(token.servers)}
        named = [(name, known[name]) for name in token.tools if name in known]
        return [
            ToolSpec(name, f"{one.description}\nThe workspace is {self._seen}.", one.schema)
            for name, one in named
        ]

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Use a tool.

        :raises ToolRefusal: where the token does not name it, or the server refuses.
        :raises InfrastructureError: where the server broke.
        """
        token, (server, tool) = self._view.capability_token, split_tool(name)
        if not (token.allows_tool(name) and token.allows_server(server)):
            raise ToolRefusal(f"there is no tool {name[:100]}; there are {', '.join(token.tools)}")
        answer = self._servers.call(server, tool, arguments)
        if answer.is_error:
            raise ToolRefusal(answer.text[:_ANSWER])
        return answer.text[:_ANSWER]

    def complete(self, content: Any) -> Any:
        """Return a model's content with place and result as the state holds them.

        Where nothing lies at the place, it stays as it is.
        """
        said = content if isinstance(content, dict) else {}
        summary = said.get("summary")
        try:
            place = read_place(self._view.task.parameters.get("place"))
            body = self._state.body(place, expected_body(self._view))
        except NoTableError:
            return content
        return {
            "summary": summary if isinstance(summary, str) else "",
            "place": place.as_json(),
            body_name(body): body_json(body),
        }


def expected_body(view: NodeView) -> str:
    """Return whether a node makes a table, facts or code."""
    bodies = BODIES.get(view.output_type, ("facts",))
    if len(bodies) == 1:
        return bodies[0]
    return "facts" if view.task.parameters.get("facts") else "table"


def content_schema(view: NodeView) -> dict[str, Any]:
    """Return the JSON Schema of the content that a node has to make."""
    body = expected_body(view)
    return {
        "type": "object",
        "properties": {
            "summary": {
                "type": "string",
                "description": f"One sentence: what the {_WORDS.get(view.output_type, 'run')} is.",
            },
            "place": {
                "type": "object",
                "description": "Where the result lies, as the parameters of the task give it.",
            },
            body: _SCHEMAS[body],
        },
        "required": ["summary", "place", body],
        "additionalProperties": False,
    }


_WORDS: Final = {
    TABULAR: "table",
    DOCUMENT: "document",
    CODE: "code",
    FORM: "record filed",
    VERIFICATION: "check",
}
_SCHEMAS: Final[Mapping[str, Any]] = {
    "table": {
        "type": "object",
        "properties": {
            "columns": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_COLUMNS},
            "rows": {
                "type": "array",
                "items": {"type": "array", "items": _CELL, "maxItems": MOST_COLUMNS},
                "maxItems": MOST_ROWS,
            },
        },
        "required": ["columns", "rows"],
        "additionalProperties": False,
    },
    "facts": {"type": "object", "additionalProperties": _CELL, "maxProperties": MOST_COLUMNS},
    "code": {"type": "string", "maxLength": LONGEST_CODE},
}
