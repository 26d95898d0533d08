"""The findings of `eightball doctor` for the kernel's adapters: down, up, held by a ball or by another program,
switched off, or missing; as root and as a user. It changes no adapter."""

import json
import pathlib
import shutil

from adapters import ADDRESSES, Controllers, bluetooth_service, is_up, rfkill_switch, set_up
from checks import Checks
from programs import NOBODY, Ball, eightball, eventually, run

WELL = 0
RADIO_TROUBLE = 69
UNIT = "eightball.service"

checks = Checks()
check = checks.check


class Findings:
    """The findings of doctor, by subject; for several adapters, by the adapter's name."""

    def __init__(self, *options: str, status: int, **more):
        ended = run(eightball(), "doctor", "--json", *options, **more)
        assert ended.returncode == status, ended
        *lines, last = map(json.loads, ended.stdout.splitlines())
        assert last["event"] == "checked" and last["well"] == (status == WELL), last
        self.summary = last["detail"]
        self._lines = lines

    def of(self, subject: str, verdict: str, *words: str) -> str:
        """The one finding of this subject that has all of the words; its text and remedy."""
        found = [
            line
            for line in self._lines
            if line["subject"] == subject and all(word in self._text(line) for word in words)
        ]
        assert len(found) == 1 and found[0]["verdict"] == verdict, self._lines
        return self._text(found[0])

    @staticmethod
    def _text(line: dict) -> str:
        return ". ".join(line[name] for name in ("detail", "remedy") if name in line)


with Controllers():
    with check("an adapter that is down") as saw:
        findings = Findings("--radio", "hci1", status=WELL)
        saw(findings.of("adapter", "ok", f"hci1 ({ADDRESSES[1]}", "is down, and free"))
        findings.of("bluetoothd", "ok", "does not run")
        assert not is_up("hci1"), "hci1 is up"

    with check("an adapter that is up") as saw:
        set_up("hci1", True)
        findings = Findings("--radio", "hci1", status=WELL)
        saw(findings.of("adapter", "ok", f"hci1 ({ADDRESSES[1]}", "is up: the system has it"))
        assert is_up("hci1"), "hci1 is down"

    with check("an adapter while bluetoothd runs") as saw, bluetooth_service(powers_adapters=True):
        findings = Findings("--radio", "hci1", status=WELL)
        saw(findings.of("bluetoothd", "ok", "it runs (process "))
        # The sockets of bluetoothd do not count as holding the adapter.
        with Ball("hci1") as ball:
            ball.event("advertising")
            findings = Findings("--radio", "hci1", status=RADIO_TROUBLE)
            saw(findings.of("adapter", "wrong", f"holds hci1: eightball, process {ball.pid}."))
            ball.stop()

    with check("a user without rights") as saw:
        findings = Findings("--radio", "hci1", status=RADIO_TROUBLE, **NOBODY)
        findings.of("adapter", "ok", "hci1", "is up")
        words = findings.of("permission", "wrong", "CAP_NET_ADMIN", "sudo setcap")
        saw(words)
        refused = run(eightball(), "run", "--radio", "hci1", **NOBODY)
        assert refused.stdout.splitlines()[-1] == f"Error: {words}.", refused.stdout

    with check("an adapter held by a ball: root sees the process, a user only that it is held") as saw:
        with Ball("hci1") as ball:
            ball.event("advertising")
            findings = Findings("--radio", "hci1", status=RADIO_TROUBLE)
            saw(findings.of("adapter", "wrong", f"holds hci1: eightball, process {ball.pid}."))
            findings = Findings("--radio", "hci1", status=RADIO_TROUBLE, **NOBODY)
            saw(findings.of("adapter", "wrong", "another program holds hci1.", "sudo"))
            # The other adapter is free, and is the default.
            findings = Findings(status=WELL)
            findings.of("radio", "ok", "hci0")
            findings.of("adapter", "note", "holds hci1")
            saw(findings.summary)
            assert ball.stop() == 0
        assert is_up("hci1"), "hci1 is down"

    with check("an adapter held by the ball's service") as saw:
        pathlib.Path("/run/systemd/system").mkdir(parents=True, exist_ok=True)
        unit = pathlib.Path("/run/systemd/system") / UNIT
        unit.write_text("[Service]\n")
        group = pathlib.Path("/sys/fs/cgroup/system.slice") / UNIT
        saw(Findings(status=WELL).of("service", "note", "does not run"))
        try:
            run("mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup")
            group.mkdir(parents=True)
            with Ball("hci1") as ball:
                ball.event("advertising")
                (group / "cgroup.procs").write_text(str(ball.pid))
                findings = Findings("--radio", "hci1", status=WELL)
                saw(findings.of("adapter", "ok", f"held by {UNIT} (process {ball.pid})"))
                findings = Findings("--radio", "hci1", status=WELL, **NOBODY)
                saw(findings.of("adapter", "ok", f"held by {UNIT}"))
                saw(findings.of("permission", "ok", f"{UNIT} may"))
                saw(findings.summary)
                assert ball.stop() == 0
            eventually("the service has ended", lambda: not (group / "cgroup.procs").read_text())
            Findings(status=WELL).of("service", "note", "does not run")
        finally:
            shutil.rmtree(unit.parent)

    switch = rfkill_switch("hci1")
    if switch:
        with check("an adapter that is switched off") as saw:
            switch.write_text("1")
            findings = Findings("--radio", "hci1", status=RADIO_TROUBLE)
            saw(findings.of("adapter", "wrong", "hci1 is switched off", "rfkill unblock"))
            switch.write_text("0")
    else:
        checks.skip("an adapter that is switched off", "this kernel has no rfkill for hci1")

    with check("no such adapter") as saw:
        findings = Findings("--radio", "hci9", status=RADIO_TROUBLE)
        saw(findings.of("adapter", "wrong", "there is no adapter hci9"))

