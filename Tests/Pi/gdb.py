"""QEMU's stub for gdb: the remote serial protocol on a UNIX socket."""

import socket


class Debugger:
    """A connection, which stops the machine when it begins. Numbers of registers are gdb's."""

    def __init__(self, path: str, word: int):
        """`word`: the size of the machine's registers in bytes."""
        self._word = word
        self._received = b""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self.ask("?")
        # Otherwise the stub does not know the registers of all processors by number.
        self.ask("qXfer:features:read:target.xml:0,ffb")

    def close(self) -> None:
        """Lets the machine run, and ends the connection."""
        self.ask("D")
        self._socket.close()

    def ask(self, command: str) -> str:
        self._send(command)
        while True:
            answer = self._receive(20)
            # A late report of a stop.
            if command == "?" or answer[:1] != "T":
                return answer

    def resume(self) -> None:
        self._send("c")

    def wait(self, seconds: float) -> None:
        """Waits until the machine stops at a breakpoint."""
        self._receive(seconds)

    def step(self) -> None:
        """Executes one instruction, without interrupts."""
        self._send("s")
        self._receive(20)

    def register(self, number: int) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(f"p{number:x}"))[: self._word], "little")

    def set_register(self, number: int, value: int) -> None:
        text = value.to_bytes(self._word, "little").hex()
        assert self.ask(f"P{number:x}={text}") == "OK", f"register {number} cannot be set"

    def instruction(self, address: int) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(f"m{address:x},4")), "little")

    def set_breakpoint(self, address: int, is_set: bool) -> None:
        # In hardware: it changes no memory.
        answer = self.ask(f"{'Z' if is_set else 'z'}1,{address:x},4")
        assert answer == "OK", f"no breakpoint at {address:x}: {answer}"

    def _send(self, text: str) -> None:
        data = text.encode()
        self._socket.send(b"$%s#%02x" % (data, sum(data) & 0xFF))

    def _receive(self, seconds: float) -> str:
        self._socket.settimeout(seconds)
        while True:
            start = self._received.find(b"$")
            end = self._received.find(b"#", start)
            if start >= 0 and end >= 0 and len(self._received) >= end + 3:
                text = self._received[start + 1 : end].decode()
                self._received = self._received[end + 3 :]
                self._socket.send(b"+")
                return text
            more = self._socket.recv(4096)
            assert more, "QEMU has ended"
            self._received += more
