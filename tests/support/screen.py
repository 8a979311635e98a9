"""A terminal's screen (`pyte`), with its scrollback and the queries of current programs."""

import re
from typing import Any

import pyte

_SEQUENCE = re.compile(
    r"\x1b\[(?P<given>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|\x1b\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b[PX^_][^\x1b]*\x1b\\"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[]PX^_][^\x07\x1b]*\x1b?)?\Z")
_LONGEST_SEQUENCE = 4096
# pyte would show the rest of any other as text.
_PLAIN = re.compile(r"\??[0-9;]*")
_ALTERNATE_SCREEN = ("?1049", "?1047", "?47")
_ANSWERS = {
    ("", "c"): "\x1b[?62;22c",
    ("0", "c"): "\x1b[?62;22c",
    (">", "c"): "\x1b[>0;276;0c",
    (">0", "c"): "\x1b[>0;276;0c",
    (">", "q"): "\x1bP>|plain(1)\x1b\\",
    (">0", "q"): "\x1bP>|plain(1)\x1b\\",
    ("?", "u"): "\x1b[?0u",
}


class Screen:
    """`answers` collects what a terminal would reply to the queries in what it is fed."""

    def __init__(self, rows: int = 50, columns: int = 120) -> None:
        self.answers: list[str] = []
        self._cells = _Cells(columns, rows, self.answers)
        self._stream = pyte.Stream(self._cells)
        self._rest = ""

    def text(self) -> str:
        """Return the scrollback, then the screen, without trailing blanks."""
        shown = map(self._cells.line, range(self._cells.lines))
        return "\n".join([*self._cells.scrolled, *shown]).rstrip("\n")

    def list_colors(self) -> set[str]:
        """The colors of all cells that are shown; `default` is the terminal's own."""
        rows = self._cells.buffer.values()
        cells = [cell for row in rows for cell in row.values()]
        return {color for cell in cells for color in (cell.fg, cell.bg)}

    def feed(self, text: str) -> None:
        text, self._rest = self._rest + text, ""
        unfinished = _UNFINISHED.search(text)
        if unfinished and len(unfinished[0]) < _LONGEST_SEQUENCE:
            text, self._rest = text[: unfinished.start()], unfinished[0]
        done = 0
        for found in _SEQUENCE.finditer(text):
            self._stream.feed(text[done : found.start()])
            self._obey(found)
            done = found.end()
        self._stream.feed(text[done:])

    def _obey(self, found: re.Match[str]) -> None:
        given, final = found["given"], found["final"]
        if found["osc"] in ("10;?", "11;?"):
            self.answers.append(f"\x1b]{found['osc'][:2]};rgb:0000/0000/0000\x1b\\")
        elif final == "p" and found["between"] == "$":
            self.answers.append(f"\x1b[{given};0$y")
        elif final is None or found["between"]:
            return
        elif (given, final) in _ANSWERS:
            self.answers.append(_ANSWERS[given, final])
        elif given in _ALTERNATE_SCREEN and final in "hl":
            self._cells.erase_in_display(2)
            self._cells.cursor_position()
        elif final in "STsu" and (not given or given.isdecimal()):
            self._cells.move(final, int(given or 1))
        elif _PLAIN.fullmatch(given):
            self._stream.feed(found[0])


class _Cells(pyte.Screen):
    """pyte's own cells, fixed for scrolling regions and rows that were never written."""

    def __init__(self, columns: int, rows: int, answers: list[str]) -> None:
        self.scrolled: list[str] = []
        self._answers = answers
        super().__init__(columns, rows)

    def line(self, row: int) -> str:
        return "".join(self.buffer[row][column].data for column in range(self.columns)).rstrip()

    def write_process_input(self, data: str) -> None:
        self._answers.append(data)

    def index(self) -> None:
        top, bottom = self.margins or (0, self.lines - 1)
        if top == 0 and self.cursor.y == bottom:
            self.scrolled.append(self.line(0))
        super().index()

    def set_margins(self, top: int | None = None, bottom: int | None = None) -> None:
        super().set_margins(top, bottom)
        self.cursor_position()  # also where they are taken away

    def cursor_down(self, count: int | None = None) -> None:
        if self.margins and self.cursor.y > self.margins.bottom:
            self.cursor.y = min(self.cursor.y + (count or 1), self.lines - 1)
        else:
            super().cursor_down(count)

    def insert_lines(self, count: int | None = None) -> None:
        self._touch_rows()
        super().insert_lines(count)

    def delete_lines(self, count: int | None = None) -> None:
        self._touch_rows()
        super().delete_lines(count)

    def _touch_rows(self) -> None:
        for row in range(self.lines):
            self.buffer[row]

    def erase_in_display(self, how: int = 0, *given: Any, **more: Any) -> None:
        if how == 3:
            self.scrolled.clear()
        else:
            super().erase_in_display(how, *given, **more)

    def move(self, final: str, count: int) -> None:
        """Do what pyte lacks: scroll up (S) and down (T), save (s) and restore (u) the cursor."""
        if final == "s":
            self.save_cursor()
        elif final == "u":
            self.restore_cursor()
        else:
            top, bottom = self.margins or (0, self.lines - 1)
            row, self.cursor.y = self.cursor.y, bottom if final == "S" else top
            for _ in range(min(count, self.lines)):
                self.index() if final == "S" else self.reverse_index()
            self.cursor.y = row
