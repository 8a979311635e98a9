"""Import sessions of earlier layouts (5.0 to 7.0, flat and with a team folder), once."""

import os
from collections.abc import Sequence
from typing import Any

from ..core import check
from ..core.errors import Conflict, UltraworkError, UsageError
from ..core.plan.task import COMPLEXITIES, MAX_RETRY, STANDARD, Task, parse
from ..core.session import exploration
from ..core.session import session as phases
from ..core.session.exploration import LISTS, Explorer
from ..core.session.session import DEFAULT_OPTIONS, SCHEMA, Session, SessionState
from ..core.times import parse_iso
from . import sessions, tasks
from .atomic import read_text
from .codec import loads
from .store import Store

_LIMIT = 10_000_000
_MOST = 1_000_000


def import_all(store: Store, folders: Sequence[str], *, force: bool) -> tuple[list[str], list[tuple[str, str]]]:
    """Import every old session below the folders; return the imported ids, and what was skipped with the reason."""
    taken: list[str] = []
    refused: list[tuple[str, str]] = []
    for folder in folders:
        for path in find_sessions(os.path.abspath(folder)):
            try:
                taken.append(_import(store, path, force=force))
            except UltraworkError as error:
                refused.append((path, str(error)))
    return taken, refused


def find_sessions(folder: str) -> list[str]:
    """Return session folders in `folder` itself, in its `sessions/`, and in `{team}/sessions/`."""
    if os.path.isfile(f"{folder}/session.json"):
        return [folder]
    places = [f"{folder}/sessions", *(f"{folder}/{team}/sessions" for team in _names(folder))]
    folders = [f"{place}/{name}" for place in places for name in _names(place)]
    return [path for path in folders if os.path.isfile(f"{path}/session.json") and not _is_own_view(path)]


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


def _is_own_view(path: str) -> bool:
    """A folder of views that this program wrote is not an old session."""
    try:
        return bool(_read(f"{path}/session.json").get("version") == SCHEMA)
    except UsageError:
        return False


