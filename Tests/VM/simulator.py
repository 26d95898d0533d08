"""GPIO chips of the kernel's simulator (gpio-sim), with buttons and lights on their lines. Programs use them
like hardware."""

import contextlib
import fcntl
import os
import pathlib
import struct
import threading
import time

from programs import eventually

_CONFIGURATION = pathlib.Path("/sys/kernel/config/gpio-sim")
_DEVICES = pathlib.Path("/sys/devices/platform")

# From the kernel's include/uapi/linux/gpio.h: struct gpio_v2_line_request, and its ioctl.
_LINE_REQUEST = struct.Struct("=256s32sQ264xI4x20xi")
_GET_LINE = 0xC000B407 | _LINE_REQUEST.size << 16
_INPUT_FLAG = 1 << 2


class Chip:
    """A chip with this label and number of lines; some lines have names."""

    def __init__(self, label: str, count: int, names: dict[int, str]):
        self._folder = _CONFIGURATION / label
        bank = self._bank
        bank.mkdir(parents=True)
        (bank / "label").write_text(label)
        (bank / "num_lines").write_text(str(count))
        for offset, name in names.items():
            (bank / f"line{offset}").mkdir()
            (bank / f"line{offset}/name").write_text(name)
        self.plug_in()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.unplug()
        for folder in (*self._bank.glob("line*"), self._bank, self._folder):
            folder.rmdir()

    @property
    def _bank(self) -> pathlib.Path:
        return self._folder / "bank0"

    @property
    def device(self) -> pathlib.Path:
        """The device file of the chip."""
        return pathlib.Path("/dev", (self._bank / "chip_name").read_text().strip())

    def plug_in(self) -> None:
        (self._folder / "live").write_text("1")
        eventually("the chip's device is there", self.device.exists)

    def unplug(self) -> None:
        (self._folder / "live").write_text("0")

    def line(self, offset: int) -> pathlib.Path:
        """The simulator's folder with this line's level and pull."""
        folder = _DEVICES / (self._folder / "dev_name").read_text().strip() / self.device.name
        return folder / f"sim_gpio{offset}"

    @contextlib.contextmanager
    def held(self, offset: int, consumer: str):
        """Holds the line as a consumer with this name."""
        with self.device.open("rb") as device:
            offsets = struct.pack("=I", offset)
            request = _LINE_REQUEST.pack(offsets, consumer.encode(), _INPUT_FLAG, 1, -1)
            granted = fcntl.ioctl(device, _GET_LINE, request)
        descriptor = _LINE_REQUEST.unpack(granted)[-1]
        try:
            yield
        finally:
            os.close(descriptor)


class Button:
    """A push button, which makes its line active."""

    def __init__(self, chip: Chip, offset: int, is_active_low: bool):
        self._chip = chip
        self._offset = offset
        self._pulls = ("pull-up", "pull-down") if is_active_low else ("pull-down", "pull-up")

    @property
    def bias(self) -> str:
        """The line's present pull."""
        return (self._chip.line(self._offset) / "pull").read_text().strip()

    def press(self) -> None:
        self._pull(self._pulls[1])

    def release(self) -> None:
        self._pull(self._pulls[0])

    def click(self) -> None:
        """Presses and releases it, as slowly as a finger."""
        self.press()
        time.sleep(0.1)
        self.release()
        # Waits until the contacts have settled.
        time.sleep(0.15)

    def _pull(self, pull: str) -> None:
        (self._chip.line(self._offset) / "pull").write_text(pull)


class Light:
    """A light on a line, with a record of its changes while it is watched."""

    def __init__(self, chip: Chip, offset: int, is_active_low: bool):
        self._chip = chip
        self._offset = offset
        self._is_active_low = is_active_low

    @property
    def is_lit(self) -> bool:
        level = (self._chip.line(self._offset) / "value").read_text()
        return bool(int(level)) != self._is_active_low

    @contextlib.contextmanager
    def watched(self):
        """Yields the list of the light's changes from now on: on (True) or off, and the time in seconds."""
        file = os.open(self._chip.line(self._offset) / "value", os.O_RDONLY)
        is_over = threading.Event()
        changes: list[tuple[bool, float]] = []

        def look(last: bytes) -> None:
            # The simulator has no event for a level.
            while not is_over.wait(0.005):
                if (level := os.pread(file, 1, 0)) != last:
                    last = level
                    changes.append((bool(int(level)) != self._is_active_low, time.monotonic()))

        watcher = threading.Thread(target=look, args=[os.pread(file, 1, 0)])
        watcher.start()
        try:
            yield changes
        finally:
            is_over.set()
            watcher.join()
            os.close(file)

    def shows(self, pattern: list[bool], cause) -> None:
        """Checks that `cause()` makes the light change in this way; tries again if a busy machine misses
        flashes."""
        seen = []
        for _ in range(5):
            with self.watched() as changes:
                cause()
                end = time.monotonic() + 3
                while len(changes) < len(pattern) and time.monotonic() < end:
                    time.sleep(0.05)
                # Waits for surplus changes.
                time.sleep(0.2)
            seen.append([is_lit for is_lit, _ in changes])
            if seen[-1] == pattern:
                return
        raise AssertionError(f"expected {pattern}, the light showed {seen}")
