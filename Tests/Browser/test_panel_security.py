"""Access to the panel: each line of the table in docs/panel.md, by plain requests."""

import asyncio
import contextlib
import json
import socket

import pytest

import panels
from programs import PATIENCE


@pytest.fixture
async def panel(folder):
    async with panels.panel(folder) as running:
        yield running
        # The panel still runs, and responds.
        response = await asyncio.to_thread(running.request, "GET", "/")
        assert response.status == 200


async def status(panel, *arguments, **headers) -> int:
    """The status of a response, which must not reveal the panel or its ball unless it is 200."""
    response = await asyncio.to_thread(panel.request, *arguments, **headers)
    body = response.read().decode()
    assert response.getheader("Access-Control-Allow-Origin") is None
    assert response.getheader("Server") is None
    assert "default-src 'none'" in response.getheader("Content-Security-Policy")
    assert response.getheader("X-Content-Type-Options") == "nosniff"
    assert response.getheader("Cache-Control") == "no-store"
    assert response.getheader("Referrer-Policy") == "no-referrer"
    assert response.getheader("Cross-Origin-Resource-Policy") == "same-origin"
    if response.status != 200:
        assert panel.token not in body and len(body) < 120
    return response.status


async def raw(panel, text: bytes, whole: bool = True) -> bytes:
    """The response to these bytes until the panel closes."""

    def exchange() -> bytes:
        with socket.create_connection(("127.0.0.1", panel.port), timeout=PATIENCE) as connection:
            received = b""
            # A panel that refuses closes at once, and may do so before the request is whole.
            with contextlib.suppress(OSError):
                connection.sendall(text)
                if whole:
                    connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionResetError):
                while part := connection.recv(4096):
                    received += part
            return received

    return await asyncio.to_thread(exchange)


async def test_the_token_becomes_a_cookie(panel):
    assert len(panel.token) == 43
    response = await asyncio.to_thread(
        panel.request, "GET", f"/?token={panel.token}", Cookie=None
    )
    assert response.status == 200
    assert panel.token not in response.read().decode()
    cookie = response.getheader("Set-Cookie")
    assert cookie == f"eightball-{panel.port}={panel.token}; Path=/; HttpOnly; SameSite=Strict"


async def test_each_panel_has_its_own_token(panel, folder):
    async with panels.panel(folder) as other:
        assert other.token != panel.token
        assert await status(other, "GET", "/", Cookie=f"eightball-{other.port}={panel.token}") == 403


@pytest.mark.parametrize("path", ["/", "/events", "/press", "/shake", "/ask", "/explore", "/command", "/none", "/?token=x", "/?x"])
async def test_without_the_cookie_all_paths_have_the_same_response(panel, path):
    assert await status(panel, "GET", path, Cookie=None) == 403


@pytest.mark.parametrize("change", [-1, 0, 42])
async def test_a_wrong_token_is_refused(panel, change):
    wrong = panel.token[:-1] if change < 0 else _with_another(panel.token, change)
    assert await status(panel, "GET", "/", Cookie=f"eightball-{panel.port}={wrong}") == 403
    assert await status(panel, "GET", f"/?token={wrong}", Cookie=None) == 403


@pytest.mark.parametrize(
    "host, expected",
    [
        ("127.0.0.1", 200),
        ("localhost", 200),
        ("[::1]", 200),
        ("eight-ball.test", 421),
        ("127.0.0.2", 421),
        ("127.0.0.1.", 421),
    ],
)
async def test_other_names_of_the_host_are_refused(panel, host, expected):
    assert await status(panel, "GET", "/", Host=f"{host}:{panel.port}") == expected


