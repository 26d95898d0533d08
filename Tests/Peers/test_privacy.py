"""Private addresses that our air's controllers generate and resolve for Bumble's hosts."""

import asyncio

import pytest
from bumble import crypto, hci
from bumble.device import Device

from pairing import PairingHosts, command
from programs import PATIENCE
from worlds import our_air

PRIVATE = {"own_address_type": hci.OwnAddressType.RESOLVABLE_OR_RANDOM}

#: Core Specification, Vol 1, Part F.
UNKNOWN_CONNECTION, COMMAND_DISALLOWED = 0x02, 0x0C


@pytest.fixture
async def hosts(folder):
    """Two paired hosts whose controllers generate and resolve private addresses."""
    configuration = {"address_resolution_offload": True, "address_generation_offload": True}
    async with (
        our_air(folder) as (radio, _),
        PairingHosts.on(radio, **configuration) as hosts,
    ):
        hosts.configure()
        await (await hosts.pair()).leave()
        yield hosts


def identity(device: Device) -> bytes:
    """Its identity address, with the type first."""
    return bytes([1]) + bytes(device.static_address)


def is_made_with(address: bytes, key: bytes) -> bool:
    """Whether another implementation resolves a private address, the least significant byte first."""
    return address[5] >> 6 == 0b01 and crypto.ah(key, address[3:]) == address[:3]


async def test_bonded_devices_connect_with_private_addresses(hosts):
    for _ in range(3):
        meeting = await hosts.meet(**PRIVATE)
        near, far = meeting.central, meeting.peripheral
        assert near.peer_address == hosts.peripheral.static_address
        assert far.peer_address == hosts.central.static_address
        assert near.peer_resolvable_address == far.self_resolvable_address
        assert far.peer_resolvable_address == near.self_resolvable_address
        assert is_made_with(bytes(near.peer_resolvable_address), hosts.peripheral.irk)
        assert is_made_with(bytes(far.peer_resolvable_address), hosts.central.irk)
        await meeting.encrypt()
        await meeting.leave()


async def test_reports_resolve_an_advertiser_only_for_its_bonded_device(hosts, folder):
    async with PairingHosts.on(f"unix:{folder / 'air'}") as others:
        reports = asyncio.Queue(), asyncio.Queue()
        for device, queue in zip((hosts.central, others.central), reports, strict=True):
            device.host.on("advertising_report", queue.put_nowait)
        await hosts.peripheral.start_advertising(auto_restart=False, **PRIVATE)
        for device in (hosts.central, others.central):
            await device.start_scanning()
        async with asyncio.timeout(PATIENCE):
            known, unknown = [await queue.get() for queue in reports]
        assert known.address == hosts.peripheral.static_address
        assert known.address.address_type == hci.Address.RANDOM_IDENTITY_ADDRESS
        assert unknown.address.address_type == hci.Address.RANDOM_DEVICE_ADDRESS
        assert is_made_with(bytes(unknown.address), hosts.peripheral.irk)
        # The bonded controller returns the same address.
        heard = await command(
            hosts.central,
            hci.HCI_LE_READ_PEER_RESOLVABLE_ADDRESS_COMMAND,
            identity(hosts.peripheral),
        )
        assert heard == bytes(unknown.address)
        # The list cannot change while it is in use.
        with pytest.raises(hci.HCI_Error) as refusal:
            await command(hosts.central, hci.HCI_LE_CLEAR_RESOLVING_LIST_COMMAND)
        assert refusal.value.error_code == COMMAND_DISALLOWED


async def test_a_private_address_is_renewed(hosts, folder):
    async with PairingHosts.on(f"unix:{folder / 'air'}") as others:
        addresses: asyncio.Queue[bytes] = asyncio.Queue()
        others.central.host.on(
            "advertising_report", lambda report: addresses.put_nowait(bytes(report.address))
        )
        timeout = hci.HCI_LE_SET_RESOLVABLE_PRIVATE_ADDRESS_TIMEOUT_COMMAND
        await command(hosts.peripheral, timeout, (1).to_bytes(2, "little"))
        await hosts.peripheral.start_advertising(auto_restart=False, **PRIVATE)
        await others.central.start_scanning(filter_duplicates=True)
        async with asyncio.timeout(PATIENCE):
            heard = [await addresses.get() for _ in range(3)]
        assert len(set(heard)) == 3
        assert all(is_made_with(address, hosts.peripheral.irk) for address in heard)


async def test_a_device_removed_from_the_list_is_not_resolved(hosts):
    await command(
        hosts.central,
        hci.HCI_LE_REMOVE_DEVICE_FROM_RESOLVING_LIST_COMMAND,
        identity(hosts.peripheral),
    )
    with pytest.raises(hci.HCI_Error) as refusal:
        await command(
            hosts.central,
            hci.HCI_LE_READ_PEER_RESOLVABLE_ADDRESS_COMMAND,
            identity(hosts.peripheral),
        )
    assert refusal.value.error_code == UNKNOWN_CONNECTION
    reports: asyncio.Queue = asyncio.Queue()
    hosts.central.host.on("advertising_report", reports.put_nowait)
    await hosts.peripheral.start_advertising(auto_restart=False, **PRIVATE)
    await hosts.central.start_scanning()
    async with asyncio.timeout(PATIENCE):
        report = await reports.get()
    assert report.address.address_type == hci.Address.RANDOM_DEVICE_ADDRESS
    assert is_made_with(bytes(report.address), hosts.peripheral.irk)
