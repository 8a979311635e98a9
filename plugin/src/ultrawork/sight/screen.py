"""The full screen of `ultrawork watch --all`: sessions, then the board of one, then an agent, a receipt or a diff."""

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding
from textual.widgets import Input, Static

from ..core.errors import UltraworkError
from ..core.wording import cut, strip_controls
from ..report import summary
from ..report.inbox import render_facts
from ..store.store import Store
from ..system.program import run_in_front
from .acts import Acts, VerbCall, start_beside
from .lines import Lines
from .model import Look, Watcher
from .stream import QUIT, EventStream, KeyReader
from .views import AGENT, BOARD, DIFF, INBOX, SESSIONS, Drawn, Place, Views

_EVERY = 1.0
_SHOWN = 400
_YES = "yes"
_KEYS = {"escape": "esc"}


class BoardScreen(App[None]):
    """Shows one view at a time, reads the store once a second, and draws only what changed."""

    CSS = """
    #head { height: auto; padding: 0 1; }
    #message { height: auto; max-height: 8; padding: 0 1; }
    Lines { height: 1fr; padding: 0 1; }
    #keys { height: auto; padding: 0 1; }
    Input { display: none; height: 3; }
    Input.asking { display: block; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[Any]] = [
        Binding("escape", "leave", "Back"),
        Binding("i", "inbox", "Inbox"),
        Binding("y", "ask('approve')", "Approve"),
        Binding("a", "ask('answer')", "Answer"),
        Binding("e", "do('seen')", "Seen"),
        Binding("p", "do('pause')", "Pause"),
        Binding("r", "do('retry')", "Retry"),
        Binding("u", "confirm('undo')", "Undo"),
        Binding("c", "confirm('cancel')", "Cancel"),
        Binding("t", "do('attach')", "Attach"),
        Binding("o", "page", "Page"),
        Binding("d", "diff", "Diff"),
        Binding("s", "stream", "Stream"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(
        self,
        store: Store,
        environ: Mapping[str, str],
        *,
        program: list[str],
        name_person: Callable[[], str],
        session: str = "",
        every: float = _EVERY,
    ) -> None:
        super().__init__(ansi_color="NO_COLOR" in environ)
        self._environ = environ
        self._every = every
        self._watcher = Watcher(store)
        self._views = Views(store)
        self._acts = Acts(store, environ, program, name_person)
        self._stream = EventStream(store)
        self._now = store.now
        self._look: Look | None = None
        self._drawn: object = None
        self._path: list[Place] = [Place(), *([Place(BOARD, session)] if session else [])]
        self._wants: Callable[[str], str | VerbCall] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield Lines(self._open_key)
        yield Static(id="message", markup=False)
        yield Input()
        yield Static(self._name_keys(), id="keys")

    def _name_keys(self) -> Text:
        """Return all keys as a text that wraps, so that a narrow screen hides none."""
        shown = Text()
        for binding in self.BINDINGS:
            shown.append(_KEYS.get(binding.key, binding.key), "bold")
            shown.append(f":{binding.description}  ")
        return shown

    def on_mount(self) -> None:
        self.query_one(Lines).focus()
        # The timer skips late ticks instead of making up for them.
        self.set_interval(self._every, self.refresh_board)
        self._ask_clients()
        self.set_interval(summary.EVERY, self._ask_clients)

    def _ask_clients(self) -> None:
        self.run_worker(self._watcher.ask_clients(self._environ), group="clients", exclusive=True)

    def on_resize(self) -> None:
        self.refresh_board()

    def refresh_board(self, *, fresh: bool = False) -> None:
        if not self.query("#head"):
            return  # the timer may tick once more while the screen closes
        look = self._watcher.look()
        self._look = look
        place, width = self._path[-1], max(20, self.size.width - 2)
        # Between two reads only the ages change, once a minute.
        key = (id(look), look.version, place, width, int(self._now() // 60))
        if key != self._drawn or fresh:
            self._drawn = key
            self._show(self._views.draw(place, look, width), fresh=fresh)

    def _show(self, drawn: Drawn, *, fresh: bool) -> None:
        head = self.query_one("#head", Static)
        if str(head.content) != drawn.head:
            head.update(drawn.head)
        lines = self.query_one(Lines)
        if fresh or (list(lines.lines), list(lines.keys)) != (drawn.lines, drawn.keys):
            lines.show_lines(drawn.lines, drawn.keys, fresh=fresh)

    def _open_key(self, key: str) -> None:
        place = self._views.open_key(self._path[-1], key)
        if place != self._path[-1]:
            self._enter(place)
        else:
            self._show_message("it has not run yet, so there is no receipt")

    def _enter(self, place: Place) -> None:
        self._path.append(place)
        self._show_message("")
        self.refresh_board(fresh=True)

    def action_leave(self) -> None:
        if self._wants is not None:
            self._close_prompt()
        elif len(self._path) > 1:
            self._path.pop()
            self.refresh_board(fresh=True)

    @property
    def _chosen(self) -> tuple[str, str]:
        """Return the session, and the task or agent, that a key acts on; empty if there is none."""
        place, key = self._path[-1], self.query_one(Lines).key
        if place.level in (SESSIONS, INBOX):
            return key, ""
        if place.level == BOARD:
            kind, _, name = key.partition(":")
            return place.session, name if kind in ("task", "agent") else ""
        return place.session, place.name if place.level == AGENT else ""

    def action_inbox(self) -> None:
        if self._path[-1].level != INBOX:
            self._enter(Place(INBOX))

    def action_ask(self, how: str) -> None:
        """Open a field for the answer. A key alone approves nothing: Enter sends the answer."""
        session, _ = self._chosen
        try:
            item = self._acts.find_question(self._look.items if self._look else [], session)
        except UltraworkError as error:
            self._show_message(str(error))
            return
        options = " | ".join(item.options)
        filled = item.options[0] if how == "approve" and item.options else ""
        text = "\n".join([item.question, *render_facts(item.facts), options])
        self._prompt(text, filled, lambda words: self._acts.answer(item.id, words))

    def action_confirm(self, act: str) -> None:
        session, subject = self._chosen
        if not session:
            return
        task = subject.partition(".")[0]
        target = f"task {task} of {session[:8]}" if task else f"session {session[:8]}"

        def carry_out(words: str) -> str | VerbCall:
            if words.strip().lower() != _YES:
                return f"nothing done; to {act} {target}, type {_YES}"
            done: str | VerbCall = getattr(self._acts, act)(session, task)
            return done

        self._prompt(f"{act} {target}? Type {_YES}, or press Escape.", "", carry_out)

    def _prompt(self, text: str, filled: str, wants: Callable[[str], str | VerbCall]) -> None:
        self._wants = wants
        self._show_message(text)
        field = self.query_one(Input)
        field.value = filled
        field.add_class("asking")
        field.focus()

    def _close_prompt(self) -> None:
        self._wants = None
        self._show_message("")
        self.query_one(Input).remove_class("asking")
        self.query_one(Lines).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        wants = self._wants
        self._close_prompt()
        if wants is not None:
            self._carry_out(lambda: wants(event.value))

    def action_do(self, act: str) -> None:
        session, subject = self._chosen
        if not session:
            return
        tried = subject.partition(".")[0] if act == "retry" else subject
        acts: dict[str, Callable[[], str | VerbCall]] = {
            "pause": lambda: self._acts.pause(session),
            "retry": lambda: self._acts.retry(session, tried),
            "attach": lambda: self._acts.attach(session, subject),
            "seen": lambda: self._acts.see(self._look.items if self._look else [], session),
        }
        self._carry_out(acts[act])

    def _carry_out(self, act: Callable[[], str | VerbCall]) -> None:
        try:
            done = act()
        except UltraworkError as error:
            self._show_message(str(error))
            return
        if isinstance(done, str):
            self._show_message(done)
            self.refresh_board()
        elif done.front:
            self._run_in_front(done)
        else:
            self.run_worker(self._run_beside(done, self._show_end))

    def _run_in_front(self, call: VerbCall) -> None:
        try:
            with self.suspend():
                before = os.getcwd()
                os.chdir(call.cwd)
                try:
                    status = run_in_front(call.argv, self._environ)
                    if status:
                        # The full screen would cover what the program said.
                        input(f"{os.path.basename(call.argv[0])} ended with status {status}. Press Enter to return. ")
                finally:
                    os.chdir(before)
        except (SuspendNotSupported, UltraworkError, OSError) as error:
            self._show_message(f"could not start {call.argv[0]}: {error}")
            return
        self._show_message(f"{os.path.basename(call.argv[0])} ended with status {status}")
        self.refresh_board(fresh=True)

    async def _run_beside(self, call: VerbCall, tell: Callable[[int, str], None]) -> None:
        """Run a command that needs no terminal while the screen stays live."""
        process = await start_beside(call, self._environ)
        output, _ = await process.communicate()
        tell(process.returncode or 0, output.decode("utf-8", "replace"))
        self.refresh_board()

    def _show_end(self, _status: int, text: str) -> None:
        self._show_message(text.strip() or "done")

    def action_page(self) -> None:
        session, _ = self._chosen
        if not session:
            return
        call, path = self._acts.make_page(session)

        def show(status: int, text: str) -> None:
            opener = self._acts.find_opener() if not status else None
            self._show_message(f"page: {path}" if not status else text.strip())
            if opener is not None:
                opening = VerbCall([opener, path], os.sep)
                self.run_worker(self._run_beside(opening, lambda _status, _text: None))

        self.run_worker(self._run_beside(call, show))

    def action_diff(self) -> None:
        session, _ = self._chosen
        if not session:
            return
        self._views.patches.pop(session, None)
        self._enter(Place(DIFF, session))

        def keep(_status: int, text: str) -> None:
            self._views.patches[session] = text
            self.refresh_board(fresh=True)

        self.run_worker(self._run_beside(self._acts.read_patch(session), keep))

    def action_stream(self) -> None:
        """Leave the full screen and stream events, starting with those since the last stream. The same key returns."""
        place = self._path[-1]
        try:
            with self.suspend(), KeyReader(sys.__stdin__.fileno()) as read_key:  # type: ignore[union-attr]
                ended = self._stream.run(place.session, read_key)
        except SuspendNotSupported:
            self._show_message("this terminal cannot leave the full screen; use ultrawork watch --plain")
            return
        if ended == QUIT:
            self.exit()
        else:
            self.refresh_board(fresh=True)

    def _show_message(self, text: str) -> None:
        lines = [cut(strip_controls(line), _SHOWN) for line in text.splitlines()[-8:]]
        self.query_one("#message", Static).update("\n".join(lines))


def show_board(
    store: Store, environ: Mapping[str, str], *, program: list[str], name_person: Callable[[], str], session: str = ""
) -> None:
    """Run the full screen until the user quits; it starts at the board of `session`, if one is given."""
    BoardScreen(store, environ, program=program, name_person=name_person, session=session).run()
