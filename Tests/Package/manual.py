"""Checks that the manual page has every command and every option of the help.

usage: eightball --experimental-dump-help | manual.py eightball.1
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    page = file.read().replace("\\-", "-")
program = json.load(sys.stdin)["command"]
missing = []
for command in program["subcommands"]:
    if command["commandName"] == "help":
        continue
    title = f".SS eightball {command['commandName']}\n"
    # A command's part of the page, up to the next one.
    part = page.partition(title)[2].partition("\n.S")[0]
    if not part:
        missing.append(command["commandName"])
    for argument in command.get("arguments", []):
        name = argument.get("valueName")
        if argument["kind"] != "positional":
            name = f"--{argument['preferredName']['name']}"
        if argument["shouldDisplay"] and name not in part and name not in ("--help", "--version"):
            missing.append(f"{command['commandName']} {name}")
if missing:
    sys.exit(f"The manual lacks: {', '.join(missing)}. Add them to debian/manual.py.")
print(f"The manual has all {len(program['subcommands']) - 1} commands and their options.")
