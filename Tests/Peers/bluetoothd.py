"""A system bus of a test's own, and on it a bluetoothd of python3-dbusmock, which does what the real one does not do on
request."""

import asyncio
import contextlib
import pathlib
import shutil
import subprocess

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from programs import PATIENCE, Program

#: Debian's python3, for which its package python3-dbusmock is installed.
PYTHON = "/usr/bin/python3"
ADAPTER = "/org/bluez/hci0"
GATT_MANAGER = "org.bluez.GattManager1"
ADVERTISING_MANAGER = "org.bluez.LEAdvertisingManager1"

BALL_SERVICE = "8e38140a-27be-4090-8955-4fc4b5698d1e"
QUESTION, ANSWER = "bdd37d7a-f66a-47b9-a49c-fe29fd235a77", "349a0d7b-6215-4e2c-a095-af078d737445"

_MOCK = "org.freedesktop.DBus.Mock"
_CONFIGURATION = """
    <busconfig>
      <type>system</type>
      <listen>unix:path={path}</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow user="*"/>
        <allow own="*"/>
        <allow send_type="method_call"/>
        <allow send_type="signal"/>
        <allow send_requested_reply="true" send_type="method_return"/>
        <allow send_requested_reply="true" send_type="error"/>
        <allow receive_type="method_call"/>
        <allow receive_type="method_return"/>
        <allow receive_type="error"/>
        <allow receive_type="signal"/>
        {policy}
      </policy>
    </busconfig>
"""


def is_available() -> bool:
    """Whether dbus-daemon and python3-dbusmock are installed."""
    command = [PYTHON, "-c", "import dbusmock"]
    return bool(
        shutil.which("dbus-daemon")
        and pathlib.Path(PYTHON).exists()
        and subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0
    )


