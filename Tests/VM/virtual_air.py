"""Our virtual air with this machine's kernel on it, and programs of ours beside it."""

import os

from adapters import set_up
from programs import Program, eightball

_SOCKET = "/run/air.sock"


class VirtualAir(Program):
    """`eightball radio` with one adapter of the kernel, which is down after the initialiser; programs join it with
    `--radio virtual`."""

    def __init__(self):
        os.environ["EIGHTBALL_AIR"] = _SOCKET
        super().__init__(eightball(), "radio", "--vhci", "1")
        self.line(lambda line: line.startswith("Hosting"), "that it hosts the air")
        #: The adapter's name, such as hci0, and its address on the air.
        self.adapter, self.address = self.line(_adapter, "adapter")
        # Waits until the kernel has set it up.
        set_up(self.adapter, True)
        set_up(self.adapter, False)


def _adapter(line: str) -> tuple[str, str] | None:
    name, joined, address = line.rstrip(".\n").partition(" joined as ")
    return (name, address) if joined else None


class Sensor(Program):
    """The heart-rate sensor of a file, on the air."""

    def __init__(self):
        file = "Examples/peripherals/heart-rate.conf"
        super().__init__(eightball(), "peripheral", file, "--radio", "virtual", "--json")
        #: Its address on the air.
        self.address = self.event("advertising")["address"]
