"""The control socket of eightballd, compared with that of eightball run."""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import stat

import pytest

import worlds
from central import Central
from programs import PATIENCE, Program, eightball, eightballd
from test_metrics import ask_twice_and_more, check_visit, page

pytestmark = pytest.mark.service

#: More than one central may have lines for at once; packets have no such limit.
MANY = 1_000


class Listener:
    """A program at a control socket, with the lines that it has received."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._reader, self._writer = reader, writer
        self.events: list[dict] = []

    @classmethod
    @contextlib.asynccontextmanager
    async def at(cls, path: pathlib.Path):
        """One that has the state of the ball."""
        reader, writer = await asyncio.open_unix_connection(str(path), limit=1 << 20)
        try:
            listener = cls(reader, writer)
            await listener.until("current")
            yield listener
        finally:
            writer.close()

    async def next(self) -> dict | None:
        """The next event; None if the ball has closed the connection."""
        async with asyncio.timeout(PATIENCE):
            line = await self._reader.readline()
        if not line:
            return None
        self.events.append(json.loads(line))
        return self.events[-1]

    async def until(self, name: str) -> dict:
        """Waits for an event of this name, and keeps those before it."""
        while event := await self.next():
            if event["event"] == name:
                return event
        raise AssertionError(f"The ball has closed the connection before {name}: {self.events}")

    async def request(self, line: str) -> dict:
        """Sends a request; the ball's reply to it."""
        self._writer.write(f"{line}\n".encode())
        while event := await self.next():
            if event["event"] == "figures" or event.get("request") == line:
                return event
        raise AssertionError(f"The ball has closed the connection: {self.events}")


@contextlib.asynccontextmanager
async def ball(command: list[str], folder: pathlib.Path, *options: str):
    """A ball on an air of its own, with a control socket in the folder; yields it, the radio and the socket."""
    folder.mkdir(exist_ok=True)
    socket = folder / "control"
    async with worlds.our_air(folder) as (radio, _):
        fixed = ["--json", "--seed", "8", "--board", "none", "--control", str(socket)]
        async with Program(*command, "--radio", radio, *fixed, *options) as program:
            await program.event("advertising")
            yield program, radio, socket


@pytest.fixture
async def service(folder):
    """`eightballd`, its radio, and its socket."""
    async with ball(eightballd(), folder) as opened:
        yield opened


async def heard(command: list[str], folder: pathlib.Path) -> list[dict]:
    """What two programs get during a visit: one from before it, and one that comes in the middle."""
    async with ball(command, folder) as (_, radio, socket), Listener.at(socket) as first:
        async with Central.opened(radio) as central:
            visit = await central.visit(mtu=517)
            await visit.subscribe()
            await visit.ask("Will it rain?")
            await visit.next_answer()
            await first.until("answer")
            async with Listener.at(socket) as second:
                await visit.refusal_of("It will.")
                await visit.refusal_of(b"\xff?")
                await visit.ask("Wird es “schön”?")
                await visit.next_answer()
                await visit.disconnect()
                for listener in (first, second):
                    await listener.until("disconnected")
                replies = [await second.request(line) for line in ("down shake", "up clear", "jump \"")]
                events = first.events + second.events + replies
    for event in events:
        if event["event"] == "ball":
            assert event.pop("radio") == radio
    return events


async def test_programs_get_the_same_from_eightballd_as_from_eightball_run(folder):
    ours = await heard([eightball(), "run"], folder / "run")
    its = await heard(eightballd(), folder / "service")
    assert its == ours
    assert [event["event"] for event in its].count("question") == 3


async def test_the_socket_is_its_users_alone_and_goes_with_the_ball(service):
    program, _, socket = service
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    assert await program.stop() == 0
    assert not socket.exists()


async def test_each_packet_is_sent_to_a_program_that_asks(service):
    _, radio, socket = service
    async with Listener.at(socket) as listener, Listener.at(socket) as other:
        assert (await listener.request("packets"))["event"] == "done"
        await ask_twice_and_more(radio)
        await other.until("disconnected")
        figures = await listener.request("figures")
        assert (await listener.request("packets off"))["event"] == "done"
    packets = [event for event in listener.events if event["event"] == "packet"]
    questions = [event for event in packets if b"Will it rain?".hex() in event["bytes"]]
    assert [event["direction"] for event in questions] == ["in"]
    assert all(event.keys() == {"event", "time", "direction", "bytes"} for event in packets)
    assert figures["questions"] == 2
    assert not [event for event in other.events if event["event"] == "packet"]


