"""A controller that answers each command of a host; its tests send the other packets.

Packets have the H4 type byte first. Core Specification, Vol 4, Part A and Part E.
"""

import asyncio
import contextlib
import struct

from programs import PATIENCE, Program, eightball

COMMAND, ACL, EVENT = 0x01, 0x02, 0x04

DISCONNECT = 0x0406

COMMAND_DISALLOWED = 0x0C

#: The handles of the ball's values: docs/gatt-profile.md.
QUESTION, ANSWER, LISTENING = "1d 00", "1f 00", "20 00"


class Controller:
    """One connection of a host, from the controller's side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._reader, self._writer = reader, writer
        self.is_advertising = False
        #: Commands in their order: opcode and parameters.
        self.commands: list[tuple[int, bytes]] = []
        #: The links whose packets are never completed.
        self.stalled: set[int] = set()
        #: ATT PDUs in their order: link and PDU.
        self.pdus: list[tuple[int, bytes]] = []
        self._changed = asyncio.Condition()

    def send(self, *packets: bytes) -> None:
        """Writes packets in one piece."""
        self._writer.write(b"".join(packets))

    async def serve(self) -> None:
        """Answers until the host disconnects."""
        try:
            while True:
                await self._take(*await self._packet())
        except (asyncio.IncompleteReadError, ConnectionError):
            pass

    async def until(self, accept, description: str, patience: float = PATIENCE) -> None:
        """Waits until `accept` is true of what the host has sent."""
        try:
            async with asyncio.timeout(patience), self._changed:
                await self._changed.wait_for(accept)
        except TimeoutError:
            raise AssertionError(
                f"Timed out waiting for {description}: {self.commands} {self.pdus}"
            ) from None

    def parameters(self, opcode: int) -> list[str]:
        """The parameters of each such command, in hexadecimal."""
        return [parameters.hex(" ") for code, parameters in self.commands if code == opcode]

    async def _packet(self) -> tuple[int, bytes, bytes]:
        kind = (await self._reader.readexactly(1))[0]
        header = await self._reader.readexactly(3 if kind == COMMAND else 4)
        length = header[2] if kind == COMMAND else struct.unpack_from("<H", header, 2)[0]
        return kind, header, await self._reader.readexactly(length)

    async def _take(self, kind: int, header: bytes, body: bytes) -> None:
        number = struct.unpack_from("<H", header)[0]
        if kind == COMMAND:
            self.commands.append((number, body))
            self.send(complete(number, self._result(number, body)))
        else:
            handle = number & 0x0FFF
            # The buffers hold any PDU whole: 4 bytes of L2CAP header before it.
            self.pdus.append((handle, body[4:]))
            if handle not in self.stalled:
                self.send(event(0x13, struct.pack("<BHH", 1, handle, 1)))
        async with self._changed:
            self._changed.notify_all()

    def _result(self, opcode: int, parameters: bytes) -> bytes:
        match opcode:
            case 0x1009:
                return bytes([0, 0x0A, 0, 0, 0, 0, 0xF0])
            case 0x2002:
                return struct.pack("<BHB", 0, 1024, 8)
            case 0x2003:
                return bytes(9)
            case 0x0C03:
                self.is_advertising = False
            case 0x200A:
                self.is_advertising = parameters[0] == 1
            case 0x2006 if self.is_advertising:
                return bytes([COMMAND_DISALLOWED])
        return bytes([0])

    def connected(self, handle: int) -> bytes:
        """The event of a new link, for `send`; the central's address ends in the handle's low byte."""
        self.is_advertising = False
        peer = bytes([handle & 0xFF, 0, 0, 0, 0, 0xC0])
        parameters = struct.pack("<BBHBB6sHHHB", 0x01, 0, handle, 1, 1, peer, 24, 0, 72, 0)
        return event(0x3E, parameters)

    def disconnected(self, handle: int) -> bytes:
        """The event of a link that its central has ended."""
        return event(0x05, struct.pack("<BHB", 0, handle, 0x13))


@contextlib.asynccontextmanager
async def ball_on_a_controller(
    *more_options: str, is_json: bool = True, output: int | None = None
):
    """`eightball run` with these options, and its controller.

    `output`: a descriptor for the ball's output, if the test reads it.
    """
    hosts: asyncio.Queue[Controller] = asyncio.Queue()

    async def accept(reader, writer):
        host = Controller(reader, writer)
        hosts.put_nowait(host)
        await host.serve()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    options = ["--radio", f"tcp-client:127.0.0.1:{port}", "--seed", "8", *more_options]
    if is_json:
        options.append("--json")
    async with server, Program(eightball(), "run", *options, output=output) as ball:
        if output is None:
            await ball.line(lambda line: "dvertising" in line, "advertising")
        host = await hosts.get()
        await host.until(lambda: host.is_advertising, "advertising")
        yield ball, host


def event(code: int, parameters: bytes) -> bytes:
    return bytes([EVENT, code, len(parameters)]) + parameters


def complete(opcode: int, result: bytes) -> bytes:
    """Command Complete, with room for one more command."""
    return event(0x0E, struct.pack("<BH", 1, opcode) + result)


def att(handle: int, pdu: str | bytes) -> bytes:
    """An ACL packet with an ATT PDU from a central."""
    pdu = bytes.fromhex(pdu) if isinstance(pdu, str) else pdu
    frame = struct.pack("<HH", len(pdu), 0x0004) + pdu
    return bytes([ACL]) + struct.pack("<HH", handle | 0x2000, len(frame)) + frame
