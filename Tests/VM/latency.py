"""How long an answer takes, and how much memory a ball needs, alone and beside bluetoothd on the same kernel: for the
kernel's central with `eightball run` and with eightballd, and for `eightball ask --stay` with a ball on a user channel.
Nothing here limits the times of an emulated machine."""

import os
import statistics
import subprocess
import time

from adapters import ADDRESSES, Controllers, bluetooth_service, set_up
from att import Central
from checks import Checks
from programs import Ball, eightball, eventually
from ways import Way

COUNT = 100
NOT_FOUND = 66

checks = Checks()


def show(times: list[float]) -> str:
    """The median and the longest of these seconds."""
    return f"{statistics.median(times) * 1_000:.1f} ms, at most {max(times) * 1_000:.1f} ms"


def ask_as_kernel() -> list[float]:
    """How long each answer takes from the question on, for the kernel's central."""
    times = []
    with Central(ADDRESSES[1]) as central:
        central.exchange_mtu(185)
        central.subscribe()
        for number in range(COUNT):
            start = time.monotonic()
            central.ask(f"Is it {number}?")
            central.answer()
            times.append(time.monotonic() - start)
    return times


def ask_as_program(radio: str) -> list[float] | None:
    """The same for `eightball ask --stay`, whose lines are counted, too; None if it has not found the ball."""
    times = []
    command = [eightball(), "ask", "--stay", "--json", "--radio", radio, "--timeout", "45"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as program:
        # The first answer also needs the search and the connection.
        for number in range(COUNT + 1):
            start = time.monotonic()
            print(f"Is it {number}?", file=program.stdin, flush=True)
            if not any('"answer"' in line for line in program.stdout):
                assert number == 0 and program.wait() == NOT_FOUND, program.returncode
                return None
            times.append(time.monotonic() - start)
        program.stdin.close()
        assert program.wait(60) == 0, program.returncode
    return times[1:]


for program in ("eightball run", "eightballd"):
    if program == "eightballd":
        os.environ["BALL"] = os.environ["DAEMON"]
    for way in Way:
        with way.ball("--seed", "8") as ball:
            ball.event("advertising")
            set_up("hci0", True)
            with checks.check(way.name(f"an answer of {program} takes")) as saw:
                saw(show(ask_as_kernel()))
                saw(ball.memory())
os.environ.pop("BALL")

with Controllers(), Ball("hci1", "--seed", "8") as ball:
    ball.event("advertising")
    with checks.check(Way.ALONE.name("an answer for eightball ask takes")) as saw:
        saw(show(ask_as_program("hci0")))
    with bluetooth_service(powers_adapters=True):
        way = Way.BESIDE_BLUETOOTHD
        with checks.check(way.name("an answer for eightball ask takes")) as saw:
            # btvirt reports an advertiser once in a scan, perhaps before the kernel listens.
            times = eventually("it asks", lambda: ask_as_program(way.radio("hci0")), patience=300)
            saw(show(times))

checks.end()
