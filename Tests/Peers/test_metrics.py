"""Metrics for Prometheus, from a ball and from `eightball metrics` by control sockets; and their documentation,
checked by Prometheus's promtool."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import urllib.error
import urllib.request

import pytest

import worlds
from btsnoop import FROM_CONTROLLER, records
from central import Central
from programs import PATIENCE, REPOSITORY, Program, eightball

DOCS = REPOSITORY / "docs"


def promtool(*arguments: str, text: str | None = None) -> str:
    """Runs promtool, which must succeed; its output."""
    path = shutil.which("promtool") or str(REPOSITORY / ".build-promtool" / "promtool")
    path = os.environ.get("PROMTOOL", path)
    if not os.access(path, os.X_OK):
        pytest.skip("There is no promtool. Run scripts/setup test, which extracts it from Debian's prometheus.")
    done = subprocess.run([path, *arguments], input=text, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


class Page:
    """A page of metrics."""

    def __init__(self, text: str):
        self.text = text
        self.samples = dict(
            line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")
        )

    def __getitem__(self, sample: str) -> float:
        return float(self.samples["eightball_" + sample])

    @property
    def names(self) -> set[str]:
        return {sample.partition("{")[0] for sample in self.samples}


async def page(url: str) -> Page:
    """The page at a URL."""

    def get() -> Page:
        with urllib.request.urlopen(url, timeout=PATIENCE) as response:
            assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            return Page(response.read().decode())

    return await asyncio.to_thread(get)


async def failure(url: str, **options) -> tuple[int, str]:
    """The status and the text of a refused request."""

    def get() -> tuple[int, str]:
        request = urllib.request.Request(url, **options)
        with pytest.raises(urllib.error.HTTPError) as raised:
            urllib.request.urlopen(request, timeout=PATIENCE)
        return raised.value.code, raised.value.read().decode()

    return await asyncio.to_thread(get)


@pytest.fixture
async def served(folder):
    """A ball that serves its figures, the page's address, and a radio for centrals."""
    async with worlds.our_air(folder) as (radio, _):
        options = ["--seed", "8", "--board", "none", "--metrics", "0"]
        options += ["--control", str(folder / "control"), "--capture", str(folder / "capture")]
        async with Program(eightball(), "run", "--json", "--radio", radio, *options) as ball:
            url = (await ball.event("metrics"))["url"]
            await ball.event("advertising")
            yield ball, url, radio


async def ask_twice_and_more(radio: str) -> None:
    """Two questions, a statement, and bytes that are not text."""
    async with Central.opened(radio) as central:
        visit = await central.visit(mtu=517)
        await visit.subscribe()
        for question in ("Will it rain?", "Will it snow?"):
            await visit.ask(question)
            await visit.next_answer()
        await visit.refusal_of("It will.")
        await visit.refusal_of(b"\xff?")
        await visit.disconnect()


def check_visit(figures: Page) -> None:
    """Checks the figures of one such visit."""
    assert figures["connections"] == 0
    assert figures["connections_total"] == 1
    assert figures['disconnections_total{reason="remote_user_terminated"}'] == 1
    assert figures["questions_total"] == 2
    assert figures["answers_total"] == 2
    assert figures['refusals_total{reason="statement"}'] == 1
    assert figures['refusals_total{reason="not_utf8"}'] == 1
    assert figures['refusals_total{reason="too_long"}'] == 0
    assert figures["answer_time_seconds_count"] == 2
    assert figures['answer_time_seconds_bucket{le="+Inf"}'] == 2
    assert figures["missed_events_total"] == 0


async def test_a_visit_is_counted(served, folder):
    ball, url, radio = served
    before = await page(url)
    assert (before["balls"], before["radios_ready"], before["questions_total"]) == (1, 1, 0)
    await ask_twice_and_more(radio)
    await ball.event("disconnected")
    # The ball advertises again: it may send packets between the page and the capture.
    capture = b""
    async with asyncio.timeout(PATIENCE):
        while capture != (capture := (folder / "capture").read_bytes()):
            figures = await page(url)
    check_visit(figures)
    packets = records(capture)
    directions = [it.flags & FROM_CONTROLLER for it in packets]
    assert figures['hci_packets_total{direction="out"}'] == directions.count(0)
    assert figures['hci_packets_total{direction="in"}'] == directions.count(1)


