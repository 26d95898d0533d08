"""Questions and answers in docs/ask.html, and texts that are not questions."""

import eight_ball
from programs import REPOSITORY

# Answers


async def test_a_question_is_answered(asking):
    async with asking(width=340, height=590) as it:
        await it.connect()
        assert await it.ask("Will it rain?") in eight_ball.TEXTS
        assert await it.page.text("#asked") == "“Will it rain?”"
        assert await it.has_no_error()
        assert it.bridge.carried[:2] == [
            f"subscribe-to-notifications {eight_ball.ANSWER}",
            f"write {eight_ball.QUESTION}",
        ]
        # The picture of docs/ask.md.
        await it.page.evaluate("part.question.blur(), scrollTo(0, 0)")
        await it.page.photograph("ask", document=REPOSITORY / "docs" / "ask.png")


async def test_each_question_has_its_answer_by_mouse_and_by_keyboard(asking):
    async with asking() as it:
        await it.connect()
        for number in range(3):
            await it.page.type("#question", f"Question {number}?")
            await it.page.click("#ask")
            await it.answered()
        assert await it.ask("And by keyboard?") in eight_ball.TEXTS


async def test_a_long_answer_comes_whole_at_the_least_mtu(asking):
    # With this seed one of the four answers has more bytes than the 20 that a notification holds.
    async with asking("--seed", "2", mtu=None) as it:
        await it.connect()
        answers = []
        for number in range(4):
            answers.append(await it.ask(f"Question {number}?"))
            # The event of the read does not count as another answer.
            await it.page.evaluate("bridge.idle()")
            assert await it.page.text("#asked") == f"“Question {number}?”"
        assert max(len(answer.encode()) for answer in answers) > 20, answers
        assert max(len(value) for value in it.bridge.notifications) == 20
        # The page reads only answers that may be cut.
        cut = [value for value in it.bridge.notifications if len(value) == 20]
        assert it.bridge.carried.count(f"read {eight_ball.ANSWER}") == len(cut)


async def test_a_long_question_comes_whole(asking):
    async with asking() as it:
        await it.connect()
        assert await it.ask(eight_ball.question_of_length(512)) in eight_ball.TEXTS


async def test_question_marks_of_other_scripts_are_accepted(asking):
    async with asking() as it:
        await it.connect()
        for words, mark in (("本当", "？"), ("أحقا", "؟")):
            await it.write(f"  {words}{mark} ")
            assert (await it.ball.event("question"))["text"] == f"{words}?"
            await it.answered()


async def test_slugs_are_shown_as_texts(asking):
    async with asking("--answers", "slugs") as it:
        await it.connect()
        await it.write("In which words?")
        await it.page.until("part.answer.textContent", "an answer")
        slug = it.bridge.notifications[0].decode()
        assert await it.page.text("#answer") == eight_ball.TEXTS[eight_ball.SLUGS.index(slug)]


async def test_a_shake_of_the_ball_brings_a_new_answer(asking):
    async with asking() as it:
        await it.connect()
        await it.ask("Does shaking help?")
        await it.press("shake", "--hold", "200ms")
        await it.page.until_text("#asked", "The ball was shaken.")
        assert await it.answered() in eight_ball.TEXTS


# Texts that are not questions


async def test_a_text_that_is_not_a_question_is_explained_and_not_sent(asking):
    async with asking() as it:
        await it.connect()
        for typed, explained in (
            ("It will rain.", "end it with “?”"),
            ("   ", "There is no question yet."),
            (eight_ball.question_of_length(513), "This one has 513"),
            # 170 letters of 3 bytes, and 4 of 1.
            ("雨" * 170 + " or?", "This one has 514"),
        ):
            await it.write(typed)
            await it.error(explained)
            assert await it.page.evaluate("document.activeElement.id") == "question"
        # The next question is answered, and removes the explanation.
        assert await it.ask("And now?") in eight_ball.TEXTS
        assert await it.has_no_error()
        assert it.bridge.carried.count(f"write {eight_ball.QUESTION}") == 1


async def test_a_refusal_of_the_ball_is_explained(asking):
    async with asking() as it:
        await it.connect()
        it.bridge.alter = lambda value: b"\xff" + value
        await it.write("Is this text?")
        await it.error("The ball refused the question.")
        assert f"error {eight_ball.NOT_TEXT:#04x}" in it.bridge.carried
        it.bridge.alter = lambda value: value
        assert await it.ask("And this?") in eight_ball.TEXTS


async def test_no_answer_in_10_s_is_explained_and_a_late_one_still_shown(asking):
    async with asking() as it:
        await it.connect()
        it.bridge.delivers = False
        await it.write("Are you there?")
        await it.ball.event("answer")
        await it.bridge.heard(1)
        await it.page.evaluate("timers.pass(9_999)")
        assert await it.has_no_error()
        await it.page.evaluate("timers.pass(1)")
        await it.error("has not answered in 10 seconds")
        it.bridge.delivers = True
        await it.press("shake")
        await it.answered()
        assert await it.page.text("#asked") == "“Are you there?”"
        assert await it.has_no_error()
