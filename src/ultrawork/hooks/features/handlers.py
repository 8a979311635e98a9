"""
The features of a project. Only the cheap question is asked here, whether a feature is on; the work is
in `hooks/features`. They are on where a person switched them on, and some in every armed session.
"""

import os

from ...store import markers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..answer import Answer
    from ..event import Event

# What helps any armed session and writes nothing into the project.
ARMED = ("models", "recovery")
_AGENT_TOOLS = ("Agent", "Task")
_FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")
_WRITERS = _FILE_TOOLS[1:]


class _Switches:
    """The switches of one event, read once for all its handlers."""

    event: "Event | None" = None
    on: dict[str, str] = {}  # noqa: RUF012 (one event at a time, replaced as a whole)


def read_value(event: "Event", name: str) -> str | None:
    """The value of a feature that is on here; None if it is off, or if nobody knows for whom it would be."""
    if not event.session:
        return None
    if _Switches.event is not event:
        _Switches.event, _Switches.on = event, markers.read_features(event.place)
    found = _Switches.on.get(name)
    if found is None and name in ARMED and markers.is_armed(event.home, event.session):
        return ""
    return found


def _is(event: "Event", name: str, *tools: str) -> bool:
    return (not tools or event.text("tool_name") in tools) and read_value(event, name) is not None


def choose_model(event: "Event") -> "Answer | None":
    """An agent that is called without a model gets the one that suits it."""
    if not _is(event, "models", *_AGENT_TOOLS):
        return None
    from . import delegation

    return delegation.choose_model(event)


def check_direct_edit(event: "Event") -> "Answer | None":
    """Whoever conducts agents leaves large edits to them."""
    if event.text("agent_id") or not _is(event, "delegation", *_WRITERS):
        return None
    from . import delegation

    return delegation.check_direct_edit(
        event, read_value(event, "delegation") or delegation.DEFAULT_LEVEL
    )


def advise_agent(event: "Event") -> "Answer | None":
    """Work that belongs to an agent is said to be so when it is asked for."""
    if event.text("agent_id") or read_value(event, "delegation") in (None, "off"):
        return None
    if markers.is_armed_anywhere(event.home, event.environ, event.session):
        return None
    from . import delegation

    return delegation.advise_agent(event)


def guard_plan(event: "Event") -> "Answer | None":
    """A plan is not rewritten while it is worked off."""
    if event.text("tool_name") not in _WRITERS or "/.omc/plans/" not in _path(event):
        return None
    from . import plans as work

    return work.guard_plan(event)


def _path(event: "Event") -> str:
    return f"/{event.mapping('tool_input').get('file_path') or ''}"


def warn_of_conflict(event: "Event") -> "Answer | None":
    """Two running agents in one file."""
    if not event.text("agent_id") or not _is(event, "tracker", *_WRITERS):
        return None
    from . import running_agents

    return running_agents.warn_of_conflict(event)


def limit_background(event: "Event") -> "Answer | None":
    """More agents in the background than anybody can follow."""
    if not _is(event, "tracker", *_AGENT_TOOLS) or markers.find_planned_session(
        event.home, event.session
    ):
        return None
    from . import running_agents

    return running_agents.limit_background(event)


def warn_of_kill(event: "Event") -> "Answer | None":
    """A command that would find and end the session itself."""
    if event.text("tool_name") != "Bash" or read_value(event, "recovery") is None:
        return None
    command = str(event.mapping("tool_input").get("command") or "")
    if "pkill" not in command:
        return None
    from . import tool_advice

    return tool_advice.warn_of_kill(command)


def tell_rules(event: "Event") -> "Answer | None":
    if not _is(event, "rules", *_FILE_TOOLS):
        return None
    from . import file_rules as work

    return work.tell_rules(event)


def tell_guides(event: "Event") -> "Answer | None":
    if not _is(event, "context", *_FILE_TOOLS):
        return None
    from . import file_rules as work

    return work.tell_guides(event)


def learn_from_tool(event: "Event") -> "Answer | None":
    """What commands teach, and which files are worked in."""
    if not _is(event, "memory", "Bash", *_WRITERS):
        return None
    from . import memory_learner

    (
        memory_learner.learn_from_command
        if event.text("tool_name") == "Bash"
        else memory_learner.note_edit
    )(event)
    return None


def name_comments(event: "Event") -> "Answer | None":
    if not _is(event, "comments", *_WRITERS):
        return None
    from . import file_rules as work

    return work.name_comments(event)


def activate_plan(event: "Event") -> "Answer | None":
    """A plan that was written is from now on the one that is worked off."""
    if "/.omc/plans/" not in _path(event) or not _is(event, "boulder", *_WRITERS):
        return None
    from . import plans

    plans.activate_plan(event)
    return None


def renew_checklist(event: "Event") -> "Answer | None":
    """A planned session's tasks, for whoever goes on with them in another one."""
    if not _is(event, "boulder") or not _has_plan(event):
        return None
    from . import plans

    plans.renew_checklist(event)
    return None


