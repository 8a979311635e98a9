"""A terminal's screen, as far as reading its lines needs it: VT100 with the sequences of today."""

import re

from .grid import Grid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SEQUENCE = re.compile(
    r"\x1b\[(?P<csi>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|\x1b\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b[PX^_](?P<string>[^\x1b]*)\x1b\\"
    r"|\x1b(?P<escape>[ -/]*[0-OQ-WYZ\\`-~])"
)
_LONGEST_SEQUENCE = 4096

ALTERNATE_SCREEN = ("?1049", "?1047", "?47")


class Screen:
    """`answers` collects what a terminal would reply to the queries in what it is fed."""

    def __init__(self, rows: int = 50, columns: int = 120) -> None:
        self.answers: list[str] = []
        self._grid = Grid(rows, columns)
        self._rest = ""

    def text(self) -> str:
        """What scrolled off, then what is shown."""
        return "\n".join(self._grid.lines()).rstrip("\n")

    def feed(self, text: str) -> None:
        text, self._rest = self._rest + text, ""
        place = 0
        while place < len(text):
            if text[place] != "\x1b":
                self._take(text[place])
                place += 1
                continue
            found = _SEQUENCE.match(text, place)
            if found:
                self._obey(found)
                place = found.end()
            elif len(text) - place < _LONGEST_SEQUENCE:
                self._rest = text[place:]
                return
            else:
                place += 1

    def _take(self, character: str) -> None:
        control = _CONTROLS.get(character)
        if control:
            control(self._grid)
        else:
            self._grid.put(character)

    def _obey(self, found: "re.Match[str]") -> None:
        if found["final"]:
            self._control(found["csi"], found["between"], found["final"])
        elif found["osc"] in ("10;?", "11;?"):
            self.answers.append(f"\x1b]{found['osc'][:2]};rgb:0000/0000/0000\x1b\\")
        elif found["escape"] in _ESCAPES:
            _ESCAPES[found["escape"]](self._grid)

    def _control(self, given: str, between: str, final: str) -> None:
        answer = _ANSWERS.get((given, between + final))
        if answer:
            self.answers.append(answer)
        elif (given, final) == ("6", "n"):
            self.answers.append(f"\x1b[{self._grid.row + 1};{self._grid.column + 1}R")
        elif final == "p" and between == "$":
            self.answers.append(f"\x1b[{given};0$y")
        elif given in ALTERNATE_SCREEN and final in "hl":
            self._grid.clear()
        elif not between and not given.startswith(("?", ">", "=", "<")) and final in _MOVES:
            numbers = [int(part) if part.isdigit() else 0 for part in given.split(";")]
            _MOVES[final](self._grid, numbers)


def _counted(act: "Callable[[Grid, int], object]") -> "Callable[[Grid, list[int]], object]":
    return lambda grid, numbers: act(grid, numbers[0] or 1)


_CONTROLS: "dict[str, Callable[[Grid], None]]" = {
    "\n": Grid.line_feed,
    "\x0b": Grid.line_feed,
    "\r": Grid.carriage_return,
    "\b": Grid.back_space,
    "\t": Grid.tabulate,
}
_ESCAPES: "dict[str, Callable[[Grid], None]]" = {
    "7": Grid.save,
    "8": Grid.restore,
    "D": Grid.line_feed,
    "E": Grid.next_line,
    "M": Grid.reverse_line_feed,
}
_MOVES: "dict[str, Callable[[Grid, list[int]], object]]" = {
    "A": _counted(lambda grid, n: grid.move(grid.row - n, grid.column)),
    "B": _counted(lambda grid, n: grid.move(grid.row + n, grid.column)),
    "C": _counted(lambda grid, n: grid.move(grid.row, grid.column + n)),
    "D": _counted(lambda grid, n: grid.move(grid.row, grid.column - n)),
    "E": _counted(lambda grid, n: grid.move(grid.row + n, 0)),
    "F": _counted(lambda grid, n: grid.move(grid.row - n, 0)),
    "G": _counted(lambda grid, n: grid.move(grid.row, n - 1)),
    "d": _counted(lambda grid, n: grid.move(n - 1, grid.column)),
    "H": Grid.place,
    "f": Grid.place,
    "J": Grid.erase_screen,
    "K": Grid.erase_line,
    "L": _counted(Grid.insert_lines),
    "M": _counted(Grid.delete_lines),
    "@": _counted(Grid.shift),
    "P": _counted(lambda grid, n: grid.shift(-n)),
    "S": _counted(Grid.scroll_up),
    "T": _counted(Grid.scroll_down),
    "X": _counted(lambda grid, n: grid.overwrite(grid.column, grid.column + n)),
    "r": Grid.region,
    "s": lambda grid, _: grid.save(),
    "u": lambda grid, _: grid.restore(),
}
_ANSWERS = {
    ("", "c"): "\x1b[?62;22c",
    ("0", "c"): "\x1b[?62;22c",
    (">", "c"): "\x1b[>0;276;0c",
    (">0", "c"): "\x1b[>0;276;0c",
    (">", "q"): "\x1bP>|plain(1)\x1b\\",
    (">0", "q"): "\x1bP>|plain(1)\x1b\\",
    ("?", "u"): "\x1b[?0u",
    ("5", "n"): "\x1b[0n",
}
