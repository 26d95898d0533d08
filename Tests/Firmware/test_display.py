"""The ball's display on a microcontroller: QEMU's model of an SSD0303, whose glass shows 96×16 pixels."""

import asyncio
import pathlib

import pytest

import eight_ball
import worlds
from central import Central
from display_screens import screen
from machine import Machine, image, program_memory
from programs import PATIENCE

#: What the port sets: see Sources/CortexM/LM3S6965Port.swift. QEMU shows four by four pixels for each.
FIRST_ROW, WIDTH, HEIGHT, MAGNIFICATION = 16, 96, 16, 4
#: The limits in bytes: program memory, and how much of it the display may take.
CODE_LIMIT, DISPLAY_LIMIT = 53_000, 5_000


def expected(name: str) -> list[list[bool]]:
    """The part of a screen that the glass shows."""
    return [row[:WIDTH] for row in screen(name)[FIRST_ROW : FIRST_ROW + HEIGHT]]


async def shown(machine: Machine, folder: pathlib.Path) -> list[list[bool]]:
    """The glass: whether each pixel is lit."""
    file = folder / "glass.ppm"
    await machine.execute("screendump", filename=str(file), device="glass")
    magic, size, _, pixels = file.read_bytes().split(b"\n", 3)
    assert (magic, size) == (b"P6", b"%d %d" % (WIDTH * MAGNIFICATION, HEIGHT * MAGNIFICATION))
    brightness = [
        [pixels[3 * MAGNIFICATION * (x + WIDTH * MAGNIFICATION * y)] for x in range(WIDTH)]
        for y in range(HEIGHT)
    ]
    return [[pixel >= 0x80 for pixel in row] for row in brightness]


async def shows(machine: Machine, folder: pathlib.Path, name: str) -> None:
    """Waits until the glass shows a screen."""
    glass: list[list[bool]] = []
    try:
        async with asyncio.timeout(PATIENCE):
            while (glass := await shown(machine, folder)) != expected(name):
                await asyncio.sleep(0.02)
    except TimeoutError:
        picture = "\n".join("".join(".#"[pixel] for pixel in row) for row in glass)
        pytest.fail(f"The glass does not show {name}, but:\n{picture}")


async def test_it_shows_the_name_and_each_answer(folder):
    listen = f"tcp-server:127.0.0.1:{worlds.free_port()}"
    device = ("-device", "ssd0303,id=glass,address=0x3d")
    async with (
        worlds.our_air(folder, listen) as (radio, _),
        Machine(image("lm3s6965evb-display"), folder, radio, *device) as ball,
        Central.opened(radio) as central,
    ):
        await ball.says("Advertising as “Magic 8-Ball”")
        await shows(ball, folder, "advertising")
        visit = await central.visit(mtu=517)
        await visit.subscribe()
        await shows(ball, folder, "connected")
        for number in range(5):
            await visit.ask(f"Is {number} a number?")
            answer = await visit.next_answer()
            await shows(ball, folder, f"answer-{eight_ball.TEXTS.index(answer):02}")


async def test_without_a_display_it_answers_and_says_so(folder):
    listen = f"tcp-server:127.0.0.1:{worlds.free_port()}"
    async with (
        worlds.our_air(folder, listen) as (radio, _),
        Machine(image("lm3s6965evb-display"), folder, radio) as ball,
        Central.opened(radio) as central,
    ):
        await ball.says("Display: none for now; it does not answer")
        visit = await central.visit(mtu=517)
        await visit.subscribe()
        await visit.ask("Is it dark?")
        assert await visit.next_answer() in eight_ball.TEXTS


def test_program_memory_is_within_its_limit():
    whole = program_memory(image("lm3s6965evb-display"))
    display = whole - program_memory(image("lm3s6965evb"))
    print(f"lm3s6965evb-display: {whole:,} bytes of program memory, {display:,} of them for the display")
    assert whole <= CODE_LIMIT and display <= DISPLAY_LIMIT
