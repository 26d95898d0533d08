"""The other teaching system, in Examples: each side with Bumble, and both together.

The messages are binary property lists, which Python's plistlib reads and writes independently."""

import asyncio
import plistlib

import pytest
from bumble.core import UUID, AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address

from bumble_air import device_on
from central import Central
from programs import PATIENCE, REPOSITORY, example_on

pytestmark = pytest.mark.examples

SERVICE = UUID("0CDBE648-EED0-11E6-BC64-92361F002671")
CHARACTERISTIC = UUID("199AB74C-EED0-11E6-BC64-92361F002672")
NAME = "Peripheral - iOS"


async def test_the_two_sides_talk(radio):
    async with example_on(radio, "practice-peripheral") as peripheral:
        await peripheral.starts_line("started advertising")
        async with example_on(radio, "practice-central") as central:
            assert await central.ended() == 0, central.transcript
        assert central.output == [
            "started configuration",
            "started scanning",
            f"connected {NAME}",
            "received Hello: Darkness",
            "sent Yo: Lo",
            f"disconnected {NAME}",
        ]
        page = (REPOSITORY / "docs" / "testing-apps.md").read_text()
        assert "\n".join(["```text", *central.output, "```"]) in page
        await peripheral.starts_line("disconnected")
        kinds = [line.split()[0] for line in peripheral.output[2:]]
        assert kinds == ["connected", "sent", "received", "disconnected"]


async def test_the_peripheral_with_bumble(radio):
    async with example_on(radio, "practice-peripheral") as peripheral:
        await peripheral.starts_line("started advertising")
        async with Central.opened(radio) as central:
            connection = await central.connect(await central.find_service(SERVICE))
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
            await peripheral.starts_line("received Yo: Lo")
            assert await characteristic.read_value() == answer
            # A value that is not a property list is accepted, and changes nothing.
            await characteristic.write_value(b"nonsense", with_response=True)
            assert await characteristic.read_value() == answer


async def test_the_central_with_bumble(radio):
    written: asyncio.Queue[bytes] = asyncio.Queue()
    address = Address("E0:00:00:00:00:B1")
    async with device_on(radio, name=NAME, address=address) as device:
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
        async with example_on(radio, "practice-central") as central:
            async with asyncio.timeout(PATIENCE):
                assert plistlib.loads(await written.get()) == {"Yo": "Lo"}
            assert await central.ended() == 0, central.transcript
        assert "received Hello: Darkness" in central.output
        assert central.output[-1].startswith("disconnected")