async def test_another_port_and_no_host_are_refused(panel):
    assert await status(panel, "GET", "/", Host="127.0.0.1:1") == 421
    assert await status(panel, "GET", "/", Host="127.0.0.1") == 421
    assert await status(panel, "GET", "/", Host=None) == 400
    twice = f"GET / HTTP/1.1\r\nHost: {panel.host}\r\nHost: {panel.host}\r\n\r\n".encode()
    assert (await raw(panel, twice)).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "origin", [None, "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://evil.test"]
)
async def test_another_origin_is_refused(panel, origin):
    origin = origin and origin.format(port=panel.port)
    for path in ("/press", "/shake", "/ask", "/explore", "/command", "/leave"):
        assert await status(panel, "POST", path, b"{}", Origin=origin) == 403


async def test_another_port_of_this_host_is_refused(panel):
    for site in ("same-site", "cross-site"):
        assert await status(panel, "GET", "/events", Sec_Fetch_Site=site) == 403
        for path in ("/press", "/shake", "/explore", "/command"):
            assert await status(panel, "POST", path, b"{}", Sec_Fetch_Site=site) == 403


@pytest.mark.parametrize(
    "media", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
async def test_only_json_is_taken(panel, media):
    for path in ("/press", "/shake", "/explore", "/command"):
        assert await status(panel, "POST", path, b"{}", Content_Type=media) == 415


@pytest.mark.parametrize(
    "method, path, allowed",
    [
        ("POST", "/", "GET"),
        ("HEAD", "/", "GET"),
        ("DELETE", "/events", "GET"),
        ("GET", "/press", "POST"),
        ("GET", "/shake", "POST"),
        ("PUT", "/ask", "POST"),
        ("OPTIONS", "/ask", "POST"),
        ("GET", "/explore", "POST"),
        ("GET", "/command", "POST"),
    ],
)
async def test_other_methods_are_refused(panel, method, path, allowed):
    response = await asyncio.to_thread(panel.request, method, path)
    assert (response.status, response.getheader("Allow")) == (405, allowed)


async def test_a_reply_to_head_has_no_content(panel):
    for cookie in (f"Cookie: {panel.cookie}\r\n", ""):
        head = f"HEAD / HTTP/1.1\r\nHost: {panel.host}\r\n{cookie}\r\n".encode()
        reply = await raw(panel, head)
        assert b"\r\nContent-Length: " in reply.title() and reply.endswith(b"\r\n\r\n")


async def test_the_stream_needs_http_1_1(panel):
    head = f"GET /events HTTP/1.0\r\nHost: {panel.host}\r\nCookie: {panel.cookie}\r\n\r\n"
    assert b" 505 " in (await raw(panel, head.encode())).split(b"\r\n")[0]


@pytest.mark.parametrize("path", ["/none", "/events/", "//", "/../etc/passwd", "/?x", "/events?x"])
async def test_other_paths_are_not_found(panel, path):
    assert await status(panel, "GET", path) in (403, 404)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"shake"',
        b"{}",
        b'{"page":1}',
        b'{"page":"1","button":"shake","down":true}',
        b'{"page":1,"button":"quit","down":true}',
        b'{"page":1,"button":"shake\\ndown clear","down":true}',
        b'{"page":1,"button":"shake","down":1}',
        b'{"page":1,"button":"shake","down":true}x',
        b"[" * 4000,
        b'{"page":99999999999999999999,"button":"shake","down":true}',
        b'{"page":1,"button":"\xff","down":true}',
        b'{"page":1,"button":"\\ud800","down":true}',
    ],
)
async def test_an_invalid_body_is_refused(panel, body):
    assert await status(panel, "POST", "/press", body) == 400
    assert await status(panel, "POST", "/ask", body) == 400


@pytest.mark.parametrize("question", ["", "x" * 513, "€" * 171, "a\0b?"])
async def test_a_question_has_1_to_512_bytes(panel, question):
    body = json.dumps({"page": 1, "question": question}).encode()
    assert await status(panel, "POST", "/ask", body) == 400


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"{}", b'{"page":"1"}', b'{"page":1.5}', b'{"page":1}x'])
async def test_an_invalid_shake_is_refused(panel, body):
    assert await status(panel, "POST", "/shake", body) == 400


