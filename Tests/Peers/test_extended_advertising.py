"""Extended advertising: the same table of cases on our air and on RootCanal, with Bumble on the other side."""

import asyncio
import contextlib
import os

import pytest
from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import (
    AdvertisingEventProperties,
    AdvertisingParameters,
    ConnectionParametersPreferences,
)

import eight_ball
import worlds
from bumble_ball import BumbleBall
from central import Central, Visit
from programs import PATIENCE, Program, eightball

#: 196 bytes. A legacy advertisement holds 29 of them.
LONG_NAME = "Küche-" * 28
PHYS = {"1m": hci.Phy.LE_1M, "2m": hci.Phy.LE_2M, "coded": hci.Phy.LE_CODED}
CASES = [("extended", "1m"), ("extended", "2m"), ("extended", "coded"), ("both", "coded")]


@contextlib.asynccontextmanager
async def rootcanal(_):
    """RootCanal, where each connection is a new controller; yields its address."""
    binaries = pytest.importorskip("rootcanal.binaries")
    program = binaries.get_package_binary_resource_path("rootcanal")
    if not os.access(program, os.X_OK):
        pytest.skip("The package rootcanal has no program for this machine.")
    port = worlds.free_port()
    ports = [f"--{name}=0" for name in ("test_port", "link_port", "link_ble_port")]
    async with Program(program, f"--hci_port={port}", *ports) as running:
        await worlds.accepts(f"tcp-server:127.0.0.1:{port}", running)
        yield f"tcp-client:127.0.0.1:{port}"


@contextlib.asynccontextmanager
async def our_air(folder):
    async with worlds.our_air(folder) as (radio, _):
        yield radio


@pytest.fixture(params=[our_air, rootcanal], ids=["our-air", "rootcanal"])
async def air(request, folder):
    """The radio's name on each air in turn."""
    async with request.param(folder) as radio:
        yield radio


async def found(central: Central, name: str):
    """The first advertisement with this whole name."""
    kind = AdvertisingData.Type.COMPLETE_LOCAL_NAME
    return await central.advertisement(lambda it: it.data.get(kind) == name)


@pytest.mark.parametrize("kind, phy", CASES)
async def test_bumble_finds_and_asks_our_ball(air, kind, phy):
    options = ["--name", LONG_NAME, "--advertise", kind, "--phy", phy, "--seed", "8"]
    async with (
        worlds.ball_running("--radio", air, *options),
        Central.opened(air) as central,
    ):
        advertisement = await found(central, LONG_NAME)
        assert not advertisement.is_legacy
        assert advertisement.is_connectable
        coded = phy == "coded"
        assert advertisement.primary_phy == (hci.Phy.LE_CODED if coded else hci.Phy.LE_1M)
        assert advertisement.secondary_phy == PHYS[phy]
        assert eight_ball.SERVICE in advertisement.data.get(
            AdvertisingData.Type.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
        )
        preferences = dict.fromkeys(PHYS.values(), ConnectionParametersPreferences.default)
        visit = Visit(
            await central.device.connect(
                advertisement.address, timeout=PATIENCE,
                connection_parameters_preferences=preferences,
            )
        )
        await visit.discover_ball()
        await visit.subscribe()
        await visit.ask("Is this Bluetooth 5?")
        assert await visit.next_answer() in eight_ball.TEXTS
        await visit.disconnect()
        # It advertises again.
        await found(central, LONG_NAME)


async def test_a_ball_whose_connections_are_all_in_use_reports_no_fault(folder):
    async with (
        our_air(folder) as radio,
        worlds.ball_running("--radio", radio, "--advertise", "extended") as ball,
        contextlib.AsyncExitStack() as stack,
    ):
        centrals = [
            await stack.enter_async_context(Central.opened(radio, number)) for number in range(1, 5)
        ]
        for central in centrals:
            advertisement = await found(central, "Magic 8-Ball")
            visit = Visit(await central.device.connect(advertisement.address, timeout=PATIENCE))
            await ball.event("connected")
        # Its lines are in order: it has reported that it does not advertise any more.
        await visit.disconnect()
        await ball.event("disconnected")
        await ball.event("advertising")
        assert ball.events("failed") == [], ball.transcript


