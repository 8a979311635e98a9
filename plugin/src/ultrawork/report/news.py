"""What happens in a headless run, one line each: for viewers and logs."""

from collections.abc import Callable, Mapping
from typing import Any

from ..core.session import session
from ..core.times import format_duration
from ..core.wording import count_things, cut, join_lines

Facts = Mapping[str, Any]

WIDTH = 110

BEGUN = "begun"
PHASE = "phase"
STARTED = "started"
REPORTED = "reported"
PLANNED = "planned"
SENT_BACK = "sent-back"
CONFLICT = "conflict"
MERGED = "merged"
FAILED = "failed"
WAITING = "waiting"
TRESPASS = "trespass"
KEPT = "kept"
UNREADY = "unready"
REFUSED = "refused"
NOTE = "note"
VERDICT = "verdict"
DELIVERED = "delivered"
# What the user must see even when hundreds of agents start and end.
LOUD = (SENT_BACK, CONFLICT, FAILED, TRESPASS, KEPT, WAITING, UNREADY, REFUSED)
# News that ends with something to type or do.
WHOLE = (TRESPASS, KEPT, UNREADY, REFUSED)


def render_line(kind: str, facts: Facts) -> str:
    """Return one line without its time; agents' own words are quoted. Commands are not cut."""
    line = join_lines(_LINES[kind](facts))
    return line if kind in WHOLE else cut(line, WIDTH)


def _render_begin(facts: Facts) -> str:
    gates = ", ".join(facts["gates"]) or "none found"
    return f"session {facts['session']} on {facts['backend']}; checks: {gates}"


def _render_start(facts: Facts) -> str:
    again = f", try {facts['attempt']}" if facts["attempt"] > 1 else ""
    model = f" ({facts['model']})" if facts["model"] else ""
    return f"{facts['subject']}: {facts['role']} started{model}{again}"


def _planned(facts: Facts) -> str:
    tasks = count_things(facts["tasks"], "task")
    return f"plan: {tasks}; longest chain {' -> '.join(facts['chain'])}"


def _sent_back(facts: Facts) -> str:
    return f"{facts['subject']}: {_blamed(facts)}; retried"


def _failed(facts: Facts) -> str:
    return f"{facts['subject']}: {_blamed(facts)}; failed"


def _blamed(facts: Facts) -> str:
    text = f'"{cut(join_lines(facts["said"]), 36)}", but ' if facts.get("said") else ""
    return text + describe_failure(facts["why"], WIDTH - 60)


_FAILS = " fails"


def describe_failure(why: str, room: int = 300) -> str:
    """Describe a failure in a line: of a criterion its result and its command, of which only the command is cut."""
    head, red, _ = why.partition(": red")
    if not red:
        return cut(join_lines(why.partition(" (#")[0]), room)
    command = join_lines(head.removesuffix(" => exit 0"))
    return f"{cut(command, room - len(_FAILS))}{_FAILS}"


def _conflict(facts: Facts) -> str:
    return f"{facts['subject']}: conflict in {', '.join(facts['files'])}; retried with both versions"


def _trespassed(facts: Facts) -> str:
    return f"{facts['subject']}: may have changed {facts['name']} in your checkout. To undo that: {facts['command']}"


def _merged(facts: Facts) -> str:
    files = facts["files"]
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    listing = ", ".join(files[:3]) + more if files else "nothing to merge"
    return f"{facts['subject']}: merged ({listing})"


_PHASES = {
    session.PLANNING: "explorers start",
    session.PLANNING_COMPLETE: "the plan is ready",
    session.EXECUTION: "workers start",
    session.VERIFICATION: "everything is merged; now the checks run",
    session.COMPLETE: "complete",
    session.FAILED: "failed",
    session.CANCELLED: "cancelled",
}
_LINES: dict[str, Callable[[Facts], str]] = {
    BEGUN: _render_begin,
    PHASE: lambda facts: _PHASES.get(facts["phase"], facts["phase"].lower()),
    STARTED: _render_start,
    REPORTED: lambda facts: f"{facts['subject']}: {cut(join_lines(facts['said']), 100)}",
    PLANNED: _planned,
    SENT_BACK: _sent_back,
    CONFLICT: _conflict,
    MERGED: _merged,
    FAILED: _failed,
    WAITING: lambda facts: f"{facts['why']}; continuing in {format_duration(facts['seconds'])}",
    TRESPASS: _trespassed,
    KEPT: lambda facts: f"{facts['subject']}: {facts['why']}; its work: git show {facts['ref']}",
    UNREADY: lambda facts: str(facts["line"]),
    REFUSED: lambda facts: str(facts["line"]),
    NOTE: lambda facts: str(facts["text"]),
    VERDICT: lambda facts: str(facts["line"]),
    DELIVERED: lambda facts: str(facts["how"]),
}
