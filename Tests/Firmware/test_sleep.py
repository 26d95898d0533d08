"""The processor sleeps when there is nothing to do, and its clock continues."""

import asyncio

from central import Central
from test_ball import ball_on_our_air

#: How long the ball is idle, in seconds.
REST = 10.0


async def test_nothing_wakes_a_ball_that_nobody_asks(elf, folder):
    async with ball_on_our_air(elf, folder) as (ball, radio), Central.opened(radio) as central:
        visit = await central.visit()
        await visit.subscribe()
        # The procedures of a new link end.
        await asyncio.sleep(3)
        before = await ball.sleep_statistics()
        await asyncio.sleep(REST)
        assert await ball.sleep_statistics() == before


async def test_only_the_light_wakes_a_ball_that_advertises(elf, folder):
    async with ball_on_our_air(elf, folder) as (ball, radio):
        before = await ball.sleep_statistics()
        await asyncio.sleep(REST)
        after = await ball.sleep_statistics()
        # The status light blinks once in 2 s.
        assert after["wake-ups"] - before["wake-ups"] <= 2 * (REST / 2 + 1)
        assert after["waits"] - before["waits"] == after["wake-ups"] - before["wake-ups"]
