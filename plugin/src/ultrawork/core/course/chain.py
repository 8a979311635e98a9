"""The chain of requests that share a baseline: who changed a path, and which paths a new request inherits.

A path that an agent of the chain left unchanged keeps its old baseline. What the user, a pull or another branch
changed is accepted as is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..value import Value, fresh
from .attribution import EDITORS, SLACK, ShellCall, list_calls

# Mode and content id of a file; None if the tree has none.
Entry = tuple[str, str] | None

COMMITTING = ("commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull")
SWITCHING = ("checkout", "switch", "branch", "worktree", "rebase", "pull")
# Marks a turn without recorded tool calls: ultrawork was off.
UNSEEN = "unseen"
# How long such a turn counts as the agent's if its end is unknown.
_LONGEST_TURN = 600.0
# A disk's clock lags by some milliseconds.
_LAG = 0.05
# Git stores times in seconds.
_SECOND = 1.0


class Chain(Value):
    """A chain. `base` is the baseline, `files` the same tree with what agents of the chain left, so the two differ in
    exactly these paths. Both are known up to commit `head` and time `at`; `start` is the commit of the first request
    or last PASS. `continues` says which request the session continued; empty if it inherited nothing. An unsaved chain
    has no `id`."""

    session: str
    place: str
    branches: list[str]
    base: str
    files: str
    head: str | None
    start: str | None
    at: float
    continues: dict[str, Any] = fresh(dict)
    id: int | None = None


class AgentActs(Value):
    """What an agent did after a moment. `edits` has the time of the last edit of each path; for the spans in `turns`
    nothing else is known."""

    calls: list[ShellCall] = fresh(list)
    edits: dict[str, float] = fresh(dict)
    turns: list[tuple[float, float]] = fresh(list)

    @property
    def is_empty(self) -> bool:
        return not (self.calls or self.edits or self.turns)


def read_acts(entries: Sequence[Mapping[str, Any]], since: float, root: str, until: float | None = None) -> AgentActs:
    """Read the acts from the trace of a session. `until` is when its last turn ended, if known."""
    later = [entry for entry in entries if float(entry.get("at") or 0.0) > since]
    edits: dict[str, float] = {}
    for act in later:
        if act.get("tool") in EDITORS:
            for path in act.get("files") or [str(act.get("what"))]:
                edits[path.removeprefix(f"{root}/")] = float(act["at"])
    return AgentActs(list_calls(entries, since), edits, list(_list_turns(later, until)))


def _list_turns(entries: Sequence[Mapping[str, Any]], until: float | None) -> Iterable[tuple[float, float]]:
    marks = [(float(entry["at"]) - _LAG, bool(entry.get(UNSEEN))) for entry in entries if entry.get("turn")]
    ends = [at for at, _ in marks[1:]]
    for at, (began, is_unseen) in enumerate(marks):
        if is_unseen and at < len(ends):
            yield began, min(ends[at], began + _LONGEST_TURN)
        elif is_unseen:
            yield began, began + _LONGEST_TURN if until is None else until


def find_agent_paths(written: Mapping[str, float | None], acts: AgentActs) -> set[str]:
    """Return the changed paths that the agent wrote, by the time of their last change; a deleted path has no time."""
    return {path for path, at in written.items() if _is_agents(path, at, acts)}


def _is_agents(path: str, at: float | None, acts: AgentActs) -> bool:
    if at is None:
        return not acts.is_empty
    if path in acts.edits and at <= acts.edits[path] + SLACK:
        return True
    return any(began <= at <= ended for began, ended in (*_list_spans(acts.calls), *acts.turns))


def _list_spans(calls: Iterable[ShellCall]) -> list[tuple[float, float]]:
    return [(call.began, call.ended) for call in calls]


def has_agent_done(at: float | None, acts: AgentActs, verbs: Sequence[str]) -> bool:
    """
    Whether a commit or a switch of branches at this time was the agent's. Where a command ran that does not say so,
    and where no time is known, it was if any recorded command did such a thing.
    """
    doing = [call for call in acts.calls if _runs_git(call.words, verbs)]
    if at is None:
        return bool(doing or acts.turns)
    if _covers(at, [*_list_spans(doing), *acts.turns]):
        return True
    return bool(doing) and _covers(at, _list_spans(acts.calls))


def _covers(at: float, spans: Iterable[tuple[float, float]]) -> bool:
    return any(began - _SECOND <= at <= ended + _SECOND for began, ended in spans)


def _runs_git(words: str, verbs: Sequence[str]) -> bool:
    parts = words.replace(";", " ").replace("&", " ").split()
    return any(part.rpartition("/")[2] == "git" for part in parts) and any(part in verbs for part in parts)


def choose_carried(left: Mapping[str, tuple[Entry, Entry]], now: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return paths that are still as an agent left them, each with its old baseline. `left` maps a path to its
    baseline and what the agent left, `now` to its current entry."""
    return {path: base for path, (base, agents) in left.items() if now[path] == agents}


def describe_continued(verdict: str, findings: Sequence[str], paths: Sequence[str]) -> str:
    """Describe in one line what a request continues."""
    if findings:
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        return f"Continuing: {findings[0].rstrip('.')}{more}"
    named = paths[0] if len(paths) == 1 else f"{len(paths)} files"
    since = "changed after PASS and not checked" if verdict == "PASS" else "changed and was not verified"
    return f"Continuing: {named} {since}"
