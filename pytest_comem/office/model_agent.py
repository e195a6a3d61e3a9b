"""A language model that does office tasks, in turns: it uses the operations as tools.

Replies are JSON objects in the text, held to a schema as far as the provider can, so that every
provider and every recording will do. Whatever a model says or leaves undone, what stands in the
workspace at the end is graded: no reply, however wrong, is trouble of the infrastructure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.tokens import count_tokens
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.calls import Completion
from pytest_comem.llm.faults import Fault, ModelCallError, RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.prompts import Prompt
from pytest_comem.llm.structured import StructuredModel, Unparsable
from pytest_comem.llm.turns import ToolCall
from pytest_comem.office.base import Shown, Stopped, Trajectory, Workbench
from pytest_comem.office.model_agent_prompt import ANSWER, WORDING, prompt_values, told
from pytest_comem.office.model_agent_reply import SCHEMA_NAME, Ended, Turn, read_turn, turn_schema
from pytest_comem.office.offline_agent import learn
from pytest_comem.office.operations import Operation
from pytest_comem.office.plan_problems import problems_of
from pytest_comem.office.toolbox import specs
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.tree import read_tree

#: How often a model is asked for a reply that can be read, in each turn.
ATTEMPTS: Final = 3
#: To be raised when the loop below goes another way.
_LOOP: Final = 1
#: Characters of the last words that are kept.
_REPLY: Final = 2_000


@final
@dataclass(frozen=True, slots=True)
class AgentLimits:
    """What one run of a task may take; each ends the work, and what stands then is graded.

    :param calls: tools used.
    :param tokens: of the model, in and out, as its provider counts them; as this package does where
        the provider does not say. No turn is begun that would cost more than is left.
    :param seconds: by the clock. They are looked at between turns, so that a call at hand is waited
        for. The one limit that another machine, or a replay, may reach elsewhere.
    """

    calls: int = 40
    tokens: int = 200_000
    seconds: float = 900.0


@final
class ModelAgent:
    """Does tasks by a language model; see :class:`pytest_comem.office.base.OfficeAgent`.

    :param prompt: what the model is told; the package's own when not given.
    :param clock: seconds from some moment on.
    """

    def __init__(
        self,
        model: StructuredModel,
        limits: AgentLimits | None = None,
        prompt: Prompt | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._limits = limits or AgentLimits()
        self._prompt = prompt or Prompt.load("pytest_comem.office", "office_task")
        self._clock = clock
        self.name: Final = model.name
        told_so = [[tool.name, tool.description, tool.parameters] for tool in specs()]
        limit = self._limits
        #: Changes with everything but model and task that determines the work.
        self.version: Final = stable_hash(
            [
                [self._prompt.version, WORDING, _LOOP, ATTEMPTS, ANSWER, told_so],
                [limit.calls, limit.tokens, limit.seconds],
                [model.structured, dict(model.spec.parameters), model.spec.server],
            ]
        )[:16]

    def missing(self, shown: Shown) -> str | None:
        """Return nothing: a model can try every task."""
        return None

    def work(self, shown: Shown, bench: Workbench, meter: Meter) -> Trajectory:
        """Do a task; calls are made for *meter*.

        :raises ModelCallError: where a call failed for good.
        :raises InfrastructureError: where the sandbox or a tool broke.
        """
        values = prompt_values(shown, _paths(shown, bench), specs(), self._limits.calls)
        chat = _Chat(self._model, self._limits, self._prompt.messages(**values), bench, meter)
        stopped = chat.held(self._clock)
        return Trajectory(
            calls=tuple(bench.calls()),
            reply=chat.reply[:_REPLY],
            stopped=stopped,
            known=_known(shown),
            tokens=chat.spent,
        )


@final
class _Chat:
    """One run of a task while it goes on."""

    def __init__(
        self,
        model: StructuredModel,
        limits: AgentLimits,
        messages: list[dict[str, str]],
        bench: Workbench,
        meter: Meter,
    ) -> None:
        self._model = model
        self._limits = limits
        self._messages: list[Mapping[str, str]] = list(messages)
        self._bench = bench
        self._meter = meter
        self._schema: Mapping[str, Any] = turn_schema(specs())
        self._handed_out = len(messages)
        self._last = 0
        self.spent = 0
        self.reply = ""

    def held(self, clock: Callable[[], float]) -> Stopped:
        """Ask until the model ends, or a limit does; return which."""
        end = clock() + self._limits.seconds
        left = self._limits.calls
        while True:
            if clock() >= end:
                return "time"
            # A turn costs at least what the one before did.
            if self.spent + self._last > self._limits.tokens:
                return "tokens"
            try:
                turn = self._asked()
            except Unparsable:
                return "unreadable"
            if turn is None or self.spent > self._limits.tokens:
                return "tokens"
            if isinstance(turn, Ended):
                self.reply = turn.reply
                return "finished"
            if not left:
                return "steps"
            left -= 1
            self._use(turn, left)

    def _asked(self) -> Turn | None:
        """Return what the model says; ``None`` where the chat has grown too long for it."""
        begun = len(self._messages) > self._handed_out
        try:
            return self._model.ask(
                self._messages,
                meter=self._meter,
                schema=self._schema,
                schema_name=SCHEMA_NAME,
                parse=read_turn,
                attempts=ATTEMPTS,
                heard=self._count,
            )
        except RunStopped:
            raise
        except ModelCallError as error:
            if begun and error.kind is Fault.CONTEXT_TOO_LONG:
                return None
            raise

    def _count(self, completion: Completion) -> None:
        self._last = completion.input_tokens + completion.output_tokens
        if not self._last:
            texts = [message["content"] for message in self._messages]
            self._last = sum(map(count_tokens, [*texts, completion.text]))
        self.spent += self._last

    def _use(self, call: ToolCall, left: int) -> None:
        """Use a tool, and tell the model what came of it."""
        result = self._bench.do(Operation(call.tool, call.arguments))
        self._messages += [
            {"role": "assistant", "content": call.text},
            {"role": "user", "content": told(call.tool, result, left)},
        ]


def _paths(shown: Shown, bench: Workbench) -> list[str]:
    try:
        return read_tree(bench.workspace).paths()
    except UnreadableError as error:
        raise InfrastructureError(f"task {shown.task.task_id}: {error}", type="sandbox") from error


def _known(shown: Shown) -> Mapping[str, tuple[str, ...]]:
    """Return what the recalled passages offer, by the slots of the task's plan.

    The model is shown nothing of it. It says of recall what it says with the offline agent: which
    problems it would have solved.
    """
    if shown.plan is None or not shown.passages or problems_of(shown.plan):
        return {}
    return learn(shown, shown.plan).known
