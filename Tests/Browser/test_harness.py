"""The harness itself detects the errors of a page."""

import pytest

import website


@pytest.fixture
def site(folder):
    """A function that serves one page, and returns its address."""

    with website.serving(folder) as port:

        def serve(text: str) -> str:
            (folder / "page.html").write_text(f"<!doctype html><link rel=icon href='data:,'>{text}")
            return f"http://localhost:{port}/page.html"

        yield serve


@pytest.mark.parametrize(
    "page, complaint",
    [
        ("<script>throw new Error('thrown')</script>", "thrown"),
        ("<script>Promise.reject(new Error('rejected'))</script>", "rejected"),
        ("<script>console.error('written')</script>", "written"),
        ("<img src=missing.png>", "missing.png"),
        (
            "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">"
            "<script>document.title = 'run'</script>",
            "Content Security Policy",
        ),
        (
            "<meta http-equiv=Content-Security-Policy content=\"style-src 'none'\">"
            "<p style='color: red'>Red</p>",
            "Content Security Policy",
        ),
    ],
    ids=["exception", "rejection", "console", "missing-file", "script", "style"],
)
async def test_a_page_that_complains_fails(browser, site, page, complaint):
    with pytest.raises(AssertionError, match=complaint):
        async with browser.page(site(page)):
            pass


async def test_a_click_is_trusted(browser, site):
    page = """<button style="margin-top: 3000px">Here</button><script>
    document.querySelector('button').onclick = (event) => {
      document.title = `${event.isTrusted} ${navigator.userActivation.isActive}`;
    };</script>"""
    async with browser.page(site(page)) as opened:
        await opened.click("button")
        assert await opened.until("document.title") == "true true"


async def test_looks_are_emulated(browser, site):
    query = "['(width: 320px)', '(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)']"
    async with browser.page(site(""), width=320, scheme="dark", reduced_motion=True) as page:
        assert await page.evaluate(f"{query}.map((it) => matchMedia(it).matches)") == [True] * 3
    async with browser.page(site("")) as page:
        assert await page.evaluate(f"{query}.map((it) => matchMedia(it).matches)") == [False] * 3


async def test_web_bluetooth_exists_only_if_enabled(browser, plain_browser, site):
    for opened, is_there in ((browser, True), (plain_browser, False)):
        async with opened.page(site("")) as page:
            assert await page.evaluate("'bluetooth' in navigator") is is_there


async def test_a_link_may_end_at_the_end_of_a_test(asking):
    async with asking() as it:
        await it.connect()
        # The browser has not heard of it yet when the test ends.
        it.bridge._on_loss()
