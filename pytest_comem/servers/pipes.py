"""A running server's pipes as a transport of MCP's client: one JSON text a line, within bounds.

The client's own transport starts the process itself and reads lines of any length; ours is given a
process that is in its sandbox, and a server that says too much is ended.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import IO, Any, Final, final

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from pytest_comem.sandbox.service import Service

#: Bytes that a server may write before it is asked something else: the longest answer with all
#: notices that come with it.
MOST: Final = 32 << 20
_CHUNK: Final = 1 << 16
#: Bytes of standard error that are kept for messages: the last ones.
_KEPT: Final = 4_000


@final
class Pipes:
    """The pipes of one service.

    :ivar broken: why nothing more can be exchanged, in words; empty while something can.
    :ivar overrun: the same where we put an end to it.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._room = MOST
        self._words: deque[bytes] = deque()
        self.broken = self.overrun = ""

    def asked(self) -> None:
        """Note that the server is asked something: it may write again."""
        self._room = MOST

    def last_words(self) -> str:
        """Return the end of what it wrote to its standard error; any characters."""
        return b"".join(self._words)[-_KEPT:].decode("utf-8", "replace").strip()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[tuple[Any, Any]]:
        """Return the two streams that the client talks through; ends what pumps them."""
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage](0)
        loop = asyncio.get_running_loop()
        writing, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, self._service.stdin
        )
        writer = asyncio.StreamWriter(writing, protocol, None, loop)
        reader, reading = await _readable(self._service.stdout)
        errors, complaining = await _readable(self._service.stderr)
        tasks = [
            loop.create_task(self._receive(reader, to_client)),
            loop.create_task(self._send(from_client, writer, to_client)),
            loop.create_task(self._listen(errors)),
        ]
        try:
            yield from_server, to_server
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            # Where the server died, this one is closed and cannot be aborted.
            if not writing.is_closing():
                writing.abort()
            for transport in (reading, complaining):
                transport.close()
            for stream in (to_client, from_server, to_server, from_client):
                stream.close()
            # Transports close their pipes in the loop's next turn.
            await asyncio.sleep(0)

    async def _receive(
        self,
        reader: asyncio.StreamReader,
        to_client: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        left = bytearray()
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while chunk := await reader.read(_CHUNK):
                self._room -= len(chunk)
                if self._room < 0:
                    self.overrun = f"it wrote more than {MOST >> 20} MiB to one request"
                    self._service.kill()
                    break
                left += chunk
                if b"\n" in chunk:
                    *lines, rest = left.split(b"\n")
                    left = bytearray(rest)
                    for line in lines:
                        await _deliver(bytes(line), to_client)
        self.broken = self.broken or self.overrun or "it closed its output"
        # Tells the client, which else waits for answers.
        to_client.close()

    async def _send(
        self,
        from_client: MemoryObjectReceiveStream[SessionMessage],
        writer: asyncio.StreamWriter,
        to_client: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        try:
            async for message in from_client:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                writer.write(text.encode("utf-8", "replace") + b"\n")
                await writer.drain()
        except (OSError, ValueError):
            self.broken = self.broken or "it takes no more requests"
            to_client.close()

    async def _listen(self, errors: asyncio.StreamReader) -> None:
        held = 0
        with suppress(OSError):
            while chunk := await errors.read(_CHUNK):
                self._words.append(chunk)
                held += len(chunk)
                while len(self._words) > 1 and held - len(self._words[0]) >= _KEPT:
                    held -= len(self._words.popleft())


async def _readable(pipe: IO[bytes]) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader, transport


async def _deliver(
    line: bytes, to_client: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    """Hand a message on; what is none, such as a print of the server's, is left out."""
    try:
        message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except (ValueError, RecursionError):
        return
    await to_client.send(SessionMessage(message))
