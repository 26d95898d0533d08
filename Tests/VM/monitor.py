"""btmon, for what the kernel and a controller exchange."""

import re

from programs import Program, eventually

#: How it begins a PDU that opens enhanced channels.
_OPENING = re.compile(r"LE L2CAP: Enhanced Credit Connection (Request|Response)")
#: A Read Request on a channel for enhanced bearers: its channel.
_READ = re.compile(r"Channel: (\d+) .*PSM 39 mode Enhanced Credit.*\n +ATT: Read Request .*\n +Handle: 0x(\w+)")


class Monitor(Program):
    """btmon, which prints all."""

    def __init__(self):
        super().__init__("stdbuf", "-oL", "btmon", "--no-pager", "--columns", "200")
        self.line(lambda line: "Bluetooth monitor" in line, "that it runs")
        self._start = 0

    def forget(self) -> None:
        """From now on, only what follows counts."""
        self._start = len(self.log)

    def wait_for_end(self) -> None:
        """Waits until it has printed all of a link, to its end."""
        eventually("btmon prints the end of the link", lambda: "MGMT Event: Device Disconnected" in self.text)

    @property
    def text(self) -> str:
        """What it has printed since `forget`."""
        return "\n".join(self.log[self._start :])

    def phys(self, address: str) -> set[tuple[str, str]]:
        """On which PHYs, the primary one and the secondary one, this device was reported."""
        report = rf"Address: {address}.*\n.*Primary PHY: (.*)\n.*Secondary PHY: (.*)"
        return set(re.findall(report, self.text))

    def openings(self, kind: str) -> list[list[str]]:
        """The fields of each "Request" or "Response" for enhanced channels."""
        found: list[list[str]] = []
        fields: list[str] | None = None
        for line in self.text.splitlines():
            if opening := _OPENING.search(line):
                fields = []
                if opening[1] == kind:
                    found.append(fields)
            elif fields is not None and line.startswith(" " * 8):
                fields.append(line.strip())
            else:
                fields = None
        return found

    def refusals(self) -> list[str]:
        """The results of the requests for a channel of the older kind that were refused."""
        return re.findall(r"LE Connection Response .*\n(?: {8}.*\n)*? {8}Result: (Connection refused.*\))", self.text)

    def bearers_with_reads(self, handles: set[int]) -> set[int]:
        """The channels of enhanced bearers with a Read Request for one of these attributes."""
        return {int(channel) for channel, handle in _READ.findall(self.text) if int(handle, 16) in handles}
