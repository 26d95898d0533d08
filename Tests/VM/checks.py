"""Checks, each told of in one line: `ok …` or `FAILED …`, with what was seen."""

import contextlib
import sys


class Checks:
    def __init__(self):
        self._failed = 0

    @contextlib.contextmanager
    def check(self, name: str):
        """A check: fails if its body raises. The body calls what it is given with what it saw."""
        seen: list[str] = []
        try:
            yield lambda what: seen.append(str(what))
        except Exception as error:
            self._failed += 1
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            self._tell("FAILED", name, [*seen, f"{kind}{error}"])
        else:
            self._tell("ok", name, seen)

    def skip(self, name: str, reason: str) -> None:
        self._tell("skipped", name, [reason])

    def end(self) -> None:
        """Ends the suite, with the status that tells of failures."""
        sys.exit(1 if self._failed else 0)

    def _tell(self, outcome: str, name: str, seen: list[str]) -> None:
        detail = "; ".join(" | ".join(text.strip().splitlines()) for text in seen)
        print(f"{outcome} {name}{': ' if detail else ''}{detail}", flush=True)
