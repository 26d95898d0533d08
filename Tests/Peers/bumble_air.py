"""An independent air: Bumble's controllers, in process for Bumble's hosts, and behind sockets for
programs.

Its controllers route data by random address, never fragment data to the host, and repeat the
advertisement as the scan response. The link of a host that disconnects from its controller stays up.
"""

import asyncio
import contextlib

from bumble import hci
from bumble.controller import Controller
from bumble.device import Device
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

from programs import PATIENCE


@contextlib.asynccontextmanager
async def device_on(radio: str, **options):
    """A Bumble device on a radio behind a transport, not powered on; `options` are those of Device."""
    async with asyncio.timeout(PATIENCE):
        transport = await open_transport(radio)
    try:
        yield Device(host=Host(transport.source, transport.sink), **options)
    finally:
        await transport.close()


class BumbleAir:
    def __init__(self):
        self._link = LocalLink()
        self._controllers = 0

    async def device(self, number: int) -> Device:
        """A Bumble host on its own controller."""
        controller = self._controller()
        device = Device(
            address=hci.Address(f"E0:00:00:00:00:{number:02X}"),
            host=Host(controller, AsyncPipeSink(controller)),
        )
        return device

    @contextlib.asynccontextmanager
    async def served(self, transport_name: str, **options):
        """A controller for the program that connects to this `unix-server:` or `tcp-server:`."""
        transport = await open_transport(transport_name)
        try:
            self._controller(
                host_source=transport.source, host_sink=transport.sink, **options
            )
            yield
        finally:
            await transport.close()

    def _controller(self, has_public_address: bool = True, **transport) -> Controller:
        self._controllers += 1
        number = self._controllers if has_public_address else 0
        address = f"{'C0' if number else '00'}:00:00:00:00:{number:02X}"
        name = f"controller {self._controllers}"
        return Controller(name, link=self._link, public_address=address, **transport)
