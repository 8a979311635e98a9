"""Read one agent of a session: what it does now, its last words, the facts, its files and its cost."""

from typing import Any

from ..core.course.attribution import list_edited
from ..core.errors import NotFound
from ..core.run.prices import format_cost
from ..core.session.session import Session
from ..core.value import Value
from ..core.wording import cut, join_lines
from ..engine.agents import transcript
from ..report.board import Part, read_parts
from ..store import agents, attempts, trace
from ..store.agents import AgentCall
from ..store.attempts import AttemptRow
from ..store.store import Store

_WORDS = 12
_FILES = 20
_NOT_KEPT = "only its client has the conversation"


class AgentFacts(Value):
    """`words` are the agent's own; `facts` are what ultrawork saw."""

    part: Part
    doing: str
    words: list[str]
    facts: list[str]
    files: list[str]
    cost: str


def read_agent(store: Store, session: Session, name: str) -> AgentFacts:
    """Return an agent by its name, or by the name of its task, which means the newest agent of that task."""
    parts = [part for part in read_parts(store, session) if part.kind == "agent"]
    matching = [part for part in parts if name in (part.name, part.name.rpartition(".")[0])]
    if not matching:
        raise NotFound(f"no agent has worked on {name} yet")
    part = matching[-1]
    rows = attempts.list_all(store.database, session.id)
    row = next((row for row in rows if f"{row.subject}.{row.epoch}" == part.name), None)
    if row is not None:
        return _describe_attempt(store, session, part, row)
    calls = agents.list_all(store.database, session.id)
    call = next((call for call in reversed(calls) if part.name in (call.subject, call.call)), None)
    return _describe_call(store, session, part, call)


def _describe_attempt(store: Store, session: Session, part: Part, row: AttemptRow) -> AgentFacts:
    lines = transcript.read(row.backend, row.folder)
    doing = lines[-1] if lines and row.state == attempts.RUNNING else ""
    facts = [part.state.line, *([f"sent back: {join_lines(row.reason)}"] if row.reason else [])]
    cost = "" if row.cost_usd is None else format_cost(row.cost_usd, estimated=row.code != 0)
    used = f"{cost}, {row.tokens:,} tokens" if cost else f"{row.tokens:,} tokens"
    files = _list_held(store, session, row.subject)
    return AgentFacts(part, doing, lines[-_WORDS:], facts, files, used if row.tokens else cost)


def _list_held(store: Store, session: Session, subject: str) -> list[str]:
    held = agents.read_holders(store.database, session.id)
    return sorted(path for path, task in held.items() if task == subject)[:_FILES]


def _describe_call(store: Store, session: Session, part: Part, call: AgentCall | None) -> AgentFacts:
    """Describe an agent that runs inside a client. The hooks saw its tools; the client keeps its words."""
    subject = call.subject if call is not None else part.name
    own: list[dict[str, Any]] = []
    if call is not None and call.agent:
        entries = trace.read_tail(store.home, session.id)
        own = [entry for entry in entries if entry.get("agent") == call.agent]
    refuted = [row for row in agents.list_refuted(store.database, session.id) if row["subject"] == subject]
    words = [row["said"] for row in refuted][-_WORDS:]
    facts = [part.state.line, *(f"sent back: {join_lines(row['why'])}" for row in refuted)]
    facts += [f"failed: {_name_call(entry)}" for entry in own[-_WORDS:] if not entry.get("ok", True)]
    root = f"{session.working_dir}/"
    files = sorted({path.removeprefix(root) for path in list_edited(own)})
    doing = _name_call(own[-1]) if own and part.state.word == "working" else ""
    return AgentFacts(part, doing, words or [_NOT_KEPT], facts, files[:_FILES], "")


def _name_call(entry: dict[str, Any]) -> str:
    return cut(join_lines(f"{entry.get('tool', '')}: {entry.get('what', '')}"), 200)
