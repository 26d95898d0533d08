"""The kernel's L2CAP sockets on LE: the fixed channel of ATT, and credit-based channels."""

import ctypes
import enum
import os
import socket
import struct

from programs import PATIENCE

_PUBLIC_LE_ADDRESS = 1
# From the kernel's net/bluetooth/bluetooth.h.
_SOL_BLUETOOTH, _BT_SECURITY, _BT_RECEIVE_MTU = 274, 4, 13

# Python's bind and connect have no parameter for an LE channel.
_libc = ctypes.CDLL(None, use_errno=True)


class Security(enum.IntEnum):
    """The security that the kernel requires of the link."""

    LOW = 1
    #: Encryption: the kernel pairs for it.
    MEDIUM = 2
    #: Encryption with a key that was protected against a man in the middle.
    HIGH = 3


def le_socket(
    *,
    channel: int = 0,
    number: int = 0,
    peer: str | None = None,
    security: Security = Security.LOW,
    mtu: int | None = None,
    adapter: str = "00:00:00:00:00:00",
) -> socket.socket:
    """A socket on a fixed channel, or on the credit-based channel with this number (SPSM).

    It is connected to `peer`, or listens without one. `adapter` is the address of its adapter, any by default.
    """
    made = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_SEQPACKET, socket.BTPROTO_L2CAP)
    limit = struct.pack("@ll", int(PATIENCE), 0)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
    if peer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
    _call(_libc.bind, made, adapter, channel, 0 if peer else number)
    if security != Security.LOW:
        made.setsockopt(_SOL_BLUETOOTH, _BT_SECURITY, struct.pack("BB", security, 0))
    if mtu:
        made.setsockopt(_SOL_BLUETOOTH, _BT_RECEIVE_MTU, struct.pack("<H", mtu))
    if peer:
        _call(_libc.connect, made, peer, channel, number)
    else:
        made.listen(1)
    return made


def is_encrypted(connection: socket.socket) -> bool:
    """Whether the kernel encrypts the socket's link."""
    option = connection.getsockopt(_SOL_BLUETOOTH, _BT_SECURITY, 2)
    # struct bt_security: the required level, and the length of the link's key.
    return option[1] > 0


def _call(function, made: socket.socket, address: str, channel: int, number: int) -> None:
    # struct sockaddr_l2: family, PSM, address, channel, kind of address.
    name = struct.pack(
        "<HH6sHBx",
        socket.AF_BLUETOOTH,
        number,
        bytes.fromhex(address.replace(":", ""))[::-1],
        channel,
        _PUBLIC_LE_ADDRESS,
    )
    if function(made.fileno(), name, len(name)) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{function.__name__} {address}: {os.strerror(code)}")
