"""
Find changes that bypassed the edit tools by comparing files, and record them with the task that made them.

An edit tool asks a hook first; a command does not. So the files are compared with the last scan, and unexplained
changes are attributed to the agent that ran a command at that moment. A command is known only after it ended, so
unexplained changes stay open until the next scan.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.course import chain, roles
from ..core.course.chain import ShellChange
from ..core.plan.evidence import SHELL
from ..core.session.session import Session
from ..core.value import Value
from ..gates.trees import tree as trees
from ..gates.trees.tree import Tree
from ..store import agents, pins, sessions, tasks
from ..store.agents import AgentCall
from ..store.store import Store
from ..system.files import find_change_time

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
            _keep(session, shell_changes)
            sessions.save(
                change, session, "files.looked", {"found": [shell_change.sentence for shell_change in shell_changes]}
            )
            for name in sorted({name for shell_change in shell_changes for name in shell_change.by if name}):
                tasks.update(change, name, evidence=[_evidence(name, shell_changes)])
        return True


def read_last_scan(session: Session) -> dict[str, Any]:
    state = session.state.looked
    return state if state.get("tree") else {}


def _keep(session: Session, shell_changes: Sequence[ShellChange]) -> None:
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
