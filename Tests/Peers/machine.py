"""A microcontroller in QEMU that runs the ball, with its console, buttons, lights and memory."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import subprocess

from programs import PATIENCE, REPOSITORY, Program

#: QEMU's board, the QEMU keys of its buttons, and the register and bits of its lights.
BOARD = "lm3s6965evb"
BUTTONS = {"shake": "ctrl", "clear": "up"}
LIGHTS = 0x40025000 + 4 * 0b101
LIGHT_BITS = {"status": 0b001, "answer": 0b100}

#: With this option an instruction takes 2^7 ns of the machine's time, 1.6 ticks of the board's clock of
#: 12.5 MHz, independent of QEMU's speed.
COUNTING = ("-icount", "shift=7")
TICKS_AN_INSTRUCTION = 2**7 * 12_500_000 / 1_000_000_000


def image(name: str) -> pathlib.Path:
    """The image of this name, which `scripts/build firmware` writes."""
    folder = pathlib.Path(os.environ.get("FIRMWARE", REPOSITORY / ".build-firmware"))
    path = folder / name / "eightball.elf"
    if not path.exists():
        raise FileNotFoundError(f"There is no {path}. Build it: scripts/build firmware {name}.")
    return path


class Machine(Program):
    """QEMU with an image. The console is its output."""

    def __init__(self, elf: pathlib.Path, folder: pathlib.Path, radio: str, *options: str):
        self._elf = elf
        self._control = folder / "qmp"
        kind, host, port = radio.split(":")
        assert kind == "tcp-client"
        super().__init__(
            "qemu-system-arm",
            *("-M", BOARD, "-display", "none", "-monitor", "none", "-nic", "none"),
            # The contents of the flash memory.
            *("-kernel", str(elf.with_suffix(".bin")), "-serial", "stdio"),
            *("-chardev", f"socket,id=controller,host={host},port={port},reconnect=1"),
            *("-serial", "chardev:controller"),
            *("-qmp", f"unix:{self._control},server=on,wait=off"),
            *options,
        )

    async def __aenter__(self) -> "Machine":
        await super().__aenter__()
        async with asyncio.timeout(PATIENCE):
            while True:
                with contextlib.suppress(ConnectionError, FileNotFoundError):
                    self._reader, self._writer = await asyncio.open_unix_connection(self._control)
                    break
                await asyncio.sleep(0.01)
            await self._reader.readline()
            await self.execute("qmp_capabilities")
        return self

    async def __aexit__(self, *details) -> None:
        self._writer.close()
        await super().__aexit__(*details)

    async def says(self, text: str, patience: float = PATIENCE) -> str:
        """Waits for the next line with this text, after those already taken."""
        return await self.line(
            lambda line: line.strip() if text in line else None, f"a line with {text!r}", patience
        )

    # The board

    async def press(self, button: str, seconds: float = 0.1) -> None:
        """Presses and releases a button."""
        for is_down in (True, False):
            key = {"type": "qcode", "data": BUTTONS[button]}
            event = {"type": "key", "data": {"down": is_down, "key": key}}
            await self.execute("input-send-event", events=[event])
            # Longer than the debounce time.
            await asyncio.sleep(seconds)

    async def lights(self) -> set[str]:
        """The lights that are on."""
        bits = await self.register(LIGHTS)
        return {name for name, bit in LIGHT_BITS.items() if bits & bit}

    async def register(self, address: int) -> int:
        """The value of a register or a word of memory."""
        return (await self.words(address, 1))[0]

    async def words(self, address: int, count: int) -> list[int]:
        """`count` words of memory."""
        text = await self.execute(
            "human-monitor-command", **{"command-line": f"xp /{count}wx {address:#x}"}
        )
        rows = [line.partition(":")[2].split() for line in text.splitlines()]
        return [int(word, 16) for row in rows for word in row]

    async def variable(self, pattern: str, count: int) -> list[int]:
        """The words of the variable whose mangled name matches."""
        return await self.words(symbol(self._elf, pattern), count)

    async def sleep_statistics(self) -> dict[str, int]:
        """The counts of Sources/CortexM/Clock.swift."""
        names = ("wake-ups", "waits", "ticks awake")
        return dict(zip(names, await self.variable(r".*5sleepAA5SleepVvp", len(names))))

    async def memory(self, address: int, size: int) -> bytes:
        """`size` bytes of memory."""
        file = self._control.with_name("memory")
        await self.execute("pmemsave", val=address, size=size, filename=str(file))
        return file.read_bytes()

    async def execute(self, command: str, **arguments):
        """Executes a command of QEMU's machine protocol; its result."""
        self._writer.write(json.dumps({"execute": command, "arguments": arguments}).encode())
        async with asyncio.timeout(PATIENCE):
            while True:
                reply = json.loads(await self._reader.readline())
                if "error" in reply:
                    raise AssertionError(f"QEMU refuses {command}: {reply['error']}")
                if "return" in reply:
                    return reply["return"]


def sections(elf: pathlib.Path) -> dict[str, int]:
    """The sizes of the image's sections, in bytes."""
    table = subprocess.run(
        ["arm-none-eabi-size", "-A", str(elf)], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split() for line in table.splitlines() if line.startswith(".")]
    return {row[0]: int(row[1]) for row in rows}


def program_memory(elf: pathlib.Path) -> int:
    """The bytes of program memory that the image takes."""
    sizes = sections(elf)
    return sum(sizes[name] for name in (".vectors", ".text", ".rodata", ".ARM.exidx", ".data"))


def symbol(elf: pathlib.Path, pattern: str) -> int:
    """The address of the one symbol whose name matches."""
    table = subprocess.run(
        ["arm-none-eabi-nm", str(elf)], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split() for line in table.splitlines()]
    found = {int(row[0], 16) for row in rows if re.fullmatch(pattern, row[-1])}
    assert len(found) == 1, f"{pattern} is the name of {len(found)} symbols of {elf}."
    return found.pop()
