"""A model without a model: it recognizes a library's own prompts and answers by extraction.

It lets libraries that extract with a language model run their real code with no key. What it says
is deterministic and stands word for word in the prompt, so a run shows what a library does with
good but plain extractions, not what a language model would add.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest

#: Modules with a function ``answer(request) -> ChatReply | None``; the first that answers is taken.
SCRIPTS: Final = ("mem0", "langmem", "a_mem", "memos", "memorybank", "remem", "plugmem", "graphiti")

Script = Callable[[ChatRequest], ChatReply | None]


@final
class ScriptedChat:
    """Completes chats by the scripts of this package.

    :param scripts: others instead.
    """

    def __init__(self, scripts: tuple[Script, ...] | None = None) -> None:
        self._scripts = _shipped() if scripts is None else scripts

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return what the first script that recognizes the request says.

        A request that none recognizes gets the last message's first line back.
        """
        for script in self._scripts:
            reply = script(request)
            if reply is not None:
                return reply
        last = request.messages[-1].text if request.messages else ""
        return ChatReply(last.strip().partition("\n")[0].rstrip())


def _shipped() -> tuple[Script, ...]:
    found = []
    for name in SCRIPTS:
        module = import_module(f"pytest_comem.endpoint.scripts.{name}")
        script: Script = module.answer
        found.append(script)
    return tuple(found)
