"""Decide who writes what in ultrapilot: workers their own files, the coordinator the shared ones, no one both."""

from collections.abc import Iterable
from typing import Any

from ..core.course.steps import SessionFacts
from ..core.modes import modes, record, shared_files
from ..core.modes.shared_files import COORDINATOR, SETTLER
from ..core.plan import criteria
from ..core.plan import task as core_task
from ..core.plan.evidence import SHELL
from ..core.plan.task import VERIFY, Task
from ..core.session.session import Session
from ..core.wording import cut, join_lines
from ..store import sessions, tasks
from ..store.codec import dumps_pretty
from ..store.database import Change
from ..store.omc.folder import Omc
from ..store.store import Store
from .course import Course

_WORDS = 600
_MOST = 5


def note_if_shared(store: Store, name: str, task: str, path: str) -> bool:
    """Return whether a worker may not write this file because it is shared; the request is recorded."""
    if not shared_files.is_shared(path):
        return False
    if shared_files.is_coordinator_task(tasks.get(store.database, name, task)):
        return False
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        wishes = shared_files.list_wishes(session)
        wish = [*wishes.get(path, []), *([] if task in wishes.get(path, []) else [task])]
        _keep(change, session, "wish.kept", wishes={**wishes, path: wish})
    return True


def record_files(store: Store, name: str, task: str, edited: Iterable[str], message: str) -> None:
    """Record what a finished worker changed, by its edits and by its commands."""
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        state = session.state.ultrapilot
        by_path: dict[str, list[str]] = dict(state.get("wrote", {}))
        for path in sorted(_relative(session, edited) | _by_shell(change, task)):
            by_path[path] = [*(writer for writer in by_path.get(path, []) if writer != task), task]
        words = dict(state.get("words", {}))
        if any(task in wish for wish in shared_files.list_wishes(session).values()):
            words[task] = cut(join_lines(message), _WORDS)
        _keep(change, session, "files.owned", wrote=by_path, words=words)


def _relative(session: Session, paths: Iterable[str]) -> set[str]:
    root = f"{session.place}/"
    return {path.removeprefix(root) for path in paths if path.startswith(root)}


def _by_shell(change: Change, task: str) -> set[str]:
    evidence = tasks.get(change.database, change.session, task).evidence
    kind = [entry for entry in evidence if isinstance(entry, dict) and entry.get("type") == SHELL]
    return {str(path) for entry in kind for path in entry.get("files", ())}


def coordinate(course: Course) -> None:
    """Create one task for all requests; its worker may write shared files."""
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        wishes, words = shared_files.list_wishes(session), session.state.ultrapilot.get("words", {})
        count = sum(task.id.startswith(COORDINATOR) for task in _plan(change)) + 1
        lines = [f"- {path}: requested by {', '.join(wish)}" for path, wish in sorted(wishes.items())]
        lines += [f"- task {task} said: {text}" for task, text in sorted(words.items())]
        _add(
            change,
            f"{COORDINATOR}{count}",
            "Change the shared files that workers asked for",
            "\n".join(["No other worker writes these.", *lines]),
            [f"judged: {path} holds what was asked for" for path in sorted(wishes)],
            files=sorted(wishes),
        )
        _keep(change, session, "wishes.planned", wishes={}, words={})


def settle_conflicts(course: Course, why: str) -> None:
    """Add a task that makes both workers' criteria hold together."""
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        plan = {task.id: task for task in _plan(change)}
        clashes = shared_files.find_clashes(session, list(plan.values()))
        both = {name for _, first, second in clashes for name in (first, second)}
        run = [text for name in sorted(both) for text in plan[name].criteria]
        commands = [text for text in run if not criteria.parse(text).judged]
        lines = [f"- {first} and {second} both changed {path}" for path, first, second in clashes]
        _add(
            change,
            f"{SETTLER}{session.iteration}",
            "Settle files that two workers changed",
            "\n".join(["Keep both changes and make them fit together.", *lines]),
            list(dict.fromkeys(commands or run)),
            files=sorted({path for path, _, _ in clashes}),
            needs=sorted(both),
        )
        session.iteration += 1
        settled = [*session.state.ultrapilot.get("settled", []), *clashes]
        _keep(change, session, "conflicts.found", settled=settled, why=why)


def _plan(change: Change) -> list[Task]:
    return tasks.list_all(change.database, change.session)


def _add(
    change: Change,
    name: str,
    subject: str,
    description: str,
    wanted: list[str],
    *,
    files: list[str],
    needs: Iterable[str] = (),
) -> None:
    task = Task(
        id=name,
        subject=subject,
        description=description,
        complexity=core_task.COMPLEX,
        criteria=wanted[:_MOST],
        files=files,
        blocked_by=list(needs),
        created_at=change.now,
        updated_at=change.now,
    )
    tasks.create(change, [task])
    tasks.wait_for_all(change, VERIFY)


def _keep(change: Change, session: Session, kind: str, **new: Any) -> None:
    session.state.ultrapilot = {**session.state.ultrapilot, **new}
    sessions.save(change, session, kind, new)


def show_owners(omc: Omc, known: SessionFacts) -> None:
    """Write the file of document 004 for scripts: who owns what, and which files two workers changed."""
    session = known.session
    if modes.ULTRAPILOT not in record.read_active(session):
        return
    workers = {task.id: task.files for task in known.work if not shared_files.is_coordinator_task(task)}
    shared = [path for task in known.work for path in task.files if shared_files.is_shared(path)]
    text = dumps_pretty(
        {
            "session_id": session.id,
            "coordinator": sorted({*shared, *shared_files.list_wishes(session)}),
            "workers": workers,
            "wrote": session.state.ultrapilot.get("wrote", {}),
            "conflicts": session.state.ultrapilot.get("settled", []),
        }
    )
    omc.change(f"{omc.state_folder(session.id)}/{modes.MARKERS[modes.ULTRAPILOT]}", lambda _: text)
