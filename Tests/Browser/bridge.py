"""Carries each GATT operation from the browser's emulated Bluetooth to a real ball.

It uses the DevTools domains BluetoothEmulation (of the browser) and DeviceAccess (of a page). Bumble's host
is the ball's central.
"""

import asyncio
import base64
import contextlib
import uuid as uuid_module

from bumble import att, core
from bumble.core import UUID
from bumble.gatt_client import CharacteristicProxy

from central import Central, Finding, Visit
from devtools import Refused
from page import Page
from programs import PATIENCE

#: The bits of a characteristic's properties (Core Specification, Vol 3, Part G, 3.3.1.1).
PROPERTIES = (
    *("broadcast", "read", "writeWithoutResponse", "write", "notify", "indicate"),
    *("authenticatedSignedWrites", "extendedProperties"),
)

#: HCI's error of a connection that was not established (Core Specification, Vol 1, Part F, 1.3).
NOT_ESTABLISHED = 0x3E

#: Runs before the page. The protocol has no command for a notification, but the response to a read fires the
#: same event on the same object: so the script keeps the subscribed characteristics, and `bridge.notify` reads
#: one. It waits for the page's operation, as a browser has one at a time.
SCRIPT = """{
  const prototype = BluetoothRemoteGATTCharacteristic.prototype;
  const read = prototype.readValue;
  const heard = new Map();
  let last = Promise.resolve();
  for (const name of ['readValue', 'writeValueWithResponse', 'startNotifications']) {
    const operation = prototype[name];
    prototype[name] = function (...values) {
      if (name === 'startNotifications') heard.set(this.uuid, this);
      const done = operation.apply(this, values);
      last = done.catch(() => {});
      return done;
    };
  }
  // The protocol has no event for a disconnection by the page, either.
  const {disconnect} = BluetoothRemoteGATTServer.prototype;
  BluetoothRemoteGATTServer.prototype.disconnect = function () {
    if (this.connected) window.disconnected('');
    disconnect.call(this);
  };
  window.bridge = {
    notify: async (uuid) => { await last; await read.call(heard.get(uuid)); },
    idle: () => last,
  };
}"""


@contextlib.asynccontextmanager
async def radio(page: Page, state: str):
    """Emulates the browser's only radio: `powered-on`, or `absent`."""
    send = page.devtools.send
    await send("BluetoothEmulation.enable", state=state, leSupported=True)
    try:
        await page.send("DeviceAccess.enable")
        yield
    finally:
        await send("BluetoothEmulation.disable")


