"""Writes the manual page eightballd(8) from the program's own help.

usage: eightballd --help | manual_eightballd.py VERSION DATE >eightballd.8
"""

import re
import sys

from manual import bold, escaped, italic

FILES = [
    ("/etc/default/eightball", "The options with which the service is started."),
    ("eightball.service", "The service: its user, and its rights."),
    ("/var/lib/eightball/ball.bonds", "The bonds of the service."),
    ("/run/eightball/control.sock", "The socket at which programs listen to the service."),
]


def sections(text: str) -> dict[str, list[str]]:
    """The lines below each heading in capitals, by the heading; those on its own line come first."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        heading = re.match(r"([A-Z][A-Z ]+):? *(.*)$", line)
        if heading and (line.isupper() or ":" in line.split(" ")[0]):
            lines = found[heading[1]] = [heading[2]] if heading[2] else []
        else:
            lines.append(line)
    return found


def paragraphs(lines: list[str]) -> list[str]:
    """What each paragraph says, on one line."""
    return [" ".join(block.split()) for block in "\n".join(lines).split("\n\n") if block.strip()]


def entries(lines: list[str]) -> list[tuple[str, str]]:
    """Terms and their meanings, from lines in two columns."""
    found: list[tuple[str, str]] = []
    for line in filter(str.strip, lines):
        # A long term that is not an option has one space behind it.
        term, _, meaning = line.strip().partition("  " if "  " in line.strip() or "-" == line.strip()[0] else " ")
        if line.startswith("   "):  # The meaning goes on.
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}".strip())
        else:
            found.append((term, meaning.strip()))
    return found


def spelling(term: str) -> str:
    """An option as the page has it: --name <name> is --name in bold, name in italics."""
    name, _, value = term.partition(" [<")
    if value:  # It may be left out.
        return f"{bold(name)} [{italic(value.rstrip('>]'))}]"
    name, _, value = term.partition(" <")
    return bold(name) + (" " + italic(value.rstrip(">")) if value else "")


def list_of(lines: list[str], write) -> list[str]:
    return [row for term, meaning in entries(lines) for row in (".TP", write(term), escaped(meaning))]


def page(text: str, version: str, date: str) -> list[str]:
    parts = sections(text)
    overview = paragraphs(parts["OVERVIEW"])
    about = overview[0].partition(":")[0]
    lines = [f'.TH EIGHTBALLD 8 {date} "eightballd {version}" "System Administration"']
    lines += [".SH NAME", f"eightballd \\- {escaped(about)}"]
    lines += [".SH SYNOPSIS", f"{bold('eightballd')} [{italic('options')}]"]
    lines += [".SH DESCRIPTION", escaped(overview[0])]
    for paragraph in overview[1:]:
        lines += [".PP", escaped(paragraph)]
    lines += [".SH OPTIONS", *list_of(parts["OPTIONS"], spelling)]
    for title, rows in parts.items():
        if title not in ("OVERVIEW", "USAGE", "OPTIONS"):
            lines += [f".SH {title}", *list_of(rows, bold)]
    lines += [".SH FILES"]
    for path, what in FILES:
        lines += [".TP", italic(path), what]
    return [*lines, ".SH SEE ALSO", ".BR eightball (1),", ".BR journalctl (1),", ".BR systemctl (1)"]


if __name__ == "__main__":
    print("\n".join(page(sys.stdin.read(), *sys.argv[1:])))
