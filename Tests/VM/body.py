"""A ball with a board on a simulated chip: its reaction time, held buttons, unavailable and lost lines, and its
wake-ups."""

import contextlib
import json
import os
import shutil
import statistics
import time

from adapters import ADDRESSES, Controllers, set_up
from att import Central
from bench import Bench, gpiod_version, shipped_board
from checks import Checks
from programs import NOBODY, Ball, eightball, eventually, run
from simulator import Chip

#: The duration of the observation, in seconds.
WATCH = 10
PRESSES = 20

checks = Checks()
check = checks.check
board = shipped_board("pi-4b")


@contextlib.contextmanager
def visit(ball: Ball):
    """A subscribed central of the kernel's, until the ball reports its disconnection."""
    with Central(ADDRESSES[1]) as central:
        ball.event("connected")
        central.subscribe()
        try:
            yield central
        finally:
            central.close()
            ball.event("disconnected")


def answer(central: Central) -> str:
    central.ask("Are you there?")
    return central.answer().decode()


def shaken(bench: Bench, central: Central) -> float:
    """The time from a press to its notification, in milliseconds."""
    start = time.monotonic()
    bench.shake.press()
    central.answer()
    end = time.monotonic()
    bench.shake.release()
    # The next press must not count as a bounce.
    time.sleep(0.15)
    return (end - start) * 1_000


def press(bench: Bench, ball: Ball) -> None:
    with check(f"a press gives a notification at once, {library}") as saw, visit(ball) as central:
        answer(central)
        times = [shaken(bench, central) for _ in range(PRESSES)]
        debounce = board.debounce
        saw(f"at least {min(times):.1f} ms, median {statistics.median(times):.1f} ms")
        saw(f"{PRESSES} presses")
        saw(f"a press counts at once, and its bounces of {debounce} ms do not")
        assert min(times) < debounce, f"no press was served before its {debounce} ms were over"

    with check("clear, held, disconnects all centrals"), visit(ball) as central:
        answer(central)
        bench.clear.press()
        ball.event("button", action="clear")
        assert central.last_answer() == b"", central.last_answer()
        ball.event("button", action="release")
        assert central.is_closed_by_peer(), "the connection stayed open"
        bench.clear.release()


def sit(bench: Bench, ball: Ball) -> None:
    with visit(ball) as central:
        answer(central)
        # Waits for the end of the answer's pulse and of the start.
        time.sleep(2)

        with check(f"no wake-up in {WATCH} s with a central and steady lights, {library}") as saw:
            assert bench.status.is_lit and not bench.answer.is_lit
            before = ball.wake_ups()
            time.sleep(WATCH)
            more = ball.wake_ups() - before
            assert more == 0, f"woken {more} times"
            saw(f"{before} before, {more} since")

        with check(f"memory with a board, {library}") as saw:
            saw(ball.memory())

        with check("a button wakes it"):
            before = ball.wake_ups()
            shaken(bench, central)
            more = ball.wake_ups() - before
            assert more > 0, "it was not woken: the measurement is wrong"


def unplug(bench: Bench, ball: Ball) -> None:
    gone = f"the GPIO chip “{board.label}” has gone. It is used again when it comes back"

    with visit(ball) as central:
        with check("an unplugged chip is reported, and the ball answers") as saw:
            answer(central)
            # Waits for the end of the answer's pulse, so that no light changes.
            time.sleep(2)
            before = ball.wake_ups()
            bench.chip.unplug()
            detail = ball.event("board")["detail"]
            assert detail == gone, detail
            # It may not sleep yet when its line is read.
            eventually("its waking is counted", lambda: ball.wake_ups() > before)
            saw(detail)
            saw(answer(central))

        with check("the chip is plugged in again: the light and shake work") as saw:
            # By now it looks for the chip every 5 s; a new device notifies it earlier.
            time.sleep(8)
            start = time.monotonic()
            bench.chip.plug_in()
            # No other event precedes it.
            assert ball.event("board")["state"] == "ready"
            saw(f"ready after {(time.monotonic() - start) * 1_000:.0f} ms")
            eventually("the status light is on", lambda: bench.status.is_lit)
            bench.shake.click()
            ball.event("button", action="shake")
            saw(central.answer().decode())

        with check("the chip is unplugged for a moment: shake works") as saw:
            time.sleep(2)
            bench.chip.unplug()
            bench.chip.plug_in()
            states = [ball.event("board")["state"] for _ in range(2)]
            assert states == ["lost", "ready"], states
            bench.shake.click()
            ball.event("button", action="shake")
            saw(central.answer().decode())

        with check("another chip that is plugged in and unplugged is not reported") as saw:
            with Chip("another", 4, {}):
                pass
            bench.shake.click()
            events = []

            def is_button(line: str) -> bool:
                events.append(json.loads(line)["event"])
                return events[-1] == "button"

            ball.line(is_button, "button")
            assert "board" not in events, events
            saw(central.answer().decode())


with Controllers(), Bench(board) as bench:
    set_up("hci0", True)
    with Ball("hci1", "--board", board.name, "--seed", "8") as ball:
        with check("the version of libgpiod") as saw:
            ball.event("advertising")
            version = str(gpiod_version(ball))
            saw(version)
            assert version == os.environ.get("GPIOD", version), "this is not the version in GPIOD"
        library = f"libgpiod {version}"
        press(bench, ball)
        sit(bench, ball)
        unplug(bench, ball)
        with check("SIGTERM"):
            assert ball.stop() == 0

    with check("a line in use: its user, the remedy, and the recovery") as saw:
        with contextlib.ExitStack() as kettle:
            kettle.enter_context(bench.chip.held(board.offset("clear"), "kettle"))
            with Ball("hci1", "--board", board.name) as ball:
                detail = ball.event("board", state="lost")["detail"]
                assert detail == (
                    f"line GPIO25 of “{board.label}” is in use by “kettle”. "
                    "End that program, or name another line with --set"
                ), detail
                saw(detail)
                ball.event("advertising")
                with visit(ball) as central:
                    saw(answer(central))
                    kettle.close()
                    ball.event("board", state="ready")
                    bench.clear.click()
                    ball.event("button", action="clear")

    with check("no permission for the chip: the remedy, answers, and the recovery") as saw:
        shutil.chown(bench.chip.device, group="games")
        bench.chip.device.chmod(0o660)
        with Ball("virtual", "--board", board.name, **NOBODY) as ball:
            detail = ball.event("board", state="lost")["detail"]
            assert detail == (
                f"{bench.chip.device} may not be opened. "
                "Join its group and log in again: sudo usermod -aG games $USER"
            ), detail
            saw(detail)
            ball.event("advertising")
            asked = run(eightball(), "ask", "Are you there?", "--radio", "virtual", **NOBODY)
            assert asked.returncode == 0, asked
            saw(ball.event("answer")["text"])
            # As a udev rule does shortly after a chip is plugged in.
            bench.chip.device.chmod(0o666)
            ball.event("board", state="ready")

    with check("a board without shake and answer light does not use their lines") as saw:
        without = ("--set", "shake=none", "--set", "answer=none")
        with contextlib.ExitStack() as kettle:
            for line in ("shake", "answer"):
                kettle.enter_context(bench.chip.held(board.offset(line), "kettle"))
            with Ball("hci1", "--board", board.name, *without) as ball:
                ball.event("advertising")
                with visit(ball) as central:
                    saw(answer(central))
                    eventually("the status light is on", lambda: bench.status.is_lit)
                    bench.clear.click()
                    ball.event("button", action="clear")
                    assert central.last_answer() == b"", central.last_answer()

checks.end()
