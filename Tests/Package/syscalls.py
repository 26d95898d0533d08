"""Checks that the unit's filter allows the system calls of the program.

usage: syscalls.py UNIT TRACE...

UNIT is the file of a service, and each TRACE is an output of strace for the program. Without this check, a
denied call would fail silently.
"""

import re
import subprocess
import sys


def members(name: str) -> set[str]:
    """The calls of a word in a filter: those of a systemd group, or a single call."""
    if not name.startswith("@"):
        return {name}
    listing = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True
    ).stdout
    words = (line.strip() for line in listing.splitlines()[1:] if line.startswith("    "))
    return {call for word in words if word and word[0] != "#" for call in members(word)}


def allowed(unit: str) -> set[str]:
    """The calls that all lines of the filter allow; the first line must allow some."""
    calls: set[str] = set()
    for value in re.findall(r"^SystemCallFilter=(.*)$", unit, re.MULTILINE):
        is_denied = value.startswith("~")
        named = {call for word in value.lstrip("~").split() for call in members(word)}
        calls = calls - named if is_denied else calls | named
    return calls


def made(trace: str) -> set[str]:
    """The calls in a trace, one a line, without execve, which precedes the filter."""
    return set(re.findall(r"^([a-z_0-9]+)\(", trace, re.MULTILINE)) - {"execve"}


unit, *traces = sys.argv[1:]
right = allowed(open(unit, encoding="utf-8").read())
calls = set().union(*(made(open(path, encoding="utf-8").read()) for path in traces))
wrong = sorted(calls - right)
print(f"The program makes {len(calls)} system calls; the unit lets it make {len(right)}.")
if not calls or not right:
    sys.exit("The trace or the unit has no system calls. Check both files.")
if wrong:
    sys.exit(f"The unit's SystemCallFilter denies: {', '.join(wrong)}")
