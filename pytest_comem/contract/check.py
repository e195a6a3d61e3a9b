"""Whether a system keeps a promise, and how a broken one is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from pytest_comem.contract.asking import MOMENT, SOMEBODY
from pytest_comem.contract.code import can_say, code_of
from pytest_comem.contract.journal import Call, NotApplicable, OutOfOrder, Step
from pytest_comem.contract.naming import arguments_of, can_be_opened
from pytest_comem.contract.performer import Performer
from pytest_comem.contract.promise import EXAMPLES, Promise
from pytest_comem.contract.search import Counterexample, find_counterexample
from pytest_comem.contract.telling import describe
from pytest_comem.endpoint.registry import SCRIPTED
from pytest_comem.errors import place_of
from pytest_comem.memory.registry import SystemUnderTest

__all__ = ["EXAMPLES", "Verdict", "check", "working_order"]

_SENTENCE: Final = "The office plant needs water on Mondays."


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one promise and one system.

    :param counterexample: contradicts the promise, or ``None``.
    :param not_applicable: why the promise says nothing about the system, or ``None``.
    :param report: the counter-example for people: a paragraph, then code that runs.
    """

    counterexample: Counterexample | None = None
    not_applicable: str | None = None
    report: str = ""

    @property
    def kept(self) -> bool:
        """Whether the promise applies and nothing contradicts it."""
        return self.counterexample is None and self.not_applicable is None


def check(
    promise: Promise,
    system: SystemUnderTest,
    *,
    seed: int,
    examples: int = EXAMPLES,
    embedder: str = "hash",
) -> Verdict:
    """Try a promise on a system.

    :param examples: scale of how many are tried; :data:`EXAMPLES` is the usual one.
    :param embedder: name of the run's, for printed code.
    :raises OutOfOrder: where something around the library broke.
    """
    objection = promise.objection(system.info.name, system.capabilities)
    if objection is not None:
        return Verdict(not_applicable=objection)
    number = max(1, round(promise.examples * examples / EXAMPLES))
    try:
        found = find_counterexample(promise, system, seed=seed, examples=number)
    except NotApplicable as reason:
        return Verdict(not_applicable=reason.reason)
    if found is None:
        return Verdict()
    return Verdict(found, report=report_of(promise, system, found, arguments_of(system, embedder)))


def working_order(system: SystemUnderTest) -> str | None:
    """Return why a system cannot even keep one plain sentence, or ``None``.

    It is the line between a broken run and a broken promise: a service that is missing, a model
    that cannot be reached.
    """
    performer = Performer(system)
    values = {"id": "e1", "text": _SENTENCE, "principal": SOMEBODY, "timestamp": MOMENT}
    steps = (
        Step(Call.OPEN, "m"),
        Step(Call.INGEST, "m", values),
        Step(Call.RECALL, "m", {"query": _SENTENCE, "k": 1}),
    )
    try:
        for step in steps:
            try:
                error = performer.attempt(step)
            except OutOfOrder as trouble:
                error = trouble
            if error is not None:
                told = f"{describe(error)}{place_of(error)}"
                return f"memory system {system.info.name} raised in {step.call}(): {told}"
    finally:
        performer.close()
    return None


def report_of(
    promise: Promise, system: SystemUnderTest, found: Counterexample, arguments: str
) -> str:
    """Return a counter-example for people.

    :param arguments: of ``open_memory``, as source.
    """
    calls = getattr(system.factory, "calls", None)
    if dict(system.options) != dict(getattr(system.factory, "options", {})):
        # They are written for the default settings.
        calls = None
    broken = found.broken
    own = calls is not None and can_say(calls, broken)
    words = "the library's own calls" if own else "pytest-comem's own interface"
    lines = [
        f"{system.info.name} ({system.info.version}) breaks a promise: {promise.statement}",
        f"  expected: {broken.expected}",
        f"  happened: {broken.happened}",
    ]
    if not found.steady:
        lines.append("  It did not break every time it was repeated.")
    if system.capabilities.needs_model and system.workshop.endpoint.chat_model != SCRIPTED:
        lines.append("  The program has the scripted model, not the run's.")
    if not own and not can_be_opened(system):
        lines.append(f"  The program opens {system.name!r}, which a script may not find.")
    head = f"# The shortest sequence found, in {words}:"
    return "\n".join([*lines, "", head, code_of(broken, calls, arguments)])
