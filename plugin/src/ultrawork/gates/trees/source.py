"""A project's files at the moments that matter: now, at the start, and in scratch copies between."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from time import time_ns

from ...store.codec import digest, dumps
from ...store.pins import Pin
from ...system.git import FileChange, Git
from ...system.recorded_trees import has_name, join_paths
from ...system.walk import Walk
from ..context import GateContext
from ..testcode import files as testfiles
from ..testcode.cases import list_cases
from . import tree as trees
from .files import DiskFiles, Files, GitTree, TreeAndDisk
from .ledger import OutsideView
from .lost_work import find_pulled_tree
from .scratch import ScratchCopy, make_scratch_copy
from .search import TreeSearch
from .tree import WALK, Tree

_TEXT = 2_000_000
_TOGETHER = 100
_MANIFESTS = (
    "package.json", "pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "tox.ini",
    "requirements-dev.txt", "dev-requirements.txt", "Pipfile", "Gemfile", "composer.json",
    "Cargo.toml", "go.mod", "mix.exs", "pom.xml", "build.gradle", "build.gradle.kts",
)  # fmt: skip


class Source:
    def __init__(self, context: GateContext) -> None:
        self.context = context
        self._trees: dict[str, Tree] = {}
        self.search = TreeSearch(self.tree, self.read, self.names)
        self._texts: dict[tuple[str, str], str | None] = {}
        self._names: dict[str, list[str]] = {}
        self._links: dict[str, dict[str, str]] = {}
        # Files that differ from another tree: a caller that reads one usually reads its neighbors too.
        self._changed: dict[str, list[str]] = {}
        self._base = ""
        self.outside: OutsideView | None = None

    def look_outside(self, pin: Pin, tree: str) -> None:
        """Scan the files beside the tree; copies made from now on include those that belong to their files."""
        if pin.around is not None and pin.around.ledger:
            self._base = pin.tree
            self.outside = OutsideView(self.tree(tree), self.context.cache, pin.around.ledger, time_ns())

    def snapshot(self) -> str:
        """The id of the files as they are."""
        known = next(iter(self._trees.values()), None)
        if known is not None:
            tree = trees.take_again(known)
        else:
            tree = trees.take_snapshot(self.context.root, self.context.cache, self.context.environ)
        self._trees[tree.id] = tree
        return tree.id

    def tree(self, name: str) -> Tree:
        if name not in self._trees:
            context, known = self.context, next(iter(self._trees.values()), None)
            self._trees[name] = (
                trees.get_beside(known, name, context.root)
                if known
                else trees.get_recorded(name, context.root, context.cache, context.environ)
            )
        return self._trees[name]

    def is_large(self, tree: str) -> bool:
        """Return whether there are so many files that a scan takes time."""
        place = self.tree(tree).place
        return not isinstance(place, Walk) and place.is_large()

    def changes(self, before: str, after: str) -> list[FileChange]:
        if before == after:
            return []
        file_changes = trees.diff(self.tree(before), self.tree(after))
        texts = [
            file_change.path for file_change in file_changes if not file_change.binary and not file_change.submodule
        ]
        for name in (before, after):
            self._changed.setdefault(name, [*texts, ".gitattributes"])
        return file_changes

    def split_changes(
        self, pin: Pin, after: str, *, ignored: Sequence[str]
    ) -> tuple[list[FileChange], list[FileChange]]:
        """Return what this session changed, and the rest: pulled changes, and paths that are never judged."""
        file_changes = self.changes(pin.tree, after)
        theirs = self._pulled(pin, after, file_changes)
        theirs |= {
            file_change.path for file_change in file_changes if any(fnmatch(file_change.path, p) for p in ignored)
        }
        own = [file_change for file_change in file_changes if file_change.path not in theirs]
        return own, [file_change for file_change in file_changes if file_change.path in theirs]

    def _pulled(self, pin: Pin, after: str, changes: Sequence[FileChange]) -> set[str]:
        """Return paths with the content of the branch this one followed when the session began."""
        if self.tree(after).kind == WALK or not changes:
            return set()
        theirs = find_pulled_tree(self.context, pin)
        if theirs is None:
            return set()
        differing = {file_change.path for file_change in self.changes(theirs, after)}
        return {change.path for change in changes if change.path not in differing}

    def read(self, tree: str, path: str) -> str | None:
        """Return a text file's content; None if the tree has none, or it is not text."""
        if (tree, path) not in self._texts:
            for name, data in self._read_with(tree, path).items():
                self._texts[tree, name] = _decode(data)
        return self._texts[tree, path]

    def _read_with(self, tree: str, path: str) -> dict[str, bytes | None]:
        changed = self._changed.get(tree, [])
        if path not in changed:
            return {path: trees.read(self.tree(tree), path)}
        start = changed.index(path) // _TOGETHER * _TOGETHER
        return trees.read_all(self.tree(tree), changed[start : start + _TOGETHER])

    def list_added_lines(self, before: str, after: str, path: str) -> Iterator[tuple[int, str]]:
        """Yield number and text of lines that did not occur in the file before."""
        known = set((self.read(before, path) or "").splitlines())
        for number, line in enumerate((self.read(after, path) or "").splitlines(), 1):
            if line not in known:
                yield number, line

    def find_present(self, tree: str, paths: Sequence[str]) -> set[str]:
        """Return which of these paths a tree holds."""
        snapshot = self.tree(tree)
        if not paths or isinstance(snapshot.place, Walk):
            return {path for path in self.names(tree) if path in paths} if paths else set()
        return snapshot.place.find_present(tree, paths)

    def manifests(self, tree: str) -> str:
        """Return the text of the project's manifests."""
        contents = trees.read_all(self.tree(tree), _MANIFESTS)
        return "\n".join(_decode(contents[name]) or "" for name in _MANIFESTS)

    def count_tests(self, tree: str) -> int:
        """How many tests the source of a tree defines."""
        paths = [path for path in self.names(tree) if testfiles.is_test_path(path)]
        return sum(len(list_cases(path, self.read(tree, path) or "") or ()) for path in paths)

    def names(self, tree: str) -> list[str]:
        if tree not in self._names:
            self._names[tree] = trees.list_paths(self.tree(tree))
        return self._names[tree]

    def has_file_named(self, tree: str, words: Iterable[str]) -> bool:
        """Return whether a file of a tree has one of these names, with any ending or none."""
        place = self.tree(tree).place
        if isinstance(place, Walk):
            paths = join_paths(self.names(tree))
            return any(has_name(paths, word) for word in words)
        return place.has_file_named(tree, words)

    def list_links(self, tree: str) -> dict[str, str]:
        """Symbolic links that point at something of the tree, and what."""
        if tree not in self._links:
            self._links[tree] = trees.list_links(self.tree(tree))
        return self._links[tree]

    def files(self, tree: str) -> Files:
        """Return the files for finders; definitions are read from the baseline."""
        snapshot = self.tree(tree)
        disk = DiskFiles(self.context.root)
        if isinstance(snapshot.place, Walk):
            return TreeAndDisk(_WalkFiles(self, tree), disk)
        place = snapshot.place
        return TreeAndDisk(GitTree(place.git().ask, tree, disk.read_bytes), disk)

    def copy(
        self,
        tree: str,
        overlay: tuple[str, Sequence[str]] | None = None,
        texts: Mapping[str, str] | None = None,
        without: Sequence[str] = (),
    ) -> "Copy":
        """Make a scratch copy. With an overlay, some paths are as in another tree, or absent like there; `texts`
        overwrite files. Files beside the tree are included, except `without`."""
        other, paths = overlay if overlay and overlay[1] else (None, ())
        made = make_scratch_copy(
            self.tree(tree),
            self.context.store.home.cache,
            root=self.context.root,
            overlay=self.tree(other) if other else None,
            paths=paths,
            environ=self.context.environ,
            beside=self._lend(tree, without),
        )
        return Copy(made, texts or {})

    def _lend(self, tree: str, without: Sequence[str]) -> Mapping[str, str] | None:
        if self.outside is None:
            return None
        return self.outside.lend(base=tree == self._base, without=without or None).files

    @staticmethod
    def name_of(
        tree: str,
        overlay: tuple[str, Sequence[str]] | None = None,
        texts: Mapping[str, str] | None = None,
        without: Sequence[str] = (),
    ) -> str:
        """Return a name for what `copy` makes, unique to its files."""
        other, paths = overlay or ("", ())
        if not paths and not texts and not without:
            return tree
        parts = [other, sorted(paths), texts or {}, *([sorted(without)] if without else [])]
        return f"{tree}+{digest(dumps(parts))[:12]}"

    def patch(self, before: str, after: str) -> str:
        """Return the changes between two trees as text; without git only the names."""
        snapshot = self.tree(after)
        if isinstance(snapshot.place, Walk):
            return "\n".join(str(file_change) for file_change in self.changes(before, after))
        flags = ["--no-ext-diff", "--no-textconv", "--no-color", "-M"]
        return snapshot.ask(["diff", *flags, before, after]).decode("utf-8", "replace")

    def commit_of(self, tree: str) -> str | None:
        """Return the commit that holds exactly these files, if it is checked out."""
        if self.tree(tree).kind == WALK:
            return None
        git = Git(self.context.root, self.context.environ)
        program_answer = git.answer(["rev-parse", "--quiet", "HEAD", "HEAD^{tree}"])
        commit, _, content = program_answer.out.decode().strip().partition("\n")
        return commit if not program_answer.exit and content == tree else None


