"""Who changed a path. A change that no edit tool made is attributed to whoever ran a command when the file was last
written; if no command fits, no one in this session made it.

A chain of requests shares a baseline: a path that an agent of the chain left unchanged keeps its old baseline, and what
the user, a pull or another branch changed is accepted as is. Of the user's own work, an undone hunk is lost if its
place in the file is back to the committed text and a command that discards work can have reached the file."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ..value import Value, fresh

EDITORS = ("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch")
_SHELLS = ("Bash", "PowerShell")
# A call is recorded by a process that starts after it, on a busy machine some seconds later.
SLACK = 3.0
OUTSIDE = "the file is not one of its own"
DIRECT = "the orchestrator does not write files"


class ShellCall(Value):
    """One command; a background command may write as long as the session lasts."""

    agent: str
    began: float
    ended: float
    words: str


class ShellChange(Value):
    """`by` are the tasks that may have done it, empty for the orchestrator; `why` is what is wrong with it."""

    path: str
    by: Sequence[str]
    why: str

    @property
    def sentence(self) -> str:
        names = [f"task {name}" if name else "the orchestrator" for name in self.by]
        return f"{' or '.join(names)} changed {self.path} through the shell: {self.why}"


def list_calls(entries: Iterable[Mapping[str, Any]], since: float) -> list[ShellCall]:
    """The commands of a trace that may have written after this moment."""
    return [
        _call(entry, since)
        for entry in entries
        if _is_command(str(entry.get("tool")), str(entry.get("what") or ""))
        and (entry.get("background") or float(entry.get("at") or 0.0) >= since)
    ]


def _is_command(tool: str, words: str) -> bool:
    """Return whether it is a command that counts; checks that ultrawork runs may write files."""
    ours = words.lstrip().startswith(("ultrawork ", "ulw "))
    return (tool in _SHELLS or tool.startswith("mcp__")) and not ours


def _call(entry: Mapping[str, Any], since: float) -> ShellCall:
    ended, took = float(entry.get("at") or 0.0), entry.get("ms")
    began = ended - took / 1000 - SLACK if isinstance(took, int | float) else since
    # Ends are stored in milliseconds; a file's clock is finer.
    last = float("inf") if entry.get("background") else ended + 0.001
    return ShellCall(str(entry.get("agent") or ""), began, last, str(entry.get("what") or ""))


def list_edited(entries: Iterable[Mapping[str, Any]]) -> set[str]:
    """Whole paths that an edit tool wrote: the hook before it has judged them."""
    return list_edited_paths(entry for entry in entries if entry.get("ok"))


def list_edited_paths(entries: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the same, also of calls that may have been refused."""
    calls = [entry for entry in entries if entry.get("tool") in EDITORS]
    return {path for call in calls for path in call.get("files") or [str(call.get("what"))]}


def find_doers(path: str, at: float | None, made: Iterable[ShellCall]) -> list[str]:
    """Return the agents that may have written a file at this time; a deleted file has no time."""
    name = path.rpartition("/")[2]
    if at is None:
        return _agents(call for call in made if name in call.words)
    then = [call for call in made if call.began <= at <= call.ended]
    return _agents(call for call in then if name in call.words) or _agents(then)


def _agents(made: Iterable[ShellCall]) -> list[str]:
    return sorted({call.agent for call in made})


def judge(path: str, by: Sequence[str], holder: str, files: Mapping[str, Sequence[str]]) -> ShellChange:
    """Judge a change. `by` are tasks, empty for the orchestrator; `holder` is the running task that owns the path, and
    `files` what each task planned to write. If an owner may have written the path, it did."""
    if holder in by and holder:
        return ShellChange(path, [holder], "")
    if holder:
        return ShellChange(path, by, f"the file belongs to task {holder}")
    if not all(by):
        return ShellChange(path, by, DIRECT if list(by) == [""] else "")
    planned = [name for name in by if not files.get(name) or is_within(path, files[name])]
    return ShellChange(path, planned or by, "" if planned else OUTSIDE)


def is_within(path: str, files: Iterable[str]) -> bool:
    """Return whether a path is one of these files, is in one of these folders, or matches one of these patterns."""
    for file in files:
        plain = file.removeprefix("./").rstrip("/")
        if path == plain or path.startswith(f"{plain}/") or fnmatchcase(path, plain):
            return True
    return False


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


