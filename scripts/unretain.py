"""unretain.py FROM TO: copies a static library of Swift's so that the linker may drop its uncalled functions.

The library marks them and its constants with SHF_GNU_RETAIN, for programs whose parts are loaded later. The mark stays
on the records of types and of conformances, swift5_*: the runtime finds these without a reference.
"""

import struct
import sys

SHF_GNU_RETAIN = 0x200000
DROPPABLE = (b".text", b".rodata", b".data", b".bss")


def members(archive: bytearray):
    """The offset of each member of an archive of ar."""
    assert archive.startswith(b"!<arch>\n"), "not an archive"
    offset = 8
    while offset < len(archive):
        size = int(archive[offset + 48 : offset + 58])
        yield offset + 60
        offset += 60 + size + size % 2


def unretain(archive: bytearray, start: int) -> None:
    """Removes the mark in the ELF file of 64 bits that begins at `start`."""

    def read(format: str, offset: int) -> tuple:
        return struct.unpack_from(format, archive, start + offset)

    table = read("<Q", 40)[0]
    size, count, names = read("<HHH", 58)
    # Large files have these two numbers in the first section's header.
    count = count or read("<Q", table + 32)[0]
    if names == 0xFFFF:
        names = read("<I", table + 40)[0]
    texts = read("<Q", table + size * names + 24)[0]
    for header in range(table, table + size * count, size):
        name, _, flags = read("<IIQ", header)
        if flags & SHF_GNU_RETAIN and archive.startswith(DROPPABLE, start + texts + name):
            struct.pack_into("<Q", archive, start + header + 8, flags & ~SHF_GNU_RETAIN)


def main(source: str, target: str) -> None:
    with open(source, "rb") as file:
        archive = bytearray(file.read())
    for start in members(archive):
        # ELFCLASS64, ELFDATA2LSB
        if archive.startswith(b"\x7fELF\x02\x01", start):
            unretain(archive, start)
    with open(target, "wb") as file:
        file.write(archive)


main(*sys.argv[1:])
