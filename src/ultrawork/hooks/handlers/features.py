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


def value(event: "Event", name: str) -> str | None:
    """The value of a feature that is on here; None if it is off, or if nobody knows for whom it would be."""
    if not event.session:
        return None
    if _Switches.event is not event:
        _Switches.event, _Switches.on = event, markers.features(event.place)
    found = _Switches.on.get(name)
    if found is None and name in ARMED and markers.armed(event.home, event.session):
        return ""
    return found


def _is(event: "Event", name: str, *tools: str) -> bool:
    return (not tools or event.text("tool_name") in tools) and value(event, name) is not None


def models(event: "Event") -> "Answer | None":
    """An agent that is called without a model gets the one that suits it."""
    if not _is(event, "models", *_AGENT_TOOLS):
        return None
    from ..features import agents

    return agents.model(event)


def delegation(event: "Event") -> "Answer | None":
    """Whoever conducts agents leaves large edits to them."""
    if event.text("agent_id") or not _is(event, "delegation", *_WRITERS):
        return None
    from ..features import agents

    return agents.edit(event, value(event, "delegation") or agents.DEFAULT_LEVEL)


def delegating(event: "Event") -> "Answer | None":
    """Work that belongs to an agent is said to be so when it is asked for."""
    if event.text("agent_id") or value(event, "delegation") in (None, "off"):
        return None
    if markers.armed_anywhere(event.home, event.environ, event.session):
        return None
    from ..features import agents

    return agents.asked(event)


def plans(event: "Event") -> "Answer | None":
    """A plan is not rewritten while it is worked off."""
    if event.text("tool_name") not in _WRITERS or "/.omc/plans/" not in _path(event):
        return None
    from ..features import plans as work

    return work.edit(event)


def _path(event: "Event") -> str:
    return f"/{event.mapping('tool_input').get('file_path') or ''}"


def meeting(event: "Event") -> "Answer | None":
    """Two running agents in one file."""
    if not event.text("agent_id") or not _is(event, "tracker", *_WRITERS):
        return None
    from ..features import crew

    return crew.meeting(event)


def crowd(event: "Event") -> "Answer | None":
    """More agents in the background than anybody can follow."""
    if not _is(event, "tracker", *_AGENT_TOOLS) or markers.planned(event.home, event.session):
        return None
    from ..features import crew

    return crew.crowd(event)


def kills(event: "Event") -> "Answer | None":
    """A command that would find and end the session itself."""
    if event.text("tool_name") != "Bash" or value(event, "recovery") is None:
        return None
    command = str(event.mapping("tool_input").get("command") or "")
    if "pkill" not in command:
        return None
    from ..features import advice

    return advice.kills(command)


def rules(event: "Event") -> "Answer | None":
    if not _is(event, "rules", *_FILE_TOOLS):
        return None
    from ..features import rules as work

    return work.rules(event)


def guides(event: "Event") -> "Answer | None":
    if not _is(event, "context", *_FILE_TOOLS):
        return None
    from ..features import rules as work

    return work.guides(event)


def learned(event: "Event") -> "Answer | None":
    """What commands teach, and which files are worked in."""
    if not _is(event, "memory", "Bash", *_WRITERS):
        return None
    from ..features import learning

    (learning.learned if event.text("tool_name") == "Bash" else learning.edited)(event)
    return None


def comments(event: "Event") -> "Answer | None":
    if not _is(event, "comments", *_WRITERS):
        return None
    from ..features import comments as work

    return work.comments(event)


def planned(event: "Event") -> "Answer | None":
    """A plan that was written is from now on the one that is worked off."""
    if "/.omc/plans/" not in _path(event) or not _is(event, "boulder", *_WRITERS):
        return None
    from ..features import boulders

    boulders.written(event)
    return None


def boxes(event: "Event") -> "Answer | None":
    """A planned session's tasks, for whoever goes on with them in another one."""
    if not _is(event, "boulder") or not _has_plan(event):
        return None
    from ..features import boulders

    boulders.renewed(event)
    return None


def _has_plan(event: "Event") -> bool:
    active = os.path.exists(f"{event.place}/.omc/boulder.json")
    return active or bool(markers.planned(event.home, event.session))


def touched(event: "Event") -> "Answer | None":
    if not event.text("agent_id") or not _is(event, "tracker", *_WRITERS):
        return None
    from ..features import crew

    crew.touched(event)
    return None


