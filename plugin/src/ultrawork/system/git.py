"""
Query git without letting a repository execute anything.

Only plumbing commands run. Hooks, file monitors, pagers, prompts, external diffs, text conversions and lazy fetching
are off, and variables that redirect git to another repository are removed. Trees of working files are made in
`mirror`, which does not read a repository's configuration.
"""

import os
from collections.abc import Mapping, Sequence

from ..core.agent_variables import remove_agent_variables
from ..core.errors import NotFound, Trouble
from ..core.value import Value
from .objects import LINK, TreeEntry, check_blob
from .program import PATIENCE, ProgramAnswer, ask_program, find_program

_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.safecrlf=false", "log.showSignature=false")
# Variables for git's own configuration; they do not select a repository.
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_LFS_SKIP_SMUDGE")
SUBMODULE = "160000"
# In git's message about a file that a required filter could not write.
SMUDGE = ": smudge filter "
# A header of `cat-file --batch` is shorter than this and the path.
_HEAD = 200
# More would not fit into a command line.
_MANY = 500
_SHORT, _LONG = 100_000, 32_000_000
_FEW = 8
_prepared: dict[tuple[tuple[str, str], ...], tuple[str, dict[str, str]]] = {}
_answers: dict[tuple[str, ...], bytes] = {}
_long_answer: dict[tuple[str, ...], bytes] = {}


class FileChange(Value):
    """
    One path that differs between two trees. `status` is A, D, M, or T for a changed type, such as a file that
    became a link. Lines are not counted in binary files and submodules.
    """

    path: str
    status: str
    added: int = 0
    removed: int = 0
    binary: bool = False
    submodule: bool = False

    def place_below(self, folder: str) -> "FileChange":
        """Return the same change as seen from the repository around a submodule."""
        return FileChange(f"{folder}/{self.path}", self.status, self.added, self.removed, self.binary, self.submodule)

    def __repr__(self) -> str:
        return f"{self.status} {self.path} +{self.added} -{self.removed}"


