"""What the ball needs of a small machine: program memory, RAM with the stack, instructions."""

import asyncio
import json
import struct
import subprocess

import pytest

import eight_ball
from central import Central
from machine import COUNTING, TICKS_AN_INSTRUCTION, program_memory, sections, symbol
from programs import REPOSITORY
from test_ball import ball_on_our_air

#: The limits of each image in bytes, with the drivers and the texts.
CODE_LIMIT = {"lm3s6965evb": 47_500, "cortex-m0": 57_600}
RAM_LIMIT = {"lm3s6965evb": 16_384, "cortex-m0": 16_384}
#: The limit of instructions an ask: three packets in, two out, two lines on the console. With the drivers
#: and all interrupts. QEMU's UART has an interrupt for each received byte.
ASK_LIMIT = {"lm3s6965evb": 7_000, "cortex-m0": 11_000}

#: The same without drivers and interrupts, by scripts/benchmark firmware: host and ball alone; the whole ball with
#: its texts; without them. The question has 40 bytes.
PART_LIMIT = {
    "lm3s6965evb": {"host": 1_100, "runner": 4_650, "quiet": 3_750},
    "cortex-m0": {"host": 2_450, "runner": 8_300, "quiet": 6_800},
}

#: The content of the stack before the ball starts.
PAINT = 0x5AFE5AFE


def report(elf, text: str) -> None:
    print(f"{elf.parent.name}: {text}")


def test_program_memory_is_within_its_limit(elf):
    code = program_memory(elf)
    report(elf, f"{code:,} bytes of program memory")
    assert code <= CODE_LIMIT[elf.parent.name]


async def test_ram_is_within_its_limit(elf, folder):
    bottom, top = symbol(elf, "stack_bottom"), symbol(elf, "stack_top")
    paint = folder / "paint"
    paint.write_bytes(struct.pack("<I", PAINT) * ((top - bottom) // 4))
    loader = f"loader,file={paint},addr={bottom:#x},force-raw=on"
    async with ball_on_our_air(elf, folder, "-device", loader) as (ball, radio):
        await ball.press("shake")
        await ball.press("clear")
        async with Central.opened(radio) as central:
            for mtu in (None, 517):
                visit = await central.visit(mtu=mtu)
                await visit.subscribe()
                for length in (13, 180, 480):
                    await visit.ask(eight_ball.question_of_length(length))
                    await visit.next_answer()
                await visit.refusal_of("A statement.")
                await ball.press("shake")
                await ball.press("clear")
                await visit.disconnect()
                await ball.says("Disconnected")
        words = struct.unpack(f"<{(top - bottom) // 4}I", await ball.memory(bottom, top - bottom))
    untouched = next(index for index, word in enumerate(words) if word != PAINT)
    stack = top - bottom - 4 * untouched
    variables = sum(sections(elf)[name] for name in (".data", ".bss"))
    report(elf, f"{variables:,} bytes of variables and {stack:,} of stack")
    assert untouched > 0, "The stack is too small."
    assert variables + stack <= RAM_LIMIT[elf.parent.name]


async def test_instructions_an_ask(elf, folder):
    async with ball_on_our_air(elf, folder, *COUNTING) as (ball, radio):
        async with Central.opened(radio) as central:
            visit = await central.visit(mtu=517)
            await visit.subscribe()
            await visit.ask("Will it count?")
            await visit.next_answer()
            count = 50
            before = await settled(ball)
            for _ in range(count):
                await visit.ask("Will it count?")
                await visit.next_answer()
            after = await settled(ball)
    spent = {name: (after[name] - before[name]) / count for name in after}
    instructions = spent["ticks awake"] / TICKS_AN_INSTRUCTION
    report(elf, f"{instructions:,.0f} instructions an ask, {spent['waits']:.1f} turns of the loop")
    assert instructions <= ASK_LIMIT[elf.parent.name]


@pytest.fixture(scope="module")
def parts() -> dict[str, dict[str, int]]:
    """The counts of scripts/benchmark firmware, by image and part."""
    output = subprocess.run(
        [REPOSITORY / "scripts/benchmark", "firmware", "--json"], check=True, capture_output=True
    ).stdout
    found: dict[str, dict[str, int]] = {}
    for row in map(json.loads, output.splitlines()):
        found.setdefault(row["processor"], {})[row["name"]] = row["instructions"]
    return found


@pytest.mark.timeout(600)
def test_instructions_of_the_parts(elf, parts):
    name = elf.parent.name
    for part, limit in PART_LIMIT[name].items():
        report(elf, f"{parts[name][part]:,} instructions an ask ({part})")
        assert parts[name][part] <= limit


async def settled(ball) -> dict[str, int]:
    """The statistics when the ball sleeps."""
    await asyncio.sleep(1)
    return await ball.sleep_statistics()
