"""A Raspberry Pi in QEMU, with its console and its pins."""

import asyncio
import contextlib
import pathlib
import socket
import time

from boards import Board, Image
from gdb import Debugger
from programs import Program

#: Registers of the pins: set a level, clear it, read it; and the offset at which the kernel reads events.
_SET, _CLEAR, _LEVEL, _EVENTS = 0x1C, 0x28, 0x34, 0x40
#: The interrupt of the first bank of pins: BCM2835 ARM Peripherals, 7.5.
_INTERRUPT = 49
#: Where QEMU's loader keeps the other processors of a Pi 3 in a loop, and the loop's WFE and WFI.
_LOOP, _WFE, _WFI = range(0x300, 0x340, 4), 0xD503205F, 0xD503207F
#: How many instructions of the handler may precede its read of the events.
_SEARCH = 300


class Emulator(Program):
    """QEMU with a board. The console is its output."""

    def __init__(
        self, board: Board, image: Image, card: pathlib.Path, folder: pathlib.Path, uart: pathlib.Path, options: str
    ):
        """`card`: the card, which changes; `folder`: for sockets; `uart`: the socket of the Bluetooth chip; `options`:
        more options of the kernel."""
        self.board = board
        self._qtest, self._gdb = folder / "qtest", folder / "gdb"
        for path in (self._qtest, self._gdb):
            path.unlink(missing_ok=True)
        super().__init__(
            *(board.emulator, "-M", board.machine, *image.options, "-append", f"{board.kernel} {options}"),
            *("-drive", f"if=sd,format=raw,file={card}", "-display", "none", "-monitor", "none"),
            # The first UART has the Bluetooth chip, and the second one the console.
            *("-serial", f"unix:{uart}", "-serial", "stdio", "-no-reboot"),
            # An instruction takes 8 ns of the board's time, so that a slow computer is a slow board, and not one whose
            # programs miss their deadlines.
            *("-accel", "tcg", "-icount", "shift=3"),
            *("-qtest", f"unix:{self._qtest},server=on,wait=off", "-qtest-log", "none"),
            *("-gdb", f"unix:{self._gdb},server=on,wait=off"),
        )
        #: When the power came on, in seconds.
        self.power_on = 0.0
        #: When each line of the console came.
        self.times: list[float] = []

    async def __aenter__(self) -> "Emulator":
        self.power_on = time.time()
        await super().__aenter__()
        async with asyncio.timeout(20):
            while not self._qtest.exists():
                await asyncio.sleep(0.05)
        self._registers = socket.socket(socket.AF_UNIX)
        self._registers.connect(str(self._qtest))
        self._answers = self._registers.makefile("r")
        if self.board.word == 8:
            self._halt_other_processors()
        return self

    async def __aexit__(self, *details) -> None:
        self._registers.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await super().__aexit__(*details)

    def _halt_other_processors(self) -> None:
        """QEMU runs WFE as a loop, which takes nine tenths of the time from the processor that boots."""
        (address,) = [at for at in _LOOP if int(self._test(f"readl {at:#x}"), 16) == _WFE]
        self._test(f"writel {address:#x} {_WFI:#x}")

    @property
    def age(self) -> float:
        """The seconds since the power came on."""
        return time.time() - self.power_on

    async def says(self, text: str, seconds: float) -> str:
        """Waits for the next line of the console with this text; what follows the text. `seconds` are the first
        board's."""

        def accept(line: str) -> str | None:
            before, found, after = line.partition(text)
            return f"{found}{after}".strip() if found else None

        return await self.line(accept, f"{text!r} on the console", seconds * self.board.slowness)

    async def ends(self, seconds: float) -> None:
        """Waits until the kernel has ended. QEMU ends with it where the kernel can reset the board."""
        async with asyncio.timeout(seconds * self.board.slowness):
            while self._process.returncode is None and not any("reboot: " in line for line in self.output):
                await asyncio.sleep(0.1)

    # Pins

    def is_high(self, pin: int) -> bool:
        return bool(int(self._test(f"readl {self.board.gpio + _LEVEL:#x}"), 16) >> pin & 1)

    def set_level(self, pin: int, is_high: bool) -> None:
        """The level of an input, without an edge: QEMU has neither pulls nor edges."""
        self._test(f"writel {self.board.gpio + (_SET if is_high else _CLEAR):#x} {1 << pin:#x}")

    def change_level(self, pin: int, is_high: bool, handler: int) -> None:
        """Changes the level of an input, with the edge that QEMU lacks: raises the interrupt of the pins, and lets the
        kernel's handler, at the address `handler`, read the pin's event."""
        debugger = Debugger(str(self._gdb), self.board.word)
        debugger.set_breakpoint(handler, True)
        self.set_level(pin, is_high)
        self._interrupt(True)
        debugger.resume()
        debugger.wait(30 * self.board.slowness)
        debugger.set_breakpoint(handler, False)
        target = self._step_over_read(debugger)
        debugger.set_register(target, debugger.register(target) | 1 << pin)
        self._interrupt(False)
        debugger.close()

    def _step_over_read(self, debugger: Debugger) -> int:
        """Executes the handler until it has read the events; the register that has them."""
        read = _arm_load if self.board.word == 4 else _aarch64_load
        program_counter = 15 if self.board.word == 4 else 32
        for _ in range(_SEARCH):
            code = debugger.instruction(debugger.register(program_counter))
            load = read(code, debugger)
            debugger.step()
            if load and load[1] & 0xFFF == _EVENTS:
                return load[0]
        raise AssertionError("the kernel's handler reads no events")

    def _interrupt(self, is_raised: bool) -> None:
        self._test(f"set_irq_in /machine/soc/peripherals/ic gpu-irq {_INTERRUPT} {int(is_raised)}")

    def _test(self, command: str) -> str:
        self._registers.sendall(f"{command}\n".encode())
        answer = self._answers.readline().split()
        assert answer and answer[0] == "OK", f"{command}: {answer}"
        return answer[-1]


def _arm_load(code: int, debugger: Debugger) -> tuple[int, int] | None:
    """The target and the address of LDR with an immediate offset: ARM Architecture Reference Manual, A5.2."""
    if code & 0x0E50_0000 != 0x0410_0000:
        return None
    offset = (code & 0xFFF) * (1 if code >> 23 & 1 else -1)
    return code >> 12 & 15, debugger.register(code >> 16 & 15) + (offset if code >> 24 & 1 else 0)


def _aarch64_load(code: int, debugger: Debugger) -> tuple[int, int] | None:
    """The target and the address of LDR of 32 bits with an unsigned offset: A64, C6.2.131."""
    if code & 0xFFC0_0000 != 0xB940_0000:
        return None
    return code & 31, debugger.register(code >> 5 & 31) + (code >> 10 & 0xFFF) * 4
