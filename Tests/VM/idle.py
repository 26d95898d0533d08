"""A ball that advertises, and that nobody visits: asleep, and small."""

import pathlib
import re
import time

from adapters import ADDRESSES, Controllers, set_up
from att import Central
from checks import Checks
from programs import Ball

#: How long it is watched, in seconds.
WATCH = 10

checks = Checks()
check = checks.check


def statuses(ball: Ball) -> list[dict[str, int]]:
    """The numbers in /proc/…/status of each of its threads."""
    folders = pathlib.Path(f"/proc/{ball.pid}/task").iterdir()
    texts = [(folder / "status").read_text() for folder in folders]
    return [
        {name: int(number) for name, number in re.findall(r"^(\w+):\s+(\d+)", text, re.M)}
        for text in texts
    ]


def wake_ups(ball: Ball) -> int:
    """How often it has gone to sleep and been woken."""
    return sum(status["voluntary_ctxt_switches"] for status in statuses(ball))


with Controllers(), Ball("hci1") as ball:
    with check("the ball advertises"):
        ball.event("advertising")
    # What belongs to the start is over.
    time.sleep(2)

    with check(f"no wake-up in {WATCH} s of advertising") as saw:
        before = wake_ups(ball)
        time.sleep(WATCH)
        more = wake_ups(ball) - before
        # btvirt tells an advertiser nothing unless a central comes.
        assert more == 0, f"woken {more} times"
        saw(f"{before} before, {more} since")

    with check("one thread") as saw:
        assert len(statuses(ball)) == 1, f"{len(statuses(ball))} threads"

    with check("memory") as saw:
        status = statuses(ball)[0]
        saw(", ".join(f"{name} {status[name]} kB" for name in ("VmRSS", "RssAnon", "VmHWM")))

    with check("it wakes up for a central, and answers") as saw:
        set_up("hci0", True)
        before = wake_ups(ball)
        with Central(ADDRESSES[1]) as central:
            central.subscribe()
            central.ask("Are you awake?")
            saw(central.answer().decode())
        more = wake_ups(ball) - before
        assert more > 0, "and yet it was not woken: the measure is wrong"
        saw(f"woken {more} times")

checks.end()
