"""docs/ask.html as a file: its policy, its texts and its UUIDs."""

import re

import eight_ball
import policy
import programs

SOURCES = programs.REPOSITORY / "Sources" / "EightBall"
PAGE = policy.PAGE.read_text()


def test_the_policy_matches_the_script_and_the_style():
    assert policy.written(PAGE) == policy.of(PAGE), (
        "The page was changed. Update its policy: python3 Tests/Browser/policy.py"
    )


def test_one_changed_letter_changes_the_policy():
    assert policy.of(PAGE.replace('"use strict"', '"use Strict"')) != policy.of(PAGE)
    assert policy.of(PAGE.replace("margin: 0", "margin: 1")) != policy.of(PAGE)


def test_the_page_loads_nothing_from_other_hosts():
    # The one address of another host is a name in XML, not a link.
    addresses = set(re.findall(r"https?://[\w.-]+", PAGE))
    assert addresses == {"http://localhost.", "http://www.w3.org"}
    assert not re.findall(r"\b(?:src|srcset|action|@import)\s*=", PAGE)


def test_its_answers_are_those_of_the_source():
    answers = re.findall(r'^    (?:case \d+|default): "(.*)"$', _source("Answer"), re.MULTILINE)
    listed = re.search(r"const ANSWERS = \[(.*?)\];", PAGE, re.DOTALL)
    assert len(answers) == 20
    assert re.findall(r'"(.*)",', listed[1]) == answers == list(eight_ball.TEXTS)


def test_its_identifiers_are_those_of_the_profile():
    profile = (programs.REPOSITORY / "docs" / "gatt-profile.md").read_text()
    for name, row in (("SERVICE", "service"), ("QUESTION", "Question"), ("ANSWER", "Answer")):
        (uuid,) = re.findall(rf'const {name} = "(.*)";', PAGE)
        assert f"| {row} | `{uuid.upper()}` |" in profile


def _source(name: str) -> str:
    return (SOURCES / f"{name}.swift").read_text()
