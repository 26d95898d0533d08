"""Balls and radios that end and restart."""

import signal

import eight_ball
import worlds
from central import Central


async def ask_once(visit) -> None:
    await visit.subscribe()
    await visit.ask("Still there?")
    await visit.next_answer()
    assert await visit.read_answer() in eight_ball.TEXTS


async def test_a_restarted_ball_is_found(folder):
    async with worlds.our_air(folder) as (radio, _), Central.opened(radio) as central:
        for how in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT):
            async with worlds.ball_running("--radio", radio) as ball:
                visit = await central.visit()
                await ask_once(visit)
                status = await ball.stop(how)
                assert status == (-signal.SIGKILL if how is signal.SIGKILL else 0)
                await visit.has_left()


async def test_a_ball_uses_a_restarted_radio(folder):
    async with worlds.our_air(folder) as (radio, air):
        ball_context = worlds.ball_running("--radio", radio)
        ball = await ball_context.__aenter__()
        async with Central.opened(radio) as central:
            await ask_once(await central.visit())
        await air.stop(signal.SIGKILL)
        await ball.event("radio", state="lost")
    try:
        async with worlds.our_air(folder) as (radio, _):
            await ball.event("radio", state="ready")
            await ball.event("advertising")
            async with Central.opened(radio) as central:
                await ask_once(await central.visit())
    finally:
        await ball_context.__aexit__(None, None, None)


async def test_a_central_that_vanishes_frees_its_connection(radio):
    async with worlds.ball_running("--radio", radio) as ball:
        for number in range(1, 7):
            # The socket closes during the link: the air reports a lost link.
            async with Central.opened(radio, number) as central:
                await ask_once(await central.visit())
            await ball.event("disconnected")
        assert len(ball.events("connected")) == 6
