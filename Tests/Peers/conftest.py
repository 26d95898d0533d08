"""Fixtures: a folder with a path that is short enough for a socket, and the worlds."""

import contextlib
import os
import pathlib
import tempfile

import pytest

import programs
import worlds


def pytest_itemcollected(item):
    item.add_marker("peers")


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


#: Balls with our ATT server, also with the firmware's table and on CBPeripheralManager. A marker names what must be
#: built for a ball.
SERVED = [
    pytest.param(worlds.OurWorld, id="our-ball"),
    pytest.param(worlds.ServiceBall, id="service", marks=pytest.mark.service),
    pytest.param(worlds.PiZeroBall, id="pi-zero", marks=pytest.mark.service),
    pytest.param(worlds.CortexM3Ball, id="cortex-m3", marks=pytest.mark.firmware),
    pytest.param(worlds.HundredLines, id="hundred-lines", marks=pytest.mark.examples),
]
OTHERS = [
    pytest.param(worlds.BumbleOnOurAir, id="bumble-on-our-air"),
    pytest.param(worlds.BumbleControllers, id="bumble-controllers"),
    pytest.param(worlds.SDKBall, id="sdk", marks=pytest.mark.examples),
]


@pytest.fixture(params=SERVED + OTHERS)
async def world(request, folder):
    """Each world in turn."""
    async with contextlib.AsyncExitStack() as stack:
        yield await request.param(stack).open(folder)


@pytest.fixture
async def ours(folder):
    """Our ball on our air."""
    async with contextlib.AsyncExitStack() as stack:
        yield await worlds.OurWorld(stack).open(folder)


@pytest.fixture(params=SERVED)
async def served(request, folder):
    """Each of SERVED in turn."""
    async with contextlib.AsyncExitStack() as stack:
        yield await request.param(stack).open(folder)
