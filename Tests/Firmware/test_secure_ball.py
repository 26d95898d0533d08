"""The ball with security on a microcontroller: who may ask it, and what it needs of the machine."""

import asyncio
import contextlib
import struct

import pytest
import eight_ball
import worlds
from central import Central, Visit
from machine import Machine, program_memory, sections, symbol
from pairing import PairingHosts
from programs import PATIENCE

#: Core Specification, Vol 3, Part F, 3.4.1.1.
INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION = 0x05, 0x0F
#: Core Specification, Vol 3, Part H, 3.5.5.
PAIRING_NOT_SUPPORTED = 0x05

#: The limits in bytes: program memory with the drivers and the texts, RAM with the stack.
CODE_LIMIT, RAM_LIMIT = 75_000, 20_480
#: The content of the stack before the ball starts.
PAINT = 0x5AFE5AFE

GENERATIONS = pytest.mark.parametrize(
    "is_secure", [True, False], ids=["secure-connections", "legacy"]
)


class SecureBall:
    """The ball in QEMU, and a Bumble central that stores its keys."""

    def __init__(self, machine: Machine, hosts: PairingHosts):
        self.machine, self.hosts = machine, hosts
        self._central = Central(hosts.central)

    @staticmethod
    @contextlib.asynccontextmanager
    async def opened(elf, folder, *options: str):
        """Both on our virtual air; the ball advertises, and its first pairing is open."""
        listen = f"tcp-server:127.0.0.1:{worlds.free_port()}"
        async with (
            worlds.our_air(folder, listen) as (radio, _),
            Machine(elf, folder, radio, *options) as machine,
            PairingHosts.on(radio) as hosts,
        ):
            await machine.says("Pairing is open for 60 s.")
            await machine.says("Advertising as “Magic 8-Ball”")
            yield SecureBall(machine, hosts)

    async def visit(self) -> Visit:
        """An unencrypted link."""
        return await self._central.visit(mtu=517)

    async def pair(self, visit: Visit) -> None:
        """Pairs, until both sides have stored the keys."""
        kept = asyncio.get_running_loop().create_future()
        device = self.hosts.central
        device.once(device.EVENT_KEY_STORE_UPDATE, lambda: kept.set_result(None))
        # The processor in QEMU is slow at the curve.
        async with asyncio.timeout(2 * PATIENCE):
            await visit.connection.pair()
            await kept
        await self.machine.says("Paired with")


async def is_answered(visit: Visit) -> None:
    """Checks that a question is answered, by reading and by notification."""
    await visit.subscribe()
    await visit.ask("Is it safe?")
    answer = await visit.next_answer()
    assert answer in eight_ball.TEXTS
    assert await visit.read_answer() == answer


@pytest.mark.timeout(180)
@GENERATIONS
async def test_it_pairs_and_its_bond_encrypts_later_links(secure_elf, folder, is_secure):
    async with SecureBall.opened(secure_elf, folder) as ball:
        ball.hosts.configure(is_secure)
        visit = await ball.visit()
        assert await visit.refusal_of("Is it safe?") == INSUFFICIENT_AUTHENTICATION
        await ball.pair(visit)
        assert visit.connection.is_encrypted and visit.connection.sc == is_secure
        await is_answered(visit)
        await visit.disconnect()
        for _ in range(2):
            visit = await ball.visit()
            # There is a key, and the link does not use it yet.
            assert await visit.refusal_of("Is it safe?") == INSUFFICIENT_ENCRYPTION
            async with asyncio.timeout(PATIENCE):
                await visit.connection.encrypt()
            await is_answered(visit)
            await visit.disconnect()


@pytest.mark.timeout(240)
async def test_nobody_pairs_while_pairing_is_closed(secure_elf, folder):
    async with SecureBall.opened(secure_elf, folder) as ball:
        ball.hosts.configure()
        visit = await ball.visit()
        await ball.machine.says("Pairing is closed.", patience=90)
        with pytest.raises(Exception) as refused:
            async with asyncio.timeout(PATIENCE):
                await visit.connection.pair()
        assert refused.value.error_code == PAIRING_NOT_SUPPORTED
        # Shake held for 3 s opens pairing again.
        await ball.machine.press("shake")
        await ball.machine.press("shake", seconds=3.5)
        await ball.machine.says("Pairing is open for 60 s.")
        await ball.pair(visit)
        await is_answered(visit)


def test_program_memory_is_within_its_limit(secure_elf):
    code = program_memory(secure_elf)
    print(f"{secure_elf.parent.name}: {code:,} bytes of program memory")
    assert code <= CODE_LIMIT


@pytest.mark.timeout(180)
@GENERATIONS
async def test_ram_is_within_its_limit(secure_elf, folder, is_secure):
    bottom, top = symbol(secure_elf, "stack_bottom"), symbol(secure_elf, "stack_top")
    paint = folder / "paint"
    paint.write_bytes(struct.pack("<I", PAINT) * ((top - bottom) // 4))
    loader = f"loader,file={paint},addr={bottom:#x},force-raw=on"
    async with SecureBall.opened(secure_elf, folder, "-device", loader) as ball:
        ball.hosts.configure(is_secure)
        await ball.machine.press("shake")
        await ball.machine.press("clear")
        for number in range(2):
            if number > 0:
                # The first pairing has closed it.
                await ball.machine.press("shake", seconds=3.5)
                await ball.machine.says("Pairing is open for 60 s.")
            visit = await ball.visit()
            await ball.pair(visit)
            await is_answered(visit)
            await visit.ask(eight_ball.question_of_length(480))
            await ball.machine.press("shake")
            await visit.disconnect()
        words = struct.unpack(
            f"<{(top - bottom) // 4}I", await ball.machine.memory(bottom, top - bottom)
        )
    untouched = next(index for index, word in enumerate(words) if word != PAINT)
    stack = top - bottom - 4 * untouched
    variables = sum(sections(secure_elf)[name] for name in (".data", ".bss"))
    print(f"{secure_elf.parent.name}: {variables:,} bytes of variables and {stack:,} of stack")
    assert untouched > 0, "The stack is too small."
    assert variables + stack <= RAM_LIMIT
