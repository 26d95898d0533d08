"""The panel in a browser, with a real ball behind it."""

import asyncio
import json
import pathlib
import shutil
import signal

import pytest

import panels
import website
from btsnoop import records
from central import Central
from programs import PATIENCE, REPOSITORY, Program, eightball

#: The picture of the README.
PICTURE = REPOSITORY / "docs" / "panel.png"

#: The texts of the rows that are drawn.
ROWS = "[...document.querySelectorAll('.row:not(#heads)')].map((it) => it.innerText)"

#: The same, when they have stayed the same for two frames.
STEADY_ROWS = f"""(async () => {{
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  for (let [before, now] = [null, {ROWS}]; ; [before, now] = [now, {ROWS}]) {{
    if (JSON.stringify(before) === JSON.stringify(now)) return now;
    await frame();
    await frame();
  }}
}})()"""

#: Marks the document when the display shows the last answer: it is drawn at once, and the event comes when that is done.
MARK_DRAWN = """for (const [name, mark] of [['answer', 'no'], ['screen', 'yes']]) {
  const hear = events[name];
  events[name] = (event) => { hear(event); document.body.dataset.isDrawn = mark; };
}"""


async def ask(folder: pathlib.Path, question: str) -> str:
    """The answer to a central on the ball's air."""
    environment = panels.environment(folder)
    arguments = (eightball(), "ask", "--radio", "virtual", question)
    async with Program(*arguments, environment=environment) as central:
        assert await central.ended() == 0, central.transcript
        return central.output[0]


@pytest.fixture
async def ball(folder):
    async with panels.ball(folder) as running:
        yield running


@pytest.fixture
async def panel(folder, ball):
    async with panels.panel(folder) as running:
        yield running


@pytest.fixture
async def page(browser, panel):
    async with browser.page(panel.address, width=1280, height=800, scheme="dark") as opened:
        await opened.until_text("#live", "live")
        yield opened


async def test_a_link_on_another_site_opens_the_page(browser, panel, folder):
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text(
        f'<link rel="icon" href="data:,"><a id="link" href="{panel.address}">The ball</a>'
    )
    with website.serving(folder / "site") as port:
        async with browser.page(f"http://localhost:{port}/") as page:
            async with page.devtools.awaiting("Page.loadEventFired", page.session):
                await page.click("#link")
            await page.until_text("#live", "live")
            assert "token" not in await page.evaluate("location.href")


async def test_a_name_that_begins_like_an_option(browser, folder):
    async with panels.ball(folder, "--name=-x"), panels.panel(folder) as panel:
        with panel.stream() as next_event:
            said = await asyncio.to_thread(next_event, "panel")
            await asyncio.to_thread(next_event, "current")
            response = await asyncio.to_thread(
                panel.post, "/ask", page=said["page"], question="Do you listen?"
            )
            assert response.status == 202, response.read()
            await answer_to("Do you listen?", next_event)


async def test_a_question_its_packets_and_its_answer(page, panel, ball, folder):
    assert "token" not in await page.evaluate("location.href")
    assert await page.text("#name") == "Magic 8-Ball"
    await page.until("!document.querySelector('#send').disabled")
    await page.evaluate(MARK_DRAWN)
    await page.type("#question", "Shall we ship?")
    await page.click("#send")
    await page.until_text("#ask-note", "Answer: ")
    answer = (await ball.event("answer"))["text"]
    await page.until_text("#ask-note", answer)
    await page.until_text("#said", answer)
    assert await page.evaluate("document.querySelector('#shown').textContent") == (
        f"The ball shows: {answer}"
    )
    # Rows are laid out with the next frame.
    await page.until(f"{ROWS}.some((it) => it.includes({json.dumps(f'“{answer}”')}))")
    rows = await page.evaluate(ROWS)
    question_row = next(row for row in rows if "“Shall we ship?”" in row)
    assert "Write Request" in question_row and "53 68 61 6c 6c" in question_row
    assert any(f"“{answer}”" in row and "Handle Value Notification" in row for row in rows)
    assert not any("Number Of Completed Packets" in row for row in rows)
    await page.until("document.body.dataset.isDrawn === 'yes'")
    await _photograph(page)