def _has_plan(event: "Event") -> bool:
    active = os.path.exists(f"{event.place}/.omc/boulder.json")
    return active or bool(markers.find_planned_session(event.home, event.session))


def note_file(event: "Event") -> "Answer | None":
    if not event.text("agent_id") or not _is(event, "tracker", *_WRITERS):
        return None
    from . import running_agents

    running_agents.note_file(event)
    return None


def note_items(event: "Event") -> "Answer | None":
    """The agent's own list, where no armed session writes it down already."""
    if not _is(event, "todo", "TodoWrite", "TaskCreate", "TaskUpdate") or not event.session:
        return None
    if not markers.is_armed_anywhere(event.home, event.environ, event.session):
        from ...store import trace
        from ..tool import describe_call

        trace.append(event.home, event.session, describe_call(event))
    return None


def note_failure(event: "Event") -> "Answer | None":
    if not _is(event, "errors"):
        return None
    from . import failures

    return failures.note_failure(event)


def forget_failure(event: "Event") -> "Answer | None":
    """A tool that works again: its failures are over."""
    last = f"{event.place}/.omc/state/sessions/{event.session}/last-tool-error.json"
    if event.session and os.path.exists(last) and _is(event, "errors"):
        from . import failures

        failures.forget_failure(event)
    return None


def advise_after_failure(event: "Event") -> "Answer | None":
    if not _is(event, "recovery"):
        return None
    from . import tool_advice

    return tool_advice.advise_after_failure(event)


def tell_guide(event: "Event") -> "Answer | None":
    if not _is(event, "context"):
        return None
    from . import session_start

    return session_start.tell_guide(event)


def _is_restored(event: "Event") -> bool:
    """After compaction the checkpoint tells of notes and plan; they are not said twice."""
    return event.text("source") == "compact" and _is(event, "checkpoint")


def tell_notes(event: "Event") -> "Answer | None":
    if not _is(event, "notepad") or _is_restored(event):
        return None
    from . import session_start

    return session_start.tell_notes(event)


def tell_memory(event: "Event") -> "Answer | None":
    if not _is(event, "memory"):
        return None
    from . import session_start

    return session_start.tell_memory(event)


def tell_plan(event: "Event") -> "Answer | None":
    if not _is(event, "boulder") or _is_restored(event):
        return None
    from . import session_start

    return session_start.tell_plan(event)


def restore(event: "Event") -> "Answer | None":
    if event.text("source") != "compact" or not event.session or not _is(event, "checkpoint"):
        return None
    from . import compaction

    return compaction.restore(event)


def write_checkpoint(event: "Event") -> "Answer | None":
    if not _is(event, "checkpoint"):
        return None
    from . import compaction

    return compaction.write_checkpoint(event)


def keep_wishes(event: "Event") -> "Answer | None":
    if not _is(event, "memory"):
        return None
    from . import prompts

    return prompts.keep_wishes(event)


def ask_for_thought(event: "Event") -> "Answer | None":
    if not _is(event, "think"):
        return None
    from . import prompts

    return prompts.ask_for_thought(event)


def find_skills(event: "Event") -> "Answer | None":
    if not _is(event, "skills"):
        return None
    from . import prompts

    return prompts.find_skills(event)


def send_back_open(event: "Event") -> "Answer | None":
    todo, plan = _is(event, "todo"), _is(event, "boulder")
    if not todo and not plan:
        return None
    from . import plans

    return plans.send_back_open(event, todo=todo, boulder=plan)


def note_start(event: "Event") -> "Answer | None":
    if not _is(event, "tracker"):
        return None
    from . import running_agents

    return running_agents.note_start(event)


def note_end(event: "Event") -> "Answer | None":
    if not _is(event, "tracker"):
        return None
    from . import running_agents

    return running_agents.note_end(event)


def keep_notes(event: "Event") -> "Answer | None":
    if not _is(event, "notepad"):
        return None
    from . import running_agents

    return running_agents.keep_notes(event)


def keep_wisdom(event: "Event") -> "Answer | None":
    if not _is(event, "boulder"):
        return None
    from . import running_agents

    return running_agents.keep_wisdom(event)


def wait_for_limit(event: "Event") -> "Answer | None":
    if not _is(event, "limits"):
        return None
    from . import failures as work

    return work.wait_for_limit(event)


def note_resumed(event: "Event") -> "Answer | None":
    """Somebody who goes on by hand is not woken."""
    kept = f"{event.place}/.omc/state/sessions/{event.session}/rate-limit.json"
    by_hand = not event.text("prompt").startswith("<task-notification")
    if event.session and by_hand and os.path.exists(kept) and _is(event, "limits"):
        from . import failures as work

        work.note_resumed(event)
    return None


def clean_up(event: "Event") -> "Answer | None":
    if not _is(event, "cleanup"):
        return None
    from . import session_end

    return session_end.clean_up(event)


def set_up(event: "Event") -> "Answer | None":
    """A person asked the client to set this project up, or to look after it."""
    from . import setup as work

    return work.set_up(event)
