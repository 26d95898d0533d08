"""RootCanal, the controllers and the air of Android's emulator: the peripheral of a file on one of its controllers, and
`eightball gatt` and Bumble as centrals on others."""

import asyncio
import contextlib
import os

import pytest

import worlds
from central import Central
from programs import PATIENCE, Program, eightball
from test_peripheral import EXAMPLES, arrive, characteristic

binaries = pytest.importorskip("rootcanal.binaries")
PROGRAM = binaries.get_package_binary_resource_path("rootcanal")
pytestmark = pytest.mark.skipif(
    not os.access(PROGRAM, os.X_OK), reason="The package rootcanal has no program for this machine."
)


@contextlib.asynccontextmanager
async def sensor_on_rootcanal():
    """RootCanal, and the heart-rate sensor on its first controller; yields RootCanal's address and the sensor's."""
    port = worlds.free_port()
    ports = [f"--{name}=0" for name in ("test_port", "link_port", "link_ble_port")]
    async with Program(PROGRAM, f"--hci_port={port}", *ports) as rootcanal:
        await worlds.accepts(f"tcp-server:127.0.0.1:{port}", rootcanal)
        radio = f"tcp-client:127.0.0.1:{port}"
        file = str(EXAMPLES / "heart-rate.conf")
        command = [eightball(), "peripheral", file, "--radio", radio, "--json"]
        async with Program(*command) as sensor:
            yield radio, (await sensor.event("advertising"))["address"]


async def test_our_central_reads_and_hears():
    async with sensor_on_rootcanal() as (radio, _):
        commands = ["discover", ",", "read", "2A38", ",", "subscribe", "2A37", "3"]
        command = [eightball(), "gatt", "--radio", radio, "Heart Rate", *commands]
        async with Program(*command) as central:
            assert await central.ended() == 0, central.transcript
        assert "0x000E service 180D Heart Rate, to 0x0015" in central.output
        place, *rates = [line for line in central.output if "hex" in line]
        assert place == "hex 01"
        assert [line[:15] for line in rates] == ["2A37: hex 00 " + line[13:15] for line in rates]
        numbers = [int(line[-2:], 16) for line in rates]
        assert numbers == [numbers[0] + step for step in range(3)]


async def test_bumble_reads_and_hears():
    async with sensor_on_rootcanal() as (radio, address), Central.opened(radio) as central:
        visit = await arrive(central, f"{address}/P")
        assert await characteristic(visit, 0x2A38).read_value() == b"\x01"
        rates: asyncio.Queue[bytes] = asyncio.Queue()
        await characteristic(visit, 0x2A37).subscribe(rates.put_nowait)
        async with asyncio.timeout(PATIENCE):
            first, second = await rates.get(), await rates.get()
        assert second == bytes([0, first[1] + 1])
