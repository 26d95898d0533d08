"""Pairing and channels on hci1's user channel, with the kernel's Security Manager and L2CAP on hci0 as the peer; and
pairing and protection by bluetoothd for programs beside it."""

import os
import shutil
import tempfile

from adapters import ADDRESSES, Controllers, bluetooth_service, forget_bonds
from att import ATTError, Central, Client
from checks import Checks
from kernel_ball import KernelBall
from l2cap import Security, le_socket
from management import Management
from programs import Ball, Program, eightball, eventually, run
from ways import Way, pairing_agent, powered_service

INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION = 0x05, 0x0F
NOT_FOUND = 66
OPEN, ENCRYPTED, AUTHENTICATED = 0x2A8A, 0x2A90, 0x2A87
GUARDED = """
name = Guarded
vault = service 181C
vault.open = characteristic 2A8A read
vault.open.value = text "open"
vault.encrypted = characteristic 2A90 read
vault.encrypted.value = text "encrypted"
vault.encrypted.security = encrypted
vault.authenticated = characteristic 2A87 read
vault.authenticated.value = text "authenticated"
vault.authenticated.security = authenticated
"""

checks = Checks()
check = checks.check


def ask_in_clear(expected: int) -> None:
    """The kernel's central asks without encryption, and is refused."""
    with Central(ADDRESSES[1]) as central:
        error = central.refusal_of("Will it rain?")
        assert error == expected, error


def ask_encrypted() -> str:
    """The kernel encrypts with its bond, and asks."""

    def visit() -> bytes | None:
        with Central(ADDRESSES[1], Security.MEDIUM) as central:
            try:
                central.subscribe()
                central.ask("Will it rain?")
            except ATTError:
                # The link is not encrypted yet.
                return None
            return central.answer()

    return eventually("the ball answers", visit).decode()


def wait_for_end() -> None:
    """Waits until the kernel has ended its link, which it keeps for some seconds."""
    eventually("the link has ended", lambda: ADDRESSES[1] not in connections())


def connections() -> str:
    return run("hcitool", "-i", "hci0", "con").stdout


