"""The picture of docs/ with the screens of the display, from the pictures that the Swift tests compare."""

import os
import struct
import zlib

from display_screens import HEIGHT, WIDTH, screen
from programs import REPOSITORY

PICTURE = REPOSITORY / "docs/screens.png"
NAMES = [f"answer-{number:02}" for number in range(20)] + [
    *("starting", "advertising", "connected", "pairing", "refusal", "fault", "name-words", "name-chinese")
]
#: In pixels of a screen: the dark frame around it, the space between two; and how large a pixel is.
FRAME, SPACE, SCALE, COLUMNS = 5, 4, 2, 4
#: The colours: the page behind the screens, which is transparent, a dark pixel, and a lit one.
PAGE, DARK, LIT = 0, 1, 2
COLOURS = bytes.fromhex("ffffff 0a0d14 cfe6ff")


def sheet(names: list[str]) -> list[bytes]:
    """The rows of the whole picture, a colour's number a pixel."""
    across, down = WIDTH + 2 * FRAME + SPACE, HEIGHT + 2 * FRAME + SPACE
    count = -(-len(names) // COLUMNS)
    pixels = [bytearray(COLUMNS * across - SPACE) for _ in range(count * down - SPACE)]
    for number, name in enumerate(names):
        left, top = number % COLUMNS * across, number // COLUMNS * down
        for y in range(HEIGHT + 2 * FRAME):
            # The corners are round.
            inset = max(0, 2 - min(y, HEIGHT + 2 * FRAME - 1 - y))
            for x in range(left + inset, left + WIDTH + 2 * FRAME - inset):
                pixels[top + y][x] = DARK
        for y, row in enumerate(screen(name), start=top + FRAME):
            for x, is_lit in enumerate(row, start=left + FRAME):
                pixels[y][x] = LIT if is_lit else DARK
    return [bytes(colour for colour in row for _ in range(SCALE)) for row in pixels for _ in range(SCALE)]


def packed(rows: list[bytes]) -> bytes:
    """The image data of a PNG before it is compressed: two bits a pixel, no filter."""
    data = b""
    for row in rows:
        row += bytes(-len(row) % 4)
        quarters = zip(row[0::4], row[1::4], row[2::4], row[3::4])
        data += b"\0" + bytes(a << 6 | b << 4 | c << 2 | d for a, b, c, d in quarters)
    return data


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows: list[bytes]) -> bytes:
    """A PNG with these rows of COLOURS."""
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 2, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [
            chunk(b"IHDR", header), chunk(b"PLTE", COLOURS), chunk(b"tRNS", b"\0"),
            chunk(b"IDAT", zlib.compress(packed(rows), 9)), chunk(b"IEND", b""),
        ]
    )


def parts(picture: bytes) -> dict[bytes, bytes]:
    """The chunks of a PNG by their kinds; the image data not compressed, which each zlib does in its own way."""
    found, position = {}, 8
    while position < len(picture):
        length, kind = struct.unpack_from(">I4s", picture, position)
        data = picture[position + 8 : position + 8 + length]
        found[kind] = zlib.decompress(data) if kind == b"IDAT" else data
        position += length + 12
    return found


def test_the_picture_shows_the_screens():
    expected = png(sheet(NAMES))
    if os.environ.get("EIGHTBALL_KEEP_PICTURES"):
        PICTURE.write_bytes(expected)
    assert parts(PICTURE.read_bytes()) == parts(expected)
