"""Programs under test, with a limit for every wait."""

import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import time

#: The limit in seconds for something that takes milliseconds, on a slow and busy emulated machine.
PATIENCE = 60.0

#: Options of a program that runs as a user without privileges.
NOBODY = {"user": "nobody", "group": "nogroup", "extra_groups": []}


def eightball() -> str:
    """The program under test."""
    return str(pathlib.Path(os.environ["EIGHTBALL"]).resolve())


def run(*arguments: str, patience: float = PATIENCE, **options) -> subprocess.CompletedProcess:
    """Runs a program to its end; its output and errors as text."""
    return subprocess.run(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=patience,
        **options,
    )


def eventually(what: str, condition, patience: float = PATIENCE):
    """Waits until `condition()` is true; its value."""
    start = time.monotonic()
    while True:
        before = time.monotonic()
        if result := condition():
            return result
        now = time.monotonic()
        assert now < start + patience, f"timed out waiting until {what}"
        # As long as the look took, which would otherwise take the processor from what it waits for.
        time.sleep(max(0.05, now - before))


class Program:
    """A program in the background, with lines that can be awaited."""

    def __init__(self, *arguments: str, **options):
        self._name = arguments[0].rpartition("/")[2]
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        #: The lines that it has printed.
        self.log: list[str] = []
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

    def statuses(self) -> list[dict[str, int]]:
        """The numbers in /proc/…/status of each of its threads."""
        folders = pathlib.Path(f"/proc/{self.pid}/task").iterdir()
        texts = [(folder / "status").read_text() for folder in folders]
        return [
            {name: int(number) for name, number in re.findall(r"^(\w+):\s+(\d+)", text, re.M)}
            for text in texts
        ]

    def wake_ups(self) -> int:
        """The number of times that it has slept."""
        return sum(status["voluntary_ctxt_switches"] for status in self.statuses())

    def memory(self) -> str:
        """Its resident and anonymous memory."""
        # The counts in `status` may lack 64 pages of a thread, more than a small program has.
        text = pathlib.Path(f"/proc/{self.pid}/smaps_rollup").read_text()
        sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB", text, re.M))
        return ", ".join(f"{name} {sizes[name]} kB" for name in ("Rss", "Anonymous"))

    def status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.poll()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ends it; its exit status."""
        self._process.send_signal(how)
        return self._process.wait(PATIENCE)

    def line(self, accept, description: str):
        """Waits for the next line for which `accept` returns a true value; that value."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                line = self._lines.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                line = None
            assert line is not None, f"{self._name} printed no {description}, but {self.log}"
            if accepted := accept(line):
                return accepted

    def event(self, kind: str, **fields) -> dict:
        """The next event of this kind with these fields, after those already taken."""
        wanted = {"event": kind, **fields}

        def accept(line: str) -> dict | None:
            event = json.loads(line)
            return event if wanted.items() <= event.items() else None

        return self.line(accept, f"{wanted}")

    def _listen(self) -> None:
        for line in self._process.stdout:
            self.log.append(line.rstrip("\n"))
            self._lines.put(line)
        self._lines.put(None)


def ball_command(*options: str) -> list[str]:
    """The command of the ball under test: `eightball run`, or eightballd if BALL has its path."""
    daemon = os.environ.get("BALL")
    if not daemon or "virtual" in options:
        return [eightball(), "run", *options]
    return [daemon, *options]


class Ball(Program):
    """The ball under test, which prints its events as JSON."""

    def __init__(self, radio: str | None, *options: str, **process):
        """Uses this radio, or the one in its board's file."""
        chosen = ["--radio", radio] if radio else []
        super().__init__(*ball_command(*chosen, "--json", *options), **process)
