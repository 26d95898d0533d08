"""Is every command and every option of the help in the manual page?

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
    sys.exit(f"The manual does not tell of: {', '.join(missing)}")
print(f"The manual tells of {len(program['subcommands']) - 1} commands and all of their options.")
