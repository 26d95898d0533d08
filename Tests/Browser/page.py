"""A page in a browser: opened, read, clicked, typed into, and photographed."""

import asyncio
import base64
import contextlib
import json
import os
import pathlib
import shutil
import time

from devtools import DevTools, Refused
from programs import PATIENCE, REPOSITORY

#: Where pictures are kept; ignored by git.
PICTURES = REPOSITORY / ".build-browser" / "pictures"

#: Resolves when the condition is true, checked after each change of the document, and now and then, as it may be about
#: something else.
UNTIL = """new Promise((resolve) => {
  const look = () => {
    const found = (() => %s)();
    if (found) { observer.disconnect(); clearInterval(timer); resolve(found); }
  };
  const observer = new MutationObserver(look);
  const timer = setInterval(look, 50);
  observer.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
  look();
})"""

#: The middle of an element, scrolled into view, when it has stayed there for a frame: a text above it may still come.
MIDDLE = """(async () => {
  const element = document.querySelector(%s);
  if (!element) return null;
  const middle = () => {
    element.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  for (let [before, now] = [[], middle()]; ; [before, now] = [now, middle()]) {
    if (String(before) === String(now)) return now;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
})()"""

#: The page has drawn a frame. Before that it gets the moves of the pointer, the last one alone if there are several.
FRAME = "new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))"

#: Finishes all animations that have an end.
AT_REST = """document.getAnimations()
  .filter((it) => it.effect.getComputedTiming().endTime !== Infinity)
  .forEach((it) => it.finish())"""


