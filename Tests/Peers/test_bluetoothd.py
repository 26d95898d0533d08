"""A ball, and a central, beside a bluetoothd that refuses, is silent, ends and returns."""

import contextlib
import signal

import pytest
from dbus_fast.aio import MessageBus
from dbus_fast.constants import NameFlag

import bluetoothd
from bluetoothd import ADVERTISING_MANAGER, GATT_MANAGER, SystemBus
from programs import Program, eightball

pytestmark = pytest.mark.skipif(
    not bluetoothd.is_available(), reason="dbus-daemon or python3-dbusmock is missing: scripts/setup test"
)

COMMAND = ("run", "--radio", "bluez:hci0")
RADIO_TROUBLE = 69
TIMED_OUT = 67

RESTART, LOG = "sudo systemctl restart bluetooth", "journalctl -u bluetooth"
NOT_RUNNING = ("bluetoothd does not run", "sudo systemctl start bluetooth")
NO_ADAPTER = ("there is no adapter hci0", "ls /sys/class/bluetooth")
SWITCHED_OFF = ("bluetoothd has switched hci0 off", "bluetoothctl power on")
DENIED = ("this user may not use bluetoothd", "sudo usermod -aG bluetooth $USER")
UNAUTHORIZED = ("bluetoothd requires an administrator's permission", "polkit")
NO_ROOM = ("no room on hci0 for another advertisement", "bluetoothctl show")
TOO_LONG = ("the advertisement is too long for hci0", "--name")
NOT_ADVERTISED = ("bluetoothd could not advertise on hci0", LOG)
NO_SERVICES = ("bluetoothd takes no services for hci0", "BlueZ 5.48")
REFUSED = ("bluetoothd refused a request", LOG)


@pytest.fixture
async def bus(folder):
    async with SystemBus.opened(folder) as bus:
        yield bus


@contextlib.asynccontextmanager
async def ball_on(bus: SystemBus):
    """A ball, with its events."""
    async with Program(eightball(), *COMMAND, "--json", environment=bus.environment) as ball:
        yield ball


async def refusal(bus: SystemBus, *words: str) -> None:
    """A ball cannot begin, and says so in these words."""
    async with Program(eightball(), *COMMAND, environment=bus.environment) as ball:
        assert await ball.ended() == RADIO_TROUBLE, ball.transcript
        assert all(word in "\n".join(ball.errors) for word in words), ball.transcript


async def loses_radio(ball: Program, *words: str) -> None:
    """The ball loses its radio, and says why in these words."""
    lost = await ball.event("radio", state="lost")
    assert all(word in lost["detail"] for word in words), lost


async def recovers(ball: Program) -> None:
    await ball.event("radio", state="ready")
    await ball.event("advertising", address="00:01:02:03:04:05")


@pytest.mark.parametrize(
    "error, words",
    [
        ("org.bluez.Error.NotPermitted", NO_ROOM),
        ("org.bluez.Error.InvalidLength", TOO_LONG),
        ("org.bluez.Error.Failed", NOT_ADVERTISED),
        ("org.bluez.Error.InvalidArguments", REFUSED),
        ("org.bluez.Error.AlreadyExists", REFUSED),
        ("org.bluez.Error.NotReady", SWITCHED_OFF),
        ("org.freedesktop.DBus.Error.AccessDenied", DENIED),
        ("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", UNAUTHORIZED),
        ("org.freedesktop.DBus.Error.LimitsExceeded", REFUSED),
        ("org.freedesktop.DBus.Error.NoReply", ("bluetoothd does not answer", RESTART)),
        ("org.freedesktop.DBus.Error.UnknownMethod", NO_SERVICES),
    ],
)
async def test_a_refused_advertisement_has_a_remedy_and_is_tried_again(bus, error, words):
    async with bus.bluetoothd():
        await bus.refuse(ADVERTISING_MANAGER, "RegisterAdvertisement", error)
        async with ball_on(bus) as ball:
            await loses_radio(ball, *words)
            await bus.define(ADVERTISING_MANAGER, "RegisterAdvertisement", "oa{sv}")
            await recovers(ball)


