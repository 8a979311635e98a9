"""The course of a session: its state, and what is known before its next step is chosen.

That includes its verification: the verdict of the checks, the judges' rulings, and which files they are about. It also
includes who works on what: a task owns its planned files from its claim on, unless another task holds them, and tasks
of agents that disappeared are returned, so that nothing waits for them.
"""

from collections.abc import Mapping
from typing import Any

from ..core.course import steps
from ..core.course.roles import READING, WORKER
from ..core.modes.tables import ModeProgress
from ..core.plan.task import IN_PROGRESS, PENDING, RESOLVED, Task
from ..core.session.session import VERIFICATION, Session
from ..core.value import Value
from ..core.verdict_values import PASS
from ..core.wording import cut, join_lines
from ..store import agents, markers, pins, sessions, tasks
from ..store import settings as stored
from ..store.atomic import list_folder
from ..store.database import Change
from ..store.settings import Settings
from ..store.store import Store

_REASON = 200


class Course(Value):
    """`attended`: the user can be asked. `barrier`: a wave ends before the next one starts."""

    store: Store
    environ: Mapping[str, str]
    name: str
    attended: bool = True
    barrier: bool = False
    language: str = "en"
    settings: Settings | None = None

    def read_facts(self) -> steps.SessionFacts:
        database = self.store.database
        session = sessions.get(database, self.name)
        settings = self.load_settings(session)
        working = agents.list_at_work(database, self.name, now=self.store.now())
        verification = VerificationState(self.store, self.environ, session)
        mode = find_mode(session)
        return steps.SessionFacts(
            session,
            tasks.list_all(database, self.name),
            sessions.list_explorers(database, self.name),
            running=[agent.subject for agent in working],
            verdict=verification.verdict(),
            because=verification.explain(),
            sends_back=verification.sends_back(),
            rulings=verification.rulings(),
            findings=verification.findings(),
            receipts=verification.receipts(),
            plan_errors=session.state.plan_errors,
            attended=self.attended,
            barrier=self.barrier or bool(session.options.get("barrier")),
            language=self.language,
            questions=settings["plan.questions"],
            models={key: settings[f"models.{key}"] for key in ("simple", "standard", "complex")},
            mode=mode,
            changed=verification.list_changed(),
            changed_lines=verification.count_changed("added", "removed"),
            tests_changed=bool(verification.count_changed("tests")),
        )

    def load_settings(self, session: Session) -> Settings:
        """Return the settings that a run started with, else the current ones."""
        return self.settings or stored.load_at(self.environ, self.store.home, session.working_dir)

    def change(self) -> Change:
        return self.store.change(self.name)


def find_mode(session: Session) -> ModeProgress | None:
    """Return the planned mode of a session, if it has one."""
    if not session.state.modes:
        return None
    from ..core.modes.modes import STAGED
    from ..core.modes.record import read_active

    on = read_active(session)
    return next((on[name] for name in STAGED if name in on), None)


class VerificationState:
    """The state of a verification; empty for a session that is not being verified."""

    def __init__(self, store: Store, environ: Mapping[str, str], session: Session) -> None:
        self._store = store
        self._environ = environ
        self._session = session
        verifies = session.phase == VERIFICATION
        self._state = session.state.verification if verifies else {}
        self._last: dict[str, Any] | None = None
        if verifies:
            from ..store import receipts

            self._last = receipts.find_last_verdict(store.database, session.id)

    def verdict(self) -> str:
        """Return the checks' verdict of this verification on the current files; empty if there is none."""
        last = self._last
        if last is None:
            return ""
        from ..store import receipts

        count = receipts.count_verdicts(self._store.database, self._session.id)
        if count <= int(self._state.get("after", 0)):
            return ""
        from ..core.verdict.verdict import read_value
        from ..gates.session import pinning

        current = pinning.take_tree(self._session.place, self._store, self._environ)
        return read_value(last) if last["tree"] == current else ""

    def explain(self) -> str:
        """Return in one sentence what keeps the last verdict from PASS."""
        if self._last is None or self._last["verdict"] == PASS:
            return ""
        from ..core.verdict.summary import find_reason

        return cut(join_lines(find_reason(self._last)), _REASON)

    def sends_back(self) -> bool:
        """
        Return whether the last verdict has a finding that was not sent back yet. A mode that works in rounds
        sends it back in each one. If every task was removed, no one is left to send it to.
        """
        if self._last is None or self._last["verdict"] == PASS or not self._has_worked():
            return False
        from ..core.modes.modes import RALPH, ULTRAQA
        from ..core.modes.record import read_active
        from .iteration import list_mendable, name_finding

        in_rounds = not read_active(self._session).keys().isdisjoint((RALPH, ULTRAQA))
        sent = () if in_rounds else self._state.get("sent") or ()
        return any(name_finding(finding) not in sent for finding in list_mendable(self._last))

    def _has_worked(self) -> bool:
        from ..store import tasks

        return bool(tasks.list_all(self._store.database, self._session.id, status=RESOLVED))

    def rulings(self) -> dict[str, str]:
        return {part: judgement["ruling"] for part, judgement in self._judged().items()}

    def findings(self) -> dict[str, list[str]]:
        judged = self._judged()
        if not judged:
            return {}
        from ..core.course import judges

        return {part: judges.list_texts(judgement["findings"]) for part, judgement in judged.items()}

    def _judged(self) -> dict[str, Any]:
        """
        Return what judges said about the files that the checks judged last. Rulings about other files no
        longer count.
        """
        tree = self._last["tree"] if self._last else ""
        judged = self._state.get("judged", {})
        return {part: judgement for part, judgement in judged.items() if judgement["tree"] == tree}

    def receipts(self) -> list[str]:
        gates = self._last["gates"] if self._last else {}
        return [f"{name}: {gate['result']} (#{gate['receipt']})" for name, gate in gates.items()]

    def list_changed(self) -> list[str]:
        """Return the changed files, by which judges are chosen; not needed before the checks have decided."""
        pin = pins.get(self._store.database, self._session.id) if self._last else None
        if pin is None or self._last is None or self._last["verdict"] != PASS:
            return []
        from ..gates.trees import tree as trees

        place, cache = self._session.place, self._store.home.cache
        now = trees.get_recorded(str(self._last["tree"]), place, cache, self._environ)
        before = trees.get_recorded(pin.tree, place, cache, self._environ)
        return [change.path for change in trees.diff(before, now)]

    def count_changed(self, *parts: str) -> int:
        counted = self._last["changed"] if self._last else {}
        return sum(int(counted.get(part, 0)) for part in parts)


