"""Who writes what: in ultrapilot workers write their own files, the coordinator the shared ones, no one both; and
changes that bypassed the edit tools are found by comparing files, and recorded with the task that made them.

An edit tool asks a hook first; a command does not. So the files are compared with the last scan, and unexplained
changes are attributed to the agent that ran a command at that moment. A command is known only after it ended, so
unexplained changes stay open until the next scan."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..core.course import chain, roles
from ..core.course.chain import ShellChange
from ..core.course.steps import SessionFacts
from ..core.modes import modes, record, shared_files
from ..core.modes.shared_files import COORDINATOR, SETTLER
from ..core.plan import criteria
from ..core.plan import task as core_task
from ..core.plan.evidence import SHELL
from ..core.plan.task import VERIFY, Task
from ..core.session.session import Session
from ..core.value import Value
from ..core.wording import cut, join_lines
from ..gates.trees import tree as trees
from ..gates.trees.tree import Tree
from ..store import agents, pins, sessions, tasks
from ..store.agents import AgentCall
from ..store.codec import dumps_pretty
from ..store.database import Change
from ..store.omc.folder import Omc
from ..store.store import Store
from ..system.files import find_change_time
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


SHOWN = 50


class ShellScan(Value):
    """One scan of a session's files. `entries` is the trace, `agent_of` knows the client's agents."""

    store: Store
    environ: Mapping[str, str]
    session: Session
    entries: Sequence[Mapping[str, Any]]
    agent_of: Callable[[str], AgentCall | None]

    def take(self) -> list[ShellChange]:
        """Return changes since the last scan and record them, each once."""
        pin = pins.get(self.store.database, self.session.id)
        if pin is None:
            return []
        last = read_last_scan(self.session) or {"tree": pin.tree, "at": pin.at}
        now = trees.take_snapshot(self.session.place, self.store.home.cache, self.environ)
        if now.id == last["tree"] and not last.get("open"):
            return []
        shell_changes, unexplained = self._sort(last, now)
        looked = {"tree": now.id, "open": unexplained[:SHOWN]}
        return shell_changes if self._written(last, looked, shell_changes) else []

    def _sort(self, last: Mapping[str, Any], now: Tree) -> tuple[list[ShellChange], list[str]]:
        """Return the attributed changes, and the paths without a known author."""
        before = trees.get_recorded(last["tree"], self.session.place, self.store.home.cache, self.environ)
        explained = chain.list_edited(self.entries)
        made = chain.list_calls(self.entries, float(last["at"]) - chain.SLACK)
        plan = tasks.list_all(self.store.database, self.session.id)
        files = {task.id: task.files for task in plan}
        holders = agents.read_holders(self.store.database, self.session.id)
        shell_changes, unexplained = [], []
        changed = [*last.get("open", ()), *(change.path for change in trees.diff(before, now))]
        for name in dict.fromkeys(changed):
            path = f"{now.root}/{name}"
            if path in explained:
                continue
            by = self._tasks(path, made)
            if not by:
                unexplained.append(name)
            elif not (self._is_direct and by == [""]):
                shell_changes.append(chain.judge(name, by, holders.get(path, ""), files))
        return shell_changes, unexplained

    @property
    def _is_direct(self) -> bool:
        """Return whether the user asked for work without agents."""
        return self.session.state.delegation == roles.OFF

    def _tasks(self, path: str, made: Sequence[chain.ShellCall]) -> list[str]:
        """Return the tasks that may have written a path; an agent without a task counts as the orchestrator."""
        known = {client: self.agent_of(client) for client in chain.find_doers(path, find_change_time(path), made)}
        return sorted({agent.subject if agent else "" for agent in known.values()})

    def _written(
        self, last: Mapping[str, Any], looked: Mapping[str, Any], shell_changes: Sequence[ShellChange]
    ) -> bool:
        """Record the scan. Return False if another process scanned meanwhile; the next scan finds what this one
        missed."""
        with self.store.change(self.session.id) as change:
            session = sessions.get(change.database, self.session.id)
            if (read_last_scan(session) or last)["tree"] != last["tree"]:
                return False
            session.state.looked = {**looked, "at": change.now}
            _keep_seen(session, shell_changes)
            sessions.save(
                change, session, "files.looked", {"found": [shell_change.sentence for shell_change in shell_changes]}
            )
            for name in sorted({name for shell_change in shell_changes for name in shell_change.by if name}):
                tasks.update(change, name, evidence=[_evidence(name, shell_changes)])
        return True


def read_last_scan(session: Session) -> dict[str, Any]:
    state = session.state.looked
    return state if state.get("tree") else {}


def _keep_seen(session: Session, shell_changes: Sequence[ShellChange]) -> None:
    """Keep violations for the screens, and until the model has seen them."""
    wrong = [shell_change.sentence for shell_change in shell_changes if shell_change.why]
    state = session.state
    state.shell = [*state.shell, *wrong][-SHOWN:]
    state.untold = [*state.untold, *wrong][-SHOWN:]


def _evidence(name: str, shell_changes: Sequence[ShellChange]) -> dict[str, Any]:
    own = [shell_change for shell_change in shell_changes if name in shell_change.by]
    return {
        "type": SHELL,
        "files": [shell_change.path for shell_change in own[:SHOWN]],
        "wrong": [shell_change.sentence for shell_change in own if shell_change.why][:SHOWN],
    }


def take_unseen(store: Store, name: str) -> list[str]:
    """Return violations that the model has not seen, and mark them as seen."""
    waiting = sessions.get(store.database, name).state.untold
    if not waiting:
        return []
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state.untold = []
        sessions.save(change, session, "model.told", {"what": waiting})
    return waiting
