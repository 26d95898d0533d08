"""tshark, an independent reader, decodes the whole conversation in the capture."""

import asyncio
import shutil

import pytest

import worlds
from central import Central
from programs import PATIENCE

# opcodes of the attribute protocol
MTU_REQUEST, MTU_RESPONSE = "0x02", "0x03"
READ, READ_RESPONSE = "0x0a", "0x0b"
WRITE, WRITE_RESPONSE, WRITE_COMMAND = "0x12", "0x13", "0x52"
NOTIFICATION, ERROR = "0x1b", "0x01"


async def read_capture(path, *fields: str) -> list[list[str]]:
    arguments = [item for field in fields for item in ("-e", field)]
    process = await asyncio.create_subprocess_exec(
        "tshark", "-r", str(path), "-Y", fields[0], "-T", "fields", *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(4 * PATIENCE):
        output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return [line.split("\t") for line in output.decode().splitlines()]


@pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed: scripts/setup test")
async def test_tshark_reads_the_capture(folder):
    capture = folder / "ball.btsnoop"
    async with worlds.our_air(folder) as (radio, _):
        async with worlds.ball_running("--radio", radio, "--capture", str(capture)):
            async with Central.opened(radio) as central:
                visit = await central.visit(mtu=517)
                await visit.subscribe()
                await visit.ask("Is this on the record?")
                answer = await visit.next_answer()
                await visit.refusal_of("No.")
                await visit.read_answer()
                await visit.question.write_value(b"This neither.", with_response=False)
                await visit.disconnect()

    rows = await read_capture(capture, "btatt.opcode", "btatt.value")
    opcodes = [row[0] for row in rows]
    asked = opcodes.index(MTU_REQUEST)
    assert opcodes[asked : asked + 2] == [MTU_REQUEST, MTU_RESPONSE]
    assert opcodes[-10:] == [
        WRITE, WRITE_RESPONSE,  # the subscription
        WRITE, WRITE_RESPONSE, NOTIFICATION,
        WRITE, ERROR,
        READ, READ_RESPONSE,
        WRITE_COMMAND,
    ]  # fmt: skip
    values = [bytes.fromhex(row[1].replace(":", "")) for row in rows[-10:] if row[1]]
    assert b"Is this on the record?" in values and answer.encode() in values
    # Both directions, and no malformed packet.
    assert await read_capture(capture, "_ws.malformed") == []
    sent = {row[0] for row in await read_capture(capture, "hci_h4.direction")}
    assert sent == {"0x00", "0x01"}
