"""The user's own rules for commits: git hooks and signing.

Workers commit without them. At delivery they apply as if the user had committed: `pre-commit` sees everything staged,
`prepare-commit-msg` and `commit-msg` may change each message, and each commit is signed. A rule that refuses leaves the
results on their branch, with its message, and so does a rule that changed since the run began."""

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256

from ...core.agent_variables import remove_agent_variables
from ...core.errors import UltraworkError
from ...core.wording import cut, join_lines
from ...gates.trees.scratch import remove_folder
from ...store import atomic
from ...system.files import read_bytes
from ...system.process import run_program
from . import worktrees
from .lock import RepositoryLock
from .repository import Repository
from .results import advance
from .worktrees import Worktree

NO_VERIFY = "--no-verify"
SIGNING = "commit.gpgsign"
_STAGED, _AFTER = "pre-commit", "post-merge"
_MESSAGES = {"prepare-commit-msg": ["message"], "commit-msg": []}
_RUN = (_STAGED, *_MESSAGES, _AFTER)
# Git runs these for operations that we do not do, or do without them.
_NOT_RUN = (
    "pre-merge-commit", "post-commit", "pre-rebase", "post-checkout", "post-rewrite", "pre-push", "reference-transaction",
)  # fmt: skip
_SECONDS = 900.0
_SIGNING_SECONDS = 120.0
_SHOWN = 160
_SIGNERS = r"^(gpg\.|user\.signingkey$)"  # which program signs, with which key
_SIGNED = (b"\ngpgsig ", b"\ngpgsig-sha256 ")


def read_rules(repository: Repository) -> dict[str, str]:
    """Return the rules: each hook that git would run and, if commits are signed, how; each with its digest."""
    hooks = _find_hooks(repository, _RUN)
    rules = {name: sha256(read_bytes(path)).hexdigest() for name, path in hooks.items()}
    if repository.git.line("config", "--type=bool", SIGNING) != "true":
        return rules
    programs = repository.git.answer(["config", "-z", "--get-regexp", _SIGNERS]).out
    return {**rules, SIGNING: sha256(programs).hexdigest()}


def describe_rules(repository: Repository) -> list[str]:
    """Describe for the start of a run which rules exist and which apply at delivery."""
    rules = read_rules(repository)
    lines = []
    hooks = [name for name in rules if name != SIGNING]
    if hooks:
        lines.append(f"git hooks run when results are delivered: {', '.join(hooks)}; {NO_VERIFY} skips them")
    others = list(_find_hooks(repository, _NOT_RUN))
    if others:
        lines.append(f"git hooks that a run skips: {', '.join(others)}")
    if SIGNING in rules:
        lines.append(
            f"{SIGNING} is set: results are signed when they are delivered; {NO_VERIFY} delivers them unsigned"
        )
    return lines


def obey_rules(repository: Repository, now: str, head: str) -> tuple[str, str]:
    """The results as the rules make them, on their branch already; and why a rule does not take them, with what to type."""
    rules, merge = read_rules(repository), f"git merge {repository.branch}"
    changed = _find_difference(repository.start.rules, rules)
    if changed:
        return head, f"{changed} during the run. Review it, then run {merge}"
    if not rules:
        return head, ""
    if SIGNING in rules and not repository.start.head:
        return (head, f"{SIGNING} is set, and the repository had no commit. Run {merge}, then sign it")
    place = worktrees.prepare_detached(repository, f"hooks-{head[:12]}", head)
    try:
        made, objection = _Obedience(repository, place, rules).ask(now, head)
    finally:
        with RepositoryLock(repository):
            trash = worktrees.move_to_trash(repository, place.name)
        remove_folder(trash)
    if objection:
        return head, f"{objection}, then run {merge}"
    if made != head and not advance(repository, made, head, "obey rules", announced=False):
        return head, f"another program is changing {repository.branch}. Run {merge}"
    return made, ""


def run_after(repository: Repository) -> None:
    """Run `post-merge` where git would; its result has no effect."""
    hooks = _find_hooks(repository, [_AFTER])
    if hooks and not _find_difference(repository.start.rules, read_rules(repository)):
        _run(repository, repository.top, {}, [hooks[_AFTER], "0"])