async def test_no_address_and_no_text_of_a_central_is_on_the_page(served):
    ball, url, radio = served
    await ask_twice_and_more(radio)
    await ball.event("disconnected")
    text = (await page(url)).text
    assert not re.search(r"([0-9A-F]{2}:){5}", text)
    assert "rain" not in text and "Magic" not in text


async def test_what_is_not_the_page_is_refused(served):
    _, url, _ = served
    assert await failure(url, data=b"x=1", method="POST") == (405, "405 Method Not Allowed\n")
    assert await failure(url.removesuffix("metrics")) == (404, "404 Not Found\n")
    # 4,096 bytes at most.
    assert (await failure(url, headers={"X-Long": "a" * 8_000}))[0] == 431


async def test_clients_that_neither_write_nor_read_do_not_stop_the_ball(served):
    ball, url, radio = served
    address = ("127.0.0.1", int(url.split(":")[2].split("/")[0]))
    with contextlib.ExitStack() as stack:
        # More clients than the ball serves at once; the odd ones ask, and read nothing.
        for number in range(20):
            client = stack.enter_context(socket.create_connection(address))
            if number % 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
                client.sendall(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
            else:
                client.sendall(b"GET /me")
        await ask_twice_and_more(radio)
        await ball.event("disconnected")
        check_visit(await page(url))


async def test_a_used_port_is_an_error_at_once(served):
    _, url, _ = served
    port = url.split(":")[2].split("/")[0]
    async with Program(eightball(), "run", "--radio", "virtual", "--metrics", port) as second:
        assert await second.ended() == 69
    assert second.errors[-1] == (
        f"Error: no metrics: cannot listen on 127.0.0.1:{port}: another program listens there. "
        "Give another port, or 0 for one that is free."
    )


# eightball metrics


@pytest.fixture
async def asked(served, folder):
    """`eightball metrics` for that ball and for one that comes later; the ball, the page's address, the radio."""
    ball, _, radio = served
    options = ["--control", str(folder / "control"), "--control", str(folder / "later")]
    async with Program(eightball(), "metrics", "--json", "--listen", "0", *options) as program:
        yield ball, (await program.event("metrics"))["url"], radio, program


async def test_metrics_come_from_control_sockets(asked, folder):
    ball, url, radio, program = asked
    await ask_twice_and_more(radio)
    await ball.event("disconnected")
    alone = await page(url)
    assert alone["balls"] == 1
    check_visit(alone)
    await program.prints("No figures")
    assert program.errors == [
        f"No figures: no ball runs: nothing listens at {folder / 'later'}. "
        f"Start one: eightball run --control {folder / 'later'}."
    ]
    options = ["--seed", "8", "--board", "none", "--control", str(folder / "later")]
    async with worlds.ball_running("--radio", radio, *options):
        both = await page(url)
        assert (both["balls"], both["radios_ready"]) == (2, 2)
        assert both["questions_total"] == 2
        assert promtool("check", "metrics", text=both.text) == ""


async def test_without_a_ball_the_reply_is_503_and_says_why(asked, folder):
    ball, url, _, _ = asked
    await ball.stop()
    status, text = await failure(url)
    assert status == 503
    assert text == "".join(
        f"no ball runs: nothing listens at {folder / name}. "
        f"Start one: eightball run --control {folder / name}.\n"
        for name in ("control", "later")
    )


async def test_a_ball_that_does_not_answer_is_left_out(folder):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(folder / "silent"))
        silent.listen()
        options = ["--control", str(folder / "silent")]
        async with Program(eightball(), "metrics", "--json", "--listen", "0", *options) as program:
            url = (await program.event("metrics"))["url"]
            assert await failure(url) == (503, "the ball does not answer.\n")


