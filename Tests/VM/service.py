"""The ball as a systemd service with its unit's confinement: installed by scripts/install, started, asked,
hung, killed, stopped, and purged by apt.

PACKAGES is the folder of the packages of eightball and eightballd. systemd is process 1 of a process namespace in
the guest.
"""

import errno
import os
import pathlib
import subprocess

from adapters import ADDRESSES, Controllers, bluetooth_service, is_up, power, set_up
from att import Central
from checks import Checks
from programs import NOBODY, PATIENCE, Program, eventually, run

SETTINGS = pathlib.Path("/etc/default/eightball")
CGROUP = pathlib.Path("/sys/fs/cgroup/system.slice/eightball.service/cgroup.procs")
SOCKET = pathlib.Path("/run/eightball/control.sock")
UNITS = pathlib.Path("/etc/systemd/system")
SHARING = pathlib.Path("/usr/share/eightballd/bluez.conf")
CAP_NET_ADMIN = 1 << 12
PACKAGES = sorted(map(str, pathlib.Path(os.environ["PACKAGES"]).glob("*.deb")))

checks = Checks()
check = checks.check


def inside(manager: Program) -> list[str]:
    """A prefix that runs a command in systemd's process namespace, which systemd requires."""
    children = pathlib.Path(f"/proc/{manager.pid}/task/{manager.pid}/children")
    first = eventually("systemd is started", children.read_text).split()[0]
    return ["nsenter", f"--target={first}", "--pid", "--"]


def systemctl(*arguments: str) -> subprocess.CompletedProcess:
    # The guest's root is a chroot, which makes no difference here.
    environment = {**os.environ, "SYSTEMD_IGNORE_CHROOT": "1"}
    return run(*inside(manager), "systemctl", *arguments, env=environment)


def apt(*arguments: str) -> subprocess.CompletedProcess:
    """Runs apt, or a script that does, with a systemctl for this systemd, also in the packages' scripts."""
    folder = pathlib.Path("/root/bin")
    folder.mkdir(exist_ok=True)
    wrapper = folder / "systemctl"
    command = " ".join([*inside(manager), "/usr/bin/systemctl"])
    wrapper.write_text(f'#!/bin/sh\nSYSTEMD_IGNORE_CHROOT=1 exec {command} "$@"\n')
    wrapper.chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}:/usr/sbin:/sbin"
    settings = folder / "apt.conf"
    # All dependencies are installed, so apt needs no lists of packages, which it takes minutes to read here.
    sources = 'Dir::Etc::SourceList "/dev/null"; Dir::Etc::SourceParts "/dev/null";'
    settings.write_text(f'DPkg::Path "{path}"; {sources}\n')
    # Images of containers have the first, which lets no service start. With the second, apt lets man-db read all
    # manuals again, which takes minutes here.
    for unwanted in ("/usr/sbin/policy-rc.d", "/var/lib/man-db/auto-update"):
        pathlib.Path(unwanted).unlink(missing_ok=True)
    environment = {**os.environ, "PATH": path, "APT_CONFIG": str(settings)}
    return run(*arguments, patience=6 * PATIENCE, env=environment)


def property_of(name: str) -> str:
    return systemctl("show", "--value", f"--property={name}", "eightball").stdout.strip()


def process() -> str:
    """The ball's process identifier in the guest; empty if none runs."""
    try:
        return CGROUP.read_text().strip()
    except OSError as error:
        # No process runs, or it ended between open and read.
        if error.errno not in (errno.ENOENT, errno.ENODEV):
            raise
        return ""


def is_restarted(before: str) -> bool:
    # In this order, as the status of the last process stays until there is another.
    return process() not in ("", before) and is_alone()


def log() -> str:
    return run("journalctl", "--unit=eightball", "--output=cat", "--no-pager").stdout


def is_alone() -> bool:
    """Whether it advertises, and no central is connected."""
    return property_of("StatusText") == "Advertising."


def tool(*arguments: str, **options) -> str:
    """What `eightball`, which is installed, says when it fails."""
    done = run("/usr/bin/eightball", *arguments, **options)
    assert done.returncode == 69, done.stdout
    return done.stdout.strip()


