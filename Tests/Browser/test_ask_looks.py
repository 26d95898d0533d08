"""The looks of docs/ask.html, and its use with a keyboard and a screen reader."""

import json

import pytest

import eight_ball
from asking import DIE

#: The size of the letters on the die, and whether each corner of each line is on it.
CORNERS = """[parseFloat(part.words.firstChild.style.fontSize),
  [...part.words.children].flatMap((line) => {
    const {x, y, width, height} = line.getBBox();
    // A line's box has room for accents and descenders, beyond the letters' height.
    return [[x, y + height * .3], [x + width, y + height * .3], [x, y + height * .8],
      [x + width, y + height * .8]].map(([x, y]) =>
        part.die.querySelector('path').isPointInFill(new DOMPoint(x, y)));
  })]"""

#: Whether no content is wider than the page.
FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@pytest.mark.parametrize(
    "name, looks",
    {
        "small": {"width": 320, "height": 568},
        "dark": {"scheme": "dark"},
        "on-its-side": {"width": 740, "height": 360},
        "wide": {"width": 1440, "height": 900, "scheme": "dark"},
        "still": {"reduced_motion": True},
    }.items(),
    ids=lambda it: it if isinstance(it, str) else "",
)
async def test_nothing_is_cut_off(asking, name, looks):
    async with asking(**looks) as it:
        await it.connect()
        await it.write("Is this a statement.")
        await it.error("That is not a question.")
        assert await it.page.evaluate(FITS)
        await it.ask("Is everything in its place?")
        await it.page.photograph(f"ask-{name}")
        assert await it.page.evaluate(FITS)


async def test_every_answer_fits_on_the_die(browser, docs):
    async with browser.page(f"http://localhost:{docs}/ask.html") as page:
        for text in eight_ball.TEXTS:
            size, corners = await page.evaluate(f"rise({json.dumps(text)}), {CORNERS}")
            assert await page.evaluate(DIE) == text
            # In the picture's units; the ball has a size of 320.
            assert size >= 14, text
            assert all(corners), text


async def test_a_long_answer_is_shown_below_the_die(browser, docs):
    async with browser.page(f"http://localhost:{docs}/ask.html") as page:
        await page.evaluate("ball.onAnswer('x'.repeat(512))")
        assert await page.evaluate(DIE) == "…"
        assert await page.text("#answer") == "x" * 512
        assert await page.evaluate(FITS)


async def test_a_keyboard_is_enough(asking):
    async with asking() as it:
        await it.page.key("Tab")
        assert await it.page.evaluate("document.activeElement.id") == "find"
        await it.page.key("Enter")
        await it.page.until_text("#status", "Connected")
        # The field has the focus.
        await it.page.send("Input.insertText", text="Will it rain?")
        await it.page.key("Tab")
        await it.page.key(" ")
        await it.answered()
        assert await it.page.evaluate("document.activeElement.id") == "question"


async def test_a_screen_reader_gets_all_texts(asking):
    async with asking() as it:
        await it.connect()
        answer = await it.ask("Can you hear me?")
        assert {
            ("heading", "Ask the Magic 8-Ball"),
            ("textbox", "Your question"),
            ("button", "Ask"),
            ("button", "Disconnect"),
            ("StaticText", answer),
        } <= await _accessible_nodes(it.page)
        # The picture adds nothing to the texts.
        assert ("image", "") not in await _accessible_nodes(it.page)
        await it.write("You can.")
        await it.error("That is not a question.")
        assert {role for role, _ in await _accessible_nodes(it.page)} >= {"status", "alert"}


async def _accessible_nodes(page) -> set[tuple[str, str]]:
    """The roles and names that a screen reader gets."""
    nodes = (await page.send("Accessibility.getFullAXTree"))["nodes"]
    return {
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    }
