"""Who does what in a planned session: the agents, each with its model and its exact prompt, and phase by phase who
acts, unless the user asked otherwise."""

from collections.abc import Mapping, Sequence

from ..plan import task as tasks
from ..plan.task import Task
from ..session.session import EXECUTION, PLANNING, VERIFICATION, Session
from ..value import Value
from ..wording import cut, join_lines

EXPLORER = "ultrawork:explorer"
PLANNER = "ultrawork:planner"
WORKER = "ultrawork:worker"
VERIFIER = "ultrawork:verifier"
REVIEWER = "ultrawork:reviewer"
ALL = (EXPLORER, PLANNER, WORKER, VERIFIER)
# What an agent of a read-only stage counts as, whatever its type.
READING = "ultrawork:reading"
# An agent's name may have the plugin's prefix and a tier suffix.
PREFIXES = ("ultrawork:", "ultrapower:", "oh-my-claudecode:", "omc:")
SUFFIXES = {"-low": "low", "-medium": "medium", "-high": "high"}
TASK_ID = "TASK_ID"
EXPLORER_ID = "EXPLORER_ID"
PART = "PART"
STRONG_FROM = 3
DEFAULT_MODELS = {tasks.SIMPLE: "haiku", tasks.STANDARD: "sonnet", tasks.COMPLEX: "opus"}


class Spawn(Value):
    """One agent to start. `subject` is its task or explorer, `key` what a prompt calls that. `acts_as` says
    whose rights it has if not its own, `page` where its text is if it is not ours. Agents of a pipeline belong
    to a `stage`."""

    agent: str
    model: str
    subject: str
    description: str
    prompt: str
    key: str = ""
    acts_as: str = ""
    page: str = ""
    stage: bool = False

    @property
    def counts_as(self) -> str:
        return self.acts_as or self.agent

    @property
    def of_task(self) -> bool:
        return self.key == TASK_ID

    def with_prompt(self, more: str) -> "Spawn":
        """Return the same with more in its prompt."""
        return Spawn(**{**super().document(), "prompt": f"{self.prompt}\n\n{more}"})

    def document(self) -> dict[str, str]:
        """Return the input of a call; without a model the agent uses its own."""
        return {
            "subagent_type": self.agent,
            **({"model": self.model} if self.model else {}),
            "description": self.description,
            "prompt": self.prompt,
        }


def strip_prefix(agent: str) -> str:
    """Remove the plugin's prefix; agents of other plugins keep theirs, and are not ours to judge."""
    for prefix in PREFIXES:
        if agent.startswith(prefix):
            return agent[len(prefix) :]
    return agent


def normalise_name(agent: str) -> str:
    """Return `ultrawork:worker`, the client's form, for `ultrawork:worker:worker`, the documents' form."""
    parts = agent.split(":")
    if len(parts) == 3 and parts[0] == "ultrawork" and parts[1] == parts[2]:
        return f"{parts[0]}:{parts[1]}"
    return agent


def choose_model(task: Task, models: Mapping[str, str] = DEFAULT_MODELS) -> str:
    """Return the model by complexity; from the third attempt on the strongest."""
    escalated = task.attempts + 1 >= STRONG_FROM
    return models[tasks.COMPLEX if escalated else task.complexity]


def spawn_explorer(session: Session, name: str, hint: str, overview: str) -> Spawn:
    prompt = (
        f"SESSION_ID: {session.id}\nEXPLORER_ID: {name}\nSEARCH_HINT: {hint}\n"
        f"CONTEXT: {cut(join_lines(overview), 400)}\nGOAL: {cut(join_lines(session.goal), 300)}"
    )
    model, description = DEFAULT_MODELS[tasks.SIMPLE], f"explore {cut(hint, 40)}"
    return Spawn(EXPLORER, model, name, description, prompt, key=EXPLORER_ID)


def spawn_planner(session: Session, feedback: Sequence[str] = ()) -> Spawn:
    options = session.options
    lines = [
        f"SESSION_ID: {session.id}",
        "",
        f"Goal: {session.goal}",
        "",
        "Options:",
        "- require_success_criteria: true",
        "- include_verify_task: true",
        f"- max_workers: {options['max_workers']}",
    ]
    if feedback:
        lines += ["", "The plan was sent back:", *(f"- {line}" for line in feedback)]
    return Spawn(PLANNER, DEFAULT_MODELS[tasks.COMPLEX], "plan", "plan the work", "\n".join(lines))


def spawn_worker(session: Session, task: Task, models: Mapping[str, str] = DEFAULT_MODELS) -> Spawn:
    criteria = "\n".join(f"- {criterion}" for criterion in task.criteria) or "- (none given)"
    failed = f"\n\nThe last attempt failed: {task.reason}" if task.attempts and task.reason else ""
    files = f"\nFILES: {', '.join(task.files)}" if task.files else ""
    prompt = (
        f"SESSION_ID: {session.id}\nTASK_ID: {task.id}\n\nTASK: {task.subject}\n{task.description}"
        f"{files}\n\nSUCCESS CRITERIA:\n{criteria}{failed}"
    )
    model = choose_model(task, models)
    return Spawn(WORKER, model, task.id, f"task {task.id}", prompt, key=TASK_ID)