def privileges(capabilities: int) -> str:
    """What the ball's process may do: it has its own user, these capabilities, and its system calls are filtered."""
    rows = pathlib.Path(f"/proc/{process()}/status").read_text().splitlines()
    status = dict(row.split(":\t", 1) for row in rows if ":\t" in row)
    for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == capabilities, f"{name} {status[name]}"
    assert status["Uid"].split()[0] != "0", status["Uid"]
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2"), rows
    return f"CapEff {status['CapEff']}, Seccomp {status['Seccomp']}"


def networks() -> set[str]:
    """The network namespaces of the ball and of the system."""
    return {os.readlink(f"/proc/{name}/ns/net") for name in (process(), "self")}


def answer() -> str:
    """Asks the ball over the kernel's Bluetooth, and waits until the central is disconnected: the kernel keeps a
    link for two more seconds, and would use it for the next process."""
    set_up("hci0", True)
    with Central(ADDRESSES[1]) as central:
        central.ask("Are you there?")
        answer = central.last_answer().decode()
    eventually("the central has gone", is_alone)
    return answer


def start_systemd() -> Program:
    """systemd with its journal, and without the services that change devices and files."""
    subprocess.run(["mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup"], check=True)
    for wanted in UNITS.glob("*.wants/*"):
        wanted.unlink()
    for name in ("udevd", "udev-trigger", "tmpfiles-setup", "tmpfiles-setup-dev", "sysusers"):
        (UNITS / f"systemd-{name}.service").symlink_to("/dev/null")
    # The suite starts the system bus and bluetoothd.
    for name in ("dbus.socket", "dbus.service", "bluetooth.service"):
        (UNITS / name).symlink_to("/dev/null")
    # They write units of disks and of scripts for another init, at the start and whenever a package is changed.
    generators = pathlib.Path("/etc/systemd/system-generators")
    generators.mkdir(exist_ok=True)
    for generator in pathlib.Path("/lib/systemd/system-generators").iterdir():
        (generators / generator.name).symlink_to("/dev/null")
    # Short times, for a slow machine.
    drop_in = UNITS / "eightball.service.d" / "guest.conf"
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

    # As on a machine that systemd has booted.
    pathlib.Path("/run/systemd/system").mkdir(parents=True, exist_ok=True)

    with check("scripts/install installs and enables it, and keeps the settings") as saw:
        before = SETTINGS.read_text()
        installed = apt("scripts/install", *PACKAGES)
        assert installed.returncode == 0, installed.stdout
        assert SETTINGS.read_text() == before, installed.stdout
        assert systemctl("is-enabled", "eightball").stdout.strip() == "enabled"
        version = run("/usr/bin/eightballd", "--version").stdout.strip()
        assert version, "the program that was installed says no version"
        saw(f"eightballd {version}; {installed.stdout.splitlines()[-1]}")

    # Symptom: on a Raspberry Pi, whose controller comes later, it failed, and was restarted after 5 s.
    with check("without its adapter, it is active, and waits for it") as saw:
        eventually("it waits", lambda: property_of("StatusText") == "Waiting for hci1.")
        saw(property_of("ActiveState"))
        assert property_of("ActiveState") == "active", log()
        assert property_of("NRestarts") == "0", log()

    with Controllers(are_settled=False):
        with check("it takes its adapter when that comes") as saw:
            eventually("it advertises", is_alone)
            assert property_of("NRestarts") == "0", log()
            assert "Error" not in log(), log()
            saw(property_of("StatusText"))
        systemctl("stop", "eightball")

    with Controllers():
        set_up("hci1", True)
        with check("it is active when it advertises, with the name from the settings") as saw:
            started = systemctl("restart", "eightball")
            assert started.returncode == 0, started.stdout
            assert property_of("ActiveState") == "active", property_of("ActiveState")
            assert property_of("StatusText") == "Advertising.", property_of("StatusText")
            # Another process writes the journal.
            eventually("its name in the journal", lambda: "Advertising as “Kitchen Ball”" in log())
            saw(property_of("StatusText"))

        with check("it answers") as saw:
            saw(answer())

        with check("it has its own user, and only CAP_NET_ADMIN") as saw:
            saw(privileges(CAP_NET_ADMIN))

        with check("root's tools find its control socket, and other users cannot connect") as saw:
            said = tool("press", "shake")
            assert "The ball has no buttons." in said, said
            assert SOCKET.stat().st_mode & 0o777 == 0o600
            refused = tool("press", "shake", **NOBODY)
            assert "no buttons" not in refused, refused
            saw(refused)

        with check("it notifies the watchdog, and is restarted when it hangs") as saw:
            before = process()
            systemctl("kill", "--signal=STOP", "eightball")
            eventually("another process advertises", lambda: is_restarted(before))
            assert property_of("NRestarts") != "0"
            saw(answer())

        with check("it is restarted when it is killed") as saw:
            before = process()
            systemctl("kill", "--signal=KILL", "eightball")
            eventually("another process advertises", lambda: is_restarted(before))
            said = tool("press", "shake")
            assert "The ball has no buttons." in said, said
            saw(answer())

        with check("it stops with success, and returns the adapter") as saw:
            # A killed process cannot return its adapter.
            systemctl("stop", "eightball")
            set_up("hci1", True)
            systemctl("start", "eightball")
            stopped = systemctl("stop", "eightball")
            assert stopped.returncode == 0, stopped.stdout
            saw(property_of("Result"))
            assert property_of("Result") == "success", log()
            assert is_up("hci1"), "hci1 is down"
            assert not SOCKET.exists()

    with Controllers(), bluetooth_service(powers_adapters=False):
        power("hci1", True)
        with check("with the drop-in it answers beside bluetoothd, without a capability and a network") as saw:
            drop_in = UNITS / "eightball.service.d" / SHARING.name
            drop_in.write_bytes(SHARING.read_bytes())
            SETTINGS.write_text('EIGHTBALL_OPTIONS="--radio bluez:hci1"\n')
            systemctl("daemon-reload")
            started = systemctl("start", "eightball")
            assert started.returncode == 0, started.stdout + log()
            eventually("it advertises", is_alone)
            saw(privileges(0))
            assert len(networks()) == 2, networks()
            saw(answer())
        systemctl("stop", "eightball")
        drop_in.unlink()
        systemctl("daemon-reload")

    with check("it is not restarted with a wrong setting") as saw:
        SETTINGS.write_text("EIGHTBALL_OPTIONS=--colour\n")
        systemctl("start", "eightball")
        eventually("it has failed", lambda: property_of("ActiveState") == "failed")
        saw(f"status {property_of('ExecMainStatus')}")
        assert property_of("ExecMainStatus") == "64", log()

    with check("apt purges it, its settings and its user") as saw:
        removed = apt("apt-get", "purge", "-y", "eightball", "eightballd")
        assert removed.returncode == 0, removed.stdout
        folders = [f"/usr/{name}" for name in ("bin", "lib/systemd", "libexec", "share/doc", "share/man")]
        # In a quarter of the time that pathlib takes here.
        left = run("find", *folders, "-name", "eightball*")
        assert (left.returncode, left.stdout) == (0, "") and not SETTINGS.exists(), left.stdout
        assert systemctl("is-enabled", "eightball").returncode != 0
        assert run("getent", "passwd", "eightball").returncode != 0, "the user is still there"
        saw(removed.stdout.splitlines()[-1])

    with check("after scripts/install --no-service, it can be enabled") as saw:
        SETTINGS.write_text("EIGHTBALL_OPTIONS=--colour\n")
        installed = apt("scripts/install", "--no-service", *PACKAGES)
        assert installed.returncode == 0, installed.stdout
        assert systemctl("is-enabled", "eightball").returncode != 0, "it is enabled"
        assert property_of("ActiveState") == "inactive", property_of("ActiveState")
        systemctl("enable", "--now", "eightball")
        eventually("it has failed", lambda: property_of("ActiveState") == "failed")
        saw(f"status {property_of('ExecMainStatus')}")
        # The program's status; without the unit's user it would be 217.
        assert property_of("ExecMainStatus") == "64", log()

checks.end()
