"""
Write the files that users and models read, from the database after each commit; they are never read back.

Two programs may write the same view at once, and the earlier one may finish later. So a writer that finds the session
changed afterwards renders and writes again.
"""

import os
from time import time

from ..core import registry
from ..core.errors import NotFound, Trouble
from ..core.session import exploration
from . import atomic, receipts, sessions, tasks
from .codec import dumps_pretty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.plan.task import Task
    from .database import Database
    from .paths import Home

LEFTOVERS = "leftovers"
MODES = "modes"
ALL = "*"
_BEHIND = "views-behind"
_MOST_OWED = 100
_ROUNDS = 5
_ABANDONED = 60.0
_FOLDERS = ("tasks", "exploration", "evidence")
_SINGLE = ("design.md", "verdict.json")


def refresh(
    database: "Database", home: "Home", session: str, names: "Sequence[str]", writer: int | None = None
) -> list[str]:
    """Update the views, and remove the writer's own mark. The database is already safe, so errors here are reported,
    not raised."""
    try:
        folder = home.session(session)
        _set_aside(home, folder, names)
        _make_folders(folder)
        left = list_left_marks(folder)
        names = list(dict.fromkeys([*names, *_list_owed(database, session, folder, left)]))
        _write_until_settled(database, session, folder, names)
        if LEFTOVERS in names:
            _sweep(database, session, folder)
        if MODES in names:
            _show_modes(database, session)
        for name in registry.list_leads():
            if name in names:
                registry.ask(name, "show_pages")(database, sessions.get(database, session))
        for mark in (*left, *([] if writer is None else [_name_mark(writer)])):
            _remove(f"{folder}/{mark}")
    except OSError as error:
        return [
            f"the files in {home.sessions}/{session} could not be written ({error.strerror}); "
            "the database is complete. When the folder is writable, run ultrawork session rebuild"
        ]
    except Trouble as error:
        return [str(error)]
    return []


def mark_behind(home: "Home", session: str, writer: int, names: "Sequence[str]" = (ALL,)) -> None:
    """Mark these views as possibly outdated; each writer has its own mark."""
    folder, mark = home.session(session), _name_mark(writer)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    views = names if len(names) <= _MOST_OWED else [ALL]
    try:
        try:
            handle = os.open(f"{folder}/{mark}", flags, 0o600)
        except FileNotFoundError:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            handle = os.open(f"{folder}/{mark}", flags, 0o600)
        try:
            os.write(handle, "".join(f"{name}\n" for name in views).encode())
        finally:
            os.close(handle)
    except OSError:
        pass  # then the views cannot be written either, which is reported


def _name_mark(writer: int) -> str:
    """Return a mark's name; one process may hold several stores."""
    return f"{_BEHIND}.{writer}.{os.getpid()}"


def list_left_marks(folder: str) -> list[str]:
    """Return the marks of writers that are gone; live ones write their views themselves."""
    # No folder, or an unreadable one: the writer will report it.
    names = [name for name in atomic.list_folder(folder) if name.startswith(_BEHIND)]
    return [name for name in names if not _is_writing(name.rpartition(".")[2])]


def _list_owed(database: "Database", session: str, folder: str, marks: "Sequence[str]") -> list[str]:
    """
    The session's views that the marks name. Who was killed before they were all written down had not
    committed yet, and owes nothing.
    """
    owed: set[str] = set()
    for mark in marks:
        try:
            with open(f"{folder}/{mark}", encoding="utf-8") as file:
                owed.update(file.read().splitlines())
        except (OSError, ValueError):
            owed.add(ALL)
    known = list_names(database, session) if owed else []
    return [name for name in known if name in owed or ALL in owed]


