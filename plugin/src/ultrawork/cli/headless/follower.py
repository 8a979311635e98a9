"""A headless run followed from another terminal, until it ends: for `watch` and `status --watch`."""

import sys
from time import sleep

from ...engine.loop import view
from ...engine.loop.view import RunView
from ...store import sessions
from ...store.atomic import is_held
from ...store.codec import dumps
from ...store.paths import ENGINE_LOCK
from ..command import Result
from ..environment import Args, VerbEnvironment
from . import display


def follow(args: Args, env: VerbEnvironment) -> Result:
    """Follow until the session has ended: drawn on a terminal, elsewhere one line per change."""
    name = env.session(args).id
    shown = display.choose(env.environ, json=env.json)
    if isinstance(shown, display.LiveDisplay):
        _draw(env, name, shown)
    else:
        _follow_lines(env, name, shown)
    seen = _read_view(env, name)
    text = "\n".join(line for line, _ in display.render_lines(seen, display.measure_width(sys.stdout)))
    return Result({"session_id": name, **seen.document()}, text)


def _read_view(env: VerbEnvironment, name: str) -> RunView:
    return view.read(env.store.database, name, now=env.store.now())


def _is_active(env: VerbEnvironment, name: str) -> bool:
    return sessions.get(env.store.database, name).active


def _draw(env: VerbEnvironment, name: str, shown: display.LiveDisplay) -> None:
    while _is_active(env, name):
        shown.draw(_read_view(env, name))
        sleep(display.EVERY)
    shown.close()


def _follow_lines(env: VerbEnvironment, name: str, shown: display.LineDisplay) -> None:
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
        sleep(display.EVERY)


def _moved(before: dict[str, str], marks: dict[str, str], seen: RunView, *, json: bool) -> list[str]:
    if json:
        return [dumps(seen.document())]
    when = display.format_clock(seen.seconds)
    texts = {row.name: row.text for row in seen.rows}
    names = [name for name, mark in marks.items() if before.get(name) != mark]
    return [f"{when}  {marks[name]} {name}  {texts[name]}" if name else f"{when}  {seen.phase}" for name in names]
