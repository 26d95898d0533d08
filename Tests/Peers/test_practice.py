"""The other teaching system, in Examples: each of its sides against Bumble, and against each other.

The messages are binary property lists, which Python's plistlib reads and writes on its own."""

import asyncio
import plistlib

import pytest
from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.host import Host
from bumble.hci import Address
from bumble.transport import open_transport

import worlds
from central import Central
from programs import PATIENCE, Program, example

SERVICE = UUID("0CDBE648-EED0-11E6-BC64-92361F002671")
CHARACTERISTIC = UUID("199AB74C-EED0-11E6-BC64-92361F002672")
NAME = "Peripheral - iOS"


@pytest.fixture
async def radio(folder):
    async with worlds.our_air(folder) as (radio, _):
        yield radio


def program(name: str, radio: str) -> Program:
    return Program(example(name), environment={"EIGHTBALL_RADIO": radio})


async def heard(program: Program, text: str) -> str:
    return await program.line(lambda line: line.startswith(text) and line, text)


async def test_the_two_sides_talk(radio):
    async with program("practice-peripheral", radio) as peripheral:
        await heard(peripheral, "started advertising")
        async with program("practice-central", radio) as central:
            assert await central.ended() == 0, central.transcript
        assert central.output == [
            "started configuration",
            "started scanning",
            f"connected {NAME}",
            "received Hello: Darkness",
            "sent Yo: Lo",
            f"disconnected {NAME}",
        ]
        await heard(peripheral, "disconnected")
        kinds = [line.split()[0] for line in peripheral.output[2:]]
        assert kinds == ["connected", "sent", "received", "disconnected"]


async def test_the_peripheral_before_bumble(radio):
    async with program("practice-peripheral", radio) as peripheral:
        await heard(peripheral, "started advertising")
        async with Central.opened(radio) as central:
            address = await find(central)
            connection = await central.device.connect(address, timeout=PATIENCE)
            client = connection.gatt_client
            await client.request_mtu(517)
            (service,) = await client.discover_service(SERVICE)
            await service.discover_characteristics()
            (characteristic,) = service.get_characteristics_by_uuid(CHARACTERISTIC)
            greetings: asyncio.Queue[bytes] = asyncio.Queue()
            await characteristic.subscribe(greetings.put_nowait)
            async with asyncio.timeout(PATIENCE):
                greeting = await greetings.get()
            assert plistlib.loads(greeting) == {"Hello": "Darkness"}
            assert greeting.startswith(b"bplist00") and len(greeting) == 61

            assert await characteristic.read_value() == b""
            answer = plistlib.dumps({"Yo": "Lo"}, fmt=plistlib.FMT_BINARY)
            await characteristic.write_value(answer, with_response=True)
            await heard(peripheral, "received Yo: Lo")
            assert await characteristic.read_value() == answer
            # What is no property list is taken, and changes nothing.
            await characteristic.write_value(b"nonsense", with_response=True)
            assert await characteristic.read_value() == answer


async def test_the_central_before_bumble(radio):
    written: asyncio.Queue[bytes] = asyncio.Queue()
    transport = await open_transport(radio)
    try:
        device = Device(
            name=NAME,
            address=Address("E0:00:00:00:00:B1"),
            host=Host(transport.source, transport.sink),
        )
        properties, permissions = Characteristic.Properties, Characteristic.Permissions
        characteristic = Characteristic(
            CHARACTERISTIC,
            properties.READ | properties.WRITE | properties.NOTIFY,
            permissions.READABLE | permissions.WRITEABLE,
            CharacteristicValue(
                read=lambda _: b"", write=lambda _, value: written.put_nowait(value)
            ),
        )
        greeting = plistlib.dumps({"Hello": "Darkness"}, fmt=plistlib.FMT_BINARY)

        def greet(connection, notifies, _):
            if notifies:
                asyncio.create_task(
                    device.notify_subscriber(connection, characteristic, greeting)
                )

        characteristic.on(characteristic.EVENT_SUBSCRIPTION, greet)
        device.add_service(Service(SERVICE, [characteristic]))
        await device.power_on()
        kind = AdvertisingData.Type
        await device.start_advertising(
            advertising_data=bytes(
                AdvertisingData(
                    [
                        (kind.FLAGS, bytes([0x06])),
                        (kind.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(SERVICE)),
                    ]
                )
            ),
            scan_response_data=bytes(
                AdvertisingData([(kind.COMPLETE_LOCAL_NAME, NAME.encode())])
            ),
        )
        async with program("practice-central", radio) as central:
            async with asyncio.timeout(PATIENCE):
                assert plistlib.loads(await written.get()) == {"Yo": "Lo"}
            assert await central.ended() == 0, central.transcript
        assert "received Hello: Darkness" in central.output
        assert central.output[-1].startswith("disconnected")
    finally:
        await transport.close()


async def find(central: Central) -> Address:
    """The address of the first that advertises the service."""
    async with central.scanning() as (findings, news):
        async with asyncio.timeout(PATIENCE), news:
            while True:
                for finding in findings.values():
                    if SERVICE in finding.services:
                        return finding.address
                await news.wait()