class SystemBus:
    """A bus, and a client of it that drives the mock."""

    def __init__(self, path: pathlib.Path, client: MessageBus):
        self._client = client
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={path}"}
        self._changed = asyncio.Condition()
        #: The unique name of the owner of bluetoothd's name; empty without one.
        self._owner = ""
        #: The names of the methods of the mock that were called.
        self.calls: list[str] = []
        client.add_message_handler(self._take)

    @classmethod
    @contextlib.asynccontextmanager
    async def opened(cls, folder: pathlib.Path, policy: str = ""):
        """A bus with these rules beside those that allow everything."""
        path, configuration = folder / "bus", folder / "bus.conf"
        configuration.write_text(_CONFIGURATION.format(path=path, policy=policy))
        command = ["dbus-daemon", "--nofork", "--nopidfile", "--print-address", f"--config-file={configuration}"]
        async with Program(*command) as daemon:
            await daemon.starts_line("unix:path=")
            client = await MessageBus(bus_address=f"unix:path={path}").connect()
            bus = cls(path, client)
            for rule in (
                "type='signal',member='NameOwnerChanged',arg0='org.bluez'",
                f"type='signal',interface='{_MOCK}',member='MethodCalled'",
            ):
                await bus.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "AddMatch", "s", rule)
            try:
                yield bus
            finally:
                client.disconnect()

    @contextlib.asynccontextmanager
    async def bluetoothd(self, *, has_adapter: bool = True):
        """The mock, with an adapter that is powered."""
        command = [PYTHON, "-m", "dbusmock", "--system", "--template", "bluez5"]
        before = self._owner
        async with Program(*command, environment=self.environment) as mock:
            await self._until(lambda: self._owner not in ("", before), "the mock has its name")
            own = self._owner
            if has_adapter:
                await self.add_adapter()
            yield mock
        await self._until(lambda: self._owner != own, "the mock has lost its name")

    async def add_adapter(self) -> None:
        """hci0, which takes every application and advertisement."""
        await self.mock("/", "org.bluez.Mock", "AddAdapter", "ss", "hci0", "Mock")
        for manager, kind in ((GATT_MANAGER, "Application"), (ADVERTISING_MANAGER, "Advertisement")):
            await self.define(manager, f"Register{kind}", "oa{sv}")
            await self.define(manager, f"Unregister{kind}", "o")

    async def add_object(self, path: str, interface: str, properties: dict) -> None:
        """An object with an interface, without methods."""
        await self.mock("/", _MOCK, "AddObject", "ssa{sv}a(ssss)", path, interface, properties, [])

    async def add_ball(self, address: str, name: str) -> str:
        """A connected ball whose attributes bluetoothd knows, and which is in range; the path of its answer."""
        device = f"{ADAPTER}/dev_{address.replace(':', '_')}"
        service = f"{device}/service001b"
        question, answer = f"{service}/char001c", f"{service}/char001e"
        await self.add_object(
            device, "org.bluez.Device1",
            {
                "Address": Variant("s", address), "AddressType": Variant("s", "public"), "Name": Variant("s", name),
                "RSSI": Variant("n", -60), "UUIDs": Variant("as", [BALL_SERVICE]), "Connected": Variant("b", True),
                "ServicesResolved": Variant("b", True), "Paired": Variant("b", False),
            },
        )
        await self.add_object(
            service, "org.bluez.GattService1",
            {"UUID": Variant("s", BALL_SERVICE), "Primary": Variant("b", True)},
        )
        for path, uuid, flags in ((question, QUESTION, ["write"]), (answer, ANSWER, ["read", "notify"])):
            await self.add_object(
                path, "org.bluez.GattCharacteristic1",
                {"UUID": Variant("s", uuid), "Flags": Variant("as", flags), "MTU": Variant("q", 185)},
            )
        await self.add_object(
            f"{answer}/desc0020", "org.bluez.GattDescriptor1",
            {"UUID": Variant("s", "00002902-0000-1000-8000-00805f9b34fb")},
        )
        return answer

    async def remove_adapter(self) -> None:
        await self.mock("/", "org.bluez.Mock", "RemoveAdapter", "s", "hci0")

    async def define(
        self, interface: str, method: str, signature: str, code: str = "", *, path: str = ADAPTER
    ) -> None:
        """Has an object, by default the adapter, answer a method by this code of Python."""
        await self.mock(path, _MOCK, "AddMethod", "sssss", interface, method, signature, "", code)

    async def refuse(self, interface: str, method: str, error: str) -> None:
        """Has the adapter answer a method with this error."""
        code = f"raise dbus.exceptions.DBusException('refused', name='{error}')"
        await self.define(interface, method, "oa{sv}", code)

    async def set_power(self, is_on: bool) -> None:
        """bluetoothd switches the adapter on or off."""
        await self.mock(
            ADAPTER, _MOCK, "UpdateProperties", "sa{sv}", "org.bluez.Adapter1", {"Powered": Variant("b", is_on)}
        )

    async def called(self, method: str) -> None:
        """Waits until the mock has been called by this method once more."""
        await self._until(lambda: method in self.calls, f"a call of {method}")
        self.calls.remove(method)

    async def mock(self, path: str, interface: str, member: str, signature: str = "", *body):
        return await self.call("org.bluez", path, interface, member, signature, *body)

    async def call(self, destination: str, path: str, interface: str, member: str, signature: str = "", *body):
        """Calls a method, and returns its results."""
        async with asyncio.timeout(PATIENCE):
            reply = await self._client.call(
                Message(
                    destination=destination, path=path, interface=interface, member=member, signature=signature,
                    body=list(body),
                )
            )
        assert reply.message_type != MessageType.ERROR, (member, reply.error_name, reply.body)
        return reply.body

    def _take(self, message: Message) -> None:
        if message.member == "NameOwnerChanged" and message.body[0] == "org.bluez":
            self._owner = message.body[2]
        elif message.member == "MethodCalled":
            self.calls.append(message.body[0])
        else:
            return
        asyncio.get_running_loop().create_task(self._notify())

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _until(self, condition, description: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE), self._changed:
                await self._changed.wait_for(condition)
        except TimeoutError:
            raise AssertionError(f"Timed out waiting until {description}: {self.calls}") from None
