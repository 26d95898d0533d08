"""The wake-ups and the memory of a ball that advertises without a central."""

import time

from adapters import ADDRESSES, Controllers, set_up
from att import Central
from checks import Checks
from programs import Ball

#: The duration of the observation, in seconds.
WATCH = 10

checks = Checks()
check = checks.check


with Controllers(), Ball("hci1") as ball:
    with check("the ball advertises"):
        ball.event("advertising")
    # Waits for the end of the start.
    time.sleep(2)

    with check(f"no wake-up in {WATCH} s of advertising") as saw:
        before = ball.wake_ups()
        time.sleep(WATCH)
        more = ball.wake_ups() - before
        # btvirt sends an advertiser no event before a connection.
        assert more == 0, f"woken {more} times"
        saw(f"{before} before, {more} since")

    with check("it has one thread") as saw:
        assert len(ball.statuses()) == 1, f"{len(ball.statuses())} threads"

    with check("memory with no board") as saw:
        saw(ball.memory())

    with check("a central wakes it, and it answers") as saw:
        set_up("hci0", True)
        before = ball.wake_ups()
        with Central(ADDRESSES[1]) as central:
            central.subscribe()
            central.ask("Are you awake?")
            saw(central.answer().decode())
        more = ball.wake_ups() - before
        assert more > 0, "it was not woken: the measurement is wrong"
        saw(f"woken {more} times")

checks.end()
