"""The processor sleeps when there is nothing to do, and its clock continues."""

import asyncio
import time

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
        start = time.monotonic()
        before = await ball.sleep_statistics()
        await asyncio.sleep(REST)
        after = await ball.sleep_statistics()
        # The status light blinks once in 2 s. On a busy machine the rest is longer.
        rest = time.monotonic() - start
        assert after["wake-ups"] - before["wake-ups"] <= 2 * (rest / 2 + 1)
        assert after["waits"] - before["waits"] == after["wake-ups"] - before["wake-ups"]
