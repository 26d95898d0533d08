"""Extended advertising between our air and the kernel with bluetoothd, by /dev/vhci: the table of cases of
Tests/Peers/test_extended_advertising.py, and what the kernel lacks."""

import json
import os

from adapters import advertised, bluetooth_service, power
from att import Central
from checks import Checks
from kernel_ball import ExtendedKernelBall
from management import Management
from monitor import Monitor
from programs import Ball, Program, eightball, eventually, run
from virtual_air import VirtualAir

#: 196 bytes. A legacy advertisement holds 29 of them.
LONG_NAME = "Küche-" * 28
#: As btmon prints them.
PHYS = {"1m": "LE 1M", "2m": "LE 2M", "coded": "LE Coded"}
CASES = [("extended", "1m"), ("extended", "2m"), ("extended", "coded"), ("both", "coded")]

checks = Checks()
check = checks.check


def found(name: str, address: str) -> None:
    """Waits until bluetoothd has found this device by its whole name."""

    def is_found() -> bool:
        run("bluetoothctl", "--timeout", "2", "scan", "on")
        return f"Device {address} {name}" in run("bluetoothctl", "devices").stdout.splitlines()

    eventually(f"bluetoothd finds {address}", is_found)


def scanned(name: str) -> dict:
    """What `eightball scan` on the air says about the device with this name."""
    scan = run(eightball(), "scan", "--radio", "virtual", "--timeout", "2s", "--json")
    assert scan.returncode == 0, scan.stdout
    heard = [json.loads(line) for line in scan.stdout.splitlines()]
    mine = [device for device in heard if device.get("name") == name]
    assert mine, scan.stdout
    return mine[-1]


def gatt(name: str, *commands: str) -> str:
    """The output of `eightball gatt` on the air."""
    ended = run(eightball(), "gatt", "--radio", "virtual", name, *commands)
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


with VirtualAir() as air, Monitor() as monitor, Management(air.adapter) as kernel:
    kernel.use_phys(*PHYS)
    for phy in PHYS:
        with check(f"our tools find and ask the kernel's ball: {phy}") as saw:
            with ExtendedKernelBall(kernel, air.adapter, LONG_NAME, "Outlook good.", phy):
                device = scanned(LONG_NAME)
                assert device["extended"] and device["connectable"] and device["ball"], device
                assert device["coded"] == (phy == "coded"), device
                ask = [eightball(), "ask", "Is this Bluetooth 5?", "--radio", "virtual"]
                asked = run(*ask, "--name", LONG_NAME)
                assert asked.returncode == 0 and "Outlook good." in asked.stdout, asked.stdout
                assert "service 8E38140A-27BE-4090-8955-4FC4B5698D1E" in gatt(LONG_NAME, "discover")

    with check("our tools join the parts of the kernel's 251 bytes, the most it has"):
        # 53 + 198 bytes; a report holds 229.
        name = LONG_NAME.encode()
        data = bytes([52, 0xFF, 0xFF, 0xFF, *range(49), len(name) + 1, 0x09]) + name
        kernel.advertise("1m", data, is_connectable=False)
        device = scanned(LONG_NAME)
        assert device["extended"] and not device["connectable"], device
        kernel.stop_advertising()

    with bluetooth_service(powers_adapters=False):
        power(air.adapter, True)
        for kind, phy in CASES:
            options = ["--name", LONG_NAME, "--advertise", kind, "--phy", phy, "--seed", "8"]
            with check(f"the kernel finds and asks our ball: {kind}, {phy}") as saw:
                with Ball("virtual", *options) as ball:
                    address = ball.event("advertising")["address"]
                    found(LONG_NAME, address)
                    heard = monitor.phys(address)
                    primary = PHYS["coded" if phy == "coded" else "1m"]
                    assert (primary, PHYS[phy]) in heard, heard
                    with Central(address, adapter=air.address) as central:
                        central.subscribe()
                        central.ask("Is this Bluetooth 5?")
                        saw(central.answer().decode())
                    ball.event("disconnected")
                    # It advertises again.
                    run("bluetoothctl", "remove", address)
                    found(LONG_NAME, address)

        for secondary in ("2M", "Coded"):
            with check(f"our tools find and read bluetoothd's device: {secondary.lower()}") as saw:
                with advertised("Daemon", secondary):
                    device = scanned("Daemon")
                    assert device["extended"] and device["coded"] == (secondary == "Coded"), device
                    saw(gatt("Daemon", "read", "2A00").splitlines()[-1])

        with check("the kernel does not join chained data: it finds the device without them"):
            advertiser = "Tests/VM/chained_advertiser.py"
            socket = f"unix:{os.environ['EIGHTBALL_AIR']}"
            with Program(os.environ["PYTHON"], "-B", advertiser, socket) as chained:
                address = chained.line(lambda line: line.strip(), "its address")
                assert scanned("Chained" * 24 + "End!")["address"] == address
                run("bluetoothctl", "--timeout", "2", "scan", "on")
                assert monitor.phys(address) == {(PHYS["1m"], PHYS["1m"])}, monitor.phys(address)
                assert "Chained" not in run("bluetoothctl", "info", address).stdout

        kernel.use_phys("1m")
        with check("the legacy half of both reaches the kernel's usual scan, on 1M alone"):
            with Ball("virtual", "--name", "Far", "--advertise", "both", "--phy", "coded") as ball:
                address = ball.event("advertising")["address"]
                found("Far", address)
                assert monitor.phys(address) == {(PHYS["1m"], "No packets")}, monitor.phys(address)

checks.end()
