"""Values that require an encrypted link: our CoreBluetooth in each role, with Bumble as the peer."""

import asyncio
import contextlib

import pytest
from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.gatt import Characteristic, Service
from bumble.keys import MemoryKeyStore

from pairing import GENERATIONS, PairingHosts, pair
from programs import PATIENCE, Program, example, example_on
from worlds import our_air

pytestmark = pytest.mark.examples

SERVICE, SECRET = UUID.from_16_bits(0x5A00), UUID.from_16_bits(0x5A01)
#: Core Specification, Vol 3, Part F, 3.4.1.1.
INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION = 0x05, 0x0F


@pytest.fixture
async def air(folder):
    """The radio's name, and two of Bumble's hosts on it."""
    async with our_air(folder) as (radio, _), PairingHosts.on(radio) as hosts:
        yield radio, hosts


class TestOurPeripheral:
    """`keep-a-secret` with Bumble as the central."""

    @GENERATIONS
    async def test_it_pairs_and_its_bond_encrypts_later_links(self, air, is_secure):
        radio, hosts = air
        hosts.configure(is_secure)
        async with keeper(radio) as address:
            async with visit(hosts, address) as connection:
                secret = await discover(connection)
                assert await refusal(secret.read_value()) == INSUFFICIENT_AUTHENTICATION
                await pair(hosts.central, connection)
                assert connection.is_encrypted and connection.sc == is_secure
                assert await secret.read_value() == b"The answer is 42."
            # A link that the bond has not encrypted yet.
            for _ in range(2):
                async with visit(hosts, address) as connection:
                    secret = await discover(connection)
                    assert await refusal(secret.read_value()) == INSUFFICIENT_ENCRYPTION
                    await within(connection.encrypt())
                    assert await within(secret.read_value()) == b"The answer is 42."

    async def test_writing_and_subscribing_require_encryption(self, air):
        radio, hosts = air
        hosts.configure()
        async with keeper(radio) as address, visit(hosts, address) as connection:
            secret = await discover(connection)
            heard: asyncio.Queue[bytes] = asyncio.Queue()
            write = secret.write_value(b"!", with_response=True)
            assert await refusal(write) == INSUFFICIENT_AUTHENTICATION
            assert await refusal(secret.subscribe(heard.put_nowait)) == INSUFFICIENT_AUTHENTICATION
            await pair(hosts.central, connection)
            await within(secret.write_value(b"!", with_response=True))
            await within(secret.subscribe(heard.put_nowait))
            assert await within(heard.get()) == b"Listen!"


class TestOurCentral:
    """`read-a-secret` with Bumble as the peripheral."""

    # Bumble's legacy peripheral uses the wrong key on a later link.
    @pytest.mark.parametrize(
        ("is_secure", "visits"), [(True, 3), (False, 1)], ids=["secure-connections", "legacy"]
    )
    async def test_it_pairs_and_reconnects_with_the_bond(self, air, is_secure, visits):
        radio, hosts = air
        hosts.configure(is_secure)
        pairings: list[int] = []
        hosts.peripheral.on(
            hosts.peripheral.EVENT_CONNECTION,
            lambda connection: connection.on(
                connection.EVENT_PAIRING, lambda *_: pairings.append(1)
            ),
        )
        await advertise(hosts.peripheral)
        async with reader(radio, visits) as program:
            assert await program.ended() == 0, program.transcript
        visit = ["Connected", "Read: sesame", "Disconnected"]
        assert program.output == visit * visits
        assert len(pairings) == 1

    async def test_it_rejects_a_peripheral_that_has_lost_its_bond(self, air):
        radio, hosts = air
        hosts.configure()
        await advertise(hosts.peripheral)

        def forget(_):
            hosts.peripheral.keystore = MemoryKeyStore()

        hosts.peripheral.on(
            hosts.peripheral.EVENT_CONNECTION,
            lambda connection: connection.once(connection.EVENT_DISCONNECTION, forget),
        )
        async with reader(radio, 2) as program:
            assert await program.ended() == 1, program.transcript
        assert program.output == [
            *("Connected", "Read: sesame", "Disconnected", "Connected"),
            "Disconnected: Peer removed pairing information.",
        ]


@contextlib.asynccontextmanager
async def keeper(radio: str):
    """`keep-a-secret`, advertising; yields its address."""
    environment = {"EIGHTBALL_RADIO": radio, "EIGHTBALL_ADDRESS": "C0:00:00:00:00:5A"}
    async with Program(example("keep-a-secret"), environment=environment) as program:
        await program.line(lambda line: line == "Advertising", "advertising")
        yield hci.Address("C0:00:00:00:00:5A")


def reader(radio: str, visits: int) -> Program:
    return example_on(radio, "read-a-secret", str(visits))


@contextlib.asynccontextmanager
async def visit(hosts: PairingHosts, address: hci.Address):
    """A connection of Bumble's central."""
    connection = await within(
        hosts.central.connect(address, own_address_type=hci.OwnAddressType.RANDOM)
    )
    yield connection
    await within(connection.disconnect())


async def discover(connection):
    """The secret's characteristic."""
    (service,) = await within(connection.gatt_client.discover_service(SERVICE))
    await within(service.discover_characteristics())
    (secret,) = service.get_characteristics_by_uuid(SECRET)
    await within(secret.discover_descriptors())
    return secret


async def refusal(request) -> int:
    """The error code with which the request is refused."""
    with pytest.raises(Exception) as refused:
        await within(request)
    return refused.value.error_code


async def within(awaitable):
    async with asyncio.timeout(PATIENCE):
        return await awaitable


async def advertise(device) -> None:
    """Serves a value that requires an encrypted link, and advertises again after each link."""
    value = Characteristic(
        SECRET,
        Characteristic.Properties.READ,
        Characteristic.READABLE | Characteristic.READ_REQUIRES_ENCRYPTION,
        b"sesame",
    )
    device.add_service(Service(SERVICE, [value]))
    kind = AdvertisingData.Type
    await device.start_advertising(
        auto_restart=True,
        advertising_data=bytes(
            AdvertisingData(
                [
                    (kind.FLAGS, bytes([0x06])),
                    (kind.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes(SERVICE)),
                ]
            )
        ),
    )
