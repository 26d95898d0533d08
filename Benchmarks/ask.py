"""`ask.py RADIO COUNT`: asks the first ball COUNT questions, one after another, by Bumble:
subscribes, writes, waits for the answer, and unsubscribes each time. Prints one JSON object."""

import asyncio
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "Peers"))

from central import Central  # noqa: E402


async def main(radio: str, count: int) -> None:
    async with Central.opened(radio) as central:
        visit = await central.visit(mtu=517)
        times = []
        start = time.perf_counter()
        for number in range(count):
            begin = time.perf_counter()
            await visit.subscribe()
            await visit.ask(f"Is this number {number}?")
            await visit.next_answer()
            times.append(time.perf_counter() - begin)
            await visit.unsubscribe()
        total = time.perf_counter() - start
        await visit.disconnect()
    median = int(statistics.median(times) * 1e6)
    print(
        json.dumps(
            {
                "client": "Bumble",
                "asks": count,
                "seconds": round(total, 4),
                "median_microseconds": median,
            }
        )
    )


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
