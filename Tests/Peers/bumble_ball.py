"""A Magic 8-Ball with Bumble's GATT server: a peer for `eightball ask`, and a reference for the central of
these tests."""

import asyncio
import contextlib
from enum import Enum

from bumble import att, hci
from bumble.core import AdvertisingData
from bumble.device import Connection, Device
from bumble.gatt import Characteristic, CharacteristicValue, Service

import eight_ball
from bumble_air import device_on
from programs import PATIENCE


class Manner(Enum):
    """The ball's behaviour for a valid question."""

    ANSWERING = "answers"
    REFUSING = "refuses every question"
    LEAVING = "ends the connection when it is asked"


class BumbleBall:
    def __init__(
        self,
        device: Device,
        manner: Manner = Manner.ANSWERING,
        name: str = "8-Ball",
        answer: str = "Yes – definitely.",
        has_service: bool = True,
        is_protected: bool = False,
    ):
        self.device = device
        self.manner = manner
        self.name = name
        self.text = answer
        self.questions: list[str] = []
        self._pending: set[Connection] = set()
        self._last_answer: dict[Connection, bytes] = {}
        properties, permissions = Characteristic.Properties, Characteristic.Permissions
        self._question = Characteristic(
            eight_ball.QUESTION,
            properties.WRITE | properties.WRITE_WITHOUT_RESPONSE,
            permissions.WRITEABLE
            | (permissions.WRITE_REQUIRES_ENCRYPTION if is_protected else permissions(0)),
            CharacteristicValue(write=self._on_question),
        )
        self._answer = Characteristic(
            eight_ball.ANSWER,
            properties.READ | properties.NOTIFY,
            permissions.READABLE,
            CharacteristicValue(read=lambda peer: self._last_answer.get(peer, b"")),
        )
        if has_service:
            device.add_service(Service(eight_ball.SERVICE, [self._question, self._answer]))
        self._answer.on(self._answer.EVENT_SUBSCRIPTION, self._on_subscription)
        # A connection stops the advertising, which the next central needs.
        device.on(device.EVENT_CONNECTION, lambda _: asyncio.create_task(self.advertise()))

    @staticmethod
    @contextlib.asynccontextmanager
    async def opened(radio: str, **options):
        """A ball on `radio`, advertising; the keywords are those of the initialiser."""
        address = hci.Address("E0:00:00:00:00:B0")
        async with device_on(radio, name=options.get("name", "8-Ball"), address=address) as device:
            ball = BumbleBall(device, **options)
            async with asyncio.timeout(PATIENCE):
                await device.power_on()
                await ball.advertise()
            yield ball

    async def advertise(self) -> None:
        kind = AdvertisingData.Type
        name = (kind.COMPLETE_LOCAL_NAME, self.name.encode())
        advertisement = [
            (kind.FLAGS, bytes([0x06])),
            (kind.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(eight_ball.SERVICE)),
        ]
        fits = len(name[1]) <= 8
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData(advertisement + [name] * fits)),
            scan_response_data=bytes(AdvertisingData([name])),
            advertising_interval_min=20,
            advertising_interval_max=20,
        )

    async def _on_question(self, peer: Connection, value: bytes) -> None:
        try:
            question = bytes(value).decode()
        except UnicodeDecodeError:
            raise att.ATT_Error(eight_ball.NOT_TEXT) from None
        if self.manner is Manner.REFUSING or not question.endswith("?"):
            raise att.ATT_Error(eight_ball.NOT_A_QUESTION)
        self.questions.append(question)
        if self.manner is Manner.ANSWERING:
            self._pending.add(peer)
            # After the response to the write, which goes out when this method returns.
            asyncio.get_running_loop().call_soon(self._answer_if_subscribed, peer)
        elif self.manner is Manner.LEAVING:
            asyncio.get_running_loop().create_task(peer.disconnect())

    def _on_subscription(self, bearer, notify: bool, _indicate: bool) -> None:
        if notify:
            asyncio.get_running_loop().call_soon(self._answer_if_subscribed, bearer)

    def _answer_if_subscribed(self, peer: Connection) -> None:
        if peer not in self._pending or not self._is_subscribed(peer):
            return
        self._pending.discard(peer)
        self._last_answer[peer] = self.text.encode()
        asyncio.get_running_loop().create_task(
            self.device.notify_subscriber(peer, self._answer, self.text.encode())
        )

    def _is_subscribed(self, peer: Connection) -> bool:
        cccd = self.device.gatt_server.read_cccd(peer, self._answer)
        return bool(int.from_bytes(cccd, "little") & 1)
