"""The boards that QEMU emulates, and what differs between them."""

import pathlib
from dataclasses import dataclass

#: Peripherals begin here in the memory of the first boards, and of those since the Pi 2.
_FIRST, _SECOND = 0x2000_0000, 0x3F00_0000


@dataclass(frozen=True)
class Board:
    #: QEMU's program and machine.
    emulator: str
    machine: str
    #: The model in the device tree of Debian's kernel.
    model: str
    #: The name of the ball's board for this model.
    ball_board: str
    #: Where the peripherals begin.
    peripherals: int
    #: The size of a register of the processor in bytes.
    word: int
    #: Options of the kernel.
    kernel: str
    #: How much longer things take here than on the first board.
    slowness: float

    @property
    def gpio(self) -> int:
        """The registers of the pins: BCM2835 ARM Peripherals, 6.1."""
        return self.peripherals + 0x20_0000


#: The kernel's driver of power domains waits for hardware that QEMU does not have.
_COMMON = (
    "console=ttyS0,115200 8250.nr_uarts=1 quiet initcall_blacklist=bcm2835_power_driver_init "
    "nokaslr random.trust_cpu=on"
)

BOARDS = {
    "raspi0": Board(
        emulator="qemu-system-arm",
        machine="raspi0",
        model="Raspberry Pi Zero W",
        ball_board="pi-zero",
        peripherals=_FIRST,
        word=4,
        kernel=_COMMON,
        slowness=1,
    ),
    "raspi3b": Board(
        emulator="qemu-system-aarch64",
        machine="raspi3b",
        model="Raspberry Pi 3 Model B",
        ball_board="pi-3b",
        peripherals=_SECOND,
        word=8,
        # One of the four processors: emulated, they wait for each other.
        kernel=f"{_COMMON} maxcpus=1",
        slowness=2,
    ),
}


@dataclass(frozen=True)
class Image:
    """What a board boots: see build_card in Tests/Pi/image.sh."""

    folder: pathlib.Path

    @property
    def options(self) -> list[str]:
        names = {"-kernel": "kernel", "-dtb": "tree", "-initrd": "first"}
        return [part for option, name in names.items() for part in (option, str(self.folder / name))]
