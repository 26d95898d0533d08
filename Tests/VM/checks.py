"""Checks, each printed in one line: `ok …` or `FAILED …`, with the observations."""

import contextlib
import sys


class Checks:
    def __init__(self):
        self._failed = 0

    @contextlib.contextmanager
    def check(self, name: str):
        """A check, which fails if its body raises. Yields a function that records an observation."""
        seen: list[str] = []
        try:
            yield lambda what: seen.append(str(what))
        except Exception as error:
            self._failed += 1
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            self._print("FAILED", name, [*seen, f"{kind}{error}"])
        else:
            self._print("ok", name, seen)

    def skip(self, name: str, reason: str) -> None:
        self._print("skipped", name, [reason])

    def end(self) -> None:
        """Ends the suite with status 0, or 1 after a failure."""
        sys.exit(1 if self._failed else 0)

    def _print(self, outcome: str, name: str, seen: list[str]) -> None:
        detail = "; ".join(" | ".join(text.strip().splitlines()) for text in seen)
        print(f"{outcome} {name}{': ' if detail else ''}{detail}", flush=True)
