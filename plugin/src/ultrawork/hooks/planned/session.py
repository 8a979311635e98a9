"""The planned session of an event, and pushing its next step into the conversation.

Also which of our agents is acting: from the client's subagent id to the call that started it."""

from ...core import registry
from ...core.caller import ANCHOR
from ...core.course import steps
from ...core.course.roles import STRICT
from ...core.course.steps import NextStep, OpenAgents, render_step
from ...core.session.session import FULL, Session
from ...core.wording import cut, join_lines
from ...flow import own_steps
from ...flow.course import Course
from ...store import agents, checkouts, markers, pins, sessions
from ...store.agents import AgentCall
from ...store.anchors import record_anchor
from ...store.markers import read
from .. import consent
from ..event import Answer, Event
from ..table import SKIPPED, SKIPS

_BRIEF = 1000


def find_name(event: Event) -> str:
    """Return the planned session that this client session drives, by its marker; empty if none, or handed over."""
    own = event.session
    if not own or markers.is_set(event.home, markers.HANDED, own):
        return ""
    return markers.find_planned_session(event.home, own)


def list_modes(event: Event) -> list[str]:
    """Return the modes of the planned session, as its marker names them."""
    content = markers.get(event.home, markers.ACTIVE, event.session) or {}
    modes = content.get("modes")
    return [str(mode) for mode in modes] if isinstance(modes, list) else []


def open_course(event: Event) -> Course | None:
    name = find_name(event)
    if not name:
        return None
    return Course(event.store, event.environ, name, attended=event.attended, language=_language(event))


def _language(event: Event) -> str:
    return "ko" if event.environ.get("LANG", "").startswith("ko") else "en"


def attach(event: Event, session: Session) -> None:
    level = session.state.delegation or STRICT
    content: dict[str, object] = {"kind": FULL, "session": session.id, "phase": session.phase, "level": level}
    if session.state.modes:
        from ...core.modes.record import read_active

        content["modes"] = list(read_active(session))
    if session.state.lead:
        content[next(iter(registry.list_leads()))] = registry.ask_lead("find_state")(session)
    known = markers.get(event.home, markers.ACTIVE, event.session) or {}
    anew = known.get("session") != session.id
    if anew:
        with event.store.change(session.id) as change:
            record_anchor(change, event.caller, client=event.adapter.name, transcript=event.record)
        checkouts.note_use(event.home, event.place)
        known = {ANCHOR: event.caller.stamp(), SKIPPED: event.environ.get(SKIPS, "")}
    content |= {name: known.get(name) for name in (ANCHOR, SKIPPED)}
    if known != content:
        markers.arm(event.home, event.environ, event.session, content, anew=anew)


def take_up(event: Event, session: Session) -> tuple[Session, str]:
    """Let this conversation conduct the session; return its state and what is next."""
    _note_typed(event, session.id)
    attach(event, session)
    course = open_course(event)
    assert course is not None
    session, _, text = advance(event, course)
    return session, text


def _note_typed(event: Event, name: str) -> None:
    typed = consent.note_typed(event)
    if typed:
        with event.store.change(name) as change:
            current = sessions.get(change.database, name)
            current.state.typed = typed
            sessions.save(change, current, "session.typed", {})


def tell_what_runs(event: Event, session: Session) -> str:
    """Return what hooks will run, if the user has not seen that in this checkout."""
    pin = pins.get(event.store.database, session.id)
    if pin is None:
        return ""
    return consent.tell_first(event, session, pin.gates, consent.make_asker(event, session, []))


def advance(event: Event, course: Course) -> tuple[Session, NextStep, str]:
    """Do the program's own steps, keep the marker in line with the phase, and describe the next step."""
    step = own_steps.advance(course)
    session = sessions.get(event.store.database, course.name)
    if session.active:
        attach(event, session)
    return session, step, _name_program_in(event, _render(event, session, step))


def _render(event: Event, session: Session, step: NextStep) -> str:
    if event.adapter.directs_agents:
        return render_step(session, step)
    calls = agents.list_all(event.store.database, session.id)
    busy = sum(call.started_at is not None and call.ended_at is None for call in calls)
    room = max(1, _count_seats(event, session, calls) - busy)
    opened = _list_open(event, session, calls)
    return render_step(session, step, by_message=True, calls=len(calls), room=room, opened=opened)


