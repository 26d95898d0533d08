"""Every ball is found, asked and answers."""

import pytest

import eight_ball


async def test_is_found_by_its_service_and_name(world):
    finding = await (await world.central()).find()
    assert finding.services == [eight_ball.SERVICE]
    assert finding.name == world.name


async def test_subscribe_then_ask(world):
    visit = await (await world.central()).visit(mtu=517)
    await visit.subscribe()
    await visit.ask("Will it rain?")
    answer = await visit.next_answer()
    assert answer in eight_ball.TEXTS
    assert await visit.read_answer() == answer


async def test_ask_then_subscribe(world):
    visit = await (await world.central()).visit(mtu=517)
    await visit.ask("Did you hear me?")
    assert visit.answers.empty()
    await visit.subscribe()
    assert await visit.next_answer() in eight_ball.TEXTS


async def test_each_question_has_its_answer(world):
    visit = await (await world.central()).visit(mtu=517)
    await visit.subscribe()
    for number in range(20):
        await visit.ask(f"Question {number}?")
        assert await visit.next_answer() in eight_ball.TEXTS
    assert visit.answers.empty()


async def test_answer_is_empty_before_the_first_question(world):
    visit = await (await world.central()).visit()
    assert await visit.read_answer() == ""


async def test_refuses_what_is_no_question(world):
    visit = await (await world.central()).visit(mtu=517)
    await visit.subscribe()
    for question, error in [
        ("It will rain.", eight_ball.NOT_A_QUESTION),
        ("", eight_ball.NOT_A_QUESTION),
        # A blank after the mark.
        ("Will it rain? ", eight_ball.NOT_A_QUESTION),
        (b"\xff\xfe?", eight_ball.NOT_TEXT),
        (b"Cut short: \xe2\x80", eight_ball.NOT_TEXT),
    ]:
        assert await visit.refusal_of(question) == error, question
        await visit.ask("And now?")
        assert await visit.next_answer() in eight_ball.TEXTS
    assert visit.answers.empty()


@pytest.mark.parametrize("mtu", [None, 517], ids=["mtu-23", "mtu-517"])
async def test_a_question_of_any_length(world, mtu):
    # 23 - 3 (opcode, handle) = 20 bytes fit one write; more need a long write. With an MTU of
    # 517, all 512 fit.
    visit = await (await world.central()).visit(mtu=mtu)
    await visit.subscribe()
    for length in (1, 20, 21, 511, 512):
        await visit.ask(eight_ball.question_of_length(length))
        answer = await visit.next_answer()
        # A notification carries at most MTU - 3 bytes; a read gives the rest.
        whole = await visit.read_answer()
        assert whole in eight_ball.TEXTS, length
        assert whole.encode().startswith(answer.encode())


async def test_asks_without_a_response(world):
    visit = await (await world.central()).visit(mtu=517)
    await visit.subscribe()
    await visit.question.write_value("Are you there?".encode(), with_response=False)
    assert await visit.next_answer() in eight_ball.TEXTS


async def test_a_statement_without_a_response_is_dropped(world):
    visit = await (await world.central()).visit(mtu=517)
    await visit.subscribe()
    await visit.question.write_value("I am here.".encode(), with_response=False)
    await visit.ask("Are you there?")
    assert await visit.next_answer() in eight_ball.TEXTS
    assert visit.answers.empty()


async def test_no_answer_after_unsubscribing(world):
    visit = await (await world.central()).visit(mtu=517)
    await visit.subscribe()
    await visit.unsubscribe()
    await visit.ask("Can you keep a secret?")
    assert await visit.read_answer() in ("", *eight_ball.TEXTS)
    assert visit.answers.empty()


async def test_two_centrals_do_not_hear_each_other(world):
    world.requires_capacity(2)
    first = await (await world.central()).visit(mtu=517)
    await first.subscribe()
    second = await (await world.central()).visit(mtu=517)
    await second.subscribe()
    await first.ask("Is this for me?")
    answer = await first.next_answer()
    assert await second.read_answer() == ""
    assert second.answers.empty()
    await second.ask("And this for me?")
    await second.next_answer()
    assert await first.read_answer() == answer
    assert first.answers.empty()


async def test_comes_back_after_every_disconnection(world):
    central = await world.central()
    for _ in range(10):
        visit = await central.visit()
        if world.forgets:
            assert await visit.read_answer() == ""
        await visit.subscribe()
        await visit.ask("Me again?")
        await visit.next_answer()
        await visit.disconnect()
