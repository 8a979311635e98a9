"""A session's trace as people read it: what happened when, how often, how long."""

from collections.abc import Sequence
from time import gmtime, strftime
from typing import Any

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
