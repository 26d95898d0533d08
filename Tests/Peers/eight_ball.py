"""The GATT profile of a Magic 8-Ball, as a peer sees it."""

from bumble.core import UUID

SERVICE = UUID("8E38140A-27BE-4090-8955-4FC4B5698D1E")
QUESTION = UUID("BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
ANSWER = UUID("349A0D7B-6215-4E2C-A095-AF078D737445")

#: ATT errors that a question can meet.
NOT_A_QUESTION = 0x0E
NOT_TEXT = 0x80

#: The longest value of any attribute (Core Specification, Vol 3, Part F, 3.2.9).
LONGEST_VALUE = 512

TEXTS = (
    "It is certain.",
    "It is decidedly so.",
    "Without a doubt.",
    "Yes – definitely.",
    "You may rely on it.",
    "As I see it, yes.",
    "Most likely.",
    "Outlook good.",
    "Yes.",
    "Signs point to yes.",
    "Reply hazy, try again.",
    "Ask again later.",
    "Better not tell you now.",
    "Cannot predict now.",
    "Concentrate and ask again.",
    "Don’t count on it.",
    "My reply is no.",
    "My sources say no.",
    "Outlook not so good.",
    "Very doubtful.",
)

SLUGS = tuple(f"SLUG-ANSWER-{number:02d}" for number in range(20))


def question_of_length(length: int) -> str:
    """A question of `length` bytes, which any lost or moved byte changes."""
    words = " ".join(f"w{number}" for number in range(length))
    return words[: length - 1] + "?"
