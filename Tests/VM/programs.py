"""Programs, with limits to every wait."""

import json
import os
import pathlib
import queue
import signal
import subprocess
import threading
import time

#: How long to wait for what takes milliseconds, on a slow and busy emulated machine, in seconds.
PATIENCE = 20.0


def eightball() -> str:
    """The program under test."""
    return str(pathlib.Path(os.environ["EIGHTBALL"]).resolve())


def run(*arguments: str, **options) -> subprocess.CompletedProcess:
    """Runs a program to its end; its output, errors among it, as text."""
    return subprocess.run(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        **options,
    )


def eventually(what: str, condition, patience: float = PATIENCE):
    """Waits until `condition()` gives something true, and gives that."""
    end = time.monotonic() + patience
    while not (result := condition()):
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.05)
    return result


class Program:
    """A program in the background, whose lines can be waited for."""

    def __init__(self, *arguments: str, **options):
        self._name = arguments[0].rpartition("/")[2]
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._log: list[str] = []
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **options,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to end; its exit status."""
        self._process.send_signal(how)
        return self._process.wait(PATIENCE)

    def line(self, accept, description: str):
        """Waits for the next line of which `accept` makes something true, and gives that."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                line = self._lines.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                line = None
            assert line is not None, (
                f"{self._name} told of no {description}; it said {self._log}"
            )
            if accepted := accept(line):
                return accepted

    def _listen(self) -> None:
        for line in self._process.stdout:
            self._log.append(line.rstrip("\n"))
            self._lines.put(line)
        self._lines.put(None)


class Ball(Program):
    """The program under test as a ball, telling of its events in JSON."""

    def __init__(self, radio: str, *options: str):
        super().__init__(eightball(), "run", "--radio", radio, "--json", *options)

    def event(self, kind: str, **fields) -> dict:
        """The next event of this kind with these fields, after those already taken."""
        wanted = {"event": kind, **fields}

        def accept(line: str) -> dict | None:
            event = json.loads(line)
            return event if wanted.items() <= event.items() else None

        return self.line(accept, f"{wanted}")
