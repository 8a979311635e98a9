"""Edits in a planned session: by workers, during execution, on files that no other running task holds. Exceptions come
only from the user's own prompt. What agents wrote through the shell is found whenever one of them ends."""

from ...core.course import roles
from ...core.course.chain import ShellChange
from ...core.modes.modes import ULTRAPILOT
from ...core.session.session import EXECUTION, FULL, VERIFICATION
from ...flow import file_ownership
from ...store import agents, markers, sessions, trace
from ...store.agents import AgentCall
from ..event import Answer, Event
from ..tool import list_targets
from .session import attach, find_agent, find_call, find_name, push
from .telling import keep_line


def check_edit(event: Event) -> Answer | None:
    """Allow edits only by workers, during execution, on files that no other running task holds."""
    content = markers.get(event.home, markers.ACTIVE, event.session)
    paths = _list_in_project(event)
    if content is None or content.get("kind") != FULL or not paths:
        return None
    if markers.is_switched_off(event.home, find_name(event)):
        return None
    agent = find_agent(event)
    role = agent.role if agent is not None else ""
    phase = str(content.get("phase"))
    why = next(filter(None, (roles.find_refusal(phase, role, path) for path in paths)), "")
    if why:
        return _refused(event, why, content.get("level", roles.STRICT))
    if agent is None or role != roles.WORKER:
        return None
    if agent.ended_at is not None:
        return Answer(deny=f"ultrawork: another worker has task {agent.subject} now. Stop here and report")
    if ULTRAPILOT in content.get("modes", ()):
        shared = filter(None, (_coordinators(event, agent, path) for path in paths))
        refused = next(shared, None)
        if refused is not None:
            return refused
    return _lease(event, agent, paths)


def check_command(event: Event) -> Answer | None:
    """Check the shell of an agent that is not a worker: what it visibly writes, and what others should do."""
    command = str(event.mapping("tool_input").get("command") or "")
    verb, path = roles.find_verb(command), roles.find_shell_target(command)
    content = markers.get(event.home, markers.ACTIVE, event.session) if verb or path else None
    if content is None or markers.is_switched_off(event.home, find_name(event)):
        return None
    agent = find_agent(event)
    if agent is not None and agent.role == roles.WORKER:
        return None
    why, phase = "", str(content.get("phase"))
    if verb and not event.text("agent_id"):
        session = sessions.get(event.store.database, find_name(event))
        why = roles.explain_verb(verb, phase, auto=bool(session.options["auto_mode"]))
    elif path and (not path.startswith("/") or path.startswith(f"{event.place}/")):
        why = roles.find_refusal(phase, "", path)
    return _refused(event, why, content.get("level", roles.STRICT)) if why else None


def _refused(event: Event, why: str, level: object) -> Answer | None:
    text = f"ultrawork: {why} (ultrawork next --session {find_name(event)} shows the next step)"
    if level == roles.STRICT:
        return Answer(deny=text)
    return Answer(context=text) if level == roles.WARN else None


def _list_in_project(event: Event) -> list[str]:
    """Return targets inside the project: files outside, such as notes and the client's own plans, belong to no task. A
    call that names no file may write any."""
    targets = list_targets(event) or [""]
    return [path for path in targets if not path or path.startswith(f"{event.place}/")]


def _coordinators(event: Event, agent: AgentCall, path: str) -> Answer | None:
    """Refuse a worker's edit of a shared file and store the request for the coordinator's task at the end."""
    from ...flow import file_ownership

    name, relative = find_name(event), path.removeprefix(f"{event.place}/")
    if not file_ownership.note_if_shared(event.store, name, agent.subject, relative):
        return None
    return Answer(
        deny=f"ultrawork: {relative} is shared, so the coordinator changes it at the end. Continue without it, and write in your last message what task {agent.subject} needs there"
    )


def _lease(event: Event, agent: AgentCall, paths: list[str]) -> Answer | None:
    name = find_name(event)
    holders = agents.read_holders(event.store.database, name)
    for path in paths:
        holder = holders.get(path, agent.subject)
        if holder != agent.subject:
            return Answer(
                deny=f"ultrawork: {path} belongs to task {holder}, which is running. Task {agent.subject} may change only its own files"
            )
    free = [path for path in paths if path not in holders]
    if free:
        with event.store.change(name) as change:
            agents.lease(change, agent.subject, free)
    return None


def lift_delegation(event: Event) -> Answer | None:
    """Lift delegation if the user's prompt asks for it. Machine-made prompts begin with a tag; those that the model
    scheduled are its own."""
    prompt = event.text("prompt")
    if prompt.lstrip().startswith("<") or not roles.wants_direct(prompt):
        return None
    from ..prompt import schedule

    if schedule.is_by_model(event):
        return None
    name = find_name(event)
    if not name:
        return None
    with event.store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state.delegation = roles.OFF
        session.state.direct = True
        sessions.save(change, session, "delegation.lifted", {"prompt": prompt[:200]})
    attach(event, session)
    text = "ultrawork: you may do the tasks without workers, as the user asked."
    pushed = push(event)
    return Answer(message=text, context=pushed.context if pushed is not None else "")


_SEEN = 4_000_000
_SHOWN = 3


def report(event: Event) -> Answer | None:
    """Compare the files and report once what was written outside the edit tools."""
    name = find_name(event)
    session = sessions.get(event.store.database, name)
    if not session.active or session.phase not in (EXECUTION, VERIFICATION):
        return None
    entries = trace.read_tail(event.home, event.session, size=_SEEN)
    taken = file_ownership.ShellScan(
        event.store, event.environ, session, entries, lambda client: _agent(event, name, client)
    ).take()
    wrong = [shell_change for shell_change in taken if shell_change.why]
    if wrong and event.name == "SubagentStop":
        keep_line(event, name, _render_changes(wrong))  # the client does not show this message
        return None
    return Answer(message=_render_changes(wrong)) if wrong else None


def _agent(event: Event, name: str, client: str) -> AgentCall | None:
    """Return the agent; one in the foreground is known by its call until it ends."""
    if not client:
        return None
    agent_call = agents.find_by_agent(event.store.database, name, client)
    call = "" if agent_call is not None else find_call(event.text("transcript_path"), client)
    return agents.find_by_call(event.store.database, name, call) if call else agent_call


def _render_changes(wrong: list[ShellChange]) -> str:
    more = f" And {len(wrong) - _SHOWN} more: ulw status." if wrong[_SHOWN:] else ""
    return "\n".join(f"ultrawork: {shell_change.sentence}." for shell_change in wrong[:_SHOWN]) + more
