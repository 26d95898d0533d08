"""The panel between a simulated ball and a simulated page."""

import asyncio
import contextlib
import json

import pytest

import panels
from programs import PATIENCE

STATE = [
    {"event": "ball", "version": "0", "name": "8", "radio": "hci0", "board": "none", "places": 4, "presses": False},
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

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"".join(json.dumps(it, separators=(",", ":")).encode() + b"\n" for it in STATE))
        self.connections.put_nowait(writer)
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                self.requests.put_nowait(line.decode().rstrip())
        self.requests.put_nowait("(gone)")
        writer.close()

    async def request(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return await self.requests.get()


@pytest.fixture
async def ball(folder):
    simulated = SimulatedBall()
    server = await asyncio.start_unix_server(simulated.serve, folder / "control")
    yield simulated
    server.close()


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


async def test_a_ball_on_an_adapter_cannot_be_asked(panel, ball):
    with panel.stream() as next_event:
        said = await asyncio.to_thread(next_event, "panel")
        assert not said["asks"] and "hci0" in said["why"] and "--radio" in said["why"]
        response = await asyncio.to_thread(
            panel.post, "/ask", page=said["page"], question="Is it here?"
        )
        assert response.status == 409 and "hci0" in json.loads(response.read())["detail"]


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


async def test_a_page_that_does_not_read_is_dropped(panel, ball):
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
