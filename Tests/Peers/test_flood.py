"""A central that makes lines without end: few are printed, and the rest are counted."""

import re

from controller import LISTENING, QUESTION, att, ball_on_a_controller

STATEMENT = bytes.fromhex(f"52 {QUESTION}") + b"It will rain."
CALM = "C0:00:00:00:00:41"


async def test_refused_statements_are_counted_and_others_lines_stay():
    async with ball_on_a_controller() as (ball, radio):
        radio.tell(radio.connected(0x40), radio.connected(0x41))
        radio.tell(*[att(0x40, STATEMENT)] * 5_000)
        radio.tell(att(0x41, f"12 {LISTENING} 01 00"))
        radio.tell(att(0x41, bytes.fromhex(f"12 {QUESTION}") + b"Will it rain?"))
        radio.tell(radio.disconnected(0x40))
        await ball.event("subscribed", central=CALM)
        await ball.event("question", central=CALM)
        await ball.event("answer", central=CALM)
        gone = await ball.event("disconnected")
        refused, omitted = ball.events("refused"), ball.events("omitted")
        assert len(refused) < 1_000, ball.transcript
        assert len(refused) + sum(one["count"] for one in omitted) == 5_000
        flooder = {"central": gone["central"], "place": gone["place"]}
        assert all(one == {"event": "omitted", **flooder, "count": one["count"]} for one in omitted)
        # Nothing of a link comes after its end.
        assert ball.output.index(_line(ball, "disconnected")) > ball.output.index(
            _line(ball, "omitted")
        )


async def test_connections_that_come_and_go_are_counted():
    async with ball_on_a_controller() as (ball, radio):
        for _ in range(1_000):
            radio.tell(radio.connected(0x40), radio.disconnected(0x40))
        radio.tell(radio.connected(0x40))
        await radio.until(lambda: radio.is_advertising, "advertising")
        # The link that stays is printed once the second has passed, after what was left out.
        await ball.event("omitted")
        await ball.event("connected")
        radio.tell(radio.disconnected(0x40))
        await ball.event("disconnected")
        came, went = len(ball.events("connected")), len(ball.events("disconnected"))
        assert came == went
        assert came < 500, ball.transcript
        assert came + went + sum(one["count"] for one in ball.events("omitted")) == 2_002


async def test_what_is_left_out_is_counted_when_the_program_ends():
    async with ball_on_a_controller() as (ball, radio):
        radio.tell(radio.connected(0x40), *[att(0x40, STATEMENT)] * 5_000)
        radio.tell(att(0x40, "02 17 00"))
        await radio.until(lambda: radio.pdus, "the response after the last statement")
        await ball.stop()
        omitted = sum(one["count"] for one in ball.events("omitted"))
        assert len(ball.events("refused")) + omitted == 5_000


async def test_people_are_shown_how_many_lines_were_left_out():
    async with ball_on_a_controller(is_json=False) as (ball, radio):
        radio.tell(radio.connected(0x40))
        radio.tell(*[att(0x40, f"12 {LISTENING} 0{number % 2} 00") for number in range(1, 1_001)])
        radio.tell(*[att(0x40, STATEMENT)] * 5_000)
        radio.tell(radio.disconnected(0x40))
        await ball.line(lambda line: line.startswith("Disconnected"), "the end")
        refused = [line for line in ball.output if line.startswith("Refused")]
        counts = [
            re.fullmatch(r"\((\d+) lines of C0:00:00:00:00:40 were left out\.\)", line)
            for line in ball.output
        ]
        omitted = sum(int(count[1]) for count in counts if count)
        # Subscriptions have no line for people, and are not counted.
        assert len(refused) < 1_000, ball.transcript
        assert len(refused) + omitted == 5_000


def _line(ball, name: str) -> str:
    return next(line for line in ball.output if f'"{name}"' in line)
