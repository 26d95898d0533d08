"""Pairing, PHYs and advertising sets by the kernel's Bluetooth Management, as bluetoothd does. The numbers are those of BlueZ's
doc/mgmt-api.txt."""

import contextlib
import ctypes
import os
import queue
import socket
import struct
import threading

from programs import PATIENCE

LE_PUBLIC = 1
NO_INPUT_NO_OUTPUT, DISPLAY_YES_NO = 3, 1

_CONTROL_CHANNEL, _NO_ADAPTER = 3, 0xFFFF
_READ_INFORMATION, _SET_POWERED, _SET_BONDABLE, _SET_LE = 0x0004, 0x0005, 0x0009, 0x000D
_PAIR, _UNPAIR, _CONFIRM, _SET_SECURE_CONNECTIONS = 0x0019, 0x001B, 0x001C, 0x002D
_REMOVE_ADVERTISING, _SET_PHY_CONFIGURATION = 0x003F, 0x0045
_ADD_ADVERTISING_PARAMETERS, _ADD_ADVERTISING_DATA = 0x0054, 0x0055
# Bits of the PHYs, each for transmission and reception, and of an advertising set's flags.
_PHYS = {"1m": 0x0600, "2m": 0x1800, "coded": 0x6000}
_CONNECTABLE = 0x0001
_SECONDARY = {"1m": 0x0080, "2m": 0x0100, "coded": 0x0200}
_COMMAND_COMPLETE, _COMMAND_STATUS, _CONFIRMATION_REQUEST = 0x0001, 0x0002, 0x000F

_libc = ctypes.CDLL(None, use_errno=True)


class Management:
    """An adapter that the kernel powers, and that may pair."""

    def __init__(self, adapter: str, *, confirms: bool = True):
        """Confirms each comparison if `confirms`; otherwise bluetoothd does, which is not to be disturbed."""
        self._index = int(adapter.removeprefix("hci"))
        self._confirms = confirms
        self._results: queue.SimpleQueue[tuple[int, int, bytes]] = queue.SimpleQueue()
        #: The compared numbers; 0 if there was none to show.
        self.numbers: list[int] = []
        self._socket = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
        # struct sockaddr_hci: family, adapter, channel. Python's bind has no channel.
        name = struct.pack("<HHH", socket.AF_BLUETOOTH, _NO_ADAPTER, _CONTROL_CHANNEL)
        if _libc.bind(self._socket.fileno(), name, len(name)) < 0:
            code = ctypes.get_errno()
            raise OSError(code, f"bind to the control channel: {os.strerror(code)}")
        threading.Thread(target=self._listen, daemon=True).start()
        self.demand(_READ_INFORMATION)
        self.demand(_SET_POWERED, b"\x00")
        self.demand(_SET_LE, b"\x01")
        self.demand(_SET_BONDABLE, b"\x01")
        self.use_secure_connections(True)
        self.demand(_SET_POWERED, b"\x01")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(AssertionError):
            self.demand(_SET_POWERED, b"\x00")
        self._socket.close()

    def use_secure_connections(self, are_used: bool) -> None:
        """`False` selects legacy pairing."""
        self.demand(_SET_SECURE_CONNECTIONS, bytes([are_used]))

    def pair(self, address: str, ability: int = NO_INPUT_NO_OUTPUT) -> int:
        """Connects to a peripheral and pairs with it. Returns Management's status, 0 for success."""
        return self._command(_PAIR, _device(address) + bytes([ability]))[0]

    def unpair(self, address: str) -> None:
        """Forgets the bond, and disconnects."""
        self._command(_UNPAIR, _device(address) + b"\x01")

    def use_phys(self, *phys: str) -> None:
        """Scans, initiates and transmits on these PHYs."""
        bits = sum(_PHYS[phy] for phy in phys)
        self.demand(_SET_PHY_CONFIGURATION, struct.pack("<I", bits))

    def advertise(self, phy: str, data: bytes, *, is_connectable: bool = True) -> None:
        """Advertises with a set, whose data are on this PHY."""
        flags = (_CONNECTABLE if is_connectable else 0) | _SECONDARY[phy]
        self.demand(_ADD_ADVERTISING_PARAMETERS, struct.pack("<BIHHIIb", 1, flags, 0, 0, 0, 0, 0))
        self.demand(_ADD_ADVERTISING_DATA, bytes([1, len(data), 0]) + data)

    def stop_advertising(self) -> None:
        """Removes the set."""
        self.demand(_REMOVE_ADVERTISING, b"\x01")

    def demand(self, opcode: int, parameters: bytes = b"") -> None:
        status, _ = self._command(opcode, parameters)
        assert status == 0, f"command 0x{opcode:04X} of Management has status 0x{status:02X}"

    def _command(self, opcode: int, parameters: bytes) -> tuple[int, bytes]:
        self._send(opcode, parameters)
        while True:
            try:
                answered, status, results = self._results.get(timeout=PATIENCE)
            except queue.Empty:
                raise AssertionError(f"command 0x{opcode:04X} has no answer") from None
            if answered == opcode:
                return status, results

    def _send(self, opcode: int, parameters: bytes) -> None:
        self._socket.send(struct.pack("<HHH", opcode, self._index, len(parameters)) + parameters)

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while packet := self._socket.recv(1024):
                event, adapter, _ = struct.unpack_from("<HHH", packet)
                body = packet[6:]
                if event in (_COMMAND_COMPLETE, _COMMAND_STATUS):
                    opcode, status = struct.unpack_from("<HB", body)
                    self._results.put((opcode, status, body[3:]))
                elif event == _CONFIRMATION_REQUEST and adapter == self._index and self._confirms:
                    self.numbers.append(struct.unpack_from("<I", body, 8)[0])
                    self._send(_CONFIRM, body[:7])


def _device(address: str) -> bytes:
    return bytes.fromhex(address.replace(":", ""))[::-1] + bytes([LE_PUBLIC])