def _import(store: Store, path: str, *, force: bool) -> str:
    original = _read(f"{path}/session.json")
    session = _session(original, path)
    plan = _tasks(path, session.started_at)
    explorers = _explorers(path, session.started_at)
    with store.change(session.id) as change:
        if not force and change.database.row("SELECT 1 FROM sessions WHERE id=?", session.id):
            raise Conflict(f"session {session.id} already exists; replace it with --force")
        sessions.create(change, session, force=force)
        tasks.create(change, plan)
        sessions.expect_explorers(change, [explorer.id for explorer in explorers if explorer.expected])
        for explorer in explorers:
            if explorer.done_at is not None:
                sessions.take_report(change, explorer)
        # Its file may be replaced by ours, so the record keeps everything it held.
        change.record("session.imported", {"tasks": len(plan), "original": original})
    return session.id


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            value = loads(file.read(_LIMIT).decode("utf-8", "replace"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise UsageError(f"{path} is not JSON") from None
    if not isinstance(value, dict):
        raise UsageError(f"{path} is not a JSON object")
    return value


def _session(old: dict[str, Any], path: str) -> Session:
    started = parse_iso(str(old.get("started_at", ""))) or os.stat(path).st_mtime
    phase = phases.parse(str(old.get("phase", phases.PLANNING)))
    ended = parse_iso(str(old.get("cancelled_at") or old.get("updated_at") or "")) or started
    given = _dict(old.get("options"))
    options = {key: _like(given.get(key), default) for key, default in DEFAULT_OPTIONS.items()}
    known = {key: old[key] for key in ("team", "claude_session_id", "worktree", "goal_brief") if old.get(key)}
    return Session(
        id=check.require_session_id(str(old.get("session_id") or os.path.basename(path))),
        goal=str(old.get("goal") or "(no goal recorded)"),
        working_dir=str(old.get("working_dir") or ""),
        phase=phase,
        exploration_stage=_choose_known(old.get("exploration_stage"), exploration.STAGES, exploration.NOT_STARTED),
        iteration=int(_like(old.get("iteration"), 1)),
        options=options,
        plan=_dict(old.get("plan")),
        state=SessionState(known),
        # A verdict of the earlier programs was a model's statement; it does not become ours.
        verdict=None,
        started_at=started,
        updated_at=parse_iso(str(old.get("updated_at", ""))) or started,
        ended_at=ended if phase in phases.TERMINAL else None,
    )


def _like(value: Any, default: Any) -> Any:
    """Numbers were stored as text by some versions."""
    if isinstance(default, bool):
        return value is True or value == "true"
    try:
        return min(max(0, int(value)), _MOST)
    except (TypeError, ValueError):
        return default


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: Any) -> list[str]:
    """Return a list, or as some versions wrote it, a text with commas."""
    parts = value.split(",") if isinstance(value, str) else _list(value)
    return [text for text in (str(part).strip() for part in parts) if text]


def _choose_known(value: Any, known: Sequence[str], default: str) -> str:
    return value if value in known else default


def _tasks(path: str, started: float) -> list[Task]:
    names = [name for name in _names(f"{path}/tasks") if name.endswith(".json")]
    tasks = [_task(_read(f"{path}/tasks/{name}"), name[:-5], started) for name in names]
    known = {task.id for task in tasks}
    for task in tasks:
        task.blocked_by = [other for other in task.blocked_by if other in known and other != task.id]
    return tasks


def _task(old: dict[str, Any], name: str, started: float) -> Task:
    needs = _texts(old.get("blockedBy") or old.get("blocked_by"))
    return Task(
        id=check.require_task_id(str(old.get("id") or name)),
        subject=str(old.get("subject") or name),
        description=str(old.get("description") or ""),
        status=parse(str(old.get("status") or "open")),
        complexity=_choose_known(old.get("complexity"), COMPLEXITIES, STANDARD),
        criteria=[str(criterion) for criterion in _list(old.get("criteria"))],
        evidence=_list(old.get("evidence")),
        blocked_by=list(dict.fromkeys(needs)),
        retry_count=int(_like(old.get("retry_count"), 0)),
        max_retry=int(_like(old.get("max_retry"), MAX_RETRY)),
        created_at=parse_iso(str(old.get("created_at", ""))) or started,
        updated_at=parse_iso(str(old.get("updated_at", ""))) or started,
    )


def _explorers(path: str, started: float) -> list[Explorer]:
    if not os.path.isfile(f"{path}/context.json"):
        return []
    old = _read(f"{path}/context.json")
    expected = _texts(old.get("expected_explorers"))
    entries = [entry for entry in _list(old.get("explorers")) if isinstance(entry, dict)]
    reported = [_explorer(entry, path, started) for entry in entries]
    if reported:
        # The shared lists of a context have no owner; the first explorer carries them.
        shared = {key: _texts(old.get(key)) for key in LISTS}
        reported[0].findings.update({key: texts for key, texts in shared.items() if texts})
    for explorer in reported:
        explorer.expected = explorer.id in expected
    missing = set(expected) - {explorer.id for explorer in reported}
    return reported + [Explorer(id=name, expected=True) for name in expected if name in missing]


def _explorer(entry: dict[str, Any], path: str, started: float) -> Explorer:
    """Read an explorer; document 001 kept its summary and files below `findings`."""
    findings = _dict(entry.get("findings"))
    lists = {key: _texts(findings.get(key)) for key in LISTS}
    lists["key_files"] = lists["key_files"] or _texts(findings.get("files"))
    name = check.require_task_id(str(entry.get("id") or "explorer"))
    report = read_text(f"{path}/exploration/{name}.md", _LIMIT)
    return Explorer(
        id=name,
        hint=str(entry.get("hint") or ""),
        summary=str(entry.get("summary") or findings.get("summary") or ""),
        findings={**findings, **lists},
        report=report,
        done_at=parse_iso(str(entry.get("completed_at") or "")) or started,
    )
