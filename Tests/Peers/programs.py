"""Programs under test: started, read line by line, and always stopped."""

import asyncio
import json
import os
import pathlib
import platform
import signal

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

#: The limit in seconds for something that takes milliseconds, on a slow and busy machine.
PATIENCE = 60.0


def eightball() -> str:
    """The program under test: $EIGHTBALL, else the newest build in the checkout."""
    if named := os.environ.get("EIGHTBALL"):
        if not os.access(named, os.X_OK):
            raise FileNotFoundError(f"EIGHTBALL names {named}, which is not a program.")
        return str(pathlib.Path(named).resolve())
    builds = [REPOSITORY / ".build" / mode / "eightball" for mode in ("release", "debug")]
    builds = [path for path in builds if path.exists()]
    if not builds:
        raise FileNotFoundError(
            "There is no eightball to test. Run scripts/build, or set EIGHTBALL to its path."
        )
    return str(max(builds, key=lambda path: path.stat().st_mtime))


def eightballd(target: str | None = None) -> list[str]:
    """The command of `eightballd` for this machine, or for another target in QEMU."""
    target = target or platform.machine()
    path = REPOSITORY / ".build-eightballd" / target / "eightballd"
    if not path.exists():
        raise FileNotFoundError(f"There is no {path}. Build it: scripts/build eightballd {target}.")
    # The processor of a Pi Zero.
    emulator = ["qemu-arm-static", "-cpu", "arm1176"] if target == "armv6" else []
    return [*emulator, str(path)]


def example(name: str) -> str:
    """A program of the package in Examples, which scripts/test builds."""
    folder = pathlib.Path(os.environ.get("EXAMPLES", REPOSITORY / ".build" / "debug"))
    path = folder / name
    if not path.exists():
        raise FileNotFoundError(f"There is no {path}. Build it: scripts/build examples.")
    return str(path)


def example_on(radio: str, name: str, *arguments: str) -> "Program":
    """An example that uses this radio."""
    return Program(example(name), *arguments, environment={"EIGHTBALL_RADIO": radio})


class Program:
    """A child process whose output is recorded, and whose lines can be awaited."""

    def __init__(
        self,
        *arguments: str,
        environment: dict[str, str] | None = None,
        output: int | None = None,
        has_input: bool = False,
    ):
        """`output`: a descriptor for the program's output, which the caller reads.

        `has_input`: whether `type` can be used.
        """
        self.arguments = arguments
        self._given_output = output
        self._has_input = has_input
        self.environment = {**os.environ, **(environment or {})}
        self.output: list[str] = []
        self.errors: list[str] = []
        self._heard = asyncio.Condition()
        self._read_to = 0
        self._open_streams = 2

    async def __aenter__(self) -> "Program":
        self._process = await asyncio.create_subprocess_exec(
            *self.arguments,
            stdin=asyncio.subprocess.PIPE if self._has_input else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE if self._given_output is None else self._given_output,
            stderr=asyncio.subprocess.PIPE,
            env=self.environment,
        )
        self._readers = asyncio.gather(
            self._listen(self._process.stdout, self.output),
            self._listen(self._process.stderr, self.errors),
        )
        return self

    async def __aexit__(self, *_) -> None:
        await self.stop()

    @property
    def process(self) -> int:
        """Its process identifier."""
        return self._process.pid

    def send(self, what: signal.Signals) -> None:
        """Sends the program a signal."""
        self._process.send_signal(what)

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ends the program if it still runs; its exit status."""
        if self._process.returncode is None:
            self._process.send_signal(how)
        return await self.ended()

    async def ended(self) -> int:
        """Waits until the program has ended; its exit status."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._readers
                return await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
            raise AssertionError(f"The program did not end.\n{self.transcript}") from None

    def type(self, line: str) -> None:
        """Gives the program a line of input."""
        self._process.stdin.write(f"{line}\n".encode())

    async def event(self, name: str, /, **fields) -> dict:
        """The next JSON event of this name with these fields, after those already taken."""
        return await self.line(
            lambda line: _as_event(line, name, fields), f"event {name!r} with {fields}"
        )

    async def starts_line(self, text: str) -> str:
        """Waits for the next line that starts with this text."""
        return await self.line(lambda line: line.startswith(text) and line, text)

    async def line(self, accept, description: str, patience: float = PATIENCE):
        """Waits for the next line for which `accept` returns a true value, and returns that value."""
        try:
            async with asyncio.timeout(patience), self._heard:
                while True:
                    while self._read_to < len(self.output):
                        line = self.output[self._read_to]
                        self._read_to += 1
                        if accepted := accept(line):
                            return accepted
                    if self._open_streams == 0:
                        break
                    await self._heard.wait()
        except TimeoutError:
            pass
        raise AssertionError(f"Timed out waiting for {description}.\n{self.transcript}")

    async def prints(self, text: str) -> None:
        """Waits until a line with this text is there, of its output or of its errors, taken or not."""
        try:
            async with asyncio.timeout(PATIENCE), self._heard:
                await self._heard.wait_for(
                    lambda: any(text in line for line in self.output + self.errors) or self._open_streams == 0
                )
        except TimeoutError:
            pass
        assert any(text in line for line in self.output + self.errors), (
            f"Timed out waiting for {text!r}.\n{self.transcript}"
        )

    def events(self, name: str) -> list[dict]:
        """The JSON events of this name that have been read, taken or not. More may be on their way, until an event
        that follows them has been awaited, or the end of the program.
        """
        return [found for line in self.output if (found := _as_event(line, name, {}))]

    @property
    def transcript(self) -> str:
        parts = [f"$ {' '.join(self.arguments)}"]
        parts += [f"  output: {line}" for line in self.output]
        parts += [f"  errors: {line}" for line in self.errors]
        return "\n".join(parts)

    async def _listen(self, stream: asyncio.StreamReader, lines: list[str]) -> None:
        while stream and (line := await stream.readline()):
            lines.append(line.decode(errors="backslashreplace").rstrip("\n"))
            async with self._heard:
                self._heard.notify_all()
        async with self._heard:
            self._open_streams -= 1
            self._heard.notify_all()


def _as_event(line: str, name: str, fields: dict) -> dict | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    wanted = {"event": name, **fields}
    matches = isinstance(event, dict) and all(
        event.get(key) == value for key, value in wanted.items()
    )
    return event if matches else None
