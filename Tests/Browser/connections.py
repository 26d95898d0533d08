"""The connections to a server of this machine, as the kernel has them."""

import asyncio
import dataclasses
import pathlib

from programs import PATIENCE

#: The number of a state in /proc/net/tcp: include/net/tcp_states.h of Linux.
_ESTABLISHED = 1


@dataclasses.dataclass
class Connection:
    """The server's end of a connection."""

    #: The client's port.
    client: int
    #: Whether it is established, and the server has accepted it and not closed it.
    is_served: bool
    #: How many bytes the server has not read.
    unread: int


def connections(port: int) -> list[Connection]:
    """The server's ends of the connections to this port of 127.0.0.1: proc(5), /proc/net/tcp."""
    found = []
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, queues, _, _, _, _, inode = line.split()[:10]
        if int(local.rpartition(":")[2], 16) == port and remote != "00000000:0000":
            # A socket that no program has open has no inode.
            is_served = int(state, 16) == _ESTABLISHED and inode != "0"
            unread = int(queues.rpartition(":")[2], 16)
            found.append(Connection(int(remote.rpartition(":")[2], 16), is_served, unread))
    return found


async def until(port: int, accept, description: str) -> None:
    """Waits until `accept` is true of the connections to a port."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not accept(connections(port)):
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"Timed out waiting for {description}: {connections(port)}") from None
