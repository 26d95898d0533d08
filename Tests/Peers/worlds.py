"""Combinations of a ball, its centrals and their radios."""

import asyncio
import contextlib
import pathlib
import random
import socket

import pytest

from bumble_air import BumbleAir
from bumble_ball import BumbleBall
from central import Central
from machine import Machine, image
from programs import PATIENCE, Program, eightball, eightballd, example


@contextlib.asynccontextmanager
async def our_air(
    folder: pathlib.Path, listen: str | None = None, options: tuple[str, ...] = ()
):
    """`eightball radio` listening; yields the radio's name for programs and for Bumble."""
    listen = listen or f"unix:{folder / 'air'}"
    async with Program(eightball(), "radio", "--listen", listen, *options) as program:
        await accepts(listen, program)
        yield listen.replace("tcp-server:", "tcp-client:"), program


@contextlib.asynccontextmanager
async def advertisers(radio: str, count: int):
    """`count` Bumble devices that advertise on `radio`; yields their addresses."""
    async with contextlib.AsyncExitStack() as stack:
        addresses = []
        for number in range(1, count + 1):
            central = await stack.enter_async_context(Central.opened(radio, number))
            await central.device.start_advertising()
            addresses.append(str(central.device.random_address).split("/")[0])
        yield addresses


@contextlib.asynccontextmanager
async def ball_running(*options: str, environment: dict[str, str] | None = None):
    """`eightball run` with these options, advertising."""
    async with Program(eightball(), "run", "--json", *options, environment=environment) as ball:
        await ball.event("advertising")
        yield ball


class World:
    """A ball that advertises, and as many centrals as a test wants."""

    #: The ball's name.
    name = "8-Ball"
    #: How many centrals it serves at once.
    capacity = 4
    #: Whether the last answer is gone when a central connects again.
    forgets = True
    #: Whether it pairs with every central.
    pairs = False

    def __init__(self, stack: contextlib.AsyncExitStack):
        self._stack = stack
        self._centrals = 0

    def requires_capacity(self, count: int) -> None:
        """Skips a test that requires more connections than the ball has."""
        if self.capacity < count:
            pytest.skip(f"This ball serves {self.capacity} at once; the test requires {count}.")

    async def central(self) -> Central:
        self._centrals += 1
        return await self._open_central(self._centrals)

    async def _open_central(self, number: int) -> Central:
        return await self._stack.enter_async_context(Central.opened(self.radio, number))


class OurWorld(World):
    """`eightball run` on our own virtual air; Bumble's hosts as centrals."""

    async def open(self, folder: pathlib.Path) -> "OurWorld":
        enter = self._stack.enter_async_context
        self.radio, self.air = await enter(our_air(folder))
        options = ["--name", "8-Ball", "--seed", "8"]
        self.ball = await enter(ball_running("--radio", self.radio, *options))
        return self


class ServiceBall(OurWorld):
    """`eightballd` of this machine on our own virtual air; Bumble's hosts as centrals."""

    target = None

    async def open(self, folder: pathlib.Path) -> "ServiceBall":
        enter = self._stack.enter_async_context
        self.radio, self.air = await enter(our_air(folder))
        options = ["--name", "8-Ball", "--seed", "8", "--board", "none", "--json"]
        command = eightballd(self.target)
        self.ball = await enter(Program(*command, "--radio", self.radio, *options))
        await self.ball.event("advertising")
        return self


class PiZeroBall(ServiceBall):
    """`eightballd` on the processor of a Pi Zero, in QEMU."""

    target = "armv6"


class CortexM3Ball(OurWorld):
    """The ball on a Cortex-M3 without an operating system, in QEMU, on our virtual air."""

    name = "Magic 8-Ball"
    capacity = 1

    async def open(self, folder: pathlib.Path) -> "CortexM3Ball":
        enter = self._stack.enter_async_context
        listen = f"tcp-server:127.0.0.1:{free_port()}"
        self.radio, self.air = await enter(our_air(folder, listen))
        self.ball = await enter(Machine(image("lm3s6965evb"), folder, self.radio))
        await self.ball.says("Advertising as")
        return self


class HundredLines(World):
    """The example's ball on our CBPeripheralManager, on our virtual air."""

    example = "hundred-line-ball"
    #: CoreBluetooth does not report disconnections.
    forgets = False
    #: As Apple's CBPeripheralManager does.
    pairs = True

    async def open(self, folder: pathlib.Path) -> "HundredLines":
        enter = self._stack.enter_async_context
        self.radio, self.air = await enter(our_air(folder))
        self.ball = await enter(
            Program(
                example(self.example),
                # Answers that fit the least MTU.
                *("8-Ball", "Yes.", "Outlook good.", "Very doubtful."),
                environment={"EIGHTBALL_RADIO": self.radio},
            )
        )
        await self.ball.line(lambda line: line == "Advertising", "advertising")
        return self


class SDKBall(HundredLines):
    """The SDK's ball, in the same environment."""

    example = "be-a-ball"


class BumbleControllers(World):
    """`eightball run` on one of Bumble's controllers, by TCP, among Bumble's hosts."""

    async def open(self, folder: pathlib.Path) -> "BumbleControllers":
        self._air, port = BumbleAir(), free_port()
        enter = self._stack.enter_async_context
        await enter(self._air.served(f"tcp-server:127.0.0.1:{port}"))
        radio = ["--radio", f"tcp-client:127.0.0.1:{port}", "--address", "random"]
        options = ["--name", "8-Ball", "--seed", "8"]
        self.ball = await enter(ball_running(*radio, *options))
        return self

    async def _open_central(self, number: int) -> Central:
        device = await self._air.device(number)
        await device.power_on()
        return Central(device)


class BumbleOnOurAir(World):
    """Bumble's ball and centrals on our virtual air: a failure here is the air's."""

    async def open(self, folder: pathlib.Path) -> "BumbleOnOurAir":
        enter = self._stack.enter_async_context
        self.radio, self.air = await enter(our_air(folder))
        await enter(BumbleBall.opened(self.radio))
        return self


async def accepts(listen: str, program: Program) -> None:
    """Waits until something listens at `unix:PATH` or `tcp-server:HOST:PORT`."""
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    _, writer = await _connect(listen)
                except (ConnectionError, FileNotFoundError):
                    await asyncio.sleep(0.01)
                    continue
                writer.close()
                return
    except TimeoutError:
        raise AssertionError(f"Nothing listens at {listen}.\n{program.transcript}") from None


def _connect(listen: str):
    scheme, _, address = listen.partition(":")
    if scheme == "unix":
        return asyncio.open_unix_connection(address)
    host, _, port = address.rpartition(":")
    return asyncio.open_connection(host, int(port))


#: Below Linux's client ports.
_PORTS = range(20_000, 32_000)
#: The sockets that keep the ports of this process.
_kept: list[socket.socket] = []


def free_port() -> int:
    """A free port, which neither another test nor another run of the tests gets while this process runs."""
    for port in random.sample(_PORTS, len(_PORTS)):
        keeper = socket.socket()
        try:
            keeper.bind(("127.0.0.1", port))
        except OSError:
            keeper.close()
            continue
        # A program may listen where a socket is bound that does not listen, if both allow it.
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _kept.append(keeper)
        return port
    raise AssertionError("All ports are taken.")
