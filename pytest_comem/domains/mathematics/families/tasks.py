"""The public words of a node: instruction, parameters, entity scope, tools."""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue

from pytest_comem.domains.mathematics import contents
from pytest_comem.domains.mathematics.families.blueprint import Blueprint, Step, theorem_of
from pytest_comem.domains.mathematics.tools import CHECK, READ, SEARCH
from pytest_comem.workflows.schema import Task

OUTPUT_TYPES: Final = {
    "state": contents.STATEMENT,
    "prove": contents.PROOF,
    "audit": contents.AXIOMS,
    "bundle": contents.BUNDLE,
    "verify": contents.VERIFICATION,
}
TOOLS: Final[dict[str, tuple[str, ...]]] = {
    "state": (READ, SEARCH),
    "prove": (READ, CHECK),
    "audit": (CHECK,),
    "verify": (CHECK,),
}
_ROLES: Final = {
    "state": "statement",
    "prove": "proof",
    "audit": "axioms",
    "bundle": "development",
    "verify": "verification",
}
_INSTRUCTIONS: Final = {
    "state": "Find the theorem registered in module {module} which says that {words}. Give its "
    "name, its exact statement and the statement's hash.",
    "prove": "Prove, in module {module}, that {words}. Take the statement and the lemmas from what "
    "was handed over, and hand the lemmas' proofs on with yours.",
    "audit": "Check every proof that was handed over, up to the one that {words}, and report the "
    "axioms that each of them rests on.",
    "bundle": "Put all proofs that were handed over into one development of module {module} which "
    "ends with the proof that {words}, and name the theorems whose axioms were audited.",
    "verify": "Check the whole development once more, with all its proofs, up to the one that "
    "{words}. Give verdict, axioms and toolchain.",
}


def task_of(blueprint: Blueprint, step: Step) -> Task:
    """Return a node's task."""
    words = theorem_of(blueprint.module, step.theorem).words
    instruction = _INSTRUCTIONS[step.action].format(module=blueprint.module, words=words)
    parameters: dict[str, JsonValue] = {"action": step.action, "module": blueprint.module}
    if step.action == "state":
        parameters["words"] = words
    return Task(instruction=instruction, parameters=parameters)


def scope_of(blueprint: Blueprint, step: Step) -> str:
    """Return the entity scope of what a node makes: which result of which theorem.

    Its number keeps a scope's words from being all among those of another.
    """
    number = blueprint.steps.index(step) + 1
    return f"{blueprint.module}, {step.theorem}: {_ROLES[step.action]} {number} ({step.node_id})"
