"""A language model that does the work of nodes, in turns: it uses tools, then gives the content.

Replies are JSON objects in the text, held to a schema as far as the provider can, so that every
provider and every recording will do. Whatever a model says ends in work that the domain's evaluator
judges: no reply, however wrong, is trouble of the infrastructure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.executors.domain import (
    Judgement,
    Shown,
    Stand,
    Toolbox,
    ToolRefusal,
    Work,
)
from pytest_comem.executors.model_worker_prompt import WORDING, prompt_values, told
from pytest_comem.executors.model_worker_reply import (
    SCHEMA_NAME,
    Finished,
    Reply,
    reader,
    reply_schema,
)
from pytest_comem.llm.calls import Completion
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.prompts import Prompt
from pytest_comem.llm.structured import StructuredModel, Unparsable
from pytest_comem.llm.turns import ToolCall
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Node
from pytest_comem.workflows.views import NodeView

#: Turns of one attempt at a node; in the last one no tool can be used.
TURNS: Final = 16
#: How often a model is asked for a reply that can be read, in each turn.
ATTEMPTS: Final = 3
#: To be raised when the loop below goes another way.
_LOOP: Final = 1
#: Characters of a name, and of a call's arguments, that a trace keeps.
_NAME: Final = 100
_KEPT: Final = 1_000
#: Ids that were never shown, as a trace keeps them.
_UNSHOWN: Final = 20


@final
@dataclass(frozen=True, slots=True)
class Assignment:
    """A node as a model gets it.

    :param schema: JSON Schema of the content.
    :param tokens: that may be used, by the model's count; ``None`` for any number.
    """

    shown: Shown
    toolbox: Toolbox
    schema: Mapping[str, Any]
    tokens: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Done:
    """What a model did.

    :param problem: why there is no content, a clause; empty where there is one.
    """

    work: Work
    problem: str = ""


@final
class ModelWorker:
    """Does nodes by a language model; one serves all instances, from any thread.

    :param prompt: what the model is told; the package's own when not given.
    """

    def __init__(self, model: StructuredModel, prompt: Prompt | None = None) -> None:
        self._model = model
        self._prompt = prompt or Prompt.load("pytest_comem.executors", "workflow_node")
        self.name: Final = model.name
        #: Changes with everything but model, node and tools that determines the work.
        self.version: Final = stable_hash(
            [
                [self._prompt.version, WORDING, _LOOP, ATTEMPTS, TURNS],
                [model.structured, dict(model.spec.parameters), model.spec.server],
            ]
        )

    def work(self, given: Assignment, meter: Meter) -> Done:
        """Do a node's work; calls are made for *meter*.

        :raises ModelCallError: where a call failed for good.
        :raises InfrastructureError: where a tool broke.
        """
        specs = given.toolbox.specs()
        values = prompt_values(given.shown, specs, given.schema, TURNS)
        return _Chat(self._model, self._prompt.messages(**values), given, meter).held()


@final
class _Chat:
    """One attempt at a node while it goes on."""

    def __init__(
        self,
        model: StructuredModel,
        messages: Sequence[Mapping[str, str]],
        given: Assignment,
        meter: Meter,
    ) -> None:
        self._model = model
        self._messages = list(messages)
        self._given = given
        self._meter = meter
        self._specs = given.toolbox.specs()
        self._actions: list[Mapping[str, Any]] = []
        self._spent = 0

    def held(self) -> Done:
        """Ask until there is a content, or no more turns or tokens for one."""
        allowed, before, last = self._given.tokens, 0, False
        for left in reversed(range(TURNS)):
            before, last = self._spent, last or not left
            try:
                reply = self._asked(last=last)
            except Unparsable as unparsable:
                return self._failed(f"the model's reply could not be read: {unparsable.problem}")
            if allowed is not None and self._spent > allowed:
                return self._failed(f"the model used {self._spent:,} tokens of {allowed:,}")
            if isinstance(reply, Finished):
                return self._finished(reply)
            # A turn costs at least what the one before did, and the last one needs its own.
            ahead = self._spent + 2 * (self._spent - before)
            last = left == 1 or (allowed is not None and ahead > allowed)
            self._use(reply, last=last)
        raise AssertionError("the last turn has no tools")

    def _asked(self, *, last: bool) -> Reply:
        return self._model.ask(
            self._messages,
            meter=self._meter,
            schema=reply_schema(self._specs, self._given.schema, last=last),
            schema_name=SCHEMA_NAME,
            parse=reader(last=last),
            attempts=ATTEMPTS,
            heard=self._count,
        )

    def _count(self, completion: Completion) -> None:
        self._spent += completion.input_tokens + completion.output_tokens

    def _use(self, call: ToolCall, *, last: bool) -> None:
        """Use a tool, and tell the model and the trace what came of it."""
        refused = False
        try:
            says = self._given.toolbox.call(call.tool, call.arguments)
        except ToolRefusal as refusal:
            says, refused = str(refusal), True
        name, arguments = call.tool[:_NAME], json.dumps(dict(call.arguments), ensure_ascii=False)
        self._actions.append(
            {
                "action": "tool",
                "tool": name,
                "arguments": arguments[:_KEPT],
                "refused": refused,
                "characters": len(says),
            }
        )
        self._messages += [
            {"role": "assistant", "content": call.text},
            {"role": "user", "content": told(name, says, refused=refused, last=last)},
        ]

    def _finished(self, reply: Finished) -> Done:
        """Return the work with its content; what it rests on is among what was shown."""
        try:
            content = self._given.toolbox.complete(reply.content)
        except ToolRefusal as refusal:
            return self._failed(f"the model's content is not taken: {refusal}")
        shown = {one.artifact_id for one in self._given.shown.artifacts}
        unshown = [each[:_NAME] for each in reply.consumed if each not in shown]
        if unshown:
            self._note("not_shown", ids=unshown[:_UNSHOWN], count=len(unshown))
        return Done(self._work(content, tuple(each for each in reply.consumed if each in shown)))

    def _failed(self, problem: str) -> Done:
        self._note("no_content", problem=problem[:_KEPT])
        return Done(self._work(None, ()), problem)

    def _note(self, action: str, **detail: Any) -> None:
        self._actions.append({"action": action, **detail})

    def _work(self, content: Any, consumed: tuple[str, ...]) -> Work:
        return Work(content, consumed, tuple(self._actions), {"execution": self._spent})


@final
class ModelStand:
    """A stand whose work a model does; what it judges stays what it was.

    :param tokens: that an attempt at a node may use; ``None`` for any number.
    """

    def __init__(
        self,
        stand: Stand,
        worker: ModelWorker,
        meter: Meter,
        tokens: int | None = None,
    ) -> None:
        self._stand = stand
        self._worker = worker
        self._meter = meter
        self._tokens = tokens
        self._problems: dict[str, str] = {}

    def work(self, shown: Shown) -> Work:
        """Let the model do a node's work."""
        view = shown.view
        given = Assignment(shown, self._stand.tools(view), self._stand.schema(view), self._tokens)
        done = self._worker.work(given, self._meter)
        self._problems[view.node_id] = done.problem
        return done.work

    def evaluate(
        self, node: Node, oracle: Oracle, artifact: Artifact, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Judge by the domain's own evaluator; a failure names why there is no content."""
        found = self._stand.evaluate(node, oracle, artifact, consumed)
        problem = self._problems.get(node.node_id, "")
        if found.passed or not problem or artifact.content is not None:
            return found
        return replace(
            found, reason=f"{problem[0].upper()}{problem[1:].rstrip('.')}. {found.reason}"
        )

    def tools(self, view: NodeView) -> Toolbox:
        """Return the domain's tools."""
        return self._stand.tools(view)

    def schema(self, view: NodeView) -> Mapping[str, Any]:
        """Return the domain's schema."""
        return self._stand.schema(view)
