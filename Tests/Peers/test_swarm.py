"""Many balls in one program, for tests of apps."""

import asyncio
import collections
import contextlib
import os
import pathlib
import random
import re

import pytest
from bumble import hci

import eight_ball
import worlds
from central import Central, end_of
from programs import PATIENCE, REPOSITORY, Program, eightball
from swarm import Idle, addresses, find_all, swarm_running

REMOTE_USER_TERMINATED = hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR
SUPERVISION_TIMEOUT = hci.HCI_CONNECTION_TIMEOUT_ERROR


async def visit_of(central: Central, finding=None):
    """A visit with an MTU for any answer."""
    return await central.visit(finding, mtu=100)


async def ask(visit) -> str:
    await visit.subscribe()
    await visit.ask("Will it rain?")
    return await visit.next_answer()


async def test_a_thousand_balls_are_found_by_one_scan_and_any_of_them_answers(folder):
    async with worlds.our_air(folder, options=("--limit", "1100")) as (radio, _):
        options = ["--radio", radio, "--count", "1000", "--name", "Ball %04d", "--seed", "8"]
        async with swarm_running(*options) as swarm, Central.opened(radio) as central:
            found = await find_all(central, 1_000)
            assert {f.name for f in found.values()} == {f"Ball {n:04}" for n in range(1, 1_001)}
            own = addresses(swarm)
            assert set(found) == set(own.values())
            for ball in random.Random(8).sample(range(1, 1_001), 100):
                visit = await visit_of(central, found[own[ball]])
                assert await ask(visit) in eight_ball.TEXTS
                assert (await swarm.event("answer"))["ball"] == ball
                await visit.disconnect()


async def test_balls_of_one_name_differ_in_their_addresses(radio):
    async with swarm_running("--radio", radio, "--count", "20", "--name", "Twin") as swarm:
        async with Central.opened(radio) as central:
            found = await find_all(central, 20)
            assert {finding.name for finding in found.values()} == {"Twin"}
            assert set(found) == set(addresses(swarm).values())


async def test_the_same_seed_gives_the_same_addresses_and_answers(folder):
    async def seen(seed: str, count: int) -> tuple[dict[int, str], list[str]]:
        async with worlds.our_air(folder) as (radio, _):
            options = ["--radio", radio, "--count", str(count), "--seed", seed]
            async with swarm_running(*options) as swarm, Central.opened(radio) as central:
                own = addresses(swarm)
                found = await find_all(central, count)
                answers = []
                for ball in (3, 1, 3, 5):
                    visit = await visit_of(central, found[own[ball]])
                    answers.append(await ask(visit))
                    await visit.ask("And tomorrow?")
                    answers.append(await visit.next_answer())
                    await visit.disconnect()
                return own, answers

    own, answers = await seen("8", 5)
    more, same_answers = await seen("8", 12)
    assert answers == same_answers
    assert own == {ball: address for ball, address in more.items() if ball <= 5}
    others, other_answers = await seen("9", 5)
    assert set(own.values()).isdisjoint(others.values()) and answers != other_answers


async def test_a_full_ball_does_not_advertise_until_its_central_disconnects(radio):
    options = ["--radio", radio, "--count", "2", "--seed", "8"]
    async with swarm_running(*options) as swarm:
        own = addresses(swarm)
        async with Central.opened(radio, 1) as first, Central.opened(radio, 2) as second:
            visit = await visit_of(first, await first.find("Ball 1"))
            # Both balls advertise equally often: five reports of the free one are enough.
            heard = await reports(second, until=own[2], times=5)
            assert heard[own[2]] == 5 and own[1] not in heard
            assert await ask(visit) in eight_ball.TEXTS
            await visit.disconnect()
            assert own[1] in await reports(second, until=own[1], times=1)


async def reports(central: Central, until: str, times: int) -> collections.Counter:
    """The number of reports by address in a new scan, until `until` has `times`."""
    heard = collections.Counter()
    is_enough = asyncio.Event()

    def on_report(report) -> None:
        heard[str(report.address).split("/")[0]] += 1
        if heard[until] == times:
            is_enough.set()

    central.device.host.on("advertising_report", on_report)
    try:
        # No scan responses: each report is an advertisement.
        await central.device.start_scanning(active=False)
        async with asyncio.timeout(PATIENCE):
            await is_enough.wait()
        await central.device.stop_scanning()
    finally:
        central.device.host.remove_listener("advertising_report", on_report)
    return heard