def spawn_verifier(
    session: Session,
    plan: Sequence[Task],
    receipts: Sequence[str],
    *,
    model: str = DEFAULT_MODELS[tasks.COMPLEX],
    before: Sequence[str] = (),
) -> Spawn:
    """Isolated: criteria, receipts and the diff, and what an earlier round found; nothing that workers claimed."""
    lines = [f"SESSION_ID: {session.id}", f"Goal: {session.goal}", "", "CRITERIA:"]
    reading = list_reading(session)
    lines += [f"- {task.id}: {criterion}" for task in plan if task.id not in reading for criterion in task.criteria]
    lines += ["", "RECEIPTS:", *(f"- {line}" for line in receipts)]
    if before:
        lines += ["", "FOUND BEFORE (report whether each one is resolved):", *(f"- {finding}" for finding in before)]
    return Spawn(VERIFIER, model, "verify", "verify the work", "\n".join(lines))


def list_reading(session: Session) -> set[str]:
    """Return the read-only stages of a pipeline: they leave nothing in the files."""
    stages = session.state.pipeline.get("stages") or {}
    return {name for name, stage in stages.items() if stage["reads"]}


OFF = "off"
WARN = "warn"
STRICT = "strict"
LEVELS = (OFF, WARN, STRICT)

PROGRAM = "the program"
PERSON = "the orchestrator with the user"
# What is done in a session, and by whom; with --auto the planner plans.
TABLE = {
    "overview": PROGRAM,
    "targeted exploration": EXPLORER,
    "planning": PERSON,
    "planning --auto": PLANNER,
    "execution": WORKER,
    "verification": VERIFIER,
}
# Who may edit project files in a phase, and the message for others.
_EDITS = {
    PLANNING: ("", "do not edit files before the plan is approved"),
    EXECUTION: (
        WORKER,
        "the orchestrator does not edit files during execution. Start ultrawork:worker with the task's id",
    ),
    VERIFICATION: ("", "do not edit files during verification. A failing check starts another round"),
}
_READS = "this stage of the pipeline only reads. A later stage makes the change"
_DIRECT = (
    "run this directly", "do this directly", "do it directly", "execute directly", "execute this directly",
    "without agent", "without an agent", "without agents", "without worker", "without a worker",
    "without workers", "직접 실행", "직접 수정", "에이전트 없이",
)  # fmt: skip
# Verbs that the main agent leaves to others, and whose they are.
_OF_AGENTS = {
    "context add": "explorer reports are stored when they end. Start the explorers that are next",
    "task create": "with --auto the planner writes the plan. Start ultrawork:planner",
}
_NOT = ("not ", "n't ", "never ")


def find_refusal(phase: str, role: str, path: str) -> str:
    """Why an agent of this role may not edit this file in this phase; empty if it may."""
    if role == READING:
        return _READS
    editor, why = _EDITS.get(phase, (role, ""))
    if not why or (editor and role == editor):
        return ""
    return "" if phase == PLANNING and _is_design(path) else why


def _is_design(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name == "design.md" or name.endswith("-design.md")


def find_shell_target(command: str) -> str:
    """The file that a command plainly edits (`> a.py`, `tee a.py`, `sed -i … a.py`); empty if none is seen."""
    if not any(mark in command for mark in (">", "tee ", "sed ")):
        return ""
    from ..permission import shell_lines

    written = shell_lines.list_written(command, cautious=True)
    return next((path for path in written if _is_file(path)), "")


def _is_file(path: str) -> bool:
    return bool(path) and not path.startswith(("/dev/", "/tmp/", "$", "&"))  # noqa: S108


def explain_verb(verb: str, phase: str, *, auto: bool) -> str:
    """Why the main agent may not run it; empty if it may."""
    if phase != PLANNING or (verb == "task create" and not auto):
        return ""
    return _OF_AGENTS.get(verb, "")


def find_verb(command: str) -> str:
    """Return `context add` or `task create` of our own program in a command: agents do that, not the coordinator."""
    words = command.split()
    for at, word in enumerate(words):
        if word.rpartition("/")[2] in ("ultrawork", "ulw"):
            text = " ".join(words[at + 1 : at + 3])
            return text if text in _OF_AGENTS else ""
    return ""


def wants_direct(prompt: str) -> bool:
    """Return whether the user explicitly asks for work without agents."""
    text = " ".join(prompt.lower().split())
    return any(_has_phrase(text, phrase) for phrase in _DIRECT)


def _has_phrase(text: str, phrase: str) -> bool:
    """Return whether the text says it; `do not run this directly` asks for the opposite."""
    start = text.find(phrase)
    while start >= 0:
        if not text[:start].endswith(_NOT):
            return True
        start = text.find(phrase, start + 1)
    return False
