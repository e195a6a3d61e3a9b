"""What a model is shown of a node: one form for everything that has reached it, however it came.

Whatever comes from outside stands between lines with a marker that occurs in none of it, and no
line of it begins where an item's number could.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_comem.executors.domain import Shown, ToolSpec
from pytest_comem.llm.marking import clipped, marked, marker_of
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.views import InputContract, NodeView

#: To be raised when this module words something differently: prompts are versioned by their file.
WORDING: Final = 1
#: Characters of one artifact, one recalled text or one tool's answer that are shown.
SHOWN: Final = 24_000
#: Items that are shown.
MOST_ITEMS: Final = 500

_CONTINUED: Final = "\n    "


def prompt_values(
    shown: Shown,
    tools: Sequence[ToolSpec],
    schema: Mapping[str, Any],
    turns: int,
) -> dict[str, str]:
    """Return the values of the prompt's placeholders.

    :param schema: JSON Schema of the content.
    """
    view = shown.view
    blocks = {
        "task": _task(view),
        "context": _numbered(each.text for each in view.authorized_context) or "(none)",
        "artifacts": _numbered(_items(shown)) or "(nothing)",
    }
    return {
        **blocks,
        "marker": marker_of(*blocks.values()),
        "node": view.node_id,
        "inputs": "\n".join(map(_input, view.handoff_contract)) or "- none",
        "tools": "\n".join(map(_tool, tools)) or "- none",
        "output": view.output_type,
        "schema": _json(schema),
        "turns": str(turns),
    }


def told(tool: str, says: str, *, refused: bool, last: bool) -> str:
    """Return what a model is told after it has used a tool.

    :param says: the tool's answer, or why it does not take the call.
    :param last: no further tool can be used.
    """
    done = "does not take this call" if refused else "answers"
    further = (
        "You have no more turns for tools: give your artifact's content now.\n" if last else ""
    )
    return (
        f"The tool {tool} {done}:\n"
        f"{marked('answer', _bounded(says))}\n"
        f"{further}Reply with the JSON object."
    )


def _task(view: NodeView) -> str:
    parameters = dict(view.task.parameters)
    given = f"\nParameters: {_json(parameters)}" if parameters else ""
    return f"{view.task.instruction}{given}"


def _items(shown: Shown) -> Iterator[str]:
    """Yield what has reached the worker, a text each: artifacts, then what is none."""
    for artifact in shown.artifacts[:MOST_ITEMS]:
        # Not the view's own: an artifact that was found wrong has a receipt there, too.
        yield _artifact(artifact, shown.receipts.get(artifact.artifact_id))
    for text in shown.texts[:MOST_ITEMS]:
        yield f"a text that is no artifact\n{_bounded(text)}"


def _artifact(artifact: Artifact, receipt: str | None) -> str:
    maker = artifact.producer
    stated = f"receipt {receipt}" if receipt is not None else "no receipt"
    return (
        f"{artifact.artifact_id}: {artifact.semantic_type} for {_line(artifact.entity_scope)}, "
        f"version {artifact.version}, made by {maker.node_id} of {maker.family_id}, {stated}\n"
        f"{_bounded(_json(artifact.content))}"
    )


def _input(wanted: InputContract) -> str:
    contract = wanted.contract
    checked = ", with a receipt" if contract.verification == "verified_receipt" else ""
    needed = "" if wanted.required else " (can be done without)"
    return (
        f"- {contract.semantic_type} for {_line(contract.entity_scope)}, version "
        f"{contract.version} or higher, made by {wanted.source}{checked}{needed}"
    )


def _tool(tool: ToolSpec) -> str:
    return f"- {tool.name}: {tool.description} Arguments: {_json(tool.parameters)}"


def _numbered(texts: Iterator[str]) -> str:
    return "\n".join(
        f"[{number}] {_CONTINUED.join(text.splitlines())}" for number, text in enumerate(texts, 1)
    )


def _bounded(text: str) -> str:
    return clipped(text, SHOWN)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _line(text: str) -> str:
    return " ".join(text.split())
