"""`ultrawork watch`: a headless run as it goes on, from any terminal."""

import sys
from time import sleep

from ...engine import view
from ...engine.local.executor import ENGINE_LOCK
from ...engine.local.folder import is_held
from ...store import sessions
from ...store.fast import dumps
from .. import live
from ..command import Command
from ..flags import SESSION
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...engine.view import View
    from ..edge import Edge
    from ..flags import Args


def watch(args: "Args", edge: "Edge") -> Result:
    """Until the session has ended: drawn on a terminal, elsewhere a line for whatever moved."""
    name = edge.session(args).id
    shown = live.of(edge.environ, json=edge.json)
    if isinstance(shown, live.Picture):
        _draw(edge, name, shown)
    else:
        _follow(edge, name, shown)
    seen = _look(edge, name)
    text = "\n".join(line for line, _ in live.lines(seen, live.width(sys.stdout)))
    return Result({"session_id": name, **seen.document()}, text)


def _look(edge: "Edge", name: str) -> "View":
    return view.look(edge.store.database, name, now=edge.store.now())


def _is_active(edge: "Edge", name: str) -> bool:
    return sessions.get(edge.store.database, name).active


def _draw(edge: "Edge", name: str, shown: live.Picture) -> None:
    while _is_active(edge, name):
        shown.draw(_look(edge, name))
        sleep(live.EVERY)
    shown.close()


def _follow(edge: "Edge", name: str, shown: live.Lines) -> None:
    """Only while an engine is at work: a program that reads this would wait for nothing."""
    lock = f"{edge.store.home.session(name)}/{ENGINE_LOCK}"
    before: dict[str, str] = {}
    while is_held(lock) and _is_active(edge, name):
        seen = _look(edge, name)
        marks = {"": seen.phase, **{row.name: row.mark for row in seen.rows}}
        if marks != before:
            moved = _moved(before, marks, seen, json=edge.json)
            shown.write("\n".join(moved) + "\n")
        before = marks
        sleep(live.EVERY)


def _moved(before: dict[str, str], marks: dict[str, str], seen: "View", *, json: bool) -> list[str]:
    if json:
        return [dumps(seen.document())]
    when = live.clock(seen.seconds)
    texts = {row.name: row.text for row in seen.rows}
    names = [name for name, mark in marks.items() if before.get(name) != mark]
    return [
        f"{when}  {marks[name]} {name}  {texts[name]}" if name else f"{when}  {seen.phase}"
        for name in names
    ]


COMMANDS = (
    Command("", "Watch a run until it ends", watch, flags=(SESSION,), example="ultrawork watch"),
)
