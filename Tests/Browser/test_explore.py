"""Any device on the panel: a peripheral of a file, its attributes, its values and its packets."""

import asyncio
import json

import pytest

import panels
from programs import REPOSITORY, Program, eightball
from test_panel import ROWS

FILE = REPOSITORY / "Examples" / "peripherals" / "thermometer.conf"


@pytest.fixture
async def device(folder):
    command = (eightball(), "peripheral", str(FILE), "--json", "--seed", "8")
    async with Program(*command, environment=panels.environment(folder)) as program:
        await program.event("advertising")
        yield program


@pytest.fixture
async def panel(folder, device):
    async with panels.panel(folder, "--radio", "virtual") as running:
        yield running


@pytest.fixture
async def page(browser, panel):
    async with browser.page(panel.address, width=1280, height=800) as opened:
        await opened.until_text("#live", "No ball runs")
        await opened.click("#look")
        await opened.until_text("#devices", "Thermometer")
        await opened.click("#devices button")
        await opened.until_text("#attributes", "Model Number String")
        yield opened


def button(action: str, name: str) -> str:
    return f'[aria-label="{action} {name}"]'


async def test_reads_writes_and_hears_values(page, device):
    await page.click(button("Read", "2A21"))
    await page.until_text("#explore-note", "2A21: 02 00")
    await page.type(button("Value for", "2A21"), "uint16 5")
    await page.click(button("Write", "2A21"))
    assert (await device.event("written"))["value"] == "0500"
    await page.until_text("#explore-note", "2A21 written")
    await page.click(button("Read", "Characteristic User Description"))
    await page.until_text("#attributes", "“Seconds between two measurements”")
    await page.click(button("Subscribe", "2A1C"))
    value = bytes.fromhex((await device.event("indicated"))["value"])
    await page.until_text("#attributes", value.hex(" ").upper())
    await page.click(button("Unsubscribe", "2A1C"))
    await device.event("subscribed", on=False)
    # A command of the user's own, and a wrong one.
    await page.type("#line", "mtu")
    await page.key("Enter")
    await page.until_text("#explore-note", "mtu 517")
    await page.type("#line", "mtv")
    await page.key("Enter")
    await page.until_text("#explore-note", "Did you mean mtu?")
    for width in (1280, 320):
        await page.look(width=width, height=844)
        await page.evaluate("document.querySelector('#explore-title').scrollIntoView()")
        await page.photograph(f"panel-explore-{width}")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_its_packets_have_the_same_layers(page):
    await page.click(button("Read", "Model Number String"))
    await page.until_text("#attributes", "“T-1000”")
    assert await page.evaluate(ROWS) == []
    await page.click("#explorer")
    await page.until(f"{ROWS}.some((it) => it.includes('Read Response'))")
    rows = await page.evaluate(ROWS)
    assert any("Find Information Response" in row and "Model Number String" in row for row in rows)
    assert any("Read Request" in row and "Model Number String" in row for row in rows), rows
    # Nothing there is taken for an attribute of a ball.
    assert not any("Question" in row or "Answer" in row for row in rows)


async def test_disconnects_and_connects_again(page, device):
    await page.click("#part")
    await device.event("disconnected", code=0x13)
    await page.until_text("#explore-note", "The connection has ended.")
    assert await page.evaluate("document.querySelector('#attributes').disabled")
    await page.click("#look")
    await page.until_text("#devices", "Thermometer")
    await page.click("#devices button")
    await page.until_text("#attributes", "Model Number String")
    # The device goes: the page says so.
    await device.stop()
    await page.until_text("#explore-note", "The connection has ended.")


async def test_the_connection_of_a_page_ends_with_it(browser, panel, device):
    async with browser.page(panel.address) as page:
        await page.until_text("#live", "No ball runs")
        await page.evaluate("explore({device: 'Thermometer'}, '')")
        await page.until_text("#attributes", "Model Number String")
    await device.event("disconnected", code=0x13)


async def test_pairs_with_a_passkey_that_the_device_shows(browser, folder):
    (folder / "lock.conf").write_text(
        'name = Lock\nlock = service 180A\nlock.key = characteristic 2A24 read\n'
        'lock.key.value = text "1234"\nlock.key.security = authenticated\n'
    )
    command = (eightball(), "peripheral", str(folder / "lock.conf"), "--json")
    async with (
        Program(*command, environment=panels.environment(folder)) as lock,
        panels.panel(folder, "--radio", "virtual") as panel,
        browser.page(panel.address) as page,
    ):
        await lock.event("advertising")
        await page.until_text("#live", "No ball runs")
        await page.click("#pairs")
        await page.evaluate("explore({device: 'Lock', pairs: $('pairs').checked}, '')")
        await page.until_text("#attributes", "Model Number String")
        await page.click(button("Read", "Model Number String"))
        await page.until_text("#explore-note", "Send the six digits")
        await page.type("#line", (await lock.event("prompt", kind="passkey"))["number"])
        await page.key("Enter")
        await page.until_text("#attributes", "“1234”")


async def test_a_device_that_does_not_advertise(browser, panel):
    async with browser.page(panel.address) as page:
        await page.until_text("#live", "No ball runs")
        await page.evaluate("explore({device: '--help'}, '')")
        await page.until_text("#explore-note", "“--help” was not found.")


async def test_wrong_requests_are_refused(panel):
    with panel.stream() as next_event:
        page = (await asyncio.to_thread(next_event, "panel"))["page"]
        for path, content, status, words in (
            ("/explore", {"page": page, "device": ""}, 400, "A device is"),
            ("/explore", {"page": page, "device": "x\0y"}, 400, "A device is"),
            ("/explore", {"page": page + 1}, 409, "not connected"),
            ("/command", {"page": page, "line": "mtu"}, 409, "not connected to a device"),
            ("/command", {"page": page, "line": "mtu\nrssi"}, 400, "Expected page and line"),
            ("/command", {"page": page, "line": "x" * 2049}, 400, "Expected page and line"),
            ("/leave", {"page": page, "task": "run"}, 400, "Expected page and task"),
        ):
            response = await asyncio.to_thread(panel.post, path, **content)
            assert response.status == status, (path, content)
            assert words in json.loads(response.read())["detail"]
