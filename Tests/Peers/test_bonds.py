"""Files of bonds: lists that change nothing, and balls that start at once."""

import asyncio
import os
import pathlib
import stat

import pytest

import worlds
from programs import Program, eightball, eightballd

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="requires a second user")

BUSY = "another program is using these bonds"


async def outcome(*arguments: str) -> tuple[int, list[str]]:
    """The exit status of `eightball` with these arguments, and its lines."""
    async with Program(eightball(), *arguments) as program:
        return await program.ended(), program.output + program.errors


async def test_a_list_of_a_file_that_is_not_one_of_bonds_leaves_it_alone(folder):
    file = folder / "passwd"
    file.write_text("root:x:0:0:root:/root:/bin/bash\n")
    file.chmod(0o644)
    for options in ([], ["--remove", "all"], ["--remove", "C0:00:00:00:00:01"]):
        status, lines = await outcome("bonds", "--file", str(file), *options)
        assert status == 1 and "it is not a file of bonds" in lines[0], lines
    assert [path.name for path in folder.iterdir()] == ["passwd"]
    assert file.read_text() == "root:x:0:0:root:/root:/bin/bash\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


async def test_a_list_of_a_missing_file_creates_nothing(folder):
    status, lines = await outcome("bonds", "--file", str(folder / "state" / "ball.bonds"))
    assert status == 0 and lines[0].startswith("There are no bonds in ")
    status, _ = await outcome("bonds", "--file", str(folder / "state" / "x"), "--remove", "all")
    assert status == 0
    assert list(folder.iterdir()) == []


@as_root
async def test_a_file_that_this_user_may_not_read_is_an_error_with_a_remedy(folder):
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == 0 and parent != pathlib.Path("/") and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    secret = folder / "ball.bonds"
    secret.write_bytes(b"secret")
    secret.chmod(0o600)
    for file in (secret, closed / "ball.bonds"):
        program = await asyncio.create_subprocess_exec(
            "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
            eightball(), "bonds", "--file", str(file),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await program.communicate()
        assert program.returncode == 1, said
        assert b"this user may not read it. Run as its owner, or with sudo" in said


async def warnings(command: list[str], folder: pathlib.Path) -> list[str]:
    """Starts two balls at once in an empty folder of state; returns what they say about bonds."""
    state = {"XDG_STATE_HOME": str(folder / "state"), "EIGHTBALL_CONTROL": ""}
    both = [
        [
            *command, "--radio", f"tcp-server:localhost:{worlds.free_port()}", "--board", "none",
            "--security", "encrypted", "--control", str(folder / f"control-{number}"),
        ]
        for number in range(2)
    ]
    async with Program(*both[0], environment=state) as one, Program(*both[1], environment=state) as other:
        for ball in (one, other):
            await ball.starts_line("Radio: ")
        for ball in (one, other):
            assert await ball.stop() == 0, ball.transcript
        return [line for ball in (one, other) for line in ball.errors if BUSY in line]


@pytest.mark.parametrize(
    "which", [pytest.param("eightballd", marks=pytest.mark.service), "eightball run"]
)
async def test_of_two_balls_that_start_at_once_one_keeps_bonds(which, folder):
    command = eightballd() if which == "eightballd" else [eightball(), "run"]
    for number in range(20):
        round = folder / str(number)
        round.mkdir()
        said = await warnings(command, round)
        assert len(said) == 1, said
        assert [path.name for path in (round / "state" / "eightball").iterdir()] == ["ball.bonds.lock"]
