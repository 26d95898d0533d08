"""A controller that is late, silent or wrong: what reaches the ball's centrals all the same."""

import asyncio
import struct

import controller
from controller import ANSWER, LISTENING, QUESTION, Controller, att, ball_on_a_controller
from programs import PATIENCE, Program, eightball
from worlds import free_port


async def test_two_questions_in_one_burst_are_both_answered():
    async with ball_on_a_controller() as (ball, radio):
        radio.tell(radio.connected(0x40), att(0x40, f"12 {LISTENING} 01 00"))
        await radio.until(lambda: (0x40, b"\x13") in radio.pdus, "the subscription")
        question = bytes.fromhex(f"52 {QUESTION}") + b"Will it rain?"
        radio.tell(*[att(0x40, question)] * 8)
        await radio.until(lambda: len(radio.pdus) == 9, "eight notifications")
        assert all(pdu[:3].hex(" ") == f"1b {ANSWER}" for _, pdu in radio.pdus[1:])
        for _ in range(8):
            await ball.event("answer")


async def test_data_before_its_connection_complete_is_answered():
    async with ball_on_a_controller() as (_, radio):
        radio.tell(att(0x40, "02 17 00"), att(0x41, f"0a {ANSWER}"))
        radio.tell(radio.connected(0x41), radio.connected(0x40))
        await radio.until(lambda: len(radio.pdus) == 2, "two responses")
        assert dict(radio.pdus) == {0x41: b"\x0b", 0x40: bytes.fromhex("03 05 02")}


async def test_all_links_that_have_no_connection_complete_are_ended():
    async with ball_on_a_controller() as (_, radio):
        radio.tell(*[att(handle, "02 17 00") for handle in range(0x70, 0x76)])
        await radio.until(lambda: len(radio.parameters(controller.DISCONNECT)) == 6, "six ends")
        ended = {int(parameters[:2], 16) for parameters in radio.parameters(controller.DISCONNECT)}
        assert ended == set(range(0x70, 0x76))


async def test_connection_parameters_are_accepted_or_refused_with_the_reason():
    async with ball_on_a_controller() as (_, radio):
        radio.tell(radio.connected(0x40))
        wanted = [(24, 40, 0, 400), (0xFFFF, 1, 0, 0), (24, 40, 499, 10)]
        for parameters in wanted:
            radio.tell(controller.event(0x3E, struct.pack("<BHHHHH", 0x06, 0x40, *parameters)))
            answers = wanted.index(parameters) + 1
            await radio.until(
                lambda: len(radio.parameters(controller.PARAMETER_REPLY))
                + len(radio.parameters(controller.PARAMETER_REFUSAL)) == answers,
                "an answer",
            )
        accepted = struct.pack("<HHHHHHH", 0x40, *wanted[0], 0, 0).hex(" ")
        assert radio.parameters(controller.PARAMETER_REPLY) == [accepted]
        # 0x3B: unacceptable connection parameters.
        assert radio.parameters(controller.PARAMETER_REFUSAL) == ["40 00 3b"] * 2


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
