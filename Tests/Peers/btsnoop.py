"""Reads btsnoop files."""

import struct
from dataclasses import dataclass

FROM_CONTROLLER = 1


@dataclass
class Record:
    flags: int
    #: The number of packets lost before this one.
    losses: int
    packet: bytes


def records(file: bytes) -> list[Record]:
    """The records of a file, which must all be whole."""
    assert file[:16] == b"btsnoop\0" + struct.pack(">II", 1, 1002)
    found, at = [], 16
    while at < len(file):
        original, kept, flags, losses = struct.unpack_from(">IIII", file, at)
        assert original == kept
        # 16 bytes as above, and 8 of the time.
        found.append(Record(flags, losses, file[at + 24 : at + 24 + kept]))
        at += 24 + kept
    assert at == len(file)
    return found
