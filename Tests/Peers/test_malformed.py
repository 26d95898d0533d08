"""Wrong bytes from a central get the specification's error or no response, and the ball goes on."""

import pytest

from central import ATT_CHANNEL, SECURITY_CHANNEL, SIGNALLING_CHANNEL

INVALID_HANDLE, INVALID_PDU, NOT_SUPPORTED, UNSUPPORTED_GROUP = "01", "04", "06", "10"


@pytest.fixture
async def raw(served):
    """A new connection that exchanges PDUs on fixed channels."""

    class Raw:
        def __init__(self, central, connection):
            self.central, self.connection = central, connection

        async def reply(self, channel: int, pdu: str) -> str:
            data = bytes.fromhex(pdu)
            return (await self.central.exchange(self.connection, channel, data)).hex(" ")

        async def no_reply(self, channel: int, pdu: str) -> None:
            """Checks that the PDU gets no reply."""
            self.central.send_raw(self.connection, channel, bytes.fromhex(pdu))
            # A read of no attribute: any other reply than its error belongs to the PDU.
            probe = await self.reply(ATT_CHANNEL, "0a 00 00")
            assert probe == f"01 0a 00 00 {INVALID_HANDLE}", pdu

    central = await served.central()
    connection = await central.connect()
    central.tap(ATT_CHANNEL, SIGNALLING_CHANNEL, SECURITY_CHANNEL)
    return Raw(central, connection)


#: A wrong request of each type, and its error: opcode in error, handle in error, error code. Every other length and
#: opcode: ServerBearerTests of Tests/BluetoothHostTests.
WRONG_REQUESTS = {
    "02 17 00 00": f"01 02 00 00 {INVALID_PDU}",
    "04 05 00 04 00": f"01 04 05 00 {INVALID_HANDLE}",
    "08 01 00 ff ff 03": f"01 08 00 00 {INVALID_PDU}",
    "0a ff ff": f"01 0a ff ff {INVALID_HANDLE}",
    "0c 01 00 00": f"01 0c 00 00 {INVALID_PDU}",
    "10 01 00 ff ff 03 28": f"01 10 01 00 {UNSUPPORTED_GROUP}",
    "12 01": f"01 12 00 00 {INVALID_PDU}",
    "16 01 00 00": f"01 16 00 00 {INVALID_PDU}",
    "18 02": f"01 18 00 00 {INVALID_PDU}",
    "3e 01": f"01 3e 00 00 {NOT_SUPPORTED}",
}

#: One of each kind that no server answers.
COMMANDS_AND_STRAYS = [
    "",
    "d2 03 00 41" + " 00" * 12,  # Signed Write Command
    "7e 01 02",  # an unknown command
    "52 ff ff 41",  # Write Command to no attribute
    "1e",  # a confirmation of nothing
    "03 17 00",  # responses that answer nothing
    "01 02 00 00 06",
    "1b 01 00 41",  # a notification, to a server
]


async def test_wrong_requests_are_errors(raw):
    for pdu, error in WRONG_REQUESTS.items():
        assert await raw.reply(ATT_CHANNEL, pdu) == error, pdu
        assert (await raw.reply(ATT_CHANNEL, "02 17 00")).startswith("03 "), pdu


async def test_commands_and_strays_get_no_reply(raw):
    for pdu in COMMANDS_AND_STRAYS:
        await raw.no_reply(ATT_CHANNEL, pdu)


async def test_frames_for_unknown_channels_are_ignored(raw):
    for channel in (0x0000, 0x0003, 0x0007, 0x0040, 0xFFFF):
        await raw.no_reply(channel, "0a 01 00")


async def test_pairing_is_refused_unless_the_ball_pairs(raw, served):
    # Pairing Request: no input or output, no OOB, bonding, 16-byte keys -> Pairing Failed,
    # Pairing Not Supported; or Pairing Response: the same, with Secure Connections.
    reply = await raw.reply(SECURITY_CHANNEL, "01 03 00 01 10 07 07")
    assert reply == ("02 03 00 09 10 02 03" if served.pairs else "05 05")
    assert (await raw.reply(ATT_CHANNEL, "02 17 00")).startswith("03 ")


async def test_unknown_signalling_is_rejected(raw):
    # code, identifier, length -> Command Reject, the same identifier, not understood
    assert await raw.reply(SIGNALLING_CHANNEL, "08 21 00 00") == "01 21 02 00 00 00"
    assert await raw.reply(SIGNALLING_CHANNEL, "7f 22 01 00 aa") == "01 22 02 00 00 00"


async def test_a_command_reject_is_not_answered(raw):
    await raw.no_reply(SIGNALLING_CHANNEL, "01 23 02 00 00 00")


async def test_credit_based_connections_are_refused_with_a_result(raw):
    # LE Credit Based Connection Request: SPSM, source CID, MTU, MPS, credits.
    reply = await raw.reply(SIGNALLING_CHANNEL, "14 24 0a 00 80 00 40 00 40 00 40 00 01 00")
    code, identifier, *rest = bytes.fromhex(reply)
    assert (code, identifier) == (0x15, 0x24)
    result = int.from_bytes(bytes(rest[-2:]), "little")
    assert result != 0
