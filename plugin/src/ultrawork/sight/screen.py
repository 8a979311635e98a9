"""The full screen of `ultrawork watch --all`: sessions, then the parts of one, with the proof of each in its own
column."""

from collections.abc import Mapping
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import DataTable, Footer, Static

from ..core.errors import UltraworkError
from ..core.times import format_duration
from ..core.wording import cut, join_lines
from ..report.board import BoardRow, Part, render_row
from ..report.live import list_moves, take_marks
from ..store import controls
from ..store.store import Store
from .model import SIGNS, Look, Watcher

_EVERY = 1.0
_SESSION_COLUMNS = ("state", "session", "project", "goal", "tasks", "cost", "since")
_PART_COLUMNS = ("state", "kind", "name", "what", "process", "since")


class BoardScreen(App[str]):
    """Two tables, one at a time; the store is read once a second, and drawn only if it changed."""

    CSS = """
    #head { height: auto; padding: 0 1; }
    #told { height: auto; padding: 0 1; }
    DataTable { height: 1fr; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[Any]] = [
        Binding("escape", "leave", "Back"),
        Binding("a", "answer", "How to answer"),
        Binding("p", "order('pause')", "Pause"),
        Binding("r", "order('resume')", "Go on"),
        Binding("c", "order('stop')", "Stop"),
        Binding("s", "stream", "Lines"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, store: Store, environ: Mapping[str, str]) -> None:
        super().__init__(ansi_color="NO_COLOR" in environ)
        self._store = store
        self._watcher = Watcher(store)
        self._look: Look | None = None
        self._drawn: object = None
        self._open = ""
        self._moves: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield DataTable(cursor_type="row", zebra_stripes=True)
        yield Static(id="told", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.refresh_board()
        self.set_interval(_EVERY, self.refresh_board)

    def refresh_board(self) -> None:
        look = self._watcher.look()
        before = take_marks(self._look.rows) if self._look else None
        if look is not self._look:
            self._moves += list_moves(before, look.rows, look.at)
        self._look = look
        # Ages change by the minute; between two changes nothing else does.
        key = (look.version, self._open, int(self._store.now() // 60))
        if key != self._drawn:
            self._drawn = key
            self._draw(look)

    def _draw(self, look: Look) -> None:
        table: DataTable[str] = self.query_one(DataTable)
        cursor = table.cursor_row
        table.clear(columns=True)
        row = self._find(self._open)
        if row is None:
            table.add_columns(*_SESSION_COLUMNS)
            table.add_rows([self._draw_row(one) for one in look.rows])
            head = f"{look.blocking} need you, {len(look.rows)} sessions"
        else:
            table.add_columns(*_PART_COLUMNS)
            table.add_rows(
                [self._draw_part(part) for part in self._watcher.read_parts(row.session.id)]
            )
            head = f"{row.id}  {row.state.line}\n{cut(join_lines(row.session.goal), 200)}"
        self.query_one("#head", Static).update(head)
        if table.row_count:
            table.move_cursor(row=min(cursor, table.row_count - 1))

    def _draw_row(self, row: BoardRow) -> tuple[str, ...]:
        since = self._age(row.state.since or row.session.updated_at)
        goal = cut(join_lines(row.session.goal), 40)
        return (
            _sign(row.state.word),
            row.id,
            cut(row.project, 16),
            goal,
            row.progress,
            row.cost,
            since,
        )

    def _draw_part(self, part: Part) -> tuple[str, ...]:
        process = str(part.driver.pid) if part.driver.pid and part.driver.is_alive else ""
        text = cut(join_lines(part.state.what or part.text), 50)
        return (
            _sign(part.state.word),
            part.kind,
            part.name,
            text,
            process,
            self._age(part.state.since),
        )

    def _age(self, since: float) -> str:
        return format_duration(max(0.0, self._store.now() - since)) if since else ""

    def _find(self, name: str) -> BoardRow | None:
        rows = self._look.rows if self._look else []
        return next((row for row in rows if row.session.id == name), None)

    def _chosen(self) -> BoardRow | None:
        if self._open:
            return self._find(self._open)
        rows = self._look.rows if self._look else []
        at = self.query_one(DataTable).cursor_row
        return rows[at] if 0 <= at < len(rows) else None

    def on_data_table_row_selected(self) -> None:
        chosen = self._chosen()
        if chosen is not None and not self._open:
            self._open = chosen.session.id
            self.refresh_board()

    def action_leave(self) -> None:
        self._open = ""
        self.refresh_board()

    def action_answer(self) -> None:
        """The command is typed in a terminal: a key that was pressed ahead must approve nothing."""
        chosen = self._chosen()
        items = self._look.items if self._look and chosen else []
        found = [item for item in items if chosen and item.row.session.id == chosen.session.id]
        text = (
            f"{found[0].question}\n{found[0].command}".strip()
            if found
            else "nothing to answer here"
        )
        self._tell(text)

    def action_order(self, kind: str) -> None:
        chosen = self._chosen()
        if chosen is None:
            return
        kinds = {"pause": controls.PAUSE, "resume": controls.RESUME, "stop": controls.STOP}
        try:
            self._tell(self._watcher.order(chosen.session.id, kinds[kind]))
        except UltraworkError as error:
            self._tell(str(error))

    def action_stream(self) -> None:
        """Leave the full screen; what moved so far goes to the scrollback, where it can be copied."""
        now = self._store.now()
        rows = self._look.rows if self._look else []
        self.exit("\n".join([*self._moves, *(render_row(row, now) for row in rows)]))

    def _tell(self, text: str) -> None:
        self.query_one("#told", Static).update(text)


def _sign(word: str) -> str:
    return f"{SIGNS.get(word, ' ')} {word}"


def show_board(store: Store, environ: Mapping[str, str]) -> str:
    """Run until the user leaves; return what stays in their scrollback."""
    return BoardScreen(store, environ).run() or ""
