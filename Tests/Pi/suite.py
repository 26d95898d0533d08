"""The ball on an emulated Raspberry Pi: its package installed, its service started, its pins and its Bluetooth used
from outside, and all that again after a restart.

    suite.py BOARD FOLDER CARD

FOLDER has the board's image, and CARD is a copy of its card with the package and the job of Tests/Pi/guest.sh.
"""

import asyncio
import contextlib
import pathlib
import re
import sys
import tempfile
import time

from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

from boards import BOARDS, Image
from central import Central, Visit
from checks import Checks
from emulator import Emulator
from pairing import pair
from programs import Program, eightball

#: The pins of the boards' files, and the one that lets the job of Tests/Pi/guest.sh continue.
SHAKE, CLEAR, STATUS, ANSWER, GO = 18, 25, 12, 16, 5
#: The limits in seconds of a boot, with and without the installation, and of what takes a second at most.
BOOT, STEP = 300, 30

checks = Checks()
check = checks.check


class Pi:
    """A board with its wireless chip on an air, from one power-on to the next."""

    def __init__(self, board: str, image: Image, card: pathlib.Path, folder: pathlib.Path):
        self.board = BOARDS[board]
        self._image, self._card, self._folder = image, card, folder
        self.air_path = folder / "air"
        self.radio = f"unix:{self.air_path}"

    def air(self) -> Program:
        """The air. The chip joins it first, and so has the same address on each."""
        return Program(eightball(), "radio", "--listen", self.radio)

    @contextlib.asynccontextmanager
    async def chip(self):
        program = str(pathlib.Path(__file__).with_name("wireless.py"))
        uart = str(self._folder / "uart")
        async with Program(sys.executable, "-B", program, uart, str(self.air_path)) as chip:
            await chip.line(lambda line: "waiting for a host" in line, "that it waits for a host")
            await chip.line(lambda line: "on the air" in line, "that it is on the air")
            yield chip

    @contextlib.asynccontextmanager
    async def power(self, options: str = ""):
        """The board from its power-on, with more options of the kernel."""
        uart = self._folder / "uart"
        async with Emulator(self.board, self._image, self._card, self._folder, uart, options) as emulator:
            # QEMU has no pulls: the lines of open contacts are high.
            for pin in (SHAKE, CLEAR):
                emulator.set_level(pin, True)
            yield emulator

    async def ask(self, question: str, *options: str) -> tuple[str, float]:
        """What `eightball ask` prints, and how long it took in seconds. It keeps its bonds from call to call."""
        environment = {"XDG_STATE_HOME": str(self._folder / "state")}
        patient = ["--timeout", f"{STEP}s", "--address", "C0:00:00:00:00:08"]
        start = time.time()
        command = [eightball(), "ask", "--radio", self.radio, *patient, *options, question]
        async with Program(*command, environment=environment) as program:
            async with asyncio.timeout(3 * STEP):
                status = await program._process.wait()
            await program.ended()
            assert status == 0, program.transcript
            return program.output[-1], time.time() - start


async def moment(chip: Program, text: str, seconds: float, after: float = 0) -> float:
    """The time of the chip's next line with this text, which came after a time."""

    def accept(line: str) -> float | None:
        time_, _, what = line.partition(" ")
        return float(time_) if what == text and float(time_) > after else None

    return await chip.line(accept, text, seconds)


async def until(condition, what: str) -> None:
    end = time.time() + STEP
    while not condition():
        assert time.time() < end, f"timed out waiting until {what}"
        await asyncio.sleep(0.01)


def last_before(chip: Program, text: str, time_: float) -> float:
    """The time of the chip's last line with this text up to a time."""
    times = [float(line.split()[0]) for line in chip.output if text in line]
    return max(moment for moment in times if moment <= time_)


def let_pair(central: Central, bonds: MemoryKeyStore) -> None:
    """Lets a central pair without a check by its user, and keep its bonds."""
    central.device.keystore = bonds
    central.device.pairing_config_factory = lambda _: PairingConfig(
        mitm=False,
        delegate=PairingDelegate(PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT),
        identity_address_type=PairingConfig.AddressType.RANDOM,
    )


