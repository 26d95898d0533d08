"""A controller that is late, silent or wrong: what reaches the ball's centrals all the same."""

import asyncio

import controller
from controller import ANSWER, LISTENING, QUESTION, Controller, att, ball_on_a_controller
from programs import PATIENCE, Program, eightball
from worlds import free_port


async def test_two_questions_in_one_burst_are_both_answered():
    async with ball_on_a_controller() as (ball, radio):
        radio.send(radio.connected(0x40), att(0x40, f"12 {LISTENING} 01 00"))
        await radio.until(lambda: (0x40, b"\x13") in radio.pdus, "the subscription")
        question = bytes.fromhex(f"52 {QUESTION}") + b"Will it rain?"
        radio.send(*[att(0x40, question)] * 8)
        await radio.until(lambda: len(radio.pdus) == 9, "eight notifications")
        assert all(pdu[:3].hex(" ") == f"1b {ANSWER}" for _, pdu in radio.pdus[1:])
        for _ in range(8):
            await ball.event("answer")


async def test_a_controller_that_never_answers_makes_room_for_the_next():
    port = free_port()
    options = ["--radio", f"tcp-server:127.0.0.1:{port}", "--json"]
    async with Program(eightball(), "run", *options) as ball:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    silent = await asyncio.open_connection("127.0.0.1", port)
                    break
                except ConnectionError:
                    await asyncio.sleep(0.01)
        radio = Controller(*await asyncio.open_connection("127.0.0.1", port))
        serving = asyncio.create_task(radio.serve())
        await ball.event("advertising")
        assert radio.is_advertising
        serving.cancel()
        silent[1].close()
