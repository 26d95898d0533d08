"""What a terminal shows of a program's output: enough of ECMA-48 and xterm for `eightball run`."""

import re

#: A control sequence, or another character.
TOKEN = re.compile(r"\x1b\[\??([0-9;]*)([@-~])|(.)", re.DOTALL)


class Screen:
    """The rows of a terminal, with those that have left it at the top. A new size moves nothing, as with xterm."""

    def __init__(self, rows: int, columns: int):
        self.rows, self.columns = rows, columns
        self._lines: list[list[str]] = [[]]
        self._row = self._column = 0
        self._rest = ""

    @property
    def lines(self) -> list[str]:
        """All rows, without blanks at their ends and without empty rows at the end."""
        text = "\n".join("".join(line).rstrip() for line in self._lines)
        return text.rstrip("\n").split("\n")

    def write(self, text: str) -> None:
        text = self._rest + text
        # The beginning of a sequence waits for its end.
        start = text.rfind("\x1b")
        is_whole = start < 0 or re.match(r"\x1b\[\??[0-9;]*[@-~]", text[start:])
        self._rest = "" if is_whole else text[start:]
        for token in TOKEN.finditer(text if is_whole else text[:start]):
            number, final, character = token.groups()
            if final:
                self._obey(final, number)
            elif character == "\r":
                self._column = 0
            elif character == "\b":
                self._column = max(0, self._column - 1)
            elif character == "\n":
                self._feed()
            elif character >= " ":
                self._put(character)

    def _obey(self, final: str, number: str) -> None:
        line = self._lines[self._row]
        if final == "A":
            top = max(0, len(self._lines) - self.rows)
            self._row = max(top, self._row - int(number or 1))
        elif final == "C":
            self._column = min(self.columns - 1, self._column + int(number or 1))
        elif final == "K":
            del line[self._column :]
        elif final == "J":
            del line[self._column :]
            del self._lines[self._row + 1 :]
        elif final not in "hlm":
            raise AssertionError(f"The terminal does not know ESC [ {number} {final}.")

    def _feed(self) -> None:
        self._row += 1
        if self._row == len(self._lines):
            self._lines.append([])

    def _put(self, character: str) -> None:
        if self._column == self.columns:
            self._column = 0
            self._feed()
        line = self._lines[self._row]
        line += " " * (self._column + 1 - len(line))
        line[self._column] = character
        self._column += 1
