"""Enhanced ATT bearers (EATT) between our programs and the kernel with bluetoothd, in both roles, on our air."""

import contextlib
import json
import os
import pathlib
import tempfile

from adapters import advertised, bluetooth_service, power, run_bleak_app
from checks import Checks
from monitor import Monitor
from programs import Program, eightball, eventually, run
from virtual_air import VirtualAir
from ways import pairing_agent

#: A peripheral with enhanced bearers: Server Supported Features has bit 0. Each of five values takes a while.
FILE = """
name = Bearers
gatt = service 1801
gatt.client = characteristic 2B29 read write
gatt.server = characteristic 2B3A read
gatt.server.value = hex 01
slow = service A000
""" + "".join(
    f"""slow.{name} = characteristic A00{number} read
slow.{name}.value = hex 0{number}
slow.{name}.fault = slow 1 s
"""
    for number, name in enumerate("abcde", 1)
) + """
live = service B000
live.now = characteristic B001 notify
live.now.value = uint8 7
live.now.every = 1 s: ramp 7 to 7 by 1
"""
#: The kernel's switch of the channels, off at its start.
SWITCH = pathlib.Path("/sys/module/bluetooth/parameters/enable_ecred")

checks = Checks()
check = checks.check


@contextlib.contextmanager
def peripheral():
    """Our peripheral on the air; its address."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(FILE)
        file.flush()
        with Program(eightball(), "peripheral", file.name, "--radio", "virtual", "--json") as program:
            yield program.event("advertising")["address"]


def found(address: str) -> None:
    """Waits until bluetoothd has found the peripheral."""

    def is_found() -> bool:
        run("bluetoothctl", "--timeout", "2", "scan", "on")
        return address in run("bluetoothctl", "devices").stdout

    eventually("bluetoothd finds the peripheral", is_found)


def channels(pdu: list[str], kind: str) -> int:
    """How many channels a request ("Source") or a response ("Destination") has."""
    return sum(field.startswith(f"{kind} CID: ") for field in pdu)


def forget_link() -> None:
    """Forgets all of a link that has ended."""
    monitor.wait_for_end()
    monitor.forget()


def app(address: str) -> dict[str, str]:
    """What the app on bleak prints, each line without its first word by that."""
    ended = run_bleak_app("Tests/VM/bearers_app.py", address, before_repeat=forget_link)
    assert ended.returncode == 0, ended.stdout
    return dict(line.split() for line in ended.stdout.splitlines())


def reads(address: str, count: int) -> set[int]:
    """Checks that the app reads each value and is notified. The enhanced bearers, `count`, on which it has read."""
    printed = app(address)
    monitor.wait_for_end()
    assert printed.pop("notified") == "07", printed
    assert list(printed.values()) == [f"0{number}" for number in range(1, 6)], printed
    bearers = monitor.bearers_with_reads({int(handle) for handle in printed})
    assert len(bearers) == count, bearers
    return bearers


def values(*options: str) -> dict[str, tuple[int, str]]:
    """The handles and the values of bluetoothd's server by their types, as `eightball gatt` reads them."""
    monitor.forget()
    ended = run(eightball(), "gatt", "Daemon", "--radio", "virtual", "--pair", *options, "read-all", "--json")
    assert ended.returncode == 0, ended.stdout
    monitor.wait_for_end()
    events = [json.loads(line) for line in ended.stdout.splitlines()]
    return {event["uuid"]: (event["handle"], event["value"]) for event in events if event["event"] == "value"}


@contextlib.contextmanager
def bluetoothd(bearers: int):
    """bluetoothd with a user who accepts each pairing, and with so many bearers in all."""
    settings = f"[GATT]\nChannels = {bearers}\n"
    with bluetooth_service(powers_adapters=False, settings=settings), pairing_agent():
        power(air.adapter, True)
        monitor.forget()
        yield


os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="state-")
SWITCH.write_text("1")
with VirtualAir() as air, Monitor() as monitor, peripheral() as address:
    with bluetoothd(bearers=5):
        found(address)
        with check("bluetoothd requests bearers of ours, pairs when it is refused, and opens four") as saw:
            connected = run("bluetoothctl", "connect", address).stdout
            assert "Connection successful" in connected, connected
            # The refused ones are in a response, too. A response ends with its channels.
            eventually(
                "it has four", lambda: sum(channels(pdu, "Destination") for pdu in monitor.openings("Response")) == 4 + 4
            )
            requests, responses = monitor.openings("Request"), monitor.openings("Response")
            # The link is not encrypted at first.
            assert "Result: All Connections refused - insufficient authentication (0x0005)" in responses[0], responses
            assert [channels(request, "Source") for request in requests] == [4, 1, 1, 1, 1], requests
            for response in responses[1:]:
                assert "Result: Connection successful (0x0000)" in response, response
        with check("bluetoothd reads five values of ours at once, each on its bearer, and is notified") as saw:
            saw(f"channels {sorted(reads(address, 4))}")

        with advertised("Daemon", "1M"):
            name = "ours opens four bearers of bluetoothd's at once, and reads the same as on the link alone"
            with check(name) as saw:
                alone = values()
                together = values("--eatt", "4")
                assert [channels(request, "Source") for request in monitor.openings("Request")] == [4]
                assert [channels(response, "Destination") for response in monitor.openings("Response")] == [4]
                assert monitor.openings("Response")[0][3] == "Result: Connection successful (0x0000)"
                bearers = monitor.bearers_with_reads({handle for handle, _ in together.values()})
                assert len(bearers) == 4, bearers
                # Client Supported Features: what ours has written.
                alone["2B29"] = (alone["2B29"][0], "02")
                assert together == alone, (together, alone)
                saw(f"{len(together)} values, channels {sorted(bearers)}")

    # Not more: the kernel assigns the channels of a response in the order of its own list (l2cap_ecred_conn_rsp), but its
    # request has that of the last socket first (l2cap_ecred_connect). With one channel the order does not matter.
    with bluetoothd(bearers=2):
        with check("with a bond, bluetoothd opens a bearer of ours as soon as the link is encrypted") as saw:
            saw(f"channels {sorted(reads(address, 1))}")
            requests, responses = monitor.openings("Request"), monitor.openings("Response")
            assert [channels(request, "Source") for request in requests] == [1], requests
            assert "Result: Connection successful (0x0000)" in responses[0], responses

    SWITCH.write_text("0")
    with bluetoothd(bearers=5):
        with check("without enhanced channels in the kernel, bluetoothd uses the link's own bearer"):
            reads(address, 0)
            assert monitor.openings("Request") == []
            # It requests channels of the older kind instead, which are no bearers.
            assert set(monitor.refusals()) == {"Connection refused - PSM not supported (0x0002)"}, monitor.refusals()

checks.end()
