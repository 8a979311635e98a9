"""How a headless run is shown: a live picture on a terminal, plain lines elsewhere, JSON for programs; and its page,
from its first second. All three get the same news. Only the terminal is also redrawn.

A run can be followed from another terminal too, until it ends: for `watch` and `status --watch`."""

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import monotonic, sleep, time
from typing import Any, TextIO

from ...core.errors import UltraworkError
from ...core.run.prices import format_cost
from ...core.wording import cut, join_lines
from ...engine.loop import controls
from ...engine.loop.controls import RunView
from ...report import page, timeline
from ...report.board import read_parts
from ...store import atomic, sessions
from ...store.atomic import is_held
from ...store.codec import dumps
from ...store.paths import ENGINE_LOCK, Home
from ...store.store import Store
from ..command import Result
from ..environment import Args, VerbEnvironment

EVERY = 0.2
_ROWS = 20
_COLOURS = {"✓": "32", "→": "36", "✗": "31", "⏳": "2", "-": "2"}
# News that the live picture shows anyway.
_DRAWN = (timeline.STARTED, timeline.REPORTED, timeline.PHASE)


class LineDisplay:
    """One line per piece of news, with the time since the beginning."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._began = monotonic()

    def tell(self, kind: str, facts: Mapping[str, Any]) -> None:
        self.write(f"{format_clock(monotonic() - self._began)}  {timeline.render_line(kind, facts)}\n")

    def draw(self, view: RunView) -> None:
        """Do nothing: plain lines do not move."""

    def close(self) -> None:
        """Do nothing: there is nothing to clear."""

    def write(self, text: str) -> None:
        """Write a text; if the reader is gone, stop showing, not the run."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (until the program ends)


class JsonDisplay(LineDisplay):
    """One object per line: `kind`, and the facts."""

    def tell(self, kind: str, facts: Mapping[str, Any]) -> None:
        self.write(dumps({"kind": kind, "after": round(monotonic() - self._began, 3), **facts}) + "\n")


class LiveDisplay(LineDisplay):
    """Tasks, agents and their last words, drawn over the last picture; what matters stays above it."""

    def __init__(self, stream: TextIO, *, colour: bool) -> None:
        super().__init__(stream)
        self._colour = colour
        self._drawn = 0
        self._lock = threading.RLock()

    def tell(self, kind: str, facts: Mapping[str, Any]) -> None:
        if kind in _DRAWN:
            return
        text = f"{format_clock(monotonic() - self._began)}  {timeline.render_line(kind, facts)}"
        if kind not in timeline.WHOLE:
            text = cut(text, measure_width(self._stream))
        style = "33" if kind in timeline.LOUD else ""
        with self._lock:
            self._erase()
            self.write(self._styled(text, style) + "\n")

    def draw(self, view: RunView) -> None:
        shown = [self._styled(text, style) for text, style in render_lines(view, measure_width(self._stream))]
        with self._lock:
            self._erase()
            self.write("\n".join(["", *shown]) + "\n")
            self._drawn = len(shown) + 1

    def close(self) -> None:
        with self._lock:
            self._erase()

    def _erase(self) -> None:
        if self._drawn:
            self.write(f"\x1b[{self._drawn}F\x1b[J")
        self._drawn = 0

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self._colour and style else text


def render_lines(view: RunView, columns: int) -> list[tuple[str, str]]:
    """A run at one moment: each line with its style."""
    cost = f"  {format_cost(view.cost_usd, estimated=view.estimated)}" if view.cost_usd else ""
    head = f"{view.phase.lower().replace('_', ' ')}  {format_clock(view.seconds)}{cost}  {view.summary}"
    names = max([len(row.name) for row in view.rows], default=0)
    rows = [
        (cut(f"  {row.mark} {row.name:<{names}}  {join_lines(row.text)}", columns), _COLOURS.get(row.mark, ""))
        for row in view.rows[:_ROWS]
    ]
    more = len(view.rows) - len(rows)
    left_out = [(f"  … {more} more", "")] if more > 0 else []
    where = [(cut(f"  on {'; '.join(view.machines)}", columns), "2")] if view.machines else []
    return [(cut(head, columns), "1"), *rows, *left_out, *where]