class Page:
    """One page. `Chromium.page` opens it."""

    def __init__(self, devtools: DevTools):
        self.devtools = devtools
        # The errors of earlier tests do not count here.
        devtools.faults.clear()
        #: Errors and warnings of the console, exceptions, and violations of the Content Security Policy.
        self.complaints: list[str] = []
        self.session: str

    @contextlib.asynccontextmanager
    async def created(self, context: str):
        """Creates the page, and collects its complaints."""
        send = self.devtools.send
        target = (await send("Target.createTarget", url="about:blank", browserContextId=context))[
            "targetId"
        ]
        attached = await send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        with contextlib.ExitStack() as stack:
            for method, listener in (
                ("Runtime.exceptionThrown", self._on_exception),
                ("Runtime.consoleAPICalled", self._on_console),
                ("Log.entryAdded", self._on_log),
                ("Audits.issueAdded", self._on_issue),
            ):
                stack.enter_context(self.devtools.listening(method, listener, self.session))
            for domain in ("Page", "Runtime", "Log", "Audits"):
                await self.send(f"{domain}.enable")
            # The browser slows down pages without focus.
            await self.send("Emulation.setFocusEmulationEnabled", enabled=True)
            yield

    async def send(self, method: str, **parameters) -> dict:
        """Sends a command to this page; the result."""
        return await self.devtools.send(method, self.session, **parameters)

    # The window

    async def look(
        self,
        width: int = 420,
        height: int = 760,
        scheme: str = "light",
        reduced_motion: bool = False,
        scale: int = 1,
    ) -> None:
        """Sets the window's size in CSS pixels, `light` or `dark`, and whether animations are reduced."""
        await self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=False,
        )
        motion = "reduce" if reduced_motion else "no-preference"
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": motion}
        await self.send(
            "Emulation.setEmulatedMedia",
            features=[{"name": name, "value": value} for name, value in features.items()],
        )

    async def run_first(self, script: str) -> None:
        """Runs the script in each document that is opened from now on, before the document's own."""
        await self.send("Page.addScriptToEvaluateOnNewDocument", source=script)

    async def open(self, address: str) -> None:
        """Opens the address, and waits for the load event."""
        async with self.devtools.awaiting("Page.loadEventFired", self.session):
            error = (await self.send("Page.navigate", url=address)).get("errorText")
            assert not error, f"{address} cannot be opened: {error}"

    # The contents

    async def evaluate(self, expression: str):
        """The value of an expression in the page; of a promise, what it resolves to."""
        reply = await self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if details := reply.get("exceptionDetails"):
            raise AssertionError(f"{expression}\n{_text_of(details)}")
        return reply["result"].get("value")

    async def until(self, condition: str, description: str | None = None):
        """Waits until an expression is true, and returns its value."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self.evaluate(UNTIL % condition)
        except (TimeoutError, Refused):
            raise AssertionError(
                f"Timed out waiting for {description or condition}.\n{await self._transcript()}"
            ) from None

    async def text(self, selector: str) -> str:
        """The text of an element, as it is shown."""
        return await self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    async def until_text(self, selector: str, text: str) -> None:
        """Waits until an element's text contains this."""
        element = f"document.querySelector({json.dumps(selector)})"
        await self.until(
            f"{element}?.innerText.includes({json.dumps(text)})", f"{text!r} in {selector}"
        )

    async def check(self) -> None:
        """Fails if the page complained, or a listener of this connection failed."""
        # The browser reports a rejected promise in a later task.
        await self.evaluate("new Promise((resolve) => setTimeout(resolve))")
        if self.devtools.faults:
            raise self.devtools.faults[0]
        assert not self.complaints, "The page complained:\n" + "\n".join(self.complaints)

    # The user's actions

    async def click(self, selector: str) -> None:
        """A real click in the middle of an element."""
        await self.press(selector)
        await self.release()

    async def press(self, selector: str) -> None:
        """Presses the mouse button on an element, until `release`."""
        self._pointer = await self.evaluate(MIDDLE % json.dumps(selector))
        assert self._pointer, f"There is no {selector} to click on.\n{await self._transcript()}"
        await self._mouse("mouseMoved", button="none", buttons=0, clickCount=0)
        await self._mouse("mousePressed", button="left", buttons=1, clickCount=1)

    async def release(self) -> None:
        """Releases the mouse button where it was pressed."""
        await self._mouse("mouseReleased", button="left", buttons=0, clickCount=1)

    async def drag(self, selector: str, strokes: list[tuple[int, int]], stays: bool = False) -> None:
        """Drags an element by each of these distances from its middle, and lets it go there unless it `stays`.

        By the times of its events a stroke takes 20 ms, on a busy machine too.
        """
        await self.press(selector)
        x, y = self._pointer
        start = time.time()
        for number, (right, down) in enumerate(strokes):
            self._pointer = [x + right, y + down]
            moment = start + 0.02 * number
            await self._mouse("mouseMoved", button="left", buttons=1, clickCount=0, timestamp=moment)
            await self.evaluate(FRAME)
        if not stays:
            await self.release()

    async def _mouse(self, kind: str, **parameters) -> None:
        x, y = self._pointer
        await self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **parameters)

    async def type(self, selector: str, text: str) -> None:
        """Replaces the contents of a field."""
        await self.click(selector)
        await self.evaluate(f"document.querySelector({json.dumps(selector)}).select()")
        if text:
            await self.send("Input.insertText", text=text)
        else:
            await self.key("Delete")

    async def key(self, key: str) -> None:
        """Presses a key with this DOM name: Enter, Tab, Escape, Delete, or a space."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "Delete": 46, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(key, "")
        name = "Space" if key == " " else key
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            await self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=name,
                windowsVirtualKeyCode=codes[key],
                text="" if kind == "keyUp" else text,
            )

    # Pictures

    async def photograph(self, name: str, document: pathlib.Path | None = None) -> pathlib.Path:
        """Finishes animations, and writes NAME.png in the folder of pictures.

        `document`: the picture of a page of docs/, which is renewed if EIGHTBALL_KEEP_PICTURES is set.
        """
        await self.evaluate(AT_REST)
        picture = await self.send("Page.captureScreenshot", format="png")
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.png"
        path.write_bytes(base64.b64decode(picture["data"]))
        if document and os.environ.get("EIGHTBALL_KEEP_PICTURES"):
            shutil.copyfile(path, document)
        return path

    # Complaints

    def _on_exception(self, event: dict) -> None:
        self.complaints.append(f"exception: {_text_of(event['exceptionDetails'])}")

    def _on_console(self, event: dict) -> None:
        if event["type"] in ("error", "warning", "assert"):
            words = [str(it.get("value", it.get("description"))) for it in event["args"]]
            self.complaints.append(f"console: {' '.join(words)}")

    def _on_log(self, event: dict) -> None:
        entry = event["entry"]
        if entry["level"] in ("error", "warning"):
            self.complaints.append(f"log: {entry['text']} {entry.get('url', '')}".rstrip())

    def _on_issue(self, event: dict) -> None:
        issue = event["issue"]
        if issue["code"] == "ContentSecurityPolicyIssue":
            self.complaints.append(f"Content Security Policy: {json.dumps(issue['details'])}")

    async def _transcript(self) -> str:
        with contextlib.suppress(AssertionError):
            shown = await self.evaluate("document.body.innerText")
            return "\n".join(["The page shows:", shown, *self.complaints])
        return "\n".join(["The page does not answer.", *self.complaints])


def _text_of(details: dict) -> str:
    return details.get("exception", {}).get("description") or details["text"]
