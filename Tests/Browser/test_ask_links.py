"""Connection errors of docs/ask.html: each is explained, and can be overcome."""

import contextlib

import bridge
import chromium
import eight_ball
from central import Central
from programs import PATIENCE


async def test_without_a_chosen_ball_the_page_says_so_and_can_go_on(asking):
    async with asking() as it:
        it.bridge.chooses = False
        await it.page.click("#find")
        await it.error("No ball was chosen.")
        it.bridge.chooses = True
        await it.connect()
        assert await it.has_no_error()


async def test_without_bluetooth_the_page_says_so(browser, docs):
    async with browser.page(f"http://localhost:{docs}/ask.html") as page:
        async with bridge.radio(page, "absent"):
            await page.click("#find")
            await page.until_text("#error", "Bluetooth is off, or this machine has none.")


async def test_the_ball_disconnects_all_and_is_found_again(asking):
    async with asking() as it:
        await it.connect()
        await it.ask("Will you leave me?")
        await it.press("clear", "--hold", "3s")
        await it.error("The connection to the ball is lost.")
        assert await it.page.text("#find") == "Find it again"
        await it.page.photograph("ask-lost")
        # The same ball, without choosing it again.
        it.bridge.chooses = False
        await it.connect()
        assert await it.has_no_error()
        assert await it.ask("Are you back?") in eight_ball.TEXTS


async def test_another_ball_can_be_chosen_when_the_first_is_lost(asking):
    async with asking() as it:
        await it.connect()
        await it.bridge.visit.disconnect()
        await it.error("The connection to the ball is lost.")
        # After a cancelled choice, the first ball can still be found.
        it.bridge.chooses = False
        await it.page.click("#another")
        await it.error("No ball was chosen.")
        assert await it.page.text("#find") == "Find it again"
        it.bridge.chooses = True
        await it.page.click("#another")
        await it.page.until_text("#status", "Connected")


async def test_the_connection_is_lost_while_the_ball_is_asked(asking):
    async with asking() as it:
        await it.connect()
        it.bridge.delivers = False
        await it.write("Will this arrive?")
        await it.ball.event("question")
        await it.bridge.visit.disconnect()
        await it.error("The connection to the ball is lost.")
        await it.page.evaluate("timers.pass(10_000)")
        await it.error("The connection to the ball is lost.")


async def test_a_full_ball_is_explained(asking):
    async with asking() as it, contextlib.AsyncExitStack() as others:
        for number in range(2, 6):
            central = await others.enter_async_context(Central.opened(it.radio, number))
            visit = await central.visit()
        # The ball does not advertise: a connection takes longer than any browser waits.
        it.bridge.patience = 0.5
        await it.page.click("#find")
        await it.error("full: it serves at most four devices at once")
        it.bridge.patience = PATIENCE
        await visit.disconnect()
        await it.connect()
        assert await it.has_no_error()


async def test_a_connection_that_takes_20_s_is_given_up(asking):
    async with asking() as it:
        it.bridge.ends_attempts = False
        await it.page.click("#find")
        await it.page.until_text("#status", "Connecting")
        await it.page.evaluate("timers.pass(19_999)")
        assert await it.has_no_error()
        await it.page.evaluate("timers.pass(1)")
        await it.error("The ball cannot be reached.")
        assert await it.page.text("#find") == "Find it again"


async def test_a_ball_that_requires_pairing_is_explained(asking):
    async with asking("--security", "encrypted") as it:
        await it.page.click("#find")
        await it.error("answers only devices that are paired with it")


async def test_the_page_can_disconnect(asking):
    async with asking() as it:
        await it.connect()
        await it.page.click("#leave")
        await it.bridge.visit.has_left()
        assert await it.page.text("#find") == "Find a ball"
        assert await it.has_no_error()


# Other browsers


async def test_a_browser_without_web_bluetooth(plain_browser, docs):
    async with plain_browser.page(f"http://localhost:{docs}/ask.html") as page:
        await page.until_text("#error", "This browser has no Web Bluetooth.")
        assert await page.evaluate("part.find.hidden")
        await page.photograph("ask-without-web-bluetooth")


async def test_a_page_without_https(browser, docs):
    async with browser.page(f"http://{chromium.INSECURE_HOST}:{docs}/ask.html") as page:
        await page.until_text("#error", "only to pages that come by https")


async def test_bluetooth_that_is_not_allowed(browser, docs):
    async with browser.page(f"http://localhost:{docs}/ask.html") as page:
        # Chrome's error if an administrator has disabled it.
        await page.evaluate(
            "navigator.bluetooth.requestDevice = () => Promise.reject("
            "new DOMException('Web Bluetooth API globally disabled.', 'NotFoundError'))"
        )
        await page.click("#find")
        await page.until_text("#error", "The browser may not use Bluetooth here.")
