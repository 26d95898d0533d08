"""The buttons and lights of a ball on the virtual board, with a central and the commands of a second
terminal."""

import asyncio
import json

import pytest

import eight_ball
import worlds
from central import Central
from programs import Program, eightball


class Board:
    """The user of the ball's board, by `eightball press` and `eightball lights`."""

    def __init__(self, environment: dict[str, str]):
        self.environment = environment

    async def run(self, *arguments: str) -> Program:
        async with Program(eightball(), *arguments, environment=self.environment) as program:
            assert await program.ended() == 0, program.transcript
        return program

    async def press(self, button: str, *options: str) -> None:
        await self.run("press", button, *options)

    async def lights(self) -> dict[str, bool]:
        lights = json.loads((await self.run("lights", "--json")).output[0])
        return {name: lights[name] for name in ("status", "answer")}


@pytest.fixture
async def held(folder):
    """A ball on the virtual board, its board's user, and a central."""
    board = Board({"EIGHTBALL_CONTROL": str(folder / "control")})
    async with worlds.our_air(folder) as (radio, _):
        options = ["--radio", radio, "--board", "virtual", "--seed", "8"]
        async with (
            worlds.ball_running(*options, environment=board.environment) as ball,
            Central.opened(radio) as central,
        ):
            yield ball, board, central


async def test_shake_gives_a_new_answer(held):
    _, board, central = held
    visit = await central.visit(mtu=517)
    await visit.subscribe()
    await visit.ask("Does shaking help?")
    assert await visit.next_answer() in eight_ball.TEXTS
    for _ in range(3):
        await board.press("shake")
        answer = await visit.next_answer()
        assert answer in eight_ball.TEXTS
        assert await visit.read_answer() == answer


async def test_clear_forgets(held):
    ball, board, central = held
    visit = await central.visit(mtu=517)
    await visit.subscribe()
    await visit.ask("Will you remember me?")
    await visit.next_answer()
    await board.press("clear")
    await ball.event("button", action="clear")
    assert await visit.read_answer() == ""
    # Without a question, shake gives no answer.
    await board.press("shake")
    await ball.event("button", action="shake")
    assert await visit.read_answer() == ""
    assert visit.answers.empty()


async def test_clear_held_disconnects_all(held):
    ball, board, central = held
    visit = await central.visit()
    await asyncio.gather(board.press("clear", "--hold", "3s"), visit.has_left())
    await ball.event("button", action="release")
    again = await central.visit()
    assert await again.read_answer() == ""


async def test_lights(held):
    _, board, central = held
    visit = await central.visit(mtu=517)
    assert await board.lights() == {"status": True, "answer": False}
    await visit.disconnect()


@pytest.fixture
async def bare(folder):
    """The user of a virtual board without buttons and lights."""
    path = folder / "bare.conf"
    path.write_text("chip = virtual\n")
    board = Board({"EIGHTBALL_CONTROL": str(folder / "control")})
    async with worlds.our_air(folder) as (radio, _):
        options = ["--radio", radio, "--board", str(path)]
        async with worlds.ball_running(*options, environment=board.environment):
            yield board


async def test_a_board_without_lines_can_be_asked(bare):
    assert (await bare.run("lights")).output == ["status: none", "answer: none"]
    for button in ("shake", "clear"):
        async with Program(
            eightball(), "press", button, environment=bare.environment
        ) as program:
            assert await program.ended() == 69
        assert program.errors == [
            "Error: The ball has no buttons. Start one that has: eightball run --board virtual."
        ]


async def test_a_held_button_is_not_pressed_again(held):
    ball, board, _ = held
    async with Program(
        eightball(), "press", "clear", "--hold", "3s", environment=board.environment
    ) as holding:
        await ball.event("button", action="clear")
        async with Program(
            eightball(), "press", "clear", environment=board.environment
        ) as program:
            assert await program.ended() == 69
        assert program.errors == ["Error: The button clear is held down."]
        await ball.event("button", action="release")
        assert await holding.ended() == 0


async def test_without_a_ball_the_commands_fail(folder):
    environment = {"EIGHTBALL_CONTROL": str(folder / "control")}
    for arguments in [("press", "shake"), ("lights",)]:
        async with Program(eightball(), *arguments, environment=environment) as program:
            assert await program.ended() == 69
            assert "eightball run --board virtual" in program.errors[0]
