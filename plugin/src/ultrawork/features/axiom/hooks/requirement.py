"""A requirement in a client: guarded while open, suspended when the client ends, saved before compaction.

What is ahead of its gate is refused with the step that opens it; the store knows which gate that is."""

import os

from ....core.errors import UltraworkError
from ....core.permission import shell_lines
from ....core.session.session import Session
from ....core.wording import cut, cut_bytes, join_lines
from ....hooks.event import Answer, Event
from ....hooks.planned.session import find_name
from ....hooks.tool import find_target
from ....store import markers, sessions
from ....store.codec import digest
from ..store import ledger, proposals
from ..values import guards, states
from ..values import step as axiom_step

_SHOWN = 3
# How much of a paper is shown in the client; the rest is in its file.
_PAPER = 6000
_AHEAD = 5
_EDITORS = ("sqlite", "python", "perl", "ruby", "node")
_NEXT = {states.PLANNING: states.CONFIRMING, states.CONFIRMING: states.EXECUTING, states.EXECUTING: states.ARCHIVING}


def check_call(event: "Event") -> Answer | None:
    """Refuse edits and commands whose gate is not open yet, by anyone."""
    content = markers.get(event.home, markers.ACTIVE, event.session) or {}
    state, tool = str(content.get("axiom")), event.text("tool_name")
    given = event.mapping("tool_input")
    command = str(given.get("command") or "")
    if tool == guards.SHELL and _touches_state(event, command):
        return Answer(deny="ultrawork: do not edit Axiom's state by hand; to see it: ultrawork axiom status")
    why = guards.find_shut_gate(state, tool, _list_paths(event, tool), command)
    if not why and tool == guards.SHELL and given.get("run_in_background") is True:
        why = guards.judge_background(state)
    if not why:
        if states.find_gate_ahead(state) and guards.may_write(tool):
            _note_files(event)
        return None
    lack = _explain(event, state)
    return Answer(deny=f"ultrawork: {why}." + (f" Now: {lack}." if lack else ""))


def _note_files(event: "Event") -> None:
    from ....gates.trees import tree as trees

    snapshot = trees.take_snapshot(event.place, event.home.cache, event.environ)
    markers.put(event.home, markers.BEFORE, _key(event), {"tree": snapshot.id})


def _key(event: "Event") -> str:
    return digest(event.text("tool_use_id") or event.session)[:16]


def take_back(event: "Event") -> Answer | None:
    """Revert what a command changed before its gate was open, however it did that. The changes are stored under a
    name."""
    noted = markers.get(event.home, markers.BEFORE, _key(event))
    if noted is None:
        return None
    markers.remove(event.home, markers.BEFORE, _key(event))
    from ..course.checkpoints import put_aside

    session = sessions.get(event.store.database, find_name(event))
    gate = states.find_gate_ahead(axiom_step.find_state(session))
    if not gate:
        return None
    name, paths = put_aside(event.store, event.environ, session, str(noted["tree"]))
    if not paths:
        return None
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    text = (
        f"ultrawork: a command changed {', '.join(paths[:_SHOWN])}{more} before the {gate}. The change is saved"
        f" as {name}, and the files were restored. Review it: ultrawork axiom rollback {name}"
    )
    return Answer(context=text, message=text)


def _touches_state(event: "Event", command: str) -> bool:
    """Return whether a command writes into our own folder, or uses a program that could."""
    named = [os.path.join(event.cwd, path) for path in shell_lines.list_written(command)]
    if any(f"{os.path.realpath(path)}/".startswith(f"{event.home.root}/") for path in named):
        return True
    return event.home.root in command and any(word in command for word in _EDITORS)


