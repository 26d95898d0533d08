"""Two of Bumble's hosts that pair, each on its own radio."""

import asyncio
import contextlib
import struct

import pytest
from bumble import hci
from bumble.device import Connection, Device, DeviceConfiguration
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

from bumble_air import device_on
from programs import PATIENCE

Capability = PairingDelegate.IoCapability

#: Runs a test with both kinds of pairing.
GENERATIONS = pytest.mark.parametrize(
    "is_secure", [True, False], ids=["secure-connections", "legacy"]
)


class User(PairingDelegate):
    """Types the passkey of one device at the other, and confirms every comparison."""

    def __init__(self, capability: Capability, shown: asyncio.Future[int], compared: list[int]):
        super().__init__(capability)
        self._shown, self._compared = shown, compared

    async def display_number(self, number: int, digits: int) -> None:
        self._shown.set_result(number)

    async def get_number(self) -> int:
        async with asyncio.timeout(PATIENCE):
            return await asyncio.shield(self._shown)

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self._compared.append(number)
        return True


async def pair(device: Device, connection: Connection) -> None:
    """Pairs, and waits until the device has stored the keys."""
    stored = asyncio.get_running_loop().create_future()
    device.once(device.EVENT_KEY_STORE_UPDATE, lambda: stored.set_result(None))
    async with asyncio.timeout(PATIENCE):
        await connection.pair()
        await stored


class PairingHosts:
    """Bumble's central and peripheral, each with a key store."""

    def __init__(self, central: Device, peripheral: Device):
        self.central, self.peripheral = central, peripheral
        #: The numbers that the devices have shown for comparison.
        self.compared: list[int] = []
        for device in (central, peripheral):
            device.keystore = MemoryKeyStore()

    @staticmethod
    @contextlib.asynccontextmanager
    async def on(radio: str, **configuration):
        """Both hosts on `radio`, powered on."""
        async with contextlib.AsyncExitStack() as stack:
            devices = [
                await stack.enter_async_context(_host(radio, number, configuration))
                for number in (1, 2)
            ]
            yield PairingHosts(*devices)

    def configure(
        self,
        is_secure: bool = True,
        needs_user: bool = False,
        central: Capability = Capability.NO_OUTPUT_NO_INPUT,
        peripheral: Capability = Capability.NO_OUTPUT_NO_INPUT,
    ) -> None:
        """Sets Secure Connections or legacy pairing, and the devices' IO capabilities."""
        shown: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        for device, capability in ((self.central, central), (self.peripheral, peripheral)):
            user = User(capability, shown, self.compared)
            device.pairing_config_factory = lambda _, user=user: PairingConfig(
                sc=is_secure,
                mitm=needs_user,
                bonding=True,
                delegate=user,
                identity_address_type=PairingConfig.AddressType.RANDOM,
            )

    async def meet(self, **options) -> "Meeting":
        """A link between the two. `options` are those of the peripheral's advertising."""
        accepted = asyncio.get_running_loop().create_future()
        self.peripheral.once(self.peripheral.EVENT_CONNECTION, accepted.set_result)
        await self.peripheral.start_advertising(auto_restart=False, **options)
        own = options.get("own_address_type", hci.OwnAddressType.RANDOM)
        async with asyncio.timeout(PATIENCE):
            connection = await self.central.connect(
                self.peripheral.static_address, own_address_type=own
            )
            return Meeting(connection, await accepted)

    async def pair(self, **options) -> "Meeting":
        """A paired link, with its keys stored on both sides."""
        meeting = await self.meet(**options)
        stored = [asyncio.get_running_loop().create_future() for _ in range(2)]
        for device, future in zip((self.central, self.peripheral), stored, strict=True):
            device.once(device.EVENT_KEY_STORE_UPDATE, lambda future=future: future.set_result(0))
        async with asyncio.timeout(PATIENCE):
            await meeting.central.pair()
            await asyncio.gather(*stored)
        return meeting

    async def keys(self):
        """The keys of each side, the central's first."""
        stores = [await device.keystore.get_all() for device in (self.central, self.peripheral)]
        assert [len(store) for store in stores] == [1, 1]
        return [store[0][1] for store in stores]


class Meeting:
    """Both sides of one link, and how it ended."""

    def __init__(self, central: Connection, peripheral: Connection):
        self.central, self.peripheral = central, peripheral
        loop = asyncio.get_running_loop()
        self._reasons = [loop.create_future(), loop.create_future()]
        for side, reason in zip((central, peripheral), self._reasons, strict=True):
            side.once(side.EVENT_DISCONNECTION, reason.set_result)

    async def encrypt(self) -> None:
        """The central encrypts with the bond; waits until the peripheral's link is encrypted."""
        encrypted = asyncio.get_running_loop().create_future()
        event = self.peripheral.EVENT_CONNECTION_ENCRYPTION_CHANGE
        self.peripheral.once(event, lambda: encrypted.set_result(None))
        async with asyncio.timeout(PATIENCE):
            await self.central.encrypt()
            await encrypted

    async def reasons(self) -> list[int]:
        """The reasons for the end of the link, one for each side."""
        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*self._reasons)

    async def leave(self) -> None:
        """Ends the link."""
        async with asyncio.timeout(PATIENCE):
            await self.central.disconnect()
        await self.reasons()


async def command(device: Device, opcode: int, parameters: bytes = b"") -> bytes:
    """The return parameters of a command after its status, if Bumble has no type for them.

    Raises `hci.HCI_Error` if the status is an error.
    """
    packet = struct.pack("<BHB", 0x01, opcode, len(parameters)) + parameters
    async with asyncio.timeout(PATIENCE):
        result = await device.host.send_sync_command(hci.HCI_Command.from_bytes(packet))
    is_raw = isinstance(result, hci.HCI_GenericReturnParameters)
    return bytes(result.data)[1:] if is_raw else b""


@contextlib.asynccontextmanager
async def _host(radio: str, number: int, configuration: dict):
    address = hci.Address(f"E0:00:00:00:00:{number:02X}")
    config = DeviceConfiguration(address=address, irk=bytes([number] * 16), **configuration)
    async with device_on(radio, config=config) as device:
        async with asyncio.timeout(PATIENCE):
            await device.power_on()
        yield device
