"""Access to the metrics: plain requests to `eightball metrics`, and the life of its server."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import time

import pytest

import connections
import panels
import worlds
from programs import PATIENCE, Program, eightball

FIGURES = {"event": "figures", "version": "0.2.0", "questions": 8}
REQUEST = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Metrics:
    """`eightball metrics`, and a simulated ball that it asks."""

    def __init__(self, port: int):
        self.port = port
        self.reply = FIGURES
        #: Cleared while the ball does not answer.
        self.answers = asyncio.Event()
        self.answers.set()
        self.count = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while await reader.readline():
                self.count += 1
                await self.answers.wait()
                writer.write(json.dumps(self.reply).encode() + b"\n")
        writer.close()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    async def raw(self, *parts: bytes, whole: bool = False) -> bytes:
        """The response to these bytes until the server closes; `whole` ends the client's side first."""

        def exchange() -> bytes:
            with self.connect() as client:
                # A server that refuses may close before the request is whole.
                with contextlib.suppress(OSError):
                    for part in parts:
                        client.sendall(part)
                        time.sleep(0.005 if len(parts) > 1 else 0)
                    if whole:
                        client.shutdown(socket.SHUT_WR)
                return received(client)

        return await asyncio.to_thread(exchange)

    async def status(self, text: bytes) -> int:
        """The status of the response; a refusal says no more than that."""
        head, _, body = (await self.raw(text)).partition(b"\r\n\r\n")
        status = int(head.split(b" ")[1])
        assert b"Access-Control-Allow-Origin" not in head and b"Server:" not in head
        assert b"X-Content-Type-Options: nosniff" in head
        assert b"Cross-Origin-Resource-Policy: same-origin" in head
        if status != 200:
            assert b"eightball" not in body and len(body) < 120
        return status


