"""`eightball peripheral FILE` on the HCI user channel of hci1, with an app on bleak and bluetoothd on hci0, and a clone
of it from what btmon writes; then `eightball clone` of bluetoothd's own GATT server."""

import contextlib
import pathlib
import tempfile

from adapters import ADDRESSES, Controllers, bluetooth_service, run_bleak_app
from checks import Checks
from programs import Program, eightball, eventually, run

HEART_RATE = "Examples/peripherals/heart-rate.conf"

checks = Checks()
check = checks.check


def served(file: str, radio: str) -> Program:
    """`eightball peripheral`, advertising."""
    program = Program(eightball(), "peripheral", file, "--radio", radio, "--json")
    program.line(lambda line: '"event":"advertising"' in line, "that it advertises")
    return program


def clone(address: str, radio: str) -> str:
    """The file of a device; the errors are apart from it."""
    command = [eightball(), "clone", address, "--radio", radio, "--timeout", "45"]
    with tempfile.NamedTemporaryFile() as file:
        cloned = run("bash", "-c", 'exec "${@:2}" >"$1"', "clone", file.name, *command)
        assert cloned.returncode == 0, cloned.stdout
        return pathlib.Path(file.name).read_text()


def advertises() -> bool:
    return "ActiveInstances: 0x01" in run("bluetoothctl", "show").stdout


@contextlib.contextmanager
def bluez():
    """Both controllers, and bluetoothd with hci0 powered.

    A check has its own: bluetoothctl and bleak may take hci1 once a program has returned it.
    """
    with Controllers(), bluetooth_service(powers_adapters=False):
        eventually("it has an adapter", lambda: run("bluetoothctl", "list").stdout)
        power = run("bluetoothctl", "power", "on").stdout
        assert "succeeded" in power, power
        yield


@contextlib.contextmanager
def recorded(file: pathlib.Path):
    """What the kernel's two controllers and their hosts exchange, as btmon writes it."""
    with Program("btmon", "-w", str(file)) as monitor:
        eventually("btmon has written the controllers", lambda: file.exists() and file.stat().st_size > 16)
        yield
        monitor.stop()


recording = pathlib.Path(tempfile.mkdtemp()) / "app.btsnoop"

with check("an app on bleak reads and hears the sensor of a file") as saw:
    with bluez(), recorded(recording), served(HEART_RATE, "hci1"):
        app = run_bleak_app("Examples/bleak/heart_rate.py")
        assert app.returncode == 0, app.stdout
        words = app.stdout.split()
        assert words[:3] == ["place", "1", "rates"], app.stdout
        rates = [int(word) for word in words[3:]]
        assert rates == [rates[0] + step for step in range(3)], rates
        saw(app.stdout)

with check("a clone from btmon's capture has the sensor's characteristics and what the app read") as saw:
    cloned = run(eightball(), "clone", "--from", str(recording), ADDRESSES[1])
    assert cloned.returncode == 0, cloned.stdout
    for line in ("characteristic 2A37 notify", "characteristic 2A38 read", "characteristic 2A39 write"):
        assert f" = {line}\n" in cloned.stdout, cloned.stdout
    assert ".value = hex 01\n" in cloned.stdout, cloned.stdout
    saw(f"{recording.stat().st_size} bytes")

with check("a clone of bluetoothd's server, cloned again, is the same file") as saw:
    with bluez():
        with Program("bluetoothctl", "--timeout", "300", "advertise", "on"):
            eventually("it advertises", advertises)
            text = clone(ADDRESSES[0], "hci1")
        # BlueZ 5.66 has the bytes of its hash in the opposite order: the file keeps them.
        assert "generic-attribute.hash.value = hex " in text, text
        file = pathlib.Path(tempfile.mkdtemp()) / "device.conf"
        file.write_text(text)
        run("bluetoothctl", "power", "off")
        with served(str(file), "hci1"):
            again = clone(ADDRESSES[1], "hci0")
        assert again == text, again
        saw(f"{len(text.splitlines())} lines")

checks.end()
