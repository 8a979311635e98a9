"""Small files that show a shell, without a database, the state of a session: `[ -e … ]` is enough.

Arming creates two `active` markers, one in the state folder and one in the client's folder for the plugin; `off` is
the user's switch. The other kinds hold what must outlive a process: the files of the last verdict (`after`), unshown
messages (`news`), a background run (`background`), the running check (`running`), which session a client was told to
resume (`resumed`, by its process), what an agent gets when it starts (`briefs`, by its call), which hints were given
(`hinted`), the process that decides a stop (`deciding`), how many stops in a row could not be decided (`failing`), the
toolbox that holds a Python session (`pythons`, by both names), what the client asked its user for (`waiting`), what
the remote of a run refuses (`remote`), that the baseline run is still to start (`baseline`), the folder of a session's
program copy (`program`, plain text for a shell), that another client takes its planned session over (`handed`), the
files before a command that must change none, and when a question was asked (`before`, by its call), consent that a
terminal alone cannot give (`codes`, by checkout)."""

import os
from time import time

from .codec import dumps, loads
from .paths import PLUGIN_DATA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .paths import Home

ACTIVE = "active"
OFF = "off"
AFTER = "after"
NEWS = "news"
BACKGROUND = "background"
RUNNING = "running"
RESUMED = "resumed"
BRIEFS = "briefs"
HINTED = "hinted"
DECIDING = "deciding"
FAILING = "failing"
PYTHONS = "pythons"
WAITING = "waiting"
REMOTE = "remote"
BASELINE = "baseline"
PROGRAM = "program"
HANDED = "handed"
BEFORE = "before"
CODES = "codes"
_SWEPT = (
    AFTER, NEWS, OFF, BACKGROUND, RUNNING, RESUMED, BRIEFS, HINTED, DECIDING, FAILING, PYTHONS,
    WAITING, REMOTE, BASELINE, PROGRAM, HANDED, BEFORE, CODES,
)  # fmt: skip
_OLD = 30 * 86400.0
_SIZE = 65536


def _folders(home: "Home", environ: "Mapping[str, str]") -> list[str]:
    data = environ.get(PLUGIN_DATA, "")
    return [f"{home.root}/{ACTIVE}", *([f"{data.rstrip('/')}/{ACTIVE}"] if data.startswith("/") else [])]


def arm(
    home: "Home", environ: "Mapping[str, str]", session: str, content: "dict[str, Any]", *, anew: bool = True
) -> None:
    """Arm a session; the switch is removed last, so that it is off until then. Background work of a continued one
    stays."""
    for folder in _folders(home, environ):
        _write(f"{folder}/{session}", content)
    for kind in (AFTER, NEWS, FAILING, OFF, *((BACKGROUND, RUNNING) if anew else ())):
        remove(home, kind, session)
    _sweep(home)


def disarm(home: "Home", environ: "Mapping[str, str]", session: str) -> None:
    for folder in _folders(home, environ):
        _remove(f"{folder}/{session}")
    for kind in (BACKGROUND, RUNNING, BASELINE, PROGRAM):
        remove(home, kind, session)


def is_armed(home: "Home", session: str) -> bool:
    return is_set(home, ACTIVE, session)


def is_armed_anywhere(home: "Home", environ: "Mapping[str, str]", session: str) -> bool:
    """Return whether at least one of the two markers is left."""
    folders = _folders(home, environ) if session else []
    return any(os.path.exists(f"{folder}/{session}") for folder in folders)


def find_armed(home: "Home", environ: "Mapping[str, str]", session: str) -> "dict[str, Any] | None":
    """Return the content of an armed session's markers; empty if both are damaged, None without any."""
    folders = _folders(home, environ)
    for folder in folders:
        content = read(f"{folder}/{session}")
        if content is not None:
            return content
    return {} if is_armed_anywhere(home, environ, session) else None


def change_content(home: "Home", environ: "Mapping[str, str]", session: str, content: "dict[str, Any]") -> None:
    """Change the content of a session's markers."""
    for folder in _folders(home, environ):
        _write(f"{folder}/{session}", content)


