"""
Attribute a change that no edit tool made: find who ran a command when the file was last written.

A command is known by its end and duration. If several fit, the one whose text names the file is meant; if none fits,
no one in this session made the change.
"""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ..value import Value

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
