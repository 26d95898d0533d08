"""The ball with an advertising set of Bluetooth 5 on a microcontroller: who finds it, and what it needs of the machine."""

from bumble.core import AdvertisingData

import eight_ball
from central import Central, Visit
from machine import image, program_memory
from programs import PATIENCE
from test_ball import ball_on_our_air

#: The limits in bytes: program memory, and how much of it the sets may take, with the program that uses them.
CODE_LIMIT, SETS_LIMIT = 51_500, 4_000


async def found(central: Central, is_legacy: bool):
    """The ball's first advertisement, with legacy PDUs or of its set."""
    kind = AdvertisingData.Type.COMPLETE_LOCAL_NAME
    return await central.advertisement(
        lambda it: it.data.get(kind) == "Magic 8-Ball" and it.is_legacy == is_legacy
    )


async def test_it_is_found_by_both_advertisements_and_asked(folder):
    async with (
        ball_on_our_air(image("lm3s6965evb-sets"), folder) as (ball, radio),
        Central.opened(radio) as central,
    ):
        for is_legacy in (False, True):
            advertisement = await found(central, is_legacy)
            assert advertisement.is_connectable
            assert eight_ball.SERVICE in advertisement.data.get(
                AdvertisingData.Type.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
            )
            visit = Visit(await central.device.connect(advertisement.address, timeout=PATIENCE))
            await visit.discover_ball()
            await visit.subscribe()
            await visit.ask("Is this Bluetooth 5?")
            await visit.next_answer()
            assert await visit.read_answer() in eight_ball.TEXTS
            await visit.disconnect()
            await ball.says("Disconnected")


def test_program_memory_is_within_its_limit():
    whole = program_memory(image("lm3s6965evb-sets"))
    sets = whole - program_memory(image("lm3s6965evb"))
    print(f"lm3s6965evb-sets: {whole:,} bytes of program memory, {sets:,} of them for advertising sets")
    assert whole <= CODE_LIMIT and sets <= SETS_LIMIT
