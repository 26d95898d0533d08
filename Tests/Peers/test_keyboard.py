"""The keys of `eightball run --board virtual` in the foreground and background of a shell."""

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
    """A shell with job control on its own terminal."""

    def __init__(self, environment: dict[str, str]):
        self._environment = {**os.environ, "PS1": "ready> ", "TERM": "xterm", **environment}
        self.text = ""
        self._read_to = 0

    def __enter__(self) -> "Terminal":
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            # The parent may ignore SIGHUP, as nohup does.
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], self._environment)
        os.set_blocking(self._terminal, False)
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Closes the terminal and its shell, as a window does."""
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
        """Waits until `text` is shown, after the text awaited last."""
        try:
            async with asyncio.timeout(PATIENCE):
                while (found := self.text.find(text, self._read_to)) < 0:
                    try:
                        self.text += os.read(self._terminal, 4096).decode(errors="replace")
                    except BlockingIOError:
                        await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"Timed out waiting for {text!r}.\n{self.text}") from None
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
        """Types a command at the prompt, and waits for its output."""
        await self.shows("ready> ")
        self.type(command + "\r")
        await self.shows(text)


@pytest.fixture
async def terminal(folder):
    """A ball in the foreground."""
    async with worlds.our_air(folder) as (radio, _):
        with Terminal({"EIGHTBALL_CONTROL": str(folder / "control")}) as terminal:
            command = f"{eightball()} run --board virtual --radio {radio}"
            await terminal.obeys(command, "Advertising as")
            await terminal.shows("[q]uit")
            yield terminal


async def test_s_shakes_c_clears_and_q_ends(terminal):
    terminal.type("s")
    await terminal.shows("Shaken: no central that has asked is subscribed")
    terminal.type("c")
    await terminal.shows("Cleared")
    terminal.type("q")
    await terminal.obeys("echo it is $?", "it is 0")


async def test_at_40_columns_the_keys_are_whole(folder):
    async with worlds.our_air(folder) as (radio, _):
        with Terminal({"EIGHTBALL_CONTROL": str(folder / "control")}) as terminal:
            command = f"stty cols 40; {eightball()} run --board virtual --radio {radio}"
            await terminal.obeys(command, "Advertising as")
            await terminal.shows("(8) [s]hake [c]lear [C]lear held [q]uit")


async def test_a_dumb_terminal_gets_no_escape_sequences(folder):
    async with worlds.our_air(folder) as (radio, _):
        environment = {"EIGHTBALL_CONTROL": str(folder / "control"), "TERM": "dumb"}
        with Terminal(environment) as terminal:
            command = f"{eightball()} run --board virtual --radio {radio}"
            await terminal.obeys(command, "Keys: [s]hake [c]lear [C]lear held [m]ove [q]uit")
            await terminal.shows("Advertising as")
            terminal.type("s")
            await terminal.shows("Shaken: no central that has asked is subscribed")
            terminal.type("q")
            await terminal.obeys("echo it is $?", "it is 0")
            assert "\x1b" not in terminal.text


async def test_an_arrow_key_is_not_a_letter(terminal):
    for piece in [RIGHT_ARROW * 8, *RIGHT_ARROW, RIGHT_ARROW + "s"]:
        terminal.type(piece)
    await terminal.shows("Shaken: no central that has asked is subscribed")
    assert "Cleared" not in terminal.text


async def test_keys_work_after_stop_and_foreground(terminal):
    for key, doing in [("s", "Shaken: no central"), ("c", "Cleared")]:
        terminal.type(CONTROL_Z)
        await terminal.shows("Stopped")
        await terminal.obeys("fg", "[q]uit")
        terminal.type(key)
        await terminal.shows(doing)


async def test_a_paused_terminal_does_not_block_the_ball(terminal, folder):
    terminal.type(CONTROL_S)
    board = {"EIGHTBALL_CONTROL": str(folder / "control")}
    for button in ["shake", "clear", "shake"]:
        async with Program(eightball(), "press", button, environment=board) as press:
            assert await press.ended() == 0, press.transcript
    terminal.type(CONTROL_Q)
    await terminal.shows("Shaken: no central that has asked is subscribed")
    await terminal.shows("Cleared")
    await terminal.shows("[q]uit")
    terminal.type("q")
    await terminal.obeys("echo it is $?", "it is 0")


async def test_in_the_background_the_shell_gets_the_keys(terminal):
    terminal.type(CONTROL_Z)
    await terminal.shows("Stopped")
    await terminal.obeys("bg", "&")
    await terminal.obeys("echo s c C $((6 * 7))", "s c C 42")
    await terminal.obeys("jobs -r", "Running")
    assert "Shaken" not in terminal.text
    # The shell sends no signal to a running program that comes to the foreground.
    await terminal.obeys("fg", "[q]uit")
    terminal.type("s")
    await terminal.shows("Shaken: no central that has asked is subscribed")


async def test_in_the_background_sigterm_ends_it(terminal):
    terminal.type(CONTROL_Z)
    await terminal.shows("Stopped")
    await terminal.obeys("bg", "&")
    await terminal.obeys("kill %1; wait %1; echo it is $?", "it is 0")


async def test_the_ball_ends_with_its_terminal(terminal, folder):
    assert (folder / "control").exists()
    terminal.close()
    async with asyncio.timeout(PATIENCE):
        # A ball that ends orderly removes its socket.
        while (folder / "control").exists():
            await asyncio.sleep(0.01)