async def test_the_pages_central_stays_and_hears_a_shake(page, ball):
    await page.until("!document.querySelector('#send').disabled")
    # No central has asked.
    await page.click("#shake")
    await page.until_text("#front-note", "No central hears the shake")
    await page.type("#question", "Do you stay?")
    await page.click("#send")
    await page.until_text("#ask-note", "Answer: ")
    central = (await ball.event("answer"))["central"]
    await page.until_text("#centrals", "subscribed")
    await page.click("#shake")
    assert (await ball.event("button"))["centrals"] == 1
    answer = (await ball.event("answer", central=central))["text"]
    await page.until_text("#front-note", f"A new answer for {central}.")
    await page.until_text("#said", answer)
    # The same central asks again.
    await page.type("#question", "Still there?")
    await page.click("#send")
    await page.until_text("#ask-note", "Answer: ")
    answer = (await ball.event("answer", central=central))["text"]
    await page.until_text("#said", "Still there?")
    await page.until_text("#said", answer)
    await page.click("#leave")
    await ball.event("disconnected", central=central, code=0x13)
    await page.until_text("#ask-note", "The central has disconnected.")
    assert await page.evaluate("document.querySelector('#leave').hidden")
    await page.click("#shake")
    await page.until_text("#front-note", "No central hears the shake")


async def test_the_central_of_a_page_leaves_with_it(browser, panel, ball):
    async with browser.page(panel.address) as page:
        await page.until("!document.querySelector('#send').disabled")
        await page.type("#question", "Do you stay?")
        await page.click("#send")
        await page.until_text("#ask-note", "Answer: ")
    await ball.event("disconnected", code=0x13)


async def test_an_empty_question_is_not_asked(page, ball):
    await page.until("!document.querySelector('#send').disabled")
    await page.click("#send")
    await page.until_text("#ask-note", "Type a question first.")
    assert await page.evaluate("document.activeElement.id") == "question"
    assert ball.events("connected") == []


async def test_the_toolbar_is_one_line_at_1280(page):
    await page.evaluate("document.querySelector('#count').textContent = '9,999 of 10,000 match'")
    bar = "[...document.querySelectorAll('#packets .bar > :not(.unseen, [hidden])')].map((it) => it.getBoundingClientRect())"
    middles = await page.evaluate(f"{bar}.map((it) => it.top + it.height / 2)")
    assert max(middles) - min(middles) < 8, middles


async def _photograph(page) -> None:
    """Takes pictures in both themes, wide and on a phone; no content is wider than the window."""
    await page.evaluate("scrollTo(0, 0)")
    await page.photograph("panel-dark", document=PICTURE)
    assert PICTURE.stat().st_size < 250_000
    await page.click("#theme")
    await page.photograph("panel-light")
    for width, theme in ((390, "light"), (320, "dark"), (2560, "dark")):
        await page.look(width=width, height=844)
        if await page.evaluate("document.documentElement.dataset.theme") != theme:
            await page.click("#theme")
        await page.evaluate("scrollTo(0, 0)")
        await page.photograph(f"panel-{width}-{theme}")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_a_refused_question(page):
    await page.until("!document.querySelector('#send').disabled")
    await page.type("#question", "It will rain.")
    await page.click("#send")
    await page.until_text("#ask-note", "a question ends in")
    await page.until_text("#said", "Refused: ")


async def test_clear_held_on_the_page_disconnects_all(page, ball, folder):
    async with Central.opened(f"unix:{folder}/air") as central:
        visit = await central.visit()
        await visit.subscribe()
        await page.until_text("#centrals", "subscribed")
        await page.until_text("#light-status", "on")
        await page.press("#clear")
        await ball.event("button", action="release")
        await page.release()
        await visit.has_left()
        await page.until_text("#centrals", "connection 1 is free")
    await page.until_text("#said", "All centrals are disconnected.")


@pytest.mark.parametrize("key", [" ", "Enter"])
async def test_a_key_presses_a_button(page, ball, key):
    await page.until("!document.querySelector('#shake').disabled")
    await page.evaluate("document.querySelector('#shake').focus()")
    await page.key(key)
    await ball.event("button", action="shake")
    await page.evaluate("document.querySelector('#clear').focus()")
    await page.key(key)
    await ball.event("button", action="clear")


async def test_a_screen_readers_click_presses_a_button(page, ball):
    await page.until("!document.querySelector('#shake').disabled")
    await page.evaluate("document.querySelector('#shake').click()")
    await ball.event("button", action="shake")


