"""A ball on the kernel's Bluetooth: an L2CAP socket that listens on the ATT channel, with the part of a server
that a question requires. The numbers are those of the Core Specification, Vol 3, Part F, 3.4."""

import socket
import struct
import threading
import uuid

from adapters import set_up
from att import ANSWER, QUESTION
from l2cap import is_encrypted, le_socket
from management import Management
from programs import run

SERVICE = uuid.UUID("8E38140A-27BE-4090-8955-4FC4B5698D1E")

_ATT_CHANNEL = 4
_INSUFFICIENT_AUTHENTICATION = 0x05
_WRITE, _READ_NOTIFY = 0x08, 0x12

_FLAGS_AND_SERVICE = bytes([2, 0x01, 0x06, 17, 0x07]) + SERVICE.bytes[::-1]

# The handles: the service, Question, Answer, and the Answer's client configuration.
_SERVICE, _LAST = 0x0010, 0x0015
_QUESTION_DECLARATION, _QUESTION = 0x0011, 0x0012
_ANSWER_DECLARATION, _ANSWER, _CONFIGURATION = 0x0013, 0x0014, 0x0015
# The types of the attributes, from the service on.
_TYPES = (b"\x00\x28", b"\x03\x28", QUESTION.bytes[::-1], b"\x03\x28", ANSWER.bytes[::-1], b"\x02\x29")


class KernelBall:
    """A ball that advertises on an adapter with legacy PDUs, and answers one central after another."""

    def __init__(
        self, adapter: str, name: str, answer: str, *, is_protected: bool = False, is_powered: bool = False
    ):
        """If it is protected, questions require an encrypted link. It powers the adapter, unless that is powered."""
        self.questions: list[str] = []
        self._answer_text = answer.encode()
        self._is_protected = is_protected
        self._is_powered = is_powered
        if not is_powered:
            set_up(adapter, True)
        self._listener = le_socket(channel=_ATT_CHANNEL)
        self._adapter = adapter
        self._advertise(name)
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()
        self._stop_advertising()
        if not self._is_powered:
            set_up(self._adapter, False)

    def answer_to(self, question: str) -> str:
        """Its answer to this question, which must be the last one."""
        assert self.questions[-1] == question, self.questions
        return self._answer_text.decode()

    def _advertise(self, name: str) -> None:
        data = _FLAGS_AND_SERVICE
        response = _complete_name(name)
        # LE Set Advertising Data, Set Scan Response Data, Set Advertising Enable: Vol 4, Part E, 7.8.
        self._command(0x08, bytes([len(data)]) + data.ljust(31, b"\0"))
        self._command(0x09, bytes([len(response)]) + response.ljust(31, b"\0"))
        self._resume_advertising()

    def _resume_advertising(self) -> None:
        self._command(0x0A, bytes([1]))

    def _stop_advertising(self) -> None:
        self._command(0x0A, bytes([0]))

    def _command(self, number: int, parameters: bytes) -> None:
        words = [f"{byte:02x}" for byte in parameters]
        run("hcitool", "-i", self._adapter, "cmd", "0x08", f"0x{number:04x}", *words)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                try:
                    self._converse(connection)
                except OSError:
                    pass
            # A connection stops the controller's advertising.
            self._resume_advertising()

    def _converse(self, connection: socket.socket) -> None:
        parts: dict[int, bytes] = {}
        mtu, is_subscribed = 23, False
        while request := connection.recv(1024):
            opcode, body = request[0], request[1:]
            asked = None
            if opcode == 0x12 and self._is_protected and not is_encrypted(connection):
                handle = struct.unpack_from("<H", body)[0]
                response = struct.pack("<BBHB", 0x01, opcode, handle, _INSUFFICIENT_AUTHENTICATION)
            elif opcode == 0x02:
                mtu = min(517, struct.unpack("<H", body)[0])
                response = struct.pack("<BH", 0x03, 517)
            elif opcode == 0x12 and struct.unpack_from("<H", body)[0] == _CONFIGURATION:
                is_subscribed = body[2:] == b"\x01\x00"
                response = b"\x13"
            elif opcode == 0x12:
                response, asked = self._take(opcode, body[2:])
            elif opcode == 0x16:
                parts[struct.unpack_from("<H", body, 2)[0]] = body[4:]
                response = b"\x17" + body
            elif opcode == 0x18:
                response, asked = self._take(opcode, b"".join(parts[key] for key in sorted(parts)))
                parts = {}
            elif opcode & 0x40 or opcode == 0x1E:
                continue
            else:
                response = _discovered(opcode, body)
            connection.send(response)
            if asked and is_subscribed:
                notification = struct.pack("<BH", 0x1B, _ANSWER) + self._answer_text
                connection.send(notification[:mtu])

    def _take(self, opcode: int, question: bytes) -> tuple[bytes, bool]:
        self.questions.append(question.decode())
        if not question.endswith(b"?"):
            return struct.pack("<BBHB", 0x01, opcode, _QUESTION, 0x0E), False
        return bytes([opcode + 1]), True


class ExtendedKernelBall(KernelBall):
    """A ball that advertises with a set of the kernel's, whose data are on `phy`."""

    def __init__(self, kernel: Management, adapter: str, name: str, answer: str, phy: str):
        self._kernel = kernel
        self._phy = phy
        super().__init__(adapter, name, answer, is_powered=True)

    def _advertise(self, name: str) -> None:
        self._kernel.advertise(self._phy, _FLAGS_AND_SERVICE + _complete_name(name))

    def _resume_advertising(self) -> None:
        """The kernel does that itself."""

    def _stop_advertising(self) -> None:
        self._kernel.stop_advertising()


def _complete_name(name: str) -> bytes:
    text = name.encode()
    return bytes([len(text) + 1, 0x09]) + text


def _discovered(opcode: int, body: bytes) -> bytes:
    """The response to a request of discovery; Attribute Not Found to any other."""
    start = struct.unpack_from("<H", body)[0] if len(body) >= 2 else 0
    if opcode == 0x06 and start <= _SERVICE:
        return struct.pack("<BHH", 0x07, _SERVICE, _LAST)
    if opcode == 0x10 and start <= _SERVICE:
        return struct.pack("<BBHH", 0x11, 20, _SERVICE, _LAST) + SERVICE.bytes[::-1]
    if opcode == 0x08 and body[4:] == b"\x03\x28":
        for declaration, value, properties, kind in (
            (_QUESTION_DECLARATION, _QUESTION, _WRITE, QUESTION),
            (_ANSWER_DECLARATION, _ANSWER, _READ_NOTIFY, ANSWER),
        ):
            if start <= declaration:
                entry = struct.pack("<HBH", declaration, properties, value) + kind.bytes[::-1]
                return struct.pack("<BB", 0x09, len(entry)) + entry
    if opcode == 0x04 and start <= _LAST:
        handle = max(start, _SERVICE)
        kind = _TYPES[handle - _SERVICE]
        return struct.pack("<BBH", 0x05, 1 if len(kind) == 2 else 2, handle) + kind
    return struct.pack("<BBHB", 0x01, opcode, start, 0x0A)
