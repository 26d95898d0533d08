"""A web app with the peripheral of a file, by the bridge."""

import website
import worlds
from bridge import SCRIPT, Bridge
from central import Central
from programs import REPOSITORY, Program, eightball

#: Keeps each rate that the page shows, as it is gone after a second.
KEEP_RATES = """{
  window.rates = [];
  const rate = document.querySelector('#rate');
  new MutationObserver(() => rates.push(rate.innerText)).observe(rate, {childList: true});
}"""

FILE = REPOSITORY / "Examples" / "peripherals" / "heart-rate.conf"


async def test_a_page_shows_the_rates_of_the_sensor_of_a_file(browser, folder):
    async with worlds.our_air(folder) as (radio, _):
        command = [eightball(), "peripheral", str(FILE), "--radio", radio, "--json"]
        async with Program(*command) as sensor, Central.opened(radio) as central:
            await sensor.event("advertising")
            with website.serving(REPOSITORY / "Examples" / "web") as port:
                address = f"http://localhost:{port}/heart-rate.html"
                async with browser.page(address, script=SCRIPT) as page:
                    async with Bridge.opened(page, central, name="Heart Rate"):
                        await page.evaluate(KEEP_RATES)
                        await page.click("#find")
                        for _ in range(2):
                            value = (await sensor.event("notified"))["value"]
                            await page.until(f"rates.includes('{int(value[2:], 16)}')")