_PATTERN = "*?["


def lease_files(change: Change, place: str, task: Task | None) -> None:
    """Lease the planned files; folders and patterns are checked when something in them is written."""
    if task is None or not task.files:
        return
    held = agents.read_holders(change.database, change.session)
    plain = [name for name in task.files if not name.endswith("/") and not set(name) & set(_PATTERN)]
    paths = [name if name.startswith("/") else f"{place}/{name.removeprefix('./')}" for name in plain]
    agents.lease(change, task.id, [path for path in paths if path not in held])


def abandon_all(store: Store, session: str, why: str, *, asked_before: float = float("inf")) -> list[str]:
    """Mark agents that were requested before that time as ended and their tasks as pending; return the tasks."""
    agent_calls = agents.list_at_work(store.database, session, now=store.now())
    working = [agent for agent in agent_calls if agent.asked_at < asked_before]
    kept = {agent.subject for agent in agent_calls if agent.asked_at >= asked_before}
    progressing = tasks.list_all(store.database, session, status=IN_PROGRESS)
    held = [task for task in progressing if task.id not in kept]
    if not working and not held:
        return []
    with store.change(session) as change:
        for agent in working:
            agents.mark_ended(change, agent.call)
        for task in held:
            tasks.update(change, task.id, status=PENDING, reason=why)
            agents.release(change, task.id)
    return [task.id for task in held]


def release_lapsed(store: Store, session: str, *, at_once: bool = False) -> list[str]:
    """Return tasks to pending after a minute if their agent never started."""
    now = store.now() + (agents.LAPSE if at_once else 0.0)
    waiting = agents.list_lapsed(store.database, session, now=now)
    if not waiting:
        return []
    folder = sessions.get(store.database, session).state.subagents
    begun = _list_begun_calls(folder) if folder else {}
    agent_calls = [agent for agent in waiting if agent.call not in begun]
    held = {task.id for task in tasks.list_all(store.database, session, status=IN_PROGRESS)}
    with store.change(session) as change:
        for agent in waiting:
            if agent.call in begun:
                agents.mark_started(change, agent.call, begun[agent.call])
        for agent in agent_calls:
            _let_go(change, agent, held)
    return [agent.subject for agent in agent_calls]


def _let_go(change: Change, agent: agents.AgentCall, held: set[str]) -> None:
    agents.mark_ended(change, agent.call)
    if agent.role in (WORKER, READING) and agent.subject in held:
        why = "its agent never started"
        tasks.update(change, agent.subject, status=PENDING, reason=why)
        agents.release(change, agent.subject)


def _list_begun_calls(folder: str) -> dict[str, str]:
    """Return which calls became agents, by the client's own record; a foreground agent is reported only at its end."""
    names = [name for name in list_folder(folder) if name.endswith(".meta.json")]
    contents = {name: markers.read(f"{folder}/{name}") or {} for name in names}
    return {
        str(content.get("toolUseId")): name.removeprefix("agent-").removesuffix(".meta.json")
        for name, content in contents.items()
    }