class _Obedience:
    """Applies the rules in a separate worktree, where everything to deliver is staged on top of the user's commit."""

    def __init__(self, repository: Repository, place: Worktree, rules: Mapping[str, str]) -> None:
        self._repository = repository
        self._place = place
        self._rules = rules
        self._git = repository.git_in(place.path)
        self._renamed: dict[str, str] = {}

    def ask(self, now: str, head: str) -> tuple[str, str]:
        self._git.ask(["update-ref", "--no-deref", "HEAD", now])
        objection = self._ask_staged(head)
        if objection:
            return head, objection
        span = ["rev-list", "--reverse", "--topo-order", f"{now}..{head}"]
        for commit in self._git.ask(span).decode().split():
            objection = self._commit(commit)
            if objection:
                return head, objection
        return self._renamed.get(head, head), ""

    def _ask_staged(self, head: str) -> str:
        call = self._call(_STAGED)
        if call is not None:
            return f"the {_STAGED} hook refused: {call or 'no reason given'}. Fix that"
        tree = self._git.ask(["write-tree"]).decode().strip()
        known = self._repository.find_tree(head)
        if known is None or tree == known:
            return ""
        paths = [file_change.path for file_change in self._repository.git.changes(known, tree)]
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        return f"the {_STAGED} hook rewrites {paths[0]}{more}, and that was not checked. Run the hook on that branch"

    def _commit(self, commit: str) -> str:
        """Make one commit as the user's git would; return why not, if a rule refuses it."""
        raw = self._git.ask(["cat-file", "commit", commit])
        head, _, before = raw.partition(b"\n\n")
        message = before
        for old, new in self._renamed.items():
            message = message.replace(old.encode(), new.encode())
        message, objection = self._ask_message(message)
        if objection:
            return objection
        fields = [line.partition(" ") for line in head.decode("utf-8", "replace").splitlines()]
        parents = [value for name, _, value in fields if name == "parent"]
        made = [self._renamed.get(parent, parent) for parent in parents]
        signs = SIGNING in self._rules and not any(mark in head for mark in _SIGNED)
        if message == before and made == parents and not signs:
            return ""
        headers = {name: value for name, _, value in fields if name in ("tree", "author")}
        words = ["commit-tree", *(["-S"] if SIGNING in self._rules else [])]
        words += [word for parent in made for word in ("-p", parent)]
        git = self._git.with_variables(_name_author(headers["author"]))
        answer = git.answer([*words, headers["tree"]], message, _SIGNING_SECONDS)
        if answer.exit:
            lines = answer.err.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
            return f"git cannot sign: {cut(join_lines(lines[0]), _SHOWN)}. Fix that"
        self._renamed[commit] = answer.out.decode().strip()
        return ""

    def _ask_message(self, message: bytes) -> tuple[bytes, str]:
        if not any(name in self._rules for name in _MESSAGES):
            return message, ""
        path = f"{os.path.dirname(self._place.path)}/message"
        atomic.write(path, message, sync=False)
        for name, words in _MESSAGES.items():
            call = self._call(name, path, *words)
            if call is not None:
                return message, f"the {name} hook refused: {call or 'no reason given'}. Fix that"
        text = read_bytes(path)
        return (text, "") if text.strip() else (message, "a hook left an empty commit message. Fix that")

    def _call(self, name: str, *words: str) -> str | None:
        """Return None if the hook agrees or does not exist; else its last output."""
        if name not in self._rules:
            return None
        path = _find_hooks(self._repository, [name]).get(name, "")
        return _run(self._repository, self._place.path, self._place.environ, [path, *words])


def _run(repository: Repository, place: str, more: Mapping[str, str], command: list[str]) -> str | None:
    own = remove_agent_variables(repository.environ)
    environ = {**own, **more, "GIT_EDITOR": ":", "GIT_TERMINAL_PROMPT": "0"}
    # As git does, a hook without an interpreter line runs in a shell.
    argv = ["sh", "-c", 'exec "$0" "$@"', *command]
    done = run_program(argv, cwd=place, env=environ, deadline=_SECONDS, should_stop=lambda: _is_stopped(repository))
    if done.exit == 0:
        return None
    if done.stopped or done.timed_out:
        return "it was interrupted" if done.stopped else f"it took longer than {_SECONDS / 60:.0f} minutes"
    lines = [line for line in done.output.splitlines() if line.strip()]
    return cut(join_lines(lines[-1]), _SHOWN) if lines else ""


def _is_stopped(repository: Repository) -> bool:
    try:
        repository.tick()
    except UltraworkError:
        return True
    return False


def _name_author(line: str) -> dict[str, str]:
    who, _, when = line.rpartition("> ")
    name, _, address = who.partition(" <")
    return {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": address, "GIT_AUTHOR_DATE": when}


def _find_difference(before: Mapping[str, str] | None, now: Mapping[str, str]) -> str:
    """Return the first rule that changed, in words; older versions did not record them."""
    if before is None or before == now:
        return ""
    name = next(rule for rule in {**before, **now} if before.get(rule) != now.get(rule))
    subject = name if name == SIGNING else f"the {name} hook"
    return f"{subject} was {'changed' if name in before and name in now else 'added' if name in now else 'removed'}"


def _find_hooks(repository: Repository, names: Iterable[str]) -> dict[str, str]:
    """Return the paths of these hooks, by the user's setting, without those that git would not run."""
    folder = _find_folder(repository)
    paths = {name: f"{folder}/{name}" for name in names}
    return {name: path for name, path in paths.items() if os.path.isfile(path) and os.access(path, os.X_OK)}


def _find_folder(repository: Repository) -> str:
    """
    Return the user's hook folder. Our own git queries disable hooks by a setting, which must not be mistaken for
    it.
    """
    command = ["config", "-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath"]
    fields = os.fsdecode(repository.git.answer(command).out).split("\0")
    given = [path for scope, path in zip(fields[0::2], fields[1::2], strict=False) if scope != "command"]
    folder = given[-1] if given else f"{repository.checkout.common}/hooks"
    return os.path.join(repository.top, folder)
