"""Unread output: the ball goes on, drops lines, and prints their number."""

import asyncio
import contextlib
import fcntl
import json
import os
import signal
import socket

import pytest

from controller import LISTENING, QUESTION, att, ball_on_a_controller
from programs import PATIENCE

#: The handles of two links.
LINK, OTHER = 0x40, 0x41


class Pipe:
    """The reader's end of a pipe of the minimum size."""

    def __init__(self):
        self.reader, self.writer = os.pipe()
        fcntl.fcntl(self.writer, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(self.reader, False)

    def read(self) -> bytes:
        return os.read(self.reader, 65_536)

    def close(self) -> None:
        os.close(self.reader)
        os.close(self.writer)


class Socket:
    """The reader's end of a socket pair, as a service's journal uses."""

    def __init__(self):
        self._near, self._far = socket.socketpair()
        self._far.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self._near.setblocking(False)
        self.writer = self._far.fileno()

    def read(self) -> bytes:
        return self._near.recv(65_536)

    def close(self) -> None:
        self._near.close()
        self._far.close()


@pytest.fixture(params=[Pipe, Socket], ids=["pipe", "socket"])
def stream(request):
    with contextlib.closing(request.param()) as stream:
        yield stream


async def ask(radio, link: int, count: int) -> None:
    """Subscribes, and asks `count` questions, each after the previous answer."""
    radio.send(radio.connected(link), att(link, f"12 {LISTENING} 01 00"))
    question = att(link, bytes.fromhex(f"12 {QUESTION}") + b"Will it rain today?")
    for number in range(1, count + 1):
        radio.send(question)
        # The responses to the subscription and to each question, and the answers.
        await radio.until(
            lambda: len([pdu for handle, pdu in radio.pdus if handle == link]) == 1 + 2 * number,
            f"answer {number}",
        )


async def lines_until(stream, accept) -> list[str]:
    """The lines read until `accept` is true of the last one; each line is whole."""
    read = b""
    async with asyncio.timeout(PATIENCE):
        while not (read.endswith(b"\n") and accept(read.decode().splitlines()[-1])):
            try:
                read += stream.read()
            except BlockingIOError:
                await asyncio.sleep(0.01)
    return read.decode().splitlines()


async def test_a_ball_with_unread_output_answers_and_ends(stream):
    async with ball_on_a_controller(output=stream.writer) as (ball, radio):
        await ask(radio, LINK, 1_000)
        assert await ball.stop(signal.SIGTERM) == 0


async def test_json_output_has_the_number_of_lost_lines(stream):
    async with ball_on_a_controller(output=stream.writer) as (ball, radio):
        # 400 lines, within the limit for one central.
        await ask(radio, LINK, 200)
        before = [json.loads(line) for line in await lines_until(stream, lambda line: "unread" in line)]
        radio.send(radio.disconnected(LINK))
        await ask(radio, OTHER, 1)
        after = [json.loads(line) for line in await lines_until(stream, lambda line: "answer" in line)]
    assert before[-1].keys() == {"event", "count"}
    asked = [line for line in before if line["event"] in ("question", "answer")]
    assert len(asked) + before[-1]["count"] == 400
    assert [line["event"] for line in before].count("unread") == 1
    assert [line["event"] for line in after] == [
        "disconnected",
        "connected",
        "subscribed",
        "question",
        "answer",
    ]


async def test_the_flags_of_the_output_stay_unchanged(stream):
    before = fcntl.fcntl(stream.writer, fcntl.F_GETFL)
    async with ball_on_a_controller(output=stream.writer) as (ball, radio):
        await ask(radio, LINK, 200)
        assert fcntl.fcntl(stream.writer, fcntl.F_GETFL) == before
        await ball.stop()
    assert fcntl.fcntl(stream.writer, fcntl.F_GETFL) == before
