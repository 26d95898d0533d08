"""A ball with private addresses: Bumble resolves them after pairing."""

from bumble import hci
from bumble.smp import AddressResolver

import worlds
from central import Central
from pairing import Capability, pair
from programs import Program, eightball
from test_pairing_users import configure

UNRELATED = "5B:D7:27:92:E9:F5"


def is_resolvable(address: str) -> bool:
    """Core Specification, Vol 6, Part B, 1.3.2.2: the two top bits are 01."""
    return int(address[:2], 16) >> 6 == 0b01


async def test_only_a_bonded_device_recognises_the_ball(folder):
    state = {"XDG_STATE_HOME": str(folder / "state")}
    command = [eightball(), "run", "--json", "--security", "encrypted", "--private"]
    addresses = []
    async with worlds.our_air(folder) as (radio, _), Central.opened(radio) as central:
        configure(central.device, Capability.NO_OUTPUT_NO_INPUT)
        async with Program(*command, "--radio", radio, environment=state) as ball:
            addresses.append((await ball.event("advertising"))["address"])
            visit = await central.visit()
            assert str(visit.connection.peer_address).startswith(addresses[0])
            await pair(central.device, visit.connection)
            await visit.disconnect()
        async with Program(*command, "--radio", radio, environment=state) as ball:
            addresses.append((await ball.event("advertising"))["address"])
            visit = await central.visit()
            known = visit.connection.peer_address
            await visit.disconnect()
        keys = await central.device.keystore.get_resolving_keys()
    assert addresses[0] != addresses[1] and all(map(is_resolvable, addresses)), addresses
    # Bumble has resolved the second address with the distributed key.
    assert known.is_resolved and not is_resolvable(str(known)), known
    resolver = AddressResolver(keys)
    kind = hci.Address.RANDOM_DEVICE_ADDRESS
    identities = [resolver.resolve(hci.Address(address, kind)) for address in addresses]
    assert identities[0] is not None and identities[0] == identities[1] == known, identities
    assert resolver.resolve(hci.Address(UNRELATED, kind)) is None