async def test_a_page_that_closes_releases_its_button(browser, panel, ball, folder):
    async with browser.page(panel.address) as page:
        await page.until("!document.querySelector('#clear').disabled")
        await page.press("#clear")
        # The panel has the request.
        requests = "performance.getEntriesByType('resource').map((it) => it.name)"
        await page.until(f"{requests}.some((it) => it.endsWith('/press'))")
    await ball.event("button", action="clear")


async def test_the_page_survives_the_ball(page, ball, folder):
    await ball.stop()
    await page.until_text("#live", "No ball runs; start one: eightball run")
    assert await page.evaluate("document.querySelector('#shake').disabled")
    async with panels.ball(folder, "--name", "Another Ball"):
        await page.until_text("#live", "live")
        await page.until_text("#name", "Another Ball")
        await page.until("!document.querySelector('#shake').disabled")


async def test_the_page_shows_that_the_panel_has_ended(page, panel, folder):
    await panel.program.stop()
    await page.until_text("#live", "The panel has gone")
    async with panels.panel(folder, "--port", str(panel.port)):
        await page.until_text("#live", "open the address that it printed")
    # The browser logs the refused connections to the console.
    page.complaints = [it for it in page.complaints if "Failed to load resource" not in it]


async def test_filter_and_pause(page, folder):
    await ask(folder, "Is it filtered?")
    await page.until(f"{ROWS}.at(-1)?.includes('disconnects')")
    await page.type("#filter", "is it FILTERED?")
    assert await page.until(f"{ROWS}.length === 1 && {ROWS}[0].includes('Is it filtered?')")
    # The number is laid out with the next frame.
    await page.until(
        "packets.length > 10 && $('count').innerText === `1 of ${packets.length} match`"
    )
    # “Is it” in bytes.
    await page.type("#filter", "49 73 20 69 74")
    assert await page.until(f"{ROWS}.length === 1 && {ROWS}[0].includes('Is it filtered?')")
    await page.type("#filter", "nothing like it")
    await page.until_text("#empty", "No packet passes the filter.")
    assert (await page.text("#count")).startswith("0 of ")
    await page.type("#filter", "")
    await page.until_text("#count", " kept")
    await page.click("#credits")
    await page.until(f"{ROWS}.some((it) => it.includes('Number Of Completed Packets'))")
    await page.click("#credits")

    await page.click("#pause")
    before = await page.evaluate(STEADY_ROWS)
    assert before
    await ask(folder, "Is it paused?")
    await page.until_text("#said", "Is it paused?")
    await page.until("/Resume .[1-9]/.test(document.querySelector('#pause').innerText)")
    assert await page.evaluate(ROWS) == before
    await page.click("#pause")
    await page.until(f"{ROWS}.some((it) => it.includes('Is it paused?'))")


