"""Does the ball take memory per question? Counts heap calls over N questions and over 10 N.

usage: check.py COUNTER.so
"""

import asyncio
import contextlib
import pathlib
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Peers"))

import worlds
from central import Central

FEW, MANY = 20, 200
FEW_VISITS, MANY_VISITS = 3, 30


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


async def questions(ball: Heap, radio: str) -> list[tuple[str, int, int]]:
    async with Central.opened(radio) as central:
        visit = await central.visit(mtu=517)
        await visit.subscribe()

        async def ask():
            await visit.ask("Does this cost anything?")
            await visit.next_answer()
            # One more round trip: by its end, all work for the question is done.
            await visit.read_answer()

        async def refused():
            await visit.refusal_of("This costs nothing.")

        async def long_write():
            await visit.client.write_long_value(visit.question.handle, b"x" * 511 + b"?")
            await visit.next_answer()
            await visit.read_answer()

        rows = []
        for name, action in [
            ("a question answered", ask),
            ("a statement refused", refused),
            ("a long question", long_write),
        ]:
            await ball.calls_during(3, action)
            few = await ball.calls_during(FEW, action)
            many = await ball.calls_during(MANY, action)
            rows.append((name, few, many))
        await visit.disconnect()

        async def whole_visit():
            visit = await central.visit()
            await visit.disconnect()

        await ball.calls_during(2, whole_visit)
        few = await ball.calls_during(FEW_VISITS, whole_visit)
        many = await ball.calls_during(MANY_VISITS, whole_visit)
        rows.append(("a central comes and goes", few, many))
        return rows


async def main(counter: str) -> int:
    with tempfile.TemporaryDirectory(prefix="8ball-") as name:
        folder = pathlib.Path(name)
        ball = Heap(counter, folder / "ball")
        async with contextlib.AsyncExitStack() as stack:
            enter = stack.enter_async_context
            radio, _ = await enter(worlds.our_air(folder))
            await enter(worlds.ball_running("--radio", radio, environment=ball.environment))
            at_start = ball.calls
            rows = await questions(ball, radio)
    if at_start == 0:
        print("The counter does not count: even a start takes memory.")
        return 1
    print(f"heap calls to start: {at_start}")
    print(f"{'and then':<28}{'few':>8}{'ten times':>12}")
    for name, few, many in rows:
        print(f"{name:<28}{few:>8}{many:>12}")
    if any(few or many for _, few, many in rows):
        print("The ball takes memory from the heap while it runs; it must not.")
        return 1
    return 0


sys.exit(asyncio.run(main(sys.argv[1])))
