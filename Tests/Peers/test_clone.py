"""`eightball clone` of Bumble's servers: the clone, served by `eightball peripheral`, is the same device for Bumble."""

import asyncio
import contextlib
import pathlib
import re
import struct

import pytest
from bumble.core import UUID

import worlds
from btsnoop import records
from central import Central
from gatt_server import ADDRESS, ADVERTISEMENT, NAME, SCAN_RESPONSE, Server, generated_services
from programs import PATIENCE, Program, eightball

#: Database Hash: Vol 3, Part G, 7.3.
HASH = UUID("2B2A")


async def clone(radio: str, *options: str) -> str:
    command = [eightball(), "clone", "--radio", radio, ADDRESS, *options]
    async with Program(*command) as program:
        assert await program.ended() == 0, program.transcript
    assert not [line for line in program.errors if "not in the file" in line], program.transcript
    return "\n".join(program.output) + "\n"


@contextlib.asynccontextmanager
async def served(radio: str, file: pathlib.Path, text: str):
    file.write_text(text)
    command = [eightball(), "peripheral", "--json", "--radio", radio, str(file)]
    async with Program(*command) as program:
        await program.event("advertising")
        yield program


async def seen(radio: str) -> tuple:
    """What Bumble's central sees: the advertising, each attribute, and the hash."""
    async with Central.opened(radio) as central:
        finding = await central.find_named(NAME)
        client = (await central.connect(finding)).gatt_client
        async with asyncio.timeout(PATIENCE):
            await client.request_mtu(517)
            attributes = await client.discover_attributes()
            values = {}
            for attribute in attributes:
                # Declarations have the types 0x2800 to 0x2803.
                if attribute.type.to_bytes()[-1] == 0x28 and len(attribute.type.to_bytes()) == 2:
                    values[attribute.handle] = await client.read_value(attribute.handle)
            hashes = await client.read_characteristics_by_uuid(HASH, None)
        advertising = bytes(finding.advertisement), bytes(finding.scan_response)
    handles = [(attribute.handle, attribute.type.to_bytes()) for attribute in attributes]
    return advertising, handles, values, hashes


@pytest.fixture
async def airs(folder):
    """Two airs: a clone has the address of its original."""
    for name in ("one", "two"):
        (folder / name).mkdir()
    async with (
        worlds.our_air(folder / "one") as (one, _),
        worlds.our_air(folder / "two") as (two, _),
    ):
        yield one, two


async def test_a_clone_is_the_same_device(airs, folder):
    original, copy = airs
    async with Server.opened(original) as server:
        expected = await seen(original)
        text = await clone(original, "--pair")
    assert expected[0] == (ADVERTISEMENT, SCAN_RESPONSE)
    assert len(expected[3][0]) == 16
    assert server.long_value.hex(" ").upper() in text
    for use in ("writes", "subscriptions"):
        assert f"# Not seen, and not in this file: what protects {use}: " in text
    async with served(copy, folder / "device.conf", text):
        assert await seen(copy) == expected
        assert await clone(copy, "--pair") == text


async def test_without_pairing_only_protected_values_are_missing(radio):
    async with Server.opened(radio):
        with_values = (await clone(radio, "--pair")).splitlines()
        assert await clone(radio) == "".join(
            f"{line}\n" for line in with_values if "secret" not in line
        )


@pytest.mark.parametrize("seed", range(20))
async def test_a_clone_of_a_generated_database(airs, folder, seed):
    original, copy = airs
    async with Server.opened(original, generated_services(seed)):
        expected = await seen(original)
        text = await clone(original)
    async with served(copy, folder / "device.conf", text):
        assert await seen(copy) == expected, text
        assert await clone(copy) == text


def as_btmon_writes(file: bytes) -> bytes:
    """The capture in the form of btmon: the packet's type in the flags, for the adapter hci3."""
    operations = {(1, 0): 2, (4, 1): 3, (2, 0): 4, (2, 1): 5}
    written = b"btsnoop\0" + struct.pack(">II", 1, 2001)
    for record in records(file):
        operation = operations[record.packet[0], record.flags & 1]
        packet = record.packet[1:]
        lengths = len(packet), len(packet)
        written += struct.pack(">IIIIQ", *lengths, 3 << 16 | operation, 0, 0) + packet
    return written


async def from_capture(file: pathlib.Path, *device: str) -> tuple[int, Program]:
    async with Program(eightball(), "clone", "--from", str(file), *device) as program:
        return await program.ended(), program


async def test_a_capture_shows_the_same_device(airs, folder):
    original, copy = airs
    capture = folder / "central.btsnoop"
    async with Server.opened(original):
        text = await clone(original, "--pair", "--capture", str(capture))
    for form in (bytes, as_btmon_writes):
        capture.write_bytes(form(capture.read_bytes()))
        for device in ([], [NAME], [ADDRESS]):
            status, program = await from_capture(capture, *device)
            assert status == 0, program.transcript
            assert "\n".join(program.output) + "\n" == text
    # The capture of the peripheral itself, which Bumble discovers.
    (folder / "device.conf").write_text(text)
    capture = folder / "peripheral.btsnoop"
    command = [eightball(), "peripheral", "--json", "--radio", copy, "--capture", str(capture)]
    async with Program(*command, str(folder / "device.conf")) as program:
        await program.event("advertising")
        async with Central.opened(copy) as central:
            client = (await central.connect(await central.find_named(NAME))).gatt_client
            async with asyncio.timeout(PATIENCE):
                for service in await client.discover_services():
                    for characteristic in await client.discover_characteristics([], service):
                        await client.discover_descriptors(characteristic)
    status, program = await from_capture(capture)
    assert status == 0, program.transcript
    # Bumble's client looks for neither secondary services nor values.
    shown = re.compile(r"^(name|address|advertisement|scan-response)|= (service|characteristic) ")
    assert [line for line in program.output if shown.search(line)] == [
        line for line in text.splitlines() if shown.search(line) and "a0f1" not in line
    ], program.transcript


async def test_what_is_wrong_with_a_capture(folder):
    (folder / "empty").write_bytes(b"btsnoop\0" + struct.pack(">II", 1, 1002))
    (folder / "text").write_text("This is not a capture.")
    for name, status, reason in (
        ("empty", 66, "does not show how a client discovers a device"),
        ("text", 64, "is not a btsnoop file"),
        ("missing", 1, "no such file"),
    ):
        ended, program = await from_capture(folder / name)
        assert ended == status, program.transcript
        assert reason in program.errors[-2 if status == 64 else -1].lower(), program.transcript
