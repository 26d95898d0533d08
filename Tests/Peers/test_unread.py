"""Output that nothing reads: the ball goes on, loses lines, and says how many."""

import asyncio
import contextlib
import fcntl
import json
import os
import re
import signal
import socket

import pytest

from controller import LISTENING, QUESTION, att, ball_on_a_controller
from programs import PATIENCE

#: The handles of two links.
LINK, OTHER = 0x40, 0x41


class Pipe:
    """A pipe that is as short as a pipe can be, from the reader's side."""

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
    """The same of a pair of sockets, as a service's journal is."""

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
    """Subscribes, and asks so many questions, each after the answer to the last."""
    radio.tell(radio.connected(link), att(link, f"12 {LISTENING} 01 00"))
    question = att(link, bytes.fromhex(f"12 {QUESTION}") + b"Will it rain?")
    for number in range(1, count + 1):
        radio.tell(question)
        # The responses to the subscription and to each question, and the answers.
        await radio.until(
            lambda: len([pdu for handle, pdu in radio.pdus if handle == link]) == 1 + 2 * number,
            f"answer {number}",
        )


async def lines_until(stream, accept) -> list[str]:
    """What is read, until `accept` is true of the last line; each is whole."""
    read = b""
    async with asyncio.timeout(PATIENCE):
        while not (read.endswith(b"\n") and accept(read.decode().splitlines()[-1])):
            try:
                read += stream.read()
            except BlockingIOError:
                await asyncio.sleep(0.01)
    return read.decode().splitlines()


async def test_a_ball_that_is_not_read_answers_and_ends(stream):
    async with ball_on_a_controller(output=stream.writer) as (ball, radio):
        await ask(radio, LINK, 1_000)
        assert await ball.stop(signal.SIGTERM) == 0


async def test_programs_learn_how_many_lines_they_lost(stream):
    async with ball_on_a_controller(output=stream.writer) as (ball, radio):
        # 400 lines, which is within what one central may cause.
        await ask(radio, LINK, 200)
        before = [json.loads(line) for line in await lines_until(stream, lambda line: "unread" in line)]
        radio.tell(radio.disconnected(LINK))
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


async def test_people_are_shown_how_many_lines_were_lost(stream):
    async with ball_on_a_controller(is_json=False, output=stream.writer) as (ball, radio):
        await ask(radio, LINK, 240)
        before = await lines_until(stream, lambda line: "lost" in line)
        await ask(radio, OTHER, 1)
        after = await lines_until(stream, lambda line: "Answer" in line)
    lost = re.fullmatch(r"\((\d+) lines were not read, and are lost\.\)", before[-1])
    asked = [line for line in before if line.startswith(("Question: ", "Answer: "))]
    assert lost and len(asked) + int(lost[1]) == 480, before
    assert after[:2] == ["Connected: C0:00:00:00:00:41.", "Question: Will it rain?"]


async def test_the_stream_of_others_stays_as_it_was(stream):
    before = fcntl.fcntl(stream.writer, fcntl.F_GETFL)
    async with ball_on_a_controller(output=stream.writer) as (ball, radio):
        await ask(radio, LINK, 200)
        assert fcntl.fcntl(stream.writer, fcntl.F_GETFL) == before
        await ball.stop()
    assert fcntl.fcntl(stream.writer, fcntl.F_GETFL) == before