async def test_a_page_that_is_not_open_is_refused(panel):
    assert await status(panel, "POST", "/shake", b'{"page":7}') == 409
    press = json.dumps({"page": 7, "button": "shake", "down": True}).encode()
    ask = json.dumps({"page": 7, "question": "Is it open?"}).encode()
    assert await status(panel, "POST", "/press", press) == 409
    assert await status(panel, "POST", "/ask", ask) == 409


async def test_long_bodies_are_refused(panel):
    assert await status(panel, "POST", "/press", b" " * 4097) == 413
    assert await status(panel, "POST", "/press", b" " * 4096) == 400
    # Without a length in front.
    head = (
        f"POST /press HTTP/1.1\r\nHost: {panel.host}\r\nCookie: {panel.cookie}\r\n"
        f"Origin: http://{panel.host}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()
    chunk = b"800\r\n" + b" " * 0x800 + b"\r\n"
    assert (await raw(panel, head + 3 * chunk)).startswith(b"HTTP/1.1 413 ")


async def test_long_heads_are_refused(panel):
    assert await status(panel, "GET", "/" + "x" * 2048) == 414
    assert await status(panel, "GET", "/", X_Long="x" * 8192) == 431
    assert (await raw(panel, b"G" * 100_000)).startswith(b"HTTP/1.1 414 ")
    many = b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 2000
    assert (await raw(panel, many)).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize(
    "text",
    [
        b"hello\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/1.1\r\nNo colon\r\n\r\n",
        b"POST /press HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /press HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
async def test_malformed_requests_are_refused(panel, text):
    assert (await raw(panel, text, whole=False)).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("part", ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n", "whole head"])
async def test_slow_requests_end(panel, part):
    if part == "whole head":
        part = (
            f"POST /press HTTP/1.1\r\nHost: {panel.host}\r\nCookie: {panel.cookie}\r\n"
            f"Origin: http://{panel.host}\r\nContent-Type: application/json\r\n"
            "Content-Length: 9\r\n\r\n{"
        )
    assert (await raw(panel, part.encode(), whole=False)).startswith(b"HTTP/1.1 408 ")


async def test_a_connection_carries_one_request(panel):
    request = f"GET / HTTP/1.1\r\nHost: {panel.host}\r\nCookie: {panel.cookie}\r\n\r\n".encode()
    assert (await raw(panel, request * 2)).count(b"HTTP/1.1 ") == 1


async def test_connections_are_limited(panel):
    def open_many() -> int:
        sockets = [
            socket.create_connection(("127.0.0.1", panel.port), timeout=PATIENCE) for _ in range(70)
        ]
        # The panel closes the surplus connections at once.
        closed = sum(1 for it in sockets[64:] if _is_closed(it))
        # It has closed the others too before the next request.
        for it in sockets[:64]:
            it.shutdown(socket.SHUT_WR)
        assert all(_is_closed(it) for it in sockets[:64])
        for it in sockets:
            it.close()
        return closed

    assert await asyncio.to_thread(open_many) == 6


async def test_pages_are_limited(panel):
    def open_many():
        streams = [panel.request("GET", "/events") for _ in range(9)]
        found = [it.status for it in streams]
        for it in streams:
            it.close()
        return found

    assert await asyncio.to_thread(open_many) == [200] * 8 + [503]


async def test_a_panel_for_others_warns(folder):
    async with panels.panel(folder, "--listen", "0.0.0.0") as panel:
        await panel.program.prints("not encrypted")
        for host, expected in (("192.0.2.1", 200), ("eight-ball.test", 421), ("localhost", 200)):
            assert await status(panel, "GET", "/", Host=f"{host}:{panel.port}") == expected


def _is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def _with_another(text: str, index: int) -> str:
    return text[:index] + ("A" if text[index] != "A" else "B") + text[index + 1 :]
