"""The screens of a display of 128×64 pixels, as the Swift tests compare them, and their text in Braille."""

from programs import REPOSITORY

SCREENS = REPOSITORY / "Tests/EightBallTests/Parts/Screens"
WIDTH, HEIGHT = 128, 64
#: The bits of a Braille pattern, by their rows.
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def screen(name: str) -> list[list[bool]]:
    """The rows of a screen: whether each pixel is lit."""
    lines = (SCREENS / f"{name}.txt").read_text().splitlines()
    assert [len(line) for line in lines] == [WIDTH // 2] * (HEIGHT // 4), name
    return [
        [bool(ord(lines[y // 4][x // 2]) & DOTS[y % 4][x % 2]) for x in range(WIDTH)] for y in range(HEIGHT)
    ]


def braille(pixels: bytes) -> list[str]:
    """What a terminal shows of these pixels: a byte is a column of eight, whose top one is bit 0."""

    def character(left: int, top: int) -> str:
        bits = (
            DOTS[y][x] for y in range(4) for x in range(2)
            if pixels[(top + y) // 8 * WIDTH + left + x] >> (top + y) % 8 & 1
        )  # fmt: skip
        dots = sum(bits)
        return chr(0x2800 + dots) if dots else " "

    return ["".join(character(x, y) for x in range(0, WIDTH, 2)) for y in range(0, HEIGHT, 4)]
