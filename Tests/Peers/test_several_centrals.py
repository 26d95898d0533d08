"""Four centrals at once; the fifth waits until one disconnects."""

import asyncio

import eight_ball

PLACES = 4


async def test_four_at_once_each_with_its_own_question(ours):
    visits = []
    for _ in range(PLACES):
        visit = await (await ours.central()).visit(mtu=517)
        await visit.subscribe()
        visits.append(visit)
    for round_number in range(5):
        questions = [f"{round_number}: who is number {n}?" for n in range(PLACES)]
        await asyncio.gather(*(v.ask(q) for v, q in zip(visits, questions)))
        answers = await asyncio.gather(*(v.next_answer() for v in visits))
        reads = await asyncio.gather(*(v.read_answer() for v in visits))
        assert reads == answers
        assert set(answers) <= set(eight_ball.TEXTS)
    assert all(visit.answers.empty() for visit in visits)
    heard = [await ours.ball.event("question") for _ in range(5 * PLACES)]
    assert len({(event["central"], event["text"]) for event in heard}) == 5 * PLACES


async def test_a_fifth_central_finds_the_ball_when_one_has_left(ours):
    visits = [await (await ours.central()).visit() for _ in range(PLACES)]
    fifth = await ours.central()
    assert await fifth.finds_within(0.5) == []
    await visits[2].disconnect()
    late = await fifth.visit()
    await late.subscribe()
    await late.ask("Am I too late?")
    await late.next_answer()
    assert await late.read_answer() in eight_ball.TEXTS
