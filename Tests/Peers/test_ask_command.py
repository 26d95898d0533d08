"""`eightball ask` and `eightball scan` with Bumble's ball."""

import json

import eight_ball
import worlds
from bumble_ball import BumbleBall, Manner
from programs import Program, eightball

ANSWERED, REFUSED, NO_BALL, TIMED_OUT, RADIO_TROUBLE = 0, 65, 66, 67, 69


async def ask(*arguments: str) -> tuple[int, Program]:
    async with Program(eightball(), "ask", *arguments) as program:
        return await program.ended(), program


def events(program: Program) -> list[dict]:
    return [json.loads(line) for line in program.output]


async def test_is_answered(radio):
    async with BumbleBall.opened(radio, answer="Don’t count on it.") as ball:
        status, program = await ask("Will it rain?", "--radio", radio)
    assert status == ANSWERED, program.transcript
    assert "Don’t count on it." in "\n".join(program.output)
    assert ball.questions == ["Will it rain?"]


async def test_is_answered_in_json(radio):
    async with BumbleBall.opened(radio):
        status, program = await ask("Will it rain?", "--radio", radio, "--json")
    assert status == ANSWERED, program.transcript
    kinds = [event["event"] for event in events(program)]
    assert kinds[:2] == ["found", "connected"] and kinds[-1] == "answer"
    answer = events(program)[-1]
    assert (answer["question"], answer["text"]) == ("Will it rain?", "Yes – definitely.")


async def test_asks_a_random_question(radio):
    async with BumbleBall.opened(radio) as ball:
        status, program = await ask("--random", "--radio", radio)
    assert status == ANSWERED, program.transcript
    assert len(ball.questions) == 1


async def test_asks_a_question_of_512_bytes(radio):
    question = eight_ball.question_of_length(eight_ball.LONGEST_VALUE)
    async with BumbleBall.opened(radio) as ball:
        status, program = await ask(question, "--radio", radio)
    assert status == ANSWERED, program.transcript
    assert ball.questions == [question]


async def test_a_statement_is_refused(radio):
    async with BumbleBall.opened(radio):
        status, program = await ask("It will rain.", "--radio", radio)
    assert status == REFUSED, program.transcript


async def test_a_refusal_ends_with_status_65(radio):
    async with BumbleBall.opened(radio, manner=Manner.REFUSING):
        status, program = await ask("Will it rain?", "--radio", radio, "--json")
    assert status == REFUSED, program.transcript
    assert events(program)[-1]["event"] == "refused"


async def test_a_silent_ball_times_out_with_status_67(radio):
    async with BumbleBall.opened(radio, manner=Manner.SILENT) as ball:
        status, program = await ask("Anyone?", "--radio", radio, "--timeout", "1")
    assert status == TIMED_OUT, program.transcript
    assert ball.questions == ["Anyone?"]


async def test_a_ball_that_disconnects_is_a_failure(radio):
    async with BumbleBall.opened(radio, manner=Manner.LEAVING):
        status, program = await ask("Going already?", "--radio", radio, "--timeout", "2")
    assert status not in (ANSWERED, REFUSED), program.transcript


async def test_without_a_ball_the_status_is_66(radio):
    status, program = await ask("Anyone?", "--radio", radio, "--timeout", "1")
    assert status == NO_BALL, program.transcript


async def test_no_ball_of_that_name(radio):
    async with BumbleBall.opened(radio, name="Other"):
        options = ["--radio", radio, "--name", "Mine", "--timeout", "1"]
        status, program = await ask("Anyone?", *options)
    assert status == NO_BALL, program.transcript


async def test_chooses_by_name(radio):
    async with BumbleBall.opened(radio, name="A ball with a long name"):
        options = ["--radio", radio, "--name", "A ball with a long name"]
        status, program = await ask("Are you the one?", *options)
    assert status == ANSWERED, program.transcript


async def test_skips_a_device_without_the_service(radio):
    async with (
        BumbleBall.opened(radio, name="Dud", has_service=False),
        Program(
            eightball(), "ask", "Anyone?", "--radio", radio, "--timeout", "10", "--json"
        ) as program,
    ):
        await program.event("connected")
        async with worlds.ball_running("--radio", radio, "--name", "Good"):
            status = await program.ended()
    assert status == ANSWERED, program.transcript
    assert [event["name"] for event in events(program) if event["event"] == "found"] == [
        "Dud",
        "Good",
    ]


async def test_a_device_without_the_service_is_not_asked(radio):
    async with BumbleBall.opened(radio, name="Dud", has_service=False):
        status, program = await ask("Anyone?", "--radio", radio, "--json")
    assert status == NO_BALL, program.transcript
    assert events(program)[-1]["reason"] == "no service"


async def test_without_a_radio_the_status_is_69(folder):
    status, program = await ask("Anyone?", "--radio", f"unix:{folder / 'nothing'}")
    assert status == RADIO_TROUBLE, program.transcript
    assert program.errors


async def test_scan_shows_the_ball(radio):
    async with BumbleBall.opened(radio, name="Bumble 8"):
        scan = [eightball(), "scan", "--radio", radio, "--timeout", "1", "--json"]
        async with Program(*scan) as program:
            assert await program.ended() == 0, program.transcript
    assert "Bumble 8" in [event.get("name") for event in events(program)]
