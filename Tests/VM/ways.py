"""The two ways of a program to an adapter: alone, on its HCI user channel, or beside bluetoothd."""

import contextlib
import enum
import subprocess
import threading

from adapters import ADDRESSES, Controllers, bluetooth_service
from programs import PATIENCE, Ball, eventually, run


class Way(enum.Enum):
    """How the program under test uses an adapter."""

    ALONE = ""
    BESIDE_BLUETOOTHD = "bluez:"

    def radio(self, adapter: str) -> str:
        """The adapter, as `--radio` names it."""
        return self.value + adapter

    def name(self, check: str) -> str:
        """The name of a check by this way."""
        return f"{check}, beside bluetoothd" if self is Way.BESIDE_BLUETOOTHD else check

    @contextlib.contextmanager
    def ball(self, *options: str, **environment):
        """Both controllers, bluetoothd, and a ball on hci1. bluetoothd has hci0, not powered; or both, powered."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(Controllers())
            if self is Way.BESIDE_BLUETOOTHD:
                stack.enter_context(powered_service())
            ball = stack.enter_context(Ball(self.radio("hci1"), *options, **environment))
            if self is Way.ALONE:
                stack.enter_context(bluetooth_service(powers_adapters=False))
            yield ball


@contextlib.contextmanager
def powered_service():
    """bluetoothd with hci0 and hci1 powered."""
    with bluetooth_service(powers_adapters=True):
        for address in ADDRESSES[:2]:
            eventually(f"{address} is powered", lambda: _is_powered(address))
        yield


@contextlib.contextmanager
def pairing_agent():
    """A user of bluetoothd without keys and display, who accepts every pairing."""
    with subprocess.Popen(
        ["bluetoothctl", "--agent", "NoInputNoOutput"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    ) as agent:
        is_default = threading.Event()

        def answer() -> None:
            seen = ""
            while character := agent.stdout.read(1):
                seen = (seen + character)[-40:]
                if seen.endswith("(yes/no):"):
                    agent.stdin.write("yes\n")
                elif seen.endswith("Agent registered"):
                    agent.stdin.write("default-agent\n")
                elif seen.endswith("Default agent request successful"):
                    is_default.set()

        reader = threading.Thread(target=answer, daemon=True)
        reader.start()
        try:
            # Before that, bluetoothd rejects each pairing.
            assert is_default.wait(PATIENCE), "bluetoothd has no agent"
            yield
        finally:
            agent.kill()
            reader.join(PATIENCE)


def _is_powered(address: str) -> bool:
    return "Powered: yes" in run("bluetoothctl", "show", address).stdout
