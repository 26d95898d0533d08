"""The kernel on our virtual air, by /dev/vhci. It pairs with a ball of the air; with bluetoothd, an app on bleak uses a
sensor of the air. A ball beside bluetoothd disturbs no connection that bluetoothd has to the sensor: the adapter is then a central and a peripheral at
once, which btvirt cannot do."""

import contextlib
import os
import signal
import tempfile
import time

from adapters import bluetooth_service, power, run_bleak_app
from att import Central
from checks import Checks
from l2cap import Security
from management import Management
from programs import NOBODY, Ball, Program, eightball, eventually, run
from virtual_air import Sensor, VirtualAir

RADIO_TROUBLE = 69
QUESTIONS = 1_000
#: A user of the group that may use bluetoothd, without any privilege.
MEMBER = {**NOBODY, "extra_groups": ["bluetooth"]}

checks = Checks()
check = checks.check


class Listener(Program):
    """A central of the adapter, through bluetoothd, that stays subscribed to the sensor."""

    def __init__(self, adapter: str):
        command = [eightball(), "gatt", "Heart Rate", "--radio", f"bluez:{adapter}", "--timeout", "45"]
        super().__init__(*command, "subscribe", "2A37", "--json", **MEMBER)
        self.rates: list[int] = []
        self.hears(1)

    def hears(self, count: int) -> None:
        """Waits for more rates, each one more than the one before: none is missing."""
        for _ in range(count):
            value = self.event("notified")["value"]
            rate = int(value.split()[1], 16)
            assert not self.rates or rate in (self.rates[-1] + 1, 60), f"{rate} after {self.rates}"
            self.rates.append(rate)

    def stays(self, sensor: Sensor, event: str) -> None:
        """Fails if `event` ended its connection: it hears a rate that was not there before."""
        # Those that it has printed before.
        while not self._lines.empty():
            self.hears(1)
        self.hears(1)
        assert self.status() is None, f"{event} ended the central"
        ended = [line for line in sensor.log if '"disconnected"' in line]
        assert not ended, f"{event}: {ended}"


def asked(count: int) -> list[str]:
    """The answers to a central of the air that stays connected to the ball."""
    questions = f'for number in $(seq {count}); do echo "Is it $number?"; done'
    ask = f"{eightball()} ask --stay --radio virtual --timeout 45s --json"
    ended = run("bash", "-c", f"({questions}) | {ask}", patience=300)
    assert ended.returncode == 0, ended.stdout
    return [line for line in ended.stdout.splitlines() if '"event":"answer"' in line]


@contextlib.contextmanager
def running_ball(adapter: str):
    with Ball(f"bluez:{adapter}", **MEMBER) as ball:
        ball.event("advertising")
        yield ball


with VirtualAir() as air:
    options = ["--security", "encrypted", "--address", "public"]
    with tempfile.TemporaryDirectory() as state, Management(air.adapter) as kernel:
        with check("the kernel pairs with a ball of the air, and asks on the encrypted link") as saw:
            with Ball("virtual", *options, env={**os.environ, "XDG_STATE_HOME": state}) as ball:
                address = ball.event("advertising")["address"]
                status = kernel.pair(address)
                assert status == 0, f"status 0x{status:02X}"
                ball.event("paired", central=air.address)
                with Central(address, Security.MEDIUM, adapter=air.address) as central:
                    central.subscribe()
                    central.ask("Will it rain?")
                    saw(central.answer().decode())
                kernel.unpair(address)

with VirtualAir() as air, bluetooth_service(powers_adapters=False), Sensor() as sensor:
    power(air.adapter, True)

    with check("another program hosts the air") as saw:
        ended = run(eightball(), "radio", "--vhci", "1")
        assert ended.returncode == RADIO_TROUBLE and "hosts the air there" in ended.stdout, ended
        saw(ended.stdout)

    with check("an app on bleak reads and hears a sensor of the air") as saw:
        app = run_bleak_app("Examples/bleak/heart_rate.py", before_repeat=lambda: sensor.event("disconnected"))
        assert app.returncode == 0 and app.stdout.startswith("place 1\nrates "), app.stdout
        saw(app.stdout)
    sensor.event("disconnected")

    for program in ("eightball run", "eightballd"):
        if program == "eightballd":
            os.environ["BALL"] = os.environ["DAEMON"]
        sensor.log.clear()
        with Listener(air.adapter) as listener:
            with running_ball(air.adapter) as ball:
                with check(f"another connection stays through the start of {program}"):
                    listener.stays(sensor, "the start")

                with check(f"another connection stays through {QUESTIONS} questions to {program}") as saw:
                    start = time.monotonic()
                    answers = asked(QUESTIONS)
                    assert len(answers) == QUESTIONS, answers[-1:]
                    saw(f"{(time.monotonic() - start) / QUESTIONS * 1_000:.1f} ms for each")
                    listener.stays(sensor, "a question")

                with check(f"another connection stays through kill -9 of {program}"):
                    assert ball.stop(signal.SIGKILL) == -signal.SIGKILL
                    listener.stays(sensor, "kill -9")

            with check(f"another connection stays through the end of {program}, which answers before") as saw:
                with running_ball(air.adapter) as ball:
                    saw(asked(1)[0])
                    assert ball.stop() == 0
                listener.stays(sensor, "the end")
            rates = listener.rates
            listener.stop(signal.SIGINT)

        with check("the connection ends when its program ends it") as saw:
            sensor.event("disconnected")
            saw(f"{len(rates)} rates, none missing")
    os.environ.pop("BALL")

with check("a user who may not open /dev/vhci"):
    ended = run(eightball(), "radio", "--vhci", "1", "--listen", "unix:/tmp/nobody.sock", **NOBODY)
    assert ended.returncode == RADIO_TROUBLE, ended
    assert "sudo chown $USER /dev/vhci" in ended.stdout, ended.stdout

with check("a kernel without virtual adapters"):
    assert run("/sbin/rmmod", "hci_vhci").returncode == 0
    eventually("the device is gone", lambda: not os.path.exists("/dev/vhci"))
    ended = run(eightball(), "radio", "--vhci", "1")
    assert ended.returncode == RADIO_TROUBLE, ended
    assert "sudo modprobe hci_vhci" in ended.stdout, ended.stdout

checks.end()
