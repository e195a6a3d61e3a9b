"""One running server and the MCP client that talks to it, for callers on other threads."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, Final, final

from mcp import MCPError
from mcp.client.client import Client
from mcp_types import CallToolResult
from pydantic import ValidationError

from pytest_comem.core.printable import printable
from pytest_comem.errors import InfrastructureError
from pytest_comem.sandbox.service import Service
from pytest_comem.servers.background import background
from pytest_comem.servers.base import LONGEST_ANSWER, ServerTool, ToolAnswer, server_failure
from pytest_comem.servers.pipes import Pipes

#: Seconds that a server may take to start and tell its tools, and for one call.
STARTING: Final = 120.0
CALLING: Final = 60.0
#: Seconds that the loop may take beyond, and to let go of an ended server.
_SPARE: Final = 5.0
#: Seconds between the end of a server's output and its own.
_ENDING: Final = 0.5
#: Seconds between two looks at what a server uses.
_LOOK: Final = 0.5
#: Tools that a server may have, pages they may come in, characters of a description.
_MOST_TOOLS: Final = 500
_MOST_PAGES: Final = 50
_DESCRIPTION: Final = 4_000
_SCHEMA: Final = 50_000
#: What a tool may be called; others are left out.
_NAME: Final = re.compile(r"[A-Za-z0-9_./-]{1,128}")
_CUT: Final = "\n[cut off: the answer is longer]"

# What servers say there would reach a terminal as it is.
for _name in ("mcp.client", "mcp.shared", "client"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


@final
class Connection:
    """A server that was started; its tools are known once :meth:`ready` has returned.

    :param name: in ``servers.toml``.
    :param label: of its workflow.
    :param calling: seconds that one call may take.
    """

    def __init__(self, name: str, service: Service, label: str, calling: float = CALLING) -> None:
        self._name = name
        self._service = service
        self._label = label
        self._calling = calling
        self._pipes = Pipes(service)
        self._stop = asyncio.Event()
        self._client: Client | None = None
        self._death = ""
        self._closed = False
        self._ready: Future[Sequence[ServerTool]] = Future()
        self._life = background().submit(self._live())
        self.tools: Sequence[ServerTool] = ()

    def ready(self) -> None:
        """Wait until it has told its tools.

        :raises InfrastructureError: where it does not start, or not in :data:`STARTING` seconds.
        """
        try:
            self.tools = self._ready.result(STARTING + _SPARE)
        except (Exception, CancelledError) as error:
            raise self._died("does not start", error) from error

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Use a tool; see :meth:`pytest_comem.servers.base.ToolServers.call`."""
        self.alive()
        asked = background().submit(self._call(tool, dict(arguments)))
        try:
            answer = asked.result(self._calling + _SPARE)
        except TimeoutError as error:
            raise self._died(f"does not answer {tool!r} in {self._calling:g} s", None) from error
        except Exception as error:
            raise self._died(f"failed in {tool!r}", error) from error
        except BaseException:
            # An answer that comes later belongs to nobody, and the state is unknown.
            asked.cancel()
            self._died("was interrupted", None)
            raise
        return answer

    def alive(self) -> None:
        """Look whether it runs.

        :raises InfrastructureError: of type ``server``, where it does not.
        """
        if self._death:
            raise server_failure(self._death)
        if self._is_gone():
            raise self._died("died", None)

    def close(self) -> None:
        """End it; nothing of it is left afterwards."""
        if self._closed:
            return
        self._closed = True
        self._death = self._death or f"{self._title()}: was closed"
        self._service.kill()
        background().call_soon(self._stop)
        try:
            with suppress(Exception, CancelledError):
                self._life.result(_SPARE)
        finally:
            self._service.close()

    async def _live(self) -> None:
        watch = asyncio.create_task(self._watch())
        try:
            async with asyncio.timeout(STARTING) as limit:
                async with Client(self._pipes.opened(), cache=None) as client:
                    self._client = client
                    tools = await _tools_of(self._name, client)
                    limit.reschedule(None)
                    self._ready.set_result(tools)
                    await self._stop.wait()
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(_first_of(error))
        finally:
            self._client = None
            watch.cancel()

    async def _watch(self) -> None:
        while not self._service.is_over():
            await asyncio.sleep(_LOOK)
            await asyncio.to_thread(self._service.look)

    async def _call(self, tool: str, arguments: dict[str, Any]) -> ToolAnswer:
        client = self._client
        if client is None:
            raise server_failure("the connection is closed")
        self._pipes.asked()
        async with asyncio.timeout(self._calling):
            try:
                result = await client.call_tool(tool, arguments)
            except MCPError as error:
                if self._is_gone():
                    raise
                return ToolAnswer(_cut(error.message), is_error=True)
            except (ValidationError, RuntimeError, ValueError) as error:
                if self._is_gone():
                    raise
                text = f"the answer is not of the form that the server promises: {error}"
                return ToolAnswer(_cut(text), is_error=True)
        return ToolAnswer(_cut(_text_of(result)), is_error=bool(result.is_error))

    def _died(self, how: str, error: BaseException | None) -> InfrastructureError:
        """Note that it is of no use any more, end it, and return the error that says so."""
        if not self._death:
            reason = self._how()
            self._service.kill()
            if not reason and error is not None and not isinstance(error, TimeoutError):
                reason = str(error)[:500] or type(error).__name__
            words = self._pipes.last_words()[-1_000:]
            self._death = printable(
                f"{self._title()}: {how}"
                + (f": {reason}" if reason else "")
                + (f"; it last wrote:\n{words}" if words else ""),
                keep="\n",
            )
        return server_failure(self._death)

    def _is_gone(self) -> bool:
        return self._closed or self._service.is_over() or bool(self._pipes.broken)

    def _how(self) -> str:
        """Return why it answers no more, in words; empty where it may yet."""
        if self._pipes.broken:
            # The end of its output comes before its own.
            until = time.monotonic() + _ENDING
            while not self._service.is_over() and time.monotonic() < until:
                time.sleep(0.01)
        return self._pipes.overrun or self._service.how() or self._pipes.broken

    def _title(self) -> str:
        return f"MCP server {self._name} of {self._label}"


async def _tools_of(name: str, client: Client) -> Sequence[ServerTool]:
    found: list[ServerTool] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            if _NAME.fullmatch(tool.name):
                text = (tool.description or "")[:_DESCRIPTION]
                found.append(ServerTool(name, tool.name, text, _schema(tool.input_schema)))
        cursor = page.next_cursor
        if not cursor or len(found) > _MOST_TOOLS:
            break
    return sorted(found[:_MOST_TOOLS], key=lambda tool: tool.name)


def _schema(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema, or one that takes anything where it is too long for a model."""
    try:
        short = len(json.dumps(given)) <= _SCHEMA
    except (ValueError, RecursionError):
        short = False
    return dict(given) if short else {"type": "object"}


def _text_of(result: CallToolResult) -> str:
    parts = [_part(block) for block in result.content]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return "\n".join(parts)


def _part(block: Any) -> str:
    """Return a part of an answer as text; what is none is named."""
    if block.type == "text":
        return str(block.text)
    if block.type == "resource" and hasattr(block.resource, "text"):
        return str(block.resource.text)
    where = getattr(block, "uri", None) or getattr(block, "mime_type", None) or ""
    return f"[{block.type} {where}]"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_ANSWER else text[:LONGEST_ANSWER] + _CUT


def _first_of(error: BaseException) -> BaseException:
    """Return the error in a group of them that came first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
