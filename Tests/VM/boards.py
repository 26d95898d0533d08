"""The buttons and lights of each shipped board's file, on a simulated chip with that board's label and
lines."""

import os

from adapters import ADDRESSES, Controllers, set_up
from att import Central
from bench import LINES, OLDER_NAMES, Bench, Board, shipped_board, shipped_boards
from checks import Checks
from programs import Ball, eightball, eventually, run
from simulator import Chip

#: Where programs press the buttons of the ball.
CONTROL = "/run/ball-control.sock"
OFF, ON = False, True

checks = Checks()
check = checks.check


def try_board(board: Board, name: str, names: dict[int, str] | None = None) -> None:
    with Bench(board, names) as bench, Ball(None, "--board", board.name, "--seed", "8") as ball:
        with check(f"{name}: the status light blinks while the ball advertises") as saw:
            ball.event("advertising", address=ADDRESSES[0])
            with bench.status.watched() as changes:
                eventually("it is on and off again", lambda: len(changes) >= 3)
            moments = [moment for _, moment in changes]
            lengths = [after - before for before, after in zip(moments, moments[1:])]
            saw("every " + ", ".join(f"{length:.2f}" for length in lengths) + " s")
        with Central(ADDRESSES[0]) as central:
            ball.event("connected")
            central.subscribe()
            visit(bench, ball, central, name)
        with check(f"{name}: SIGTERM releases the lines"):
            assert ball.stop() == 0
            for line in LINES:
                with bench.chip.held(board.offset(line), "another program"):
                    pass


def visit(bench: Bench, ball: Ball, central: Central, name: str) -> None:
    """A connected central, and a user at the board."""
    with check(f"{name}: the status light is on while a central is connected"):
        eventually("the status light is on", lambda: bench.status.is_lit)
    with bench.status.watched() as changes:
        with check(f"{name}: the answer light pulses at an answer") as saw:

            def ask() -> None:
                central.ask("Will it rain?")
                saw(central.answer().decode())

            bench.answer.shows([ON, OFF], ask)

        with check(f"{name}: shake gives another answer and a pulse") as saw:
            assert bench.shake.bias == "pull-up", bench.shake.bias

            def shake() -> None:
                bench.shake.click()
                ball.event("button", action="shake")
                notified = central.answer()
                assert central.last_answer() == notified
                saw(notified.decode())

            bench.answer.shows([ON, OFF], shake)

        with check(f"{name}: clear empties the answer"):
            bench.clear.click()
            ball.event("button", action="clear")
            assert central.last_answer() == b"", central.last_answer()

    with check(f"{name}: the status light does not change meanwhile"):
        assert not changes, changes

    with check(f"{name}: the status light flashes twice at a statement"):

        def state() -> None:
            central.refusal_of("It will rain.")
            ball.event("refused")

        bench.status.shows([OFF, ON, OFF, ON], state)


def press(button: str, *options: str) -> tuple[int, str]:
    """`eightball press`: its exit status, and its last line."""
    done = run(eightball(), "press", button, "--control", CONTROL, *options)
    return done.returncode, done.stdout.strip().splitlines()[-1]


def try_presses(board: Board, name: str) -> None:
    """Programs at the buttons of a real board."""
    options = ("--board", board.name, "--seed", "8", "--control", CONTROL)
    with Bench(board) as bench:
        with Ball(None, *options, "--allow-remote-buttons") as ball:
            ball.event("advertising", address=ADDRESSES[0])
            with Central(ADDRESSES[0]) as central:
                ball.event("connected")
                central.subscribe()
                central.ask("Will it rain?")
                central.answer()
                with check(f"{name}: eightball press shakes it, and it answers") as saw:
                    status, said = press("shake")
                    assert (status, said) == (0, "Pressed shake for 100 ms."), said
                    ball.event("button", action="shake")
                    notified = central.answer()
                    assert central.last_answer() == notified
                    saw(notified.decode())
                with check(f"{name}: eightball press clear empties the answer"):
                    assert press("clear")[0] == 0
                    ball.event("button", action="clear")
                    assert central.last_answer() == b"", central.last_answer()
                with check(f"{name}: eightball press --hold disconnects all centrals"):
                    assert press("clear", "--hold", "3s")[0] == 0
                    ball.event("button", action="release")
                    ball.event("disconnected")
            with check(f"{name}: press is refused for a button that is held down") as saw:
                bench.shake.press()
                ball.event("button", action="shake")
                status, said = press("shake")
                assert status == 69 and "is held down" in said, (status, said)
                saw(said)
                bench.shake.release()
            with check(f"{name}: the button works by hand as before"):
                eventually("it can be pressed", lambda: press("shake")[0] == 0)
                ball.event("button", action="shake")
                bench.shake.click()
                ball.event("button", action="shake")
            assert ball.stop() == 0
        with Ball(None, *options) as ball:
            ball.event("advertising", address=ADDRESSES[0])
            with check(f"{name}: without --allow-remote-buttons no program presses its buttons") as saw:
                status, said = press("shake")
                assert status == 69 and "--allow-remote-buttons" in said, (status, said)
                saw(said)
            assert ball.stop() == 0


# An earlier chip with lines of the same names, but another label.
decoy = {0: "GPIO18", 1: "GPIO25", 2: "GPIO12", 3: "GPIO16"}
with Controllers(), Chip("raspberrypi-exp-gpio", 8, decoy):
    set_up("hci1", True)
    # eightballd finds a board by the same code, and reaches its lines by another libgpiod: two of its boards suffice.
    boards = [shipped_board("pi-zero"), shipped_board("pi-5")] if "BALL" in os.environ else shipped_boards()
    for board in boards:
        try_board(board, board.name)
    try_board(shipped_board("pi-5"), "pi-5, lines of older names", OLDER_NAMES)
    try_presses(shipped_board("pi-4b"), "pi-4b")

checks.end()
