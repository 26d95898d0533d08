"""A ball whose board has a motion sensor and a display, on a simulated I2C bus (i2c-stub) and a simulated chip."""

import ctypes
import fcntl
import os
import struct
import time

from adapters import ADDRESSES, Controllers, set_up
from att import Central
from bench import Bench, shipped_board
from checks import Checks
from programs import Ball, eventually, run
from simulator import Button

#: Addresses of the kernel's i2c-stub: see machine.sh.
SENSOR, DISPLAY = 0x18, 0x3C
#: Registers of an LIS3DH, data sheet, section 8, and its samples with automatic increment, 6.1.1.
WHO_AM_I, CTRL_REG1, OUT_X = 0x0F, 0x20, 0x28 | 0x80
#: The same of INT1_CFG, and what the driver sets it to: i2c-stub does not know that bit 7 is not part of a number.
INT1_CFG, EVENTS = 0x30 | 0x80, 0x2A
#: Where i2c-stub keeps the first command of the last transfer to an SSD1306: its control byte is the number of a
#: register. Data sheet, 10.1.12 and 10.1.13: display on, and the position of a page.
COMMAND, DISPLAY_ON, PAGE = 0x80, 0xAF, 0xB0
MOTION_LINE = 17
#: The duration of the observation, in seconds.
WATCH = 10

# From the kernel's include/uapi/linux/i2c.h and i2c-dev.h.
_SLAVE_FORCE, _SMBUS = 0x0706, 0x0720
_WRITE, _READ, _BYTE_DATA = 0, 1, 2

checks = Checks()
check = checks.check


class Stub:
    """The registers of a chip on the simulated bus, which have no other behaviour."""

    def __init__(self, address: int):
        self._address = address

    def _transfer(self, direction: int, register: int, value: int = 0) -> int:
        data = ctypes.create_string_buffer(bytes([value]), 34)
        request = struct.pack("@BBIP", direction, register, _BYTE_DATA, ctypes.addressof(data))
        bus = os.open("/dev/i2c-0", os.O_RDWR)
        try:
            fcntl.ioctl(bus, _SLAVE_FORCE, self._address)
            fcntl.ioctl(bus, _SMBUS, request)
        finally:
            os.close(bus)
        return data.raw[0]

    def __getitem__(self, register: int) -> int:
        return self._transfer(_READ, register)

    def __setitem__(self, register: int, value: int) -> None:
        self._transfer(_WRITE, register, value)


def accelerate(sensor: Stub, x: int) -> None:
    """Sets the sample: x and the standard gravity along z, in mg. 16 mg are a step of 64, data sheet, 2.1."""
    for register, mg in ((OUT_X, x), (OUT_X + 4, 1_000)):
        low, high = struct.pack("<h", mg // 16 * 64)
        sensor[register], sensor[register + 1] = low, high


def shake(sensor: Stub, line: Button) -> None:
    """Moves the ball to and fro for 2 s, 2.5 g each way, and lays it down."""
    line.press()
    for number in range(20):
        accelerate(sensor, 2_500 if number % 2 else -2_500)
        time.sleep(0.1)
    accelerate(sensor, 0)
    line.release()


sensor, display = Stub(SENSOR), Stub(DISPLAY)


def reset() -> None:
    """The registers of a sensor that lies still."""
    sensor[WHO_AM_I] = 0x33
    sensor[INT1_CFG] = EVENTS
    accelerate(sensor, 0)


reset()
board = shipped_board("pi-4b")
options = ["--board", board.name, "--seed", "8"]
for setting in (
    *("motion.part=lis3dh", "motion.bus=i2c-0", f"motion.line=GPIO{MOTION_LINE}"),
    *("display.part=ssd1306", "display.bus=i2c-0"),
):
    options += ["--set", setting]

with Bench(board) as bench, Controllers(), Ball("hci1", *options) as ball:
    line = Button(bench.chip, MOTION_LINE, is_active_low=False)
    line.release()
    set_up("hci0", True)
    ball.event("advertising")

    with check("it sets the sensor and the display up"):
        eventually("the sensor measures", lambda: sensor[CTRL_REG1] != 0)
        eventually("the display is lit, after it was drawn", lambda: display[COMMAND] == DISPLAY_ON)

    with Central(ADDRESSES[1]) as central:
        ball.event("connected")
        central.subscribe()
        central.ask("Will it be shaken?")
        central.answer()

        with check("a shake in the hand gives a new answer") as saw:
            display[COMMAND] = 0
            shake(sensor, line)
            ball.event("button", action="shake")
            saw(central.answer().decode())
            eventually("pages are drawn", lambda: display[COMMAND] & 0xF8 == PAGE)

        # Waits for the end of the motion, and of the answer's pulse.
        time.sleep(4)
        with check(f"no wake-up in {WATCH} s at rest, with a central and steady lights") as saw:
            before = ball.wake_ups()
            time.sleep(WATCH)
            more = ball.wake_ups() - before
            assert more == 0, f"woken {more} times"
            saw(f"{before} before, {more} since")

        with check("without its bus it answers, and says what is missing") as saw:
            assert run("/sbin/rmmod", "i2c-stub").returncode == 0
            line.press()
            detail = ball.event("motion", state="lost")["detail"]
            saw(detail)
            assert "/dev/i2c-0 is missing" in detail, detail
            central.ask("And now?")
            saw(central.answer().decode())
            line.release()

        with check("the parts return with the bus") as saw:
            assert run("/sbin/insmod", "/run/i2c-stub.ko", f"chip_addr={SENSOR},{DISPLAY}").returncode == 0
            eventually("the bus is there", lambda: os.path.exists("/dev/i2c-0"))
            reset()
            ball.event("motion", state="ready")

checks.end()