# Not on our air: Bumble's host reads the number of advertising sets when it starts, after which our controllers, as
# those of Zephyr, refuse the commands of Bluetooth 4. ExtendedAdvertisingTests.swift has a legacy central there.
@pytest.mark.parametrize("air", [rootcanal], ids=["rootcanal"], indirect=True)
async def test_the_legacy_half_of_both_reaches_a_legacy_scan(air):
    async with (
        worlds.ball_running("--radio", air, "--advertise", "both", "--phy", "coded"),
        Central.opened(air) as central,
    ):
        reports = asyncio.Queue()
        central.device.host.on("advertising_report", reports.put_nowait)
        await central.device.start_scanning(legacy=True)
        async with asyncio.timeout(PATIENCE):
            report = await reports.get()
        assert isinstance(report, hci.HCI_LE_Advertising_Report_Event.Report)


#: 74 + 174 bytes. A report holds 229.
IN_PARTS = AdvertisingData(
    [
        (AdvertisingData.Type.MANUFACTURER_SPECIFIC_DATA, bytes([0xFF, 0xFF, *range(70)])),
        (AdvertisingData.Type.COMPLETE_LOCAL_NAME, b"Chained" * 24 + b"End!"),
    ]
)
PROPERTIES = AdvertisingEventProperties(is_connectable=False, is_scannable=False, is_legacy=False)


async def test_our_tools_join_the_parts_of_an_advertisers_data(air):
    async with Central.opened(air) as advertiser:
        await advertiser.device.create_advertising_set(
            AdvertisingParameters(advertising_event_properties=PROPERTIES),
            advertising_data=bytes(IN_PARTS),
        )
        command = [eightball(), "scan", "--radio", air, "--timeout", "600s", "--json"]
        async with Program(*command) as scan:
            await scan.event("found", name="Chained" * 24 + "End!")


class ExtendedBall(BumbleBall):
    """A ball of Bumble that advertises with a set."""

    phy = "1m"

    async def advertise(self) -> None:
        kind = AdvertisingData.Type
        data = AdvertisingData(
            [
                (kind.FLAGS, bytes([0x06])),
                (kind.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(eight_ball.SERVICE)),
                (kind.COMPLETE_LOCAL_NAME, self.name.encode()),
            ]
        )
        coded = self.phy == "coded"
        parameters = AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(
                is_connectable=True, is_scannable=False, is_legacy=False
            ),
            primary_advertising_interval_min=20,
            primary_advertising_interval_max=20,
            primary_advertising_phy=hci.Phy.LE_CODED if coded else hci.Phy.LE_1M,
            secondary_advertising_phy=PHYS[self.phy],
        )
        await self.device.create_advertising_set(parameters, advertising_data=bytes(data))


@pytest.mark.parametrize("phy", PHYS)
async def test_our_tools_find_and_ask_bumbles_ball(air, phy, monkeypatch):
    monkeypatch.setattr(ExtendedBall, "phy", phy)
    monkeypatch.setattr(BumbleBall, "advertise", ExtendedBall.advertise)
    monkeypatch.setattr(BumbleBall, "phy", phy, raising=False)
    async with BumbleBall.opened(air, name=LONG_NAME) as ball:
        async with Program(
            eightball(), "scan", "--radio", air, "--timeout", "600s", "--json"
        ) as scan:
            mine = await scan.event("found", name=LONG_NAME)
        assert mine["extended"] and mine["connectable"] and mine["ball"]
        assert mine["coded"] == (phy == "coded")
        command = [eightball(), "ask", "Is this Bluetooth 5?", "--radio", air]
        async with Program(*command, "--name", LONG_NAME) as ask:
            assert await ask.ended() == 0, ask.transcript
        assert ask.output[-1].endswith(ball.text)
        command = [eightball(), "gatt", "--radio", air, LONG_NAME, "discover"]
        async with Program(*command) as gatt:
            assert await gatt.ended() == 0, gatt.transcript
        assert any(str(eight_ball.SERVICE).upper() in line.upper() for line in gatt.output)