async def test_saved_packets_are_those_of_the_capture(browser, folder):
    capture = folder / "ball.btsnoop"
    downloads = folder / "downloads"
    async with panels.ball(folder, "--capture", str(capture)), panels.panel(folder) as panel:
        async with browser.page(panel.address) as page:
            await page.until_text("#live", "live")
            await ask(folder, "Is it saved?")
            await page.until(f"{ROWS}.some((it) => it.includes('disconnects'))")
            await page.send(
                "Page.setDownloadBehavior", behavior="allow", downloadPath=str(downloads)
            )
            # The file has its name before it has its contents.
            states: asyncio.Queue[str] = asyncio.Queue()
            with page.devtools.listening(
                "Page.downloadProgress", lambda it: states.put_nowait(it["state"]), page.session
            ):
                await page.click("#save")
                async with asyncio.timeout(PATIENCE):
                    while (state := await states.get()) == "inProgress":
                        pass
            assert state == "completed"
    saved = list(downloads.glob("*.btsnoop"))
    saved_records = records(saved[0].read_bytes())
    captured = records(capture.read_bytes())
    assert any(b"Is it saved?" in it.packet for it in saved_records)
    assert all(it.losses == 0 for it in [*saved_records, *captured])
    # The page opened after the ball's first packets, and the capture ends with the ball.
    first = captured.index(saved_records[0])
    assert captured[first : first + len(saved_records)] == saved_records
    if shutil.which("tshark"):
        process = await asyncio.create_subprocess_exec(
            "tshark", "-r", str(saved[0]), stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()
        assert len(output.splitlines()) == len(saved_records)


#: Adds a thousand packets in four portions, each of which is drawn and laid out.
ADD_A_THOUSAND = """(async (first) => {
  const bytes = '02e720150011000400121d005368616c6c20776520736869703f';
  const layers = [
    {layer: 'HCI', bytes: bytes.slice(0, 10), text: 'ACL data, link 0x00E7'},
    {layer: 'L2CAP', bytes: bytes.slice(10, 18), text: 'channel 4: ATT'},
    {layer: 'ATT', bytes: bytes.slice(18, 24), text: 'Write Request'},
    {layer: 'GATT', bytes: '', text: 'Question'},
    {layer: 'Ball', bytes: bytes.slice(24), text: 'Question “Shall we ship?”'},
  ];
  for (let start = first; start < first + 1000; start += 250) {
    for (let number = start; number < start + 250; number++) {
      const direction = number & 1 ? 'in' : 'out';
      receive({event: 'packet', time: 1.79e15 + number * 1000, direction, bytes, layers});
    }
    layOut();
    void document.querySelector('#scroll').scrollHeight;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
})(%d)"""


async def test_ten_thousand_packets_do_not_slow_the_page(page):
    await page.send("Profiler.enable")
    await page.send("Profiler.startPreciseCoverage", callCount=True, detailed=True)

    async def work_of_a_thousand(first: int) -> int:
        """How many blocks of the page's script are executed for a thousand packets."""
        await page.send("Profiler.takePreciseCoverage")
        await page.evaluate(ADD_A_THOUSAND % first)
        scripts = (await page.send("Profiler.takePreciseCoverage"))["result"]
        return sum(
            block["count"]
            for script in scripts
            for function in script["functions"]
            for block in function["ranges"]
        )

    await page.click("#wipe")
    work = [await work_of_a_thousand(first) for first in range(0, 10_000, 1000)]
    assert await page.evaluate("packets.length") >= 10_000
    # The document has only the rows near the window.
    assert await page.evaluate("document.querySelectorAll('.row').length") < 500
    print("blocks of the script for each thousand:", work)
    # The last thousand takes about as much as the first.
    assert work[-1] < 1.5 * work[0], work
    # The newest row is in view; scrolling shows the oldest.
    await page.until(f"{ROWS}.at(-1)?.includes('9.9990')")
    await page.evaluate("document.querySelector('#scroll').scrollTop = 0")
    await page.until(f"{ROWS}.some((it) => it.includes('0.0000'))")
    # Beyond the limit of the page, the oldest packets are removed.
    await page.evaluate(ADD_A_THOUSAND % 10_000)
    assert 10_000 <= await page.evaluate("packets.length") < 10_100
    assert await page.evaluate("packets[0].time") > 1.79e15


async def test_a_stopped_panel_does_not_hold_up_the_ball(panel, ball, folder):
    with panel.stream() as next_event:
        await asyncio.to_thread(next_event, "current")
        await asyncio.to_thread(next_event, "done")
        panel.program._process.send_signal(signal.SIGSTOP)
        try:
            async with Central.opened(f"unix:{folder}/air") as central:
                visit = await central.visit()
                await visit.subscribe()
                for number in range(1000):
                    await visit.ask(f"Do you hear me {number}?")
                    await visit.next_answer()
                await visit.disconnect()
        finally:
            panel.program._process.send_signal(signal.SIGCONT)
    # A new page gets the state again.
    with panel.stream() as next_event:
        assert (await asyncio.to_thread(next_event, "ball"))["name"] == "Magic 8-Ball"
        await asyncio.to_thread(next_event, "current")


async def asking_page(next_event) -> int:
    """The number of the page, once it may ask."""
    while not (said := await asyncio.to_thread(next_event, "panel"))["asks"]:
        pass
    return said["page"]


async def answer_to(question: str, next_event) -> str:
    """The answer to a question of the page."""
    while (line := (await asyncio.to_thread(next_event, "ask"))["line"]).get("question") != question:
        pass
    return line["text"]


async def test_the_questions_of_a_page_are_answered_in_order(panel, ball):
    questions = [f"Is it {number}?" for number in range(3)]
    with panel.stream() as next_event:
        page = await asking_page(next_event)
        for question in questions:
            response = await asyncio.to_thread(panel.post, "/ask", page=page, question=question)
            assert response.status == 202
        answers = [await answer_to(question, next_event) for question in questions]
    assert answers == [(await ball.event("answer"))["text"] for _ in questions]
