"""Fixtures: the browser, started once, and a folder with a path that is short enough for a socket."""

import functools
import pathlib
import tempfile

import pytest

import asking as asking_module
import chromium
import programs
import website


def pytest_itemcollected(item):
    item.add_marker("browser")


@pytest.fixture
def folder():
    # Not pytest's tmp_path: a UNIX socket's path ends at 107 bytes.
    with tempfile.TemporaryDirectory(prefix="8ball-") as path:
        yield pathlib.Path(path)


@pytest.fixture(scope="session")
async def browser():
    """A Chromium with Web Bluetooth, which is off by default on Linux."""
    async for running in _browser("--enable-features=WebBluetooth"):
        yield running


@pytest.fixture(scope="session")
async def plain_browser():
    """A Chromium with Linux's default, without Web Bluetooth."""
    async for running in _browser():
        yield running


@pytest.fixture(scope="session")
def docs():
    """The port at which the folder docs is served."""
    with website.serving(programs.REPOSITORY / "docs") as port:
        yield port


@pytest.fixture
def asking(browser, docs, folder):
    """A function that opens docs/ask.html and a ball with these options; see asking.opened."""
    address = f"http://localhost:{docs}/ask.html"
    return functools.partial(asking_module.opened, browser, address, folder)


async def _browser(*options: str):
    try:
        chromium.program()
    except chromium.Missing as error:
        pytest.skip(str(error))
    async with chromium.Chromium.running(*options) as running:
        yield running
