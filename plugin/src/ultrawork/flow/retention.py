"""Delete finished work that exceeds the limits, once a day when work begins. A run's worktrees and refs are in the
user's repository: the caller removes those (`forget`). Without `forget` such a session stays."""

import os
from collections.abc import Callable, Iterator, Mapping
from shutil import rmtree

from ..core.errors import UltraworkError
from ..core.session.session import TERMINAL, Session
from ..core.value import Value
from ..store import codec, log, sessions, settings
from ..store.paths import Home
from ..store.settings import Settings
from ..store.store import Store
from ..system import checkout as checkouts
from ..system.files import measure_folder, remove_file

Forget = Callable[[Session], None]

EVERY = 86_400.0
# What was used within this time stays: its next use would only recreate it.
IN_USE = 7 * 86_400.0
MEGABYTE = 1_000_000
_MARK = "swept"
_OUTSIDE = "outside"
_SCRATCH = "scratch"
_TRACE = "trace.jsonl"
_CACHE_NAME = 16


class KeptLimits(Value):
    """How long ended sessions stay, and how many bytes of the rest; 0 means no limit."""

    sessions: float
    traces: int
    logs: int
    cache: int

    @classmethod
    def from_settings(cls, own: Settings) -> "KeptLimits":
        sizes = [int(own[f"keep.{name}"]) * MEGABYTE for name in ("traces", "logs", "cache")]
        return cls(float(own["keep.sessions"]), *sizes)


class StoredFile(Value):
    path: str
    size: int
    used: float


def sweep_when_due(store: Store, environ: Mapping[str, str], forget: Forget | None = None) -> list[str]:
    """Sweep once a day for all programs of this user; return the names of what was removed. Errors are logged, because
    other work must not fail for it."""
    try:
        if not _take_turn(store.home, store.now()):
            return []
        return take_away(store, read_limits(store.home, environ), forget)
    except (UltraworkError, OSError) as error:
        log.write(store.home, "sweep", str(error))
        return []


def read_limits(home: Home, environ: Mapping[str, str]) -> KeptLimits:
    """Return the user's own limits; no project can change them."""
    return KeptLimits.from_settings(settings.load(environ, home, lambda _: None))


def _take_turn(home: Home, now: float) -> bool:
    mark = f"{home.root}/{_MARK}"
    try:
        if 0 <= now - os.stat(mark).st_mtime < EVERY:
            return False
    except FileNotFoundError:
        pass
    with open(mark, "w", encoding="utf-8"):
        os.utime(mark, (now, now))
    return True


def take_away(store: Store, limits: KeptLimits, forget: Forget | None = None) -> list[str]:
    home, now = store.home, store.now()
    gone = _remove_ended(store, now - limits.sessions, forget) if limits.sessions else []
    open_ones = [session for session in sessions.list_all(store.database) if session.active]
    held = {session.id for session in open_ones}
    traces = [stored_file for stored_file in _list_traces(home) if stored_file.path.split("/")[-2] not in held]
    gone += _remove_oldest(traces, limits.traces, now)
    gone += _remove_oldest(_list_old_logs(home), limits.logs, now)
    return gone + _remove_oldest(_list_caches(home, open_ones), limits.cache, now - IN_USE)


def has_ended(session: Session) -> bool:
    return session.ended_at is not None or session.phase in TERMINAL


def remove_ended_session(store: Store, session: Session, forget: Forget | None = None) -> None:
    if forget is not None:
        forget(session)
    with store.change(session.id) as change:
        sessions.delete(change, session.id)
    remove_files(store, session.id)


def remove_files(store: Store, name: str) -> None:
    folder = store.home.session(name)
    try:
        if os.path.isdir(folder):
            rmtree(folder)
    except OSError as error:
        store.warnings.append(f"{folder} could not be removed ({error.strerror}); remove it")


def _remove_ended(store: Store, limit: float, forget: Forget | None) -> list[str]:
    gone = []
    for session in sessions.list_all(store.database, checkouts=True):
        mine = forget is not None or not session.state.run
        if mine and has_ended(session) and session.updated_at <= limit:
            remove_ended_session(store, session, forget)
            gone.append(session.id)
    return gone + _remove_strays(store, limit)


def _remove_strays(store: Store, limit: float) -> list[str]:
    """Remove folders of sessions that were never on and that no record knows."""
    removed = []
    known = {name for (name,) in store.database.rows("SELECT id FROM sessions")}
    for entry in _scan(store.home.sessions):
        if entry.name not in known and _find_last_use(entry.path) <= limit:
            rmtree(entry.path, ignore_errors=True)
            removed.append(entry.name)
    return removed


def _remove_oldest(stored_files: list[StoredFile], limit: int, unused_since: float) -> list[str]:
    """Remove the oldest until the rest is within the limit, or in use."""
    total, gone = sum(stored_file.size for stored_file in stored_files), []
    for stored_file in sorted(stored_files, key=lambda file: file.used):
        if not limit or total <= limit or stored_file.used > unused_since:
            break
        if os.path.isdir(stored_file.path):
            rmtree(stored_file.path, ignore_errors=True)
        else:
            remove_file(stored_file.path)
        total -= stored_file.size
        gone.append(stored_file.path)
    return gone


def _list_traces(home: Home) -> list[StoredFile]:
    files = (entry for folder in _scan(home.sessions) for entry in _scan(folder.path))
    return [_describe(file.path) for file in files if file.name.startswith(_TRACE)]


def _list_old_logs(home: Home) -> list[StoredFile]:
    """Return rotated logs; the newest of each is still written."""
    return [_describe(entry.path) for entry in _scan(home.logs) if entry.name.rpartition(".")[2].isdigit()]


def _list_caches(home: Home, open_ones: list[Session]) -> list[StoredFile]:
    """Return caches of repositories without an active session; active ones need their baseline files."""
    places = [checkouts.find(session.working_dir) for session in open_ones]
    needed = {codec.digest(place.common)[:_CACHE_NAME] for place in places if place is not None}
    free = [] if open_ones else [_OUTSIDE]
    return [
        _describe(entry.path)
        for entry in _scan(home.cache)
        if entry.name in free or (_is_mirror(entry.name) and entry.name not in needed)
    ]


def _is_mirror(name: str) -> bool:
    return len(name) == _CACHE_NAME and not set(name) - set("0123456789abcdef")


def _describe(path: str) -> StoredFile:
    return StoredFile(path, measure_folder(path), _find_last_use(path))


def _find_last_use(path: str) -> float:
    """Return when something in it was last written, two folders deep."""
    times = [os.lstat(path).st_mtime] if os.path.lexists(path) else []
    for entry in _scan(path):
        times += [entry.stat(follow_symlinks=False).st_mtime]
        times += [inner.stat(follow_symlinks=False).st_mtime for inner in _scan(entry.path)]
    return max(times, default=0.0)


def _scan(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return


def measure_kept(home: Home) -> dict[str, int]:
    """Return the bytes on disk, by kind."""
    traces = sum(stored_file.size for stored_file in _list_traces(home))
    scratch = measure_folder(f"{home.cache}/{_SCRATCH}")
    return {
        "sessions": measure_folder(home.sessions) - traces,
        "traces": traces,
        "logs": measure_folder(home.logs),
        "cache": measure_folder(home.cache) - scratch,
        "scratch": scratch,
        "database": measure_folder(home.database),
    }