async def test_a_program_that_is_stopped_delays_nothing_and_is_dropped(service):
    program, radio, socket = service
    events = [eightball(), "events", "--packets", "--follow", "--control", str(socket)]
    async with Program(*events) as stopped, Listener.at(socket) as reader:
        await stopped.event("current")
        assert (await reader.request("packets"))["event"] == "done"
        # Its request for packets is older than the stop.
        async with Central.opened(radio) as central:
            visit = await central.visit(mtu=517)
            await visit.subscribe()
            await stopped.event("subscribed")
            os.kill(stopped.process, signal.SIGSTOP)
            reading = asyncio.create_task(reader.until("disconnected"))
            for number in range(MANY):
                await visit.ask(f"Is it {number}?")
                await visit.next_answer()
            await visit.disconnect()
            await reading
        os.kill(stopped.process, signal.SIGCONT)
        # It is dropped, connects again, and gets the state again.
        await stopped.event("ball")
        await stopped.event("current")
        figures = await reader.request("figures")
    assert figures["questions"] == figures["answers"] == MANY
    assert figures["connections"] == 0
    asked = sum(b"Is it ".hex() in event.get("bytes", "") for event in reader.events)
    assert asked == MANY


async def test_its_figures_are_served_to_prometheus(service):
    program, radio, socket = service
    options = ["--json", "--listen", "0", "--control", str(socket)]
    async with Program(eightball(), "metrics", *options) as metrics:
        url = (await metrics.event("metrics"))["url"]
        before = await page(url)
        assert (before["balls"], before["radios_ready"], before["questions_total"]) == (1, 1, 0)
        await ask_twice_and_more(radio)
        await program.event("disconnected")
        check_visit(await page(url))


async def test_a_second_ball_takes_the_second_of_the_users_sockets(folder):
    environment = {"XDG_RUNTIME_DIR": str(folder)}
    options = ["--json", "--board", "none", "--radio"]
    async with contextlib.AsyncExitStack() as stack:
        for name in ("eightball-control.sock", "eightball-control-2.sock"):
            radio = f"tcp-server:127.0.0.1:{worlds.free_port()}"
            await stack.enter_async_context(
                Program(*eightballd(), *options, radio, environment=environment)
            )
            async with asyncio.timeout(PATIENCE):
                while not (folder / name).exists():
                    await asyncio.sleep(0.01)
            async with Listener.at(folder / name) as listener:
                assert listener.events[0]["radio"] == radio


async def test_a_socket_that_cannot_be_opened_is_an_error_at_once(service, folder):
    _, radio, socket = service
    (folder / "file").write_text("mine")
    for path, reason in [
        (socket, "Address in use"),
        (folder / "file", "this program did not create that file; remove it if no program uses it, or use another path"),
        (folder / "none" / "control", "its folder does not exist"),
    ]:
        async with Program(*eightballd(), "--radio", radio, "--control", str(path)) as second:
            assert await second.ended() == 69
        assert second.errors == [f"Error: cannot listen on {path}: {reason}."]
    assert (folder / "file").read_text() == "mine"
    command = [*eightballd(), "--radio", radio, "--json", "--control", str(socket)]
    async with Program(*command) as second:
        assert await second.ended() == 69
    (failure,) = second.events("failed")
    assert failure["reason"] == "control"


async def test_without_a_place_for_its_socket_a_ball_runs_and_warns(folder):
    path = folder / "none" / "control"
    radio = f"tcp-server:127.0.0.1:{worlds.free_port()}"
    options = ["--board", "none", "--radio", radio]
    async with Program(*eightballd(), *options, environment={"EIGHTBALL_CONTROL": str(path)}) as program:
        await program.starts_line("Radio: ")
        assert await program.stop() == 0
    assert program.errors == [
        f"Warning: no program can listen to this ball: cannot listen on {path}: its folder does not exist. "
        "Give it a socket of its own: --control PATH."
    ]
