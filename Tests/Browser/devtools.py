"""The DevTools protocol: commands to a browser, and its events, as JSON over two pipes.

The browser reads from its descriptor 3 and writes to 4; a zero byte ends each message. It ends when the pipes
close, also if a test run is killed. Unlike a port, the pipes are closed to other programs.
"""

import asyncio
import contextlib
import inspect
import itertools
import json
import os
from collections.abc import Callable, Coroutine

from programs import PATIENCE


class Refused(AssertionError):
    """The browser refused a command, or did not reply."""


class DevTools:
    """The one connection to a browser. Its sessions are the browser itself (None) and its pages."""

    def __init__(self, commands: int, events: int):
        """`commands`, `events`: the descriptors of our ends of the pipes, which this object closes."""
        self._commands = commands
        self._events = events
        self._numbers = itertools.count(1)
        self._replies: dict[int, asyncio.Future[dict]] = {}
        self._listeners: list[tuple[str, str | None, Callable]] = []
        self._tasks: set[asyncio.Task] = set()
        #: The errors of background tasks, such as listeners.
        self.faults: list[BaseException] = []

    async def __aenter__(self) -> "DevTools":
        loop = asyncio.get_running_loop()
        # Pictures are long lines.
        self._reader = asyncio.StreamReader(limit=2**26)
        self._events_transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._reader), os.fdopen(self._events, "rb", 0)
        )
        self._writer, _ = await loop.connect_write_pipe(
            asyncio.BaseProtocol, os.fdopen(self._commands, "wb", 0)
        )
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_) -> None:
        self._writer.close()
        self._events_transport.close()
        for task in (self._reading, *self._tasks):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def send(self, method: str, session: str | None = None, **parameters) -> dict:
        """Sends a command to the browser, or to one of its sessions; the result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        if self._reading.done():
            raise Refused(f"{method}: the browser has ended.")
        reply = self._replies[number] = asyncio.get_running_loop().create_future()
        self._writer.write(json.dumps(message).encode() + b"\0")
        try:
            async with asyncio.timeout(PATIENCE):
                return await reply
        except TimeoutError:
            raise Refused(f"{method}: the browser did not reply in {PATIENCE:.0f} s.") from None
        except Refused as error:
            raise Refused(f"{method}: {error}") from None
        finally:
            del self._replies[number]

    @contextlib.contextmanager
    def listening(self, method: str, listener: Callable, session: str | None = None):
        """Calls `listener`, which may be a coroutine function, with the parameters of each such event."""
        entry = (method, session, listener)
        self._listeners.append(entry)
        try:
            yield
        finally:
            self._listeners.remove(entry)

    @contextlib.asynccontextmanager
    async def awaiting(self, method: str, session: str | None = None):
        """Waits at its end for the first such event since its beginning; yields a future of its parameters."""
        event: asyncio.Future[dict] = asyncio.get_running_loop().create_future()
        with self.listening(method, lambda it: event.done() or event.set_result(it), session):
            yield event
            try:
                async with asyncio.timeout(PATIENCE):
                    await event
            except TimeoutError:
                raise AssertionError(f"Timed out waiting for the browser’s event {method}.") from None

    async def _read(self) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                message = json.loads((await self._reader.readuntil(b"\0"))[:-1])
                if "id" in message:
                    self._take_reply(message)
                else:
                    self._take_event(message)
        for reply in self._replies.values():
            if not reply.done():
                reply.set_exception(Refused("the browser has ended."))

    def _take_reply(self, message: dict) -> None:
        # A late reply has no waiting test.
        reply = self._replies.get(message["id"])
        if reply is None or reply.done():
            return
        if error := message.get("error"):
            reply.set_exception(Refused(error.get("data") or error["message"]))
        else:
            reply.set_result(message["result"])

    def _take_event(self, message: dict) -> None:
        for method, session, listener in list(self._listeners):
            if method != message["method"] or session != message.get("sessionId"):
                continue
            if inspect.isawaitable(result := listener(message["params"])):
                self.begin(result)

    def begin(self, work: Coroutine) -> None:
        """Runs this in the background; an error goes to `faults`."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (fault := task.exception()):
            self.faults.append(fault)
