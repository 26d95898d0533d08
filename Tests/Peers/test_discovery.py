"""A full discovery, and the Database Hash of what it finds."""

from bumble import gatt
from bumble.core import UUID

import database_hash
import eight_ball


async def discovered(world):
    """A client that has discovered every service, characteristic and descriptor."""
    central = await world.central()
    connection = await central.connect()
    client = connection.gatt_client
    assert await client.request_mtu(517) == 517
    await client.discover_services()
    for service in client.services:
        await service.discover_characteristics()
        for characteristic in service.characteristics:
            await characteristic.discover_descriptors()
    return client


def characteristic(client, uuid):
    (found,) = client.get_characteristics_by_uuid(uuid)
    return found


async def test_the_balls_own_service(ours):
    client = await discovered(ours)
    (service,) = client.get_services_by_uuid(eight_ball.SERVICE)
    properties = gatt.Characteristic.Properties
    assert [(item.uuid, item.properties) for item in service.characteristics] == [
        (eight_ball.QUESTION, properties.WRITE | properties.WRITE_WITHOUT_RESPONSE),
        (eight_ball.ANSWER, properties.READ | properties.NOTIFY),
    ]
    answer = characteristic(client, eight_ball.ANSWER)
    cccd = answer.get_descriptor(gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR)
    assert await cccd.read_value() == b"\x00\x00"


async def test_generic_access_names_the_ball_as_its_advertisement_does(ours):
    client = await discovered(ours)
    name = characteristic(client, gatt.GATT_DEVICE_NAME_CHARACTERISTIC)
    assert await name.read_value() == b"8-Ball"
    appearance = characteristic(client, gatt.GATT_APPEARANCE_CHARACTERISTIC)
    assert len(await appearance.read_value()) == 2


async def test_device_information(ours):
    client = await discovered(ours)
    (service,) = client.get_services_by_uuid(gatt.GATT_DEVICE_INFORMATION_SERVICE)
    values = {}
    for item in service.characteristics:
        assert item.properties == gatt.Characteristic.Properties.READ
        values[item.uuid] = await item.read_value()
    # Vendor's source (Bluetooth SIG or USB), vendor, product, version.
    assert len(values.pop(gatt.GATT_PNP_ID_CHARACTERISTIC)) == 1 + 2 + 2 + 2
    assert values[gatt.GATT_MODEL_NUMBER_STRING_CHARACTERISTIC] == b"Magic 8-Ball"
    for text in values.values():
        assert text.decode().strip() != ""


async def test_service_changed_can_be_subscribed_to(served):
    client = await discovered(served)
    changed = characteristic(client, gatt.GATT_SERVICE_CHANGED_CHARACTERISTIC)
    assert changed.properties == gatt.Characteristic.Properties.INDICATE
    await changed.subscribe(prefer_notify=False)
    uuid = gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR
    assert await changed.get_descriptor(uuid).read_value() == b"\x02\x00"


async def test_database_hash_is_that_of_the_database_seen(served):
    client = await discovered(served)
    hashed = characteristic(client, gatt.GATT_DATABASE_HASH_CHARACTERISTIC)
    attributes = await database_hash.attributes_seen_by(client)
    expected = database_hash.database_hash(attributes)
    # A 128-bit number, so the least significant octet travels first.
    assert await hashed.read_value() == expected[::-1]
    # A client that checks its cache reads the hash by type.
    by_type = await client.read_characteristics_by_uuid(UUID.from_16_bits(0x2B2A), None)
    assert by_type == [expected[::-1]]


async def test_handles_are_the_same_for_every_central(served):
    served.requires_capacity(2)
    def layout(client):
        return [(s.handle, s.uuid, [(c.handle, c.uuid) for c in s.characteristics])
                for s in client.services]

    first, second = await discovered(served), await discovered(served)
    assert layout(first) == layout(second)


async def test_the_smaller_mtu_holds(served):
    for asked, agreed in [(23, 23), (24, 24), (185, 185), (517, 517), (1024, 517)]:
        central = await served.central()
        connection = await central.connect()
        assert await connection.gatt_client.request_mtu(asked) == agreed
        await connection.disconnect()
