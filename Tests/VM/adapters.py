"""The guest's Bluetooth: linked software controllers, hci0, hci1 and so on, and their state in the kernel."""

import contextlib
import errno
import fcntl
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile

from programs import Program, eventually, run

#: The addresses that btvirt gives to its controllers.
ADDRESSES = ("00:AA:01:00:00:00", "00:AA:01:01:00:01", "00:AA:01:02:00:02")

# From the kernel's net/bluetooth/hci_sock.h.
_TAKE_DOWN = 0x400448CA
_BRING_UP = 0x400448C9
_GET_INFORMATION = 0x800448D3
_UP_FLAG = 1 << 0

_BUS = pathlib.Path("/run/dbus/system_bus_socket")


class Controllers(Program):
    """btvirt with linked controllers, which are all down after the initialiser."""

    def __init__(self, count: int = 2, *, are_settled: bool = True):
        """`are_settled`: whether to wait until the kernel has set them up; others may take them before."""
        self._count = count
        # -L: LE only, with legacy advertising and scanning.
        super().__init__("btvirt", "-L", f"-l{count}")
        names = eventually("the kernel has all controllers", self._names)
        if are_settled:
            for name in names:
                # Waits until the kernel has set up the controller.
                set_up(name, True)
                set_up(name, False)

    def _names(self) -> list[str]:
        names = [name_of(address) for address in ADDRESSES[: self._count]]
        return names if all(names) else []


def name_of(address: str) -> str | None:
    """The adapter with this address, if any."""
    names = (path.name for path in pathlib.Path("/sys/class/bluetooth").glob("hci?"))
    return next((name for name in names if (_information(name) or [""])[0] == address), None)


def is_up(name: str) -> bool:
    """Whether the adapter is up."""
    information = _information(name)
    assert information, f"there is no {name}"
    return bool(information[1] & _UP_FLAG)


def set_up(name: str, up: bool) -> None:
    """Brings the adapter up or down in the kernel's stack."""
    with _control() as control:
        try:
            fcntl.ioctl(control, _BRING_UP if up else _TAKE_DOWN, _number(name))
        except OSError as error:
            if error.errno != errno.EALREADY:
                raise


def rfkill_switch(name: str) -> pathlib.Path | None:
    """The file that switches the adapter off (1) or on (0), if the kernel has one."""
    return next(pathlib.Path(f"/sys/class/bluetooth/{name}").glob("rfkill*/soft"), None)


def _takes_visitors() -> bool:
    """Whether the system bus accepts connections, shortly after its socket exists."""
    with socket.socket(socket.AF_UNIX) as visitor:
        return visitor.connect_ex(str(_BUS)) == 0


@contextlib.contextmanager
def bluetooth_service(powers_adapters: bool, settings: str = ""):
    """The system bus with bluetoothd, which powers each new adapter if `powers_adapters`. `settings` are more of its
    configuration."""
    _BUS.unlink(missing_ok=True)
    # Like systemd, Python ignores SIGPIPE; the daemon, which ends by it, inherits that.
    with Program("dbus-daemon", "--system", "--nofork", "--nopidfile", restore_signals=False):
        eventually("there is a system bus", _takes_visitors)
        with bluetooth_daemon(powers_adapters, settings) as daemon:
            yield daemon


@contextlib.contextmanager
def bluetooth_daemon(powers_adapters: bool, settings: str = ""):
    """bluetoothd on the system bus."""
    with contextlib.ExitStack() as stack:
        configuration = stack.enter_context(tempfile.NamedTemporaryFile("w", suffix=".conf"))
        configuration.write(f"[Policy]\nAutoEnable={str(powers_adapters).lower()}\n{settings}")
        configuration.flush()
        daemon = stack.enter_context(
            Program("/usr/libexec/bluetooth/bluetoothd", "-n", "-f", configuration.name)
        )
        # Waits until bluetoothd answers.
        run("bluetoothctl", "list")
        yield daemon


def forget_bonds() -> None:
    """Removes what bluetoothd keeps. It must not run."""
    shutil.rmtree("/var/lib/bluetooth", ignore_errors=True)


def power(name: str, is_on: bool) -> None:
    """Switches an adapter of bluetoothd on or off, once it has it."""

    def set_power() -> bool:
        value = f"variant:boolean:{str(is_on).lower()}"
        command = ["org.freedesktop.DBus.Properties.Set", "string:org.bluez.Adapter1", "string:Powered", value]
        return call_bluetoothd(f"/org/bluez/{name}", *command).returncode == 0

    eventually(f"{name} is switched", set_power)


@contextlib.contextmanager
def advertised(name: str, secondary: str):
    """An advertisement of bluetoothd's, whose data are on this secondary channel."""
    lines = ("menu advertise", f"secondary {secondary}", f"name {name}", "back", "advertise on")

    def is_active() -> bool:
        control.stdin.writelines(f"{line}\n" for line in lines)
        return "ActiveInstances: 0x01" in run("bluetoothctl", "show").stdout

    options = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "text": True, "bufsize": 1}
    with subprocess.Popen(["bluetoothctl"], **options) as control:
        try:
            eventually("bluetoothd advertises", is_active)
            yield
        finally:
            control.kill()


def run_bleak_app(*app: str, before_repeat=lambda: None):
    """Runs an app on bleak to its end.

    bleak waits for the reply of Connect on one connection to the bus, and for the device's property Connected on
    another. If a busy machine delivers the reply first, bleak believes that the device has disconnected, and
    disconnects it (_wait_for_services_discovery of bleak 3.1). Such a run is repeated.
    """
    for _ in range(5):
        ended = run(os.environ["PYTHON"], "-B", *app, patience=120)
        if "failed to discover services, device disconnected" not in ended.stdout:
            break
        before_repeat()
    return ended


def call_bluetoothd(path: str, *command: str):
    """Calls a method of an object of bluetoothd."""
    return run("dbus-send", "--system", "--print-reply", "--dest=org.bluez", path, *command)


def _information(name: str) -> tuple[str, int] | None:
    """The address and the flags of an adapter."""
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
