"""Enhanced ATT bearers (EATT) with Bumble in both roles, over our air."""

import asyncio
import contextlib
import json

import pytest
from bumble import att, hci
from bumble.core import UUID
from bumble.device import DeviceConfiguration
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.gatt_client import Client
from bumble.l2cap import L2capError, LeCreditBasedChannelSpec

from bumble_air import device_on
from central import Central
from gatt_server import ADDRESS, NAME, PERMISSIONS, PROPERTIES, Server
from programs import PATIENCE, Program, eightball
from test_peripheral import arrive, characteristic, serving, written

#: A peripheral with enhanced bearers: Server Supported Features has bit 0.
FILE = """
name = Bearers
gatt = service 1801
gatt.client = characteristic 2B29 read write
gatt.server = characteristic 2B3A read
gatt.server.value = hex 01
one = service A000
one.a = characteristic A001 read write notify
one.a.value = hex 01
one.b = characteristic A002 read
one.b.value = text "A value of more than the twenty-two bytes of an MTU of 23, by far"
one.c = characteristic A003 read
one.c.value = hex 03
one.c.fault = slow 300 ms
"""

SPEC = LeCreditBasedChannelSpec(psm=att.EATT_PSM, mtu=247, mps=247, max_credits=8)


@contextlib.asynccontextmanager
async def visiting(radio: str, folder):
    """Our peripheral, and a paired visit of Bumble's central."""
    async with (
        serving(radio, written(folder, FILE)) as program,
        Central.opened(radio) as central,
    ):
        visit = await arrive(central)
        yield program, visit


async def paired_clients(visit, count: int) -> list[Client]:
    async with asyncio.timeout(PATIENCE):
        await visit.connection.pair()
        return await Client.connect_eatt(visit.connection, SPEC, count=count)


async def test_bumble_reads_several_values_of_ours_at_once(radio, folder):
    async with visiting(radio, folder) as (_, visit):
        handles = {name: characteristic(visit, name).handle for name in (0xA001, 0xA002, 0xA003)}
        clients = await paired_clients(visit, 4)
        done: list[int] = []

        async def read(client: Client, name: int) -> bytes:
            value = await client.read_value(handles[name])
            done.append(name)
            return value

        async with asyncio.timeout(PATIENCE):
            values = await asyncio.gather(
                *(read(client, name) for client in clients[:2] for name in (0xA001, 0xA002)),
                read(clients[3], 0xA003),
                read(visit.client, 0xA001),
            )
        long = b"A value of more than the twenty-two bytes of an MTU of 23, by far"
        assert values == [b"\x01", long, b"\x01", long, b"\x03", b"\x01"]
        # The slow value was not the first to come.
        assert done[0] != 0xA003 and done.count(0xA001) == 3


async def test_a_bearer_of_ours_needs_a_paired_link(radio, folder):
    async with visiting(radio, folder) as (_, visit):
        with pytest.raises(L2capError) as refusal:
            await Client.connect_eatt(visit.connection, SPEC, count=2)
        assert refusal.value.error_code == 0x0005
        clients = await paired_clients(visit, 5)
        assert len(clients) == 5
        # There is no room for five more: another client may come.
        with pytest.raises(L2capError) as refusal:
            await Client.connect_eatt(visit.connection, SPEC, count=5)
        assert refusal.value.error_code == 0x0004


async def test_a_peripheral_without_the_feature_has_no_bearers(radio, folder):
    file = written(folder, FILE.replace("hex 01\none = ", "hex 00\none = "))
    async with serving(radio, file), Central.opened(radio) as central:
        visit = await arrive(central)
        with pytest.raises(L2capError) as refusal:
            await Client.connect_eatt(visit.connection, SPEC, count=1)
        assert refusal.value.error_code == 0x0002


async def test_what_bumble_sets_on_one_bearer_holds_on_all(radio, folder):
    async with visiting(radio, folder) as (_, visit):
        first, second = await paired_clients(visit, 2)
        value = characteristic(visit, 0xA001)
        # The features of a client, and the refusal of an MTU.
        features = characteristic(visit, 0x2B29).handle
        async with asyncio.timeout(PATIENCE):
            await first.write_value(features, bytes([0b010]), with_response=True)
            assert await second.read_value(features) == bytes([0b010])
            await second.write_value(value.handle, b"seven", with_response=True)
            assert await first.read_value(value.handle) == b"seven"
            assert await visit.client.read_value(value.handle) == b"seven"
            with pytest.raises(att.ATT_Error) as refusal:
                await first.request_mtu(100)
        assert refusal.value.error_code == att.ErrorCode.REQUEST_NOT_SUPPORTED