class State:
    """A folder for the bonds of a ball."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="state-")
        self.environment = {**os.environ, "XDG_STATE_HOME": self.folder}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def ball(self, way: Way = Way.ALONE) -> Ball:
        return Ball(way.radio("hci1"), "--security", "encrypted", env=self.environment)


with Controllers(), Management("hci0") as kernel:
    with State() as state:
        with state.ball() as ball:
            ball.event("advertising")
            with check("a question in clear is refused: Insufficient Authentication"):
                ask_in_clear(INSUFFICIENT_AUTHENTICATION)
            with check("the kernel pairs with the ball, by Secure Connections") as saw:
                status = kernel.pair(ADDRESSES[1])
                assert status == 0, f"status 0x{status:02X}"
                paired = ball.event("paired", central=ADDRESSES[0])
                assert paired["secureConnections"] and not paired["authenticated"], paired
                saw(f"{paired}")
            with check("the ball answers on the encrypted link") as saw:
                saw(ask_encrypted())
            wait_for_end()

        with state.ball() as ball:
            ball.event("advertising")
            with check("the bond is valid after a restart of the ball") as saw:
                saw(ask_encrypted())
            with check("without its key, the kernel cannot pair while pairing is closed"):
                kernel.unpair(ADDRESSES[1])
                wait_for_end()
                status = kernel.pair(ADDRESSES[1])
                assert status != 0, "it paired while pairing was closed"
            wait_for_end()

    with State() as state, state.ball() as ball:
        ball.event("advertising")
        with check("the kernel pairs by legacy pairing, and asks") as saw:
            kernel.unpair(ADDRESSES[1])
            kernel.use_secure_connections(False)
            status = kernel.pair(ADDRESSES[1])
            assert status == 0, f"status 0x{status:02X}"
            paired = ball.event("paired", central=ADDRESSES[0])
            assert not paired["secureConnections"], paired
            saw(ask_encrypted())
        kernel.unpair(ADDRESSES[1])
        kernel.use_secure_connections(True)
        wait_for_end()

    guard = {"is_protected": True, "is_powered": True}
    with State() as state, KernelBall("hci0", "Guarded", "Outlook good.", **guard) as ball:
        with check("eightball ask pairs with a ball of the kernel that requires encryption") as saw:
            asked = run(
                eightball(), "ask", "--pair", "Will it rain?", "--radio", "hci1", "--timeout", "45",
                env=state.environment,
            )
            assert asked.returncode == 0 and "Outlook good." in asked.stdout, asked
            assert ball.questions == ["Will it rain?"], ball.questions
            saw(asked.stdout)
    kernel.unpair(ADDRESSES[1])

    examples = os.environ["EXAMPLES"]
    environment = {**os.environ, "EIGHTBALL_RADIO": "hci1"}
    with Program(f"{examples}/echo-channel", env=environment) as echo:
        with check("100 kB go over a channel and come back to the kernel") as saw:
            line = echo.line(lambda line: line.startswith("published") and line, "published")
            number = int(line.split()[1])
            data = bytes(index % 251 for index in range(100_000))
            with le_socket(number=number, peer=ADDRESSES[1], mtu=1_000) as channel:
                received = b""
                for start in range(0, len(data), 500):
                    part = data[start : start + 500]
                    channel.send(part)
                    while len(received) < start + len(part):
                        more = channel.recv(2_048)
                        assert more, f"closed after {len(received)} bytes"
                        received += more
            assert received == data, "other bytes came back"
            saw(f"channel {number}")
        with check("an unpublished channel is refused"):
            try:
                le_socket(number=number ^ 1, peer=ADDRESSES[1]).close()
                assert False, "it was opened"
            except OSError as error:
                assert "refused" in str(error), error

beside = Way.BESIDE_BLUETOOTHD
with Controllers(), powered_service(), pairing_agent(), Management("hci0", confirms=False) as kernel:
    with State() as state, state.ball(beside) as ball:
        ball.event("advertising")
        with check(beside.name("a question in clear is refused: Insufficient Encryption")):
            ask_in_clear(INSUFFICIENT_ENCRYPTION)
        with check(beside.name("the kernel pairs with the ball, and the ball answers")) as saw:
            status = kernel.pair(ADDRESSES[1])
            assert status == 0, f"status 0x{status:02X}"
            # bluetoothd has an ATT channel of its own to a device with a bond, and keeps the connection.
            run("bluetoothctl", "disconnect", ADDRESSES[1])
            wait_for_end()
            saw(ask_encrypted())
        run("bluetoothctl", "disconnect", ADDRESSES[1])
        wait_for_end()
    with State() as state, state.ball(beside) as ball:
        ball.event("advertising")
        with check(beside.name("the bond is valid after a restart of the ball")) as saw:
            saw(ask_encrypted())
        run("bluetoothctl", "disconnect", ADDRESSES[1])
        wait_for_end()

forget_bonds()
with Controllers(), powered_service(), pairing_agent(), Management("hci0", confirms=False) as kernel:
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(GUARDED)
        file.flush()
        command = [eightball(), "peripheral", file.name, "--radio", beside.radio("hci1"), "--json"]
        with Program(*command) as peripheral:
            peripheral.line(lambda line: '"event":"advertising"' in line, "that it advertises")
            name = "the protected values of a file are refused in clear, each for its reason"
            with check(beside.name(name)) as saw, Client(ADDRESSES[1]) as client:
                assert client.read(OPEN) == b"open"
                errors = [client.refusal_to_read(value) for value in (ENCRYPTED, AUTHENTICATED)]
                assert errors == [INSUFFICIENT_ENCRYPTION, INSUFFICIENT_AUTHENTICATION], errors
                saw(errors)
            with check(beside.name("a bond without a number opens those that require encryption alone")):
                status = kernel.pair(ADDRESSES[1])
                assert status == 0, f"status 0x{status:02X}"
                # bluetoothd has an ATT channel of its own to a device with a bond.
                run("bluetoothctl", "disconnect", ADDRESSES[1])
                wait_for_end()
                with Client(ADDRESSES[1], Security.MEDIUM) as client:
                    assert client.read(OPEN) == b"open"
                    assert client.read(ENCRYPTED) == b"encrypted"
                    assert client.refusal_to_read(AUTHENTICATED) == INSUFFICIENT_AUTHENTICATION

forget_bonds()
with Controllers(), State() as state, state.ball() as ball, bluetooth_service(powers_adapters=True):
    ball.event("advertising")

    def ask(*options: str):
        def attempt():
            # btvirt reports an advertiser once in a scan, perhaps before the kernel listens. --timeout would limit all
            # together, also if the ball was found late.
            command = ["ask", *options, "Will it rain?", "--radio", beside.radio("hci0")]
            asked = run(eightball(), *command, patience=180)
            return asked if asked.returncode != NOT_FOUND else None

        return eventually("the program finds the ball", attempt, patience=300)

    for options, name in (
        (["--pair"], "eightball ask --pair pairs with a ball that requires encryption, without an agent"),
        (["--timeout", "120"], "eightball ask uses bluetoothd's bond"),
    ):
        with check(beside.name(name)) as saw:
            asked = ask(*options)
            assert asked.returncode == 0, asked
            assert ball.event("answer")["text"] in asked.stdout, asked
            saw(asked.stdout)

checks.end()
