"""`eightball ask` and `eightball scan` with Bumble's ball."""

import json
import os
import signal
import subprocess

import pytest

import eight_ball
import worlds
from bumble_ball import BumbleBall, Manner
from programs import PATIENCE, Program, eightball

ANSWERED, WRONG, REFUSED, NO_BALL, TIMED_OUT, RADIO_TROUBLE, LOST = 0, 64, 65, 66, 67, 69, 74


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


async def test_a_silent_ball_times_out_with_status_67(folder):
    file = folder / "silent.conf"
    file.write_text(
        f"""
        name = Silent
        advertise = {str(eight_ball.SERVICE)}
        ball = service {str(eight_ball.SERVICE)}
        ball.q = characteristic {str(eight_ball.QUESTION)} write
        ball.a = characteristic {str(eight_ball.ANSWER)} read notify
        """
    )
    # By the clock of the air, the question is written long before the second is over.
    async with worlds.our_air(folder, options=("--time", "simulated", "--radios", "2")) as (radio, _):
        peripheral = [eightball(), "peripheral", str(file), "--radio", radio, "--json"]
        async with Program(*peripheral) as ball:
            await ball.event("advertising")
            status, program = await ask("Anyone?", "--radio", radio, "--timeout", "1")
            assert status == TIMED_OUT, program.transcript
            await ball.event("written", value=b"Anyone?".hex().upper())


async def test_a_ball_that_disconnects_is_a_failure(radio):
    async with BumbleBall.opened(radio, manner=Manner.LEAVING):
        status, program = await ask("Going already?", "--radio", radio, "--timeout", "600")
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
            eightball(), "ask", "Anyone?", "--radio", radio, "--timeout", "600", "--json"
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
        scan = [eightball(), "scan", "--radio", radio, "--timeout", "600", "--json"]
        async with Program(*scan) as program:
            await program.event("found", name="Bumble 8")


def run(arguments: list, **options) -> subprocess.CompletedProcess:
    """Runs a command that needs no radio to its end."""
    return subprocess.run(arguments, capture_output=True, timeout=PATIENCE, **options)


def staying(radio: str, *arguments: str) -> Program:
    return Program(
        eightball(), "ask", "--stay", "--json", "--radio", radio, *arguments, has_input=True
    )


async def test_staying_asks_each_line_and_hears_a_shake(radio, folder):
    board = {"EIGHTBALL_CONTROL": str(folder / "control")}
    ball = worlds.ball_running("--radio", radio, "--board", "virtual", environment=board)
    async with ball as ball, staying(radio, "Will it rain?") as program:
        assert (await program.event("answer"))["question"] == "Will it rain?"
        program.type("Tomorrow?")
        assert (await program.event("answer"))["question"] == "Tomorrow?"
        program.type("")
        program.type("It will.")
        await program.event("refused", question="It will.")
        async with Program(eightball(), "press", "shake", environment=board) as press:
            assert await press.ended() == 0, press.transcript
        assert (await ball.event("button", action="shake"))["centrals"] == 1
        text = (await program.event("answer"))["text"]
        assert (await ball.event("answer"))["text"] == text
        assert "question" not in program.events("answer")[-1]
        # One link for all questions, which ends with the input.
        assert len(ball.events("connected")) == 1
        program._process.stdin.close()
        assert await program.ended() == ANSWERED, program.transcript
        await ball.event("disconnected", code=0x13)


async def test_staying_ends_by_control_c_and_disconnects(radio):
    async with worlds.ball_running("--radio", radio) as ball:
        async with staying(radio) as program:
            await program.event("connected")
            await ball.event("connected")
            program.type("Will it rain?")
            await program.event("answer")
            assert await program.stop(signal.SIGINT) == 130, program.transcript
        await ball.event("disconnected", code=0x13)


async def test_staying_ends_with_its_ball(radio):
    async with worlds.ball_running("--radio", radio) as ball, staying(radio) as program:
        program.type("Will it rain?")
        await program.event("answer")
        await ball.stop()
        assert (await program.event("failed"))["reason"] == "disconnected"
        assert await program.ended() == 1


async def test_reads_a_question_from_standard_input(radio):
    async with BumbleBall.opened(radio) as ball:
        ask = Program(eightball(), "ask", "-", "--radio", radio, has_input=True)
        async with ask as program:
            program.type("Is it piped?")
            assert await program.ended() == ANSWERED, program.transcript
    assert ball.questions == ["Is it piped?"]


@pytest.mark.parametrize("line", [b"", b"\n", b"\xff?\n", b"x" * 513 + b"?\n"])
def test_a_line_that_is_no_question_is_explained(line):
    ask = run([eightball(), "ask", "-"], input=line)
    assert ask.returncode == WRONG and ask.stderr.startswith(b"Error: The question ")


def test_an_argument_that_is_not_utf8_is_refused():
    for arguments in ([b"ask", b"\xff?"], [b"run", b"--name", b"\xff"]):
        refused = run([eightball().encode(), *arguments])
        assert refused.returncode == WRONG, refused
        assert f"Argument {len(arguments)} is not valid UTF-8".encode() in refused.stderr


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
@pytest.mark.parametrize("command", ["--help", "boards", "help ask", "--version"])
def test_a_lost_result_is_an_error(command, redirection):
    lost = run(["sh", "-c", f"{eightball()} {command} {redirection}"])
    assert lost.returncode == LOST
    assert lost.stderr.count(b"Error: cannot write to standard output: ") == 1


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
@pytest.mark.parametrize("options", ["", "--json"])
async def test_a_lost_answer_is_an_error(radio, options, redirection):
    async with BumbleBall.opened(radio) as ball:
        command = f"exec {eightball()} ask 'Is it lost?' --radio {radio} {options} {redirection}"
        async with Program("sh", "-c", command) as program:
            assert await program.ended() == LOST, program.transcript
    assert "Error: cannot write to standard output" in "\n".join(program.errors)
    assert ball.questions == ["Is it lost?"]


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
async def test_lost_events_are_an_error(radio, folder, redirection):
    control = folder / "control.sock"
    options = ("--radio", radio, "--control", str(control))
    async with Program(eightball(), "run", *options) as ball:
        await ball.starts_line("Advertising as")
        command = f"exec {eightball()} events --control {control} {redirection}"
        async with Program("sh", "-c", command) as program:
            assert await program.ended() == LOST, program.transcript
    assert "Error: cannot write to standard output" in "\n".join(program.errors)


async def test_a_ball_goes_on_without_the_reader_of_its_output(radio):
    reader, writer = os.pipe()
    os.close(reader)
    async with Program(eightball(), "run", "--radio", radio, output=writer) as ball:
        os.close(writer)
        for number in range(3):
            status, program = await ask(f"Are you there {number}?", "--radio", radio)
            assert status == ANSWERED, program.transcript
        assert await ball.stop() == 0
