"""What happens, line by line: in a session's trace as people read it, with how often and how long; and in a headless
run, for viewers and logs."""

from collections.abc import Callable, Mapping, Sequence
from time import gmtime, strftime
from typing import Any

from ..core.session import session
from ..core.times import format_duration
from ..core.wording import count_things, cut, join_lines

Entries = Sequence[dict[str, Any]]

FILTERS = ("all", "hooks", "skills", "agents", "keywords", "tools", "modes")
SLOW_MS = 1_000
MOST = 200
_WIDE = 100
_AGENT_TOOLS = ("Agent", "Task")
_MODE_TOOLS = ("state_write", "state_clear")
_SERVER, _TOOLBOX = "mcp__", "mcp"
# Seconds between the end of a toolbox call and the event that reports it.
_LATE = 30.0
# Entries without a tool, by their key.
_SAID = {"warned": "repeated itself", "turn": "a prompt of the user"}
_FILE_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit", "Read")


def render_lines(entries: Entries, wanted: str = "all", last: int = MOST) -> list[str]:
    chosen = [entry for entry in entries if wanted in ("all", classify(entry))]
    return [_line(entry) for entry in chosen[-last:]]


def merge_events(entries: Entries, events: Entries) -> list[dict[str, Any]]:
    """Merge by time; a call of our own toolbox that the client also reported appears once, as the client
    reported it."""
    reports = [entry for entry in entries if str(entry.get("tool", "")).startswith(_SERVER)]
    kept = []
    for entry in entries:
        twin = _find_twin(entry, reports) if entry.get("agent") == _TOOLBOX else None
        if twin is None:
            kept.append(entry)
        else:
            reports.remove(twin)
    return sorted([*kept, *events], key=lambda event: float(event.get("at", 0)))


def _find_twin(entry: dict[str, Any], reports: Entries) -> dict[str, Any] | None:
    """Return the client's report of a call, which comes with its answer."""
    for report in reports:
        late = float(report.get("at", 0)) - float(entry.get("at", 0))
        if str(report["tool"]).endswith(f"__{entry.get('tool')}") and 0 <= late <= _LATE:
            return report
    return None


def classify(entry: dict[str, Any]) -> str:
    """Return which filter an entry belongs to."""
    tool = str(entry.get("tool", ""))
    if tool == "Skill":
        return "skills"
    if tool in _AGENT_TOOLS:
        return "agents"
    if tool.endswith(_MODE_TOOLS):
        return "modes"
    if tool:
        return "tools"
    return str(entry.get("kind") or "hooks")


def summarize(entries: Entries) -> list[str]:
    """Return totals, agents, what is slow on average, what runs in circles, and which files were touched."""
    if not entries:
        return []
    tools = [entry for entry in entries if entry.get("tool")]
    failed = sum(1 for entry in tools if not entry.get("ok"))
    spent = float(entries[-1].get("at", 0)) - float(entries[0].get("at", 0))
    head = f"{len(tools)} tool calls, {failed} failed, over {max(0.0, spent):.0f} s"
    parts = [head, *_table("tool", tools), *_agents(entries)]
    circles = sum(1 for entry in entries if entry.get("warned"))
    parts += [f"repeated itself: {circles} times"] if circles else []
    return parts + _files(tools)


def _line(entry: dict[str, Any]) -> str:
    time = strftime("%H:%M:%S", gmtime(float(entry.get("at", 0))))
    kind = next((word for key, word in _SAID.items() if entry.get(key)), classify(entry))
    name = str(entry.get("tool") or kind)
    end = "" if entry.get("ok", True) else "  failed"
    took = f"  {entry['ms']} ms" if isinstance(entry.get("ms"), int | float) else ""
    who = f"  [{entry['agent']}]" if entry.get("agent") else ""
    return f"{time}  {name} {str(entry.get('what', ''))[:_WIDE]}".rstrip() + took + end + who


def _table(key: str, entries: Entries) -> list[str]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        grouped.setdefault(str(entry.get(key)), []).append(entry)
    rows = sorted(grouped.items(), key=lambda row: -len(row[1]))
    return [_row(name, group) for name, group in rows[:20]]


def _row(name: str, group: Entries) -> str:
    times = [float(entry["ms"]) for entry in group if isinstance(entry.get("ms"), int | float)]
    mean = sum(times) / len(times) if times else 0.0
    slow = "  slow" if mean > SLOW_MS else ""
    return f"  {name}: {len(group)}, {mean:.0f} ms on average{slow}"


def _agents(entries: Entries) -> list[str]:
    grouped: dict[str, int] = {}
    for entry in entries:
        if entry.get("agent"):
            grouped[str(entry["agent"])] = grouped.get(str(entry["agent"]), 0) + 1
    return [f"  agent {name}: {count} calls" for name, count in grouped.items()]


def _files(tools: Entries) -> list[str]:
    counts: dict[str, int] = {}
    for entry in tools:
        if entry.get("tool") in _FILE_TOOLS and entry.get("what"):
            counts[str(entry["what"])] = counts.get(str(entry["what"]), 0) + 1
    top = sorted(counts.items(), key=lambda item: -item[1])[:10]
    return [f"  file {name}: {count}" for name, count in top]


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
