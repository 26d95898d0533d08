"""The Content Security Policy of docs/ask.html: its one script and its one style, by their hashes.

As a program, it updates the policy in the page: python3 Tests/Browser/policy.py.
"""

import base64
import hashlib
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "ask.html"
WRITTEN = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=")([^"]*)(">)')


def of(page: str) -> str:
    """The policy that a page should have: only its own script and style, and no other address."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash_of('script', page)}",
            f"style-src {_hash_of('style', page)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        ]
    )


def written(page: str) -> str:
    """The policy that a page has."""
    (policy,) = WRITTEN.findall(page)
    return policy[1]


def renewed(page: str) -> str:
    """The page with the policy that it should have."""
    return WRITTEN.sub(rf"\g<1>{of(page)}\g<3>", page)


def _hash_of(element: str, page: str) -> str:
    # Browsers hash the bytes between the tags.
    (text,) = re.findall(f"<{element}>(.*?)</{element}>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
