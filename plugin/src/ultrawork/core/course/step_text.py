"""Render the next step of a session for the model: at most 1 kB, exact about what to start."""

from collections.abc import Mapping

from ..session.session import Session
from ..value import Value
from ..wording import cut
from . import roles, steps
from .roles import Spawn
from .steps import NextStep

LIMIT = 1000
# Calls are many and short: all of a round go into one message.
SPAWN_LIMIT = 4000
_OWN_WORK = 550
SUBJECTS = (roles.TASK_ID, roles.EXPLORER_ID, roles.PART)
TASK_NAME = "ulw_"
_NUMBER = "%number%"
# Agents of which a session has one at a time need no name for what they do.
ONLY = {roles.PLANNER: "plan", roles.VERIFIER: "verify"}


class OpenAgents(Value):
    """Agents that are closed by their ids: each holds one of its seats until it is closed."""

    busy: list[str]
    ended: list[str]

    def name_in(self, lines: list[str], kind: str) -> list[str]:
        """By name, for a conversation that was compacted knows them no more."""
        first, *rest = lines
        if kind == steps.WAIT and self.busy:
            rest = [f"{line} Their ids: {', '.join(self.busy)}." for line in rest]
        if not self.ended:
            return [first, *rest]
        return [
            f"{first} First call close_agent for each finished agent: {', '.join(self.ended)}.",
            *rest,
        ]


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
    """Whole lines, for each is a call to be copied; the rest is named once these are at work."""
    kept = lines[:2]
    for line in lines[2:]:
        is_full = room is not None and len(kept) >= room + 2
        if is_full or sum(map(len, kept)) + len(line) > SPAWN_LIMIT:
            return "\n".join(
                [*kept, f"({len(lines) - len(kept)} more follow when these are running)"]
            )
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
    told = first.prompt.partition("\n\n")[2]
    after = [f"Next: {', '.join(one.subject for one in others)}."] if others else []
    return [
        cut(told, _OWN_WORK),
        f"When done, run {check}. It resolves the task if the criteria are met.",
        *after,
    ]


def _call(session: Session, spawn: Spawn) -> str:
    return f'- subagent_type "{spawn.agent}" prompt "SESSION_ID: {session.id}{_subject(spawn)}"'


def _subject(spawn: Spawn) -> str:
    return f" {spawn.key}: {spawn.subject}" if spawn.key else ""


def _message_spawns(session: Session, step: NextStep) -> list[str]:
    """For clients without types of agents: which one is meant stands in the message."""
    if step.direct:
        return _own_work(session, step)
    lines = [
        "Call spawn_agent for each of these with exactly this message, plus task_name and fork_turns"
        ' "none" if it accepts them. Then call wait_agent until each has finished:'
    ]
    return lines + [
        f'- message "{_message(session, spawn)}" task_name "{make_task_name(spawn)}_{_NUMBER}"'
        for spawn in step.spawns
    ]


def make_task_name(spawn: Spawn) -> str:
    """The newer tools hide the message on its way and show only a name, of small letters and digits."""
    text = f"{spawn.agent.rpartition(':')[2]}_{spawn.subject}".lower()
    return TASK_NAME + "".join(one if one.isascii() and one.isalnum() else "_" for one in text)


def _message(session: Session, spawn: Spawn) -> str:
    return f"AGENT: {spawn.agent} SESSION_ID: {session.id}{_subject(spawn)}"


def _wait(_session: Session, _step: NextStep) -> list[str]:
    """Nothing calls it back there: it has to wait itself."""
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


_TELLS = {
    steps.SPAWN: _spawns,
    steps.ASK: _question,
    steps.PLAN: _plan,
    steps.VERIFY: _verify,
}
_MESSAGE_TELLS = {**_TELLS, steps.SPAWN: _message_spawns, steps.WAIT: _wait}


def parse_fields(prompt: str) -> dict[str, str]:
    """`AGENT`, `SESSION_ID` and what names the subject of a prompt, wherever they stand in it."""
    found: dict[str, str] = {}
    for key in ("AGENT", "SESSION_ID", *SUBJECTS):
        _, mark, rest = prompt.partition(f"{key}:")
        words = rest.split(None, 1)
        if mark and words:
            found[key] = words[0].strip('",;')
    return found


def find_subject(agent: str, prompt: str) -> str:
    """What a call is for, as its prompt names it; empty if it does not say."""
    found = parse_fields(prompt)
    named = (found[key] for key in SUBJECTS if key in found)
    return next(named, ONLY.get(agent, ""))


def find_item_task(subject: str, description: str, tasks: Mapping[str, str]) -> str:
    """
    Which of these tasks, subjects by id, an item of the client's own list is about: the one whose `TASK_ID:` it
    names, else the one of the same subject; empty if none.
    """
    named = parse_fields(f"{subject}\n{description}").get("TASK_ID", "")
    if named in tasks:
        return named
    plain = subject.strip()
    return next((name for name, told in tasks.items() if plain and told.strip() == plain), "")