with check("without an adapter, the virtual air is used") as saw:
    findings = Findings(status=WELL)
    findings.of("adapter", "note", "there is no Bluetooth adapter")
    saw(findings.summary)

if pathlib.Path("/sys/kernel/config/gpio-sim").exists():
    import simulator

    board = ("--radio", "virtual", "--board", "pi-4b")
    names = {12: "GPIO12", 18: "GPIO18", 25: "GPIO25"}
    with check("lines that are free") as saw, simulator.Chip("pinctrl-bcm2711", 30, names) as chip:
        findings = Findings(*board, status=WELL)
        saw(findings.of("chip", "ok", str(chip.device)))
        for part, name in {"shake": "GPIO18", "status": "GPIO12", "answer": "GPIO16"}.items():
            saw(findings.of(part, "ok", f"{name} (at {name[4:]}) is free"))

    with check("a line in use, and a missing line") as saw:
        with simulator.Chip("pinctrl-bcm2711", 30, names) as chip, chip.held(25, "gpio-keys"):
            beyond = ("--set", "answer.line=FOO", "--set", "answer.offset=99")
            findings = Findings(*board, *beyond, status=RADIO_TROUBLE)
            saw(findings.of("clear", "wrong", "GPIO25", "“gpio-keys”"))
            saw(findings.of("answer", "wrong", "no line FOO"))
            findings.of("shake", "ok", "is free")

    with check("a chip without permission: the group to join") as saw:
        with simulator.Chip("pinctrl-bcm2711", 30, names) as chip:
            findings = Findings(*board, status=RADIO_TROUBLE, **NOBODY)
            saw(findings.of("chip", "wrong", str(chip.device), "Run with sudo"))
            shutil.chown(chip.device, group="games")
            chip.device.chmod(0o660)
            findings = Findings(*board, status=RADIO_TROUBLE, **NOBODY)
            saw(findings.of("chip", "wrong", "usermod -aG games"))
else:
    checks.skip("a board's lines", "this kernel has no simulator of GPIO chips")

checks.end()
