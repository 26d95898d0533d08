"""Two Bumble hosts pair over our air: keys, encryption, bonds and removed bonds."""

import asyncio
import secrets

import pytest
from bumble import crypto, hci
from bumble.keys import MemoryKeyStore

from pairing import GENERATIONS, Capability, PairingHosts, command
from programs import PATIENCE
from worlds import our_air

#: Core Specification, Vol 1, Part F.
KEY_MISSING, MIC_FAILURE = 0x06, 0x3D

JUST_WORKS = {}
COMPARISON = {
    "needs_user": True,
    "central": Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "peripheral": Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
}
PASSKEY = {
    "needs_user": True,
    "central": Capability.KEYBOARD_INPUT_ONLY,
    "peripheral": Capability.DISPLAY_OUTPUT_ONLY,
}


@pytest.fixture
async def hosts(folder):
    async with our_air(folder) as (radio, _), PairingHosts.on(radio) as hosts:
        yield hosts


@GENERATIONS
@pytest.mark.parametrize(
    "users", [JUST_WORKS, COMPARISON, PASSKEY], ids=["just-works", "comparison", "passkey"]
)
async def test_two_hosts_pair(hosts, is_secure, users):
    hosts.configure(is_secure, **users)
    meeting = await hosts.pair()
    assert meeting.central.is_encrypted and meeting.peripheral.is_encrypted
    assert meeting.central.sc == is_secure
    near, far = await hosts.keys()
    if is_secure:
        assert near.ltk.value == far.ltk.value
    else:
        # Each side distributes a key for links on which it is the peripheral.
        assert near.ltk_central.value == far.ltk_central.value
        assert near.ltk_peripheral.value == far.ltk_peripheral.value
    assert (near.irk.value, far.irk.value) == (bytes([2] * 16), bytes([1] * 16))
    if is_secure and users is COMPARISON:
        # Both devices have shown the same number.
        assert len(hosts.compared) == 2 and len(set(hosts.compared)) == 1


async def test_a_bond_encrypts_every_later_link(hosts):
    hosts.configure()
    await (await hosts.pair()).leave()
    for _ in range(3):
        meeting = await hosts.meet()
        assert not meeting.central.is_encrypted
        await meeting.encrypt()
        assert meeting.central.is_encrypted and meeting.peripheral.is_encrypted
        await meeting.leave()


async def test_an_encrypted_link_takes_a_new_key(hosts):
    hosts.configure()
    meeting = await hosts.pair()
    key = secrets.token_bytes(16)
    for device in (hosts.central, hosts.peripheral):
        device.host.long_term_key_provider = lambda *_: _result(key)
    loop = asyncio.get_running_loop()
    refreshed = [loop.create_future(), loop.create_future()]
    for side, future in zip((meeting.central, meeting.peripheral), refreshed, strict=True):
        event = side.EVENT_CONNECTION_ENCRYPTION_KEY_REFRESH
        side.once(event, lambda future=future: future.set_result(None))
    await hosts.central.send_async_command(
        hci.HCI_LE_Enable_Encryption_Command(
            connection_handle=meeting.central.handle,
            random_number=bytes(8),
            encrypted_diversifier=0,
            long_term_key=key,
        )
    )
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*refreshed)


async def test_a_peripheral_without_the_bond_has_no_key(hosts):
    hosts.configure()
    await (await hosts.pair()).leave()
    hosts.peripheral.keystore = MemoryKeyStore()
    meeting = await hosts.meet()
    with pytest.raises(hci.HCI_Error) as refusal:
        await meeting.encrypt()
    assert refusal.value.error_code == KEY_MISSING
    assert not meeting.central.is_encrypted and not meeting.peripheral.is_encrypted
    # The link is still there, and can be paired again.
    async with asyncio.timeout(PATIENCE):
        await meeting.central.pair()
    assert meeting.central.is_encrypted


async def test_keys_that_differ_end_the_link(hosts):
    hosts.configure()
    await (await hosts.pair()).leave()
    _, far = await hosts.keys()
    far.ltk.value = bytes(byte ^ 1 for byte in far.ltk.value)
    await hosts.peripheral.keystore.update(str(hosts.central.static_address), far)
    meeting = await hosts.meet()
    with pytest.raises(asyncio.CancelledError):
        await meeting.encrypt()
    assert await meeting.reasons() == [MIC_FAILURE, MIC_FAILURE]


async def test_le_encrypt_agrees_with_another_implementation(hosts):
    for _ in range(8):
        key, plaintext = secrets.token_bytes(16), secrets.token_bytes(16)
        encrypted = await command(hosts.central, hci.HCI_LE_ENCRYPT_COMMAND, key + plaintext)
        # HCI and this function use the least significant byte first.
        assert encrypted == crypto.e(key, plaintext)


async def _result(key: bytes) -> bytes:
    return key
