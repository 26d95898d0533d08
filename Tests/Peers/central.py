"""An independent central: Bumble's host on any radio."""

import asyncio
import contextlib
import weakref
from dataclasses import dataclass, field

from bumble import att, hci
from bumble.core import AdvertisingData, UUID
from bumble.device import Connection, Device
from bumble.gatt_client import CharacteristicProxy

import eight_ball
from bumble_air import device_on
from programs import PATIENCE

ATT_CHANNEL = 0x0004
SIGNALLING_CHANNEL = 0x0005
SECURITY_CHANNEL = 0x0006


@dataclass
class Finding:
    """An advertiser's advertisement and, in an active scan, its scan response."""

    address: hci.Address
    advertisement: AdvertisingData = field(default_factory=AdvertisingData)
    scan_response: AdvertisingData | None = None

    @property
    def services(self) -> list[UUID]:
        kinds = AdvertisingData.Type
        lists = (
            kinds.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
            kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
        )
        return [service for kind in lists for service in self.advertisement.get(kind) or []]

    @property
    def name(self) -> str | None:
        for data in (self.advertisement, self.scan_response or AdvertisingData()):
            if name := data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME):
                return name
        return None

    @property
    def is_complete_ball(self) -> bool:
        return self.scan_response is not None and eight_ball.SERVICE in self.services


#: When and why each connection of a central ends.
_ends: weakref.WeakKeyDictionary[Connection, asyncio.Future[int]] = weakref.WeakKeyDictionary()


def _watch(connection: Connection) -> None:
    end = _ends[connection] = asyncio.get_running_loop().create_future()
    connection.once(
        connection.EVENT_DISCONNECTION, lambda reason: end.done() or end.set_result(reason)
    )


def end_of(connection: Connection) -> asyncio.Future[int]:
    """The reason for the end of a central's connection, which may have come before the test continued."""
    return _ends[connection]


