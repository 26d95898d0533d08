"""Pairing with each IO capability of Bumble: our programs in each role, by Secure Connections and by legacy
pairing."""

import asyncio
import contextlib
import shutil

import pytest
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig

import worlds
from bumble_air import BumbleAir
from bumble_ball import BumbleBall
from central import Central
from pairing import GENERATIONS, Capability, User
from programs import PATIENCE, Program, eightball
from test_capture import read_capture
from test_keyboard import Terminal

QUESTION = "Shall we pair?"
#: Codes of the Security Manager: Vol 3, Part H, 3.3.
PAIRING_REQUEST, CONFIRM, PAIRING_FAILED, DHKEY_CHECK = "0x01", "0x03", "0x05", "0x0d"


class OurAir:
    """Our virtual air, with a radio for our program and one for Bumble."""

    @contextlib.asynccontextmanager
    async def opened(self, folder):
        async with worlds.our_air(folder) as (radio, _):
            self._radio = radio
            self.options = ["--radio", radio]
            yield self

    @contextlib.asynccontextmanager
    async def ball(self):
        async with BumbleBall.opened(self._radio, is_protected=True) as ball:
            yield ball

    @contextlib.asynccontextmanager
    async def central(self):
        async with Central.opened(self._radio) as central:
            yield central


class BumblesAir:
    """Bumble's controllers, one of them for our program by TCP."""

    @contextlib.asynccontextmanager
    async def opened(self, folder):
        self._air, port = BumbleAir(), worlds.free_port()
        async with self._air.served(f"tcp-server:127.0.0.1:{port}"):
            # These controllers carry data only between random addresses.
            self.options = ["--radio", f"tcp-client:127.0.0.1:{port}", "--address", "random"]
            yield self

    @contextlib.asynccontextmanager
    async def ball(self):
        device = await self._air.device(0xB0)
        ball = BumbleBall(device, is_protected=True)
        await device.power_on()
        await ball.advertise()
        yield ball

    @contextlib.asynccontextmanager
    async def central(self):
        device = await self._air.device(1)
        await device.power_on()
        yield Central(device)


@pytest.fixture(params=[OurAir, BumblesAir], ids=["our-air", "bumbles-air"])
async def air(request, folder):
    async with request.param().opened(folder) as opened:
        yield opened


def configure(
    device, ability: Capability, is_secure: bool = True, shown: asyncio.Future | None = None
) -> list[int]:
    """Configures Bumble's pairing; returns the list of numbers that its user compares."""
    compared: list[int] = []
    shown = shown or asyncio.get_running_loop().create_future()
    device.keystore = MemoryKeyStore()
    device.pairing_config_factory = lambda _: PairingConfig(
        sc=is_secure,
        mitm=ability is not Capability.NO_OUTPUT_NO_INPUT,
        bonding=True,
        delegate=User(ability, shown, compared),
    )
    return compared