# eightball swarm


async def test_a_swarm_is_the_sum_of_its_balls(folder):
    async with worlds.our_air(folder) as (radio, _):
        options = ["--count", "20", "--seed", "8", "--metrics", "0"]
        async with Program(eightball(), "swarm", "--json", "--radio", radio, *options) as swarm:
            url = (await swarm.event("metrics"))["url"]
            await swarm.event("swarm")
            before = await page(url)
            assert (before["balls"], before["radios_ready"]) == (20, 20)
            # At two of its balls in turn.
            for _ in range(2):
                await ask_twice_and_more(radio)
                await swarm.event("disconnected")
            figures = await page(url)
            assert figures["connections_total"] == 2
            assert figures["questions_total"] == len(swarm.events("question")) == 4
            assert figures["answers_total"] == 4
            assert figures['refusals_total{reason="statement"}'] == 2
            assert promtool("check", "metrics", text=figures.text) == ""


# docs/


def blocks(tag: str) -> list[str]:
    """What docs/metrics.md has between fences of this tag."""
    text = (DOCS / "metrics.md").read_text()
    return re.findall(rf"^```yaml {re.escape(tag)}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_documented_configuration_is_valid(folder):
    (block,) = blocks("prometheus.yml")
    (folder / "prometheus.yml").write_text(block)
    (folder / "balls.rules.yml").write_text((DOCS / "balls.rules.yml").read_text())
    said = promtool("check", "config", str(folder / "prometheus.yml"))
    assert "6 rules found" in said


BOARD = json.loads((DOCS / "grafana-balls.json").read_text())


def queries() -> list[str]:
    return [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]


def test_each_query_of_the_board_is_valid(folder):
    values = {"$__rate_interval": "1m", "$__range": "1h", "$job": ".*", "$instance": ".*"}
    rules = []
    for number, query in enumerate(queries()):
        for name, value in values.items():
            query = query.replace(name, value)
        assert "$" not in query
        rules.append({"record": f"balls:query_{number}", "expr": query})
    # JSON is YAML.
    (folder / "rules.json").write_text(json.dumps({"groups": [{"name": "board", "rules": rules}]}))
    assert f"{len(rules)} rules found" in promtool("check", "rules", str(folder / "rules.json"))


def test_grafana_can_import_the_board():
    # The inputs of the import form, and the board's requirements.
    (source,) = BOARD["__inputs"]
    assert (source["name"], source["type"], source["pluginId"]) == ("DS_PROMETHEUS", "datasource", "prometheus")
    assert BOARD["id"] is None, "A board with an id would replace another."
    assert 1 <= len(BOARD["uid"]) <= 40
    assert BOARD["title"] and BOARD["schemaVersion"] >= 36
    needed = {(one["type"], one["id"]) for one in BOARD["__requires"]}
    assert ("datasource", "prometheus") in needed
    datasource = {"type": "prometheus", "uid": "${DS_PROMETHEUS}"}
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])
    cells: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        assert ("panel", panel["type"]) in needed
        assert panel["datasource"] == datasource
        assert panel["title"] and panel["description"]
        references = [target["refId"] for target in panel["targets"]]
        assert len(set(references)) == len(references) > 0
        assert all(target["datasource"] == datasource for target in panel["targets"])
        # A board is 24 columns wide, and no two panels share a cell.
        at = panel["gridPos"]
        assert 0 <= at["x"] < at["x"] + at["w"] <= 24
        own = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not own & cells
        cells |= own
    for variable in BOARD["templating"]["list"]:
        assert variable["type"] == "query" and variable["datasource"] == datasource
        assert variable["query"]["query"] == variable["definition"]


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
async def test_a_panel_whose_address_is_lost_ends(folder, redirection):
    command = f"exec {eightball()} panel --port 0 --control {folder / 'control.sock'} {redirection}"
    async with Program("sh", "-c", command) as panel:
        assert await panel.ended() == 74, panel.transcript
    assert "Error: cannot write to standard output: " in panel.errors[-1]
