"""The next step of a session: as a value, with its kinds and the facts it is chosen from, and as text for the model, at
most 1 kB and exact about what to start."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..modes.machine import ModeProgress
from ..plan.task import VERIFY as VERIFY_TASK
from ..plan.task import Task
from ..session.exploration import Explorer
from ..session.session import PLANNING_COMPLETE, Session
from ..value import Value, fresh
from ..wording import cut
from . import roles
from .roles import DEFAULT_MODELS, Spawn

SPAWN = "spawn"
WAIT = "wait"
ASK = "ask"
PLAN = "plan"
VERIFY = "verify"
DONE = "done"
OWN = "own"

OVERVIEW = "overview"
HINTS = "hints"
EXPLORED = "explored"
STAND = "plan-stands"
EXECUTE = "execute"
RETRY = "retry"
COORDINATE = "coordinate"
SETTLING = "settle-conflicts"
ITERATE = "iterate"
SETTLE = "settle"
COMPLETE = "complete"
FAILING = "fail"
UNVERIFIED = "end-unverified"
STAGE_FAILED = "stage-failed"
STAGES_DONE = "stages-done"
ARCHIVE = "archive"

APPROVAL = {
    "en": ("Go on with this plan?", ("Approve", "Request changes", "Cancel")),
    "ko": ("이 계획으로 진행할까요?", ("승인", "수정 요청", "취소")),
}
STUCK = ("What about the failed tasks?", ("Try again", "Skip with a reason", "Stop"))
# The user's own words are the reason; the options are only the usual ones.
REASON = ("Why are they skipped?", ("Not needed for this goal", "Done elsewhere", "Not possible here"))
# Document 001: an agent that ends its message with this asks for the next round.
RETRY_MARK = "__ULTRAWORK_RETRY__"


def find_question(session: Session) -> tuple[str, tuple[str, ...]] | None:
    """Return the question that a session waits for, with its answers, as far as the session alone shows it."""
    if session.phase != PLANNING_COMPLETE or session.state.lead or not session.active:
        return None
    options, approved = session.options, session.plan.get("approved_at")
    if approved or options["auto_mode"] or options["plan_only"]:
        return None
    return APPROVAL["en"]


class NextStep(Value):
    """
    One step. `own` names the program's work; the other fields are for a model or the user. `again`: it is a
    retry. `direct`: the coordinator may do the work of these agents itself.
    """

    kind: str
    text: str = ""
    own: str = ""
    spawns: Sequence[Spawn] = ()
    question: str = ""
    options: tuple[str, ...] = ()
    waiting: Sequence[str] = ()
    again: bool = False
    direct: bool = False

    def document(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "text": self.text,
            "own": self.own,
            "agents": [spawn.document() for spawn in self.spawns],
            "question": self.question,
            "options": list(self.options),
            "waiting": list(self.waiting),
            "direct": self.direct,
        }


class SessionFacts(Value):
    """
    What is stored. `running`: tasks and explorers with a running agent. `rulings`: what judges said about the
    current files. `mode`: the planned mode of the session. `changed`: the files it changed. `because`: what keeps
    the verdict from PASS. `sends_back`: whether part of that was not sent back yet.
    """

    session: Session
    tasks: Sequence[Task]
    explorers: Sequence[Explorer]
    running: Collection[str] = ()
    verdict: str = ""
    because: str = ""
    sends_back: bool = False
    rulings: Mapping[str, str] = fresh(dict)
    findings: Mapping[str, Sequence[str]] = fresh(dict)
    receipts: Sequence[str] = ()
    plan_errors: Sequence[str] = ()
    attended: bool = True
    barrier: bool = False
    language: str = "en"
    questions: int = 1
    models: Mapping[str, str] = DEFAULT_MODELS
    mode: ModeProgress | None = None
    changed: Sequence[str] = ()
    changed_lines: int = 0
    tests_changed: bool = False

    @property
    def work(self) -> list[Task]:
        return [task for task in self.tasks if task.id != VERIFY_TASK]

    def has_spent(self, counter: str) -> bool:
        """Return whether the mode has used up all of this counter."""
        most = self.mode.limits.get(counter) if self.mode is not None else None
        return self.mode is not None and most is not None and self.mode.counts.get(counter, 0) >= most

    @property
    def retired(self) -> int:
        """Return how many seats of a team get no more tasks."""
        if self.mode is None:
            return 0
        from ..modes import shared_files  # few sessions ask, and every hook of a plan loads this module

        return shared_files.count_retired(self.mode.facts)

    def option(self, name: str) -> int:
        return int(str(self.session.options.get(name) or 0))


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
        if kind == WAIT and self.busy:
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
    if step.kind == SPAWN and not step.direct:
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


_TELLS = {SPAWN: _spawns, ASK: _question, PLAN: _plan, VERIFY: _verify}
_MESSAGE_TELLS = {**_TELLS, SPAWN: _message_spawns, WAIT: _wait}


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
