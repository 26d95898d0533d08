"""An air whose clock jumps to the next event when all programs on it are idle."""

import asyncio
import json
import os

import pytest

import worlds
from btsnoop import records
from programs import Program, eightball, example_on
from swarm import swarm_running

SIMULATED = ("--time", "simulated", "--radios", "2", "--verbose")

#: A sensor that notifies each 7 s, and falls silent after an hour.
SENSOR = """
name = Heart Rate
advertise = 180D
fault = vanish after 3600 s
heart = service 180D
heart.rate = characteristic 2A37 notify
heart.rate.value = uint8 0, uint8 60
heart.rate.every = 7 s: walk 60 to 100 by 1
"""


async def test_an_hour_of_a_scan_passes_at_once(folder):
    async with worlds.our_air(folder, options=SIMULATED) as (radio, _):
        async with worlds.ball_running("--radio", radio):
            arguments = ["scan", "--radio", radio, "--timeout", "3600s", "--json"]
            async with Program(eightball(), *arguments) as scan:
                assert await scan.ended() == 0
                assert [json.loads(line)["event"] for line in scan.output] == ["found"]


async def test_a_run_is_the_same_as_the_one_before_packet_by_packet(folder):
    async def run(number: int) -> list[bytes]:
        capture = folder / f"ask{number}.btsnoop"
        listen = f"unix:{folder / f'air{number}'}"
        async with worlds.our_air(folder, listen, (*SIMULATED, "--loss", "10")) as (radio, _):
            async with worlds.ball_running("--radio", radio, "--seed", "8"):
                arguments = ["ask", "--radio", radio, "--capture", str(capture), "Will it rain?"]
                async with Program(eightball(), *arguments) as ask:
                    assert await ask.ended() == 0
        return [record.packet for record in records(capture.read_bytes())]

    first = await run(1)
    # The air's times are among them.
    assert any(packet[:2] == b"\x04\xff" for packet in first)
    assert await run(2) == first


async def captures_of_a_pairing(place, air_seed: str, *options: str) -> dict[str, bytes]:
    """The capture files of a ball and of a central that pairs with it, after a run in the folder `place`."""
    place.mkdir()
    state = {"XDG_STATE_HOME": str(place)}
    files = {name: place / f"{name}.btsnoop" for name in ("ball", "ask")}
    air = (*SIMULATED, "--seed", air_seed)
    async with worlds.our_air(place, options=air) as (radio, _):
        command = ["--radio", radio, "--board", "none", "--security", "encrypted", *options]
        async with worlds.ball_running(
            *command, "--capture", str(files["ball"]), environment=state
        ):
            command = [eightball(), "ask", "--radio", radio, "--pair", "Will it rain?"]
            async with Program(
                *command, "--capture", str(files["ask"]), environment=state
            ) as ask:
                assert await ask.ended() == 0, ask.transcript
    return {name: file.read_bytes() for name, file in files.items()}


@pytest.mark.parametrize("options", [(), ("--private",), ("--address", "random")])
async def test_a_pairing_is_the_same_for_the_same_seeds_byte_by_byte(folder, options):
    ball = ("--seed", "8", *options)
    first = await captures_of_a_pairing(folder / "1", "8", *ball)
    # Pairing Public Key: L2CAP's length and channel, and the code.
    assert all(b"\x41\x00\x06\x00\x0c" in file for file in first.values())
    assert await captures_of_a_pairing(folder / "2", "8", *ball) == first
    other = await captures_of_a_pairing(folder / "3", "9", *ball)
    assert all(other[name] != first[name] for name in first)


async def test_a_ball_says_at_its_control_socket_that_its_time_is_simulated(folder):
    async with worlds.our_air(folder, options=("--time", "simulated")) as (radio, air):
        control = str(folder / "control")
        async with worlds.ball_running("--radio", radio, "--control", control, "--board", "none") as ball:
            async with Program(eightball(), "events", "--control", control) as events:
                await events.event("current")
                await events.event("time", clock="simulated")
                await air.stop()
                await events.event("time", clock="real")
                # A listener of a ball by real time hears nothing of it.
                async with Program(eightball(), "events", "--control", control) as late:
                    await late.event("current")
                    await ball.stop()
                    await late.ended()
                    assert late.events("time") == []


async def test_a_ball_whose_lights_blink_waits_for_its_listeners(folder):
    control = str(folder / "control")
    async with worlds.our_air(folder, options=("--time", "simulated")) as (radio, _):
        command = ("--radio", radio, "--control", control, "--board", "virtual")
        async with worlds.ball_running(*command, environment={"XDG_STATE_HOME": str(folder)}):
            # In a tenth of a second, in which `press` does not read, hours pass.
            for _ in range(3):
                async with Program(eightball(), "press", "shake", "--control", control) as press:
                    assert await press.ended() == 0, press.transcript


