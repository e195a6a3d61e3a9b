"""The public words of a node: instruction, parameters, entity scope, tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from pytest_comem.domains.retrieval import contents
from pytest_comem.domains.retrieval.families.blueprint import Step
from pytest_comem.domains.retrieval.relations import RELATIONS
from pytest_comem.domains.retrieval.tools import OPEN, SEARCH
from pytest_comem.workflows.schema import Task

OUTPUT_TYPES: Final = {
    "search": contents.EVIDENCE,
    "resolve": contents.RESOLVED,
    "answer": contents.ANSWER,
    "audit": contents.PROVENANCE,
    "bundle": contents.BUNDLE,
    "verify": contents.VERIFICATION,
}
TOOLS: Final[dict[str, tuple[str, ...]]] = {
    "search": (SEARCH, OPEN),
    "audit": (OPEN,),
    "verify": (OPEN,),
}
_INSTRUCTIONS: Final = {
    "resolve": "Name the one {kind} that all evidence handed over agrees on, and keep the "
    "sentences that give it.",
    "answer": "Answer the question from the evidence handed over, and keep the sentences that "
    "give it.",
    "audit": "Open every document that is quoted in what was handed over, and check each quotation "
    "at its offsets.",
    "bundle": "Put answer, resolved entities, quotations and audited passages together.",
    "verify": "Check the bundle once more against the documents, and say whether the answer is "
    "supported.",
}


def task_of(step: Step, question: str, names: Mapping[str, str], kind: str) -> Task:
    """Return a node's task.

    :param question: the family's, which every node is told.
    :param kind: of the entity that a ``resolve`` names.
    """
    parameters: dict[str, JsonValue] = {"action": step.action}
    if step.action == "search":
        anchor = names.get(step.anchor)
        told = _with_article(step, anchor) if anchor else f"the {_starting(step)} resolved before"
        instruction = (
            f"Search the partition {step.partition!r} for {asked(step)} {told}. Give every entity "
            "that you find, with a sentence that says so."
        )
        parameters |= {
            "partition": step.partition,
            "relation": step.relation,
            "seeks": step.seeks,
            "anchor": anchor,
        }
    else:
        instruction = _INSTRUCTIONS[step.action].format(kind=kind)
    return Task(instruction=f"{question} {instruction}", parameters=parameters)


def _with_article(step: Step, name: str) -> str:
    """Return a name as it stands within a sentence; people and books have no article."""
    kind = _starting(step)
    return f"the {name}" if kind in ("expedition", "instrument", "institution") else name


def _starting(step: Step) -> str:
    """Return the kind of the entity that a search starts from."""
    relation = RELATIONS[step.relation]
    return relation.subject if step.seeks == relation.object else relation.object


def asked(step: Step) -> str:
    """Return what a search looks for, as a phrase."""
    relation = RELATIONS[step.relation]
    return relation.asks if step.seeks == relation.object else relation.asks_back


def scope_of(step: Step, names: Mapping[str, str]) -> str:
    """Return the entity scope of what a node makes: what the question is about, and the part."""
    about = " and ".join(names.values())
    if step.action != "search":
        return f"{about}: {step.node_id.replace('_', ' ')}"
    return f"{about}: {step.relation} by {step.partition} ({step.node_id})"
