"""A peripheral of a file, with Bumble's central as an independent peer."""

import asyncio
import contextlib
import json

import pytest
from bumble import att, core, hci
from bumble.core import UUID, AdvertisingData
from bumble.gatt_client import CharacteristicProxy

import database_hash
from central import Central, Visit
from pairing import pair
from programs import PATIENCE, REPOSITORY, Program, eightball

ADDRESS = "C0:00:00:00:00:01"
EXAMPLES = REPOSITORY / "Examples" / "peripherals"


@contextlib.asynccontextmanager
async def serving(radio: str, file, *options: str):
    """`eightball peripheral FILE`, advertising at ADDRESS."""
    options = ("--radio", radio, "--address", ADDRESS, "--json", *options)
    async with Program(eightball(), "peripheral", str(file), *options) as program:
        await program.event("advertising")
        yield program


@contextlib.asynccontextmanager
async def visiting(radio: str, file, *options: str):
    """The peripheral, and a visit of a central that has discovered everything."""
    async with serving(radio, file, *options) as program, Central.opened(radio) as central:
        visit = await arrive(central)
        yield program, visit


async def arrive(central: Central, address: str = ADDRESS) -> Visit:
    connection = await central.device.connect(hci.Address(address), timeout=PATIENCE)
    visit = Visit(connection)
    async with asyncio.timeout(PATIENCE):
        await visit.client.discover_services()
        for service in visit.client.services:
            for characteristic in await service.discover_characteristics():
                await characteristic.discover_descriptors()
    return visit


def characteristic(visit: Visit, uuid: int) -> CharacteristicProxy:
    (found,) = visit.client.get_characteristics_by_uuid(UUID.from_16_bits(uuid))
    return found


def written(folder, text: str):
    """A file with this text."""
    path = folder / "device.conf"
    path.write_text(text)
    return path


async def error_of(operation) -> int:
    """The ATT error with which an operation fails."""
    with pytest.raises(att.ATT_Error) as refusal:
        async with asyncio.timeout(PATIENCE):
            await operation
    return refusal.value.error_code


async def test_the_heart_rate_sensor_of_twelve_lines(radio):
    assert len((EXAMPLES / "heart-rate.conf").read_text().splitlines()) <= 12
    async with visiting(radio, EXAMPLES / "heart-rate.conf") as (program, visit):
        rate, place, control = (characteristic(visit, uuid) for uuid in (0x2A37, 0x2A38, 0x2A39))
        assert [it.handle for it in (rate, place, control)] == [0x0010, 0x0013, 0x0015]
        assert await characteristic(visit, 0x2A00).read_value() == b"Heart Rate"
        assert await characteristic(visit, 0x2A01).read_value() == bytes([0x41, 0x03])
        assert await place.read_value() == b"\x01"
        read = await program.event("read", characteristic="heart.place")
        assert read["value"] == "01"
        assert await error_of(control.write_value(b"\x01", with_response=True)) == 0x80
        await program.event("written", characteristic="heart.control", value="01", error=0x80)
        rates: asyncio.Queue[bytes] = asyncio.Queue()
        await rate.subscribe(rates.put_nowait)
        await program.event("subscribed", characteristic="heart.rate", on=True)
        async with asyncio.timeout(PATIENCE):
            first, second = await rates.get(), await rates.get()
        assert first[0] == 0 and first[1] >= 60 and second == bytes([0, first[1] + 1])
        await program.event("notified", characteristic="heart.rate", value=first.hex().upper())
        await visit.disconnect()
        await program.event("disconnected", code=0x13)


async def test_the_thermometer_walks_the_same_way_for_the_same_seed(radio):
    async def temperatures() -> list[bytes]:
        async with visiting(radio, file, "--seed", "8") as (_, visit):
            values: asyncio.Queue[bytes] = asyncio.Queue()
            await characteristic(visit, 0x2A1C).subscribe(values.put_nowait)
            async with asyncio.timeout(PATIENCE):
                return [await values.get() for _ in range(3)]

    file = EXAMPLES / "thermometer.conf"
    first = await temperatures()
    # Flags, and tenths of a degree: IEEE 11073-20601, exponent -1.
    assert all(it[0] == 0 and it[3] == 0 and it[4] in (0xFF, 0x00) for it in first)


