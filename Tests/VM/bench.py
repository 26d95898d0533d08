"""A board under test: its description, and its chip with buttons and lights."""

import ctypes
import os
import pathlib
import re

from programs import Program
from simulator import Button, Chip, Light

_BOARDS = pathlib.Path("boards/shipped.conf")

#: A ball's buttons and lights.
LINES = ("shake", "clear", "status", "answer")

#: The numbers of lines of Raspberry Pi chips; other chips have 64 here.
_LINE_COUNTS = {"pinctrl-bcm2835": 54, "pinctrl-bcm2711": 58, "pinctrl-rp1": 54}

#: Names of some lines in the first systems for the Raspberry Pi 5, by the header's pins.
OLDER_NAMES = {12: "PIN32", 16: "PIN36", 18: "PIN12", 25: "PIN22"}


class Board:
    """A board of the programs, with the text of its fields."""

    def __init__(self, name: str, fields: dict[str, str]):
        self.name = name
        self.fields = fields

    @property
    def label(self) -> str:
        """Its chip's label."""
        return self.fields["chip"]

    def offset(self, line: str) -> int:
        """The offset of shake, clear, status or answer."""
        return int(self.fields[f"{line}.line"].removeprefix("GPIO"))


    @property
    def debounce(self) -> int:
        """How many milliseconds the contacts of shake may bounce."""
        return int(self.fields.get("shake.debounce", 20))

    def is_active_low(self, line: str) -> bool:
        """Whether shake, clear, status or answer is pressed or lit while its line is low."""
        usual = "low" if line in ("shake", "clear") else "high"
        return self.fields.get(f"{line}.active", usual) == "low"


def shipped_board(name: str) -> Board:
    """One of them."""
    return next(board for board in shipped_boards() if board.name == name)


def shipped_boards() -> list[Board]:
    """The boards with all buttons and lights, without the virtual one."""
    common: dict[str, str] = {}
    boards: list[Board] = []
    for line in _BOARDS.read_text().splitlines():
        if line.startswith("["):
            boards.append(Board(line.strip("[]"), dict(common)))
        elif "=" in line:
            field, value = line.split("=", 1)
            (boards[-1].fields if boards else common)[field] = value
    return [
        board
        for board in boards
        if board.label != "virtual" and board.fields.keys() >= {f"{line}.line" for line in LINES}
    ]


class Bench:
    """A board with its chip plugged in. Its lines have these names, or GPIO0, GPIO1 and so on."""

    def __init__(self, board: Board, names: dict[int, str] | None = None):
        count = _LINE_COUNTS.get(board.label, 64)
        if names is None:
            names = {offset: f"GPIO{offset}" for offset in range(count)}
        self.board = board
        self.chip = Chip(board.label, count, names)
        self.shake = self._wire(Button, "shake")
        self.clear = self._wire(Button, "clear")
        self.status = self._wire(Light, "status")
        self.answer = self._wire(Light, "answer")

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.chip.__exit__(*details)

    def _wire(self, kind, line: str):
        is_active_low = self.board.is_active_low(line)
        return kind(self.chip, self.board.offset(line), is_active_low)


def gpiod_version(program: Program) -> int:
    """The major version of libgpiod that the program has loaded or contains."""
    if os.environ.get("BALL"):
        return os.environ["GPIOD"]
    maps = pathlib.Path(f"/proc/{program.pid}/maps").read_text()
    library = ctypes.CDLL(re.search(r"/\S*/libgpiod\.so\S*", maps).group())
    return 2 if hasattr(library, "gpiod_chip_request_lines") else 1
