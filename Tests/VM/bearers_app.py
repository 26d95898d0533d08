"""An app on bleak: bearers_app.py ADDRESS connects to the device, reads its characteristics A001 to A005 at once, prints
their handles and values, and then the first value that B001 notifies."""

import asyncio
import sys

from bleak import BleakClient

VALUES = [f"0000a00{number}-0000-1000-8000-00805f9b34fb" for number in range(1, 6)]
LIVE = "0000b001-0000-1000-8000-00805f9b34fb"


async def main(address: str) -> None:
    async with BleakClient(address) as client:
        found = [client.services.get_characteristic(uuid) for uuid in VALUES]
        values = await asyncio.gather(*(client.read_gatt_char(characteristic) for characteristic in found))
        # bleak's handle is that of the declaration.
        for characteristic, value in zip(found, values):
            print(characteristic.handle + 1, value.hex())
        notified: asyncio.Queue[bytes] = asyncio.Queue()
        await client.start_notify(LIVE, lambda _, value: notified.put_nowait(bytes(value)))
        print("notified", (await notified.get()).hex())


asyncio.run(main(sys.argv[1]))
