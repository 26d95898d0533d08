"""Fixtures of the tests of the ball on microcontrollers, which use the helpers of Tests/Peers."""

import pathlib
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Peers"))


def pytest_itemcollected(item):
    item.add_marker("firmware")


@pytest.fixture
def folder():
    """A folder with a name short enough for a socket's path."""
    with tempfile.TemporaryDirectory(prefix="8ball-") as path:
        yield pathlib.Path(path)


@pytest.fixture(params=["lm3s6965evb", "cortex-m0"])
def elf(request) -> pathlib.Path:
    """Each image without security, in turn."""
    import machine

    return machine.image(request.param)


@pytest.fixture
def secure_elf() -> pathlib.Path:
    """The image with security."""
    import machine

    return machine.image("lm3s6965evb-secure")
