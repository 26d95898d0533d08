"""An advertiser of Bumble's on our air, for a test in the virtual machine: its data come in two reports. Run by the
peers' Python, with the air's socket as its argument."""

import asyncio
import pathlib
import sys

from bumble.core import AdvertisingData
from bumble.device import AdvertisingEventProperties, AdvertisingParameters

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Peers"))

from central import Central


async def advertise(radio: str) -> None:
    kind = AdvertisingData.Type
    # 74 + 174 bytes; a report holds 229.
    data = [
        (kind.MANUFACTURER_SPECIFIC_DATA, bytes([0xFF, 0xFF, *range(70)])),
        (kind.COMPLETE_LOCAL_NAME, b"Chained" * 24 + b"End!"),
    ]
    properties = AdvertisingEventProperties(is_connectable=False, is_scannable=False, is_legacy=False)
    parameters = AdvertisingParameters(
        advertising_event_properties=properties, primary_advertising_interval_min=100,
        primary_advertising_interval_max=100,
    )
    async with Central.opened(radio) as central:
        await central.device.create_advertising_set(parameters, advertising_data=bytes(AdvertisingData(data)))
        print(str(central.device.random_address).split("/")[0], flush=True)
        await asyncio.Event().wait()


asyncio.run(advertise(sys.argv[1]))
