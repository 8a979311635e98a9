"""The widget of the full screen: lines of text with a cursor. Only visible lines are drawn."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..core.wording import strip_controls

_CURSOR = Style(reverse=True)
_HEADING = Style(bold=True)
_BELOW = "    "  # how a line begins that belongs to the one above


class Lines(ScrollView, can_focus=True):
    """`keys` name what each line opens. The cursor of a table skips lines without a key."""

    BINDINGS: ClassVar[list[Any]] = [
        Binding("up,k", "step(-1)", "Up", show=False),
        Binding("down,j", "step(1)", "Down", show=False),
        Binding("pageup", "turn(-1)", "Page up", show=False),
        Binding("pagedown,space", "turn(1)", "Page down", show=False),
        Binding("home,g", "step(-1000000)", "First", show=False),
        Binding("end,G", "step(1000000)", "Last", show=False),
        Binding("enter", "open", "Open", show=False),
    ]

    def __init__(self, open_key: Callable[[str], None]) -> None:
        super().__init__()
        self._open_key = open_key
        self._lines: Sequence[str] = ()
        self._keys: Sequence[str] = ()
        self._cursor = 0

    @property
    def key(self) -> str:
        """Return the key of the line under the cursor; empty in a text."""
        return self._keys[self._cursor] if 0 <= self._cursor < len(self._keys) else ""

    @property
    def lines(self) -> Sequence[str]:
        return self._lines

    @property
    def keys(self) -> Sequence[str]:
        return self._keys

    def show_lines(self, lines: Sequence[str], keys: Sequence[str] = (), *, fresh: bool = False) -> None:
        """Show these lines. The cursor stays on its key if that is still there; `fresh` starts at the top."""
        before = "" if fresh else self.key
        self._lines, self._keys = lines, keys
        named = [at for at, key in enumerate(keys) if key]
        if before in keys and before:
            self._cursor = keys.index(before)
        elif named:
            self._cursor = min(named, key=lambda at: abs(at - (0 if fresh else self._cursor)))
        else:
            self._cursor = 0
        self.virtual_size = Size(max(map(len, lines), default=0), len(lines))
        if fresh:
            self.scroll_to(0, 0, animate=False)
        self._follow_cursor()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        at, width, own = top + y, self.size.width, self.rich_style
        if at >= len(self._lines):
            return Strip.blank(width, own)
        style = own + self._choose_style(at)
        strip = Strip([Segment(strip_controls(self._lines[at]), style)])
        return strip.crop_extend(left, left + width, style)

    def _choose_style(self, at: int) -> Style:
        if not self._keys:
            return Style()
        if not self._keys[at]:
            return Style() if self._lines[at].startswith(_BELOW) else _HEADING
        return _CURSOR if at == self._cursor else Style()

    def action_step(self, by: int) -> None:
        if not any(self._keys):
            self.scroll_relative(y=by, animate=False)
            return
        named = [at for at, key in enumerate(self._keys) if key]
        place = named.index(self._cursor) if self._cursor in named else 0
        self._cursor = named[max(0, min(len(named) - 1, place + by))]
        self._follow_cursor()
        self.refresh()

    def action_turn(self, by: int) -> None:
        self.action_step(by * max(1, self.size.height - 1))

    def action_open(self) -> None:
        if self.key:
            self._open_key(self.key)

    def _follow_cursor(self) -> None:
        if not any(self._keys) or not self.size.height:
            return
        top, height = self.scroll_offset.y, self.size.height
        if self._cursor < top:
            self.scroll_to(y=0 if self._cursor < height else self._cursor, animate=False)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False)
