"""Pictures of terminals as SVG, from what programs print."""

import html
import os
import pathlib

from programs import REPOSITORY

#: Sizes in pixels: of a character, of a line, and of the space around the text.
CHARACTER, LINE, MARGIN, TITLE = 8.4, 20, 16, 30
STYLE = """
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d6dae0; white-space: pre }
.window { fill: #14181d; stroke: #39424e }
.title { fill: #8b95a3; font-weight: bold }
.command { fill: #ffffff; font-weight: bold }
@media (prefers-reduced-motion: no-preference) {
  .late { opacity: 0; animation: appear 0.2s forwards }
  @keyframes appear { to { opacity: 1 } }
}
"""


class Pane:
    """A window of a terminal, and the lines that appear in it, each with its time in seconds; 0 is at once."""

    def __init__(self, title: str):
        self.title = title
        self.lines: list[tuple[float, str]] = []

    def shows(self, text: str, time: float = 0, pause: float = 0) -> None:
        """Adds lines. The first appears at the time, each of the others a pause after the one before."""
        for number, line in enumerate(text.splitlines()):
            self.lines.append((time + number * pause, line))


def drawing(*panes: Pane) -> str:
    """The panes one below the other, as an SVG document."""
    columns = max(len(line) for pane in panes for _, line in pane.lines)
    width = round(columns * CHARACTER + 2 * MARGIN)
    top, parts = 0, []
    for pane in panes:
        height = TITLE + len(pane.lines) * LINE + MARGIN
        parts.append(f'<rect class="window" x=".5" y="{top}.5" width="{width - 1}" height="{height}" rx="8"/>')
        parts.append(f'<text class="title" x="{MARGIN}" y="{top + 21}">{html.escape(pane.title)}</text>')
        for number, (time, line) in enumerate(pane.lines, start=1):
            kinds = ["command"] * line.startswith("$ ") + ["late"] * (time > 0)
            attributes = f' class="{" ".join(kinds)}"' if kinds else ""
            if time > 0:
                attributes += f' style="animation-delay: {time:.1f}s"'
            place = f'x="{MARGIN}" y="{top + TITLE + number * LINE - 4}"'
            parts.append(f"<text {place}{attributes}>{html.escape(line, quote=False)}</text>")
        top += height + LINE // 2
    size = f'viewBox="0 0 {width} {top - LINE // 2 + 1}" width="{width}"'
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n{body}\n</svg>\n'


def is_picture(name: str, document: str) -> bool:
    """Whether a file of docs/ is this picture; renews it first if EIGHTBALL_KEEP_PICTURES is set."""
    path: pathlib.Path = REPOSITORY / "docs" / name
    if os.environ.get("EIGHTBALL_KEEP_PICTURES"):
        path.write_text(document)
    return path.exists() and path.read_text() == document
