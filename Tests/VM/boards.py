"""Each shipped board's file as it stands, on a simulated chip with that board's label and lines: its
buttons are pressed, and its lights are looked at."""

from adapters import ADDRESSES, Controllers, set_up
from att import ATTError, Central
from bench import LINES, OLDER_NAMES, Bench, Board, shipped_boards
from checks import Checks
from programs import Ball, eventually
from simulator import Chip

#: The radio that all of them name; the centrals are on the other one.
RADIO = "hci0"
OFF, ON = False, True

checks = Checks()
check = checks.check


def try_board(board: Board, name: str, names: dict[int, str] | None = None) -> None:
    with Bench(board, names) as bench, Ball(None, "--board", board.path, "--seed", "8") as ball:
        with check(f"{name}: the status light blinks while the ball can be found") as saw:
            ball.event("advertising", address=ADDRESSES[0])
            with bench.status.watched() as changes:
                eventually("it has gone on and off", lambda: len(changes) >= 3)
            moments = [moment for _, moment in changes]
            lengths = [after - before for before, after in zip(moments, moments[1:])]
            saw("every " + ", ".join(f"{length:.2f}" for length in lengths) + " s")
        with Central(ADDRESSES[0]) as central:
            ball.event("connected")
            central.subscribe()
            visit(bench, ball, central, name)
        with check(f"{name}: SIGTERM, and the lines are free"):
            assert ball.stop() == 0
            for line in LINES:
                with bench.chip.held(board.offset(line), "somebody else"):
                    pass


def visit(bench: Bench, ball: Ball, central: Central, name: str) -> None:
    """A central that is connected, and somebody at the board meanwhile."""
    with check(f"{name}: the status light is on while a central is connected"):
        eventually("the status light is on", lambda: bench.status.is_lit)
    with bench.status.watched() as changes:
        with check(f"{name}: the answer light pulses at an answer") as saw:

            def ask() -> None:
                central.ask("Will it rain?")
                saw(central.answer().decode())

            bench.answer.shows([ON, OFF], ask)

        with check(f"{name}: shake gives another answer, with a pulse") as saw:
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

    with check(f"{name}: the status light stays as it is meanwhile"):
        assert not changes, changes

    with check(f"{name}: the status light flashes twice at a statement"):

        def state() -> None:
            try:
                central.ask("It will rain.")
                assert False, "the statement was accepted"
            except ATTError:
                ball.event("refused")

        bench.status.shows([OFF, ON, OFF, ON], state)


# A chip that comes first and has lines of the same names, but another label.
decoy = {0: "GPIO18", 1: "GPIO25", 2: "GPIO12", 3: "GPIO16"}
with Controllers(), Chip("raspberrypi-exp-gpio", 8, decoy):
    set_up("hci1", True)
    for board in shipped_boards():
        try_board(board, board.name)
    try_board(Board("pi-5"), "pi-5, lines of older names", OLDER_NAMES)

checks.end()
