"""What is known at a stop: the session, its files, what was decided before, what the agent says."""

from ..core import consent, goals, speech, stop
from ..core import verdict as verdicts
from ..core.session import LIGHT, Session
from ..core.wording import one_line
from ..store import decisions, markers, pins, receipts, sessions, trace
from ..store import settings as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..gates.outcome import Outcome
    from ..store.decisions import Taken
    from ..store.pins import Pin
    from .event import Event

AGENTS = ("subagent", "workflow", "teammate", "local_agent", "agent")
_OUTSIDE = {
    "git push": "pushed",
    "gh pr ": "worked on a pull request",
    "gh issue ": "worked on an issue",
    "gh release ": "made a release",
    "glab ": "worked on the forge",
}
# The client's own limit is the handler's timeout; we answer ten seconds before it.
LONGEST = 290.0


class Known:
    __slots__ = ("entries", "event", "pin", "session", "settings", "taken", "tree", "ulw")

    def __init__(self, event: "Event", session: Session, pin: "Pin") -> None:
        from ..gates import pinning

        self.event = event
        self.session = session
        self.pin = pin
        self.settings = pinning.settings_at(session.working_dir, event.store, event.environ, pin)
        self.tree = pinning.tree_now(session.working_dir, event.store, event.environ)
        ulw = session.state.get("ulw")
        self.ulw: dict[str, Any] = ulw if isinstance(ulw, dict) else {}
        self.taken: list[Taken] = decisions.since(
            event.store.database, session.id, float(self.ulw.get("armedAt") or 0.0)
        )
        self.entries = trace.everything(event.home, session.id)

    @property
    def message(self) -> str:
        return self.event.text("last_assistant_message")

    def facts(self) -> stop.Facts:
        event, history = self.event, decisions.History(self.taken, self.tree)
        running = event.entries("background_tasks")
        agents = sum(1 for one in running if one.get("type") in AGENTS)
        others = len(running) - agents + len(event.entries("session_crons"))
        since = None if history.last_refusal is None else event.clock() - history.last_refusal
        return stop.Facts(
            attended=event.attended,
            plan_mode=event.text("permission_mode") == "plan",
            agents=agents,
            background=others,
            deferred_for_tree=any(
                one.rule == "background" and one.tree == self.tree for one in self.taken
            ),
            other_loop=self._other_loop(),
            aborted=speech.aborted(self.message),
            asks=bool(self.settings["stop.questions"]) and speech.asks(self.message),
            later_turn=int(self.ulw.get("turns") or 1) > 1,
            changed_this_turn=self.tree != self._tree_before_turn(),
            changed=self.tree != self.pin.tree or bool(self.outside()),
            read_only_goal=goals.read_only(self.session.goal),
            blocked=speech.blocked(self.message) if self._checked_since_edit() else "",
            quick=since is not None and since < self.settings["stop.cooldown"],
            refusals=history.refusals,
            row=history.row,
            limit=self.settings["stop.refusals"],
            repeats=self.settings["stop.repeats"],
            told=history.told,
        )

    def _other_loop(self) -> str:
        from os.path import exists

        if self.ulw.get("loop"):
            return str(self.ulw["loop"])
        ralph = f"{self.session.working_dir}/.claude/ralph-loop.local.md"
        return "another loop plugin" if exists(ralph) else ""

    def _tree_before_turn(self) -> str:
        """The files at the last stop, or at the start: between them lies this turn."""
        return self.taken[-1].tree if self.taken else self.pin.tree

    def _checked_since_edit(self) -> bool:
        """Whether a check has run on these very files."""
        rows = self.event.store.database.row(
            "SELECT 1 FROM receipts WHERE session=? AND tree=? LIMIT 1", self.session.id, self.tree
        )
        return rows is not None

    def outside(self) -> str:
        """What the agent did that no file shows."""
        for entry in reversed(self.entries):
            what = str(entry.get("what", ""))
            if entry.get("tool") == "Bash" and entry.get("ok"):
                done = next((said for words, said in _OUTSIDE.items() if words in what), "")
                if done:
                    return f"{done} ({one_line(what)[:60]})"
        return ""

    def open_items(self) -> list[str]:
        """What is still open in the agent's own list."""
        items: list[str] = []
        tasks: dict[str, str] = {}
        for entry in self.entries:
            if entry.get("tool") == "TodoWrite":
                items = [str(one) for one in entry.get("open") or []]
            if isinstance(entry.get("item"), dict):
                tasks[str(entry["item"].get("id"))] = str(entry["item"].get("status"))
        return items + [
            name for name, status in tasks.items() if status in ("pending", "in_progress")
        ]

    def may_run(self, command: str) -> bool:
        event = self.event
        return consent.covers(
            event.text("permission_mode"),
            command,
            allowed=receipts.allowed(event.store.database, self.session.working_dir, command),
        )

    def verify(self) -> "Outcome":
        """Brings the receipts up to date: used again only if no tool of the agent ran since."""
        from ..gates.verify import verify
        from ..gates.work import HOOK, Work

        last_tool = max((float(one.get("at") or 0.0) for one in self.entries), default=0.0)
        work = Work(
            self.event.store,
            self.session,
            root=self.session.working_dir,
            settings=self.settings,
            environ=self.event.environ,
            by=HOOK,
            seconds=min(LONGEST, self._budget()),
            may_run=self.may_run,
            trusted_since=last_tool,
            outside=self.outside(),
        )
        return verify(work, self.pin)

    def _budget(self) -> float:
        return float(self.settings["stop.budget"]) * 2


def load(event: "Event") -> Known | None:
    """None if the session is none of ours any more."""
    row = event.store.database.row("SELECT kind FROM sessions WHERE id=?", event.session)
    pin = pins.get(event.store.database, event.session) if row else None
    if row is None or pin is None or row[0] != LIGHT:
        return None
    session = sessions.get(event.store.database, event.session)
    return Known(event, session, pin) if session.active else None


__all__ = ["Known", "load", "markers", "stored", "verdicts"]