async def answered(visit: Visit) -> str:
    """Subscribes, asks, and returns the notification."""
    await visit.subscribe()
    await visit.ask("Are you on a Raspberry Pi?")
    return await visit.next_answer()


async def first_boot(pi: Pi, chip: Program, central: Central, air: contextlib.AsyncExitStack) -> None:
    async with pi.power() as emulator:
        with check("the package is installed, and the service is active") as saw:
            machine = await emulator.says("PI machine", BOOT)
            saw(machine)
            assert pi.board.model in machine, emulator.transcript
            saw(await emulator.says("PI installed 0", BOOT))
            saw(await emulator.says("PI status active, Advertising.", BOOT))
            saw(f"{emulator.age:.0f} s after power-on")
        await emulator.says("PI ready", BOOT)
        handler = handler_of(emulator)

        with check("its lines are those of the board's file, on the board's own pin controller") as saw:
            lines = [" ".join(line.split()[2:]) for line in rows(emulator, "PI line")]
            saw("\n".join(lines))
            edges = [" ".join(line.split()[2:]) for line in rows(emulator, "PI interrupt")]
            saw("\n".join(edges))
            text = "\n".join(lines)
            for pin in (SHAKE, CLEAR):
                assert re.search(f"^{pin}: .* input active-low .*pull-up", text, re.M), lines
                assert re.search(f"^{pin} Edge ", "\n".join(edges), re.M), edges
            for pin in (STATUS, ANSWER):
                assert re.search(f"^{pin}: .* output active-high", text, re.M), lines

        with check("a central pairs, asks, and is answered over the UART") as saw:
            visit = await central.visit()
            await pair(central.device, visit.connection)
            saw(await answered(visit))

        with check("the status light is on, and an answer lights the other one") as saw:
            assert emulator.is_high(STATUS), "the status light is off"
            await until(lambda: not emulator.is_high(ANSWER), "the light of the last answer is off")
            await visit.ask("Does it shine?")
            start = time.time()
            await until(lambda: emulator.is_high(ANSWER), "the answer's light is on")
            saw(f"after {(time.time() - start) * 1_000:.0f} ms")
            await visit.next_answer()

        with check("a press of shake reaches the central") as saw:
            emulator.change_level(SHAKE, False, handler)
            start = time.time()
            saw(await visit.next_answer())
            saw(f"{(time.time() - start) * 1_000:.0f} ms after the edge")
            emulator.change_level(SHAKE, True, handler)

        with check("shake, held for 3 s, opens pairing: eightball ask --pair is answered") as saw:
            emulator.change_level(SHAKE, False, handler)
            # The board's clock may be slower.
            await asyncio.sleep(10)
            answer, took = await pi.ask("May I?", "--pair")
            emulator.change_level(SHAKE, True, handler)
            saw(f"{answer} in {took:.2f} s")
            answer, took = await pi.ask("Do you know me?")
            saw(f"{answer} in {took:.2f} s with the bond")

        emulator.set_level(GO, True)
        with check("it restarts") as saw:
            saw(await emulator.says("PI restarting", STEP))
            await emulator.ends(BOOT / 3)
        with check("the board was chosen by the model in the device tree") as saw:
            chosen = [line for line in rows(emulator, "PI journal") if "Board: " in line]
            saw(chosen[0].partition("Board: ")[2])
            assert f"Board: {pi.board.ball_board} (this is a {pi.board.model})" in chosen[0], chosen
        checks_of_journal(emulator)


def handler_of(emulator: Emulator) -> int:
    """The address of the kernel's handler of the pins."""
    return int(rows(emulator, "PI kernel-handler")[-1].split()[-1], 16)


def rows(emulator: Emulator, start: str) -> list[str]:
    """The console's lines so far that begin so."""
    return [line.strip() for line in emulator.output if line.startswith(start)]


def checks_of_journal(emulator: Emulator) -> None:
    with check("the journal has no error, and systemd did not restart the service") as saw:
        journal = rows(emulator, "PI journal")
        saw(f"{len(journal)} lines")
        assert journal, emulator.transcript
        assert not [line for line in journal if "Error" in line or "Failed" in line], journal
        assert rows(emulator, "PI restarts") == ["PI restarts 0"], rows(emulator, "PI restarts")


