"""`eightball gatt` with Bumble's GATT server."""

import asyncio
import json

import pytest
from bumble.l2cap import (
    L2CAP_LE_Credit_Based_Connection_Response,
    LeCreditBasedChannelSpec,
)

from gatt_server import ADDRESS, LONG, NAME, SECRET, UPDATES, Server
from programs import Program, eightball
from test_keyboard import Terminal

PSM = 0x0080
DONE, WRONG, REFUSED, NOT_FOUND, NO_RADIO = 0, 64, 65, 66, 69


async def gatt(radio: str, *arguments: str, device: str = NAME, **options):
    command = [eightball(), "gatt", "--radio", radio, "--json", device, *arguments]
    async with Program(*command, **options) as program:
        status = await program.ended()
    return status, [json.loads(line) for line in program.output], program.transcript


def of(events: list[dict], *names: str) -> list[dict]:
    return [event for event in events if event["event"] in names]


@pytest.fixture
async def server(radio):
    async with Server.opened(radio) as server:
        yield server


async def test_discovers_what_bumble_declares(radio, server):
    status, events, transcript = await gatt(radio, "discover", device=ADDRESS)
    assert status == DONE, transcript
    found = {
        event["handle"]: (event["event"], event["uuid"])
        for event in of(events, "service", "include", "characteristic", "descriptor")
    }
    kinds = {0x2800: "service", 0x2801: "service", 0x2802: "include"}
    declared = {}
    characteristic = None
    for attribute in server.device.gatt_server.attributes:
        type_ = int.from_bytes(attribute.type.to_bytes(), "little")
        if characteristic:
            declared[attribute.handle] = ("characteristic", short(attribute.type))
            characteristic = False
        elif type_ == 0x2803:
            characteristic = True
        elif type_ == 0x2802:
            declared[attribute.handle] = ("include", short(attribute.service.uuid))
        elif type_ in kinds:
            declared[attribute.handle] = (kinds[type_], short(attribute.uuid))
        else:
            declared[attribute.handle] = ("descriptor", short(attribute.type))
    assert found == declared, transcript


def short(uuid) -> str:
    return uuid.to_hex_str("-")


async def test_reads_and_writes_long_values_and_descriptors(radio, server):
    value = bytes(index * 7 & 0xFF for index in range(300)).hex()
    commands = ["read", LONG, ",", "read", "2904", ",", "read", "2901"]
    commands += [",", "write", LONG, "hex", value, ",", "write-command", LONG, "text", "Hi"]
    # The response to the last read follows what came before it.
    status, events, transcript = await gatt(radio, *commands, ",", "read", "device-name")
    assert status == DONE, transcript
    values = [bytes.fromhex(event["value"]) for event in of(events, "read")]
    assert values == [
        server.long_value,
        bytes.fromhex("1b000027010000"),
        b"Long value",
        NAME.encode(),
    ]
    assert server.written == [bytes.fromhex(value), b"Hi"]


async def test_prints_notifications(radio, server):
    status, events, transcript = await gatt(radio, "subscribe", UPDATES, "3", ",", "mtu")
    assert status == DONE, transcript
    assert [event["value"] for event in of(events, "notified")] == ["00", "01", "02"]
    assert of(events, "mtu")[0]["bytes"] > 23


async def test_confirms_indications(radio, server):
    # Only the second property is left, so that the subscription is to indications.
    server.updates.properties &= ~server.updates.Properties.NOTIFY
    declaration = next(
        attribute
        for attribute in server.device.gatt_server.attributes
        if getattr(attribute, "characteristic", None) is server.updates
    )
    value = declaration.value
    declaration.value = bytes([int(server.updates.properties)]) + value[1:]
    status, events, transcript = await gatt(radio, "subscribe", UPDATES, "3", "for", "600s")
    assert status == DONE, transcript
    assert [event["value"] for event in of(events, "notified")] == ["00", "01", "02"]


async def test_a_protected_value_needs_a_pairing(radio, server, folder):
    environment = {"XDG_STATE_HOME": str(folder)}
    status, events, transcript = await gatt(radio, "read", SECRET, environment=environment)
    assert status == REFUSED, transcript
    assert "Authentication" in events[-1]["detail"] or "Encryption" in events[-1]["detail"]
    assert "--pair" in events[-1]["detail"]
    status, events, transcript = await gatt(
        radio, "--pair", "read", SECRET, environment=environment
    )
    assert status == DONE, transcript
    assert events[-1]["text"] == "secret"
    # The bond is enough from now on.
    status, events, transcript = await gatt(radio, "read", SECRET, environment=environment)
    assert status == DONE, transcript


