"""A scripted model that does workflow nodes from what it is shown, turn by turn."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from retrieval_play import directories
from shipped_families import shipped

_BLOCK = r"--- begin {0} (\w+) ---\n(.*)\n--- end {0} \1 ---"
_ITEM = re.compile(r"^\[\d+\] ", re.MULTILINE)
_INPUT = re.compile(
    r"- (\S+) for (.+), version (\d+) or higher, made by (\S+?)(, with a receipt)?$"
)
_HEADER = re.compile(
    r"(a-[0-9a-f]{16}): (\S+) for (.+), version (\d+), made by (\S+) of (\S+), "
    r"(no receipt|receipt \S+)$"
)


@dataclass(frozen=True)
class Item:
    """An artifact as the model is shown it."""

    id: str
    type: str
    scope: str
    version: int
    maker: str
    family: str
    receipt: str
    content: Any

    def meets(self, scope: str, version: int, maker: str) -> bool:
        """Whether all that is said of an input holds for it."""
        is_it = (self.scope, self.maker) == (scope, maker) and self.version >= version
        return is_it and self.receipt != "no receipt"


@dataclass(frozen=True)
class Asked:
    """A chat about a node, as the model reads it."""

    body: Mapping[str, Any]

    @property
    def first(self) -> str:
        """The message that hands out the node."""
        return str(self.body["messages"][1]["content"])

    @property
    def node(self) -> str:
        """The node's id."""
        found = re.match(r"Your task is the node (\S+):", self.first)
        assert found
        return found[1]

    def block(self, name: str, text: str = "") -> str:
        """What stands between the marked lines of that name."""
        found = re.search(_BLOCK.format(name), text or self.first, re.DOTALL)
        assert found
        return found[2]

    @property
    def parameters(self) -> dict[str, Any]:
        """The task's."""
        _, found, rest = self.block("task").partition("\nParameters: ")
        parameters: dict[str, Any] = json.loads(rest) if found else {}
        return parameters

    @property
    def turns(self) -> int:
        """How many tools it has used."""
        said = [each for each in self.body["messages"] if each["role"] == "assistant"]
        return sum('"tool"' in each["content"] for each in said)

    @property
    def answer(self) -> Any:
        """What the last tool said, as JSON."""
        return json.loads(self.block("answer", self.body["messages"][-1]["content"]))

    @cached_property
    def items(self) -> list[Item]:
        """The artifacts that have reached the node."""
        found = []
        for text in _ITEM.split(self.block("artifacts"))[1:]:
            header, _, content = text.rstrip("\n").partition("\n")
            read = _HEADER.match(header)
            if read:
                name, kind, scope, version, maker, family, receipt = read.groups()
                value = json.loads(content.strip())
                found.append(Item(name, kind, scope, int(version), maker, family, receipt, value))
        return found

    @property
    def inputs(self) -> list[tuple[str, str, int, str]]:
        """Type, entity, lowest version and maker of what the node needs."""
        found = map(_INPUT.match, self.first.splitlines())
        return [(each[1], each[2], int(each[3]), each[4]) for each in found if each]

    def chosen(self, *, careful: bool) -> list[Item]:
        """The item for each input: where the model is careful by all that is said of it, else the
        last one of its type.
        """
        found = []
        for wanted in self.inputs:
            fitting = [
                item
                for item in self.items
                if item.type == wanted[0] and (not careful or item.meets(*wanted[1:]))
            ]
            found += fitting[-1:]
        return list({item.id: item for item in found}.values())


@cache
def gold() -> dict[tuple[str, str], Any]:
    """What every node of the shipped retrieval families has to make, by node and task."""
    found: dict[tuple[str, str], Any] = {}
    for directory in directories():
        one = shipped(directory.name)
        for node in one.family.nodes:
            key = (node.node_id, node.task.instruction)
            content = one.oracles.of(node.node_id).gold
            assert found.setdefault(key, content) == content
    return found


def finishing(content: Any, consumed: list[str]) -> str:
    """Return the reply that gives a content."""
    members = {"content": content, "consumed": consumed}
    return json.dumps({"tool": None, "arguments": None, **members})


def using(tool: str, **arguments: Any) -> str:
    """Return the reply that uses a tool."""
    members = {"content": None, "consumed": list[str]()}
    return json.dumps({"tool": tool, "arguments": arguments, **members})


def doing(body: Mapping[str, Any], *, careful: bool = True) -> str:
    """Do a retrieval node rightly where its inputs are right: search, open, then give the content.

    Anything that is not the node's input makes a content that says what it was misled by.
    """
    asked = Asked(body)
    task = asked.parameters
    chosen = asked.chosen(careful=careful)
    if task["action"] == "search" and not asked.turns:
        named = (one.content.get("entity") for one in chosen)
        anchor = task.get("anchor") or next(filter(None, named), "nothing")
        return using("corpus_search", partition=task["partition"], query=anchor)
    if task["action"] == "search" and asked.turns == 1 and asked.answer:
        return using("corpus_open", doc_id=asked.answer[0]["doc_id"], start=0)
    ids = [item.id for item in chosen]
    right = asked.chosen(careful=True)
    if [item.id for item in right] != ids or len(ids) < len(asked.inputs):
        return finishing({"misled": [item.scope for item in chosen]}, ids)
    instruction = asked.block("task").partition("\nParameters: ")[0]
    content = gold()[asked.node, instruction]
    return finishing({k: v for k, v in content.items() if k not in ("engine", "corpus")}, ids)