async def test_its_hash_and_its_advertisement_are_those_of_the_file(radio, folder):
    file = written(
        folder,
        """
        name = Gaps
        advertise = 180F, 0CDBE648-EED0-11E6-BC64-92361F002671
        manufacturer = FF FF 2A
        battery = service 180F
        battery.handle = 0x0020
        battery.end = 0xFFFF
        battery.level = characteristic 2A19 read notify
        battery.level.value = uint8 80
        battery.level.configuration = descriptor 2902
        battery.level.configuration.handle = 0x0030
        battery.level.description = "Main \\x23 1"
        """,
    )
    async with serving(radio, file), Central.opened(radio) as central:
        found = await central._find(lambda it: it.name == "Gaps" and it.scan_response)
        kind = AdvertisingData.Type.MANUFACTURER_SPECIFIC_DATA
        heard = found.advertisement.get(kind) or found.scan_response.get(kind)
        assert heard == (0xFFFF, b"\x2a")
        visit = await arrive(central)
        level = characteristic(visit, 0x2A19)
        assert level.handle == 0x0022
        assert visit.client.services[-1].end_group_handle == 0xFFFF
        assert [it.handle for it in level.descriptors] == [0x0030, 0x0031]
        assert await level.descriptors[1].read_value() == b"Main # 1"
        levels: asyncio.Queue[bytes] = asyncio.Queue()
        await level.subscribe(levels.put_nowait)
        seen = await database_hash.attributes_seen_by(visit.client)
        served = await characteristic(visit, 0x2B2A).read_value()
        assert served[::-1] == database_hash.database_hash(seen)


async def test_answers_to_writes(radio, folder):
    file = written(
        folder,
        """
        uart = service 6E400001-B5A3-F393-E0A9-E50E24DCCA9E
        uart.rx = characteristic 2A58 write write-command
        uart.rx.answer = delay 50 ms, echo uart.tx, notify uart.count
        uart.tx = characteristic 2A59 notify
        uart.count = characteristic 2A5A read notify
        uart.count.value = uint16 7
        uart.note = characteristic 2A5B read write
        uart.note.value = text "old"
        """,
    )
    async with visiting(radio, file) as (_, visit):
        rx, tx, count, note = (characteristic(visit, 0x2A58 + number) for number in range(4))
        heard: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        await tx.subscribe(lambda value: heard.put_nowait(("tx", value)))
        await count.subscribe(lambda value: heard.put_nowait(("count", value)))
        for with_response in (True, False):
            await rx.write_value(b"ping", with_response=with_response)
            async with asyncio.timeout(PATIENCE):
                assert await heard.get() == ("tx", b"ping")
                assert await heard.get() == ("count", b"\x07\x00")
        await note.write_value(b"n" * 300, with_response=True)
        assert await note.read_value() == b"n" * 300


async def test_faults_on_request(radio, folder):
    file = written(
        folder,
        """
        fault = drop after 4 requests
        a = service 180A
        a.short = characteristic 2A29 read
        a.short.value = text "four"
        a.short.fault = wrong-length
        a.never = characteristic 2A24 read write
        a.never.fault = refuse 0x11
        a.slow = characteristic 2A25 read
        a.slow.value = uint8 1
        a.slow.fault = slow 300 ms
        """,
    )
    async with visiting(radio, file) as (program, visit):
        short, never, slow = (characteristic(visit, uuid) for uuid in (0x2A29, 0x2A24, 0x2A25))
        assert await short.read_value() == b"fou"
        assert await error_of(never.read_value()) == 0x11
        assert await error_of(never.write_value(b"x", with_response=True)) == 0x11
        start = asyncio.get_running_loop().time()
        assert await slow.read_value() == b"\x01"
        assert asyncio.get_running_loop().time() - start >= 0.3
        with pytest.raises((core.BaseBumbleError, asyncio.CancelledError, TimeoutError)):
            async with asyncio.timeout(PATIENCE):
                await short.read_value()
        assert await visit.has_left() == hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR
        await program.event("dropped")


async def test_it_vanishes(radio, folder):
    file = written(folder, "fault = vanish after 1 s\na = service 180A\n")
    # A discovery might take longer than the second.
    async with serving(radio, file) as program, Central.opened(radio) as central:
        visit = Visit(await central.device.connect(hci.Address(ADDRESS), timeout=PATIENCE))
        await program.event("vanished")
        assert await visit.has_left() == hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR
        assert await program.stop() == 0


async def test_a_protected_value_is_read_after_pairing(radio, folder):
    file = written(
        folder,
        """
        a = service 180A
        a.serial = characteristic 2A25 read
        a.serial.value = text "secret"
        a.serial.security = encrypted
        """,
    )
    async with visiting(radio, file) as (program, visit):
        serial = characteristic(visit, 0x2A25)
        assert await error_of(serial.read_value()) in (0x05, 0x0F)
        async with asyncio.timeout(PATIENCE):
            await visit.connection.pair()
        await program.event("paired")
        assert await serial.read_value() == b"secret"


