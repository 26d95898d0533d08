"""A GATT server of Bumble with one of everything: for `eightball gatt` and `eightball clone`."""

import asyncio
import contextlib
import random

from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import (
    Characteristic,
    CharacteristicValue,
    Descriptor,
    IncludedServiceDeclaration,
    Service,
)

from bumble_air import device_on
from programs import PATIENCE

NAME = "Thermometer"
ADDRESS = "E0:00:00:00:00:B1"
LONG, SECRET, UPDATES = "A001", "A002", "A003"
PROPERTIES, PERMISSIONS = Characteristic.Properties, Characteristic.Permissions

ADVERTISEMENT = bytes(
    AdvertisingData(
        [
            (AdvertisingData.Type.FLAGS, bytes([0x06])),
            (AdvertisingData.Type.MANUFACTURER_SPECIFIC_DATA, bytes.fromhex("ffff0102")),
            (AdvertisingData.Type.TX_POWER_LEVEL, bytes([0x04])),
        ]
    )
)
SCAN_RESPONSE = bytes(
    AdvertisingData([(AdvertisingData.Type.COMPLETE_LOCAL_NAME, NAME.encode())])
)


class Server:
    """A device that has advertised, with the values that clients have written."""

    def __init__(self, device: Device):
        self.device = device
        self.written: list[bytes] = []
        self.long_value = bytes(index & 0xFF for index in range(400))
        self.updates = Characteristic(
            UUID(UPDATES), PROPERTIES.NOTIFY | PROPERTIES.INDICATE, PERMISSIONS(0)
        )
        hidden = Service(
            UUID("A0F1"),
            [Characteristic(UUID("2A19"), PROPERTIES.READ, PERMISSIONS.READABLE, b"\x64")],
            primary=False,
        )
        self._services = [
            hidden,
            Service(
                UUID("C0DE0000-0000-4000-8000-000000000001"),
                [
                    Characteristic(
                        UUID(LONG),
                        PROPERTIES.READ | PROPERTIES.WRITE | PROPERTIES.WRITE_WITHOUT_RESPONSE,
                        PERMISSIONS.READABLE | PERMISSIONS.WRITEABLE,
                        CharacteristicValue(lambda _: self.long_value, self._on_write),
                        [
                            Descriptor("2901", PERMISSIONS.READABLE, "Long value".encode()),
                            Descriptor(
                                "2904", PERMISSIONS.READABLE, bytes.fromhex("1b000027010000")
                            ),
                        ],
                    ),
                    Characteristic(
                        UUID(SECRET),
                        PROPERTIES.READ,
                        PERMISSIONS.READABLE | PERMISSIONS.READ_REQUIRES_ENCRYPTION,
                        b"secret",
                    ),
                    self.updates,
                ],
                included_services=[hidden],
            ),
        ]
        device.on(device.EVENT_CONNECTION, lambda _: asyncio.create_task(self.advertise()))
        self.updates.on(self.updates.EVENT_SUBSCRIPTION, self._on_subscription)

    @staticmethod
    @contextlib.asynccontextmanager
    async def opened(radio: str, services: list[Service] | None = None):
        """A server on `radio`, advertising; with these services if given."""
        async with device_on(radio, name=NAME, address=hci.Address(ADDRESS)) as device:
            server = Server(device)
            device.add_services(server._services if services is None else services)
            async with asyncio.timeout(PATIENCE):
                await device.power_on()
                await server.advertise()
            yield server

    async def advertise(self) -> None:
        await self.device.start_advertising(
            advertising_data=ADVERTISEMENT,
            scan_response_data=SCAN_RESPONSE,
            advertising_interval_min=20,
            advertising_interval_max=20,
        )

    def database_hash(self) -> bytes:
        """The Database Hash as Bumble computes it."""
        service = self.device.gatt_service
        return b"".join(
            service.get_attribute_data(attribute)
            for attribute in self.device.gatt_server.attributes
        )

    def _on_write(self, _, value: bytes) -> None:
        self.written.append(bytes(value))

    def _on_subscription(self, bearer, notify: bool, indicate: bool) -> None:
        async def send():
            for number in range(3):
                if indicate:
                    await self.device.indicate_subscriber(bearer, self.updates, bytes([number]))
                else:
                    await self.device.notify_subscriber(bearer, self.updates, bytes([number]))

        if notify or indicate:
            asyncio.get_running_loop().call_soon(lambda: asyncio.create_task(send()))


def generated_services(seed: int) -> list[Service]:
    """A database that a seed decides: up to 4 services with up to 4 characteristics each."""
    chance = random.Random(seed)

    def uuid() -> UUID:
        if chance.random() < 0.5:
            return UUID(f"{chance.randrange(0xA000, 0xB000):04X}")
        return UUID(chance.randbytes(16).hex())

    def characteristic() -> Characteristic:
        properties = PROPERTIES(0)
        for one in (PROPERTIES.READ, PROPERTIES.WRITE, PROPERTIES.NOTIFY, PROPERTIES.INDICATE):
            if chance.random() < 0.5:
                properties |= one
        descriptors = [
            Descriptor("2901", PERMISSIONS.READABLE, chance.randbytes(chance.randrange(1, 20)))
        ] * chance.randrange(2)
        value = chance.randbytes(chance.randrange(1, 60))
        permissions = PERMISSIONS.READABLE | PERMISSIONS.WRITEABLE
        return Characteristic(uuid(), properties, permissions, value, descriptors)

    services: list[Service] = []
    for _ in range(chance.randrange(1, 5)):
        # Bumble writes two bytes of a longer UUID into the declaration, which has none: Vol 3, Part G, 3.2.
        short = [one for one in services if len(one.uuid.to_bytes()) == 2]
        included = [one for one in short if chance.random() < 0.4]
        characteristics = [characteristic() for _ in range(chance.randrange(5))]
        is_primary = chance.random() < 0.8
        services.append(
            Service(uuid(), characteristics, primary=is_primary, included_services=included)
        )
    return services