def find_planned_session(home: "Home", session: str) -> str:
    """The name of the planned session that this client session drives; empty if it drives none."""
    from ..core.session_kinds import FULL

    content = get(home, ACTIVE, session) or {}
    return str(content.get("session") or session) if content.get("kind") == FULL else ""


def list_drivers(home: "Home", planned: str) -> "dict[str, dict[str, Any]]":
    """Return the client sessions that are on for a planned session, with what their markers hold."""
    try:
        names = sorted(os.listdir(f"{home.root}/{ACTIVE}"))
    except OSError:
        return {}
    contents = {name: get(home, ACTIVE, name) or {} for name in names}
    return {name: content for name, content in contents.items() if content.get("session") == planned}


def find_trouble(home: "Home", environ: "Mapping[str, str]", session: str) -> str:
    """Return what is wrong with an armed session's markers; empty if all is well."""
    if any(read(f"{folder}/{session}") is None for folder in _folders(home, environ)):
        return "a marker file of this session was removed or damaged"
    return ""


def locate_baseline(home: "Home", session: str) -> str:
    """Return the lock of the baseline run; the file is as old as that run."""
    return f"{home.root}/{BACKGROUND}/{session}.baseline"


def put(home: "Home", kind: str, session: str, content: "dict[str, Any]") -> None:
    """Write a marker without flushing: it need not survive a power cut, and waiting for the disk costs more."""
    _write(f"{home.root}/{kind}/{session}", content, sync=False)


def put_text(home: "Home", kind: str, session: str, line: str) -> None:
    """Write a line that a shell reads itself."""
    from . import atomic

    os.makedirs(f"{home.root}/{kind}", mode=0o700, exist_ok=True)
    atomic.write(f"{home.root}/{kind}/{session}", f"{line}\n", sync=False)


def list_texts(home: "Home", kind: str) -> list[str]:
    """Return the lines of all sessions."""
    folder, lines = f"{home.root}/{kind}", []
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        try:
            with open(f"{folder}/{name}", encoding="utf-8", errors="replace") as file:
                lines.append(file.readline().rstrip("\n"))
        except OSError:
            continue
    return lines


def get(home: "Home", kind: str, session: str) -> "dict[str, Any] | None":
    return read(f"{home.root}/{kind}/{session}") if session else None


def is_set(home: "Home", kind: str, session: str) -> bool:
    return bool(session) and os.path.exists(f"{home.root}/{kind}/{session}")


def has_any(home: "Home", kind: str) -> bool:
    try:
        with os.scandir(f"{home.root}/{kind}") as entries:
            return any(entries)
    except OSError:
        return False


def remove(home: "Home", kind: str, session: str) -> None:
    _remove(f"{home.root}/{kind}/{session}")


def read(path: str, size: int = _SIZE) -> "dict[str, Any] | None":
    try:
        with open(path, "rb") as file:
            value = loads(file.read(size).decode("utf-8", "replace"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def switch_off(home: "Home", session: str) -> None:
    """Turn a session off; needs no lock, no database, no readable state."""
    os.makedirs(f"{home.root}/{OFF}", mode=0o700, exist_ok=True)
    with open(f"{home.root}/{OFF}/{session}", "w", encoding="utf-8"):
        pass


def is_switched_off(home: "Home", session: str) -> bool:
    return is_set(home, OFF, session)


def _write(path: str, content: "dict[str, Any]", *, sync: bool = True) -> None:
    from . import atomic

    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    atomic.write(path, dumps(content) + "\n", sync=sync)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _sweep(home: "Home") -> None:
    """Remove markers unused for a month; `active` ones may be resumed at any time."""
    for kind in _SWEPT:
        try:
            with os.scandir(f"{home.root}/{kind}") as entries:
                old = [entry.path for entry in entries if time() - entry.stat().st_mtime > _OLD]
        except OSError:
            continue
        for path in old:
            _remove(path)
