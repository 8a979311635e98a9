"""The cells of a terminal's screen, its cursor, and what moves them."""

import unicodedata

TAB = 8
UNSEEN = "\x7f\u200d\ufe0f"


class Grid:
    def __init__(self, rows: int, columns: int) -> None:
        self.rows = rows
        self.columns = columns
        self.row = self.column = 0
        self.scrolled: list[str] = []
        self._cells = self._blank()
        self._top, self._bottom = 0, rows - 1
        self._saved = (0, 0)

    def lines(self) -> list[str]:
        """What scrolled off, then what is shown; without blanks at the end of lines."""
        return self.scrolled + ["".join(row).rstrip() for row in self._cells]

    def clear(self) -> None:
        self._cells = self._blank()
        self.move(0, 0)

    def _blank(self) -> list[list[str]]:
        return [[" "] * self.columns for _ in range(self.rows)]

    def put(self, character: str) -> None:
        if unicodedata.combining(character) or character < " " or character in UNSEEN:
            return
        width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if self.column + width > self.columns:
            self.column = 0
            self.line_feed()
        row = self._cells[self.row]
        row[self.column] = character
        if width == 2:
            row[self.column + 1] = ""
        self.column += width

    def line_feed(self) -> None:
        if self.row == self._bottom:
            self.scroll_up(1)
        else:
            self.row = min(self.row + 1, self.rows - 1)

    def reverse_line_feed(self) -> None:
        if self.row == self._top:
            self.scroll_down(1)
        else:
            self.row = max(self.row - 1, 0)

    def carriage_return(self) -> None:
        self.column = 0

    def back_space(self) -> None:
        self.column = max(self.column - 1, 0)

    def tabulate(self) -> None:
        self.column = min((self.column // TAB + 1) * TAB, self.columns - 1)

    def next_line(self) -> None:
        self.carriage_return()
        self.line_feed()

    def save(self) -> None:
        self._saved = (self.row, self.column)

    def restore(self) -> None:
        self.row, self.column = self._saved

    def scroll_up(self, count: int) -> None:
        for _ in range(min(count, self.rows)):
            gone = self._cells.pop(self._top)
            if self._top == 0:
                self.scrolled.append("".join(gone).rstrip())
            self._cells.insert(self._bottom, [" "] * self.columns)

    def scroll_down(self, count: int) -> None:
        for _ in range(min(count, self.rows)):
            self._cells.pop(self._bottom)
            self._cells.insert(self._top, [" "] * self.columns)

    def move(self, row: int, column: int) -> None:
        self.row = max(0, min(row, self.rows - 1))
        self.column = max(0, min(column, self.columns - 1))

    def region(self, numbers: list[int]) -> None:
        top, bottom = numbers[0] or 1, (numbers[1:] or [0])[0] or self.rows
        if top < bottom <= self.rows:
            self._top, self._bottom = top - 1, bottom - 1
        self.move(0, 0)

    def place(self, numbers: list[int]) -> None:
        self.move((numbers[0] or 1) - 1, ((numbers[1:] or [1])[0] or 1) - 1)

    def erase_screen(self, numbers: list[int]) -> None:
        kind = numbers[0]
        if kind == 3:
            self.scrolled.clear()
            return
        self.erase_line([kind])
        below = range(self.row + 1, self.rows) if kind != 1 else range(0)
        above = range(self.row) if kind != 0 else range(0)
        for row in (*above, *below):
            self._cells[row] = [" "] * self.columns

    def erase_line(self, numbers: list[int]) -> None:
        start = self.column if numbers[0] == 0 else 0
        end = self.column + 1 if numbers[0] == 1 else self.columns
        self.overwrite(start, end)

    def overwrite(self, start: int, end: int) -> None:
        for column in range(start, min(end, self.columns)):
            self._cells[self.row][column] = " "

    def insert_lines(self, count: int) -> None:
        for _ in range(min(count, self.rows)):
            self._cells.pop(self._bottom)
            self._cells.insert(self.row, [" "] * self.columns)

    def delete_lines(self, count: int) -> None:
        for _ in range(min(count, self.rows)):
            self._cells.pop(self.row)
            self._cells.insert(self._bottom, [" "] * self.columns)

    def shift(self, count: int) -> None:
        """Insert blanks at the cursor, or delete that many characters if negative."""
        row = self._cells[self.row]
        head, tail = row[: self.column], row[self.column :]
        moved = [" "] * count + tail if count > 0 else tail[-count:] + [" "] * -count
        self._cells[self.row] = (head + moved)[: self.columns]