def _list_paths(event: "Event", tool: str) -> list[str]:
    """Return the checkout paths that the call would write, however they are spelled."""
    named = guards.list_named_files(tool, event.mapping("tool_input"))
    whole = [os.path.join(event.cwd, path) for path in named]
    if guards.is_writer(tool):
        whole.append(find_target(event))
    plain = [os.path.normpath(path) for path in whole if path]
    # A folder on the path may be a link.
    real = [f"{os.path.realpath(os.path.dirname(path))}/{os.path.basename(path)}" for path in plain]
    top, place = os.path.realpath(event.place), event.place
    inside = [(path, root) for path in plain for root in (place,)] + [(path, top) for path in real]
    return [
        path.removeprefix(root).strip("/") or shell_lines.ANYWHERE
        for path, root in inside
        if f"{path}/".startswith(f"{root}/")
    ]


def _explain(event: "Event", state: str) -> str:
    """Return what the machine itself needs for its next state."""
    if state not in _NEXT:
        return ""
    progress = axiom_step.read_progress(sessions.get(event.store.database, find_name(event)))
    return states.explain_shut(progress, _NEXT[state]) if progress is not None else ""


def suspend(event: "Event") -> None:
    """Suspend the requirement when the client ends; it is offered at the next start."""
    name = find_name(event)
    if sessions.get(event.store.database, name).active:
        park(event, name, event.text("reason"))


def let_go(event: "Event", session: "Session", why: str) -> Answer:
    """Allow a stop that can no longer be refused; the requirement waits to be continued."""
    state = park(event, session.id, why)
    markers.disarm(event.home, event.environ, event.session)
    way = states.name_way_on(state)
    return Answer(message=f"ultrawork: UNVERIFIED, the requirement waits in {state}. Continue: {way}")


def park(event: "Event", name: str, why: str) -> str:
    """Leave a requirement where it is; return its state."""
    with event.store.change(name) as change:
        session = sessions.get(change.database, name)
        note_suspended(event, session)
        suspension = {"state": axiom_step.find_state(session), "reason": why}
        sessions.save(change, session, "axiom.suspended", suspension)
        change.touch(ledger.VIEW)
    return suspension["state"]


def note_suspended(event: "Event", session: "Session") -> None:
    session.state.lead = {**session.state.lead, "suspended": round(event.clock()), "offered": False}


def tell_question(event: "Event", session: "Session", question: str) -> str:
    """Return the PRD to approve, or the report of what is blocked."""
    if question == axiom_step.BLOCKED[0]:
        return f"ultrawork: {session.state.lead.get('blocked') or 'the work is blocked'}"
    paper = proposals.find_paper(event.store.database, session.id, "prd.md")
    if question != axiom_step.CONFIRM[0] or paper is None:
        return ""
    where = f".omc/axiom/requirements/{session.id}/{paper.name}"
    text = f"ultrawork: the PRD, in full in {where}\n{cut_bytes(paper.text, _PAPER)}"
    return f"{text}{_tell_ahead(event, session)}"


def _tell_ahead(event: "Event", session: "Session") -> str:
    """Return what changed before approval, to show beside the question."""
    from ..course.checkpoints import list_ahead

    try:
        ahead = list_ahead(event.store, event.environ, session)
    except UltraworkError:
        return ""
    more = f" and {len(ahead) - _AHEAD} more" if len(ahead) > _AHEAD else ""
    return f"\nChanged since it began: {', '.join(ahead[:_AHEAD])}{more}" if ahead else ""


def save(event: "Event") -> Answer | None:
    """Ask the summary to keep the state in mind before compaction; the store has it anyway."""
    name = find_name(event)
    with event.store.change(name) as change:
        session = sessions.get(change.database, name)
        if not session.active:
            return None
        state = axiom_step.find_state(session)
        sessions.save(change, session, "axiom.saved", {"state": state})
        change.touch(ledger.VIEW)
    goal = cut(join_lines(session.goal), 200)
    return Answer(
        plain=f"Keep in the summary: Axiom requirement {name}, state {state}: {goal}."
        f" Next step: `ultrawork next --session {name}`."
    )
