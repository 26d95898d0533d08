"""CoreBluetooth on the user channel of hci1, with the kernel's own Bluetooth on hci0 as the other
side: our central before a ball of the kernel's, and our peripheral before the kernel's central."""

import os

from adapters import ADDRESSES, Controllers, is_up, set_up
from att import ATTError, Central
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
        with check("eightball ask is answered by a ball of the kernel's") as saw:
            asked = ask("Will it rain?")
            assert asked.returncode == 0 and "Outlook good." in asked.stdout, asked
            assert ball.questions == ["Will it rain?"], ball.questions
            saw(asked.stdout)

        with check("a question of 512 bytes gets there whole"):
            question = "x" * 511 + "?"
            asked = ask(question)
            assert asked.returncode == 0, asked
            assert ball.questions[-1] == question, ball.questions[-1]

        with check("a statement is refused: status 65") as saw:
            asked = ask("It will rain.")
            assert asked.returncode == 65, asked
            saw(asked.stdout)

    with check("hci1 is the kernel's again, down as it was"):
        assert not is_up("hci1"), "hci1 is up"

    set_up("hci0", True)
    environment = {**os.environ, "EIGHTBALL_RADIO": "hci1"}
    with Program(
        f"{os.environ['EXAMPLES']}/hundred-line-ball", "Hundred", env=environment
    ) as ball:
        ball.line(lambda line: line.startswith("Advertising"), "advertising")
        with check("a CBPeripheralManager is asked over the kernel's L2CAP") as saw:
            with Central(ADDRESSES[1]) as central:
                central.exchange_mtu(185)
                central.subscribe()
                central.ask("Will it rain?")
                answer = central.answer()
                assert answer == central.last_answer(), answer
                saw(answer.decode())

        with check("it refuses a statement, and keeps a question until it is subscribed to") as saw:

            def visit() -> bytes:
                with Central(ADDRESSES[1]) as central:
                    try:
                        central.ask("It will rain.")
                        assert False, "the statement was accepted"
                    except ATTError as error:
                        assert error.code == NOT_A_QUESTION, str(error)
                    central.ask("Will it snow?")
                    central.subscribe()
                    return central.answer()

            saw(eventually("it answers", visit).decode())

checks.end()
