"""CoreBluetooth on the user channel of hci1, with the kernel's Bluetooth on hci0 as the peer: our central
with the kernel's ball, and our peripheral with the kernel's central."""

import os

from adapters import ADDRESSES, Controllers, is_up, set_up
from att import Central
from checks import Checks
from kernel_ball import KernelBall
from programs import Program, eightball, eventually, run

NOT_A_QUESTION = 0x0E

checks = Checks()
check = checks.check


def ask(question: str):
    return run(eightball(), "ask", question, "--radio", "hci1", "--timeout", "45")


with Controllers():
    with KernelBall("hci0", "Kernel Ball", "Outlook good.") as ball:
        with check("the kernel's ball answers eightball ask") as saw:
            asked = ask("Will it rain?")
            assert asked.returncode == 0 and "Outlook good." in asked.stdout, asked
            assert ball.questions == ["Will it rain?"], ball.questions
            saw(asked.stdout)

        with check("a question of 512 bytes arrives whole"):
            question = "x" * 511 + "?"
            asked = ask(question)
            assert asked.returncode == 0, asked
            assert ball.questions[-1] == question, ball.questions[-1]

        with check("a statement ends with status 65") as saw:
            asked = ask("It will rain.")
            assert asked.returncode == 65, asked
            saw(asked.stdout)

    with check("hci1 is returned to the kernel, down as before"):
        assert not is_up("hci1"), "hci1 is up"

    set_up("hci0", True)
    environment = {**os.environ, "EIGHTBALL_RADIO": "hci1"}
    with Program(
        f"{os.environ['EXAMPLES']}/hundred-line-ball", "Hundred", env=environment
    ) as ball:
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

checks.end()