class TestOurCentral:
    """`eightball ask --pair`, with a display and a keyboard, and Bumble's ball."""

    #: Our user's prompt by Secure Connections and by legacy pairing: Vol 3, Part H, 2.3.5.1.
    PROMPTS = {
        Capability.NO_OUTPUT_NO_INPUT: (None, None),
        Capability.DISPLAY_OUTPUT_ONLY: ("enter", "enter"),
        Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT: ("compare", "enter"),
        Capability.KEYBOARD_INPUT_ONLY: ("passkey", "passkey"),
    }

    @GENERATIONS
    @pytest.mark.parametrize("ability", PROMPTS, ids=lambda ability: ability.name)
    async def test_each_ability(self, air, folder, ability, is_secure):
        shown: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        state = {"XDG_STATE_HOME": str(folder / "state")}
        async with air.ball() as ball:
            compared = configure(ball.device, ability, is_secure, shown)
            stored = asyncio.get_running_loop().create_future()
            ball.device.once(ball.device.EVENT_KEY_STORE_UPDATE, lambda: stored.set_result(None))
            command = [eightball(), "ask", "--pair", "--json", *air.options, QUESTION]
            async with Program(*command, environment=state, has_input=True) as ask:
                kind = self.PROMPTS[ability][0 if is_secure else 1]
                if kind:
                    prompt = await ask.event("prompt", kind=kind)
                    if kind == "enter":
                        async with asyncio.timeout(PATIENCE):
                            ask.type(f"{await shown:06}")
                    elif kind == "compare":
                        ask.type("y")
                    else:
                        shown.set_result(int(prompt["number"]))
                await ask.event("answer", text=ball.text)
                assert await ask.ended() == 0, ask.transcript
                assert len(ask.events("prompt")) == (1 if kind else 0)
                if kind == "compare":
                    assert compared == [int(prompt["number"])]
            assert ball.questions == [QUESTION]
            async with asyncio.timeout(PATIENCE):
                await stored
            ((_, keys),) = await ball.device.keystore.get_all()
            key = keys.ltk or keys.ltk_peripheral or keys.ltk_central
            assert key.authenticated == (kind is not None)

    async def test_no_ends_the_pairing(self, air, folder):
        state = {"XDG_STATE_HOME": str(folder / "state")}
        async with air.ball() as ball:
            configure(ball.device, Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
            command = [eightball(), "ask", "--pair", "--json", *air.options, QUESTION]
            async with Program(*command, environment=state, has_input=True) as ask:
                await ask.event("prompt", kind="compare")
                ask.type("n")
                assert await ask.ended() != 0
            assert ball.questions == []
            assert await ball.device.keystore.get_all() == []

    async def test_a_ball_without_the_key_is_an_error_with_a_remedy(self, air, folder):
        state = {"XDG_STATE_HOME": str(folder / "state")}
        async with air.ball() as ball:
            configure(ball.device, Capability.NO_OUTPUT_NO_INPUT)
            command = [eightball(), "ask", *air.options[:2], QUESTION]
            async with Program(*command, "--pair", environment=state) as ask:
                assert await ask.ended() == 0, ask.transcript
            ball.device.keystore = MemoryKeyStore()
            links = []
            ball.device.on(ball.device.EVENT_CONNECTION, links.append)
            async with Program(*command, environment=state) as ask:
                assert await ask.ended() == 1, ask.transcript
                assert "eightball bonds --of-ask --remove all" in ask.errors[-1]
            assert len(links) == 1
            assert ball.questions == [QUESTION]


class TestOurPeripheral:
    """`eightball run --security authenticated`, with a display and yes or no, and Bumble's central."""

    #: Our user's prompt; "refused" where the key cannot be authenticated.
    PROMPTS = {
        Capability.NO_OUTPUT_NO_INPUT: ("refused", "refused"),
        Capability.DISPLAY_OUTPUT_ONLY: ("refused", "refused"),
        Capability.DISPLAY_OUTPUT_AND_YES_NO_INPUT: ("compare", "refused"),
        Capability.KEYBOARD_INPUT_ONLY: ("passkey", "passkey"),
        Capability.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT: ("compare", "passkey"),
    }

    @GENERATIONS
    @pytest.mark.parametrize("ability", PROMPTS, ids=lambda ability: ability.name)
    async def test_each_ability(self, air, folder, ability, is_secure):
        shown: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        capture = folder / "pairing.btsnoop"
        options = [*air.options, "--security", "authenticated", "--capture", str(capture)]
        async with guarded_ball(folder, options) as terminal, air.central() as central:
            compared = configure(central.device, ability, is_secure, shown)
            visit = await central.visit()
            connection = visit.connection
            pairing = asyncio.create_task(connection.pair())
            kind = self.PROMPTS[ability][0 if is_secure else 1]
            if kind == "refused":
                with pytest.raises(Exception):
                    async with asyncio.timeout(PATIENCE):
                        await pairing
                assert not connection.is_encrypted
            else:
                if kind == "compare":
                    await terminal.shows("? [y]es [n]o")
                    terminal.type("y")
                else:
                    await terminal.shows("Enter")
                    number = await terminal.digits()
                    shown.set_result(number)
                async with asyncio.timeout(PATIENCE):
                    await pairing
                assert connection.is_encrypted
                await visit.subscribe()
                await visit.ask(QUESTION)
                await visit.next_answer()
                if kind == "compare":
                    assert len(compared) == 1
            await visit.disconnect()
        seen = DHKEY_CHECK if is_secure else CONFIRM
        code = PAIRING_FAILED if kind == "refused" else seen
        await check_capture(capture, code, allows_events=isinstance(air, BumblesAir))


@contextlib.asynccontextmanager
async def guarded_ball(folder, options: list[str]):
    """A ball on a terminal without bonds, which pairs for a minute."""
    environment = {
        "EIGHTBALL_CONTROL": str(folder / "control"),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    with Terminal(environment) as terminal:
        command = " ".join([eightball(), "run", "--board", "virtual", *options])
        await terminal.obeys(command, "Advertising as")
        await terminal.shows("[q]uit")
        yield terminal
        terminal.type("q")
        await terminal.shows("ready> ")


async def check_capture(capture, code: str, allows_events: bool) -> None:
    """tshark decodes the pairing, and finds no malformed packet."""
    if shutil.which("tshark"):
        opcodes = {row[0] for row in await read_capture(capture, "btsmp.opcode")}
        assert {PAIRING_REQUEST, code} <= opcodes, opcodes
        # Bumble's controllers send events that are too short.
        malformed = await read_capture(capture, "_ws.malformed")
        assert all("HCI_EVT" in row[0] for row in malformed) if allows_events else malformed == []
