"""The ball as a service of systemd, confined as its unit says: installed by scripts/install, started,
asked, hung, killed, stopped, and taken away by scripts/uninstall.

INSTALLED and DAEMON name the programs that are installed, eightball and eightballd. systemd is the first
program of a process namespace in the guest.
"""

import errno
import os
import pathlib
import subprocess

from adapters import ADDRESSES, Controllers, is_up, set_up
from att import Central
from checks import Checks
from programs import PATIENCE, Program, eventually, run

SETTINGS = pathlib.Path("/etc/default/eightball")
CGROUP = pathlib.Path("/sys/fs/cgroup/system.slice/eightball.service/cgroup.procs")
CAP_NET_ADMIN = 1 << 12
PROGRAMS = ("--binary", os.environ["INSTALLED"], "--daemon", os.environ["DAEMON"])

checks = Checks()
check = checks.check


def inside(manager: Program) -> list[str]:
    """What runs a command in systemd's own process namespace, or it cannot tell who asks."""
    children = pathlib.Path(f"/proc/{manager.pid}/task/{manager.pid}/children")
    first = eventually("systemd is started", children.read_text).split()[0]
    return ["nsenter", f"--target={first}", "--pid", "--"]


def systemctl(*arguments: str) -> subprocess.CompletedProcess:
    # The guest's root is a folder of its first root, which makes no difference here.
    environment = {**os.environ, "SYSTEMD_IGNORE_CHROOT": "1"}
    return run(*inside(manager), "systemctl", *arguments, env=environment)


def script(*arguments: str) -> subprocess.CompletedProcess:
    """Runs one of the scripts, whose systemctl is ours."""
    folder = pathlib.Path("/root/bin")
    folder.mkdir(exist_ok=True)
    wrapper = folder / "systemctl"
    command = " ".join([*inside(manager), "/usr/bin/systemctl"])
    wrapper.write_text(f'#!/bin/sh\nSYSTEMD_IGNORE_CHROOT=1 exec {command} "$@"\n')
    wrapper.chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}:/usr/sbin:/sbin"
    return run(*arguments, patience=2 * PATIENCE, env={**os.environ, "PATH": path})


def property_of(name: str) -> str:
    return systemctl("show", "--value", f"--property={name}", "eightball").stdout.strip()


def process() -> str:
    """The number of the ball's process, as we see it; empty where none runs."""
    try:
        return CGROUP.read_text().strip()
    except OSError as error:
        # There is none; or it went between being opened and being read.
        if error.errno not in (errno.ENOENT, errno.ENODEV):
            raise
        return ""


def is_running_anew(before: str) -> bool:
    # In this order: what the last one told stays until there is another.
    return process() not in ("", before) and is_alone()


def log() -> str:
    return run("journalctl", "--unit=eightball", "--output=cat", "--no-pager").stdout


def is_alone() -> bool:
    """Whether it advertises, and no central is connected."""
    return property_of("StatusText") == "Advertising."


def answer() -> str:
    """Asks the ball over the kernel's own Bluetooth, and waits until it has seen the central go: the
    kernel keeps a link for two seconds more, and would ask the next process over it, in vain."""
    set_up("hci0", True)
    with Central(ADDRESSES[1]) as central:
        central.ask("Are you there?")
        answer = central.last_answer().decode()
    eventually("the central has gone", is_alone)
    return answer


def start_systemd() -> Program:
    """systemd, with its journal and little else: the guest's devices and files are as they are."""
    subprocess.run(["mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup"], check=True)
    units = pathlib.Path("/etc/systemd/system")
    for wanted in units.glob("*.wants/*"):
        wanted.unlink()
    for name in ("udevd", "udev-trigger", "tmpfiles-setup", "tmpfiles-setup-dev", "sysusers"):
        (units / f"systemd-{name}.service").symlink_to("/dev/null")
    # Short times, for a machine that does one thing at a time.
    drop_in = units / "eightball.service.d" / "guest.conf"
    drop_in.parent.mkdir(parents=True)
    drop_in.write_text("[Service]\nWatchdogSec=6\nTimeoutAbortSec=1\nRestartSec=1\n")
    return Program(
        *("unshare", "--pid", "--mount", "--fork", "--mount-proc"),
        *("/lib/systemd/systemd", "--system", "--unit=basic.target", "--log-target=kmsg"),
        env={"SYSTEMD_IGNORE_CHROOT": "1", "container": "guest", "PATH": os.environ["PATH"]},
    )


SETTINGS.write_text("EIGHTBALL_OPTIONS=\"--radio hci1 --name 'Kitchen Ball' --seed 8\"\n")