class Bridge:
    """One page and one ball. Use `opened`."""

    def __init__(self, page: Page, central: Central, ball: Finding, mtu: int | None):
        self._page = page
        self._devtools = page.devtools
        self._central = central
        self._ball = ball
        self._mtu = mtu
        self._services = [_long(service) for service in ball.services]
        self._address = str(ball.address).split("/")[0]
        #: The ball's characteristics by the browser's identifiers.
        self._characteristics: dict[str, CharacteristicProxy] = {}
        self._is_open = True
        self._prompts: set[str] = set()
        self._notified: list[bytes] = []
        self._turn = asyncio.Lock()
        #: The latest link to the ball.
        self.visit: Visit
        #: The page's operations, and the ball's errors: “write BDD3…”, “error 0x0e”.
        self.carried: list[str] = []
        #: The ball's notifications.
        self.notifications: list[bytes] = []
        self._heard = asyncio.Condition()
        #: Whether the user chooses the ball in the browser's list.
        self.chooses = True
        #: Whether the browser's attempts to connect succeed or fail, rather than wait.
        self.ends_attempts = True
        #: The limit of an attempt to connect, in seconds.
        self.patience = PATIENCE
        #: Whether the ball's notifications arrive.
        self.delivers = True
        #: Changes the bytes of a question.
        self.alter = lambda value: value

    @staticmethod
    @contextlib.asynccontextmanager
    async def opened(
        page: Page, central: Central, mtu: int | None = None, name: str | None = None
    ):
        """The browser's only radio is on, and finds the same ball as `central`, or the device of this name."""
        found = await (central.find_named(name) if name else central.find())
        bridge = Bridge(page, central, found, mtu)
        listening = page.devtools.listening
        with (
            listening("BluetoothEmulation.gattOperationReceived", bridge._on_link),
            listening("BluetoothEmulation.characteristicOperationReceived", bridge._on_operation),
            listening("DeviceAccess.deviceRequestPrompted", bridge._on_prompt, page.session),
            listening("Runtime.bindingCalled", bridge._on_departure, page.session),
        ):
            async with radio(page, "powered-on"):
                await page.send("Runtime.addBinding", name="disconnected")
                await bridge._introduce()
                try:
                    yield bridge
                finally:
                    bridge._is_open = False

    async def heard(self, count: int) -> None:
        """Waits until the ball has sent this many notifications in all."""
        async with asyncio.timeout(PATIENCE), self._heard:
            await self._heard.wait_for(lambda: len(self.notifications) >= count)

    # The list from which a user chooses

    async def _introduce(self) -> None:
        """Adds the ball that the central has found to the browser's connected devices."""
        await self._devtools.send(
            "BluetoothEmulation.simulatePreconnectedPeripheral",
            address=self._address,
            name=self._ball.name,
            manufacturerData=[],
            knownServiceUuids=self._services,
        )

    async def _advertise(self) -> None:
        """Simulates an advertisement: the browser lists a disconnected device only if it advertises."""
        # The browser ignores the name, and requires all of these fields.
        record = {"uuids": self._services, "appearance": 0, "txPower": 0, "manufacturerData": []}
        entry = {"deviceAddress": self._address, "rssi": -50, "scanRecord": record}
        await self._devtools.send("BluetoothEmulation.simulateAdvertisement", entry=entry)

    async def _on_prompt(self, prompt: dict) -> None:
        # It is repeated for each new device, and Chromium ends after a second answer.
        if prompt["id"] in self._prompts:
            return
        if self.chooses and not prompt["devices"]:
            return await self._advertise()
        self._prompts.add(prompt["id"])
        if self.chooses:
            device = prompt["devices"][0]["id"]
            await self._page.send("DeviceAccess.selectPrompt", id=prompt["id"], deviceId=device)
        else:
            await self._page.send("DeviceAccess.cancelPrompt", id=prompt["id"])

    # The link

    async def _on_link(self, event: dict) -> None:
        if not self.ends_attempts:
            return
        code = 0
        if event["type"] == "connection":
            try:
                await self._connect()
            except core.TimeoutError:
                code = NOT_ESTABLISHED
        await self._report("GATTOperationResponse", type=event["type"], code=code)

    async def _connect(self) -> None:
        device = self._central.device
        connection = await device.connect(self._ball.address, timeout=self.patience)
        self.visit = Visit(connection)
        self.visit.left.add_done_callback(lambda _: self._on_loss())
        async with asyncio.timeout(PATIENCE):
            if self._mtu:
                await self.visit.client.request_mtu(self._mtu)
            await self._discover()

    async def _discover(self) -> None:
        # The browser forgets the table with the link.
        self._characteristics = {}
        for service in await self.visit.client.discover_services():
            for characteristic in await service.discover_characteristics():
                await characteristic.discover_descriptors()
            await self._declare(service)

    async def _declare(self, service) -> None:
        send = self._devtools.send
        declared = await send(
            "BluetoothEmulation.addService",
            address=self._address,
            serviceUuid=_long(service.uuid),
        )
        for characteristic in service.characteristics:
            properties = {
                name: bool(characteristic.properties & 1 << bit)
                for bit, name in enumerate(PROPERTIES)
            }
            # A notification reaches the page as the response to a read.
            properties["read"] |= properties["notify"]
            reply = await send(
                "BluetoothEmulation.addCharacteristic",
                serviceId=declared["serviceId"],
                characteristicUuid=_long(characteristic.uuid),
                properties=properties,
            )
            self._characteristics[reply["characteristicId"]] = characteristic
            for descriptor in characteristic.descriptors:
                await send(
                    "BluetoothEmulation.addDescriptor",
                    characteristicId=reply["characteristicId"],
                    descriptorUuid=_long(descriptor.type),
                )

    def _on_loss(self) -> None:
        self._devtools.begin(self._report("GATTDisconnection"))

    async def _report(self, what: str, **parameters) -> None:
        """Simulates what has become of the link, as long as the browser has a radio.

        A link can end just before its test does: the test's end is then the next that runs, before this.
        """
        if self._is_open:
            await self._devtools.send(
                f"BluetoothEmulation.simulate{what}", address=self._address, **parameters
            )

    async def _on_departure(self, _: dict) -> None:
        # A page may disconnect after the ball has.
        if not self.visit.left.done():
            await self.visit.disconnect()

    # What the page does

    async def _on_operation(self, event: dict) -> None:
        identifier, kind = event["characteristicId"], event["type"]
        if kind == "read" and self._notified:
            return await self._respond(identifier, kind, 0, self._notified.pop(0))
        characteristic = self._characteristics[identifier]
        self.carried.append(f"{kind} {characteristic.uuid}")
        try:
            async with asyncio.timeout(PATIENCE):
                value = await self._carry(characteristic, event)
        except att.ATT_Error as error:
            self.carried.append(f"error {error.error_code:#04x}")
            return await self._respond(identifier, kind, error.error_code)
        await self._respond(identifier, kind, 0, value)

    async def _carry(self, characteristic: CharacteristicProxy, event: dict) -> bytes | None:
        match event["type"]:
            case "read":
                return bytes(await characteristic.read_value())
            case "write":
                value = base64.b64decode(event["data"])
                is_acknowledged = event["writeType"] != "write-without-response"
                await characteristic.write_value(self.alter(value), is_acknowledged)
            case "subscribe-to-notifications":
                uuid = _long(characteristic.uuid)
                await characteristic.subscribe(
                    lambda value: self._devtools.begin(self._notify(uuid, bytes(value)))
                )
            case "unsubscribe-from-notifications":
                await characteristic.unsubscribe()
            case other:
                raise AssertionError(f"The bridge does not know the operation {other}.")

    async def _respond(
        self, identifier: str, kind: str, code: int, value: bytes | None = None
    ) -> None:
        data = {} if value is None else {"data": base64.b64encode(value).decode()}
        # The link and its operation may have ended meanwhile.
        with contextlib.suppress(Refused):
            await self._devtools.send(
                "BluetoothEmulation.simulateCharacteristicOperationResponse",
                characteristicId=identifier,
                type=kind,
                code=code,
                **data,
            )

    # What the ball does

    async def _notify(self, uuid: str, value: bytes) -> None:
        self.notifications.append(value)
        async with self._heard:
            self._heard.notify_all()
        if not self.delivers:
            return
        # One at a time, until the page has received it.
        async with self._turn:
            await self._page.evaluate("bridge.idle()")
            self._notified.append(value)
            await self._page.evaluate(f"bridge.notify('{uuid}')")


def _long(uuid: UUID) -> str:
    """A UUID as browsers write it."""
    number = int.from_bytes(uuid.to_bytes(force_128=True), "little")
    return str(uuid_module.UUID(int=number))
