"""A session of Bumble's central, recorded from a capture, and replayed to the same central."""

import asyncio
import contextlib

from bumble import hci

import worlds
from central import Central, Visit
from programs import PATIENCE, Program, eightball
from test_peripheral import ADDRESS, arrive, characteristic, error_of, serving, written

DEVICE = """
    name = Scale
    appearance = 0x0C80
    advertise = 181D
    scale = service 181D
    scale.weight = characteristic 2A9D indicate
    scale.weight.value = uint8 0, uint16 7000
    scale.weight.every = 200 ms: ramp 7000 to 7010 by 1
    scale.features = characteristic 2A9E read
    scale.features.value = uint32 0x00000030
    scale.control = characteristic 2A9F write
    scale.control.answer = delay 80 ms, error 0x81
    scale.note = characteristic 2A24 read write
    scale.note.value = text "a note that takes several parts: %s"
""" % ("x" * 200)


async def session(visit: Visit, control: bytes = b"\x01", weights: int = 3) -> list:
    """What the central does, and what it gets."""
    weight, features, point, note = (characteristic(visit, it) for it in (0x2A9D, 0x2A9E, 0x2A9F, 0x2A24))
    seen: asyncio.Queue[bytes] = asyncio.Queue()
    got: list = [await features.read_value(), await note.read_value()]
    await note.write_value(b"n" * 60, with_response=True)
    got.append(await note.read_value())
    got.append(await error_of(point.write_value(control, with_response=True)))
    await weight.subscribe(seen.put_nowait)
    async with asyncio.timeout(PATIENCE):
        got += [await seen.get() for _ in range(weights)]
    await visit.disconnect()
    return got


async def output_of(*arguments: str) -> str:
    async with Program(eightball(), *arguments) as program:
        assert await program.ended() == 0, program.errors
        assert program.errors == []
        return "\n".join(program.output) + "\n"


@contextlib.asynccontextmanager
async def replaying(radio: str, file, *options: str):
    """`eightball replay FILE`, and a visit of a central that has discovered everything."""
    options = ("--radio", radio, "--json", *options)
    async with Program(eightball(), "replay", str(file), *options) as program:
        await program.event("advertising", address=ADDRESS)
        async with Central.opened(radio) as central:
            yield program, central


async def test_a_replay_answers_as_the_device_did(radio, folder):
    capture = folder / "session.btsnoop"
    device = written(folder, DEVICE)
    async with serving(radio, device, "--capture", str(capture)) as program:
        async with Central.opened(radio) as central:
            first = await session(await arrive(central))
        await program.event("disconnected")
    recorded = folder / "session.conf"
    recorded.write_text(await output_of("record", str(capture)))
    # The database is the same, with the same handles, and so is its hash.
    summaries = [await output_of("peripheral", "--check", str(it)) for it in (device, recorded)]
    assert summaries[0].splitlines()[-1] == summaries[1].splitlines()[-1]

    async with replaying(radio, recorded, "--strict") as (program, central):
        start = asyncio.get_running_loop().time()
        assert await session(await arrive(central)) == first
        # The answer of the control point took 80 ms, and the third weight came after 400 ms more.
        assert asyncio.get_running_loop().time() - start >= 0.48
        await program.event("disconnected")
        assert await program.stop() == 0
        assert await program.event("replayed", different=0, missing=0)

    async with replaying(radio, recorded, "--strict") as (program, central):
        got = await session(await arrive(central), control=b"\x02")
        assert got == first
        differed = await program.event("differed", kind="value")
        assert differed["did"] == "write weight-scale.value-2a9f hex 02"
        assert differed["expected"] == "write weight-scale.value-2a9f hex 01"
        await program.event("disconnected")
        # The session begins again with the next connection.
        visit = await arrive(central)
        assert await characteristic(visit, 0x2A24).read_value() == first[1]
        order = await program.event("differed", kind="order")
        assert order["expected"].startswith("read weight-scale.")
        await visit.disconnect()
        missing = await program.event("differed", kind="missing")
        assert missing["missing"] == 5
        assert await program.stop() == 1
        assert await program.event("replayed", same=5, different=2, missing=5)


async def test_a_capture_at_the_central_gives_the_same_session(folder):
    captures = [folder / "peripheral.btsnoop", folder / "central.btsnoop"]
    device = written(folder, DEVICE)
    commands = "discover , read 2A9E , read 2A24 , write 2A24 hex 0A , subscribe 2A9D 2".split()
    # By the clock of the air the subscription ends long before the next value is due: on a busy machine the two might
    # cross, and then each side has its own first.
    async with worlds.our_air(folder, options=("--time", "simulated", "--radios", "2")) as (radio, _):
        async with serving(radio, device, "--capture", str(captures[0])) as program:
            await output_quietly("gatt", ADDRESS, "--radio", radio, "--capture", str(captures[1]), *commands)
            await program.event("disconnected")
    files = [await output_of("record", str(it)) for it in captures]
    # The times differ by what the air takes.
    steps = [[line.partition(": ")[2].partition(", after")[0] for line in it.splitlines()] for it in files]
    assert steps[0] == steps[1]
    assert any(line.startswith("indicate weight-scale.") for line in steps[0])
    # A clone of a capture is a recorded session without its steps, after its comments.
    clone = await output_of("clone", "--from", str(captures[1]))
    assert clone[clone.index("name = ") :] == files[1][: files[1].index("\nstep = ")]
    # Both say that a capture is cut short.
    cut = folder / "cut.btsnoop"
    cut.write_bytes(captures[1].read_bytes()[:-1])
    for arguments, lost in [(("record", str(cut)), "steps"), (("clone", "--from", str(cut)), "attributes and values")]:
        async with Program(eightball(), *arguments) as program:
            assert await program.ended() == 0
            assert f"Warning: The capture lacks 1 packet: {lost} may be missing." in program.errors


async def output_quietly(*arguments: str) -> None:
    async with Program(eightball(), *arguments) as program:
        assert await program.ended() == 0, program.errors


async def test_what_is_no_session_is_an_error(radio, folder):
    empty = folder / "empty.btsnoop"
    empty.write_bytes(b"btsnoop\0\0\0\0\1\0\0\3\xea")
    other = written(folder, DEVICE)
    for arguments, status, error in [
        (("record", str(empty)), 66, "Error: The capture has no packets of the Attribute Protocol."),
        (
            ("record", str(other)),
            64,
            f"Error: Cannot read {other}: it is not a btsnoop file of version 1, as btmon -w and Android"
            " write it.",
        ),
        (
            ("replay", str(other)),
            78,
            f"Error: {other}: the file has no steps. eightball record prints one with steps; eightball"
            " peripheral serves one without.",
        ),
    ]:
        async with Program(eightball(), *arguments) as program:
            assert await program.ended() == status
            assert program.errors[0] == error
