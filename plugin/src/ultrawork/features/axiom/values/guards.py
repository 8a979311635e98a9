"""What an agent may not do yet in a requirement: code before its gates, delivery before the checks, and the program's
own pages at any time. A refusal names the closed gate and the step that opens it. Outside a requirement: nothing."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ....core.permission import shell_lines
from . import pages, states

WRITERS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
SHELL, PATCH, SERVER, CODE = "Bash", "apply_patch", "mcp__", "python_repl"
_SERVER_VERBS = ("write", "edit", "create", "delete", "move", "remove", "patch", "replace")
_OWN_PAGES = (
    f"{pages.FOLDER} is written by ultrawork; add to it with `ultrawork axiom note`, only the user edits it by hand"
)
_STOPS = {
    states.BLOCKED: "the work is BLOCKED and waits for the user's answer (ultrawork axiom unblock)",
    states.ARCHIVING: "the work is being archived; start another requirement for further changes",
    states.IDLE: "the requirement is archived; start a new one: ax-draft",
}
# What moves work out of the checkout, what keeps it there, and what changes files.
_DELIVERS = ("push", "send-pack")
_KEEPS = ("commit", "merge", "rebase", "tag", "cherry-pick")
_CHANGES = ("apply", "am", "revert")
_HOSTS = {"gh": ("pr", "release"), "glab": ("mr", "release")}
_LEAVING = ("create", "merge", "upload")
_WRITES = (">", "tee ", "sed -i", "cp ", "mv ", "rm ", "dd ", "truncate ", "python", "perl ", "install ")
_OWN = ("ultrawork", "ulw")
_CANCELS = ("cancel", "off", "stop", "stop-continuation")


def list_named_files(tool: str, given: "Mapping[str, object]") -> list[str]:
    """Return the files that a call would write, as it names them: of a patch, a command, or executed code."""
    if tool == PATCH:
        files = given.get("files")
        text = str(given.get("command") or given.get("input") or "")
        return files if isinstance(files, list) else shell_lines.list_patched(text)
    if tool == SHELL:
        return shell_lines.list_written(str(given.get("command") or ""))
    if tool.startswith(SERVER) and tool.endswith(CODE):
        return [shell_lines.ANYWHERE] if shell_lines.is_writing(str(given.get("code") or "")) else []
    return []


def may_write(tool: str) -> bool:
    """Return whether a call that names no file may change some: a command, or a tool of a server."""
    return tool == SHELL or tool.startswith(SERVER)


def is_writer(tool: str) -> bool:
    """Return whether the file that a call names is one that it writes."""
    plain = tool.lower()
    return tool in WRITERS or (tool.startswith(SERVER) and any(verb in plain for verb in _SERVER_VERBS))


def find_shut_gate(state: str, tool: str, paths: "Sequence[str]", command: str) -> str:
    """Return why this call is ahead of its gate; empty if it is not. `paths` are those that it writes in the
    checkout."""
    for path in paths:
        why = _judge_edit(state, path)
        if why:
            return why
    return _judge_command(state, command) if tool == SHELL else ""


def judge_background(state: str) -> str:
    """Return why a command may not run in the background: what it writes later is in no call that could be taken
    back."""
    gate = states.find_gate_ahead(state)
    return f"a command in the background waits for the {gate}; run it in the foreground" if gate else ""


def _judge_edit(state: str, path: str) -> str:
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
    if state != states.IDLE and _is_cancelled_by(command):
        return "only the user can end a requirement: ulw off"
    for verb in shell_lines.list_git_verbs(command):
        why = _judge_verb(state, verb)
        if why:
            return why
    return _tell_delivery(_find_hosted(command), state)


def _judge_verb(state: str, verb: str) -> str:
    if verb in _DELIVERS:
        return _tell_delivery(f"git {verb}", state)
    gate = states.find_gate_ahead(state)
    if (verb in _CHANGES and gate) or (verb in _KEEPS and state not in (states.EXECUTING, states.IDLE)):
        gate = gate or states.CI
        return f"git {verb} waits for the {gate}; {states.OPENERS[gate]} opens it"
    return ""


def _tell_delivery(delivery: str, state: str) -> str:
    if not delivery or state == states.IDLE:
        return ""
    return f"{delivery} waits for the {states.CI}: the checks have to pass first (ax-implement)"


def _find_hosted(command: str) -> str:
    """Return a command such as `gh pr create`, which publishes work without `git push`; empty if there is none."""
    for words in shell_lines.list_commands(command) if "g" in command else ():
        for program, verb, act in zip(words, words[1:], words[2:], strict=False):
            if verb in _HOSTS.get(program.rpartition("/")[2], ()) and act in _LEAVING:
                return f"{program} {verb} {act}"
    return ""


def _is_cancelled_by(command: str) -> bool:
    if not any(name in command for name in _OWN):
        return False
    return any(
        program.rpartition("/")[2] in _OWN and verb in _CANCELS
        for words in shell_lines.list_commands(command)
        for program, verb in pairwise(words)
    )
