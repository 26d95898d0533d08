"""`eightball swarm` under test: its start, its balls on the air, and its memory."""

import asyncio
import contextlib
import pathlib

from central import Central, Finding
from programs import PATIENCE, Program, eightball


@contextlib.asynccontextmanager
async def swarm_running(*options: str, environment: dict[str, str] | None = None):
    """`eightball swarm` with these options. All its balls advertise."""
    command = [eightball(), "swarm", "--json", *options]
    async with Program(*command, environment=environment) as swarm:
        await swarm.event("swarm")
        yield swarm


def addresses(swarm: Program) -> dict[int, str]:
    """The address of each ball by its number."""
    return {event["ball"]: event["address"] for event in swarm.events("advertising")}


async def find_all(central: Central, count: int) -> dict[str, Finding]:
    """Scans until `count` balls are found with their names; by address."""
    found: dict[str, Finding] = {}
    complete: set = set()
    async with central.scanning(filter_duplicates=True) as (findings, heard):
        try:
            # For a thousand balls it takes seconds of a processor.
            async with asyncio.timeout(5 * PATIENCE), heard:
                while len(found) < count:
                    for address in findings.keys() - complete:
                        if findings[address].is_complete_ball:
                            complete.add(address)
                            found[str(address).split("/")[0]] = findings[address]
                    if len(found) < count:
                        await heard.wait()
        except TimeoutError:
            raise AssertionError(f"Found {len(found)} of {count} balls.") from None
    return found


class Idle:
    """The memory and wake-ups of an idle program."""

    def __init__(self, process: int):
        self._folder = pathlib.Path(f"/proc/{process}")

    @property
    def memory(self) -> int:
        """Its resident memory, in bytes."""
        rollup = (self._folder / "smaps_rollup").read_text()
        return 1024 * int(_field(rollup, "Rss:").split()[0])

    @property
    def wake_ups(self) -> int:
        """The number of times that its only thread has slept."""
        return int(_field((self._folder / "status").read_text(), "voluntary_ctxt_switches:"))


    async def sleeps(self) -> None:
        """Waits until it sleeps in a system call, and off the processor."""
        async with asyncio.timeout(PATIENCE):
            # proc_pid_syscall(5)
            while (self._folder / "syscall").read_text() == "running\n":
                await asyncio.sleep(0.01)


def _field(text: str, name: str) -> str:
    (line,) = [line for line in text.splitlines() if line.startswith(name)]
    return line.removeprefix(name).strip()