async def test_a_ball_with_two_connections_serves_two_centrals_at_once(radio):
    options = ["--radio", radio, "--count", "1", "--connections", "2"]
    async with swarm_running(*options):
        async with Central.opened(radio, 1) as first, Central.opened(radio, 2) as second:
            visits = [await visit_of(first), await visit_of(second)]
            for visit in visits:
                assert await ask(visit) in eight_ball.TEXTS


async def test_a_storm_ends_all_connections_and_the_balls_can_be_found_again(radio):
    options = ["--radio", radio, "--count", "3", "--drop-every", "1s"]
    async with contextlib.AsyncExitStack() as stack:
        swarm = await stack.enter_async_context(swarm_running(*options))
        centrals = [
            await stack.enter_async_context(Central.opened(radio, n)) for n in range(1, 4)
        ]
        found = list((await find_all(centrals[0], 3)).values())
        for _ in range(2):
            links = await asyncio.gather(
                *(central.connect(ball) for central, ball in zip(centrals, found))
            )
            # A storm may come before the last of them is connected.
            reasons = await asyncio.gather(*map(end_of, links))
            assert set(reasons) == {REMOTE_USER_TERMINATED}
        # Each of the 6 connections was ended by exactly one storm.
        for _ in range(6):
            await swarm.event("disconnected")
        assert sum(event["dropped"] for event in swarm.events("storm")) == 6


@pytest.mark.parametrize(
    "fault, reason", [("--drop", REMOTE_USER_TERMINATED), ("--vanish", SUPERVISION_TIMEOUT)]
)
async def test_a_fault_ends_a_connection_with_one_of_its_first_packets(folder, fault, reason):
    environment = {"EIGHTBALL_AIR": str(folder / "own")}
    options = ["--count", "1", fault, "100", "--seed", "8"]
    async with swarm_running(*options, environment=environment) as swarm:
        async with Central.opened(f"unix:{folder / 'own'}") as central:
            for _ in range(2):
                await _writes_until_it_ends(await central.connect(), reason)
                await swarm.event("disconnected", ball=1, code=reason)


async def test_an_air_of_another_program_decides_its_faults(folder):
    environment = {"EIGHTBALL_AIR": str(folder / "air")}
    async with worlds.our_air(folder, options=("--drop", "100")) as (radio, _):
        command = [eightball(), "swarm", "--count", "1", "--drop", "100"]
        async with Program(*command, environment=environment) as swarm:
            assert await swarm.ended() == 69, swarm.transcript
            assert "another program hosts the air" in swarm.transcript
        async with swarm_running("--count", "1", "--radio", radio):
            async with Central.opened(radio) as central:
                await _writes_until_it_ends(await central.connect(), REMOTE_USER_TERMINATED)


async def _writes_until_it_ends(link, reason: int) -> None:
    """Sends up to 20 packets; the link must end for this reason."""
    ended = end_of(link)
    for _ in range(20):
        if ended.done():
            break
        # A command, which gets no response.
        link.send_l2cap_pdu(4, bytes([0x52, 0x01, 0x00, 0x00]))
        await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        assert await ended == reason


async def test_a_swarm_hosts_an_air_with_room_for_itself_and_others(folder):
    environment = {"EIGHTBALL_AIR": str(folder / "own")}
    async with swarm_running("--count", "100", environment=environment):
        async with Central.opened(f"unix:{folder / 'own'}") as central:
            assert len(await find_all(central, 100)) == 100


async def test_an_air_without_room_for_all_is_refused_with_what_to_do(folder):
    async with worlds.our_air(folder, options=("--limit", "10")) as (radio, _):
        for options in ([], ["--json"]):
            command = [eightball(), "swarm", "--count", "20", "--radio", radio, *options]
            async with Program(*command) as swarm:
                assert await swarm.ended() == 69, swarm.transcript
                assert "has no room for 20 balls" in swarm.transcript
                assert f"eightball radio --listen {radio} --limit 100" in swarm.transcript
                assert "Trying again" not in swarm.transcript or "--json" in options


