"""Checks that the manual page has every option, radio and status of the help.

usage: eightballd --help | manual_eightballd.py eightballd.8
"""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    # Removes the requests and fonts of roff, and leaves words with single spaces.
    page = re.sub(r"^\.\w+ ?|\\f[BIR]|\\&", "", file.read(), flags=re.MULTILINE).replace("\\-", "-")
page = " ".join(page.split())
rows = [line for line in sys.stdin.read().partition("OPTIONS:")[2].splitlines() if line.startswith("  ")]
missing = [
    text
    for row in rows
    for text in re.split(r"  +", row.replace("<", "").replace(">", "").strip())
    if " ".join(text.split()) not in page
]
if not rows or missing:
    sys.exit(f"The manual of eightballd lacks: {'; '.join(missing) or 'everything'}")
print(f"The manual of eightballd has all {len(rows)} lines of its help.")
