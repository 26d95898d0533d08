"""A user who asks a real ball with docs/ask.html in a browser."""

import contextlib
import dataclasses
import pathlib

import bridge
import timers
import worlds
from bridge import Bridge
from central import Central
from chromium import Chromium
from page import Page
from programs import Program, eightball

#: The text on the die, or null while it is hidden.
DIE = """part.die.hasAttribute('hidden') ? null
  : [...part.words.children].map((line) => line.textContent).join(' ')"""


@dataclasses.dataclass
class Asking:
    """A page, a ball on the virtual air and board, and the bridge between them."""

    page: Page
    ball: Program
    bridge: Bridge
    radio: str
    environment: dict[str, str]

    async def connect(self) -> None:
        await self.page.click("#find")
        await self.page.until_text("#status", "Connected to Magic 8-Ball")

    async def write(self, question: str) -> None:
        """Types a question and asks it."""
        await self.page.type("#question", question)
        await self.page.key("Enter")

    async def ask(self, question: str) -> str:
        """Asks a question; the answer, when it is on the page and on the die."""
        await self.write(question)
        event = await self.ball.event("question")
        assert event["text"] == question
        return await self.answered()

    async def answered(self) -> str:
        """The ball's next answer, when it is on the page and on the die."""
        answer = (await self.ball.event("answer"))["text"]
        await self.page.until_text("#answer", answer)
        assert await self.page.text("#answer") == answer
        assert await self.die() == answer
        return answer

    async def die(self) -> str | None:
        """The text on the die, if it is shown."""
        return await self.page.evaluate(DIE)

    async def error(self, text: str) -> None:
        """Waits until the page shows this error."""
        await self.page.until_text("#error", text)

    async def has_no_error(self) -> bool:
        return await self.page.evaluate("part.error.hidden")

    async def press(self, *arguments: str) -> None:
        """Presses a button of the ball."""
        async with Program(
            eightball(), "press", *arguments, environment=self.environment
        ) as program:
            assert await program.ended() == 0, program.transcript


@contextlib.asynccontextmanager
async def opened(
    browser: Chromium,
    address: str,
    folder: pathlib.Path,
    *options: str,
    mtu: int | None = 517,
    **looks,
):
    """The page and a ball with these options.

    `mtu`: the MTU that the browser's system requests; None for 23.
    """
    environment = {"XDG_RUNTIME_DIR": str(folder), "XDG_STATE_HOME": str(folder)}
    async with contextlib.AsyncExitStack() as stack:
        enter = stack.enter_async_context
        radio, _ = await enter(worlds.our_air(folder))
        options = ("--radio", radio, "--board", "virtual", "--seed", "8", *options)
        ball = await enter(worlds.ball_running(*options, environment=environment))
        central = await enter(Central.opened(radio))
        script = bridge.SCRIPT + timers.SCRIPT
        page = await enter(browser.page(address, script=script, **looks))
        between = await enter(Bridge.opened(page, central, mtu))
        yield Asking(page, ball, between, radio, environment)