with start_systemd() as manager:
    eventually("systemd is up", lambda: systemctl("is-active", "basic.target").returncode == 0)

    # As where systemd has started the machine.
    pathlib.Path("/run/systemd/system").mkdir(parents=True, exist_ok=True)

    with check("scripts/install installs and enables it, and keeps the settings") as saw:
        installed = script("scripts/install", *PROGRAMS)
        assert installed.returncode == 0, installed.stdout
        assert f"keeping {SETTINGS}" in installed.stdout, installed.stdout
        assert systemctl("is-enabled", "eightball").stdout.strip() == "enabled"
        version = run("/usr/local/bin/eightballd", "--version").stdout.strip()
        assert version, "the program that was installed says no version"
        saw(f"eightballd {version}; {installed.stdout.splitlines()[-1]}")

    with check("without its adapter it is tried again") as saw:
        eventually("a second try", lambda: log().count("there is no adapter hci1") > 1)
        saw(property_of("ActiveState"))

    with Controllers():
        set_up("hci1", True)
        with check("it is ready once it advertises, with the name of the settings") as saw:
            started = systemctl("restart", "eightball")
            assert started.returncode == 0, started.stdout
            assert property_of("ActiveState") == "active", property_of("ActiveState")
            assert property_of("StatusText") == "Advertising.", property_of("StatusText")
            # The journal is written by another process, from what this one says.
            eventually("its name in the journal", lambda: "Advertising as “Kitchen Ball”" in log())
            saw(property_of("StatusText"))

        with check("it answers") as saw:
            saw(answer())

        with check("it is its own user, with CAP_NET_ADMIN and no other right") as saw:
            rows = pathlib.Path(f"/proc/{process()}/status").read_text().splitlines()
            status = dict(row.split(":\t", 1) for row in rows if ":\t" in row)
            for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
                assert int(status[name], 16) == CAP_NET_ADMIN, f"{name} {status[name]}"
            assert status["Uid"].split()[0] != "0", status["Uid"]
            assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2"), rows
            saw(f"CapEff {status['CapEff']}, Seccomp {status['Seccomp']}")

        with check("its loop keeps the watchdog content, and one that hangs is started again") as saw:
            before = process()
            systemctl("kill", "--signal=STOP", "eightball")
            eventually("another process advertises", lambda: is_running_anew(before))
            assert property_of("NRestarts") != "0"
            saw(answer())

        with check("one that is killed is started again") as saw:
            before = process()
            systemctl("kill", "--signal=KILL", "eightball")
            eventually("another process advertises", lambda: is_running_anew(before))
            saw(answer())

        with check("stopped, it says so, ends well and gives the adapter back") as saw:
            # One that is killed cannot give back what it took.
            systemctl("stop", "eightball")
            set_up("hci1", True)
            systemctl("start", "eightball")
            stopped = systemctl("stop", "eightball")
            assert stopped.returncode == 0, stopped.stdout
            saw(property_of("Result"))
            assert property_of("Result") == "success", log()
            assert is_up("hci1"), "hci1 is down"

    with check("a wrong setting is not tried again") as saw:
        SETTINGS.write_text("EIGHTBALL_OPTIONS=--colour\n")
        systemctl("start", "eightball")
        eventually("it has failed", lambda: property_of("ActiveState") == "failed")
        saw(f"status {property_of('ExecMainStatus')}")
        assert property_of("ExecMainStatus") == "64", log()

    with check("scripts/uninstall --purge takes it away, with its settings and its user") as saw:
        removed = script("scripts/uninstall", "--purge")
        assert removed.returncode == 0, removed.stdout
        left = [path for path in pathlib.Path("/usr/local").rglob("*eightball*")]
        assert not left and not SETTINGS.exists(), left
        assert systemctl("is-enabled", "eightball").returncode != 0
        assert run("getent", "passwd", "eightball").returncode != 0, "the user is still there"
        saw(removed.stdout.splitlines()[-1])

    with check("scripts/install --no-service leaves nothing to do but to enable it") as saw:
        SETTINGS.write_text("EIGHTBALL_OPTIONS=--colour\n")
        installed = script("scripts/install", "--no-service", *PROGRAMS)
        assert installed.returncode == 0, installed.stdout
        assert systemctl("is-enabled", "eightball").returncode != 0, "it is enabled"
        assert property_of("ActiveState") == "inactive", property_of("ActiveState")
        systemctl("enable", "--now", "eightball")
        eventually("it has failed", lambda: property_of("ActiveState") == "failed")
        saw(f"status {property_of('ExecMainStatus')}")
        # The program's own word; without the user that the unit names it would be 217, again and again.
        assert property_of("ExecMainStatus") == "64", log()

checks.end()
