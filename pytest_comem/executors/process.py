"""Other organisations as programs: a protocol of JSON lines over standard input and output.

Order, memory, handoffs, receipts, budgets and revisions stay with the topology-preserving executor,
so that they are the same for everybody. The program decides how a node's work gets done: by itself,
or by asking the domain's worker, once or several times.

One program an instance. Every line to it is an object with ``op``; to each it answers one line,
``{"ok": REPLY}``, or ``{"error": {"type": ..., "message": ...}}``, which ends the instance as an
infrastructure failure. Standard error is shown with the step.

``begin``
    First. ``protocol`` (1), ``family``: the family as its public file has it. The reply is ignored.
``node``
    A node is to be worked on. ``view``: the node's view; ``recalled``: artifacts that the memory
    exposed beyond it; ``texts``: what else it exposed.
``worked``
    The domain's worker is through. ``work``: what it did, in the form of a reply.

The reply to ``node`` and ``worked`` is one of::

    {"work": {"content": JSON, "consumed": [ARTIFACT ID], "actions": [{"action": NAME, ...}],
              "tokens": {"execution": N, "coordination": N}}}
    {"ask": {"notes": [TEXT]}}

``ask`` has the domain's worker work on the node, with the notes as further texts; its answer comes
as ``worked``. Only ``content`` is needed in ``work``. Tokens are counted as they are given, without
those of the worker.
"""

from __future__ import annotations

import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Any, Final, final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from pytest_comem.core.hashing import stable_hash
from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.executors.base import Job, NodeResult
from pytest_comem.executors.domain import Judgement, Shown, Stand, Toolbox, Work
from pytest_comem.executors.topology import TopologyExecutor
from pytest_comem.memory.worker_process import TimedOutError, WorkerProcess
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Family, Node
from pytest_comem.workflows.views import NodeView

PROTOCOL: Final = 1
#: How often a program may ask the domain's worker in one attempt at a node.
MAX_ASKED: Final = 20
#: Seconds a program gets to end itself when its instance is through.
_GRACE: Final = 2.0


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Work(_Strict):
    content: JsonValue
    consumed: list[str] = []
    actions: list[dict[str, JsonValue]] = []
    tokens: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)


class _Ask(_Strict):
    notes: list[str] = []


class _Reply(_Strict):
    work: _Work | None = None
    ask: _Ask | None = None


@final
class ProcessExecutor:
    """Plays instances with a program that organises the work on each node.

    :param command: program and arguments. The version follows from it alone: whoever changes the
        program without changing its command has to say so by another argument.
    :raises SettingsError: where there is no such program.
    """

    name: Final = "process"

    def __init__(self, command: Sequence[str]) -> None:
        if not command or shutil.which(command[0]) is None:
            shown = command[0] if command else ""
            raise SettingsError(f"executor process: there is no program {shown!r} to be started")
        self._command = tuple(command)

    @property
    def version(self) -> str:
        """Hash of command, protocol and the executor below."""
        return stable_hash([*self._command, PROTOCOL, TopologyExecutor.version])

    def run(self, job: Job) -> Generator[NodeResult, None, None]:
        """Play an instance and yield a result a node.

        :raises ComemError: as :class:`pytest_comem.executors.base.Executor` says.
        """
        with closing(_Organised(job.stand, self._command, job.instance.family)) as stand:
            organised = replace(
                job, stand=stand, settings={**job.settings, "organisation": self.version}
            )
            yield from TopologyExecutor().run(organised)


@final
class _Organised:
    """A stand whose work a program organises; what it judges stays what it was."""

    def __init__(self, stand: Stand, command: Sequence[str], family: Family) -> None:
        self._stand = stand
        self._command = command
        self._family = family
        self._program: WorkerProcess | None = None

    def work(self, shown: Shown) -> Work:
        """Let the program do a node's work."""
        reply = self._ask(
            "node",
            view=shown.view.model_dump(mode="json"),
            recalled=[artifact.model_dump(mode="json") for artifact in shown.recalled],
            texts=list(shown.texts),
        )
        for _ in range(MAX_ASKED):
            if reply.work is not None:
                return _as_work(reply.work)
            notes = reply.ask.notes if reply.ask else []
            work = self._stand.work(replace(shown, texts=(*shown.texts, *notes)))
            reply = self._ask("worked", work=_as_json(work))
        if reply.work is not None:
            return _as_work(reply.work)
        raise self._wrong(f"asked for the worker more than {MAX_ASKED} times at one node")

    def evaluate(
        self, node: Node, oracle: Oracle, artifact: Artifact, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Judge by the domain's own evaluator; the program hears nothing of it."""
        return self._stand.evaluate(node, oracle, artifact, consumed)

    def tools(self, view: NodeView) -> Toolbox:
        """Return what the domain gives a language model."""
        return self._stand.tools(view)

    def schema(self, view: NodeView) -> Mapping[str, Any]:
        """Return what the domain says of the content."""
        return self._stand.schema(view)

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.end(_GRACE)

    def _ask(self, operation: str, **more: Any) -> _Reply:
        answer = self._exchange(self._begun(), operation, **more)
        try:
            reply = _Reply.model_validate(answer)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or "reply"
            raise self._wrong(f"answered {operation} wrongly: {field}: {first['msg']}") from None
        if (reply.work is None) == (reply.ask is None):
            raise self._wrong(f"answered {operation} with neither or both of work and ask")
        return reply

    def _begun(self) -> WorkerProcess:
        if self._program is None:
            try:
                self._program = WorkerProcess(self._command, f"executor {self._command[0]}")
            except OSError as error:
                raise self._wrong(f"could not be started: {error.strerror}") from None
            family = self._family.model_dump(mode="json")
            self._exchange(self._program, "begin", protocol=PROTOCOL, family=family)
        return self._program

    def _exchange(self, program: WorkerProcess, operation: str, **more: Any) -> Any:
        seconds = self._family.execution.seconds_per_node
        try:
            return program.ask(operation, seconds, **more)
        except TimedOutError:
            raise self._wrong(f"did not answer {operation} within {seconds:g} s") from None

    def _wrong(self, what: str) -> InfrastructureError:
        return InfrastructureError(f"executor {self._command[0]} {what}", type="executor")


def _as_work(found: _Work) -> Work:
    return Work(found.content, tuple(found.consumed), tuple(found.actions), found.tokens)


def _as_json(work: Work) -> Mapping[str, Any]:
    return {
        "content": work.content,
        "consumed": list(work.consumed),
        "actions": [dict(action) for action in work.actions],
        "tokens": dict(work.tokens),
    }
