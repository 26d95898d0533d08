"""A ball that advertises, and that nobody visits: asleep, and small."""

import time

from adapters import ADDRESSES, Controllers, set_up
from att import Central
from checks import Checks
from programs import Ball

#: How long it is watched, in seconds.
WATCH = 10

checks = Checks()
check = checks.check


with Controllers(), Ball("hci1") as ball:
    with check("the ball advertises"):
        ball.event("advertising")
    # What belongs to the start is over.
    time.sleep(2)

    with check(f"no wake-up in {WATCH} s of advertising") as saw:
        before = ball.wake_ups()
        time.sleep(WATCH)
        more = ball.wake_ups() - before
        # btvirt tells an advertiser nothing unless a central comes.
        assert more == 0, f"woken {more} times"
        saw(f"{before} before, {more} since")

    with check("one thread") as saw:
        assert len(ball.statuses()) == 1, f"{len(ball.statuses())} threads"

    with check("memory with no board") as saw:
        saw(ball.memory())

    with check("it wakes up for a central, and answers") as saw:
        set_up("hci0", True)
        before = ball.wake_ups()
        with Central(ADDRESSES[1]) as central:
            central.subscribe()
            central.ask("Are you awake?")
            saw(central.answer().decode())
        more = ball.wake_ups() - before
        assert more > 0, "and yet it was not woken: the measure is wrong"
        saw(f"woken {more} times")

checks.end()
