"""An app on bleak: connects to the first heart-rate sensor, and prints its first three rates."""

import asyncio

from bleak import BleakClient, BleakScanner

SERVICE = "0000180d-0000-1000-8000-00805f9b34fb"
PLACE = "00002a38-0000-1000-8000-00805f9b34fb"
MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"


async def main() -> None:
    sensor = None
    while sensor is None:
        sensor = await BleakScanner.find_device_by_filter(
            lambda device, advertisement: SERVICE in advertisement.service_uuids
        )
    rates: asyncio.Queue[int] = asyncio.Queue()
    async with BleakClient(sensor) as client:
        print("place", (await client.read_gatt_char(PLACE))[0])
        await client.start_notify(MEASUREMENT, lambda _, value: rates.put_nowait(value[1]))
        print("rates", *[await rates.get() for _ in range(3)])


asyncio.run(main())