class Git:
    """
    Git in one folder. `extra` are our variables for it, `settings` more `-c` options, `patience` the seconds that
    an answer may take.
    """

    def __init__(
        self,
        root: str,
        environ: Mapping[str, str],
        *,
        extra: Mapping[str, str] | None = None,
        settings: Sequence[str] = (),
        patience: float = PATIENCE,
    ) -> None:
        program, variables = _prepare(environ)
        self.root = root
        self._patience = patience
        self._argv = [program, "-C", root, "--no-pager"]
        for setting in (*_SAFE, *settings):
            self._argv += ["-c", setting]
        self._env = {**variables, **_QUIET, **(extra or {})}

    def with_variables(self, extra: Mapping[str, str]) -> "Git":
        """Return the same git with more variables."""
        git = Git.__new__(Git)
        git.root = self.root
        git._patience = self._patience  # noqa: SLF001 (one of the same kind)
        git._argv = self._argv  # noqa: SLF001 (as above)
        git._env = {**self._env, **extra}  # noqa: SLF001 (as above)
        return git

    def answer(self, arguments: Sequence[str], given: bytes = b"", patience: float | None = None) -> ProgramAnswer:
        most = self._patience if patience is None else patience
        return ask_program([*self._argv, *arguments], env=self._env, given=given, patience=most)

    def ask(self, arguments: Sequence[str], given: bytes = b"") -> bytes:
        answer = self.answer(arguments, given)
        if answer.exit:
            raise Trouble(_sentence(arguments[0], answer))
        return answer.out

    def ask_once(self, arguments: Sequence[str]) -> bytes:
        """Ask about objects by id, which never change. Short answers are cached, and the last long ones."""
        key = tuple(arguments)
        answer = _answers.get(key, _long_answer.get(key))
        if answer is None:
            answer = self.ask(arguments)
            known = _answers if len(answer) <= _SHORT else _long_answer
            if len(known) >= (_MANY if known is _answers else 1):
                known.clear()
            if len(answer) <= _LONG:
                known[key] = answer
        return answer

    def line(self, *arguments: str) -> str | None:
        """Return one line, or None if git has no answer."""
        answer = self.answer(arguments)
        return None if answer.exit else os.fsdecode(answer.out).removesuffix("\n") or None

    def git_dir(self) -> str | None:
        return self.line("rev-parse", "--absolute-git-dir")

    def head(self) -> str | None:
        """Return the checked-out commit; None before the first one."""
        return self.commit("HEAD")

    def commit(self, name: str) -> str | None:
        return self.line("rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}")

    def tree_id(self, name: str) -> str | None:
        return self.line("rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{tree}")

    def resolve(self, *names: str) -> list[str | None]:
        """Resolve names such as `HEAD^{commit}` with one query; None for those that do not exist."""
        given = os.fsencode("".join(f"{name}\n" for name in names))
        printed = self.ask(["cat-file", "--batch-check=%(objectname)"], given)
        lines = os.fsdecode(printed).removesuffix("\n").split("\n")
        return [None if " " in line else line for line in lines]

    def find_files(self, tree: str, paths: Sequence[str]) -> set[str]:
        """Return which of these paths are a file or a link in a tree."""
        plain_paths = [path for path in paths if "\n" not in path]
        given = os.fsencode("".join(f"{tree}:{path}\n" for path in plain_paths))
        kinds = self.ask(["cat-file", "--batch-check=%(objecttype)"], given).split(b"\n")
        return {path for path, kind in zip(plain_paths, kinds, strict=False) if kind == b"blob"}

    def merge_base(self, commit: str, other: str) -> str | None:
        return self.line("merge-base", commit, other)

    def upstream(self) -> str | None:
        """Return the branch that this one follows, such as `origin/main`."""
        return self.line("rev-parse", "--abbrev-ref", "--symbolic-full-name", "@{upstream}")

    def ignores(self, path: str) -> bool:
        return self.answer(["check-ignore", "-q", "--", path]).exit == 0

    def entries(self, tree: str, paths: Sequence[str] = ()) -> list[TreeEntry]:
        """Return the files of a tree and its folders; submodules unchanged."""
        if len(paths) > _MANY:
            wanted = set(paths)
            return [entry for entry in self.entries(tree) if entry.path in wanted]
        return [_entry(line) for line in self._print_tree(tree, paths).split(b"\0") if line]

    def list_paths(self, tree: str) -> tuple[list[str], list[TreeEntry]]:
        """
        Return the path of each file of a tree, submodules included, and the entries of the submodules alone:
        a tree may have 100,000 files.
        """
        printed = self._print_tree(tree)
        if (SUBMODULE + " commit ").encode() in printed:
            entries = [_entry(line) for line in printed.split(b"\0") if line]
            return [entry.path for entry in entries], [entry for entry in entries if entry.mode == SUBMODULE]
        # For files alone each line begins with a mode, a kind and an id, as long as those of the first.
        head = printed.find(b"\t") + 1
        return [line[head:] for line in os.fsdecode(printed).split("\0") if line], []

    def list_link_paths(self, tree: str) -> list[str]:
        printed, mode = self._print_tree(tree), LINK.encode()
        lines = printed.split(b"\0") if mode + b" blob " in printed else []
        return [_entry(line).path for line in lines if line.startswith(mode)]

    def list_links(self, tree: str) -> dict[str, str]:
        """Return the symbolic links of a tree, each with its target."""
        paths = self.list_link_paths(tree)
        contents = self.read_all(tree, paths) if paths else {}
        return {path: os.fsdecode(data) for path, data in contents.items() if data is not None}

    def _print_tree(self, tree: str, paths: Sequence[str] = ()) -> bytes:
        command = ["ls-tree", "-r", "-z", "--full-tree", tree, "--", *paths]
        return self.ask_once(command) if _is_id(tree) else self.ask(command)

    def staged(self) -> list[TreeEntry]:
        """Return the files of the index; for a file in conflict, each side."""
        printed = os.fsdecode(self.ask(["ls-files", "-s", "-z"]))
        halves = (record.partition("\t") for record in printed.split("\0") if record)
        heads = ((*head.split(" "), path) for head, _, path in halves)
        return [TreeEntry(mode, object_id, path) for mode, object_id, _, path in heads]

    def diff_entries(self, before: str, after: str) -> dict[str, tuple[TreeEntry | None, TreeEntry | None]]:
        """Return every path that differs between two trees, with both entries."""
        printed = self.ask(["diff-tree", "-r", "-z", "--raw", "--no-renames", before, after])
        records = iter(printed.split(b"\0"))
        entries = {}
        for head in records:
            if head:
                path = os.fsdecode(next(records))
                entries[path] = _both(head.decode().lstrip(":"), path)
        return entries

    def read(self, tree: str, path: str) -> bytes | None:
        """Return a file's content or a link's target; None if the tree has no such file."""
        if "\n" not in path:
            return self.read_all(tree, [path])[path]
        name = self.line("rev-parse", "--verify", "--quiet", f"{tree}:{path}")
        answer = self.answer(["cat-file", "blob", name or ""])
        return None if answer.exit else check_blob(name or "", answer.out)

    def read_all(self, tree: str, paths: Sequence[str]) -> dict[str, bytes | None]:
        """Return the contents of many files with one query."""
        plain_paths = [path for path in paths if "\n" not in path]
        given = os.fsencode("".join(f"{tree}:{path}\n" for path in plain_paths))
        answer = memoryview(self.ask(["cat-file", "--batch"], given))
        contents = {path: self.read(tree, path) for path in paths if "\n" in path}
        for path in plain_paths:
            head = bytes(answer[: _HEAD + len(path.encode("utf-8", "surrogateescape"))])
            head = head.partition(b"\n")[0]
            answer = answer[len(head) + 1 :]
            kind, _, size = head.partition(b" ")[2].partition(b" ")
            contents[path] = None
            if size.isdigit() and b":" not in head:
                if kind == b"blob":
                    name = head.partition(b" ")[0].decode()
                    contents[path] = check_blob(name, bytes(answer[: int(size)]))
                answer = answer[int(size) + 1 :]
        return contents

    def changes(self, before: str, after: str) -> list[FileChange]:
        """Return how two trees differ, path by path. A moved file is deleted in one place and added in another."""
        flags = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
        command = ["diff-tree", "-r", "-z", "--raw", "--numstat", *flags, before, after]
        return _changes(self.ask(command))

    def worktree_add(self, path: str, commit: str, *, branch: str | None = None) -> None:
        kind = ["-b", branch] if branch else ["--detach"]
        self.ask(["worktree", "add", "--quiet", *kind, "--", path, commit])

    def worktree_remove(self, path: str) -> None:
        """
        Remove a worktree, even with changes in it; callers keep what is worth keeping first. Leave other
        worktrees alone, even if their folder is missing right now: `git worktree prune` would forget them.
        """
        place = os.path.realpath(path)
        answer = self.answer(["worktree", "remove", "--force", "--force", "--", place])
        if answer.exit and os.path.lexists(path):
            raise NotFound(f"{path} is not a worktree of {self.root}; delete it by hand")


