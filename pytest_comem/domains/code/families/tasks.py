"""The public words of a node: instruction, context, parameters, entity scope, tools."""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue

from pytest_comem.domains.code import contents, tools
from pytest_comem.domains.code.families.blueprint import Step
from pytest_comem.domains.code.instances import Instance
from pytest_comem.domains.code.issues import read_issue
from pytest_comem.workflows.schema import ContextItem, Task

OUTPUT_TYPES: Final = {
    "analyse": contents.REQUIREMENTS,
    "reproduce": contents.REPRODUCTION,
    "baseline": contents.BASELINE,
    "localize": contents.LOCALIZATION,
    "plan": contents.PLAN,
    "implement": contents.CANDIDATE,
    "test": contents.TESTS,
    "release": contents.RELEASE,
    "verify": contents.VERIFICATION,
}
_LOOK: Final = (tools.READ, tools.SEARCH)
TOOLS: Final = {
    "analyse": (tools.ISSUE, *_LOOK),
    "reproduce": (*_LOOK, tools.PYTHON),
    "baseline": (tools.TESTS,),
    "localize": (*_LOOK, tools.TESTS, tools.PYTHON),
    "plan": _LOOK,
    "implement": (*_LOOK, tools.WRITE, tools.TESTS, tools.PYTHON),
    "test": (tools.TESTS, tools.PYTHON),
    "release": (*_LOOK, tools.WRITE),
    "verify": (tools.TESTS, tools.PYTHON),
}
_INSTRUCTIONS: Final = {
    "analyse": "Read the report. Give the public names that its examples call, dotted, and every "
    "statement of its examples with what has to be shown after it, as an interactive session "
    "shows it.",
    "reproduce": "Write a script of assertions from the examples of the requirements handed over, "
    "run it on the base commit, and say what it came to: fails, passes or breaks.",
    "baseline": "Run all tests on the base commit, and give the status of each by its node id.",
    "localize spectrum": "Find the functions of the library that most likely hold the fault, by "
    "the lines that the failing script executes and passing tests do not; at most five, the most "
    "suspicious first, with file, first and last line.",
    "localize words": "Find the functions of the library that most likely hold the fault, by the "
    "names and words of the requirements handed over; at most five, the most likely first, with "
    "file, first and last line.",
    "plan": "Choose from the localizations handed over the one function that has to be changed, "
    "and give file, function, first and last line, and what kinds of fault it could have.",
    "implement": "Change the planned lines and nothing else so that the script passes and no test "
    "that passed before fails; give the change as a unified diff against the base commit.",
    "test focused": "Apply the candidate to the base commit, run the tests of the module that it "
    "changes and the script, and give every status.",
    "test regression": "Apply the candidate to the base commit, run all tests, and give the "
    "status of each.",
    "release": "Make the release of the candidate: its change, the version raised by one in the "
    "last place, and a line in the changelog that names the issue; as one unified diff.",
    "verify": "Apply the release to the base commit, run everything once more, and say whether "
    "the issue is resolved.",
}


def title_of(instance: Instance) -> str:
    """Return the title of an issue."""
    return read_issue(instance.problem_statement).title


def task_of(step: Step, instance: Instance) -> Task:
    """Return a node's task."""
    number = instance.instance_id.rpartition("-")[2]
    about = f"Issue {number} of {instance.repo}, reported on commit {instance.base_commit[:12]}."
    told = _INSTRUCTIONS[f"{step.action} {step.option}".strip()]
    parameters: dict[str, JsonValue] = {
        "action": step.action,
        "repository": instance.repo,
        "base_commit": instance.base_commit,
        "issue": instance.instance_id,
    }
    if step.action == "localize":
        parameters["method"] = step.option
    if step.action == "test":
        parameters["scope"] = step.option
    if step.action == "release":
        parameters["title"] = title_of(instance)
    return Task(instruction=f"{about} {told}", parameters=parameters)


def context_of(step: Step, instance: Instance) -> tuple[ContextItem, ...]:
    """Return what a node may see from the start: the issue, where it has to be read."""
    if step.action != "analyse":
        return ()
    return (ContextItem(context_id="issue", text=instance.problem_statement),)


def scope_of(step: Step, instance: Instance) -> str:
    """Return the entity scope of what a node makes: the issue, and the part."""
    name, _, number = instance.instance_id.partition("__")[2].rpartition("-")
    return f"{name} issue {number}: {step.node_id.replace('_', ' ')}"


def other_scope_of(step: Step, instance: Instance) -> str:
    """Return the scope of the same part on another line of releases."""
    return f"{scope_of(step, instance)} (maintenance branch)"