async def test_a_bond_is_kept_in_a_file(radio, folder):
    file = written(
        folder, 'a = service 180A\na.name = characteristic 2A29 read\na.name.security = encrypted\n'
    )
    bonds = folder / "device.bonds"
    environment = {"XDG_STATE_HOME": str(folder / "central")}
    read = [eightball(), "gatt", "--radio", radio, "--json"]
    serve = [eightball(), "peripheral", str(file), "--radio", radio, "--bonds", str(bonds), "--json"]
    addresses = set()
    for options in (["--pair"], []):
        # Without --address it has the one that is kept with the bond.
        async with Program(*serve) as program:
            address = (await program.event("advertising"))["address"]
            command = [*read, address, *options, "read", "2A29"]
            async with Program(*command, environment=environment) as central:
                assert await central.ended() == 0, central.transcript
            assert await program.stop() == 0
        addresses.add(address)
    assert len(addresses) == 1 and address[0] in "CDEF"
    assert bonds.stat().st_mode & 0o777 == 0o600
    async with Program(eightball(), "bonds", "--file", str(bonds), "--json") as listed:
        assert await listed.ended() == 0
        assert len(listed.events("bond")) == 1


async def test_a_swarm_of_heart_rate_sensors(radio):
    options = ("--count", "20", "--seed", "8", "--json", "--radio", radio)
    file = str(EXAMPLES / "heart-rate.conf")
    async with Program(eightball(), "swarm", "--peripheral", file, *options) as swarm:
        begun = await swarm.event("swarm", count=20, first="Heart Rate", last="Heart Rate")
        assert begun["connections"] == 4
        addresses = {found["address"] for found in swarm.events("advertising")}
        assert len(addresses) == 20
        async with Central.opened(radio) as central:
            visit = await arrive(central, sorted(addresses)[0])
            rates: asyncio.Queue[bytes] = asyncio.Queue()
            await characteristic(visit, 0x2A37).subscribe(rates.put_nowait)
            async with asyncio.timeout(PATIENCE):
                assert (await rates.get())[0] == 0
            notified = await swarm.event("notified", characteristic="heart.rate")
            assert 1 <= notified["peripheral"] <= 20
        assert await swarm.stop() == 0


async def test_the_check_names_each_wrong_line(folder):
    file = written(folder, "name = x\nfoo = bar\na = service 180A\na.b = characteristic 2A37 red\n")
    async with Program(eightball(), "peripheral", "--check", str(file)) as program:
        assert await program.ended() == 78
        assert program.errors == [
            f"Error: {file}, line 2: foo: expected a field of the peripheral, or service UUID, such as"
            ' service 180D, not "bar".',
            f"Error: {file}, line 4: a.b: expected a property instead of red: broadcast, read, write-command,"
            ' write, notify, indicate, signed-write, extended, not "characteristic 2A37 red".',
        ]


async def test_the_check_names_the_line_of_a_wrong_column(folder):
    (folder / "beats.csv").write_text("time,rate\n1,60\n2,many\n")
    lines = "a = service 180D\na.b = characteristic 2A37 notify\na.b.value = uint8 0\n"
    file = written(folder, lines + "a.b.every = 1 s: csv beats.csv rate\n")
    async with Program(eightball(), "peripheral", "--check", str(file)) as program:
        assert await program.ended() == 78
        assert program.errors == [
            f"Error: {file}, line 4: a.b.every: expected a whole number from 0 to 255 in column rate of"
            " beats.csv, line 3."
        ]


async def test_the_check_is_an_event_for_programs(folder):
    file = written(folder, "name = x\na = service 180D\na.b = characteristic 2A37 read\n")
    async with Program(eightball(), "peripheral", "--check", str(file)) as program:
        assert await program.ended() == 0
        summary = program.output[-1]
    async with Program(eightball(), "peripheral", "--check", "--json", str(file)) as program:
        assert await program.ended() == 0
        (line,) = program.output
    checked = json.loads(line)
    # GAP has 5 attributes and GATT 8; a service has 1 and a characteristic 2.
    assert (checked["event"], checked["name"], checked["attributes"]) == ("checked", "x", 16)
    assert summary == f"16 attributes; Database Hash {checked['hash']}"
    # However long a line is, the reason is there.
    file = written(folder, "x" * 100_000)
    async with Program(eightball(), "peripheral", "--check", "--json", str(file)) as program:
        assert await program.ended() == 78
        failed = await program.event("failed", reason="file")
        assert "expected NAME = VALUE" in failed["detail"]