HUNK, FILE, IGNORED, STASH, COMMIT = "hunk", "file", "ignored", "stash", "commit"
# A longer file is compared as a whole: matching its lines takes too long.
_MOST_LINES = 20_000
# A file counts as moved if this share of its lines is in a new file.
_MOVED = 0.5
_SEPARATORS = (";", "&&", "||", "|", "&", "\n", "(", ")")
# Git commands that undo work everywhere, those that do with one of these flags, and those that name paths.
_EVERYWHERE = ("stash", "clean")
_WITH_FLAGS = {
    "reset": ("--hard", "--merge", "--keep"),
    "checkout": ("-f", "--force"),
    "switch": ("-f", "--force", "--discard-changes"),
}
_WITH_PATHS = ("checkout", "restore", "rm")
_LONGEST = 500


class LostFile(Value):
    """Lost work. `path` is what `ultrawork restore` takes: a file, `stash@{0}` or a branch. `held`: its content still
    exists, in our store or the repository. `source` is the tree, hash or commit that has it."""

    path: str
    kind: str
    held: bool
    source: str = ""


class Hunk(Value):
    """Lines of a committed file, and what the user had put in their place."""

    removed: list[str]
    added: list[str]


def find_undone_hunks(committed: Sequence[str], before: Sequence[str], now: Sequence[str]) -> list[Hunk]:
    """Return the user's hunks that are gone: the committed lines are back, or none of the added lines is left. Lines
    that moved within the file are not lost."""
    if max(len(committed), len(before), len(now)) > _MOST_LINES:
        return [Hunk(list(committed), list(before))] if list(now) == list(committed) else []
    from difflib import SequenceMatcher

    kept = _find_kept(SequenceMatcher(None, committed, now, autojunk=False).get_matching_blocks())
    known = {line.strip() for line in now}
    undone_hunks = []
    hunks = SequenceMatcher(None, committed, before, autojunk=False).get_opcodes()
    for tag, i1, i2, j1, j2 in hunks:
        added = {line.strip() for line in before[j1:j2]} - {""}
        if tag == "equal" or (added and added <= known):
            continue
        if _is_back(i1, i2, kept) if i1 < i2 else not added & known:
            undone_hunks.append(Hunk(list(committed[i1:i2]), list(before[j1:j2])))
    return undone_hunks


def _find_kept(blocks: Iterable[tuple[int, int, int]]) -> dict[int, int]:
    """Return the current position of each committed line that still exists."""
    return {i + n: j + n for i, j, size in blocks for n in range(size)}


def _is_back(start: int, end: int, kept: dict[int, int]) -> bool:
    """Return whether these committed lines stand there again, with nothing in between."""
    places = [kept.get(line, -1) for line in range(start, end)]
    first = places[0]
    return first >= 0 and places == list(range(first, first + len(places)))


def is_found_in(before: str, others: Iterable[str]) -> bool:
    """Return whether a file lives on in one of these."""
    lines = {line.strip() for line in before.splitlines() if line.strip()}
    if not lines:
        return True
    shared = (len(lines & {line.strip() for line in text.splitlines()}) for text in others)
    return any(count >= _MOVED * len(lines) for count in shared)


def can_undo(command: str, path: str) -> bool:
    """Return whether a command throws away uncommitted work in this file; one that was cut short may."""
    return len(command) >= _LONGEST or any(_reaches(words, path) for words in _split(command))


def _split(command: str) -> Iterable[list[str]]:
    for separator in _SEPARATORS:
        command = command.replace(separator, " \0 ")
    words: list[str] = []
    for word in [*command.split(" "), "\0"]:
        if word == "\0":
            yield words
            words = []
        elif word:
            words.append(word.strip("'\""))


def _reaches(words: Sequence[str], path: str) -> bool:
    names = [word.rpartition("/")[2] for word in words]
    if "git" in names:
        verbs = words[names.index("git") + 1 :]
        return any(_does(verb, verbs[at + 1 :], path) for at, verb in enumerate(verbs))
    return "rm" in names and _names(words[names.index("rm") + 1 :], path)


def _does(verb: str, rest: Sequence[str], path: str) -> bool:
    if verb in _EVERYWHERE or any(flag in rest for flag in _WITH_FLAGS.get(verb, ())):
        return True
    return verb in _WITH_PATHS and _names(rest, path)


def _names(words: Sequence[str], path: str) -> bool:
    """Return whether one of these words means the file, from whichever folder."""
    for word in words:
        plain = word.removeprefix("./").rstrip("/")
        if plain in (".", "", "*", ":/") and word and not word.startswith("-"):
            return True
        inside = path == plain or path.startswith(f"{plain}/") or path.endswith(f"/{plain}")
        if inside or plain.endswith(f"/{path}") or fnmatchcase(path, plain) or f"/{plain}/" in path:
            return True
    return False
