"""
What an agent may not do yet in a requirement: code before its gates, delivery before the checks, and the program's own
pages at any time. A refusal names the gate that is shut and the step that opens it. Outside of a requirement: nothing.
"""

from . import pages, states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

WRITERS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
SHELL = "Bash"
_OWN_PAGES = (
    f"{pages.FOLDER} is written by the program; say what is known with `ultrawork axiom note`,"
    " a person edits it by hand"
)
_STOPS = {
    states.BLOCKED: "the work is BLOCKED and waits for the person's answer (ultrawork axiom unblock)",
    states.ARCHIVING: "the work is being archived; what is to change now is another requirement",
    states.IDLE: "the requirement is archived; a new one begins with ax-draft",
}
# What carries work out of the checkout, and the states in which it may.
_DELIVERS = ("push",)
_KEEPS = ("commit", "merge", "rebase", "tag", "cherry-pick")
_WRITES = (
    ">",
    "tee ",
    "sed -i",
    "cp ",
    "mv ",
    "rm ",
    "dd ",
    "truncate ",
    "python",
    "perl ",
    "install ",
)
_SEPARATORS = ";|&\n()`"
_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")


def find_shut_gate(state: str, tool: str, path: str, command: str) -> str:
    """Why this call is ahead of its gate; empty if it is not. `path` is relative to the checkout, empty outside of it."""
    if tool in WRITERS:
        return _judge_edit(state, path)
    return _judge_command(state, command) if tool == SHELL else ""


def _judge_edit(state: str, path: str) -> str:
    if not path:
        return ""
    if _is_own_page(path):
        return _OWN_PAGES
    gate = states.find_gate_ahead(state)
    if gate:
        return f"code waits for the {gate}; {states.OPENERS[gate]} opens it"
    return _STOPS.get(state, "")


def _is_own_page(path: str) -> bool:
    return path == pages.FOLDER or path.startswith(f"{pages.FOLDER}/")


def _judge_command(state: str, command: str) -> str:
    if pages.FOLDER in command and any(word in command for word in _WRITES):
        return _OWN_PAGES
    for verb in _list_git_verbs(command):
        if verb in _DELIVERS and state != states.IDLE:
            return f"git {verb} waits for the {states.CI}: it comes after the gates' PASS (ax-implement)"
        if verb in _KEEPS and state not in (states.EXECUTING, states.IDLE):
            gate = states.find_gate_ahead(state) or states.CI
            return f"git {verb} waits for the {gate}; {states.OPENERS[gate]} opens it"
    return ""


def _list_git_verbs(command: str) -> "Iterator[str]":
    """What git is asked for in a line of shell, wherever in it."""
    if "git" not in command:
        return
    plain = "".join(sign if sign not in _SEPARATORS else " ; " for sign in command)
    words = iter(plain.split())
    for word in words:
        if word.rpartition("/")[2].strip("\"'") != "git":
            continue
        for following in words:
            if following in _WITH_VALUE:
                next(words, "")
            elif not following.startswith("-"):
                yield following.strip("\"'")
                break
