"""The display of the virtual board in a terminal, and at the control socket."""

import asyncio
import codecs
import contextlib
import fcntl
import json
import os
import struct
import termios

import pytest

import worlds
from display_screens import braille
from programs import PATIENCE, Program, eightball
from terminal_screen import Screen
from test_keyboard import CONTROL_Z, Terminal

ROWS, COLUMNS = 40, 100
TOP, BOTTOM = "┌" + 64 * "─" + "┐", "└" + 64 * "─" + "┘"
KEYS = "[s]hake [c]lear [C]lear held [m]ove [d]isplay [q]uit"


class Window(Terminal):
    """A terminal with a size, and what it shows."""

    def __enter__(self) -> "Window":
        super().__enter__()
        self.screen = Screen(ROWS, COLUMNS)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._written = 0
        self.resize(ROWS, COLUMNS)
        return self

    def resize(self, rows: int, columns: int) -> None:
        self.screen.rows, self.screen.columns = rows, columns
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    async def until(self, accept, description: str) -> list[str]:
        """Waits until `accept` is true of the rows that the terminal shows; the rows."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not accept(lines := self._lines()):
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"Timed out waiting for {description}.\n" + "\n".join(lines)) from None
        return lines

    def _lines(self) -> list[str]:
        """The rows that the terminal shows now."""
        with contextlib.suppress(BlockingIOError):
            self.text += self._decoder.decode(os.read(self._terminal, 65_536))
        self.screen.write(self.text[self._written :])
        self._written = len(self.text)
        return self.screen.lines


def picture(lines: list[str]) -> list[str] | None:
    """The rows within the frame above a whole status line, if it is there and nowhere else; None without one."""
    if len(lines) < 19 or lines.count(TOP) != 1 or lines.count(BOTTOM) != 1:
        return None
    if (lines[-19], lines[-2]) != (TOP, BOTTOM) or "[q]uit" not in lines[-1]:
        return None
    rows = lines[-18:-2]
    return [row[1:-1] for row in rows] if all(row[0] + row[-1] == "││" for row in rows) else None


class Listener:
    """A program at the control socket."""

    def __init__(self, folder):
        self._folder = folder

    async def __aenter__(self) -> "Listener":
        path = str(self._folder / "control")
        self._reader, self._writer = await asyncio.open_unix_connection(path)
        return self

    async def __aexit__(self, *_) -> None:
        self._writer.close()

    def send(self, line: str) -> None:
        self._writer.write(f"{line}\n".encode())

    async def event(self, name: str, **members) -> dict:
        async with asyncio.timeout(PATIENCE):
            while line := await self._reader.readline():
                event = json.loads(line)
                if event["event"] == name and members.items() <= event.items():
                    return event
        raise AssertionError(f"The ball has closed the connection before {name}.")


@contextlib.asynccontextmanager
async def ball_in_a_window(folder, *options: str, rows: int = ROWS, columns: int = COLUMNS):
    async with worlds.our_air(folder) as (radio, _):
        with Window({"EIGHTBALL_CONTROL": str(folder / "control")}) as window:
            # Before the ball draws.
            window.resize(rows, columns)
            command = f"{eightball()} run --board virtual --radio {radio} {' '.join(options)}"
            await window.shows("ready> ")
            window.type(command + "\r")
            yield window


@pytest.fixture
async def window(folder):
    """A ball in a window, which advertises and whose display is drawn."""
    async with ball_in_a_window(folder) as window:

        def is_drawn(lines: list[str]) -> bool:
            return any(map(str.strip, picture(lines) or [])) and lines[-20].startswith("Advertising as")

        await window.until(is_drawn, "the display")
        yield window


async def test_the_terminal_shows_the_pixels_that_programs_receive(window, folder):
    async with Listener(folder) as listener:
        await listener.event("current")
        await listener.event("movable")
        event = await listener.event("screen", brightness="lit")
    drawn = braille(bytes.fromhex(event["pixels"]))
    lines = await window.until(lambda lines: picture(lines) == drawn, "the same pixels")
    assert KEYS in lines[-1]


async def test_lines_go_above_the_display_and_stay(window):
    shaken = "Shaken: no central that has asked is subscribed."

    def are_shown(lines: list[str], count: int) -> bool:
        # The button is up again.
        return lines.count(shaken) == count and bool(picture(lines)) and KEYS in lines[-1]

    # More lines than the window has room for.
    for count in range(1, 26):
        window.type("s")
        lines = await window.until(lambda lines: are_shown(lines, count), f"{count} shakes and the display")
        assert lines[-19 - count : -19] == count * [shaken], "\n".join(lines)


async def test_d_hides_and_shows_the_display(window):
    window.type("d")
    lines = await window.until(lambda lines: TOP not in lines and KEYS in lines[-1], "no display")
    assert lines[-2].startswith("Advertising as")
    window.type("d")
    await window.until(picture, "the display")


async def test_m_shakes_the_ball_in_the_hand(window):
    window.type("m")
    await window.until(lambda lines: "Shaken: no central that has asked is subscribed." in lines, "a shake")


async def test_the_display_comes_and_goes_with_the_room_for_it(window):
    for rows, columns in ((25, COLUMNS), (ROWS, 66)):
        window.resize(rows, columns)
        await window.until(lambda lines: "[d]isplay" not in lines[-1] and "[q]uit" in lines[-1], "short keys")
        if columns == COLUMNS:
            assert TOP not in window.screen.lines
        window.resize(ROWS, COLUMNS)
        # A terminal that was narrower may keep a trace of the old one.
        await window.until(lambda lines: TOP in lines[-19:] and KEYS in lines[-1], "the display")


async def test_a_stopped_ball_leaves_no_display(window):
    window.type(CONTROL_Z)
    lines = await window.until(lambda lines: any("Stopped" in line for line in lines), "the shell")
    assert TOP not in lines and not any("[q]uit" in line for line in lines)
    window.type("fg\r")
    await window.until(picture, "the display")
    window.type("q")
    lines = await window.until(lambda lines: lines[-1].startswith("ready>"), "the shell")
    assert TOP not in lines and any(line.startswith("Advertising as") for line in lines)


async def test_a_small_terminal_has_one_line(folder):
    async with ball_in_a_window(folder, rows=24, columns=80) as window:
        await window.until(lambda lines: "[m]ove [q]uit" in lines[-1] and TOP not in lines, "one line")


async def test_two_lines_of_characters(folder):
    options = ("--set display.part=hd44780", "--name Kitchen")
    async with ball_in_a_window(folder, *options) as window:
        rows = ["┌" + 16 * "─" + "┐", "│    Kitchen     │", "│     Ask me     │", "└" + 16 * "─" + "┘"]
        await window.until(lambda lines: lines[-5:-1] == rows, "the display")
        async with Listener(folder) as listener:
            event = await listener.event("screen")
    assert event == {"event": "screen", "brightness": "lit", "lines": ["    Kitchen     ", "     Ask me     "]}


async def test_a_program_shakes_the_ball(folder):
    environment = {"EIGHTBALL_CONTROL": str(folder / "control")}
    async with worlds.our_air(folder) as (radio, _):
        options = ("--radio", radio, "--board", "virtual")
        async with worlds.ball_running(*options, environment=environment) as ball:
            async with Listener(folder) as listener:
                await listener.event("current")
                listener.send("move")
                await listener.event("done", request="move")
                await listener.event("button", action="shake")
            await ball.event("button", action="shake")
        async with worlds.ball_running(*options, "--set", "motion=none", environment=environment) as ball:
            async with Listener(folder) as listener:
                listener.send("move")
                refusal = await listener.event("error", request="move")
    assert refusal["detail"] == (
        "The ball has no virtual motion sensor. Start one that has: eightball run --board virtual"
    )


async def test_a_new_answer_is_a_new_picture(folder):
    environment = {"EIGHTBALL_CONTROL": str(folder / "control")}
    async with worlds.our_air(folder) as (radio, _):
        options = ("--radio", radio, "--board", "virtual")
        async with worlds.ball_running(*options, environment=environment):
            async with Listener(folder) as listener:
                before = (await listener.event("screen", brightness="lit"))["pixels"]
                question = (eightball(), "ask", "Is it drawn?", "--radio", radio)
                async with Program(*question, environment=environment) as central:
                    assert await central.ended() == 0, central.transcript
                await listener.event("answer")
                pixels = (await listener.event("screen"))["pixels"]
                assert len(pixels) == 2_048 and pixels != before
                # A new listener gets it as it is.
                async with Listener(folder) as other:
                    await other.event("current")
                    assert (await other.event("screen"))["pixels"] == pixels
