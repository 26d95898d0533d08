"""The panel between a simulated ball and a simulated page."""

import asyncio
import contextlib
import json
import os
import pathlib

import pytest

import panels
from programs import PATIENCE

STATE = [
    {"event": "ball", "version": "0", "name": "8", "radio": "hci0", "board": "none", "connections": 4, "presses": False},
    {"event": "current"},
]  # fmt: skip

#: A Write Request of the question “Ok?”, as a ball without layers sends it.
PACKET = (
    '{"event":"packet","time":1790000000123456,"direction":"in",'
    '"bytes":"02e7200a0006000400121d004f6b3f"}'
)


class SimulatedBall:
    """A control socket. Each connection gets the state, and then the test's lines."""

    def __init__(self):
        self.requests: asyncio.Queue[str] = asyncio.Queue()
        self.connections: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
        self.state = STATE

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"".join(json.dumps(it, separators=(",", ":")).encode() + b"\n" for it in self.state))
        self.connections.put_nowait(writer)
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                self.requests.put_nowait(line.decode().rstrip())
        self.requests.put_nowait("(gone)")
        writer.close()

    async def ignore(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A connection to a controller that never answers."""
        while await reader.read(4096):
            pass
        writer.close()

    async def request(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return await self.requests.get()


@contextlib.asynccontextmanager
async def simulated_ball(folder, radio: str = STATE[0]["radio"]):
    simulated = SimulatedBall()
    simulated.state = [{**STATE[0], "radio": radio}, *STATE[1:]]
    server = await asyncio.start_unix_server(simulated.serve, folder / "control")
    yield simulated
    server.close()


@pytest.fixture
async def ball(folder):
    async with simulated_ball(folder) as simulated:
        yield simulated


@pytest.fixture
async def panel(folder, ball):
    async with panels.panel(folder) as running:
        yield running


async def test_a_packet_without_layers_gets_them(panel, ball):
    with panel.stream() as next_event:
        await asyncio.to_thread(next_event, "current")
        assert await ball.request() == "packets"
        (await ball.connections.get()).write(f"{PACKET}\n".encode())
        event = await asyncio.to_thread(next_event, "packet")
    assert "".join(it["bytes"] for it in event["layers"]) == event["bytes"]
    assert [it["layer"] for it in event["layers"]] == ["HCI", "L2CAP", "ATT", "GATT", "Ball"]
    assert "“Ok?”" in event["layers"][-1]["text"]


async def test_a_ball_on_simulated_time_is_not_shown_and_the_page_learns_why(panel, ball):
    def clock(time: str) -> bytes:
        return f'{{"event":"time","clock":"{time}"}}\n'.encode()

    with panel.stream() as next_event:
        await asyncio.to_thread(next_event, "current")
        connection = await ball.connections.get()
        connection.write(clock("simulated") + b'{"event":"lights","status":true}\n')
        said = await asyncio.to_thread(next_event, "panel")
        assert not said["ball"] and not said["asks"]
        assert "simulated time" in said["detail"] and "--time real" in said["detail"]
        assert said["why"] == said["detail"]
        for request in (
            ("/press", {"page": 1, "button": "shake", "down": True}),
            ("/ask", {"page": 1, "question": "Ok?"}),
        ):
            response = await asyncio.to_thread(panel.post, request[0], **request[1])
            assert response.status == 409
            assert json.load(response)["detail"] == said["detail"]
        # By real time the page gets the ball's state again, and nothing from before.
        connection.write(clock("real"))
        assert (await asyncio.to_thread(next_event, "panel"))["ball"]
        (await ball.connections.get()).write(b'{"event":"lights","status":false}\n')
        assert not (await asyncio.to_thread(next_event, "lights"))["status"]


async def test_any_device_is_looked_for_on_the_air_of_a_ball_on_simulated_time(folder):
    joined = asyncio.Event()

    async def joins(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        joined.set()
        writer.close()

    air = folder / "ball-air"
    async with (
        await asyncio.start_unix_server(joins, air),
        simulated_ball(folder, radio=f"unix:{air}") as ball,
        panels.panel(folder) as panel,
    ):
        with panel.stream() as next_event:
            await asyncio.to_thread(next_event, "current")
            (await ball.connections.get()).write(b'{"event":"time","clock":"simulated"}\n')
            page = (await asyncio.to_thread(next_event, "panel"))["page"]
            assert (await asyncio.to_thread(panel.post, "/explore", page=page)).status == 202
            async with asyncio.timeout(PATIENCE):
                await joined.wait()


async def test_a_ball_on_an_adapter_cannot_be_asked(panel, ball):
    with panel.stream() as next_event:
        said = await asyncio.to_thread(next_event, "panel")
        assert not said["asks"] and "hci0" in said["why"] and "--radio" in said["why"]
        response = await asyncio.to_thread(
            panel.post, "/ask", page=said["page"], question="Is it here?"
        )
        assert response.status == 409 and "hci0" in json.loads(response.read())["detail"]


async def test_the_page_shows_the_passkey_of_a_pairing(browser, panel, ball):
    prompt = {"event": "prompt", "kind": "passkey", "number": "012345", "central": "C0:00:00:00:00:40"}
    async with browser.page(panel.address) as page:
        await page.until_text("#live", "live")
        (await ball.connections.get()).write(json.dumps(prompt).encode() + b"\n")
        await page.until_text("#front-note", "Type 012345 on C0:00:00:00:00:40.")


async def test_a_central_that_asks_has_no_socket_of_the_panel(folder):
    # Its controller never answers, so the central runs until the panel ends it.
    async with simulated_ball(folder, radio=f"unix:{folder}/radio") as ball:
        silent = await asyncio.start_unix_server(ball.ignore, folder / "radio")
        async with panels.panel(folder) as panel:
            with panel.stream() as next_event:
                while not (said := await asyncio.to_thread(next_event, "panel"))["asks"]:
                    pass
                asking = asyncio.create_task(
                    asyncio.to_thread(panel.post, "/ask", page=said["page"], question="Who has it?")
                )
                async with asyncio.timeout(PATIENCE):
                    while not (children := programs_of(panel.program.process)):
                        await asyncio.sleep(0.01)
                shared = sockets(panel.program.process) & sockets(children[0])
                await panel.program.stop()
                await asyncio.gather(asking, return_exceptions=True)
                assert not shared
        silent.close()


def programs_of(parent: int) -> list[int]:
    """The child processes that execute eightball."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent and os.readlink(folder / "exe").endswith("/eightball"):
                found.append(int(folder.name))
    return found


def sockets(process: int) -> set[str]:
    """The open sockets of a process, by their inodes."""
    names = set()
    for path in pathlib.Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            names.add(os.readlink(path))
    return {name for name in names if name.startswith("socket:")}


async def test_a_full_ball_is_explained(panel, ball):
    refusal = {"event": "error", "request": "", "detail": "16 programs listen"}
    ball.state = [refusal]
    with panel.stream() as next_event:
        while not (said := await asyncio.to_thread(next_event, "panel"))["detail"]:
            pass
        assert "16 programs listen to the ball" in said["detail"]


async def test_a_button_is_released_when_its_page_closes(panel, ball):
    with panel.stream() as next_event:
        page = (await asyncio.to_thread(next_event, "panel"))["page"]
        assert await ball.request() == "packets"
        for down, words in ((True, "down clear"), (False, "up clear"), (True, "down clear")):
            response = await asyncio.to_thread(
                panel.post, "/press", page=page, button="clear", down=down
            )
            assert response.status == 202
            assert await ball.request() == words
    # The ball releases the button at the end of the connection.
    assert await ball.request() == "(gone)"


@pytest.mark.parametrize("end", ["restart", "long line"])
async def test_a_page_gets_the_next_ball(panel, ball, end):
    with panel.stream() as next_event:
        await asyncio.to_thread(next_event, "current")
        connection = await ball.connections.get()
        if end == "restart":
            connection.close()
        else:
            connection.write(b"x" * 100_000)
        while (said := await asyncio.to_thread(next_event, "panel"))["ball"]:
            pass
        assert ("No ball runs" if end == "restart" else "a line of more than") in said["detail"]
        await asyncio.to_thread(next_event, "ball")
        await asyncio.to_thread(next_event, "current")


@pytest.mark.parametrize("pace", ["usual", "slow"])
async def test_a_page_that_does_not_read_is_dropped(panel, ball, pace):
    if pace == "slow":
        hold_back(panel.program.process)
    response = await asyncio.to_thread(panel.request, "GET", "/events")
    assert await ball.request() == "packets"
    connection = await ball.connections.get()
    line = json.dumps({"event": "filler", "text": "x" * 10_000}).encode() + b"\n"
    # More than the buffers of any system's sockets and of the panel.
    with contextlib.suppress(ConnectionError):
        for _ in range(10_000):
            connection.write(line)
            await connection.drain()
        pytest.fail("The panel took 100 MB for a page that does not read.")
    assert await ball.request() == "(gone)"
    response.close()


def hold_back(process: int) -> None:
    """Lets the panel's thread of HTTP run only when nothing else wants the one processor of all its threads."""
    processor = min(os.sched_getaffinity(0))
    names = {}
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        os.sched_setaffinity(int(task.name), {processor})
        names[(task / "comm").read_text().strip()] = int(task.name)
    (http,) = [number for name, number in names.items() if name.startswith("NIO-ELT")]
    os.sched_setscheduler(http, os.SCHED_IDLE, os.sched_param(0))