def _count_seats(event: Event, session: Session, calls: list[AgentCall]) -> int:
    """Return the number of seats. Newer tools report no id of a started agent, so none is recorded as opened."""
    begun = any(call.started_at is not None for call in calls)
    known = agents.has_opened(event.store.database, session.id)
    with_ids, without_ids = event.adapter.most_agents
    return without_ids if begun and not known else with_ids


def _list_open(event: Event, session: Session, calls: list[AgentCall]) -> OpenAgents:
    ended = {call.agent for call in calls if call.ended_at is not None}
    opened = agents.list_unclosed(event.store.database, session.id)
    return OpenAgents([agent for agent in opened if agent not in ended], [agent for agent in opened if agent in ended])


def _name_program_in(event: Event, text: str) -> str:
    """Replace our program's name by one that the agent's shell can run."""
    if event.program == "ultrawork":
        return text
    for mark in ("`", "  "):
        text = text.replace(f"{mark}ultrawork ", f"{mark}{event.program} ")
    return text


def push_when_notified(event: Event) -> Answer | None:
    """Push the next step with the client's notification that a background agent has ended."""
    return push(event) if event.text("prompt").startswith("<task-notification") else None


def push(event: Event) -> Answer | None:
    """Return the next step as context, only if someone has to act."""
    course = open_course(event)
    if course is None:
        return None
    before = sessions.get(event.store.database, course.name)
    after, step, text = advance(event, course)
    notes = list_notes(event, course)
    from .telling import take_settled, tell_moves, tell_question

    shown = [
        take_settled(event, course.name),
        tell_moves(event, before, after),
        tell_question(event, after, step.question),
    ]
    sentence = "\n".join(filter(None, shown))
    if (step.kind == steps.WAIT or _was_asked_for(event, after, step)) and not notes:
        return Answer(message=sentence) if sentence else None
    return Answer(context="\n".join([text, *notes]), message=sentence)


def _was_asked_for(event: Event, session: Session, step: NextStep) -> bool:
    """Return whether all these agents were named before and none was started since; a stop names them again."""
    started = [agent_call.subject for agent_call in agents.list_all(event.store.database, session.id)]
    who = "main" if step.direct else "agents"
    wanted = [f"{spawn.subject} {started.count(spawn.subject)} {who}" for spawn in step.spawns]
    if not wanted or set(wanted) <= set(session.state.asked_for):
        return bool(wanted)
    with event.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        current.state.asked_for = wanted
        sessions.save(change, current, "agents.named", {})
    return False


def brief(event: Event) -> Answer | None:
    """Return everything that a conversation without memory needs, in a kilobyte."""
    course = open_course(event)
    if course is None:
        return None
    session, step, text = advance(event, course)
    if not session.active:
        return None
    goal = f"ultrawork session of this conversation. Goal: {cut(join_lines(session.goal), 200)}"
    waiting = f"Running: {', '.join(step.waiting[:8])}." if step.waiting else ""
    ends = "It ends when every task is resolved, the checks pass and the verifier agrees."
    return Answer(context=cut("\n".join(filter(None, [goal, waiting, ends, text])), _BRIEF))


def list_notes(event: Event, course: Course) -> list[str]:
    """Return what was written outside the edit tools, once."""
    from ...flow import file_ownership

    return [f"Note: {sentence}." for sentence in file_ownership.take_unseen(event.store, course.name)[:3]]


def find_agent(event: Event, session: str = "") -> AgentCall | None:
    """Return which of our agents is acting: by the client's id, else by the call that started it."""
    name, client = session or find_name(event), event.text("agent_id")
    if not name or not client:
        return None
    agent_call = agents.find_by_agent(event.store.database, name, client)
    if agent_call is not None:
        return agent_call
    call = find_call(event.text("transcript_path"), client)
    agent_call = agents.find_by_call(event.store.database, name, call) if call else None
    if agent_call is not None:
        with event.store.change(name) as change:
            agents.mark_started(change, agent_call.call, client)
    return agent_call


def find_agents_folder(transcript: str) -> str:
    """Return where the client stores its subagents; empty if unknown."""
    if not transcript.endswith(".jsonl"):
        return ""
    # Inside a subagent the path may already be the subagent's own.
    return transcript.partition("/subagents/")[0].removesuffix(".jsonl") + "/subagents"


def find_call(transcript: str, agent: str) -> str:
    """Return the call; empty if the client has not written it yet."""
    folder = find_agents_folder(transcript)
    if not folder or "/" in agent:
        return ""
    content = read(f"{folder}/agent-{agent}.meta.json")
    return str((content or {}).get("toolUseId") or "")
