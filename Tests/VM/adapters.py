"""The guest's Bluetooth: two controllers of software that hear each other, as hci0 and hci1, and
how the kernel has them."""

import contextlib
import errno
import fcntl
import pathlib
import socket
import struct
import tempfile

from programs import Program, eventually, run

#: The addresses that btvirt gives to its controllers.
ADDRESSES = ("00:AA:01:00:00:00", "00:AA:01:01:00:01")

# From the kernel's net/bluetooth/hci_sock.h.
_TAKE_DOWN = 0x400448CA
_BRING_UP = 0x400448C9
_GET_INFORMATION = 0x800448D3
_UP_FLAG = 1 << 0

_BUS = pathlib.Path("/run/dbus/system_bus_socket")


class Controllers(Program):
    """btvirt with two linked controllers. They are there once this is, and both are down."""

    def __init__(self, *, are_settled: bool = True):
        """If they need not be settled, they are left as they come, for others to take at once."""
        # -L: LE alone, with the legacy advertising and scanning that it links.
        super().__init__("btvirt", "-L", "-l2")
        names = eventually("the kernel has both controllers", self._names)
        if are_settled:
            for name in names:
                # Waits until the kernel has got to know the controller.
                set_up(name, True)
                set_up(name, False)

    def _names(self) -> list[str]:
        names = [name_of(address) for address in ADDRESSES]
        return names if all(names) else []


def name_of(address: str) -> str | None:
    """hciN that has this address, if any."""
    names = (path.name for path in pathlib.Path("/sys/class/bluetooth").glob("hci?"))
    return next((name for name in names if (_information(name) or [""])[0] == address), None)


def is_up(name: str) -> bool:
    """Whether the adapter is up."""
    information = _information(name)
    assert information, f"there is no {name}"
    return bool(information[1] & _UP_FLAG)


def set_up(name: str, up: bool) -> None:
    """Gives the adapter to the kernel's own stack, or takes it away."""
    with _control() as control:
        try:
            fcntl.ioctl(control, _BRING_UP if up else _TAKE_DOWN, _number(name))
        except OSError as error:
            if error.errno != errno.EALREADY:
                raise


def rfkill_switch(name: str) -> pathlib.Path | None:
    """The file by which the adapter is switched off (1) and on (0), if the kernel has one."""
    return next(pathlib.Path(f"/sys/class/bluetooth/{name}").glob("rfkill*/soft"), None)


def _takes_visitors() -> bool:
    """Whether the system bus is listening, which it is a moment after its socket is there."""
    with socket.socket(socket.AF_UNIX) as visitor:
        return visitor.connect_ex(str(_BUS)) == 0


@contextlib.contextmanager
def bluetooth_service(powers_adapters: bool):
    """bluetoothd, which by itself powers each adapter that comes, or leaves it."""
    with contextlib.ExitStack() as stack:
        _BUS.unlink(missing_ok=True)
        stack.enter_context(Program("dbus-daemon", "--system", "--nofork", "--nopidfile"))
        eventually("there is a system bus", _takes_visitors)
        configuration = stack.enter_context(tempfile.NamedTemporaryFile("w", suffix=".conf"))
        configuration.write(f"[Policy]\nAutoEnable={str(powers_adapters).lower()}\n")
        configuration.flush()
        stack.enter_context(
            Program("/usr/libexec/bluetooth/bluetoothd", "-n", "-f", configuration.name)
        )
        # Waits until bluetoothd answers.
        run("bluetoothctl", "list")
        yield


def _information(name: str) -> tuple[str, int] | None:
    """The address and the flags that the kernel tells."""
    # struct hci_dev_info: number, name, address, flags, and more.
    information = bytearray(128)
    struct.pack_into("<H", information, 0, _number(name))
    with _control() as control:
        try:
            fcntl.ioctl(control, _GET_INFORMATION, information)
        except OSError as error:
            if error.errno == errno.ENODEV:
                return None
            raise
    address, flags = struct.unpack_from("<6sI", information, 10)
    return address[::-1].hex(":").upper(), flags


def _number(name: str) -> int:
    return int(name.removeprefix("hci"))


def _control() -> socket.socket:
    return socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
