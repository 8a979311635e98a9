"""
The person's own rules for commits: their git hooks, and signing.

Workers' commits are made without them. When results are brought they are asked once for all of it, as if the person
had committed it: a hook that says no leaves the results on their branch, with what it said.
"""

import os
from contextlib import suppress

from ...core.agent_variables import remove_agent_variables
from ...core.wording import cut, join_lines
from ...gates.trees.scratch import remove_folder
from ...store import atomic
from ...system.process import run_program
from . import worktrees
from .lock import RepositoryLock
from .repository import Repository
from .worktrees import Worktree

NO_VERIFY = "--no-verify"
_STAGED, _MESSAGE = "pre-commit", "commit-msg"
_RUN = (_STAGED, _MESSAGE)
_SECONDS = 900.0
_SHOWN = 160


def describe_rules(repository: Repository) -> list[str]:
    """For the start of a run: which rules will be asked when its results are brought."""
    told = []
    hooks = [name for name in _RUN if _find_hook(repository, name)]
    if hooks:
        told.append(
            f"git hooks run when results are brought: {', '.join(hooks)}; {NO_VERIFY} skips them"
        )
    if _wants_signatures(repository):
        told.append(
            "commit.gpgsign is set: results stay on their branch until you sign them;"
            f" {NO_VERIFY} brings them unsigned"
        )
    return told


def find_rule_against(repository: Repository, now: str, head: str) -> str:
    """Why the person's own rules do not take these commits, with what to type; empty if they do."""
    merge = f"git merge {repository.branch}"
    if _wants_signatures(repository):
        sign = f"git rebase -S --force-rebase --rebase-merges {now[:12]} {repository.branch}"
        return f"commit.gpgsign is set and they are not signed; {sign}, then {merge}"
    hooks = {name: path for name in _RUN if (path := _find_hook(repository, name))}
    if not hooks:
        return ""
    place = worktrees.prepare_detached(repository, f"hooks-{head[:12]}", head)
    try:
        # All that is to be brought is staged there, on top of what the person has.
        repository.git_in(place.path).ask(["update-ref", "--no-deref", "HEAD", now])
        for name, path in hooks.items():
            said = _ASK[name](repository, place, path, (now, head))
            if said is not None:
                return f"the {name} hook says {said or 'no'}; see to it, then {merge}"
    finally:
        with RepositoryLock(repository):
            trash = worktrees.move_to_trash(repository, place.name)
        remove_folder(trash)
    return ""


def _ask_staged(
    repository: Repository, place: Worktree, path: str, _span: tuple[str, str]
) -> str | None:
    return _run(repository, place, [path])


def _ask_messages(
    repository: Repository, place: Worktree, path: str, span: tuple[str, str]
) -> str | None:
    """Of each commit, oldest first."""
    git = repository.git
    listed = git.ask(["rev-list", "--reverse", "--no-merges", f"{span[0]}..{span[1]}"]).decode()
    folder = f"{repository.folder}/messages.{os.urandom(4).hex()}"
    os.makedirs(folder, mode=0o700)
    try:
        for commit in listed.split():
            text = git.ask(["log", "-1", "--format=%B", commit])
            atomic.write(f"{folder}/message", text, sync=False)
            said = _run(repository, place, [path, f"{folder}/message"])
            if said is not None:
                return said
    finally:
        with suppress(OSError):
            remove_folder(folder)
    return None


_ASK = {_STAGED: _ask_staged, _MESSAGE: _ask_messages}


def _run(repository: Repository, place: Worktree, command: list[str]) -> str | None:
    """None if it agrees; else what it said last."""
    own = remove_agent_variables(repository.environ)
    environ = {**own, **place.environ, "GIT_EDITOR": ":", "GIT_TERMINAL_PROMPT": "0"}
    done = run_program(command, cwd=place.path, env=environ, deadline=_SECONDS)
    if done.exit == 0:
        return None
    lines = [line for line in done.output.splitlines() if line.strip()]
    return cut(join_lines(lines[-1]), _SHOWN) if lines else ""


def _find_hook(repository: Repository, name: str) -> str:
    """Where it lies, by the person's own setting; empty if there is none that git would run."""
    path = f"{_find_folder(repository)}/{name}"
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else ""


def _find_folder(repository: Repository) -> str:
    """Our own questions to git run no hook, by a setting of ours; which one is the person's has to be told apart."""
    command = ["config", "-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath"]
    fields = os.fsdecode(repository.git.answer(command).out).split("\0")
    given = [
        path for scope, path in zip(fields[0::2], fields[1::2], strict=False) if scope != "command"
    ]
    folder = given[-1] if given else f"{repository.checkout.common}/hooks"
    return os.path.join(repository.top, folder)


def _wants_signatures(repository: Repository) -> bool:
    return repository.git.line("config", "--type=bool", "commit.gpgsign") == "true"
