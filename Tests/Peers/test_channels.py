"""L2CAP channels: each of the two examples with Bumble, over our air."""

import asyncio
import contextlib
import struct
import time

import pytest
from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.gatt import Characteristic, Service
from bumble.l2cap import L2capError, LeCreditBasedChannel, LeCreditBasedChannelSpec

from bumble_air import device_on
from central import Central
from programs import PATIENCE, example_on

pytestmark = pytest.mark.examples

SERVICE = UUID("6C3B5A4E-3F0B-4F0E-9B52-3C7C2F5B9D10")
NUMBER = UUID("ABDD3056-28FA-441D-A470-55A75A52553A")

#: The number of bytes each way in the long runs, which take about 9 s in Python.
MANY = 10_000_000
#: The limit in seconds for these.
LONG_PATIENCE = 500
#: MTU, MPS and credits of Bumble's end.
ENDS = [(2_048, 2_048, 256), (1_000, 247, 10), (23, 23, 3)]


def pattern(count: int) -> bytes:
    return (bytes(range(251)) * (count // 251 + 1))[:count]


@contextlib.asynccontextmanager
async def echo(radio: str, *arguments: str):
    """Our publisher, and Bumble's connection to it."""
    async with example_on(radio, "echo-channel", *arguments) as publisher:
        await publisher.starts_line("published")
        async with Central.opened(radio) as central:
            yield publisher, await central.connect(await central.find_service(SERVICE))


async def number(connection) -> int:
    """The number of the channel, as the publisher's characteristic has it."""
    (service,) = await connection.gatt_client.discover_service(SERVICE)
    (characteristic,) = await service.discover_characteristics([NUMBER])
    return struct.unpack("<H", await characteristic.read_value())[0]


class Inbox:
    """The bytes received on a channel."""

    def __init__(self, channel: LeCreditBasedChannel):
        self.data = bytearray()
        self._changed = asyncio.Event()
        channel.sink = self._take

    def _take(self, sdu: bytes) -> None:
        self.data += sdu
        self._changed.set()

    async def wait_for(self, count: int) -> bytes:
        while len(self.data) < count:
            async with asyncio.timeout(PATIENCE):
                await self._changed.wait()
            self._changed.clear()
        return bytes(self.data)


async def open_channel(connection, psm: int, end=ENDS[0]) -> LeCreditBasedChannel:
    mtu, mps, credits = end
    async with asyncio.timeout(PATIENCE):
        return await connection.create_l2cap_channel(
            spec=LeCreditBasedChannelSpec(psm=psm, mtu=mtu, mps=mps, max_credits=credits)
        )


async def exchange(channel: LeCreditBasedChannel, count: int) -> None:
    """Sends `count` bytes, and checks that they come back."""
    inbox = Inbox(channel)
    data = pattern(count)

    async def send() -> None:
        # Bumble joins pending bytes into one SDU, which would get too long.
        for start in range(0, count, 1_000):
            channel.write(data[start : start + 1_000])
            await channel.drain()

    _, received = await asyncio.gather(send(), inbox.wait_for(count))
    assert received == data


@pytest.mark.parametrize("end", ENDS, ids=lambda end: "-".join(map(str, end)))
async def test_bumble_opens_our_channel(radio, end):
    async with echo(radio) as (publisher, connection):
        psm = await number(connection)
        assert f"published {psm}" in publisher.output
        channel = await open_channel(connection, psm, end)
        # Bumble keeps to our MTU of 8,192 bytes.
        await exchange(channel, 5_000)
        await channel.disconnect()
        await publisher.starts_line("closed after 5000 bytes")
        # The link goes on, and takes another channel.
        await exchange(await open_channel(connection, psm, end), 100)


async def test_bumble_exchanges_megabytes(radio):
    async with echo(radio) as (publisher, connection):
        channel = await open_channel(connection, await number(connection))
        start = time.monotonic()
        await exchange(channel, MANY)
        print(f"{MANY} bytes each way in {time.monotonic() - start:.1f} s")
        await connection.disconnect()
        await publisher.starts_line(f"closed after {MANY} bytes")


async def test_channels_of_one_link_are_apart(radio):
    async with echo(radio) as (_, connection):
        psm = await number(connection)
        channels = [await open_channel(connection, psm) for _ in range(3)]
        await asyncio.gather(*(exchange(channel, 20_000) for channel in channels))


async def test_an_unpublished_number_is_refused(radio):
    async with echo(radio) as (_, connection):
        with pytest.raises(L2capError) as refusal:
            await open_channel(connection, 0x00F0)
        assert refusal.value.error_code == 0x0002
        await exchange(await open_channel(connection, await number(connection)), 100)


async def test_an_encrypted_channel_takes_pairing(radio):
    async with echo(radio, "--encrypted") as (_, connection):
        psm = await number(connection)
        with pytest.raises(L2capError) as refusal:
            await open_channel(connection, psm)
        assert refusal.value.error_code == 0x0005
        async with asyncio.timeout(PATIENCE):
            await connection.pair()
        await exchange(await open_channel(connection, psm), 5_000)


@contextlib.asynccontextmanager
async def bumble_echo(radio: str, end):
    """Bumble publishes a channel that returns what it receives; yields the device, and each channel once it
    has echoed."""
    mtu, mps, credits = end
    opened: asyncio.Queue[LeCreditBasedChannel] = asyncio.Queue()

    def on_channel(channel: LeCreditBasedChannel) -> None:
        def echo(sdu: bytes) -> None:
            channel.sink = channel.write
            channel.write(sdu)
            opened.put_nowait(channel)

        channel.sink = echo

    async with device_on(radio, address=hci.Address("E0:00:00:00:00:0E")) as device:
        server = device.create_l2cap_server(
            LeCreditBasedChannelSpec(psm=0x81, mtu=mtu, mps=mps, max_credits=credits), on_channel
        )
        device.add_service(
            Service(
                SERVICE,
                [
                    Characteristic(
                        NUMBER,
                        Characteristic.Properties.READ,
                        Characteristic.Permissions.READABLE,
                        struct.pack("<H", server.psm),
                    )
                ],
            )
        )
        await device.power_on()
        kind = AdvertisingData.Type.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
        await device.start_advertising(
            advertising_data=bytes(AdvertisingData([(kind, bytes(SERVICE))]))
        )
        yield device, opened


@pytest.mark.parametrize("end", ENDS, ids=lambda end: "-".join(map(str, end)))
async def test_our_central_opens_bumbles_channel(radio, end):
    async with bumble_echo(radio, end) as (_, opened):
        async with example_on(radio, "fill-channel", "5000") as filler:
            assert await filler.ended() == 0, filler.transcript
            assert filler.output[0] == "opening 129"
            assert filler.output[1].startswith("5000 bytes each way")
        assert opened.qsize() == 1


async def test_our_central_exchanges_megabytes_with_bumble(radio):
    async with bumble_echo(radio, ENDS[0]):
        async with example_on(radio, "fill-channel", str(MANY)) as filler:
            await filler.line(lambda line: "bytes each way" in line and line, "the end", LONG_PATIENCE)
            print(filler.output[1])


async def test_bumble_closes_the_channel(radio):
    async with bumble_echo(radio, ENDS[0]) as (_, opened):
        async with example_on(radio, "fill-channel", "100000000") as filler:
            await filler.starts_line("opening")
            async with asyncio.timeout(PATIENCE):
                await (await opened.get()).disconnect()
            await filler.starts_line("ended after")
            assert await filler.ended() == 1


async def test_our_two_examples(radio):
    async with example_on(radio, "echo-channel") as publisher:
        await publisher.starts_line("published")
        async with example_on(radio, "fill-channel", "10000000") as filler:
            await filler.line(lambda line: "bytes each way" in line and line, "the end", LONG_PATIENCE)
            print(filler.output[1])
            assert await filler.ended() == 0, filler.transcript
        await publisher.starts_line("closed after 10000000 bytes")
