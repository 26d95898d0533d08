"""Fixtures: a folder with a path that is short enough for a socket, and the worlds."""

import contextlib
import os
import pathlib
import tempfile

import pytest

import programs
import worlds


def pytest_sessionstart(session):
    try:
        programs.eightball()
    except FileNotFoundError as error:
        pytest.exit(str(error), returncode=1)


@pytest.fixture(scope="session", autouse=True)
def own_runtime_folder():
    """Programs without paths use this folder, apart from other programs and from parallel tests."""
    with tempfile.TemporaryDirectory(prefix="8ball-") as path:
        os.environ["XDG_RUNTIME_DIR"] = path
        yield


@pytest.fixture
def folder():
    # Not pytest's tmp_path: a UNIX socket's path ends at 107 bytes.
    with tempfile.TemporaryDirectory(prefix="8ball-") as path:
        yield pathlib.Path(path)


@pytest.fixture
async def radio(folder):
    """The name of our virtual air."""
    async with worlds.our_air(folder) as (radio, _):
        yield radio


@pytest.fixture(
    params=[
        worlds.AllBumble,
        worlds.BumbleOnOurAir,
        worlds.OurWorld,
        worlds.ServiceBall,
        worlds.PiZeroBall,
        worlds.CortexM3Ball,
        worlds.BumbleControllers,
        worlds.HundredLines,
        worlds.SDKBall,
    ],
    ids=[
        *("all-bumble", "bumble-on-our-air", "our-air", "service", "pi-zero", "cortex-m3"),
        *("bumble-controllers", "hundred-lines", "sdk"),
    ],
)
async def world(request, folder):
    """Each world in turn."""
    async with contextlib.AsyncExitStack() as stack:
        yield await request.param(stack).open(folder)


@pytest.fixture
async def ours(folder):
    """Our ball on our air."""
    async with contextlib.AsyncExitStack() as stack:
        yield await worlds.OurWorld(stack).open(folder)


@pytest.fixture(
    params=[
        worlds.OurWorld,
        worlds.ServiceBall,
        worlds.PiZeroBall,
        worlds.CortexM3Ball,
        worlds.HundredLines,
    ],
    ids=["our-ball", "service", "pi-zero", "cortex-m3", "hundred-lines"],
)
async def served(request, folder):
    """A ball with our ATT server: with the firmware's table, and on CBPeripheralManager."""
    async with contextlib.AsyncExitStack() as stack:
        yield await request.param(stack).open(folder)
