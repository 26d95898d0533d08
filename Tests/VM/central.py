"""A ball on hci1, and centrals on hci0: the kernel's Bluetooth with bluetoothd, and `eightball ask` on hci0's user
channel. The same checks for a ball on hci1's user channel and for one beside bluetoothd."""

import contextlib

from adapters import ADDRESSES, is_up, set_up
from att import Central
from checks import Checks
from programs import Ball, eightball, eventually, run
from ways import Way

NOT_A_QUESTION = 0x0E
LONGEST_QUESTION = "".join(f"{number} " for number in range(200))[:511] + "?"
#: bluetoothd 5.66 counts the handle and the offset of a write as bytes of its value.
LONGEST = {Way.ALONE: 512, Way.BESIDE_BLUETOOTHD: 508}
DEVICE_INFORMATION = "0000180a-0000-1000-8000-00805f9b34fb"
SERVICE = "8e38140a-27be-4090-8955-4fc4b5698d1e"

checks = Checks()


@contextlib.contextmanager
def visit(ball: Ball, way: Way, *, mtu: int | None = None):
    """A connection of the kernel's, until the ball reports its end."""
    with Central(ADDRESSES[1]) as central:
        if way is Way.ALONE:
            # bluetoothd reports a central to a program when it uses a value of the program.
            ball.event("connected", central=ADDRESSES[0])
        if mtu:
            central.exchange_mtu(mtu)
        try:
            yield central
        finally:
            central.close()
            ball.event("disconnected")


def answered(ball: Ball, central: Central, question: str) -> str:
    """The answer, which must be the same on both sides. A notification is cut at the MTU."""
    ball.event("question", text=question)
    notified, whole = central.answer(), central.last_answer()
    printed = ball.event("answer")["text"].encode()
    cut = printed[: central.mtu - 3]
    assert notified == cut, f"notified {notified!r}, but the ball printed {printed!r}"
    assert whole == printed, f"read {whole!r}, but the ball printed {printed!r}"
    return printed.decode()


def alias(address: str) -> str:
    """The name of an adapter, as bluetoothd has it."""
    lines = run("bluetoothctl", "show", address).stdout.splitlines()
    return next(line.split(": ", 1)[1] for line in lines if line.strip().startswith("Alias"))


def ask_as_program(question: str):
    return run(eightball(), "ask", question, "--radio", "hci0", "--timeout", "45")


def visit_by_all(way: Way, ball: Ball) -> None:
    """The checks of a ball that uses hci1 in this way."""

    def check(name: str):
        return checks.check(way.name(name))

    with check("the ball advertises"):
        ball.event("advertising", name="Magic 8-Ball", address=ADDRESSES[1])

    with check("bluetoothd keeps hci0, and sees hci1 only if it shares that"):
        listing = eventually("it lists an adapter", lambda: run("bluetoothctl", "list").stdout)
        assert ADDRESSES[0] in listing, listing
        assert (ADDRESSES[1] in listing) == (way is Way.BESIDE_BLUETOOTHD), listing
        power = run("bluetoothctl", "power", "on").stdout
        assert "succeeded" in power, power

    with check("bluetoothctl finds the ball") as saw:
        expected = f"Device {ADDRESSES[1]} Magic 8-Ball"

        def is_found() -> bool:
            return expected in run("bluetoothctl", "--timeout", "3", "scan", "on").stdout

        # btvirt reports an advertiser once in a scan, sometimes before the kernel listens.
        eventually("a scan finds it", is_found, patience=120)
        saw(expected)

    with check("bluetoothd connects, and discovers the ball's services") as saw:
        run("bluetoothctl", "connect", ADDRESSES[1])
        ball.event("connected", central=ADDRESSES[0])

        def information() -> list[str]:
            known = run("bluetoothctl", "info", ADDRESSES[1]).stdout
            return [line for line in known.splitlines() if DEVICE_INFORMATION in line]

        # This service is not advertised: bluetoothd has discovered it.
        saw(eventually("it lists Device Information", information)[0])
        run("bluetoothctl", "remove", ADDRESSES[1])
        ball.event("disconnected")

    with check("the kernel's central subscribes, then asks") as saw, visit(ball, way) as central:
        central.subscribe()
        central.ask("Will it rain?")
        saw(answered(ball, central, "Will it rain?"))

    with check("the kernel's central asks, then subscribes") as saw, visit(ball, way) as central:
        central.ask("Will it snow?")
        central.subscribe()
        saw(answered(ball, central, "Will it snow?"))

    longest = LONGEST_QUESTION[-LONGEST[way] :]
    for mtu in (23, 185):
        name = f"a long write of {len(longest)} bytes, MTU {mtu}"
        with check(name) as saw, visit(ball, way, mtu=mtu) as central:
            central.subscribe()
            parts = central.ask_at_length(longest)
            saw(f"{parts} parts; {answered(ball, central, longest)}")

    name = f"a write of {len(longest)} bytes at once, MTU 517"
    with check(name) as saw, visit(ball, way, mtu=517) as central:
        central.subscribe()
        central.ask(longest)
        saw(answered(ball, central, longest))

    with check("a statement is refused, and the next question answered") as saw:
        with visit(ball, way) as central:
            central.subscribe()
            error = central.refusal_of("It will rain.")
            assert error == NOT_A_QUESTION, error
            saw(f"ATT error 0x{error:02X}")
            ball.event("refused")
            central.ask("Will it rain?")
            saw(answered(ball, central, "Will it rain?"))

    with check("gatttool reads the name") as saw:
        name = run("gatttool", "-b", ADDRESSES[1], "--char-read", "-u", "2a00").stdout
        # bluetoothd has the service GAP, and the name of the adapter there.
        expected = "Magic 8-Ball" if way is Way.ALONE else alias(ADDRESSES[1])
        assert expected.encode().hex(" ") in name, name
        saw(f"{expected}: {name}")
        if way is Way.ALONE:
            ball.event("disconnected")

    with check("gatttool lists the ball's service") as saw:
        listing = run("gatttool", "-b", ADDRESSES[1], "--primary").stdout
        services = [line for line in listing.splitlines() if SERVICE in line]
        assert services, listing
        saw(services[0])
        if way is Way.ALONE:
            ball.event("disconnected")

    with check("eightball ask works on hci0's user channel") as saw:
        asked = ask_as_program("Will it work?")
        printed = ball.event("answer")["text"]
        assert asked.returncode == 0 and printed in asked.stdout, asked
        saw(asked.stdout)
        ball.event("disconnected")

    with check("eightball ask ends with status 65 for a statement") as saw:
        asked = ask_as_program("It works.")
        assert asked.returncode == 65, asked
        saw(asked.stdout)
        ball.event("disconnected")

    with check("eightball ask returned hci0, up as before"):
        eventually("hci0 is up", lambda: is_up("hci0"))

    with check("SIGTERM disconnects the central, ends with status 0, and leaves hci1 as it was"):
        with Central(ADDRESSES[1]) as central:
            central.subscribe()
            status = ball.stop()
            assert status == 0, f"status {status}"
            assert central.is_closed_by_peer(), "the connection stayed open"
        if way is Way.ALONE:
            assert not is_up("hci1"), "hci1 is up, and was down before"
            set_up("hci1", True)
        assert is_up("hci1"), "the kernel cannot bring hci1 up"


for way in Way:
    with way.ball("--seed", "8") as ball:
        visit_by_all(way, ball)

checks.end()
