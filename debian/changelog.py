"""Writes a Debian changelog from CHANGELOG.md: the entry of one version.

usage: changelog.py VERSION MAINTAINER SECONDS <CHANGELOG.md
"""

import email.utils
import re
import sys
import textwrap

version, maintainer, seconds = sys.argv[1:]
match = re.search(
    rf"^## \[{re.escape(version)}\].*?\n(.*?)(?=^## |\Z)", sys.stdin.read(), re.DOTALL | re.MULTILINE
)
if not match:
    sys.exit(f"CHANGELOG.md has no section for version {version}")
print(f"eightball ({version}) stable; urgency=medium\n")
for item in re.findall(r"^- (.*?)(?=^- |^#|^$|\Z)", match[1], re.DOTALL | re.MULTILINE):
    text = " ".join(item.split()).replace("`", "")
    print(textwrap.fill(text, 78, initial_indent="  * ", subsequent_indent="    "))
print(f"\n -- {maintainer}  {email.utils.formatdate(int(seconds))}")
