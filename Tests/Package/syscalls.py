"""Does the unit's filter let the program make the system calls that it makes?

usage: syscalls.py UNIT TRACE...

UNIT is the file of a service, and each TRACE is what strace has written of the program. A call that
the filter denies fails with an error of which nobody hears, so it is looked for here.
"""

import re
import subprocess
import sys


def members(name: str) -> set[str]:
    """The calls of one word of a filter: a group of systemd's, or a call."""
    if not name.startswith("@"):
        return {name}
    listing = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True
    ).stdout
    words = (line.strip() for line in listing.splitlines()[1:] if line.startswith("    "))
    return {call for word in words if word and word[0] != "#" for call in members(word)}


def allowed(unit: str) -> set[str]:
    """The calls that are left by all the lines of the filter; the first has to allow something."""
    calls: set[str] = set()
    for value in re.findall(r"^SystemCallFilter=(.*)$", unit, re.MULTILINE):
        is_denied = value.startswith("~")
        named = {call for word in value.lstrip("~").split() for call in members(word)}
        calls = calls - named if is_denied else calls | named
    return calls


def made(trace: str) -> set[str]:
    """The calls in a trace, one a line. What loads the program is made before the filter is."""
    return set(re.findall(r"^([a-z_0-9]+)\(", trace, re.MULTILINE)) - {"execve"}


unit, *traces = sys.argv[1:]
right = allowed(open(unit, encoding="utf-8").read())
calls = set().union(*(made(open(path, encoding="utf-8").read()) for path in traces))
wrong = sorted(calls - right)
print(f"The program makes {len(calls)} system calls; the unit lets it make {len(right)}.")
if not calls or not right:
    sys.exit("That is none: the trace or the unit could not be read.")
if wrong:
    sys.exit(f"The unit's SystemCallFilter denies: {', '.join(wrong)}")
