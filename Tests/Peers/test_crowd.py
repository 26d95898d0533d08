"""Many programs on one air, each with its address."""

import pytest
from bumble import hci

import worlds
from central import Central
from programs import Program, eightball

ADDRESS = "C0:00:00:00:00:77"


async def test_a_central_keeps_its_address(radio):
    async with worlds.ball_running("--radio", radio) as ball:
        environment = {"EIGHTBALL_ADDRESS": ADDRESS}
        for _ in range(2):
            command = [eightball(), "ask", "--random", "--radio", radio]
            async with Program(*command, environment=environment) as ask:
                assert await ask.ended() == 0, ask.transcript
            await ball.event("connected", central=ADDRESS)
            await ball.event("disconnected", central=ADDRESS)


async def test_an_address_that_no_device_may_have_is_refused():
    for option in (["--address", "FF:FF:FF:FF:FF:FF"], ["--address", "C0:00:00:00:00:00"]):
        async with Program(eightball(), "run", "--radio", "virtual", *option) as ball:
            assert await ball.ended() == 64, ball.transcript
            assert "at least one must be 0" in ball.transcript
    environment = {"EIGHTBALL_ADDRESS": "FF:FF:FF:FF:FF:FF"}
    async with Program(eightball(), "scan", environment=environment) as scan:
        assert await scan.ended() == 64, scan.transcript
        assert "EIGHTBALL_ADDRESS" in scan.transcript


async def test_a_full_air_says_so(folder):
    # The ball and Bumble's central; the test's first connection to the air is closed.
    async with worlds.our_air(folder, options=("--limit", "2")) as (radio, air):
        async with worlds.ball_running("--radio", radio):
            async with Central.opened(radio):
                with pytest.raises(hci.HCI_Error) as error:
                    async with Central.opened(radio):
                        pass
                limited = hci.HCI_CONNECTION_REJECTED_DUE_TO_LIMITED_RESOURCES_ERROR
                assert error.value.error_code == limited
                async with Program(eightball(), "ask", "--random", "--radio", radio) as ask:
                    assert await ask.ended() == 69, ask.transcript
                    assert "is full" in ask.transcript and "--limit" in ask.transcript
        await air.prints("The virtual air is full (2 radios)")


async def test_a_scan_finds_sixty_advertisers(radio):
    # Symptom: it found 32, as reports beyond the controller's 64 counted as delivered.
    async with worlds.advertisers(radio, 60) as addresses:
        command = [eightball(), "scan", "--json", "--timeout", "600s", "--radio", radio]
        async with Program(*command) as scan:
            missing = set(addresses)
            while missing:
                missing.discard((await scan.event("found"))["address"])