async def test_a_program_that_does_not_know_simulated_time_is_disconnected_and_named(folder):
    async with worlds.our_air(folder, options=SIMULATED) as (radio, air):
        reader, writer = await asyncio.open_unix_connection(radio.removeprefix("unix:"))
        writer.write(bytes([0x01, 0x03, 0x0C, 0x00]))
        # The time, and no answer: it cannot act before it has stated when it is idle.
        assert (await reader.read())[:2] == b"\x04\xff"
        writer.close()
        await air.stop()
        dropped = f"(process {os.getpid()}) does not know simulated time"
        assert any(dropped in line for line in air.errors)


async def test_a_swarm_is_the_same_as_the_one_before_and_its_storms_come_by_the_clock(folder):
    async def run(number: int) -> list[bytes]:
        capture = folder / f"gatt{number}.btsnoop"
        listen = f"unix:{folder / f'air{number}'}"
        options = ("--time", "simulated", "--radios", "11")
        async with worlds.our_air(folder, listen, options) as (radio, _):
            async with swarm_running(
                "--radio", radio, "--count", "10", "--seed", "8", "--drop-every", "600s"
            ) as swarm:
                command = [eightball(), "gatt", "--radio", radio, "--capture", str(capture)]
                async with Program(*command, "Ball 7", "subscribe", "answer") as gatt:
                    # Ten minutes of the air's clock.
                    assert (await swarm.event("storm"))["dropped"] == 1
                    assert await gatt.ended() == 1
        return [record.packet for record in records(capture.read_bytes())]

    first = await run(1)
    assert any(packet[:2] == b"\x04\x05" for packet in first), "no Disconnection Complete"
    assert await run(2) == first


async def test_a_program_ends_although_the_clock_stands_still(folder):
    # One radio is missing.
    async with worlds.our_air(folder, options=SIMULATED) as (radio, _):
        command = [eightball(), "gatt", "--radio", radio, "--timeout", "3600s", "Ball", "mtu"]
        async with Program(*command, "--json", "--packets") as gatt:
            # It scans: LE Set Scan Enable is complete.
            await gatt.event("packet", bytes="040e0401422000")
            assert await gatt.stop() == 130


@pytest.mark.examples
async def test_an_app_on_CoreBluetooth_hears_an_hour_at_once_and_the_same_again(folder):
    file = folder / "sensor.conf"
    file.write_text(SENSOR)

    async def run(number: int) -> tuple[list[str], list[str], list[bytes]]:
        capture = folder / f"sensor{number}.btsnoop"
        listen = f"unix:{folder / f'air{number}'}"
        async with worlds.our_air(folder, listen, (*SIMULATED, "--loss", "10")) as (radio, _):
            command = [eightball(), "peripheral", str(file), "--seed", "8", "--json"]
            async with Program(*command, "--radio", radio, "--capture", str(capture)) as sensor:
                await sensor.event("advertising")
                async with example_on(radio, "monitor-heart-rate", "1000") as app:
                    # Its link has ended by supervision timeout.
                    assert await app.ended() == 0, app.transcript
        return app.output, sensor.output, [record.packet for record in records(capture.read_bytes())]

    app, sensor, packets = await run(1)
    # 3,600 s of 7 s each.
    assert len(app) == 514
    assert json.loads(sensor[-1])["event"] == "vanished"
    assert await run(2) == (app, sensor, packets)


@pytest.mark.examples
async def test_a_ball_on_CoreBluetooth_gives_the_same_packets_as_before(folder):
    async def run(number: int) -> list[bytes]:
        capture = folder / f"ask{number}.btsnoop"
        listen = f"unix:{folder / f'air{number}'}"
        async with worlds.our_air(folder, listen, (*SIMULATED, "--loss", "10")) as (radio, _):
            async with example_on(radio, "hundred-line-ball", "8-Ball", "Yes.") as ball:
                await ball.starts_line("Advertising")
                arguments = ["ask", "--radio", radio, "--capture", str(capture), "Will it rain?"]
                async with Program(eightball(), *arguments) as ask:
                    assert await ask.ended() == 0, ask.transcript
                    assert ask.output == ["Yes."]
        return [record.packet for record in records(capture.read_bytes())]

    assert await run(1) == await run(2)


@pytest.mark.examples
async def test_two_apps_on_CoreBluetooth_do_the_same_as_before(folder):
    async def run(number: int) -> list[str]:
        listen = f"unix:{folder / f'air{number}'}"
        async with worlds.our_air(folder, listen, SIMULATED) as (radio, _):
            async with example_on(radio, "practice-peripheral") as peripheral:
                await peripheral.starts_line("started advertising")
                async with example_on(radio, "practice-central") as central:
                    # It ends in a call of its delegate, for which the clock waits.
                    assert await central.ended() == 0, central.transcript
        return peripheral.output + central.output

    first = await run(1)
    assert "sent Hello: Darkness" in first and "disconnected Peripheral - iOS" in first
    assert await run(2) == first
