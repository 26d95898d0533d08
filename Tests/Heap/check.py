"""Checks that a running ball does not use the heap. Counts the heap calls during some questions and visits,
and during ten times as many.

usage: check.py COUNTER.so

The program is `eightball run` with text and JSON output. It must make no call after its start.
"""

import asyncio
import contextlib
import pathlib
import socket
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Peers"))

import worlds
from central import Central, Visit
from programs import Program, eightball


class Heap:
    """The number of heap calls of the programs started in its environment."""

    def __init__(self, counter: str, path: pathlib.Path):
        self._path = path
        self.environment = {"LD_PRELOAD": counter, "EIGHTBALL_HEAP_COUNT": str(path)}

    @property
    def calls(self) -> int:
        return struct.unpack("<Q", self._path.read_bytes())[0]

    async def calls_during(self, number: int, action) -> int:
        before = self.calls
        for _ in range(number):
            await action()
        return self.calls - before


Row = tuple[str, int, int]

NO_PARTS = ("--set", "display=none", "--set", "motion=none")


async def measure(ball: Heap, program: Program, radio: str) -> list[Row]:
    """Each action on the ball, with the calls for a few and for ten times as many."""
    rows = []

    async def row(name: str, few: int, action) -> None:
        # Not counted: the first actions, which may initialise something.
        await ball.calls_during(3, action)
        counts = [await ball.calls_during(number, action) for number in (few, 10 * few)]
        rows.append((name, *counts))

    async with contextlib.AsyncExitStack() as stack:
        # Each row has its own central, which stays connected: the limit of lines is per connection.
        async def visitor() -> Visit:
            central = await stack.enter_async_context(Central.opened(radio, len(rows) + 1))
            visit = await central.visit(mtu=517)
            await visit.subscribe()
            return visit

        async def answered() -> None:
            await visit.next_answer()
            # After one more round trip, all work for the question is done.
            await visit.read_answer()

        async def ask() -> None:
            await visit.ask("Does this cost anything?")
            await answered()

        async def ask_at_length() -> None:
            await visit.client.write_long_value(visit.question.handle, b"x" * 511 + b"?")
            await answered()

        async def state() -> None:
            await visit.refusal_of("This costs nothing.")
            await visit.read_answer()

        visit = await visitor()
        await row("a question", 20, ask)
        visit = await visitor()
        await row("a long write of 512 bytes", 20, ask_at_length)
        visit = await visitor()
        await row("a statement refused", 20, state)
        last = await stack.enter_async_context(Central.opened(radio, len(rows) + 1))

        async def come_and_go() -> None:
            await (await last.visit()).disconnect()

        await row("a central comes and goes", 3, come_and_go)
        if any("left out" in line or "omitted" in line for line in program.output):
            raise AssertionError("Lines were left out, so the count lacks their calls.")

        async def flood() -> None:
            visit = await last.visit()
            for _ in range(600):
                await visit.question.write_value(b"This costs nothing.", with_response=False)
            await visit.read_answer()
            await visit.disconnect()

        await row("more lines than are printed", 1, flood)
    return rows


def service_environment(path: pathlib.Path) -> dict[str, str]:
    """Starts a service manager that gets a watchdog notification a hundred times a second."""
    mailbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    mailbox.bind(str(path))
    asyncio.get_running_loop().add_reader(mailbox, mailbox.recv, 512)
    return {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "20000"}


def show(title: str, rows: list[Row]) -> None:
    print(f"{title:<40}{'a few':>10}{'ten times':>12}")
    for name, few, many in rows:
        print(f"  {name:<38}{few:>10}{many:>12}")


async def main(counter: str) -> int:
    failed = False
    for title, arguments in [
        ("", []),
        (" --json", ["--json"]),
        # The models of a display and of a motion sensor allocate; the drivers are also those of eightballd, which has
        # no heap.
        (" --board virtual without the models of parts", ["--board", "virtual", *NO_PARTS]),
        (" as a service", []),
    ]:
        with tempfile.TemporaryDirectory(prefix="8ball-") as name:
            folder = pathlib.Path(name)
            async with worlds.our_air(folder) as (radio, _):
                heap = Heap(counter, folder / "count")
                heap.environment["EIGHTBALL_CONTROL"] = str(folder / "control")
                if "service" in title:
                    heap.environment |= service_environment(folder / "notify")
                async with Program(
                    eightball(), "run", "--radio", radio, *arguments, environment=heap.environment
                ) as program:
                    await program.line(lambda line: "dvertising" in line, "advertising")
                    rows = await measure(heap, program, radio)
            if heap.calls == 0:
                print("The counter does not work: it counted no call during the start. Check LD_PRELOAD.")
                failed = True
        show(f"heap calls of eightball run{title}", rows)
        failed = failed or any(few or many for _, few, many in rows)
    if failed:
        print("The ball made heap calls after its start. Find them in the rows above that are not 0.")
    return 1 if failed else 0


sys.exit(asyncio.run(main(*sys.argv[1:])))