def _prepare(environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return where git is and the variables it gets. The few environments that come are each looked through once."""
    key = tuple(environ.items())
    if key not in _prepared:
        program = find_program("git", environ)
        if program is None:
            raise Trouble("git is not on PATH; install git so that changes can be compared")
        agent_variables = remove_agent_variables(environ)
        if len(_prepared) >= _FEW:
            _prepared.clear()
        _prepared[key] = program, {name: value for name, value in agent_variables.items() if _is_kept(name)}
    return _prepared[key]


def _is_id(name: str) -> bool:
    return len(name) in (40, 64) and not name.strip("0123456789abcdef")


def _is_kept(name: str) -> bool:
    return not name.startswith("GIT_") or name in _KEPT


def _sentence(verb: str, answer: ProgramAnswer) -> str:
    lines = [line for line in answer.err.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    smudge = [line for line in fatal if SMUDGE in line]
    if smudge:  # what the filter itself said comes before
        said = [line for line in lines if line.lower().startswith("error") and line not in fatal]
        fatal = [": ".join(smudge[:1] + said[:1])]
    reason = (fatal or lines or [f"it exited with status {answer.exit}"])[0]
    return f"git {verb} failed: {reason.removeprefix('fatal: ').removeprefix('error: ')}"


def _entry(line: bytes) -> TreeEntry:
    head, _, path = line.partition(b"\t")
    mode, _, object_id = head.decode().split(" ")
    return TreeEntry(mode, object_id, os.fsdecode(path))


def _both(head: str, path: str) -> tuple[TreeEntry | None, TreeEntry | None]:
    old_mode, new_mode, old, new, _ = head.split(" ")
    before = TreeEntry(old_mode, old, path) if int(old_mode) else None
    return before, TreeEntry(new_mode, new, path) if int(new_mode) else None


def _changes(printed: bytes) -> list[FileChange]:
    """Parse the records of `--raw`, a head and a path each, followed by those of `--numstat`."""
    changes: dict[bytes, FileChange] = {}
    records = iter(printed.split(b"\0"))
    for record in records:
        if record.startswith(b":"):
            path = next(records)
            changes[path] = _change(record.decode(), os.fsdecode(path))
        elif record:
            added, removed, path = record.split(b"\t", 2)
            _count(changes[path], added, removed)
    return list(changes.values())


def _change(head: str, path: str) -> FileChange:
    old_mode, new_mode, _, _, status = head.lstrip(":").split(" ")
    return FileChange(path, status[0], submodule=SUBMODULE in (old_mode, new_mode))


def _count(change: FileChange, added: bytes, removed: bytes) -> None:
    change.binary = added == b"-"
    if not change.binary and not change.submodule:
        change.added, change.removed = int(added), int(removed)
