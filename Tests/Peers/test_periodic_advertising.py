"""Periodic advertising: the same cases on our air and on RootCanal, with Bumble on the other side."""

import asyncio
import signal

import pytest
from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import (
    AdvertisingEventProperties,
    AdvertisingParameters,
    PeriodicAdvertisingParameters,
)

from central import Central
from programs import PATIENCE, Program, eightball
from test_extended_advertising import air, our_air  # noqa: F401 - `air` is a fixture

WEATHER = """
name = Weather
address = C0:00:00:00:00:09
periodic = 100 ms: weather.temperature, weather.humidity
weather = service 181A
weather.temperature = characteristic 2A6E read notify
weather.temperature.value = sint16e-2 20
weather.temperature.every = 1 s: list 21, 22, 23
weather.humidity = characteristic 2A6F read notify
weather.humidity.value = uint16 5000
"""
#: From the data of one packet to its service data: an AD structure of 181A, and both values.
SERVICE_DATA = AdvertisingData.Type.SERVICE_DATA_16_BIT_UUID


async def supports_periodic(radio: str) -> bool:
    """Whether the controllers of this air have the feature."""
    async with Central.opened(radio) as central:
        return central.device.supports_le_periodic_advertising


async def next_of(queue: asyncio.Queue):
    async with asyncio.timeout(PATIENCE):
        return await queue.get()


async def found(device, accepts):
    """The first advertisement that `accepts` accepts; goes on scanning."""
    result = asyncio.get_running_loop().create_future()

    def on_advertisement(advertisement) -> None:
        if accepts(advertisement) and not result.done():
            result.set_result(advertisement)

    device.on("advertisement", on_advertisement)
    await device.start_scanning()
    async with asyncio.timeout(PATIENCE):
        return await result


async def test_bumble_follows_our_peripheral(air, tmp_path):  # noqa: F811
    if not await supports_periodic(air):
        pytest.skip("The controllers of this air have no periodic advertising.")
    file = tmp_path / "weather.conf"
    file.write_text(WEATHER)
    async with (
        Program(eightball(), "peripheral", str(file), "--radio", air),
        Central.opened(air) as central,
    ):
        advertisement = await found(
            central.device,
            lambda heard: not heard.is_legacy
            and heard.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME) == "Weather",
        )
        sync = await central.device.create_periodic_advertising_sync(
            advertisement.address, advertisement.sid, sync_timeout=2.0
        )
        heard: asyncio.Queue = asyncio.Queue()
        sync.on("periodic_advertisement", heard.put_nowait)
        values = set()
        while len(values) < 3:
            report = await next_of(heard)
            assert not report.is_truncated
            uuid, value = report.data.get(SERVICE_DATA)
            assert uuid.to_bytes() == bytes.fromhex("1a18")
            assert value[2:] == (5000).to_bytes(2, "little")
            values.add(int.from_bytes(value[:2], "little", signed=True))
        assert values <= {2000, 2100, 2200, 2300}
        assert sync.state == sync.State.ESTABLISHED
        assert sync.periodic_advertising_interval == 100
        assert sync.advertiser_phy == hci.Phy.LE_1M
        await sync.terminate()
        await central.device.stop_scanning()


# Only on our air: RootCanal 1.10 reports no loss.
@pytest.mark.parametrize("air", [our_air], ids=["our-air"], indirect=True)
async def test_bumble_notices_the_end_of_our_train(air, tmp_path):  # noqa: F811
    file = tmp_path / "weather.conf"
    file.write_text(WEATHER)
    async with Central.opened(air) as central:
        async with Program(eightball(), "peripheral", str(file), "--radio", air):
            advertisement = await found(
                central.device,
                lambda heard: not heard.is_legacy
                and heard.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME) == "Weather",
            )
            sync = await central.device.create_periodic_advertising_sync(
                advertisement.address, advertisement.sid, sync_timeout=0.5
            )
            heard: asyncio.Queue = asyncio.Queue()
            lost = asyncio.Event()
            sync.on("periodic_advertisement", heard.put_nowait)
            sync.on("loss", lost.set)
            await next_of(heard)
        async with asyncio.timeout(PATIENCE):
            await lost.wait()


NAME = "Bumble's sensor"
FIRST, SECOND = (
    bytes(AdvertisingData([(SERVICE_DATA, b"\x1a\x18" + value)])) for value in (b"\x01", b"\x02")
)


async def sensor(bumble: Central, phy: hci.Phy = hci.Phy.LE_1M):
    """A set of Bumble's device, whose train has begun after it, with the first data."""
    advertising = await bumble.device.create_advertising_set(
        AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(
                is_connectable=False, is_scannable=False, is_legacy=False
            ),
            primary_advertising_interval_min=50,
            primary_advertising_interval_max=50,
            secondary_advertising_phy=phy,
        ),
        advertising_data=bytes(
            AdvertisingData([(AdvertisingData.Type.COMPLETE_LOCAL_NAME, NAME.encode())])
        ),
        periodic_advertising_parameters=PeriodicAdvertisingParameters(
            periodic_advertising_interval_min=100, periodic_advertising_interval_max=100
        ),
        periodic_advertising_data=FIRST,
    )
    await advertising.start_periodic()
    return advertising


async def test_our_scan_synchronizes_with_bumble(air):  # noqa: F811
    if not await supports_periodic(air):
        pytest.skip("The controllers of this air have no periodic advertising.")
    async with Central.opened(air) as bumble:
        await sensor(bumble)
        async with Program(eightball(), "scan", "--radio", air, "--timeout", "600s", "--json") as scan:
            await scan.event("found", periodic=100)
        async with Program(eightball(), "scan", "--radio", air, "--follow", NAME, "--json") as scan:
            following = await scan.event("following", interval=100)
            assert following["name"] == NAME
            assert await scan.stop(signal.SIGINT) == 0, scan.transcript


# Only on our air: RootCanal 1.10 delivers packets only while its host scans, which ours need not, and always reports 1M.
@pytest.mark.parametrize("air", [our_air], ids=["our-air"], indirect=True)
@pytest.mark.parametrize("phy", [hci.Phy.LE_1M, hci.Phy.LE_2M], ids=["1m", "2m"])
async def test_our_scan_follows_bumble(air, phy):  # noqa: F811
    async with Central.opened(air) as bumble:
        advertising = await sensor(bumble, phy)
        command = [eightball(), "scan", "--radio", air, "--follow", NAME, "--json"]
        async with Program(*command) as scan:
            following = await scan.event("following", interval=100)
            assert following["name"] == NAME
            assert following["phy"] == ("1M" if phy == hci.Phy.LE_1M else "2M")
            packet = await scan.event("periodic", services=["181A"], values=["01"])
            assert packet["data"] == FIRST.hex().upper()
            await advertising.set_periodic_advertising_data(SECOND)
            packet = await scan.event("periodic", services=["181A"], values=["02"])
            assert packet["complete"]
            assert await scan.stop(signal.SIGINT) == 0, scan.transcript


# Only on our air: RootCanal 1.10 reports no loss.
@pytest.mark.parametrize("air", [our_air], ids=["our-air"], indirect=True)
async def test_our_scan_finds_a_lost_train_again(air):  # noqa: F811
    async with Central.opened(air) as bumble:
        advertising = await sensor(bumble)
        command = [eightball(), "scan", "--radio", air, "--follow", NAME, "--json"]
        async with Program(*command) as scan:
            await scan.event("following")
            await advertising.stop_periodic()
            await scan.event("lost")
            await advertising.start_periodic()
            await scan.event("following")
            await scan.event("periodic", values=["01"])
