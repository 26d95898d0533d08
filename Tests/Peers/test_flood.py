"""A central that causes many lines: some are printed, and the others are counted."""


from controller import LISTENING, QUESTION, att, ball_on_a_controller

STATEMENT = bytes.fromhex(f"52 {QUESTION}") + b"It will rain."
CALM = "C0:00:00:00:00:41"


async def test_refused_statements_are_counted_and_lines_of_others_stay():
    async with ball_on_a_controller() as (ball, radio):
        radio.send(radio.connected(0x40), radio.connected(0x41))
        radio.send(*[att(0x40, STATEMENT)] * 5_000)
        radio.send(att(0x41, f"12 {LISTENING} 01 00"))
        radio.send(att(0x41, bytes.fromhex(f"12 {QUESTION}") + b"Will it rain?"))
        radio.send(radio.disconnected(0x40))
        await ball.event("subscribed", central=CALM)
        await ball.event("question", central=CALM)
        await ball.event("answer", central=CALM)
        gone = await ball.event("disconnected")
        refused, omitted = ball.events("refused"), ball.events("omitted")
        assert len(refused) < 1_000, ball.transcript
        assert len(refused) + sum(one["count"] for one in omitted) == 5_000
        flooder = {"central": gone["central"], "connection": gone["connection"]}
        assert all(one == {"event": "omitted", **flooder, "count": one["count"]} for one in omitted)
        # Nothing of a link comes after its end.
        assert ball.output.index(_line(ball, "disconnected")) > ball.output.index(
            _line(ball, "omitted")
        )


def _line(ball, name: str) -> str:
    return next(line for line in ball.output if f'"{name}"' in line)
