"""Programs that use an adapter in both roles, each alone and beside bluetoothd: `eightball ask` and its relatives with
a ball, and a CBPeripheralManager with the kernel's central."""

import contextlib
import os

from adapters import ADDRESSES, Controllers, bluetooth_service, is_up, set_up
from att import Central
from checks import Checks
from kernel_ball import KernelBall
from programs import Ball, Program, eightball, eventually, run
from ways import Way, powered_service

NOT_A_QUESTION = 0x0E
NOT_FOUND = 66
LONGEST_QUESTION = "x" * 511 + "?"

checks = Checks()


class ProgramBall(Ball):
    """A ball on hci1's user channel: bluetoothd has the ATT channel of the adapters that it sees."""

    def answer_to(self, question: str) -> str:
        """Its answer to this question, which must be the next one."""
        asked = self.event("question")["text"]
        assert asked == question, asked
        return self.event("answer")["text"]


@contextlib.contextmanager
def ball_for(way: Way):
    """A ball for a central on the other adapter, and the radio of the central."""
    with Controllers():
        if way is Way.ALONE:
            with KernelBall("hci0", "Kernel Ball", "Outlook good.") as ball:
                yield ball, "hci1"
        else:
            with ProgramBall("hci1", "--seed", "8") as ball, bluetooth_service(powers_adapters=True):
                ball.event("advertising")
                yield ball, way.radio("hci0")


def check_central(way: Way) -> None:
    """The checks of a central that uses its adapter in this way."""

    def check(name: str):
        return checks.check(way.name(name))

    with ball_for(way) as (ball, radio):

        def use(*command: str):
            """Runs a command of the program until it has found the ball."""

            def attempt():
                # btvirt reports an advertiser once in a scan, perhaps before the kernel listens.
                ended = run(
                    eightball(), *command, "--radio", radio, "--timeout", "45", patience=120
                )
                return ended if ended.returncode != NOT_FOUND else None

            return eventually("the program finds the ball", attempt, patience=300)

        def ask(question: str):
            return use("ask", question)

        with check("a ball answers eightball ask") as saw:
            asked = ask("Will it rain?")
            assert asked.returncode == 0, asked
            assert ball.answer_to("Will it rain?") in asked.stdout, asked
            saw(asked.stdout)

        with check("a question of 512 bytes arrives whole"):
            asked = ask(LONGEST_QUESTION)
            assert asked.returncode == 0, asked
            assert ball.answer_to(LONGEST_QUESTION) in asked.stdout, asked

        with check("a statement ends with status 65") as saw:
            asked = ask("It will rain.")
            assert asked.returncode == 65, asked
            saw(asked.stdout)

        if way is Way.ALONE:
            with check("hci1 is returned to the kernel, down as before"):
                assert not is_up("hci1"), "hci1 is up"
            return
        # The kernel's ball has only what asking needs.
        address = ADDRESSES[1]

        def gatt(*command: str):
            return use("gatt", address, *command)

        with check("a second program, which begins while bluetoothd ends the link of a first, has a link of its own"):
            asked = ask("Will it thaw?")
            # bluetoothd takes 2 s, in which the second one connects unless the machine is slow:
            # BlueZCentralConnectionTests has the case at injected times.
            heard = gatt("subscribe", "0x001F", "for", "5s")
            assert asked.returncode == 0 and ball.answer_to("Will it thaw?") in asked.stdout, asked
            assert heard.returncode == 0, heard
            ball.event("subscribed", on=True)

        with check("eightball gatt reads, writes, subscribes and has bluetoothd's handles") as saw:
            used = gatt(
                "discover", ",", "mtu", ",", "write", "0x001D", 'text "Will it snow?"', ",",
                "subscribe", "0x001F", "1", ",", "read", "0x001F",
            )
            assert used.returncode == 0, used
            answer = ball.answer_to("Will it snow?")
            assert answer in used.stdout and "517" in used.stdout, used
            saw(answer)

        with check("eightball gatt reports a refusal, and what bluetoothd does not have") as saw:
            refused = gatt("write", "0x001D", 'text "It will snow."')
            assert refused.returncode == 65, refused
            channel = gatt("channel", "0x0080", "1", 'text "Hello"')
            assert channel.returncode in (65, 67), channel
            # This ball cannot pair: bluetoothd has tried, and connected again.
            pairing = gatt("pair", "--pair")
            assert pairing.returncode == 64 and "bluetoothd pairs" in pairing.stdout, pairing
            saw(" ".join(each.stdout for each in (refused, channel, pairing)))

        with check("eightball gatt has the signal strength of the advertisement by which it found the ball") as saw:
            strength = gatt("rssi")
            # btvirt has none: each of its advertising reports has 127.
            assert strength.returncode == 69, strength
            assert "does not know the signal strength" in strength.stdout, strength
            saw(strength.stdout)

        with check("eightball clone has what bluetoothd shows of the ball") as saw:
            cloned = use("clone", address)
            assert cloned.returncode == 0, cloned
            assert "8e38140a-27be-4090-8955-4fc4b5698d1e" in cloned.stdout.lower(), cloned
            assert "1800" not in cloned.stdout, cloned
            saw(f"{len(cloned.stdout.splitlines())} lines")

        with check("the adapter's other programs keep it: it is up, and bluetoothd powers it"):
            assert is_up("hci0"), "hci0 is down"

        with check("the ball vanishes while it is connected: the program ends with a message") as saw:
            with Program(
                eightball(), "gatt", address, "subscribe", "0x001F", "5", "for", "300s", "--radio", radio, "--timeout",
                "300",
            ) as program:
                ball.event("subscribed", on=True)
                ball.stop()
                status = eventually("it ends", program.status, patience=120)
                saw(f"status {status}")


def check_peripheral(way: Way) -> None:
    """The checks of a CBPeripheralManager that uses hci1 in this way."""

    def check(name: str):
        return checks.check(way.name(name))

    environment = {**os.environ, "EIGHTBALL_RADIO": way.radio("hci1")}
    with contextlib.ExitStack() as stack:
        stack.enter_context(Controllers())
        if way is Way.ALONE:
            set_up("hci0", True)
        else:
            stack.enter_context(powered_service())
        ball = stack.enter_context(
            Program(f"{os.environ['EXAMPLES']}/hundred-line-ball", "Hundred", env=environment)
        )
        ball.line(lambda line: line.startswith("Advertising"), "advertising")

        with check("a CBPeripheralManager answers the kernel's central") as saw:
            with Central(ADDRESSES[1]) as central:
                central.exchange_mtu(185)
                central.subscribe()
                central.ask("Will it rain?")
                answer = central.answer()
                assert answer == central.last_answer(), answer
                saw(answer.decode())

        with check("it refuses a statement, and keeps an answer until the central subscribes") as saw:

            def visit() -> bytes:
                with Central(ADDRESSES[1]) as central:
                    error = central.refusal_of("It will rain.")
                    assert error == NOT_A_QUESTION, error
                    central.ask("Will it snow?")
                    central.subscribe()
                    return central.answer()

            saw(eventually("it answers", visit).decode())


for way in Way:
    check_central(way)
    check_peripheral(way)

checks.end()