def items(event: "Event") -> "Answer | None":
    """The agent's own list, where no armed session writes it down already."""
    if not _is(event, "todo", "TodoWrite", "TaskCreate", "TaskUpdate") or not event.session:
        return None
    if not markers.armed_anywhere(event.home, event.environ, event.session):
        from ...store import trace
        from .tool import seen

        trace.append(event.home, event.session, seen(event))
    return None


def failed(event: "Event") -> "Answer | None":
    if not _is(event, "errors"):
        return None
    from ..features import failing

    return failing.failed(event)


def mended(event: "Event") -> "Answer | None":
    """A tool that works again: its failures are over."""
    last = f"{event.place}/.omc/state/sessions/{event.session}/last-tool-error.json"
    if event.session and os.path.exists(last) and _is(event, "errors"):
        from ..features import failing

        failing.mended(event)
    return None


def recovery(event: "Event") -> "Answer | None":
    if not _is(event, "recovery"):
        return None
    from ..features import advice

    return advice.helped(event)


def guide(event: "Event") -> "Answer | None":
    if not _is(event, "context"):
        return None
    from ..features import start

    return start.guide(event)


def _is_restored(event: "Event") -> bool:
    """After compaction the checkpoint tells of notes and plan; they are not said twice."""
    return event.text("source") == "compact" and _is(event, "checkpoint")


def notepad(event: "Event") -> "Answer | None":
    if not _is(event, "notepad") or _is_restored(event):
        return None
    from ..features import start

    return start.notes(event)


def memory(event: "Event") -> "Answer | None":
    if not _is(event, "memory"):
        return None
    from ..features import start

    return start.known(event)


def boulder(event: "Event") -> "Answer | None":
    if not _is(event, "boulder") or _is_restored(event):
        return None
    from ..features import start

    return start.plan(event)


def restore(event: "Event") -> "Answer | None":
    if event.text("source") != "compact" or not event.session or not _is(event, "checkpoint"):
        return None
    from ..features import compaction

    return compaction.restore(event)


def checkpoint(event: "Event") -> "Answer | None":
    if not _is(event, "checkpoint"):
        return None
    from ..features import compaction

    return compaction.checkpoint(event)


def wishes(event: "Event") -> "Answer | None":
    if not _is(event, "memory"):
        return None
    from ..features import prompts

    return prompts.wishes(event)


def think(event: "Event") -> "Answer | None":
    if not _is(event, "think"):
        return None
    from ..features import prompts

    return prompts.thought(event)


def skills(event: "Event") -> "Answer | None":
    if not _is(event, "skills"):
        return None
    from ..features import prompts

    return prompts.fitting(event)


def stop(event: "Event") -> "Answer | None":
    todo, plan = _is(event, "todo"), _is(event, "boulder")
    if not todo and not plan:
        return None
    from ..features import stops

    return stops.stop(event, todo=todo, boulder=plan)


def started(event: "Event") -> "Answer | None":
    if not _is(event, "tracker"):
        return None
    from ..features import crew

    return crew.started(event)


def ended(event: "Event") -> "Answer | None":
    if not _is(event, "tracker"):
        return None
    from ..features import crew

    return crew.ended(event)


def remember(event: "Event") -> "Answer | None":
    if not _is(event, "notepad"):
        return None
    from ..features import crew

    return crew.noted(event)


def wisdom(event: "Event") -> "Answer | None":
    if not _is(event, "boulder"):
        return None
    from ..features import crew

    return crew.wise(event)


def limits(event: "Event") -> "Answer | None":
    if not _is(event, "limits"):
        return None
    from ..features import limits as work

    return work.waited(event)


def resumed(event: "Event") -> "Answer | None":
    """Somebody who goes on by hand is not woken."""
    kept = f"{event.place}/.omc/state/sessions/{event.session}/rate-limit.json"
    by_hand = not event.text("prompt").startswith("<task-notification")
    if event.session and by_hand and os.path.exists(kept) and _is(event, "limits"):
        from ..features import limits as work

        work.resumed(event)
    return None


def cleanup(event: "Event") -> "Answer | None":
    if not _is(event, "cleanup"):
        return None
    from ..features import ending

    return ending.cleaned(event)


def setup(event: "Event") -> "Answer | None":
    """A person asked the client to set this project up, or to look after it."""
    from ..features import setup as work

    return work.done(event)