async def test_a_channel_echoes(radio, server):
    def answer(channel):
        channel.sink = channel.write

    # Few and short frames, so that an SDU takes several, and credits.
    spec = LeCreditBasedChannelSpec(psm=PSM, mtu=600, mps=64, max_credits=2)
    server.device.create_l2cap_server(spec, answer)
    value = bytes(index * 7 & 0xFF for index in range(500))
    commands = ["channel", "0x0080", "1", "text", "Hello, there", ","]
    commands += ["channel", "0x80", "1", "for", "600s", "hex", value.hex(), ",", "read", "2901"]
    status, events, transcript = await gatt(radio, *commands)
    assert status == DONE, transcript
    names = ["opened", "sent", "received", "closed"] * 2 + ["read"]
    assert [event["event"] for event in events[2:]] == names, transcript
    received = of(events, "received")
    assert received[0] == {
        "event": "received",
        "psm": PSM,
        "value": b"Hello, there".hex(" ").upper(),
        "text": "Hello, there",
    }
    assert bytes.fromhex(received[1]["value"]) == value
    # The channel stays open: the next command sends on it.
    commands = ["channel", "0x0080", ",", "channel", "0x0080", "1", "hex", "01"]
    status, events, transcript = await gatt(radio, *commands)
    assert status == DONE, transcript
    assert [event["event"] for event in events[2:]] == names[:4], transcript


async def test_a_channel_that_the_device_refuses_or_closes(radio, server):
    def close(channel):
        channel.sink = lambda _: asyncio.create_task(channel.disconnect())

    server.device.create_l2cap_server(LeCreditBasedChannelSpec(psm=PSM, mtu=23), close)
    for detail, arguments in {
        "it does not have this PSM (result 0x0002)": ["0x0081", "1"],
        "has 24 bytes; the device takes at most 23": ["0x0080", "hex", "00" * 24],
        "has ended: the device closed it": ["0x0080", "hex", "00"],
    }.items():
        status, events, transcript = await gatt(radio, "channel", *arguments)
        assert status == REFUSED, transcript
        assert detail in events[-1]["detail"], transcript


async def test_a_protected_channel_needs_a_pairing(radio, server, folder):
    manager = server.device.l2cap_channel_manager
    accept = manager.on_l2cap_le_credit_based_connection_request

    def check(connection, cid, request):
        if connection.is_encrypted:
            return accept(connection, cid, request)
        response = L2CAP_LE_Credit_Based_Connection_Response(
            identifier=request.identifier,
            destination_cid=0,
            mtu=23,
            mps=23,
            initial_credits=0,
            result=L2CAP_LE_Credit_Based_Connection_Response.Result(5),
        )
        manager.send_control_frame(connection, cid, response)

    manager.on_l2cap_le_credit_based_connection_request = check
    server.device.create_l2cap_server(
        LeCreditBasedChannelSpec(psm=PSM), lambda channel: channel.write(b"secret")
    )
    options = {"environment": {"XDG_STATE_HOME": str(folder)}}
    status, events, transcript = await gatt(radio, "channel", "0x0080", "1", **options)
    assert status == REFUSED, transcript
    assert "have to pair" in events[-1]["detail"] and "--pair" in events[-1]["detail"]
    arguments = ["--pair", "channel", "0x0080", "1"]
    status, events, transcript = await gatt(radio, *arguments, **options)
    assert status == DONE, transcript
    assert of(events, "received")[0]["text"] == "secret"


async def test_lines_of_standard_input_are_commands(radio, server):
    command = [eightball(), "gatt", "--radio", radio, "--json", NAME]
    async with Program(*command, has_input=True) as program:
        program.type("read device-name")
        assert (await program.event("read"))["text"] == NAME
        program.type("read 2A1C")
        assert "no attribute 2A1C" in (await program.event("failed"))["detail"]
        program.type(f"read {SECRET}")
        assert (await program.event("failed", reason="refused"))["detail"]
        program.type("rssi")
        assert (await program.event("rssi"))["rssi"] < 0
        program.type("disconnect")
        assert await program.ended() == NOT_FOUND, program.transcript


async def test_a_terminal_has_completion_and_a_history(radio, server):
    with Terminal({}) as terminal:
        await terminal.obeys(f"{eightball()} gatt --radio {radio} {NAME}", "Connected")
        terminal.type("discov\t\r")
        await terminal.shows("A003: notify indicate")
        # In the middle of the line; then the line before that one.
        terminal.type("read devce\x1b[D\x1b[Di\x05\t\r")
        await terminal.shows(f'text "{NAME}"')
        terminal.type("\x1b[A\x1b[A\r")
        await terminal.shows("A003: notify indicate")
        # A value that comes while a line is typed stands above it.
        terminal.type(f"subscribe {UPDATES}\r")
        await terminal.shows("A003: hex 02")
        terminal.type("rssi\r")
        await terminal.shows("dBm")
        terminal.type("\x04")
        await terminal.obeys("echo status $?", "status 0")


async def test_what_is_wrong_has_a_status(radio, server, folder):
    for status, arguments in {
        WRONG: ["read"],
        NOT_FOUND: ["read", "2A1C"],
        REFUSED: ["read", SECRET],
    }.items():
        assert (await gatt(radio, *arguments))[0] == status, arguments
    options = ("--timeout", "300ms", "mtu")
    assert (await gatt(radio, *options, device="Nobody"))[0] == NOT_FOUND
    assert (await gatt(f"unix:{folder / 'nothing'}", "mtu"))[0] == NO_RADIO

