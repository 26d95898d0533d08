"""`eightball clone` of Bumble's servers: the clone, served by `eightball peripheral`, is the same device for Bumble."""

import asyncio
import contextlib
import pathlib

import pytest
from bumble.core import UUID

import worlds
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