async def test_too_few_open_files_are_refused_with_what_to_do(folder):
    environment = {"EIGHTBALL_AIR": str(folder / "own")}
    # 64 files are reserved: the other 236 are too few for 150 balls and an air.
    for limit, count in ((100, 50), (300, 150)):
        shell = ["bash", "-c", f'ulimit -n {limit}; exec "$@"', "bash"]
        command = [*shell, eightball(), "swarm", "--count", str(count)]
        async with Program(*command, environment=environment) as swarm:
            assert await swarm.ended() == 69, swarm.transcript
            assert "ulimit -Hn" in swarm.transcript


async def test_text_output_is_one_line_and_then_questions_and_answers(radio):
    options = ["--radio", radio, "--count", "3", "--seed", "8"]
    async with Program(eightball(), "swarm", *options) as swarm:
        await swarm.line(
            lambda line: line == "3 balls advertise: “Ball 1” to “Ball 3” (--seed 8).",
            "the first line",
        )
        async with Central.opened(radio) as central:
            visit = await visit_of(central, await central.find("Ball 2"))
            answer = await ask(visit)
            await visit.disconnect()
        await swarm.line(lambda line: line == f"Ball 2: Answer: {answer}", "the answer")
        assert await swarm.stop() == 0
        assert swarm.output[1:] == ["Ball 2: Question: Will it rain?", swarm.output[-1]]
        assert swarm.errors == []


async def test_the_swarm_disconnects_its_centrals_when_it_ends(radio):
    async with swarm_running("--radio", radio, "--count", "5") as swarm:
        async with Central.opened(radio) as central:
            visit = await central.visit()
            assert await swarm.stop() == 0
            assert await visit.has_left() == REMOTE_USER_TERMINATED


async def test_balls_join_by_tcp_and_by_the_name_of_a_host(folder):
    port = worlds.free_port()
    async with worlds.our_air(folder, f"tcp-server:127.0.0.1:{port}") as (radio, _):
        for host in ("127.0.0.1", "localhost"):
            async with swarm_running("--radio", f"tcp-client:{host}:{port}", "--count", "40"):
                async with Central.opened(radio) as central:
                    assert len(await find_all(central, 40)) == 40


async def test_balls_join_the_next_air_when_theirs_ends(folder):
    async with contextlib.AsyncExitStack() as stack:
        async with worlds.our_air(folder) as (radio, _):
            options = ["--radio", radio, "--count", "40", "--seed", "8"]
            swarm = await stack.enter_async_context(swarm_running(*options))
            own = addresses(swarm)
        async with worlds.our_air(folder) as (radio, _), Central.opened(radio) as central:
            for _ in range(40):
                await swarm.event("advertising")
            assert set(await find_all(central, 40)) == set(own.values())


async def test_an_idle_ball_takes_16_kB_at_most_and_never_wakes(folder):
    async with worlds.our_air(folder, options=("--limit", "1100")) as (radio, _):
        memory = {}
        for count in (1, 1_000):
            options = ["--radio", radio, "--count", str(count), "--seed", "8"]
            async with swarm_running(*options) as swarm, Central.opened(radio) as central:
                idle = Idle(swarm.process)
                await idle.sleeps()
                before = idle.wake_ups
                memory[count] = idle.memory
                # A scan is the work of the controllers, and wakes no ball.
                await find_all(central, count)
                print(f"{count} balls: {memory[count]} bytes, {idle.wake_ups - before} wake-ups")
                assert idle.wake_ups == before
        # Both measurements include the first ball.
        each = (memory[1_000] - memory[1]) / 999
        print(f"A ball takes {each:.0f} bytes.")
        assert each <= 16_384


async def test_the_script_of_the_page_finds_each_ball(folder):
    """The page's other blocks are run by test_pages."""
    page = (REPOSITORY / "docs" / "testing-apps.md").read_text().split("\n## Many balls\n")[1]
    block = re.search(r"^```bash\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
    # A user's environment: the program's folder in the path, and an own air.
    path = f"{pathlib.Path(eightball()).parent}:{os.environ['PATH']}"
    environment = {"PATH": path, "EIGHTBALL_AIR": str(folder / "air")}
    shell = ["bash", "-c", f'cd "$1" && set -eu\n{block}', "bash", str(folder)]
    async with Program(*shell, environment=environment) as script:
        assert await script.ended() == 0, script.transcript
        assert script.output[-1] == "50"