class DisplayThread:
    """`with DisplayThread(...)`: draws the session a few times a second, beside other work."""

    def __init__(self, shown: LineDisplay, home: Home, name: str) -> None:
        self._shown = shown
        self._home = home
        self._name = name
        self._drawing = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._paint, daemon=True)

    def __enter__(self) -> "DisplayThread":
        if isinstance(self._shown, LiveDisplay):
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._shown.close()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Stop drawing while the user is asked."""
        with self._drawing:
            self._shown.close()
            yield

    def _paint(self) -> None:
        store = Store(self._home, actor="person", clock=time)
        while not self._over.wait(EVERY):
            with self._drawing:
                self._shown.draw(controls.read(store.database, self._name, now=time()))


def format_clock(seconds: float) -> str:
    """`0:07`, `12:40`, `1:02:03`."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def choose(environ: Mapping[str, str], *, json: bool) -> LineDisplay:
    """The way to show a run that fits where it is shown."""
    if json:
        return JsonDisplay(sys.stdout)
    plain = not sys.stdout.isatty() or environ.get("TERM", "dumb") == "dumb"
    return LineDisplay(sys.stdout) if plain else LiveDisplay(sys.stdout, colour="NO_COLOR" not in environ)


def measure_width(stream: TextIO) -> int:
    try:
        return max(40, os.get_terminal_size(stream.fileno()).columns - 1)
    except (OSError, ValueError):
        return 99


class LivePage:
    """`with LivePage(...)`: keeps the page at `path` up to date beside other work. Who ends the run writes the last
    page, with the changes of files; of a run that stays open, `write_last` does."""

    def __init__(self, env: VerbEnvironment, name: str, path: str) -> None:
        self._env = env
        self._name = name
        self._path = path
        self._last = -1
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="page", daemon=True)

    def __enter__(self) -> "LivePage":
        self._write(self._env.store)
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if kind is not None:
            self.write_last()

    def write_last(self) -> None:
        """Write a page that no browser reads again."""
        self._last = -1
        self._write(self._env.store, is_live=False)

    def _keep(self) -> None:
        env = self._env
        # A connection belongs to its thread.
        store = Store(env.store.home, actor=env.store.actor, clock=env.store.now)
        while not self._over.wait(page.EVERY):
            self._write(store)
        store.database.close()

    def _write(self, store: Store, *, is_live: bool = True) -> None:
        """Write the page if anything was recorded since; the run goes on where that cannot be done."""
        try:
            last = store.database.value("SELECT max(id) FROM events WHERE session=?", self._name)
            if last == self._last:
                return
            session = sessions.get(store.database, self._name)
            parts = read_parts(store, session)
            text = page.render(
                store.database,
                session,
                (),
                parts=parts,
                folder=store.home.session(self._name),
                now=store.now(),
                is_live=is_live,
            )
            atomic.write(self._path, text, mode=0o644, sync=False)
            self._last = last
        except (UltraworkError, OSError):
            return


def follow(args: Args, env: VerbEnvironment) -> Result:
    """Follow until the session has ended: drawn on a terminal, elsewhere one line per change."""
    name = env.session(args).id
    shown = choose(env.environ, json=env.json)
    if isinstance(shown, LiveDisplay):
        _draw(env, name, shown)
    else:
        _follow_lines(env, name, shown)
    seen = _read_view(env, name)
    text = "\n".join(line for line, _ in render_lines(seen, measure_width(sys.stdout)))
    return Result({"session_id": name, **seen.document()}, text)


def _read_view(env: VerbEnvironment, name: str) -> RunView:
    return controls.read(env.store.database, name, now=env.store.now())


def _is_active(env: VerbEnvironment, name: str) -> bool:
    return sessions.get(env.store.database, name).active


def _draw(env: VerbEnvironment, name: str, shown: LiveDisplay) -> None:
    while _is_active(env, name):
        shown.draw(_read_view(env, name))
        sleep(EVERY)
    shown.close()


def _follow_lines(env: VerbEnvironment, name: str, shown: LineDisplay) -> None:
    """Follow while an engine runs; otherwise a reading program would wait for nothing."""
    lock = f"{env.store.home.session(name)}/{ENGINE_LOCK}"
    before: dict[str, str] = {}
    while is_held(lock) and _is_active(env, name):
        seen = _read_view(env, name)
        marks = {"": seen.phase, **{row.name: row.mark for row in seen.rows}}
        if marks != before:
            moved = _moved(before, marks, seen, json=env.json)
            shown.write("\n".join(moved) + "\n")
        before = marks
        sleep(EVERY)


def _moved(before: dict[str, str], marks: dict[str, str], seen: RunView, *, json: bool) -> list[str]:
    if json:
        return [dumps(seen.document())]
    when = format_clock(seen.seconds)
    texts = {row.name: row.text for row in seen.rows}
    names = [name for name, mark in marks.items() if before.get(name) != mark]
    return [f"{when}  {marks[name]} {name}  {texts[name]}" if name else f"{when}  {seen.phase}" for name in names]