def _decode(data: bytes | None) -> str | None:
    if data is None or b"\0" in data[:8000] or len(data) > _TEXT:
        return None
    return data.decode("utf-8", "replace")


class Copy:
    """`with source.copy(…) as folder`."""

    def __init__(self, made: ScratchCopy, texts: Mapping[str, str]) -> None:
        self._scratch = made
        self._texts = texts

    def __enter__(self) -> str:
        folder = self._scratch.__enter__()
        for path, text in self._texts.items():
            with open(f"{folder}/{path}", "w", encoding="utf-8") as file:
                file.write(text)
        return folder

    def __exit__(self, *_: object) -> None:
        self._scratch.__exit__()


class _WalkFiles:
    """A tree without git, as finders read it."""

    def __init__(self, source: Source, tree: str) -> None:
        self._source = source
        self._tree = tree
        self._names = source.names(tree)

    def read(self, path: str) -> str | None:
        return self._source.read(self._tree, path.removeprefix("./"))

    def exists(self, path: str) -> bool:
        inner = path.removeprefix("./").rstrip("/")
        return any(name == inner or name.startswith(inner + "/") for name in self._names)

    def expect(self, folders: Sequence[str]) -> None:
        """Do nothing: everything is available."""

    def names(self, folder: str) -> list[str]:
        prefix = "" if folder in (".", "") else folder.removeprefix("./").rstrip("/") + "/"
        inside = [name[len(prefix) :] for name in self._names if name.startswith(prefix)]
        return sorted({name.partition("/")[0] + ("/" if "/" in name else "") for name in inside})
