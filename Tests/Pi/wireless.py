"""The Bluetooth half of a Raspberry Pi's wireless chip, a BCM43430A1, between QEMU's UART and a virtual air.

    wireless.py LISTEN AIR

QEMU's serial line connects to the UNIX socket LISTEN; the controller is the air's at the UNIX socket AIR. The
packets of H4 pass between both (Core Specification, Vol 4, Part A, 2). The vendor's commands that the kernel's
hci_bcm and btbcm send are answered here, and Read Local Version Information is answered as that chip does.

A chip keeps its address as long as it has power and so does this one: it stays on the air when QEMU restarts. If the air
goes, the chip answers nothing. When the air is back it has started again, which it reports as a Hardware Error (Vol 4,
Part E, 7.7.16). Prints a line with the time of each step.
"""

import asyncio
import contextlib
import struct
import sys
import time

_COMMAND, _DATA, _EVENT = 1, 2, 4
#: The length of a packet's header after its type, and where its length is: Vol 4, Part E, 5.4.
_HEADERS = {1: (3, "B"), 2: (4, "H"), 3: (3, "B"), 4: (2, "B"), 5: (4, "H")}

_RESET, _READ_LOCAL_VERSION, _ADVERTISING_ENABLE = 0x0C03, 0x1001, 0x200A
_HARDWARE_ERROR = bytes([_EVENT, 0x10, 1, 0])
_SUCCESS, _UNKNOWN_COMMAND = b"\x00", b"\x01"

#: The vendor's commands of drivers/bluetooth/btbcm.c and hci_bcm.c, and the return parameters of each. The chip's
#: number 94 and build 0 belong to a BCM43430A1.
_VENDOR = {
    0xFC01: _SUCCESS,  # Write BD_ADDR
    0xFC18: _SUCCESS,  # Update UART Baud Rate
    0xFC1C: _SUCCESS,  # Write SCO PCM Int Parameter
    0xFC1D: bytes(6),  # Read SCO PCM Int Parameter
    0xFC1E: _SUCCESS,  # Write PCM Data Format Parameter
    0xFC27: _SUCCESS,  # Set Sleepmode Parameter
    0xFC2E: _SUCCESS,  # Download Minidriver
    0xFC45: _SUCCESS,  # Write UART Clock Setting
    0xFC4C: _SUCCESS,  # Write RAM
    0xFC4E: _SUCCESS,  # Launch RAM
    0xFC6E: bytes(9),  # Read Controller Features
    0xFC79: bytes([0, 94, 0, 0, 0, 1, 0]),  # Read Verbose Config Version Info
}
#: HCI subversion 0, Broadcom (15), LMP subversion 0x2209: btbcm's table calls it a BCM43430A1.
_VERSION = {8: b"\x00\x00", 11: b"\x0f\x00", 13: b"\x09\x22"}


def say(*words) -> None:
    print(f"{time.time():.3f}", *words, flush=True)


async def packet(reader: asyncio.StreamReader) -> bytes:
    """The next packet of H4, with its type."""
    kind = await reader.readexactly(1)
    if kind[0] not in _HEADERS:
        raise ValueError(f"no packet of H4 begins with {kind.hex()}")
    length, form = _HEADERS[kind[0]]
    header = await reader.readexactly(length)
    (count,) = struct.unpack_from("<" + form, header, length - struct.calcsize("<" + form))
    # Bits 14 and 15 of an ISO length are reserved.
    return kind + header + await reader.readexactly(count & 0x3FFF)


class Chip:
    def __init__(self, air: str):
        self._air = air
        self._to_air: asyncio.StreamWriter | None = None
        self._to_host: asyncio.StreamWriter | None = None

    async def stay_on_air(self) -> None:
        """Joins the air, again and again, and passes its packets to the host."""
        was_there = False
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                reader, self._to_air = await asyncio.open_unix_connection(self._air)
                say("on the air")
                if was_there:
                    self._to_the_host(_HARDWARE_ERROR)
                was_there = True
                while True:
                    self._to_the_host(self._as_broadcom(await packet(reader)))
            if self._to_air:
                say("the air is gone")
                self._to_air.close()
                self._to_air = None
            await asyncio.sleep(0.05)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers a host, from its power-on to the end of QEMU."""
        say("a host has power")
        self._to_host = writer
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                self._take(await packet(reader))
        say("the host has no power")
        self._to_host = None
        # A chip without power does not advertise.
        self._to_the_air(struct.pack("<BHB", _COMMAND, _RESET, 0))

    def _take(self, sent: bytes) -> None:
        opcode = struct.unpack_from("<H", sent, 1)[0] if sent[0] == _COMMAND else None
        if opcode == _RESET:
            say("reset")
        if opcode == _ADVERTISING_ENABLE and sent[4]:
            say("advertising")
        if opcode is not None and opcode >> 10 == 0x3F:
            say(f"vendor's command {opcode:04x}")
            returned = _VENDOR.get(opcode, _UNKNOWN_COMMAND)
            head = struct.pack("<BBBBH", _EVENT, 0x0E, 3 + len(returned), 1, opcode)
            self._to_the_host(head + returned)
        else:
            self._to_the_air(sent)

    def _as_broadcom(self, received: bytes) -> bytes:
        is_complete = received[:2] == bytes([_EVENT, 0x0E])
        if is_complete and struct.unpack_from("<H", received, 4)[0] == _READ_LOCAL_VERSION:
            changed = bytearray(received)
            for offset, value in _VERSION.items():
                changed[offset : offset + len(value)] = value
            return bytes(changed)
        return received

    def _to_the_host(self, sent: bytes) -> None:
        if self._to_host:
            self._to_host.write(sent)

    def _to_the_air(self, sent: bytes) -> None:
        if self._to_air:
            self._to_air.write(sent)


async def main(listen: str, air: str) -> None:
    chip = Chip(air)
    server = await asyncio.start_unix_server(chip.serve, listen)
    async with server:
        say("waiting for a host")
        await chip.stay_on_air()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
