"""What the tests of the ball on microcontrollers share with those of the independent peers."""

import pathlib
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Peers"))


@pytest.fixture
def folder():
    """A folder whose name is short enough for a socket's path."""
    with tempfile.TemporaryDirectory(prefix="8ball-") as path:
        yield pathlib.Path(path)


@pytest.fixture(params=["lm3s6965evb", "cortex-m0"])
def elf(request) -> pathlib.Path:
    """Each image that every central may ask, in turn."""
    import machine

    return machine.image(request.param)


@pytest.fixture
def secure_elf() -> pathlib.Path:
    """The image that protects its links."""
    import machine

    return machine.image("lm3s6965evb-secure")
