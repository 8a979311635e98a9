"""Render the next step of a session for the model: at most 1 kB, exact about what to start."""

from collections.abc import Mapping

from ..session.session import Session
from ..value import Value
from ..wording import cut
from . import roles, steps
from .roles import Spawn
from .steps import NextStep

LIMIT = 1000
# Calls are many and short: all calls of a round go into one message.
SPAWN_LIMIT = 4000
_OWN_WORK = 550
SUBJECTS = (roles.TASK_ID, roles.EXPLORER_ID, roles.PART)
TASK_NAME = "ulw_"
_NUMBER = "%number%"
# Agents of which a session has only one at a time need no subject.
ONLY = {roles.PLANNER: "plan", roles.VERIFIER: "verify"}


class OpenAgents(Value):
    """Agents that are closed by id: each occupies a seat until it is closed."""

    busy: list[str]
    ended: list[str]

    def name_in(self, lines: list[str], kind: str) -> list[str]:
        """Name the agents by id, because a compacted conversation no longer knows them."""
        first, *rest = lines
        if kind == steps.WAIT and self.busy:
            rest = [f"{line} Their ids: {', '.join(self.busy)}." for line in rest]
        if not self.ended:
            return [first, *rest]
        return [f"{first} First call close_agent for each finished agent: {', '.join(self.ended)}.", *rest]


def render_step(
    session: Session,
    step: NextStep,
    *,
    by_message: bool = False,
    calls: int = 0,
    room: int | None = None,
    opened: OpenAgents | None = None,
) -> str:
    """
    Render a step. `calls` is how many agents were called before, so that names stay unique; `room` is how many
    may start.
    """
    head = f"ultrawork next ({session.phase}, session {session.id}): {step.text}."
    tells = _MESSAGE_TELLS if by_message else _TELLS
    lines = [head, *tells.get(step.kind, _nothing)(session, step)]
    if by_message:
        lines = [line.replace(_NUMBER, str(calls)) for line in lines]
    if opened is not None:
        lines = opened.name_in(lines, step.kind)
    if step.kind == steps.SPAWN and not step.direct:
        return _fit(lines, room)
    return cut("\n".join(lines), LIMIT)


def _fit(lines: list[str], room: int | None) -> str:
    """Return whole lines, because each is a call to copy; the rest follows once these are running."""
    kept = lines[:2]
    for line in lines[2:]:
        is_full = room is not None and len(kept) >= room + 2
        if is_full or sum(map(len, kept)) + len(line) > SPAWN_LIMIT:
            return "\n".join([*kept, f"({len(lines) - len(kept)} more follow when these are running)"])
        kept.append(line)
    return "\n".join(kept)


def _spawns(session: Session, step: NextStep) -> list[str]:
    """Short prompts: the hook puts the whole task into the call, so that nothing is lost in copying."""
    if step.direct:
        return _own_work(session, step)
    lines = ["Call Agent for each of these, all in one message, with exactly this prompt:"]
    return lines + [_call(session, spawn) for spawn in step.spawns]


def _own_work(session: Session, step: NextStep) -> list[str]:
    """List tasks for the model itself, one after another. Criteria resolve a task no matter who did it."""
    first, *others = step.spawns
    check = f"`ultrawork task check --session {session.id} --id {first.subject}`"
    instructions = first.prompt.partition("\n\n")[2]
    after = [f"Next: {', '.join(spawn.subject for spawn in others)}."] if others else []
    return [
        cut(instructions, _OWN_WORK),
        f"When done, run {check}. It resolves the task if the criteria are met.",
        *after,
    ]


def _call(session: Session, spawn: Spawn) -> str:
    return f'- subagent_type "{spawn.agent}" prompt "SESSION_ID: {session.id}{_subject(spawn)}"'


def _subject(spawn: Spawn) -> str:
    return f" {spawn.key}: {spawn.subject}" if spawn.key else ""


def _message_spawns(session: Session, step: NextStep) -> list[str]:
    """Return the calls for clients without agent types: the message names the agent."""
    if step.direct:
        return _own_work(session, step)
    lines = [
        "Call spawn_agent for each of these with exactly this message, plus task_name and fork_turns"
        ' "none" if it accepts them. Then call wait_agent until each has finished:'
    ]
    return lines + [
        f'- message "{_message(session, spawn)}" task_name "{make_task_name(spawn)}_{_NUMBER}"' for spawn in step.spawns
    ]


def make_task_name(spawn: Spawn) -> str:
    """Return a task name of lowercase letters and digits: newer tools hide the message and show only that."""
    text = f"{spawn.agent.rpartition(':')[2]}_{spawn.subject}".lower()
    return TASK_NAME + "".join(character if character.isascii() and character.isalnum() else "_" for character in text)


def _message(session: Session, spawn: Spawn) -> str:
    return f"AGENT: {spawn.agent} SESSION_ID: {session.id}{_subject(spawn)}"


def _wait(_session: Session, _step: NextStep) -> list[str]:
    """Ask the agent to wait itself, because nothing calls it back there."""
    return ["Call wait_agent until each running agent has ended."]


def _question(_session: Session, step: NextStep) -> list[str]:
    return [f"Ask with AskUserQuestion: {step.question}", f"Options: {' / '.join(step.options)}"]


def _plan(session: Session, _step: NextStep) -> list[str]:
    return [
        f"Read `ultrawork context get --session {session.id} --summary`, present what matters, ask questions, show the design"
        " in sections of 200-300 words. Then store it:",
        f"  ultrawork session set --session {session.id} --design -      (the design on standard input)",
        f'  ultrawork task create --session {session.id} --from -        ({{"tasks": [{{id, subject, description,'
        " complexity, criteria, blockedBy, files}]})",
    ]


def _verify(session: Session, _step: NextStep) -> list[str]:
    return [f"Run `ultrawork verify --session {session.id}`, then stop."]


def _nothing(_session: Session, _step: NextStep) -> list[str]:
    return []


_TELLS = {steps.SPAWN: _spawns, steps.ASK: _question, steps.PLAN: _plan, steps.VERIFY: _verify}
_MESSAGE_TELLS = {**_TELLS, steps.SPAWN: _message_spawns, steps.WAIT: _wait}


def parse_fields(prompt: str) -> dict[str, str]:
    """Return `AGENT`, `SESSION_ID` and the subject from a prompt, wherever they are."""
    fields: dict[str, str] = {}
    for key in ("AGENT", "SESSION_ID", *SUBJECTS):
        _, mark, rest = prompt.partition(f"{key}:")
        words = rest.split(None, 1)
        if mark and words:
            fields[key] = words[0].strip('",;')
    return fields


def find_subject(agent: str, prompt: str) -> str:
    """Return the subject that a prompt names; empty if it names none."""
    fields = parse_fields(prompt)
    named = (fields[key] for key in SUBJECTS if key in fields)
    return next(named, ONLY.get(agent, ""))


def find_item_task(subject: str, description: str, tasks: Mapping[str, str]) -> str:
    """Return the task (subjects by id) that an item of the client's own list is about: by its `TASK_ID:`, else by the
    same subject; empty if none."""
    named = parse_fields(f"{subject}\n{description}").get("TASK_ID", "")
    if named in tasks:
        return named
    plain = subject.strip()
    return next((name for name, task in tasks.items() if plain and task.strip() == plain), "")
