"""Writes the manual page eightball(1) from the program's own help.

usage: eightball --experimental-dump-help | manual.py VERSION DATE >eightball.1
"""

import json
import re
import sys


def escaped(text: str) -> str:
    """The text as roff has it: a hyphen that can be copied, no escapes, no requests."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def bold(text: str) -> str:
    return f"\\fB{escaped(text)}\\fR"


def italic(text: str) -> str:
    return f"\\fI{escaped(text)}\\fR"


def prose(text: str) -> list[str]:
    """Formats paragraphs; indented blocks stay as they are."""
    lines: list[str] = []
    if not text.strip():
        return lines
    for block in text.strip("\n").split("\n\n"):
        rows = block.split("\n")
        if all(row.startswith("  ") for row in rows):
            lines += [".PP", ".RS 4", ".nf", *(escaped(row[2:]) for row in rows), ".fi", ".RE"]
        else:
            lines += [".PP", escaped(" ".join(row.strip() for row in rows))]
    return lines


def section(title: str, text: str) -> list[str]:
    """A section, whose first paragraph needs no request of its own."""
    lines = prose(text)
    return [f".SH {title}", *(lines[1:] if lines[:1] == [".PP"] else lines)]


def sections(discussion: str) -> list[tuple[str, str]]:
    """Splits the discussion at its headings in capitals; the part before the first has an empty title."""
    parts = re.split(r"^([A-Z][A-Z ]+)\n", discussion, flags=re.MULTILINE)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2])]


def spelling(argument: dict) -> str:
    """How an argument is written: --radio radio, [--json], question."""
    if argument["kind"] == "positional":
        return italic(argument["valueName"])
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    text = ", ".join(bold(name) for name in names)
    return text + (" " + italic(argument["valueName"]) if argument["kind"] == "option" else "")


def options(command: dict) -> list[str]:
    lines = []
    for argument in command.get("arguments", []):
        # Every command has them; the page names them once.
        if not argument["shouldDisplay"] or argument.get("valueName") in ("version", "help"):
            continue
        default = argument.get("defaultValue")
        about = argument.get("abstract", "") + (f" Default: {default}." if default else "")
        lines += [".TP", spelling(argument), escaped(about)]
    return lines


def synopsis(command: dict, path: str) -> str:
    words = [bold(path)]
    arguments = [one for one in command.get("arguments", []) if one["shouldDisplay"]]
    if any(one["kind"] != "positional" for one in arguments):
        words.append("[" + italic("options") + "]")
    for one in arguments:
        if one["kind"] == "positional":
            words.append("[" + spelling(one) + "]" if one["isOptional"] else spelling(one))
    return " ".join(words)


def page(program: dict, version: str, date: str) -> list[str]:
    name = program["commandName"]
    commands = [one for one in program["subcommands"] if one["commandName"] != "help"]
    about = program["abstract"].rstrip(".")
    lines = [f'.TH {name.upper()} 1 {date} "{name} {version}" "User Commands"']
    lines += [".SH NAME", f"{name} \\- {escaped(about)}", ".SH SYNOPSIS"]
    for command in commands:
        lines += [synopsis(command, f"{name} {command['commandName']}"), ".br"]
    lines += [f"{bold(name)} {bold('help')} [{italic('command')}]"]

    beginning, *rest = sections(program["discussion"])
    lines += section("DESCRIPTION", beginning[1])
    lines += [".SH COMMANDS", f"Each command takes {bold('--help')}; {bold(name + ' --version')} prints the version."]
    for command in commands:
        lines += [f".SS {name} {command['commandName']}", escaped(command["abstract"])]
        parts = sections(command.get("discussion", ""))
        lines += prose(parts[0][1])
        lines += options(command)
        for title, text in parts[1:]:
            lines += [".PP", bold(title.capitalize() + ":"), *prose(text)]
    for title, text in rest:
        lines += section(title, text)
    lines += [".SH SEE ALSO", ".BR btmon (1),", ".BR eightballd (8)"]
    return lines


if __name__ == "__main__":
    print("\n".join(page(json.load(sys.stdin)["command"], *sys.argv[1:])))
