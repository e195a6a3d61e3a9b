"""What a domain of CoMemBench brings: tools, a worker, an evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, final

from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Domain, Family, Node
from pytest_comem.workflows.views import NodeView


@final
@dataclass(frozen=True, slots=True)
class Shown:
    """All that a worker gets.

    :param view: the node's view: task, context, incoming artifacts, contracts, capability token.
    :param recalled: artifacts that the memory system exposed beyond the view, in its order.
    :param texts: what else the memory system exposed, which is no artifact word for word.
    :param receipts: ids of the verified receipts that shown artifacts come with, by their ids.
    """

    view: NodeView
    recalled: tuple[Artifact, ...] = ()
    texts: tuple[str, ...] = ()
    receipts: Mapping[str, str] = field(default_factory=dict)

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """Everything that is shown and is an artifact, what was handed over first."""
        handed = (each.artifact for each in self.view.incoming_artifacts)
        return (*handed, *self.recalled)


@final
@dataclass(frozen=True, slots=True)
class Work:
    """What a worker did.

    :param content: of the artifact it makes, as JSON.
    :param consumed: ids of the artifacts that the content rests on.
    :param actions: calls of tools, for the trace.
    :param tokens: by use (execution, coordination); words where no model was called.
    """

    content: Any
    consumed: tuple[str, ...] = ()
    actions: tuple[Mapping[str, Any], ...] = ()
    tokens: Mapping[str, int] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Judgement:
    """What an evaluator found.

    :param passed: whether the output is what the node has to make.
    :param reason: one short paragraph for people.
    :param evidence: what decided, as JSON.
    """

    passed: bool
    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a language model is told of it.

    :param parameters: JSON Schema of its arguments, an object.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


class ToolRefusal(Exception):
    """A call that a tool does not take; its text is the answer that the model gets."""


class Toolbox(Protocol):
    """The tools that one node's capability token allows, on the instance's own state."""

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools, in a fixed order."""

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Use a tool and return what it says, bounded in length.

        :param arguments: as a model gave them, of any shape.
        :raises ToolRefusal: where there is no such tool, or it does not take the arguments.
        :raises InfrastructureError: where the tool broke.
        """

    def complete(self, content: Any) -> Any:
        """Return a model's content with what the state holds better, such as a diff."""


class Stand(Protocol):
    """One workflow instance's own workspace, corpus or service."""

    def work(self, shown: Shown) -> Work:
        """Do a node's work with what the worker is shown, and the tools its token names.

        :raises InfrastructureError: where a tool or sandbox broke; never for bad work.
        """

    def evaluate(
        self, node: Node, oracle: Oracle, artifact: Artifact, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Judge an output by the domain's native evaluator.

        :param consumed: what the worker says it rests on.
        :raises InfrastructureError: where the evaluator could not run.
        """

    def tools(self, view: NodeView) -> Toolbox:
        """Return what a language model that does this node's work may use."""

    def schema(self, view: NodeView) -> Mapping[str, Any]:
        """Return the JSON Schema of the content that the node has to make."""


class DomainKit(Protocol):
    """Everything that plays a domain's families."""

    @property
    def domain(self) -> Domain:
        """Which domain."""

    @property
    def version(self) -> str:
        """Changes whenever worker, tools or evaluator may give another result."""

    def missing(self, family: Family) -> str | None:
        """Return what is not here to play a family, and how to get it; nothing is started.

        A family that lacks something is left out of the run, which says so.
        """

    def close(self) -> None:
        """Stop what is shared by instances; nothing is opened afterwards. May be called again."""

    def open(self, family: Family, instance: str) -> AbstractContextManager[Stand]:
        """Return a fresh stand of one instance."""
