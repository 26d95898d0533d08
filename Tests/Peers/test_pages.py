"""The commands that the pages show: they exist, they run, and they print what the pages say."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess

import pytest

import worlds
from pictures import Pane, drawing, is_picture
from programs import REPOSITORY, Program, eightball

#: The changelog is left out: old versions had other commands.
PAGES = sorted(
    [*REPOSITORY.glob("docs/**/*.md"), *REPOSITORY.glob("Sources/*/*.docc/**/*.md")]
    + [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "boards/README.md")]
)
#: Pages whose commands all run on the virtual air.
RUNNING = ["README.md", "docs/first-evening.md", "docs/command-line.md", "docs/testing-apps.md"]
FENCE = re.compile(r"^ *```([^\n]*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """Each command line of eightball and eightballd that a page has, in blocks and in prose."""
    found = []
    for tag, block in FENCE.findall(text):
        # Other blocks have output, in which a prompt marks the command.
        prompt = "" if tag in ("sh", "bash") else r"\$ "
        for line in block.replace("\\\n", " ").splitlines():
            found += re.findall(rf"^ *{prompt}(?:[A-Z_]+=\S+ )?(eightballd? .*)", line)
    prose = re.sub(r"\s+", " ", FENCE.sub("", text))
    return found + re.findall(r"`(?:[A-Z_]+=\S+ )?(eightballd? [^`]+)`", prose)


def understood(command: str, options: dict[str, set[str]]) -> bool:
    """Whether the program has the command and each option of this line."""
    words = shlex.split(command, comments=True)
    for end in ("&", "|", ">", "&&"):
        words = words[: words.index(end)] if end in words else words
    program, *rest = words
    name = "run"
    if program == "eightball" and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
    used = {word.split("=")[0] for word in rest if word.startswith("--")}
    return name in options and used <= options[name] | {"--help", "--version"}


@pytest.fixture(scope="module")
def options() -> dict[str, set[str]]:
    """The options of each command, by its name."""
    help = subprocess.run(
        [eightball(), "--experimental-dump-help"], capture_output=True, check=True, text=True
    ).stdout
    return {
        command["commandName"]: {
            f"--{name['name']}"
            for argument in command.get("arguments", [])
            for name in argument.get("names", [])
        }
        for command in json.loads(help)["command"]["subcommands"]
    }


@pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY).with_suffix(""))
)
def test_the_program_has_each_command_and_option(page: pathlib.Path, options):
    unknown = [line for line in commands(page.read_text()) if not understood(line, options)]
    assert unknown == []


def test_a_command_or_an_option_that_is_missing_is_found(options):
    page = 'Use `eightball run\n--seed 8` and `eightball fly`.\n```sh\neightball ask "?" --fast\n```\n'
    lines = commands(page)
    assert lines == ['eightball ask "?" --fast', "eightball run --seed 8", "eightball fly"]
    assert [understood(line, options) for line in lines] == [False, True, False]


@pytest.fixture
def environment(folder) -> dict[str, str]:
    """The program's folder is in the path; the air, the control socket and the bonds are this test's own."""
    path = f"{pathlib.Path(eightball()).parent}:{os.environ['PATH']}"
    own = {"EIGHTBALL_AIR": str(folder / "air"), "EIGHTBALL_CONTROL": str(folder / "control")}
    return {"PATH": path, "XDG_STATE_HOME": str(folder), **own}


@pytest.mark.parametrize("name", RUNNING)
async def test_each_command_of_a_page_works(name: str, environment):
    text = (REPOSITORY / name).read_text().replace("7300", str(worlds.free_port()))
    blocks = [block.splitlines() for tag, block in FENCE.findall(text) if tag == "sh"]
    blocks = [lines for lines in blocks if all(map(runs_here, lines))]
    assert blocks
    for lines in blocks:
        await run_together(lines, environment)


def runs_here(line: str) -> bool:
    """Whether the line is a command of eightball that needs no other program: no reader of a capture."""
    return bool(re.match(r"([A-Z_]+=\S+ )?eightball ", line)) and "--capture" not in line


async def run_together(lines: list[str], environment: dict[str, str]) -> None:
    """Runs commands in order. Those that run until they are stopped run beside the rest."""
    async with contextlib.AsyncExitStack() as stack:
        lasting = []
        for line in lines:
            command = re.sub(r"(?=eightball )", "exec ", line, count=1)
            program = Program("bash", "-c", command, environment=environment)
            await stack.enter_async_context(program)
            if "eightball radio" in line:
                await worlds.accepts(line.split("--listen ")[1], program)
                lasting.append(program)
            elif re.search("eightball (run|swarm|peripheral)", line):
                await program.line(lambda text: "dvertis" in text, "that it advertises")
                lasting.append(program)
            else:
                assert await program.ended() == 0, program.transcript
        for program in reversed(lasting):
            assert await program.stop() == 0, program.transcript


@pytest.mark.parametrize("page", ["command-line", "first-evening"])
async def test_a_conversation_prints_what_the_page_shows(page: str, environment):
    text = (REPOSITORY / "docs" / f"{page}.md").read_text()
    (shown_by_ball,) = [block for tag, block in FENCE.findall(text) if tag == "text run"]
    (shown_by_central,) = [block for tag, block in FENCE.findall(text) if tag == "text ask"]
    command, *expected = shown_by_ball.splitlines()
    async with Program(*shlex.split(command[2:]), environment=environment) as ball:
        await ball.line(lambda line: "dvertis" in line, "that it advertises")
        for part in shown_by_central.strip().split("\n\n"):
            command, _, answer = part.partition("\n")
            assert await both_streams(command[2:], environment) == answer
        # The page stops there; the ball goes on to see the next central.
        await ball.line(lambda line: "isconnected" in line, "the end of the connection")
        await ball.stop(signal.SIGINT)
        assert ball.output == expected


async def test_commands_on_attributes_print_what_the_page_shows(environment):
    text = (REPOSITORY / "docs" / "command-line.md").read_text()
    (shown,) = [block for tag, block in FENCE.findall(text) if tag == "text gatt"]
    run = ["eightball", "run", "--radio", "virtual", "--seed", "8"]
    async with Program(*run, environment=environment) as ball:
        await ball.line(lambda line: "dvertis" in line, "that it advertises")
        # The ball refuses a statement: status 65.
        for part, status in zip(shown.strip().split("\n\n"), (0, 65), strict=True):
            command, _, answer = part.partition("\n")
            assert await both_streams(command[2:], environment, status) == answer


async def test_the_recording_shows_what_the_programs_print(environment):
    page = (REPOSITORY / "docs" / "first-evening.md").read_text()
    run, ask = (
        next(block for tag, block in FENCE.findall(page) if tag == wanted).splitlines()[0]
        for wanted in ("text run", "text ask")
    )
    async with Program(*shlex.split(run[2:]), environment=environment) as ball:
        await ball.line(lambda line: "dvertis" in line, "that it advertises")
        before = len(ball.output)
        answer = await both_streams(ask[2:], environment)
        await ball.line(lambda line: "isconnected" in line, "the end of the connection")
        output = list(ball.output)
    one, two = Pane("The ball"), Pane("A central")
    one.shows("\n".join([run, *output[:before]]), time=0.1, pause=0.5)
    two.shows(ask, time=3)
    two.shows(answer, time=3.5, pause=0.5)
    one.shows("\n".join(output[before:]), time=4.5, pause=0.4)
    assert is_picture("first-evening.svg", drawing(one, two))


async def test_the_demonstration_prints_what_the_readme_shows(environment):
    """The commands of scripts/demo, whose build this leaves out. The answer differs each time."""
    script = (REPOSITORY / "scripts" / "demo").read_text()
    asks = re.findall(r'^ask "(.*)" (\d+)$', script, re.MULTILINE)
    (shown,) = [
        block
        for _, block in FENCE.findall((REPOSITORY / "README.md").read_text())
        if block.startswith("[4/4]")
    ]
    lines = [line.partition(" │ ") for line in shown.splitlines()]
    assert shown.splitlines()[-1] in script
    answer = next(text for name, _, text in lines if text.startswith("Answer: "))
    run = ["eightball", "run", "--radio", "virtual"]
    async with Program(*run, environment=environment) as ball:
        await ball.line(lambda line: "dvertis" in line, "that it advertises")
        printed = []
        for question, status in asks:
            command = f'eightball ask "{question}" --radio virtual'
            printed.append(await both_streams(command, environment, int(status)))
            await ball.line(lambda line: "isconnected" in line, "the end of the connection")
        seen = ball.output[[line[:11] for line in ball.output].index("Advertising") + 1 :]
    drawn = next(line for line in seen if line.startswith("Answer: "))

    def as_shown(text: str) -> list[str]:
        return text.replace(drawn[8:], answer[8:]).splitlines()

    assert [text for name, _, text in lines if name.strip() == "central"] == as_shown("\n".join(printed))
    assert [text for name, _, text in lines if name.strip() == "8-ball"] == as_shown("\n".join(seen))


async def test_a_press_prints_what_the_page_shows(environment):
    text = (REPOSITORY / "docs" / "first-evening.md").read_text()
    (shown,) = [block for _, block in FENCE.findall(text) if "$ eightball press" in block]
    run = ["eightball", "run", "--radio", "virtual", "--board", "virtual"]
    async with Program(*run, environment=environment) as ball:
        await ball.line(lambda line: "dvertis" in line, "that it advertises")
        press, lights = re.findall(r"^\$ (.*)\n((?:[^$].*\n)+)", shown, re.MULTILINE)
        assert await both_streams(press[0], environment) == press[1].rstrip()
        # Blinking lights show their current state.
        states = re.sub(r"\b(on|off)\b", "on", await both_streams(lights[0], environment))
        assert states == lights[1].rstrip()


async def both_streams(command: str, environment: dict[str, str], status: int = 0) -> str:
    """What a command prints, until it ends with this status."""
    process = await asyncio.create_subprocess_exec(
        *shlex.split(command),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, **environment},
    )
    output, _ = await process.communicate()
    assert process.returncode == status, output
    return output.decode().rstrip("\n")


def test_the_wiring_is_what_the_page_shows(environment):
    text = (REPOSITORY / "docs" / "raspberry-pi.md").read_text()

    def wiring(board: str) -> str:
        return subprocess.run(
            [eightball(), "wiring", board], capture_output=True, check=True, text=True
        ).stdout

    pane = Pane("A Raspberry Pi 4")
    pane.shows("$ eightball wiring pi-4b\n" + wiring("pi-4b"))
    assert is_picture("wiring.svg", drawing(pane))
    # The table of the Pi Zero, in the words of the last lines of the drawing.
    pins = re.compile(r"pin \d+ \(\w+\)")
    table = re.findall(r"^ *\| \*(\w+)\*, .*(?:button|LED) \| (.*pin.*) \|$", text, re.MULTILINE)
    printed = [line for line in wiring("pi-zero").splitlines() if pins.search(line)]
    assert [name for name, _ in table] == ["shake", "clear", "status", "answer"]
    for (name, cell), line in zip(table, printed, strict=True):
        assert line.startswith(name)
        assert pins.findall(cell) == pins.findall(line)