def check_of_wait(emulator: Emulator) -> None:
    # Symptom: the service started before its adapter was there, failed, and was started again after 5 s.
    with check("the service, started before the adapter was set up, waited for it") as saw:
        started = second_of(emulator, "PI journal", "Radio: hci0")
        set_up = second_of(emulator, "PI kernel", "build 0000")
        advertising = second_of(emulator, "PI journal", "Advertising as")
        saw(f"it started {started:.2f} s after the kernel")
        saw(f"hci0 was set up at {set_up:.2f} s")
        saw(f"and it advertised {advertising - set_up:.3f} s later")
        assert started < set_up < advertising < set_up + 1, rows(emulator, "PI kernel")


def second_of(emulator: Emulator, start: str, text: str) -> float:
    """The time of the last line with this text, in seconds since the kernel's start."""
    lines = [line for line in rows(emulator, start) if text in line]
    assert lines, f"there is no {text!r} in {rows(emulator, start)}"
    # A journal may have the same message again, after the air came back.
    line = lines[0] if start == "PI journal" else lines[-1]
    return float(line.split()[2])


async def second_boot(pi: Pi, chip: Program, central: Central, air: contextlib.AsyncExitStack) -> None:
    async with pi.power() as emulator:
        with check("seconds from power-on to the first advertisement") as saw:
            advertising = await moment(chip, "advertising", BOOT * pi.board.slowness, emulator.power_on)
            saw(f"{advertising - emulator.power_on:.1f} s")
            reset = last_before(chip, "reset", advertising)
            saw(f"{advertising - reset:.3f} s of them from the ball's first command to its advertising")

        with check("a bond survives the restart: a central encrypts, and is answered") as saw:
            visit = await central.visit()
            await visit.connection.encrypt()
            saw(f"{await answered(visit)} {emulator.age:.0f} s after power-on")
            await visit.disconnect()
            answer, took = await pi.ask("Do you still know me?")
            saw(f"{answer} in {took:.2f} s")
        await emulator.says("PI ready", BOOT)

        with check("after the air was pulled away and given back, it answers") as saw:
            await air.aclose()
            await moment(chip, "the air is gone", STEP)
            await asyncio.sleep(5)
            await air.enter_async_context(pi.air())
            start = await moment(chip, "on the air", STEP)
            await moment(chip, "advertising", 3 * STEP)
            saw(f"it advertises after {time.time() - start:.2f} s")
            answer, took = await pi.ask("Are you back?")
            saw(f"{answer} in {took:.2f} s")

        emulator.set_level(GO, True)
        with check("it stops with success, and releases its lines") as saw:
            saw(await emulator.says("PI stopped success", STEP))
            saw(await emulator.says("PI lines-held 0", STEP))
        checks_of_journal(emulator)
        check_of_wait(emulator)
        await emulator.ends(BOOT / 3)


async def boot_without_chip(pi: Pi) -> None:
    async with pi.power("systemd.journald.forward_to_console=1") as emulator:
        # Symptom: the message said that the system's Bluetooth service used the adapter.
        with check("if the chip does not answer the kernel, the message says so") as saw:
            saw(await emulator.says("the kernel has not set up hci0", BOOT))


async def main(board: str, image: str, card: str) -> None:
    bonds = MemoryKeyStore()
    with tempfile.TemporaryDirectory(prefix="8ball-pi-") as folder:
        pi = Pi(board, Image(pathlib.Path(image)), pathlib.Path(card), pathlib.Path(folder))
        async with contextlib.AsyncExitStack() as air:
            await air.enter_async_context(pi.air())
            async with pi.chip() as chip:
                for boot in (first_boot, second_boot):
                    async with Central.opened(pi.radio) as central:
                        let_pair(central, bonds)
                        await boot(pi, chip, central, air)
                # Without an air the chip is silent.
                await air.aclose()
                await boot_without_chip(pi)
    checks.end()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
