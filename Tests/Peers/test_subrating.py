"""Connection subrating of Bluetooth 5.3 on our air, with Bumble on the other side: Core Specification, Vol 4, Part E,
7.8.115, 7.8.123 and 7.8.124."""

import asyncio
import contextlib

import pytest
from bumble import hci
from bumble.device import DeviceConfiguration

from bumble_air import device_on
from gatt_server import ADDRESS, NAME, Server
from programs import PATIENCE, Program, eightball
from test_peripheral import ADDRESS as OUR_ADDRESS, serving, written

FILE = """
name = Saver
one = service A000
one.a = characteristic A001 read
"""


@contextlib.asynccontextmanager
async def saver(radio: str, address: str, is_enabled: bool = True):
    """A device of Bumble that is on."""
    config = DeviceConfiguration(
        name=NAME, address=hci.Address(address), le_subrate_enabled=is_enabled
    )
    async with device_on(radio, config=config) as device:
        async with asyncio.timeout(PATIENCE):
            await device.power_on()
        yield device


async def gatt(radio: str, *command: str) -> tuple[int, Program]:
    """Our central's command, run to its end."""
    arguments = ("gatt", ADDRESS, "--radio", radio, "--json", *command)
    async with Program(eightball(), *arguments) as program:
        return await program.ended(), program


def subrate(parameters) -> tuple[int, int, int, float]:
    return (
        parameters.subrate_factor,
        parameters.peripheral_latency,
        parameters.continuation_number,
        parameters.supervision_timeout,
    )


async def test_bumble_changes_the_subrate_of_a_link_to_our_peripheral(radio, folder):
    async with (
        serving(radio, written(folder, FILE)),
        saver(radio, "E0:00:00:00:00:B2") as central,
    ):
        connection = await central.connect(hci.Address(OUR_ADDRESS), timeout=PATIENCE)
        async with asyncio.timeout(PATIENCE):
            await connection.update_subrate(2, 8, 1, 3, 6_000)
            assert subrate(connection.parameters) == (8, 1, 3, 6_000)
            # The link still works.
            await connection.gatt_client.discover_services()


async def test_ours_changes_the_subrate_of_a_link_to_bumble(radio):
    async with saver(radio, ADDRESS) as device:
        await Server(device).advertise()
        ended = asyncio.get_running_loop().create_future()
        device.on(
            device.EVENT_CONNECTION,
            lambda link: link.once(link.EVENT_DISCONNECTION, lambda _: ended.set_result(link)),
        )
        status, program = await gatt(radio, "subrate", "10", "2")
        assert status == 0, program.transcript
        (event,) = program.events("subrate")
        assert (event["factor"], event["continuation"]) == (10, 2)
        async with asyncio.timeout(PATIENCE):
            connection = await ended
        assert subrate(connection.parameters) == (10, 0, 2, event["timeout"])


async def test_a_device_without_subrating_keeps_its_events(radio):
    async with saver(radio, ADDRESS, is_enabled=False) as device:
        await Server(device).advertise()
        status, program = await gatt(radio, "subrate", "10")
        assert status == 65, program.transcript
        assert "The device has no connection subrating." in program.transcript


@pytest.mark.parametrize("limit, factor", [(None, None), (4, 4)])
async def test_bumble_as_peripheral_gets_what_a_central_allows(radio, limit, factor):
    async with (
        saver(radio, ADDRESS) as peripheral,
        saver(radio, "E0:00:00:00:00:B2") as central,
    ):
        async with asyncio.timeout(PATIENCE):
            if limit:
                await central.set_default_connection_subrate(1, limit, 0, 0, 6_000)
            await Server(peripheral).advertise()
            connected = asyncio.get_running_loop().create_future()
            peripheral.on(peripheral.EVENT_CONNECTION, connected.set_result)
            await central.connect(hci.Address(ADDRESS), timeout=PATIENCE)
            connection = await connected
            request = connection.update_subrate(2, 10, 0, 0, 6_000)
            if factor is None:
                with pytest.raises(hci.HCI_Error):
                    await request
            else:
                await request
                assert connection.parameters.subrate_factor == factor
