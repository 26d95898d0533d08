"""A ball takes an adapter from the kernel and returns it, reports why it cannot, and uses an adapter again
that was unplugged."""

from adapters import (
    ADDRESSES,
    Controllers,
    bluetooth_service,
    is_up,
    rfkill_switch,
    set_up,
)
from att import Central
from checks import Checks
from programs import NOBODY, Ball, ball_command, eventually, run

RADIO_TROUBLE = 69

checks = Checks()
check = checks.check


def answer(ball: Ball) -> str:
    """Asks the ball over the kernel's Bluetooth."""
    set_up("hci0", True)
    with Central(ADDRESSES[1]) as central:
        central.ask("Are you there?")
        answer = central.last_answer().decode()
    ball.event("disconnected")
    return answer


def end(ball: Ball) -> None:
    status = ball.stop()
    assert status == 0, f"SIGTERM: status {status}"


def refusal(radio: str, *expected: str, **options) -> str:
    """The message for an unusable radio, which must have the expected words, and status 69."""
    ended = run(*ball_command("--radio", radio), **options)
    assert ended.returncode == RADIO_TROUBLE, ended
    missing = [words for words in expected if words not in ended.stdout]
    assert not missing, f"{missing} is missing in {ended.stdout!r}"
    return ended.stdout


def listed_adapters() -> str:
    return run("bluetoothctl", "list").stdout


with Controllers():
    with check("an adapter that is up is taken, and is up again at the end") as saw:
        set_up("hci1", True)
        with Ball("hci1") as ball:
            ball.event("advertising")
            saw(answer(ball))
            end(ball)
        assert is_up("hci1"), "hci1 is down"

    with check("an adapter is taken from bluetoothd, which powers every adapter") as saw:
        with bluetooth_service(powers_adapters=True), Ball("hci1") as ball:
            ball.event("advertising")
            eventually("bluetoothd has lost hci1", lambda: ADDRESSES[1] not in listed_adapters())
            saw(answer(ball))
            end(ball)
            eventually("bluetoothd has hci1 again", lambda: ADDRESSES[1] in listed_adapters())
        assert is_up("hci1"), "hci1 is down"

    with check("no permission, adapter up") as saw:
        saw(refusal("hci1", "CAP_NET_ADMIN", "sudo", **NOBODY))
        assert is_up("hci1"), "hci1 is down"

    with check("no permission, adapter down") as saw:
        set_up("hci1", False)
        saw(refusal("hci1", "CAP_NET_ADMIN", "sudo", **NOBODY))

    with check("no such adapter") as saw:
        saw(refusal("hci9", "there is no adapter hci9"))

    with check("another program holds the adapter") as saw, Ball("hci1") as ball:
        ball.event("advertising")
        saw(refusal("hci1", "another program holds hci1"))
        saw(answer(ball))

    switch = rfkill_switch("hci1")
    if switch:
        with check("an adapter that is switched off") as saw:
            switch.write_text("1")
            saw(refusal("hci1", "hci1 is switched off", "rfkill unblock bluetooth"))
            switch.write_text("0")
            with Ball("hci1") as ball:
                ball.event("advertising")
    else:
        checks.skip("an adapter that is switched off", "this kernel has no rfkill for hci1")

    with check("SIGTERM ends with status 0, and an adapter that was down is down again"):
        with Ball("hci1") as ball:
            ball.event("advertising")
            end(ball)
        assert not is_up("hci1"), "hci1 is up"


def come_back(saw) -> None:
    """Unplugs the adapter of a ball, plugs it in again, and asks."""
    with Controllers() as before:
        set_up("hci1", True)
        ball = Ball("hci1")
        ball.event("advertising")
        before.stop()
    with ball:
        saw(ball.event("radio", state="lost", detail="hci1 is gone")["detail"])
        with Controllers(are_settled=False):
            ball.event("radio", state="ready")
            ball.event("advertising", address=ADDRESSES[1])
            saw(answer(ball))
            end(ball)
            eventually("hci1 is up, as before", lambda: is_up("hci1"))


with check("a ball uses its adapter again after it was unplugged") as saw:
    come_back(saw)

with check("a ball uses its adapter again with bluetoothd, which powers every adapter") as saw:
    with bluetooth_service(powers_adapters=True):
        come_back(saw)

checks.end()
