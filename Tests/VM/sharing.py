"""A ball beside bluetoothd on hci1, without privileges: it gets over whatever happens to bluetoothd, the adapter and the
bus. The centrals are the kernel's on hci0. That it disturbs no other connection is a check of the suite air, since btvirt
mixes up the links of a controller that is a central and a peripheral."""

import contextlib
import pathlib
import re
import time

from adapters import (
    ADDRESSES,
    Controllers,
    bluetooth_daemon,
    bluetooth_service,
    power,
    set_up,
)
from att import Central
from checks import Checks
from programs import NOBODY, Ball, ball_command, eventually, run

RADIO_TROUBLE = 69
INSUFFICIENT_ENCRYPTION = 0x0F
RADIO = "bluez:hci1"
#: A user of the group that may use bluetoothd, without any privilege.
MEMBER = {**NOBODY, "extra_groups": ["bluetooth"]}
POLICY = pathlib.Path("/etc/dbus-1/system.d/eightball-test.conf")

checks = Checks()
check = checks.check


def refusal(*expected: str, **options) -> str:
    """The message of a ball that cannot begin, which must have the expected words, and status 69."""
    ended = run(*ball_command("--radio", RADIO), **options)
    assert ended.returncode == RADIO_TROUBLE, ended
    missing = [words for words in expected if words not in ended.stdout]
    assert not missing, f"{missing} is missing in {ended.stdout!r}"
    return ended.stdout


def central() -> Central | None:
    """A central on hci0; `None` while the kernel is busy with another connection of hci0."""
    try:
        return Central(ADDRESSES[1], adapter=ADDRESSES[0])
    except OSError:
        return None


def answers(ball: Ball, count: int = 1) -> str:
    """Asks the ball in one connection over the kernel's Bluetooth; the last answer."""
    with eventually("the kernel connects", central) as connection:
        connection.exchange_mtu(185)
        connection.subscribe()
        for number in range(count):
            connection.ask(f"Is it {number}?")
            answer = connection.answer()
        assert connection.last_answer() == answer
    ball.event("disconnected")
    return answer.decode()


@contextlib.contextmanager
def running_ball(*options: str, **process):
    with Ball(RADIO, *options, **(MEMBER | process)) as ball:
        ball.event("advertising")
        yield ball


def advertisements() -> int:
    """How many programs advertise on hci1."""
    shown = run("bluetoothctl", "show", ADDRESSES[1]).stdout
    return int(re.search(r"ActiveInstances: (0x\w+)", shown)[1], 16)


with check("without a system bus") as saw:
    saw(refusal("D-Bus", "sudo systemctl start dbus", **MEMBER))

with Controllers(), bluetooth_service(powers_adapters=False) as daemon:
    with check("an adapter that is switched off") as saw:
        saw(refusal("bluetoothd has switched hci1 off", "bluetoothctl power on", **MEMBER))
    with check("no such adapter") as saw:
        ended = run(*ball_command("--radio", "bluez:hci9"), **MEMBER)
        assert ended.returncode == RADIO_TROUBLE and "there is no adapter hci9" in ended.stdout, ended
        saw(ended.stdout)

    set_up("hci0", True)
    power("hci1", True)
    with check("a ball without privileges answers") as saw, running_ball() as ball:
        status = ball.statuses()[0]
        assert status["CapEff"] == 0, status
        saw(answers(ball))
        saw(ball.memory())

    with check("a ball answers 1,000 questions of a connection") as saw, running_ball() as ball:
        start = time.monotonic()
        answers(ball, 1_000)
        saw(f"{time.monotonic() - start:.1f} ms for each")

    with check("two balls on one adapter both advertise") as saw, running_ball("--name", "One") as one:
        with running_ball("--name", "Two", "--control", "/tmp/two") as two:
            assert advertisements() == 2
            assert two.stop() == 0
        # bluetoothd then forgets the other one's characteristics, too.
        eventually("bluetoothd has one of them", lambda: advertisements() == 1)
        saw(answers(one))

    with check("the adapter is switched off and on") as saw, running_ball() as ball:
        power("hci1", False)
        lost = ball.event("radio", state="lost")
        assert "switched hci1 off" in lost["detail"], lost
        power("hci1", True)
        ball.event("radio", state="ready")
        ball.event("advertising")
        saw(answers(ball))

    with check("a ball with bluetoothd's protection refuses a central that is not paired") as saw:
        with running_ball("--security", "encrypted") as ball:
            with eventually("the kernel connects", central) as connection:
                error = connection.refusal_of("Will it rain?")
                assert error == INSUFFICIENT_ENCRYPTION, error
                saw(f"ATT error 0x{error:02X}")

    with check("bluetoothd has no room for another advertisement") as saw, contextlib.ExitStack() as stack:
        for number in range(5):
            ball = stack.enter_context(running_ball("--control", f"/tmp/ball-{number}"))
        last = stack.enter_context(Ball(RADIO, "--control", "/tmp/last", **MEMBER))
        saw(last.event("radio", state="lost")["detail"])

    with check("bluetoothd ends, and runs again") as saw, running_ball() as ball:
        daemon.stop()
        lost = ball.event("radio", state="lost")
        # It may switch its adapters off first.
        assert "bluetoothd" in lost["detail"], lost
        saw(lost["detail"])
        with bluetooth_daemon(powers_adapters=True):
            ball.event("radio", state="ready")
            ball.event("advertising")
            saw(answers(ball))
            assert ball.stop() == 0

    with check("without bluetoothd") as saw:
        saw(refusal("bluetoothd does not run", "sudo systemctl start bluetooth", **MEMBER))

with check("a user whom the bus refuses") as saw:
    POLICY.write_text(
        '<busconfig><policy user="nobody"><deny send_destination="org.bluez"/></policy></busconfig>'
    )
    with Controllers(), bluetooth_service(powers_adapters=True):
        saw(refusal("may not use bluetoothd", "usermod -aG bluetooth", **NOBODY))
    POLICY.unlink()

with check("the adapter is unplugged, and returns") as saw, bluetooth_service(powers_adapters=True):
    # bluetoothd powers them as soon as it sees them.
    with Controllers(2, are_settled=False) as before:
        power("hci1", True)
        ball = Ball(RADIO, **MEMBER)
        ball.event("advertising")
        before.stop()
    with ball:
        saw(ball.event("radio", state="lost")["detail"])
        with Controllers(2, are_settled=False):
            ball.event("radio", state="ready")
            ball.event("advertising", address=ADDRESSES[1])
            assert ball.stop() == 0

checks.end()
