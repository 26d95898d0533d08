"""A central on the kernel's Bluetooth, with the part of ATT that asking a ball requires. The numbers are
those of the Core Specification, Vol 3, Part F, 3.4."""

import collections
import struct
import uuid

from l2cap import Security, le_socket
from programs import PATIENCE

QUESTION = uuid.UUID("BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
ANSWER = uuid.UUID("349A0D7B-6215-4E2C-A095-AF078D737445")

_ATT_CHANNEL = 4
_ERROR, _NOTIFICATION, _INDICATION, _CONFIRMATION = 0x01, 0x1B, 0x1D, 0x1E
_MULTIPLE_NOTIFICATION = 0x23
_NOTIFICATIONS = bytes([_NOTIFICATION]), bytes([_MULTIPLE_NOTIFICATION])
_LAST_REQUEST, _REQUEST_NOT_SUPPORTED = 0x20, 0x06
_CHARACTERISTIC, _CLIENT_CONFIGURATION = 0x2803, 0x2902


class ATTError(Exception):
    """The ball's Error Response."""

    def __init__(self, code: int):
        super().__init__(f"ATT error 0x{code:02X}")
        self.code = code


class Client:
    """A connection to a peripheral. The kernel does not protect it further when a request is refused."""

    def __init__(self, address: str, security: Security = Security.LOW, **adapter: str):
        self._notified: collections.deque[bytes] = collections.deque()
        self._socket = le_socket(channel=_ATT_CHANNEL, peer=address, security=security, **adapter)
        self.mtu = 23

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        self._socket.close()

    def exchange_mtu(self, mtu: int) -> None:
        (theirs,) = struct.unpack("<H", self._request(struct.pack("<BH", 0x02, mtu)))
        self.mtu = min(mtu, theirs)

    def read(self, kind: int) -> bytes:
        """The first value with this UUID of 16 bits, by Read By Type; raises ATTError if it is refused."""
        found = self._request(struct.pack("<BHHH", 0x08, 1, 0xFFFF, kind))
        return found[3 : 1 + found[0]]

    def refusal_to_read(self, kind: int) -> int:
        """The ATT error with which the peripheral refuses to read a value; fails if it does not."""
        try:
            value = self.read(kind)
        except ATTError as error:
            return error.code
        raise AssertionError(f"it has the value {value!r}")

    def is_closed_by_peer(self) -> bool:
        """Waits until the ball closes the connection."""
        try:
            return self._receive() == b""
        except ConnectionError:
            return True

    def _request(self, pdu: bytes) -> bytes:
        """The response's parameters. Earlier notifications are queued."""
        self._socket.send(pdu)
        while (response := self._receive())[:1] in _NOTIFICATIONS:
            self._notified.append(response)
        if response[:1] == bytes([_ERROR]):
            raise ATTError(response[4])
        assert response[:1] == bytes([pdu[0] + 1]), f"{pdu.hex()} got {response.hex()}"
        return response[1:]

    def _receive(self) -> bytes:
        try:
            while True:
                pdu = self._socket.recv(1024)
                if pdu[:1] == bytes([_INDICATION]):
                    # bluetoothd reports that services have changed.
                    self._socket.send(bytes([_CONFIRMATION]))
                elif _is_request(pdu):
                    # bluetoothd is a client of its centrals, too.
                    refusal = struct.pack("<BBHB", _ERROR, pdu[0], 0, _REQUEST_NOT_SUPPORTED)
                    self._socket.send(refusal)
                else:
                    return pdu
        except BlockingIOError:
            raise AssertionError(f"the ball sent nothing for {PATIENCE:.0f} s") from None


class Central(Client):
    """A connection to a ball, with its attributes discovered."""

    def __init__(self, address: str, security: Security = Security.LOW, **adapter: str):
        super().__init__(address, security, **adapter)
        self._discover()

    def subscribe(self) -> None:
        self._write(self._configuration, struct.pack("<H", 1))

    def ask(self, question: str) -> None:
        """Writes the question; raises ATTError if it is refused."""
        self._write(self._question, question.encode())

    def refusal_of(self, question: str) -> int:
        """The ATT error with which the ball refuses the question; fails if it accepts."""
        try:
            self.ask(question)
        except ATTError as error:
            return error.code
        raise AssertionError(f"the ball accepted {question!r}")

    def ask_at_length(self, question: str) -> int:
        """Writes the question in parts; their number."""
        value = question.encode()
        step = self.mtu - 5
        parts = [(start, value[start : start + step]) for start in range(0, len(value), step)]
        for offset, part in parts:
            written = struct.pack("<HH", self._question, offset) + part
            echo = self._request(b"\x16" + written)
            assert echo == written, f"the part at {offset} came back as {echo}"
        self._request(b"\x18\x01")
        return len(parts)

    def answer(self) -> bytes:
        """Waits for the next answer, cut at the MTU."""
        pdu = self._notified.popleft() if self._notified else self._receive()
        opcode, handle = struct.unpack_from("<BH", pdu)
        if opcode == _MULTIPLE_NOTIFICATION:
            # bluetoothd sends a value so to a bonded client that supports it.
            (length,) = struct.unpack_from("<H", pdu, 3)
            assert (handle, length) == (self._answer, len(pdu) - 5), f"received {pdu.hex()}"
            return pdu[5:]
        assert (opcode, handle) == (_NOTIFICATION, self._answer), f"received {pdu.hex()}"
        return pdu[3:]

    def last_answer(self) -> bytes:
        """Reads the whole value of the answer."""
        value = part = self._request(struct.pack("<BH", 0x0A, self._answer))
        while len(part) == self.mtu - 1:
            part = self._request(struct.pack("<BHH", 0x0C, self._answer, len(value)))
            value += part
        return value

    def _discover(self) -> None:
        handles = {}
        start = 1
        while start <= 0xFFFF:
            try:
                request = struct.pack("<BHHH", 0x08, start, 0xFFFF, _CHARACTERISTIC)
                found = self._request(request)
            except ATTError:
                break
            for entry in _entries(found[1:], found[0]):
                declaration, _, value = struct.unpack_from("<HBH", entry)
                handles[entry[5:][::-1].hex()] = value
                start = declaration + 1
        self._question = handles[QUESTION.hex]
        self._answer = handles[ANSWER.hex]
        found = self._request(struct.pack("<BHH", 0x04, self._answer + 1, 0xFFFF))
        descriptors = dict(struct.unpack("<HH", entry)[::-1] for entry in _entries(found[1:], 4))
        self._configuration = descriptors[_CLIENT_CONFIGURATION]

    def _write(self, handle: int, value: bytes) -> None:
        self._request(struct.pack("<BH", 0x12, handle) + value)


def _is_request(pdu: bytes) -> bool:
    """Whether it is a request: these have even numbers."""
    return pdu != b"" and pdu[0] % 2 == 0 and pdu[0] <= _LAST_REQUEST and pdu[0] != _CONFIRMATION


def _entries(values: bytes, length: int) -> list[bytes]:
    return [values[start : start + length] for start in range(0, len(values), length)]