def _is_writing(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except (ValueError, OverflowError, OSError):
        return False
    return True


def _show_modes(database: "Database", session: str) -> None:
    """Write the mode files in the worktree, in the form of document 004."""
    from . import modes

    modes.show(sessions.get(database, session))


def _set_aside(home: "Home", folder: str, names: "Sequence[str]") -> None:
    """Rename the folder of a session that made way to its new id."""
    for name in names:
        if name.startswith("aside:") and os.path.isdir(folder):
            os.rename(folder, home.session(name[6:]))


def _make_folders(folder: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for name in _FOLDERS:
        os.makedirs(f"{folder}/{name}", mode=0o700, exist_ok=True)
        if os.path.islink(f"{folder}/{name}"):
            raise Trouble(f"{folder}/{name} is a symbolic link, so nothing was written; remove it")


def _write_until_settled(database: "Database", session: str, folder: str, names: "Sequence[str]") -> None:
    written: dict[str, str] = {}
    for _ in range(_ROUNDS):
        head = _head(database, session)
        texts = render(database, session, names)
        stale = {path: text for path, text in texts.items() if written.get(path) != text}
        atomic.write_many({f"{folder}/{path}": text for path, text in stale.items()})
        written.update(stale)
        if _head(database, session) == head:
            return


def _head(database: "Database", session: str) -> object:
    """Return the last link of the session's record: it moves with every change."""
    return database.value("SELECT head FROM sessions WHERE id=?", session)


def _sweep(database: "Database", session: str, folder: str) -> None:
    """Remove views of an earlier session with this id, and leftovers of a killed writer."""
    kept = set(render(database, session, list_names(database, session)))
    for place in ("", *(f"{name}/" for name in _FOLDERS)):
        for name in os.listdir(f"{folder}/{place}"):
            path = f"{place}{name}"
            view = path in _SINGLE or (place and path.endswith((".json", ".md")))
            if (view and path not in kept) or path.endswith(".tmp"):
                _remove(f"{folder}/{path}")


def _remove(path: str) -> None:
    try:
        if not path.endswith(".tmp") or time() - os.lstat(path).st_mtime > _ABANDONED:
            os.unlink(path)
    except FileNotFoundError:
        pass  # another has swept, or a writer has put it in its place


def list_names(database: "Database", session: str) -> list[str]:
    """The names of all views that a session has."""
    stored_session = sessions.get(database, session)
    names = ["session", "context", LEFTOVERS]
    names += ["design"] if stored_session.design is not None else []
    names += [MODES] if MODES in stored_session.state else []
    kept = registry.find_keeper(session)
    names += [name for name in registry.FEATURES if name in stored_session.state or name == kept]
    names += [f"task:{name}" for name in tasks.read_needs(database, session)]
    names += [f"evidence:{receipt['id']}" for receipt in receipts.list_all(database, session)]
    names += ["verdict"] if receipts.find_last_verdict(database, session) else []
    return names + [f"explorer:{explorer.id}" for explorer in sessions.list_explorers(database, session)]


def render(database: "Database", session: str, names: "Sequence[str]") -> dict[str, str]:
    """Path inside the session's folder → text, for the named views."""
    texts: dict[str, str] = {}
    for name in names:
        if name in _WHOLE:
            _WHOLE[name](database, session, texts)
    for name in names:
        if name.startswith("evidence:"):
            number = int(name[9:])
            texts[f"evidence/{number}.json"] = dumps_pretty(receipts.get(database, session, number))
    _render_tasks(database, session, names, texts)
    _render_reports(database, session, names, texts)
    return texts


def _render_session(database: "Database", session: str, texts: dict[str, str]) -> None:
    texts["session.json"] = dumps_pretty(sessions.get(database, session).document())


def _render_context(database: "Database", session: str, texts: dict[str, str]) -> None:
    texts["context.json"] = dumps_pretty(exploration.make_document(sessions.list_explorers(database, session)))


def _render_design(database: "Database", session: str, texts: dict[str, str]) -> None:
    texts["design.md"] = sessions.get(database, session).design or ""


def _render_verdict(database: "Database", session: str, texts: dict[str, str]) -> None:
    texts["verdict.json"] = dumps_pretty(receipts.find_last_verdict(database, session))


_WHOLE = {"session": _render_session, "context": _render_context, "design": _render_design, "verdict": _render_verdict}


def _render_tasks(database: "Database", session: str, names: "Sequence[str]", texts: dict[str, str]) -> None:
    wanted = {name[5:] for name in names if name.startswith("task:")}
    if not wanted:
        return
    candidates = (
        [_task_or_none(database, session, name) for name in wanted]
        if len(wanted) < max(16, tasks.count(database, session) // 4)
        else tasks.list_all(database, session)
    )
    for task in candidates:
        if task is not None and task.id in wanted:
            texts[f"tasks/{task.id}.json"] = dumps_pretty(task.document())


def _task_or_none(database: "Database", session: str, name: str) -> "Task | None":
    try:
        return tasks.get(database, session, name)
    except NotFound:
        return None


def _render_reports(database: "Database", session: str, names: "Sequence[str]", texts: dict[str, str]) -> None:
    wanted = {name[9:] for name in names if name.startswith("explorer:")}
    if not wanted:
        return
    for explorer in sessions.list_explorers(database, session):
        if explorer.id in wanted and explorer.report is not None:
            texts[explorer.file] = explorer.report
