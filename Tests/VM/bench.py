"""A board under test: its file, and its chip with buttons and lights."""

import ctypes
import os
import pathlib
import re

import yaml
from programs import Program
from simulator import Button, Chip, Light

_BOARDS = pathlib.Path("boards")

#: A ball's buttons and lights.
LINES = ("shake", "clear", "status", "answer")

#: The numbers of lines of Raspberry Pi chips; other chips have 64 here.
_LINE_COUNTS = {"pinctrl-bcm2835": 54, "pinctrl-bcm2711": 58, "pinctrl-rp1": 54}

#: Names of some lines in the first systems for the Raspberry Pi 5, by the header's pins.
OLDER_NAMES = {12: "PIN32", 16: "PIN36", 18: "PIN12", 25: "PIN22"}


class Board:
    """A board's file."""

    def __init__(self, name: str):
        self.name = name
        self.path = str(_BOARDS / f"{name}.yml")
        self.fields = yaml.safe_load(pathlib.Path(self.path).read_text())

    @property
    def label(self) -> str:
        """Its chip's label."""
        return self.fields["chip"]

    def offset(self, line: str) -> int:
        """The offset of shake, clear, status or answer."""
        return self.fields[line]["offset"]


def shipped_boards() -> list[Board]:
    """The boards with all buttons and lights, without the virtual one."""
    boards = [Board(path.stem) for path in sorted(_BOARDS.glob("*.yml"))]
    return [
        board
        for board in boards
        if board.label != "virtual" and board.fields.keys() >= {*LINES}
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
        is_active_low = self.board.fields[line]["active"] == "low"
        return kind(self.chip, self.board.offset(line), is_active_low)


def gpiod_version(program: Program) -> int:
    """The major version of libgpiod that the program has loaded or contains."""
    if os.environ.get("BALL"):
        return os.environ["GPIOD"]
    maps = pathlib.Path(f"/proc/{program.pid}/maps").read_text()
    library = ctypes.CDLL(re.search(r"/\S*/libgpiod\.so\S*", maps).group())
    return 2 if hasattr(library, "gpiod_chip_request_lines") else 1
