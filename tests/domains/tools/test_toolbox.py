"""What a language model may use: the servers' own tools, as far as a token goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from shipped_families import shipped, view_of
from tools_stand_in import SEEN, StandInServers

from pytest_comem.domains.tools.laying import Ground, ground_of
from pytest_comem.domains.tools.toolbox import ServerToolbox, content_schema
from pytest_comem.executors.domain import Toolbox, ToolRefusal
from pytest_comem.servers.base import ServerTool, ToolAnswer

ONE = shipped("tools-terms-script")


class Described:
    """Stand-in servers that also describe a few tools."""

    def __init__(self, ground: Ground) -> None:
        self._servers = StandInServers(ground)

    def specs(self, names: Sequence[str]) -> Sequence[ServerTool]:
        """Describe the tools of servers."""
        every = [
            ServerTool("filesystem", "move_file", "Moves.", {"type": "object"}),
            ServerTool("filesystem", "write_file", "Writes.", {"type": "object"}),
            ServerTool("filesystem", "read_text_file", "Reads.", {"type": "object"}),
            ServerTool("sqlite", "write_query", "Changes.", {"type": "object"}),
        ]
        return [one for one in every if one.server in names]

    def call(self, server: str, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Use a tool."""
        return self._servers.call(server, tool, arguments)


@pytest.fixture
def ground() -> Iterator[Ground]:
    """Lay out what the family starts with."""
    with ground_of(ONE.family) as opened:
        yield opened


def toolbox(ground: Ground, node_id: str) -> Toolbox:
    """Return the tools of a node."""
    view = view_of(ONE.family, node_id, ONE.gold)
    return ServerToolbox(Described(ground), SEEN, view, ground.state)


def test_only_the_tokens_tools_are_told(ground: Ground) -> None:
    """In its order, with the server's description and schema, and where the workspace is."""
    specs = toolbox(ground, "read_terms").specs()
    assert [one.name for one in specs] == ["filesystem__read_text_file", "filesystem__write_file"]
    assert specs[0].description == "Reads.\nThe workspace is /workspace."
    assert specs[0].parameters == {"type": "object"}


def test_only_the_tokens_tools_are_called(ground: Ground) -> None:
    """Others are refused in words for the model, as are calls that a server refuses."""
    box = toolbox(ground, "read_terms")
    text = box.call("filesystem__read_text_file", {"path": "/workspace/inbox/terms.csv"})
    assert text.startswith("client,least_units,days")
    for name in ("filesystem__move_file", "sqlite__write_query", "read_text_file", "", "__"):
        with pytest.raises(ToolRefusal, match="there are filesystem__read_text_file"):
            box.call(name, {})
    with pytest.raises(ToolRefusal, match="No such file"):
        box.call("filesystem__read_text_file", {"path": "/workspace/none.csv"})


def test_a_content_is_completed_from_the_state(ground: Ground) -> None:
    """Place and result as they are; the model's words stay."""
    box, gold = toolbox(ground, "read_terms"), ONE.gold["read_terms"].content
    assert isinstance(gold, dict)
    said = {"summary": "Done.", "facts": {"days": 0}}
    assert box.complete(said) == said
    ground.lay(gold)
    assert box.complete(said) == {**gold, "summary": "Done."}
    assert box.complete(["Done."]) == {**gold, "summary": ""}


@pytest.mark.parametrize(
    ("node_id", "body"),
    [
        ("read_terms", "facts"),
        ("write_query", "code"),
        ("run_query", "table"),
        ("file_offer", "facts"),
    ],
)
def test_the_schema_is_that_of_gold(node_id: str, body: str) -> None:
    """Its required fields are those of the node's gold content, and there are no others."""
    schema = content_schema(view_of(ONE.family, node_id, ONE.gold))
    gold = ONE.gold[node_id].content
    assert isinstance(gold, dict)
    assert set(schema["required"]) == set(schema["properties"]) == set(gold)
    assert body in schema["required"]