async def test_a_closed_bearer_leaves_the_others(radio, folder):
    async with visiting(radio, folder) as (_, visit):
        first, second = await paired_clients(visit, 2)
        handle = characteristic(visit, 0xA001).handle
        async with asyncio.timeout(PATIENCE):
            await first.bearer.disconnect()
            assert await second.read_value(handle) == b"\x01"
            assert await visit.client.read_value(handle) == b"\x01"


class SlowServer(Server):
    """Values that are read once `wanted` reads are under way, and how many were at once."""

    def __init__(self, device):
        super().__init__(device)
        self.under_way = self.most = 0
        self.expect(1)
        self._services = [
            Service(
                UUID("A100"),
                [
                    Characteristic(
                        UUID.from_16_bits(0xA200 + number),
                        PROPERTIES.READ,
                        PERMISSIONS.READABLE,
                        CharacteristicValue(self._reader(number)),
                    )
                    for number in range(12)
                ],
            )
        ]

    def expect(self, wanted: int) -> None:
        """The next reads wait until there are as many."""
        self._wanted, self._are_there = wanted, asyncio.Event()

    def _reader(self, number: int):
        async def read(_) -> bytes:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            if self.under_way == self._wanted:
                self._are_there.set()
            async with asyncio.timeout(PATIENCE):
                await self._are_there.wait()
            # There is time for one too many.
            await asyncio.sleep(0.05)
            self.under_way -= 1
            return bytes([number]) * (number * 20)

        return read


@contextlib.asynccontextmanager
async def bumble_server(radio: str, is_enabled: bool = True):
    config = DeviceConfiguration(
        name=NAME, address=hci.Address(ADDRESS), eatt_enabled=is_enabled
    )
    async with device_on(radio, config=config) as device:
        server = SlowServer(device)
        device.add_services(server._services)
        async with asyncio.timeout(PATIENCE):
            await device.power_on()
            await server.advertise()
        yield server


@pytest.fixture
def ours(radio, folder):
    """Runs a command of ours with bonds of its own, to its end."""

    async def run(command: str, *arguments: str) -> Program:
        arguments = (eightball(), command, "--radio", radio, *arguments)
        async with Program(*arguments, environment={"XDG_STATE_HOME": str(folder)}) as program:
            status = await program.ended()
        assert status == 0, program.transcript
        return program

    return run


def values_of(program: Program) -> dict[int, bytes]:
    events = [json.loads(line) for line in program.output]
    return {
        int(event["uuid"], 16): bytes.fromhex(event["value"])
        for event in events
        if event["event"] == "value" and event["uuid"].startswith("A2")
    }


EXPECTED = {0xA200 + number: bytes([number]) * (number * 20) for number in range(12)}


async def test_ours_reads_several_values_of_bumble_at_once(radio, ours):
    async with bumble_server(radio) as server:
        # Four bearers, and the link's own.
        server.expect(5)
        program = await ours("gatt", NAME, "--pair", "--eatt", "4", "read-all", "--json")
        assert values_of(program) == EXPECTED, program.transcript
        assert server.most == 5
        server.most = 0
        server.expect(1)
        program = await ours("gatt", NAME, "--pair", "read-all", "--json")
        assert values_of(program) == EXPECTED, program.transcript
        assert server.most == 1


async def test_ours_says_how_many_bearers_there_are(radio, ours):
    async with bumble_server(radio):
        program = await ours("gatt", NAME, "--eatt", "2", "read", "A201")
        assert [line for line in program.errors if "paired link" in line], program.transcript
        program = await ours("gatt", NAME, "--pair", "--eatt", "2", "read", "A201")
        assert "Opened 2 enhanced bearers, MTU 517." in program.errors, program.transcript
        assert program.output == [f"hex {' '.join(['01'] * 20)}"]


async def test_ours_uses_the_link_alone_without_bearers(radio, ours):
    async with bumble_server(radio, is_enabled=False):
        program = await ours("gatt", NAME, "--pair", "--eatt", "2", "read-all", "--json")
        assert values_of(program) == EXPECTED, program.transcript
        program = await ours("gatt", NAME, "--eatt", "2", "read", "A201")
        assert "No enhanced bearers: the device has none." in program.errors, program.transcript


async def test_ours_reads_ours_and_clones_it(radio, folder, ours):
    async with serving(radio, written(folder, FILE)):
        program = await ours("gatt", "Bearers", "--pair", "--eatt", "5", "read-all")
        assert "Opened 5 enhanced bearers, MTU 517." in program.errors, program.transcript
        assert "A003: hex 03" in program.output, program.transcript
        program = await ours("clone", "Bearers", "--pair", "--eatt", "5")
        assert any(line.endswith(".value = hex 03") for line in program.output), program.transcript