class Visit:
    """One connection to a ball, with its characteristics once they are discovered."""

    def __init__(self, connection: Connection):
        self.connection = connection
        self.client = connection.gatt_client
        self.answers: asyncio.Queue[str] = asyncio.Queue()
        self.left = end_of(connection)
        self.question: CharacteristicProxy
        self.answer: CharacteristicProxy

    async def discover_ball(self) -> None:
        """Discovers only the 8-Ball's service, as an app does."""
        (service,) = await self.client.discover_service(eight_ball.SERVICE)
        await service.discover_characteristics()
        (self.question,) = service.get_characteristics_by_uuid(eight_ball.QUESTION)
        (self.answer,) = service.get_characteristics_by_uuid(eight_ball.ANSWER)

    async def subscribe(self) -> None:
        await self.answer.subscribe(self._on_answer)

    async def unsubscribe(self) -> None:
        await self.answer.unsubscribe(self._on_answer)

    async def ask(self, question: str | bytes) -> None:
        """Writes the question with a response, as a long write if it does not fit the MTU."""
        value = question.encode() if isinstance(question, str) else question
        await self.question.write_value(value, with_response=True)

    async def next_answer(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return await self.answers.get()

    async def read_answer(self) -> str:
        return (await self.answer.read_value()).decode()

    async def refusal_of(self, question: str | bytes) -> int:
        """The ATT error with which the ball refuses the question; fails if it accepts."""
        try:
            await self.ask(question)
        except att.ATT_Error as error:
            return error.error_code
        raise AssertionError(f"The ball accepted {question!r}.")

    async def disconnect(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.connection.disconnect()
            await self.left

    async def has_left(self) -> int:
        """Waits for the end of the link; its reason."""
        async with asyncio.timeout(PATIENCE):
            return await self.left

    def _on_answer(self, value: bytes) -> None:
        self.answers.put_nowait(value.decode())


class Central:
    """Bumble's host in the central role. Use `opened` for a radio behind a socket."""

    def __init__(self, device: Device):
        self.device = device
        device.on(device.EVENT_CONNECTION, _watch)
        self._raw: dict[int, asyncio.Queue[bytes]] = {}

    @staticmethod
    @contextlib.asynccontextmanager
    async def opened(radio: str, number: int = 1):
        """A central on `radio`, powered on; `number` is the last byte of its address."""
        address = hci.Address(f"E0:00:00:00:00:{number:02X}")
        async with device_on(radio, address=address) as device:
            async with asyncio.timeout(PATIENCE):
                await device.power_on()
            yield Central(device)

    @contextlib.asynccontextmanager
    async def scanning(self, filter_duplicates: bool = False):
        """A dictionary of findings by address, updated during the scan.

        With a filter, the controller reports each advertisement once.
        """
        findings: dict[hci.Address, Finding] = {}
        heard = asyncio.Condition()

        def on_report(report) -> None:
            finding = findings.setdefault(report.address, Finding(report.address))
            data = AdvertisingData.from_bytes(bytes(report.data))
            if _is_scan_response(report):
                finding.scan_response = data
            else:
                finding.advertisement = data
            asyncio.get_running_loop().create_task(announce())

        async def announce() -> None:
            async with heard:
                heard.notify_all()

        self.device.host.on("advertising_report", on_report)
        try:
            await self.device.start_scanning(filter_duplicates=filter_duplicates)
            yield findings, heard
            await self.device.stop_scanning()
        finally:
            self.device.host.remove_listener("advertising_report", on_report)

    async def advertisement(self, matches):
        """The first advertisement that matches, on any PHY."""
        result = asyncio.get_running_loop().create_future()

        def on_advertisement(advertisement) -> None:
            if matches(advertisement):
                result.done() or result.set_result(advertisement)

        self.device.on("advertisement", on_advertisement)
        await self.device.start_scanning()
        async with asyncio.timeout(PATIENCE):
            advertisement = await result
        await self.device.stop_scanning()
        self.device.remove_listener("advertisement", on_advertisement)
        return advertisement

    async def find(self, name: str | None = None) -> Finding:
        """Scans until a ball (of this name) is found, with its scan response."""

        return await self._find(lambda it: it.is_complete_ball and name in (None, it.name))

    async def find_service(self, service: UUID) -> Finding:
        """Scans until a device with this service is found."""
        return await self._find(lambda it: service in it.services)

    async def find_named(self, name: str) -> Finding:
        """Scans until a device with this name is found, with its scan response."""
        return await self._find(lambda it: it.scan_response is not None and it.name == name)

    async def _find(self, matches) -> Finding:
        async with self.scanning() as (findings, heard):
            try:
                async with asyncio.timeout(PATIENCE), heard:
                    while not (found := [f for f in findings.values() if matches(f)]):
                        await heard.wait()
            except TimeoutError:
                raise AssertionError(f"No such device among {findings}.") from None
        return found[0]

    async def finds_within(self, seconds: float) -> list[Finding]:
        """The balls found in this time, to check that there are none."""
        async with self.scanning() as (findings, _):
            await asyncio.sleep(seconds)
        return [finding for finding in findings.values() if eight_ball.SERVICE in finding.services]

    async def visit(self, finding: Finding | None = None, mtu: int | None = None) -> Visit:
        """Connects to a ball (by default the first found) and discovers its service."""
        visit = Visit(await self.connect(finding))
        async with asyncio.timeout(PATIENCE):
            if mtu:
                await visit.client.request_mtu(mtu)
            await visit.discover_ball()
        return visit

    async def connect(self, finding: Finding | None = None) -> Connection:
        finding = finding or await self.find()
        return await self.device.connect(finding.address, timeout=PATIENCE)

    # Whole PDUs, without Bumble's protocol layers.

    def tap(self, *channels: int) -> None:
        """From now on, PDUs on these fixed channels go only to `raw_reply`."""
        manager = self.device.l2cap_channel_manager
        usual = manager.on_pdu
        self._raw = {channel: asyncio.Queue() for channel in channels}

        def on_pdu(connection: Connection, channel: int, pdu: bytes) -> None:
            if queue := self._raw.get(channel):
                queue.put_nowait(bytes(pdu))
            else:
                usual(connection, channel, pdu)

        manager.on_pdu = on_pdu

    def send_raw(self, connection: Connection, channel: int, pdu: bytes) -> None:
        connection.send_l2cap_pdu(channel, pdu)

    async def raw_reply(self, channel: int) -> bytes:
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._raw[channel].get()
        except TimeoutError:
            raise AssertionError(f"Nothing came back on channel {channel:#06x}.") from None

    async def exchange(self, connection: Connection, channel: int, pdu: bytes) -> bytes:
        self.send_raw(connection, channel, pdu)
        return await self.raw_reply(channel)


def _is_scan_response(report) -> bool:
    legacy = hci.HCI_LE_Advertising_Report_Event
    if isinstance(report, legacy.Report):
        return report.event_type == legacy.EventType.SCAN_RSP
    extended = hci.HCI_LE_Extended_Advertising_Report_Event.EventType
    return bool(report.event_type & extended.SCAN_RESPONSE)
