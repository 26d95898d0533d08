"""The ball on a microcontroller, seen by its centrals and its user."""

import asyncio
import contextlib
import signal

import pytest

import eight_ball
import worlds
from bumble_air import BumbleAir
from central import Central
from machine import Machine
from programs import REPOSITORY, Program, eightball

HEART_RATE = REPOSITORY / "Examples" / "peripherals" / "heart-rate.conf"


@contextlib.asynccontextmanager
async def ball_on_our_air(elf, folder, *options: str):
    """A ball on our virtual air; yields the machine and the radio's name."""
    listen = f"tcp-server:127.0.0.1:{worlds.free_port()}"
    async with (
        worlds.our_air(folder, listen) as (radio, _),
        Machine(elf, folder, radio, *options) as ball,
    ):
        await ball.says("Advertising as “Magic 8-Ball”")
        yield ball, radio


async def test_our_own_client_is_answered(elf, folder):
    async with ball_on_our_air(elf, folder) as (ball, radio):
        arguments = ("ask", "--radio", radio, "Does it run without Linux?")
        async with Program(eightball(), *arguments) as ask:
            assert await ask.ended() == 0, ask.transcript
        assert ask.output[-1] in eight_ball.TEXTS
        assert await ball.says("Question:") == "Question: Does it run without Linux?"
        assert await ball.says("Answer:") == f"Answer: {ask.output[-1]}"
        await ball.says("Disconnected:")


async def test_questions_of_every_length(elf, folder):
    async with ball_on_our_air(elf, folder) as (ball, radio), Central.opened(radio) as central:
        visit = await central.visit(mtu=517)
        await visit.subscribe()
        for length in (1, 2, 20, 23, 180, 480, 512):
            await visit.ask(eight_ball.question_of_length(length))
            answer = await visit.next_answer()
            assert answer in eight_ball.TEXTS
            assert await visit.read_answer() == answer


async def test_a_long_question_in_parts(elf, folder):
    # The least MTU, 23: a question of 480 bytes comes in 27 parts of at most 18 bytes.
    async with ball_on_our_air(elf, folder) as (ball, radio), Central.opened(radio) as central:
        visit = await central.visit()
        await visit.ask(eight_ball.question_of_length(480))
        assert await visit.read_answer() in eight_ball.TEXTS


async def test_a_statement_is_refused(elf, folder):
    async with ball_on_our_air(elf, folder) as (ball, radio), Central.opened(radio) as central:
        visit = await central.visit()
        assert await visit.refusal_of("A statement.") == eight_ball.NOT_A_QUESTION
        assert await visit.refusal_of(b"\xff?") == eight_ball.NOT_TEXT
        await ball.says("Refused:")


async def test_shake_gives_a_new_answer_and_clear_deletes_it(elf, folder):
    async with ball_on_our_air(elf, folder) as (ball, radio), Central.opened(radio) as central:
        # QEMU's pins are low at first, as if the buttons were down: this releases them.
        await ball.press("shake")
        await ball.press("clear")
        visit = await central.visit(mtu=517)
        await visit.subscribe()
        await visit.ask("Does shaking help?")
        assert await visit.next_answer() in eight_ball.TEXTS
        for _ in range(3):
            await ball.press("shake")
            answer = await visit.next_answer()
            assert answer in eight_ball.TEXTS
            assert await visit.read_answer() == answer
        await ball.press("clear")
        await ball.says("Cleared")
        assert await visit.read_answer() == ""


async def lit_lights(ball: Machine, wanted: set[str]) -> None:
    """Waits until exactly these lights are lit: they may blink first."""
    for _ in range(2_000):
        if (lights := await ball.lights()) == wanted:
            return
        await asyncio.sleep(0.002)
    raise AssertionError(f"The lights {lights} are lit, and {wanted} should be.")


async def test_the_lights_show_advertising_connection_and_answer(elf, folder):
    async with ball_on_our_air(elf, folder) as (ball, radio):
        # Blinks while no central is connected.
        await lit_lights(ball, {"status"})
        await lit_lights(ball, set())
        async with Central.opened(radio) as central:
            visit = await central.visit()
            await visit.subscribe()
            await lit_lights(ball, {"status"})
            # The answer light only flashes.
            await asyncio.gather(
                lit_lights(ball, {"status", "answer"}), visit.ask("Is there light?")
            )
            await lit_lights(ball, {"status"})


async def test_the_ball_starts_when_its_controller_comes(elf, folder):
    listen = f"tcp-server:127.0.0.1:{worlds.free_port()}"
    async with Machine(elf, folder, listen.replace("server", "client")) as ball:
        await ball.says("Radio: lost;")
        async with worlds.our_air(folder, listen) as (radio, _):
            await ball.says("Radio: ready again.")
            async with Central.opened(radio) as central:
                visit = await central.visit()
                await visit.ask("Were you late?")
                assert await visit.read_answer() in eight_ball.TEXTS


@pytest.mark.timeout(150)
async def test_a_controller_that_is_lost_and_found(elf, folder):
    listen = f"tcp-server:127.0.0.1:{worlds.free_port()}"
    async with contextlib.AsyncExitStack() as stack:
        radio, air = await stack.enter_async_context(worlds.our_air(folder, listen))
        ball = await stack.enter_async_context(Machine(elf, folder, radio))
        await ball.says("Advertising")
        await air.stop(signal.SIGKILL)
        # A wire does not report a lost controller: the ball checks its advertising once in 30 s, and
        # waits some time for each response.
        await ball.says("Radio: lost;", patience=60)
        radio, air = await stack.enter_async_context(worlds.our_air(folder, listen))
        await ball.says("Radio: ready again.", patience=30)
        async with Central.opened(radio) as central:
            visit = await central.visit()
            await visit.ask("Still there?")
            assert await visit.read_answer() in eight_ball.TEXTS


async def test_on_a_controller_of_bumble(elf, folder):
    air, port = BumbleAir(), worlds.free_port()
    async with (
        # Bumble's controllers route data by random address: the ball needs one.
        air.served(f"tcp-server:127.0.0.1:{port}", has_public_address=False),
        Machine(elf, folder, f"tcp-client:127.0.0.1:{port}") as ball,
    ):
        await ball.says("Advertising")
        device = await air.device(1)
        await device.power_on()
        visit = await Central(device).visit(mtu=517)
        await visit.subscribe()
        await visit.ask("Does it speak with others?")
        assert await visit.next_answer() in eight_ball.TEXTS


async def test_a_central_of_any_peripheral_beside_the_peripheral_of_a_file(elf, folder):
    async with ball_on_our_air(elf, folder) as (ball, radio):
        sensor = (eightball(), "peripheral", str(HEART_RATE), "--radio", radio, "--json")
        async with Program(*sensor) as program:
            await program.event("advertising")
            for device, commands, output in (
                ("Magic 8-Ball", "read manufacturer-name-string", 'text "The 8-Ball Project"'),
                ("Heart Rate", "read 2A38", "hex 01"),
            ):
                central = (eightball(), "gatt", "--radio", radio, device, *commands.split())
                async with Program(*central) as gatt:
                    assert await gatt.ended() == 0, gatt.transcript
                assert gatt.output == [output]
