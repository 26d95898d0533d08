"""The display of a virtual board on the panel, and the ball that is shaken there."""

import json

import panels
from test_panel import MARK_DRAWN
from test_panel_stream import simulated_ball

#: How many pixels of the path are lit, and how many are not those of the last event.
PIXELS = """(() => {
  const bytes = ball.display.pixels.match(/../g).map((it) => parseInt(it, 16));
  const path = document.querySelector('#pixels');
  let [lit, wrong] = [0, 0];
  for (let y = 0; y < 64; y++) {
    for (let x = 0; x < 128; x++) {
      const isLit = path.isPointInFill(new DOMPoint(x + .5, y + .5));
      lit += isLit;
      wrong += isLit !== Boolean(bytes[(y >> 3) * 128 + x] & 1 << (y & 7));
    }
  }
  return [lit, wrong];
})()"""

SHOWN = "document.querySelector('#shown').textContent"
SIDE = "document.querySelector('#ball').dataset.shows"
OPACITY = "getComputedStyle(document.querySelector('#pixels')).opacity"
#: How many shakes the page has requested.
SHAKES = "performance.getEntriesByType('resource').filter((it) => it.name.endsWith('/shake')).length"
#: How far the ball is from its place, in pixels.
SHIFT = "new DOMMatrix(getComputedStyle(document.querySelector('#hand')).transform).e"


async def test_the_page_shows_the_display_pixel_by_pixel(browser, folder):
    async with panels.ball(folder) as ball, panels.panel(folder) as panel:
        async with browser.page(panel.address) as page:
            await page.until(f"{SIDE} === 'display' && ball.display.brightness === 'lit'")
            lit, wrong = await page.evaluate(PIXELS)
            assert lit > 500 and wrong == 0
            assert await page.evaluate(SHOWN) == "The ball shows its display."
            before = await page.evaluate("ball.display.pixels")
            await page.evaluate(MARK_DRAWN)
            await page.type("#question", "Do you see it?")
            await page.click("#send")
            answer = (await ball.event("answer"))["text"]
            await page.until(f"{SHOWN} === {json.dumps(f'The ball shows: {answer}')}")
            await page.until("document.body.dataset.isDrawn === 'yes'")
            assert await page.evaluate("ball.display.pixels") != before
            lit, wrong = await page.evaluate(PIXELS)
            assert lit > 500 and wrong == 0


async def test_each_brightness_and_each_display_is_shown(browser, folder):
    async with simulated_ball(folder) as ball, panels.panel(folder) as panel:
        async with browser.page(panel.address) as page:
            await page.until_text("#live", "live")
            assert await page.evaluate(SIDE) == "eight"
            connection = await ball.connections.get()

            async def shows(**event) -> None:
                connection.write(json.dumps({"event": "screen", **event}).encode() + b"\n")
                await page.until(f"document.querySelector('#glass').dataset.brightness === '{event['brightness']}'")

            pixels = "81" + 1022 * "00" + "01"
            await shows(brightness="lit", pixels=pixels)
            assert await page.evaluate(PIXELS) == [3, 0]
            assert await page.evaluate(OPACITY) == "1"
            await shows(brightness="dim", pixels=pixels)
            assert await page.evaluate(OPACITY) == "0.4"
            await shows(brightness="off", pixels=1024 * "00")
            assert await page.evaluate(PIXELS) == [0, 0]
            await shows(brightness="lit", lines=["  Magic 8-Ball  ", "     Ask me     "])
            await page.until(f"{SHOWN} === 'The ball shows Magic 8-Ball        Ask me.'")
            assert await page.evaluate(
                "[...document.querySelectorAll('#characters text')].map((it) => it.textContent)"
            ) == [it.replace(" ", "\u00a0") for it in ("  Magic 8-Ball  ", "     Ask me     ")]
            # Each character has its place: both lines are equally wide.
            assert await page.evaluate(
                "[...document.querySelectorAll('#characters text')].map((it) => Math.round(it.getExtentOfChar(5).x))"
            ) == [167, 167]


