"""Planned sessions in the client. Only cheap questions are asked here; the work is in `conduct`."""

from ...core.session_kinds import FULL
from ...store import markers
from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

SKILLS = ("ultrawork:ultrawork", "ultrawork:ultrawork-plan", "ultrawork:ultrawork-exec")
AGENT_TOOLS = ("Agent", "Task")
WRITERS = ("Edit", "Write", "MultiEdit", "NotebookEdit")


def _planned(event: "Event") -> bool:
    content = markers.get(event.home, markers.ACTIVE, event.session) if event.session else None
    return content is not None and content.get("kind") == FULL


def begin_typed(event: "Event") -> Answer | None:
    """The session exists whatever the model does next: the hook makes it from the words as typed."""
    if event.text("command_name") not in SKILLS:
        return None
    from . import begin

    return begin.begin_typed(event)


def begin_typed_in_codex(event: "Event") -> Answer | None:
    """Codex has no event for a typed skill: `$ultrawork:ultrawork --auto sort it` comes as it was written."""
    name, _, rest = event.text("prompt").strip().partition(" ")
    if name[:1] != "$" or not event.is_codex:
        return None
    event.data["command_name"], event.data["command_args"] = name[1:], rest.strip()
    if name[1:] in SKILLS:
        return begin_typed(event)
    from ..modes import begin

    return begin.begin_typed(event)


def brief_agent(event: "Event") -> Answer | None:
    """An agent of Codex begins: it gets its instructions and its task."""
    if not event.text("agent_id") or not event.is_codex or not _planned(event):
        return None
    from . import agent_calls

    return agent_calls.brief_agent(event)


def brief(event: "Event") -> Answer | None:
    """After compaction or resuming the model no longer knows what is next: it is said again."""
    if event.text("source") not in ("compact", "resume") or not _planned(event):
        return None
    from . import session

    return session.brief(event)


def push(event: "Event") -> Answer | None:
    """A background agent has ended: the next step comes with the client's own notification."""
    if not event.text("prompt").startswith("<task-notification") or not _planned(event):
        return None
    from . import session

    return session.push(event)


def lift_delegation(event: "Event") -> Answer | None:
    """A person who asks for direct execution gets it; nobody else can ask."""
    if event.text("agent_id") or not _planned(event):
        return None
    from . import edits

    return edits.lift_delegation(event)


def prepare_call(event: "Event") -> Answer | None:
    """Claims the task that a call is for, and gives the call its whole prompt, type and model."""
    if event.text("tool_name") not in AGENT_TOOLS or event.text("agent_id") or not _planned(event):
        return None
    from . import agent_calls

    return agent_calls.prepare_call(event)


def check_edit(event: "Event") -> Answer | None:
    """During execution only workers edit, and only what no other running task holds."""
    if event.text("tool_name") not in WRITERS or not _planned(event):
        return None
    from . import edits

    return edits.check_edit(event)


def check_question(event: "Event") -> Answer | None:
    """The person answers, nobody else."""
    if event.text("tool_name") != "AskUserQuestion" or not _planned(event):
        return None
    from . import questions

    return questions.check_question(event)


def note_started(event: "Event") -> Answer | None:
    """A started agent is known by its id; a foreground one has ended, so the next step follows."""
    if event.text("tool_name") not in AGENT_TOOLS or event.text("agent_id") or not _planned(event):
        return None
    from . import agent_calls

    return agent_calls.note_started(event)


def record_answer(event: "Event") -> Answer | None:
    """The person's answer to a question of the program's."""
    if event.text("tool_name") != "AskUserQuestion" or not _planned(event):
        return None
    from . import questions

    return questions.record_answer(event)


def report_shell_changes(event: "Event") -> Answer | None:
    """What was written past the edit tools is found by comparing the files, and said once."""
    if not _planned(event):
        return None
    from . import shell_changes

    return shell_changes.report(event)


def end_agent(event: "Event") -> Answer | None:
    """The end of one of our agents: its report is stored, its plan taken, its task checked."""
    if not _planned(event):
        return None
    from . import agent_ends

    return agent_ends.end(event)


def decide_stop(event: "Event") -> Answer | None:
    """The end of a turn: the gates are run when it is time, and the next step refuses the stop."""
    if not _planned(event):
        return None
    from . import stop

    return stop.decide_stop(event)
