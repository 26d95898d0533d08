"""The keys of `eightball run --board virtual` on a terminal, in front and behind, under a shell."""

import asyncio
import contextlib
import os
import pty
import re
import signal

import pytest

import worlds
from programs import PATIENCE, Program, eightball

CONTROL_Q = "\x11"
CONTROL_S = "\x13"
CONTROL_Z = "\x1a"
RIGHT_ARROW = "\x1b[C"


class Terminal:
    """A shell with job control on a terminal of its own, which is typed at and read."""

    def __init__(self, environment: dict[str, str]):
        self._environment = {**os.environ, "PS1": "ready> ", "TERM": "xterm", **environment}
        self.text = ""
        self._read_to = 0

    def __enter__(self) -> "Terminal":
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            # Whoever started the tests may have had it ignored, as nohup does.
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], self._environment)
        os.set_blocking(self._terminal, False)
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Closes the terminal, as its window is closed, and the shell with it."""
        if self._terminal is None:
            return
        os.close(self._terminal)
        self._terminal = None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGHUP)
        os.waitpid(self._process, 0)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    async def shows(self, text: str) -> None:
        """Waits until `text` is shown, after what was waited for last."""
        try:
            async with asyncio.timeout(PATIENCE):
                while (found := self.text.find(text, self._read_to)) < 0:
                    try:
                        self.text += os.read(self._terminal, 4096).decode(errors="replace")
                    except BlockingIOError:
                        await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"Waited in vain for {text!r}.\n{self.text}") from None
        self._read_to = found + len(text)

    async def digits(self) -> int:
        """The next number of six digits."""
        async with asyncio.timeout(PATIENCE):
            while not (found := re.search(r"\b\d{6}\b", self.text[self._read_to :])):
                with contextlib.suppress(BlockingIOError):
                    self.text += os.read(self._terminal, 4096).decode(errors="replace")
                await asyncio.sleep(0.01)
        return int(found[0])

    async def obeys(self, command: str, text: str) -> None:
        """Has the shell do something, and waits for what it shows of it."""
        await self.shows("ready> ")
        self.type(command + "\r")
        await self.shows(text)


@pytest.fixture
async def terminal(folder):
    """A ball in front."""
    async with worlds.our_air(folder) as (radio, _):
        with Terminal({"EIGHTBALL_BOARD": str(folder / "board")}) as terminal:
            command = f"{eightball()} run --board virtual --radio {radio}"
            await terminal.obeys(command, "Advertising as")
            await terminal.shows("[q]uit")
            yield terminal


async def test_keys(terminal):
    terminal.type("s")
    await terminal.shows("Shaken.")
    terminal.type("c")
    await terminal.shows("Cleared")
    terminal.type("q")
    await terminal.obeys("echo it is $?", "it is 0")


async def test_an_arrow_is_no_letter(terminal):
    for piece in [RIGHT_ARROW * 8, *RIGHT_ARROW, RIGHT_ARROW + "s"]:
        terminal.type(piece)
    await terminal.shows("Shaken.")
    assert "Cleared" not in terminal.text


async def test_stopped_and_in_front_again(terminal):
    for key, doing in [("s", "Shaken."), ("c", "Cleared")]:
        terminal.type(CONTROL_Z)
        await terminal.shows("Stopped")
        await terminal.obeys("fg", "[q]uit")
        terminal.type(key)
        await terminal.shows(doing)


async def test_a_terminal_that_is_held_does_not_hold_the_ball(terminal, folder):
    terminal.type(CONTROL_S)
    board = {"EIGHTBALL_BOARD": str(folder / "board")}
    for button in ["shake", "clear", "shake"]:
        async with Program(eightball(), "press", button, environment=board) as press:
            assert await press.ended() == 0, press.transcript
    terminal.type(CONTROL_Q)
    await terminal.shows("Shaken.")
    await terminal.shows("Cleared")
    await terminal.shows("[q]uit")
    terminal.type("q")
    await terminal.obeys("echo it is $?", "it is 0")


async def test_in_the_background_the_keys_are_the_shells(terminal):
    terminal.type(CONTROL_Z)
    await terminal.shows("Stopped")
    await terminal.obeys("bg", "&")
    await terminal.obeys("echo s c C $((6 * 7))", "s c C 42")
    await terminal.obeys("jobs -r", "Running")
    assert "Shaken" not in terminal.text
    # The shell does not tell one that runs already that it is in front.
    await terminal.obeys("fg", "[q]uit")
    terminal.type("s")
    await terminal.shows("Shaken.")


async def test_in_the_background_it_ends(terminal):
    terminal.type(CONTROL_Z)
    await terminal.shows("Stopped")
    await terminal.obeys("bg", "&")
    await terminal.obeys("kill %1; wait %1; echo it is $?", "it is 0")


async def test_the_end_of_the_terminal_is_that_of_the_ball(terminal, folder):
    assert (folder / "board").exists()
    terminal.close()
    async with asyncio.timeout(PATIENCE):
        # Its sockets go with a ball that ends in good order.
        while (folder / "board").exists():
            await asyncio.sleep(0.01)