async def test_without_display_and_motion_sensor_the_page_has_neither(browser, folder):
    bare = ("--set", "display=none", "--set", "motion=none")
    async with panels.ball(folder, *bare), panels.panel(folder) as panel:
        async with browser.page(panel.address) as page:
            await page.until("!document.querySelector('#shake').disabled")
            await page.until(f"{SIDE} === 'eight'")
            assert await page.evaluate("document.querySelector('#move').hidden")
            await page.drag("#ball", [(90, 0), (-90, 0)] * 3)
            assert await page.evaluate(f"[{SHAKES}, {SHIFT}]") == [0, 0]


async def test_three_turns_of_the_pointer_shake_the_ball(browser, folder):
    async with panels.ball(folder) as ball, panels.panel(folder) as panel:
        async with browser.page(panel.address) as page:
            await page.until("!document.querySelector('#move').hidden")
            # Two turns do not, and neither do turns of less than 12 pixels.
            await page.drag("#ball", [(60, 0), (-60, 0), (60, 0)])
            await page.drag("#ball", [(8, 0), (-2, 0)] * 4)
            assert await page.evaluate(SHAKES) == 0
            await page.drag("#ball", [(60, 0), (-60, 0), (60, 0), (-60, 0)], stays=True)
            assert await page.evaluate(f"{SHIFT} < -10")
            await page.release()
            await page.until(f"{SHAKES} === 1")
            await ball.event("button", action="shake")
            await page.evaluate("Promise.all(document.getAnimations().map((it) => it.effect.target.id === 'hand' && it.finished))")
            assert await page.evaluate(SHIFT) == 0
            assert await page.evaluate(SHAKES) == 1


async def test_with_reduced_motion_the_ball_is_shaken_in_its_place(browser, folder):
    async with panels.ball(folder) as ball, panels.panel(folder) as panel:
        async with browser.page(panel.address, reduced_motion=True) as page:
            await page.until("!document.querySelector('#move').hidden")
            await page.drag("#ball", [(0, 60), (0, -60), (0, 60), (0, -60)], stays=True)
            assert await page.evaluate(SHIFT) == 0
            await page.release()
            await ball.event("button", action="shake")


async def test_a_key_shakes_the_ball(browser, folder):
    async with panels.ball(folder) as ball, panels.panel(folder) as panel:
        async with browser.page(panel.address) as page:
            await page.until("!document.querySelector('#move').hidden")
            await page.evaluate("document.querySelector('#move').focus()")
            await page.key("Enter")
            await ball.event("button", action="shake")


async def test_a_refused_shake_is_explained(browser, folder):
    async with simulated_ball(folder) as ball, panels.panel(folder) as panel:
        async with browser.page(panel.address) as page:
            assert await ball.request() == "packets"
            connection = await ball.connections.get()
            connection.write(b'{"event":"movable"}\n')
            await page.until("!document.querySelector('#move').hidden")
            await page.click("#move")
            assert await ball.request() == "move"
            connection.write(b'{"event":"error","request":"move","detail":"It is glued."}\n')
            await page.until_text("#front-note", "It is glued.")


async def test_a_part_that_is_lost_is_named_and_shows_no_picture(browser, folder):
    async with simulated_ball(folder) as ball, panels.panel(folder) as panel:
        async with browser.page(panel.address) as page:
            await page.until_text("#live", "live")
            connection = await ball.connections.get()
            for name, detail in (("motion", "It is cut."), ("display", "It is dark.")):
                connection.write(json.dumps({"event": name, "state": "lost", "detail": detail}).encode() + b"\n")
                await page.until(f"document.querySelector('#front-note').textContent.endsWith({detail!r})")
            connection.write(b'{"event":"display","state":"ready"}\n')
            await page.until_text("#front-note", "The display is ready.")
            assert await page.evaluate("document.querySelector('#move').hidden")
            assert await page.evaluate(SIDE) == "eight"
