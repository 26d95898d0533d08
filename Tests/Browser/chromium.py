"""A Chromium without a window: found, started, and always stopped."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile

from devtools import DevTools, Refused
from page import Page
from programs import PATIENCE

#: The names of Chromium in Debian, elsewhere, and at Google.
NAMES = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")

#: No first-run dialogs, no online services, and the same look on every machine.
OPTIONS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    # Uses /tmp, as a container's shared memory may be too small.
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en-US",
    "--password-store=basic",
    "--proxy-server=direct://",
)

#: A name of this machine that no browser trusts without https.
INSECURE_HOST = "eight-ball.test"


class Missing(Exception):
    """There is no Chromium; the message has the remedy."""


def program() -> str:
    """The browser: $CHROMIUM, else the first of NAMES that is on the path."""
    if named := os.environ.get("CHROMIUM"):
        if not os.access(named, os.X_OK):
            raise FileNotFoundError(f"CHROMIUM names {named}, which is not a program.")
        return named
    for name in NAMES:
        if path := shutil.which(name):
            return path
    raise Missing("There is no Chromium. Run scripts/setup test, which installs Debian's.")


class Chromium:
    """A running browser. Use `running`."""

    def __init__(self, devtools: DevTools):
        self.devtools = devtools

    @staticmethod
    @contextlib.asynccontextmanager
    async def running(*options: str):
        """A browser with a new profile and these additional options."""
        with tempfile.TemporaryDirectory(
            prefix="8ball-chromium-", ignore_cleanup_errors=True
        ) as profile:
            commands, our_commands = os.pipe()
            our_events, events = os.pipe()
            process = _start(profile, commands, events, options)
            os.close(commands)
            os.close(events)
            try:
                async with DevTools(our_commands, our_events) as devtools:
                    try:
                        yield Chromium(devtools)
                    finally:
                        with contextlib.suppress(Refused):
                            await devtools.send("Browser.close")
            finally:
                await _end(process)

    async def version(self) -> str:
        """The browser's name and version: “Chrome/156.0.8078.79”."""
        return (await self.devtools.send("Browser.getVersion"))["product"]

    @contextlib.asynccontextmanager
    async def page(self, address: str = "about:blank", script: str | None = None, **looks):
        """A page in its own profile, open at this address; see Page.open and Page.look.

        At the end, fails if the page wrote errors to the console or broke its Content Security Policy.
        """
        context = (await self.devtools.send("Target.createBrowserContext"))["browserContextId"]
        try:
            page = Page(self.devtools)
            async with page.created(context):
                if script:
                    await page.run_first(script)
                await page.look(**looks)
                await page.open(address)
                yield page
                await page.check()
        finally:
            await self.devtools.send("Target.disposeBrowserContext", browserContextId=context)


def _start(
    profile: str, commands: int, events: int, options: tuple[str, ...]
) -> subprocess.Popen:
    # Chromium's sandbox refuses to run as root, which is a container's only user.
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
    arguments = [
        *(program(), *OPTIONS, *sandbox, *options),
        f"--user-data-dir={profile}",
        f"--host-resolver-rules=MAP {INSECURE_HOST} 127.0.0.1",
    ]
    # The shell moves the pipes to the browser's descriptors, and executes the browser.
    command = f'exec "$@" 3<&{commands} 4>&{events} {commands}<&- {events}>&-'
    return subprocess.Popen(
        ["bash", "-c", command, "bash", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        # pytest shows it beside a failure.
        stderr=None,
        pass_fds=(commands, events),
        # Its processes form a group, which can be ended together.
        start_new_session=True,
        # Otherwise, Debian's chromium writes crash reports and settings to the home folder.
        env={**os.environ, "HOME": profile, "XDG_CONFIG_HOME": profile, "XDG_CACHE_HOME": profile},
    )


async def _end(process: subprocess.Popen) -> None:
    """Waits until the browser has ended after its Browser.close; kills it after the limit."""
    # WNOWAIT: until the process is reaped, no other group can have its number.
    ended = asyncio.to_thread(os.waitid, os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    ended = asyncio.ensure_future(ended)
    try:
        async with asyncio.timeout(PATIENCE):
            await asyncio.shield(ended)
    except TimeoutError:
        raise AssertionError("The browser did not end when it was asked to.") from None
    finally:
        # The whole group, as the browser may have left processes.
        os.killpg(process.pid, signal.SIGKILL)
        await ended
        process.wait()
