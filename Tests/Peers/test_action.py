"""What action.yml starts for a job: here for an app on CoreBluetooth."""

import contextlib
import os
import pathlib
import signal

import pytest

from programs import REPOSITORY, Program, eightball, example

SENSOR = "peripheral Examples/peripherals/heart-rate.conf"


@contextlib.asynccontextmanager
async def job(folder: pathlib.Path, *commands: str):
    """A job that has used the action with each of these commands; yields the variables of its next step."""
    files = {name: folder / name for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT")}
    variables = {"RUNNER_TEMP": str(folder), "PROGRAM": eightball()}
    variables |= {name: str(path) for name, path in files.items()}
    try:
        for command in commands:
            environment = {**variables, "COMMAND": command}
            async with Program(str(REPOSITORY / ".ci" / "start"), environment=environment) as start:
                assert await start.ended() == 0, start.transcript
            pairs = files["GITHUB_ENV"].read_text().splitlines()
            variables |= dict(pair.split("=", 1) for pair in pairs)
        yield variables
    finally:
        for process in started(folder):
            os.kill(process, signal.SIGTERM)


def started(folder: pathlib.Path) -> list[int]:
    """The programs whose output is in this folder."""
    found = []
    for link in pathlib.Path("/proc").glob("[0-9]*/fd/1"):
        with contextlib.suppress(OSError):
            if link.readlink().is_relative_to(folder):
                found.append(int(link.parts[2]))
    return found


@pytest.mark.examples
async def test_an_app_hears_the_peripheral_of_a_file(folder):
    async with job(folder, SENSOR) as variables:
        async with Program(example("monitor-heart-rate"), environment=variables) as app:
            assert await app.ended() == 0, app.transcript
        rates = [int(line) for line in app.output]
        assert rates == [rates[0] + step for step in range(3)]


async def test_two_uses_share_one_air(folder):
    async with job(folder, SENSOR, 'swarm --count 2 --name "Ball %d" --seed 8') as variables:
        scan = [eightball(), "scan", "--timeout", "600s", "--radio", variables["EIGHTBALL_RADIO"]]
        async with Program(*scan, environment=variables) as program:
            for name in ("Heart Rate", "Ball 1", "Ball 2"):
                await program.prints(f"“{name}”")


async def test_a_wrong_line_of_the_file_fails_the_job(folder):
    (folder / "wrong.conf").write_text("name = Wrong\nfoo = 3\n")
    with pytest.raises(AssertionError, match="line 2: foo: expected a field"):
        async with job(folder, f"peripheral {folder / 'wrong.conf'}"):
            pass