@pytest.mark.parametrize(
    "error, words",
    [
        ("org.bluez.Error.AlreadyExists", REFUSED),
        ("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", UNAUTHORIZED),
        ("org.freedesktop.DBus.Error.UnknownMethod", NO_SERVICES),
    ],
)
async def test_refused_services_have_a_remedy_and_are_tried_again(bus, error, words):
    async with bus.bluetoothd():
        await bus.refuse(GATT_MANAGER, "RegisterApplication", error)
        async with ball_on(bus) as ball:
            await loses_radio(ball, *words)
            await bus.define(GATT_MANAGER, "RegisterApplication", "oa{sv}")
            await recovers(ball)


async def test_a_silent_daemon_is_reported(bus):
    async with bus.bluetoothd() as daemon:
        daemon.send(signal.SIGSTOP)
        await refusal(bus, "bluetoothd does not answer", RESTART)
        daemon.send(signal.SIGCONT)


async def test_a_user_whom_the_bus_refuses_learns_why(folder):
    # The mock is driven by other interfaces.
    policy = '<deny send_destination="org.bluez" send_interface="org.freedesktop.DBus.Properties"/>'
    async with SystemBus.opened(folder, policy) as bus, bus.bluetoothd():
        await refusal(bus, *DENIED)


async def test_without_bus_daemon_or_adapter_a_ball_ends_with_a_remedy(folder):
    async with SystemBus.opened(folder) as bus:
        await refusal(bus, *NOT_RUNNING)
        async with bus.bluetoothd(has_adapter=False):
            await refusal(bus, *NO_ADAPTER)
        async with bus.bluetoothd():
            await bus.set_power(False)
            await refusal(bus, *SWITCHED_OFF)
    await refusal(bus, "message bus (D-Bus) does not run", "sudo systemctl start dbus")


async def test_another_program_may_own_the_name_of_bluetoothd(bus):
    address = bus.environment["DBUS_SYSTEM_BUS_ADDRESS"]
    other = await MessageBus(bus_address=address).connect()
    try:
        await other.request_name("org.bluez", NameFlag.ALLOW_REPLACEMENT)
        await refusal(bus, *NO_ADAPTER)
        # The mock takes the name.
        async with bus.bluetoothd(), ball_on(bus) as ball:
            await ball.event("advertising")
            await other.request_name("org.bluez", NameFlag.ALLOW_REPLACEMENT | NameFlag.REPLACE_EXISTING)
            await loses_radio(ball, *NOT_RUNNING)
            await other.release_name("org.bluez")
    finally:
        other.disconnect()


async def test_a_request_that_bluetoothd_loses_for_lack_of_a_bond_has_a_remedy(bus):
    async with bus.bluetoothd():
        answer = await bus.add_ball("F0:00:00:00:11:BA", "Guarded")
        # The mock does not answer any more.
        code = "import time; time.sleep(3600)"
        await bus.define("org.bluez.GattCharacteristic1", "AcquireNotify", "a{sv}", code, path=answer)
        command = ("ask", "Will it rain?", "--radio", "bluez:hci0")
        async with Program(eightball(), *command, environment=bus.environment) as asker:
            assert await asker.ended() == TIMED_OUT, asker.transcript
            text = "\n".join(asker.errors)
            assert "did not answer in time" in text and "eightball ask --pair" in text, asker.transcript


async def test_the_address_of_the_bus_may_have_no_path():
    environment = {"DBUS_SYSTEM_BUS_ADDRESS": "tcp:host=localhost,port=1"}
    async with Program(eightball(), *COMMAND, environment=environment) as ball:
        assert await ball.ended() == RADIO_TROUBLE, ball.transcript
        text = "\n".join(ball.errors)
        assert "unix:path=PATH" in text and "DBUS_SYSTEM_BUS_ADDRESS" in text, ball.transcript


async def test_the_adapter_leaves_and_returns(bus):
    async with bus.bluetoothd(), ball_on(bus) as ball:
        await ball.event("advertising")
        await bus.remove_adapter()
        await loses_radio(ball, *NO_ADAPTER)
        await bus.add_adapter()
        await recovers(ball)
        await bus.set_power(False)
        await loses_radio(ball, *SWITCHED_OFF)
        await bus.set_power(True)
        await recovers(ball)


async def test_the_daemon_restarts_and_takes_leave(bus):
    async with contextlib.AsyncExitStack() as stack:
        async with bus.bluetoothd():
            ball = await stack.enter_async_context(ball_on(bus))
            await ball.event("advertising")
        await loses_radio(ball, *NOT_RUNNING)
        async with bus.bluetoothd():
            await recovers(ball)
            assert await ball.stop() == 0
            await bus.called("UnregisterAdvertisement")
            await bus.called("UnregisterApplication")
