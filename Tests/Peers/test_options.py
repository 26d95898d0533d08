"""The options of `eightball run`, as a central sees them."""

import asyncio

from bumble import gatt
from bumble.core import AdvertisingData

import eight_ball
import worlds
from central import Central
from programs import Program, eightball


async def test_answers_slugs_sends_slugs(radio):
    async with worlds.ball_running("--radio", radio, "--answers", "slugs"):
        async with Central.opened(radio) as central:
            visit = await central.visit(mtu=517)
            await visit.subscribe()
            for _ in range(20):
                await visit.ask("In code?")
                assert await visit.next_answer() in eight_ball.SLUGS


async def answers_with_seed(folder, seed: str) -> list[str]:
    async with worlds.our_air(folder) as (radio, _):
        async with worlds.ball_running("--radio", radio, "--seed", seed):
            async with Central.opened(radio) as central:
                visit = await central.visit(mtu=517)
                await visit.subscribe()
                answers = []
                for _ in range(30):
                    await visit.ask("The same again?")
                    answers.append(await visit.next_answer())
                return answers


async def test_a_seed_repeats_the_answers(folder):
    first = await answers_with_seed(folder, "42")
    assert await answers_with_seed(folder, "42") == first
    assert await answers_with_seed(folder, "43") != first


async def test_names_short_and_long(folder):
    # Flags 3 + one 128-bit UUID 2 + 16 leave 10 of 31 bytes: 2 + 8 for a name. Else it goes in
    # the scan response, 2 + 29.
    for name in ("B", "12345678", "123456789", "a ball with twenty-nine bytes"):
        async with worlds.our_air(folder) as (radio, _):
            async with worlds.ball_running("--radio", radio, "--name", name):
                async with Central.opened(radio) as central:
                    finding = await central.find(name)
                    kind = AdvertisingData.Type.COMPLETE_LOCAL_NAME
                    assert (finding.advertisement.get(kind) == name) == (len(name) <= 8)
                    client = (await central.connect(finding)).gatt_client
                    await client.request_mtu(517)
                    uuid = gatt.GATT_DEVICE_NAME_CHARACTERISTIC
                    assert await client.read_characteristics_by_uuid(uuid, None) == [name.encode()]


async def test_an_air_behind_tcp(folder):
    listen = f"tcp-server:127.0.0.1:{worlds.free_port()}"
    async with worlds.our_air(folder, listen) as (radio, _):
        async with worlds.ball_running("--radio", radio):
            async with Central.opened(radio) as central:
                visit = await central.visit()
                await visit.ask("By cable?")
                assert await visit.read_answer() in ("", *eight_ball.TEXTS)


async def test_the_first_program_hosts_the_virtual_air(folder):
    air = {"EIGHTBALL_AIR": str(folder / "air")}
    async with worlds.ball_running("--radio", "virtual", environment=air) as ball:
        assert (folder / "air").stat().st_mode & 0o777 == 0o600
        async with Central.opened(f"unix:{folder / 'air'}") as central:
            visit = await central.visit()
            await visit.ask("Is this your air?")
        await ball.event("question", text="Is this your air?")
        ask = Program(eightball(), "ask", "And mine?", "--radio", "virtual", environment=air)
        async with ask as program:
            assert await program.ended() == 0, program.transcript


async def test_it_prints_what_happens(radio):
    async with worlds.ball_running("--radio", radio) as ball:
        async with Central.opened(radio, number=7) as central:
            visit = await central.visit(mtu=517)
            await visit.subscribe()
            await visit.ask("What “happens”\n?")
            answer = await visit.next_answer()
            await visit.refusal_of("Nothing.")
            await visit.disconnect()
        me = {"central": "E0:00:00:00:00:07"}
        await ball.event("connected", **me)
        await ball.event("subscribed", **me)
        await ball.event("question", **me, text="What “happens”\n?")
        await ball.event("answer", **me, text=answer)
        await ball.event("refused", **me)
        await ball.event("disconnected", **me)


async def test_sigterm_disconnects_and_ends_with_status_0(folder):
    async with worlds.our_air(folder) as (radio, air):
        async with worlds.ball_running("--radio", radio) as ball:
            async with Central.opened(radio) as central:
                visit = await central.visit()
                status, _ = await asyncio.gather(ball.stop(), visit.has_left())
                assert status == 0, ball.transcript
        assert await air.stop() == 0, air.transcript
