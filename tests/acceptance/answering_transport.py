"""A transport without a network: a function answers, and every call is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self, final

from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.door import Door


@final
class AnsweringTransport:
    """Answers chats by *answer*, which may raise a ``ProviderFault``.

    :ivar calls: what arrived, in order.
    """

    def __init__(self, answer: Callable[[ChatCall], str | Completion]) -> None:
        self.calls: list[ChatCall] = []
        self._answer = answer

    @classmethod
    def saying(cls, *replies: str | Completion) -> Self:
        """Return one that gives *replies* in turn; a further call is an error."""
        left = iter(replies)
        return cls(lambda _: next(left))

    @property
    def door(self) -> Door:
        """A new door to this transport."""
        return Door(transport=lambda _: self)

    def chat(self, call: ChatCall) -> Completion:
        """Return the answer."""
        self.calls.append(call)
        said = self._answer(call)
        return completion(said) if isinstance(said, str) else said

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Refuse: nobody should want vectors here."""
        raise AssertionError("no embedding was expected")

    def close(self) -> None:
        """Hold nothing that could be let go."""


def completion(text: str, finish_reason: str = "stop") -> Completion:
    """Return an assistant's message that says *text*."""
    return Completion({"role": "assistant", "content": text}, finish_reason, 10, 5, None)