def received(client: socket.socket) -> bytes:
    """All that comes until the server closes."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(65_536):
            parts.append(part)
    return b"".join(parts)


@contextlib.asynccontextmanager
async def metrics(folder: pathlib.Path, listen: str = "0", balls: int = 1):
    controls = [f"--control={folder}/control"] * balls
    async with Program(eightball(), "metrics", "--json", "--listen", listen, *controls) as program:
        url = (await program.event("metrics"))["url"]
        simulated = Metrics(int(url.split(":")[2].split("/")[0]))
        simulated.program = program
        server = await asyncio.start_unix_server(simulated.serve, folder / "control", backlog=1000)
        yield simulated
        server.close()


@pytest.fixture
async def server(folder):
    async with metrics(folder) as running:
        yield running
        # It still runs, and responds.
        running.reply = FIGURES
        running.answers.set()
        assert b"eightball_questions_total 8\n" in await running.raw(REQUEST)


async def test_get_returns_the_page_and_closes_the_connection(server):
    head, _, body = (await server.raw(REQUEST)).partition(b"\r\n\r\n")
    fields = head.split(b"\r\n")
    assert fields[0] == b"HTTP/1.1 200 OK"
    assert b"Content-Type: text/plain; version=0.0.4; charset=utf-8" in fields
    assert b"Content-Length: %d" % len(body) in fields
    assert b"Connection: close" in fields
    assert b"eightball_questions_total 8\n" in body and body.endswith(b"\n")


async def test_head_returns_the_same_without_the_page(server):
    whole = await server.raw(REQUEST)
    head = await server.raw(REQUEST.replace(b"GET", b"HEAD"))
    assert head.endswith(b"\r\n\r\n") and whole.startswith(head)
    refused = await server.raw(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert refused.startswith(b"HTTP/1.1 404 ") and refused.endswith(b"\r\n\r\n")


async def test_clients_that_wait_get_the_same_figures(server):
    server.answers.clear()
    waiting = [asyncio.create_task(server.raw(REQUEST)) for _ in range(3)]

    def have_asked(found) -> bool:
        return [(it.is_served, it.unread) for it in found] == 3 * [(True, 0)]

    await connections.until(server.port, have_asked, "three requests to be read")
    async with asyncio.timeout(PATIENCE):
        while not server.count:
            await asyncio.sleep(0.01)
    assert server.count == 1 and not any(task.done() for task in waiting)
    server.answers.set()
    for text in await asyncio.gather(*waiting):
        assert b"eightball_questions_total 8\n" in text
    assert server.count == 1


async def test_a_refusal_says_why(server):
    post = b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"
    reply = await server.raw(post)
    assert reply.startswith(b"HTTP/1.1 405 Method Not Allowed\r\n")
    assert b"\r\nAllow: GET, HEAD\r\n" in reply
    assert reply.endswith(b"\r\n\r\n405 Method Not Allowed\n")
    server.reply = {"event": "error", "request": "figures", "detail": "This ball keeps no figures."}
    reply = await server.raw(REQUEST)
    assert reply.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert reply.endswith(b"\r\n\r\nThis ball keeps no figures.\n")
    # The whole reply comes, although the client has sent more than the server reads.
    reply = await server.raw(b"GET /metrics HTTP/1.1\r\nX: " + b"a" * 8_000)
    assert reply.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert reply.endswith(b"\n")


@pytest.mark.parametrize(
    "text",
    [
        # No Host in HTTP/1.0; an empty line first.
        "GET /metrics HTTP/1.0\r\n\r\n",
        "GET /metrics HTTP/1.1\r\nhost:localhost\r\n\r\n",
        "\r\nGET /metrics HTTP/1.1\r\nHOST: localhost\r\n\r\n",
        "GET /metrics?format=text HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://127.0.0.1:9888/metrics HTTP/1.1\r\nHost: 127.0.0.1:9888\r\n\r\n",
        "GET /metrics HTTP/1.1\r\nHost: localhost:9888\r\nAccept: */*\r\n\r\nGET",
    ],
)
async def test_valid_requests_are_accepted(server, text):
    assert await server.status(text.encode()) == 200


@pytest.mark.parametrize(
    "text, status",
    [
        ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /metrics/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /METRICS HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /../metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET //metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /metrics/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /?token=x HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET http://localhost HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        ("GET /metrics HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
        ("get /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /metrics\r\n\r\n", 400),
        ("GET  /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /metrics HTTP/1.1 \r\nHost: localhost\r\n\r\n", 400),
        ("GET /metrics HTTP/11\r\nHost: localhost\r\n\r\n", 400),
        ("GET /metrics http/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("G@T /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /m\1etrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /metrics HTTP/1.1\r\n\r\n", 400),
        ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
        ("GET /metrics HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
        ("GET /metrics HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n", 400),
        ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nnothing\r\n\r\n", 400),
        ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n", 400),
        # Lines that end with a line feed alone, which a server need not take: RFC 9112, 2.2.
        ("GET /metrics HTTP/1.1\nHost: localhost\n\n", 400),
        ("\x16\x03\x01\n\n", 400),
        # Another request in the body of one (smuggling).
        (
            "GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
            "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n",
            400,
        ),
        ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
    ],
)
async def test_each_invalid_request_has_its_status(server, text, status):
    assert await server.status(text.encode("latin-1")) == status


@pytest.mark.parametrize(
    "host, status",
    [
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("127.0.0.1:9888", 200),
        ("[::1]:9888", 200),
        ("192.0.2.1", 200),
        ("eight-ball.test", 421),
        ("eight-ball.test:9888", 421),
        ("localhost.eight-ball.test", 421),
        ("127.0.0.1.", 421),
        ("", 421),
    ],
)
async def test_other_names_of_the_host_are_refused(server, host, status):
    for text in (
        f"GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n",
        f"GET http://{host}/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" if host else "",
    ):
        if text:
            assert await server.status(text.encode()) == status


async def test_on_all_addresses_each_name_is_this_machine(folder):
    async with metrics(folder, "_:0") as server:
        assert await server.status(b"GET /metrics HTTP/1.1\r\nHost: pi-1.local:9888\r\n\r\n") == 200


@pytest.mark.parametrize(
    "fields, status",
    [
        ("Origin: http://localhost", 200),
        ("Origin: http://eight-ball.test", 403),
        ("Origin: http://localhost:1", 403),
        ("Origin: null", 403),
        ("Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate", 200),
        ("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate", 200),
        ("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors", 403),
        ("Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors", 403),
    ],
)
async def test_another_sites_page_is_refused(server, fields, status):
    text = f"GET /metrics HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n\r\n"
    assert await server.status(text.encode()) == status


async def test_a_request_has_4096_bytes(server):
    start, end = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ", b"\r\n\r\n"
    room = 4_096 - len(start) - len(end)
    assert await server.status(start + b"a" * room + end) == 200
    assert await server.status(start + b"a" * (room + 1) + end) == 431
    many = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 1_000
    assert await server.status(many) == 431
    assert await server.status(b"GET /" + b"a" * 5_000) == 414


async def test_a_request_may_come_in_two_pieces(server):
    cuts = range(1, len(REQUEST))
    for cut in cuts:
        text = await server.raw(REQUEST[:cut], REQUEST[cut:])
        assert text.startswith(b"HTTP/1.1 200 OK\r\n")


async def test_a_client_that_leaves_is_dropped(server):
    for cut in range(len(REQUEST) + 1):
        with server.connect() as client:
            client.sendall(REQUEST[:cut])
    # None of them takes the place of one that stays.
    staying = server.connect()
    staying.sendall(REQUEST[:9])
    assert await server.status(REQUEST) == 200
    staying.sendall(REQUEST[9:])
    assert (await asyncio.to_thread(received, staying)).startswith(b"HTTP/1.1 200 OK\r\n")
    staying.close()


async def test_an_incomplete_request_ends_after_5_s(server):
    start = time.monotonic()
    parts = (b"GET", REQUEST[:-2])
    for text in await asyncio.gather(*(server.raw(part) for part in parts)):
        assert text.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert 4.5 < time.monotonic() - start < 5 + PATIENCE
    # A client that sends nothing ends, too.
    with server.connect() as silent:
        await asyncio.to_thread(received, silent)


async def test_a_ninth_client_replaces_the_oldest(server):
    clients = [server.connect() for _ in range(8)]
    await connections.until(
        server.port, lambda found: sum(it.is_served for it in found) == 8, "eight connections"
    )
    assert await server.status(REQUEST) == 200
    assert received(clients.pop(0)) == b""
    for client in clients:
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)
        client.close()


async def test_10000_connections_do_not_stop_it(server):
    def open_many() -> None:
        clients = []
        for number in range(10_000):
            clients.append(server.connect())
            if number % 2:
                with contextlib.suppress(OSError):
                    clients[-1].sendall(REQUEST[: number % len(REQUEST)])
            if len(clients) > 200:
                clients.pop(0).close()
        for client in clients:
            client.close()

    await asyncio.to_thread(open_many)
    assert await server.status(REQUEST) == 200


async def test_a_client_that_does_not_read_is_dropped(folder):
    # 750 kB, more than the sockets hold: 128 KiB to send, and few kB to receive, which grow only for a client that reads
    # (tcp(7)).
    async with metrics(folder, balls=12) as server:
        server.reply = {"event": "error", "request": "figures", "detail": "a" * 63_000}
        # On a busy machine some balls may answer too late.
        assert len(await server.raw(REQUEST)) > 4 * 63_000
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            client.connect(("127.0.0.1", server.port))
            client.sendall(REQUEST)
            _, own = client.getsockname()

            def is_served(found) -> bool:
                return any(it.is_served for it in found if it.client == own)

            await connections.until(server.port, is_served, "the server to accept it")
            # At most 2 s for the balls' answers, and 5 s.
            await connections.until(server.port, lambda found: not is_served(found), "its end")
            client.settimeout(PATIENCE)
            head, _, body = (await asyncio.to_thread(received, client)).partition(b"\r\n\r\n")
            (length,) = re.findall(rb"\r\nContent-Length: (\d+)", head)
            assert len(body) < int(length)
        assert (await server.raw(REQUEST)).startswith(b"HTTP/1.1 503 ")


# Its life


def servers(parent: int) -> list[int]:
    """The processes of eightball-panel that this program has started."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            name = os.readlink(path / "exe").rpartition("/")[2]
            if int(fields[1]) == parent and name.startswith("eightball-panel"):
                found.append(int(path.name))
    return found


