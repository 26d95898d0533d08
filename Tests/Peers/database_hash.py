"""The Database Hash of the attributes that a client sees (Core Specification, Vol 3, Part G, 7.3.1),
computed independently of the program under test."""

import struct

from bumble import att
from bumble.core import UUID
from bumble.gatt_client import Client
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

#: Hashed with their values: the declarations, and Characteristic Extended Properties.
WHOLE = {0x2800, 0x2801, 0x2802, 0x2803, 0x2900}
#: Hashed by handle and type: the other descriptors that the specification names.
HANDLE_AND_TYPE = {0x2901, 0x2902, 0x2903, 0x2904, 0x2905}

Attribute = tuple[int, int, bytes]


def database_hash(attributes: list[Attribute]) -> bytes:
    """The hash of (handle, 16-bit type, value), most significant octet first."""
    code = CMAC(AES(bytes(16)))
    for handle, kind, value in sorted(attributes):
        if kind in WHOLE:
            code.update(struct.pack("<HH", handle, kind) + value)
        elif kind in HANDLE_AND_TYPE:
            code.update(struct.pack("<HH", handle, kind))
    return code.finalize()


async def attributes_seen_by(client: Client) -> list[Attribute]:
    """All attributes with a 16-bit type, by Find Information; declarations with their values."""
    seen, start = [], 0x0001
    while start <= 0xFFFF:
        response = await client.send_request(
            att.ATT_Find_Information_Request(starting_handle=start, ending_handle=0xFFFF)
        )
        if response.op_code == att.Opcode.ATT_ERROR_RESPONSE:
            assert response.error_code == att.ATT_ATTRIBUTE_NOT_FOUND_ERROR
            break
        for handle, kind in response.information:
            kind = UUID.from_bytes(kind)
            short = kind.to_bytes()
            if len(short) == 2:
                number = int.from_bytes(short, "little")
                value = await client.read_value(handle) if number in WHOLE else b""
                seen.append((handle, number, value))
        start = response.information[-1][0] + 1
    return seen
