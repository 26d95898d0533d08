"""An independent air: Bumble's controllers, in process for Bumble's own hosts and behind sockets
for programs.

Its controllers route data by random address, never fragment towards the host, and repeat the
advertisement as the scan response; a host that goes leaves its link up.
"""

import contextlib

from bumble import hci
from bumble.controller import Controller
from bumble.device import Device
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink


class BumbleAir:
    def __init__(self):
        self._link = LocalLink()
        self._controllers = 0

    async def device(self, number: int) -> Device:
        """A Bumble host on a controller of its own, powered on."""
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
