"""The programs leave other users' files, sockets and pipes unchanged."""

import asyncio
import contextlib
import os
import pathlib
import signal
import socket

import pytest

import worlds
from btsnoop import records
from central import Central
from programs import PATIENCE, Program, eightball

NOBODY = 65534
#: H4's type of a command, HCI_Reset, and no parameters
RESET = bytes([0x01, 0x03, 0x0C, 0x00])

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


@contextlib.contextmanager
def acting_as(user: int):
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)


def listen(path: pathlib.Path) -> socket.socket:
    """A socket that every user may connect to."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o777)
    listener.listen()
    listener.settimeout(PATIENCE)
    return listener


async def first_bytes(listener: socket.socket) -> bytes:
    """The first bytes of the next connection; empty if it ends before."""
    connection, _ = await asyncio.to_thread(listener.accept)
    with connection:
        connection.settimeout(PATIENCE)
        return await asyncio.to_thread(connection.recv, 100)


async def fails(*arguments: str, environment: dict[str, str] | None = None) -> tuple[int, str]:
    async with Program(eightball(), *arguments, environment=environment) as program:
        return await program.ended(), program.transcript


async def test_a_file_at_the_path_of_an_air_stays_unchanged(folder):
    files = {"Gemfile": "gems", "Gemfile.lock": "versions"}
    for name, text in files.items():
        (folder / name).write_text(text)
    status, said = await fails("radio", "--listen", f"unix:{folder / 'Gemfile'}")
    assert status == 69 and "remove it if no program uses it, or use another path" in said
    assert {path.name: path.read_text() for path in folder.iterdir()} == files


async def test_files_of_a_killed_program_are_replaced(folder):
    async with worlds.our_air(folder) as (_, air):
        await air.stop(signal.SIGKILL)
    assert len(list(folder.iterdir())) == 2
    async with worlds.our_air(folder) as (_, air):
        assert await air.stop() == 0
    assert list(folder.iterdir()) == []


@as_root
async def test_another_users_air_is_not_joined(folder):
    folder.chmod(0o777)
    path = folder / "air"
    with acting_as(NOBODY):
        listener = listen(path)
    with listener:
        air = {"EIGHTBALL_AIR": str(path)}
        for radio, remedy in (("virtual", "XDG_RUNTIME_DIR"), (f"unix:{path}", f",user={NOBODY}")):
            command = fails("run", "--radio", radio, environment=air)
            (status, said), taken = await asyncio.gather(command, first_bytes(listener))
            assert status == 69 and "another user's (65534)" in said and remedy in said
            assert taken == b""
        ball = Program(eightball(), "run", "--radio", f"unix:{path},user={NOBODY}")
        async with ball:
            assert await first_bytes(listener) == RESET
    # The socket that is left is not replaced, either.
    status, said = await fails("run", "--radio", "virtual", environment=air)
    assert status == 69 and "this program did not create that file" in said and path.is_socket()


@as_root
async def test_another_users_lock_is_an_error_with_a_remedy(folder):
    lock = folder / ".air.eightball-lock"
    lock.touch()
    os.chown(lock, NOBODY, NOBODY)
    air = {"EIGHTBALL_AIR": str(folder / "air")}
    status, said = await fails("run", "--radio", "virtual", environment=air)
    assert status == 69 and "XDG_RUNTIME_DIR" in said and lock.exists()


@as_root
async def test_a_capture_goes_to_no_file_or_link_of_another_user(folder):
    (folder / "mine").write_text("mine")
    (folder / "file").write_text("theirs")
    (folder / "link").symlink_to(folder / "mine")
    for name in ("file", "link"):
        os.chown(folder / name, NOBODY, NOBODY, follow_symlinks=False)
        radio = f"unix:{folder / 'air'}"
        status, said = await fails("run", "--radio", radio, "--capture", str(folder / name))
        assert status == 1 and "another user" in said
    assert (folder / "mine").read_text() == "mine"
    assert (folder / "file").read_text() == "theirs"


async def ask_often(radio: str, count: int) -> None:
    async with Central.opened(radio) as central:
        visit = await central.visit(mtu=517)
        await visit.subscribe()
        for _ in range(count):
            await visit.ask("Is this on the record" + "." * 200 + "?")
            assert await visit.next_answer()


def expect_whole_records(capture: bytes) -> None:
    """Each record is whole, and has the number of packets lost before it."""
    losses = [it.losses for it in records(capture)]
    # A short record may fit where a longer one did not.
    assert losses and losses[0] == 0 and losses == sorted(losses)


async def test_a_capture_to_an_unread_pipe_does_not_block(folder):
    path = folder / "pipe"
    os.mkfifo(path)
    async with worlds.our_air(folder) as (radio, _):
        async with worlds.ball_running("--radio", radio, "--capture", str(path)) as ball:
            # More than 220 bytes a question, and a pipe has 65,536.
            await ask_often(radio, 400)
            reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                expect_whole_records(os.read(reader, 1 << 20))
            finally:
                os.close(reader)
            assert await ball.stop() == 0
            said = "\n".join(ball.errors)
            assert "packets are missing in the capture" in said and "does not keep up" in said


async def test_a_capture_that_may_not_grow_ends_with_a_whole_record(folder):
    path = folder / "capture"
    # 1,024 bytes.
    shell = ["bash", "-c", 'ulimit -f 1; exec "$@"', "bash"]
    async with worlds.our_air(folder) as (radio, _):
        command = [*shell, eightball(), "run", "--json", "--radio", radio, "--capture", str(path)]
        async with Program(*command) as ball:
            await ball.event("advertising")
            await ask_often(radio, 10)
            assert await ball.stop() == 0
        assert "missing in the capture" in "\n".join(ball.errors)
    expect_whole_records(path.read_bytes())


async def test_a_pipe_is_refused_as_a_board(folder):
    path = folder / "board.conf"
    os.mkfifo(path)
    status, said = await fails("run", "--radio", f"unix:{folder / 'air'}", "--board", str(path))
    assert status == 78 and "not a regular file" in said