def runs(process: int) -> bool:
    with contextlib.suppress(OSError):
        return "Z" != pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return False


@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("command", ["run", "swarm"])
async def test_the_server_ends_with_its_ball(folder, command, end):
    options = ["--count", "2"] if command == "swarm" else ["--board", "none"]
    async with worlds.our_air(folder) as (radio, _):
        async with Program(
            *(eightball(), command, "--json", "--radio", radio, "--metrics", "0", *options),
            environment=panels.environment(folder) | {"XDG_RUNTIME_DIR": str(folder)},
        ) as ball:
            url = (await ball.event("metrics"))["url"]
            await ball.event("advertising")
            async with asyncio.timeout(PATIENCE):
                while not (found := servers(ball.process)):
                    await asyncio.sleep(0.01)
            if end == "SIGKILL":
                os.kill(ball.process, 9)
            else:
                await ball.stop()
                assert not list(folder.glob("*.sock"))
            async with asyncio.timeout(PATIENCE):
                while runs(found[0]):
                    await asyncio.sleep(0.01)
            # The kernel closes its port after its main thread.
            port = int(url.split(":")[2].split("/")[0])
            async with asyncio.timeout(PATIENCE):
                with contextlib.suppress(ConnectionRefusedError):
                    while True:
                        socket.create_connection(("127.0.0.1", port)).close()
                        await asyncio.sleep(0.01)


async def test_without_the_server_the_error_says_what_to_do(folder):
    alone = shutil.copy(eightball(), folder / "eightball")
    for command in (["metrics", "--listen", "0"], ["run", "--metrics", "0"], ["swarm", "--metrics", "0"]):
        async with Program(alone, *command) as program:
            assert await program.ended() == 69
        assert program.errors[-1] == (
            "Error: no metrics: eightball-panel is missing: install the package eightball-panel, or in a checkout "
            f"build it with scripts/build panel. It is expected beside {alone} or in ../libexec/eightball."
        )
