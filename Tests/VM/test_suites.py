"""The suites of this folder, each in a virtual machine of its own: scripts/vm-test runs them.

A suite is a program of the guest, which has Debian's own Python. It prints a line for each check.
"""

import os
import re
import subprocess

import pytest

#: What the suites try: the tools with the system's libgpiod, or eightballd with version 2.
TOOLS, DAEMON = "tools", "eightballd"

#: The longest first.
SUITES = [
    ("service", TOOLS),
    ("sharing", TOOLS),
    ("sharing", DAEMON),
    ("boards", TOOLS),
    ("central", TOOLS),
    ("air", TOOLS),
    ("security", TOOLS),
    ("corebluetooth", TOOLS),
    ("extended_advertising", TOOLS),
    ("eatt", TOOLS),
    ("latency", TOOLS),
    ("boards", DAEMON),
    ("peripheral", TOOLS),
    ("doctor", TOOLS),
    ("body", TOOLS),
    ("body", DAEMON),
    ("parts", TOOLS),
    ("parts", DAEMON),
    ("adapter", TOOLS),
    ("adapter", DAEMON),
    ("idle", TOOLS),
    ("idle", DAEMON),
]

#: The time limit of a suite in seconds: several times what it takes on a slow machine.
LIMIT = 600

#: The status of a run whose kernel found a processor that hung, or ended without the suite's status: see run_guest in
#: machine.sh. An emulated processor hangs now and then. Linux 6.1 itself sometimes uses memory that it has freed when a
#: simulated chip is unplugged while its lines are in use.
ENDED_BY_KERNEL = (124, 125)

#: Checks that measure.
FIGURE = re.compile(r"ok ((a press gives a notification|no wake-up|memory|an answer).*)")


def run(name: str, kind: str) -> tuple[int, str]:
    """Runs a suite; its status and its output."""
    passed_on = ("EIGHTBALL", "DAEMON", "EXAMPLES", "PACKAGES", "PYTHON")
    variables = {variable: os.environ[variable] for variable in passed_on}
    if kind == DAEMON:
        variables |= {"BALL": os.environ["DAEMON"], "GPIOD": "2"}
    suite = ["env", *(f"{variable}={value}" for variable, value in variables.items())]
    suite += ["/usr/bin/python3", "-B", f"Tests/VM/{name}.py"]
    guest = subprocess.run(
        ["scripts/vm-test", "--guest", os.environ["IMAGE"], str(LIMIT), *suite],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return guest.returncode, guest.stdout


@pytest.mark.parametrize(
    "name, kind", [pytest.param(*suite, id="-".join(suite)) for suite in SUITES]
)
def test_suite(name, kind, record_property):
    status, output = run(name, kind)
    print(output)
    if status in ENDED_BY_KERNEL:
        print("The guest’s kernel hung or ended. Trying again:")
        status, output = run(name, kind)
        print(output)
    lines = output.splitlines()
    good = sum(line.startswith("ok ") for line in lines)
    failed = [line for line in lines if line.startswith("FAILED ")]
    record_property("good", good)
    record_property("bad", len(failed))
    for figure in filter(None, map(FIGURE.match, lines)):
        record_property("figure", figure[1])
    assert not failed, "\n".join(failed)
    assert status == 0, f"the suite ended with status {status}"
    assert good, "the suite has no checks"
