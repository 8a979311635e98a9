"""Words searched for in the whole of a tree: by git, or file by file where there is none."""

import os
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from ...core.patterns import compile_late
from ...core.verdict.gate_findings import is_doc
from ...store.codec import digest, dumps
from ...system.walk import Walk
from ..testcode.files import TEST_GLOBS, TEST_MARKS, is_test_path
from . import tree as trees
from .tree import Tree

_TOGETHER = 100
_MARKED = f"marked-{digest(dumps(TEST_MARKS))[:12]}"
# Up to this many test files, reading them is faster than asking git.
READ = 300
# Variables count only at the left margin: locals of a function are not features.
_DEFINES = (
    r"(def|class|function|func|fn|type|struct|enum|interface|trait|module)[[:space:]]+"
    r"(\([^)]*\)[[:space:]]*)?{name}([^[:alnum:]_]|$)|^{name}[[:space:]]*(:[^=]*)?="
    r"|^(export[[:space:]]+)?(pub[[:space:]]+)?(const|let|var|static)[[:space:]]+{name}([^[:alnum:]_]|$)"
    r"|^[[:space:]]*(async[[:space:]]+)?{name}[[:space:]]*\([^)]*\)[[:space:]]*\{{"
)
# `../shop`, also with its parts apart: `"..", "shop"`, `.parent.parent / "shop"`.
_RELATIVE = compile_late(r"(?:\.\./)+[\w@.-][\w./@-]*")
_JOINED = compile_late(r"[\"']\s*[,/]\s*[\"']")
_PARENT = compile_late(r"\.(?:parent\.parent|parents\[1\])\s*/\s*[\"']")


class TreeSearch:
    """Searches trees. `tree` returns a tree by name, `read` the text of a file in it, `names` all its paths."""

    def __init__(
        self, tree: Callable[[str], Tree], read: Callable[[str, str], str | None], names: Callable[[str], list[str]]
    ) -> None:
        self._names = names
        self._tree = tree
        self._read = read
        self._defined: dict[tuple[str, str], bool] = {}

    def defines(self, tree: str, name: str) -> bool:
        """Return whether product code of a tree defines a name."""
        if not name.isidentifier():
            return False
        if (tree, name) not in self._defined:
            matching = self._matching(tree, _DEFINES.format(name=name))
            self._defined[tree, name] = any(not is_test_path(path) for path in matching)
        return self._defined[tree, name]

    def contains(self, tree: str, word: str) -> bool:
        """Return whether a word occurs anywhere in a tree."""
        return bool(self.list_containing(tree, word))

    def list_containing(self, tree: str, word: str) -> list[str]:
        """Return the files of a tree in which a word occurs."""
        return self._matching(tree, f"(^|[^[:alnum:]_]){_escape(word)}([^[:alnum:]_]|$)")

    def find_tests_naming(self, tree: str, words: Sequence[str], patterns: Sequence[str]) -> list[str]:
        """Return test files that contain one of these identifiers."""
        plain = [word for word in words if word.isidentifier()]
        if not plain:
            return []
        words_apart = f"(^|[^[:alnum:]_])({'|'.join(plain)})([^[:alnum:]_]|$)"
        # The project's own patterns may name any file.
        paths = self._matching(tree, words_apart) if patterns else self._match_tests(tree, words_apart)
        return [path for path in paths if is_test_path(path, patterns)]

    def _match_tests(self, tree: str, pattern: str) -> list[str]:
        """Return test files that match. If there are few, read them: git would scan all paths again."""
        snapshot = self._tree(tree)
        if isinstance(snapshot.place, Walk):
            return self._matching(tree, pattern)
        marked = snapshot.place.remember(tree, _MARKED, lambda: find_marked(self._names(tree), TEST_MARKS))
        paths = [path for path in marked if "\n" not in path]
        if len(paths) > READ:
            return self._matching(tree, pattern, globs=TEST_GLOBS)
        python = re.compile(_translate(pattern).pattern.encode(), re.MULTILINE)
        texts = trees.read_all(snapshot, paths) if paths else {}
        return [
            path
            for path, data in texts.items()
            if data is not None and b"\0" not in data[:8000] and python.search(data)
        ]

    def find_readers(self, tree: str, folder: str) -> list[str]:
        """Tests and manifests of a tree that name files of a folder."""
        name = folder.rpartition("/")[2].replace(".", "[.]")
        matching = self._matching(tree, f"(^|[\"'/ ]){name}/")
        return [path for path in matching if is_test_path(path) or path.endswith("package.json")]

    def find_tests_reading(self, tree: str, paths: Sequence[str]) -> list[str]:
        """Return tests that contain the name of one of these files."""
        names = sorted({path.rpartition("/")[2] for path in paths})[:_TOGETHER]
        return self._match_tests(tree, "|".join(map(_escape, names))) if names else []

    def find_users(self, tree: str, parts: Sequence[str], folders: Sequence[str]) -> list[str]:
        """Return the folders with a file that refers to one of these paths relative to itself: `../shop`."""
        words = {word.partition(".")[0] for part in parts for word in part.split("/")} - {""}
        names = "|".join(map(_escape, sorted(words)[:_TOGETHER]))
        pattern = f"(\\.\\.|parents?[.[]).*({names})"
        inside = tuple(f"{folder}/" for folder in folders)
        users: dict[str, None] = {}
        for path, line in self._list_lines(tree, pattern, inside) if names else ():
            user = next((folder for folder in folders if path.startswith(folder + "/")), "")
            if user and user not in users and not is_doc(path) and _leads_to(path, line, parts):
                users[user] = None
        return list(users)

    def _list_lines(self, tree: str, pattern: str, folders: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Path and text of the lines in these folders of a tree that match a POSIX pattern."""
        snapshot = self._tree(tree)
        if isinstance(snapshot.place, Walk):
            python = _translate(pattern)
            for path in trees.list_paths(snapshot):
                is_inside = path.startswith(folders)
                lines = (self._read(tree, path) or "").splitlines() if is_inside else ()
                yield from ((path, line) for line in lines if python.search(line))
            return
        where = [f":(literal){folder}" for folder in folders]
        words = ["grep", "-z", "-I", "-E", "-e", pattern, tree, "--", *where]
        for row in snapshot.place.git().answer(words).out.splitlines():
            name, _, text = row.partition(b"\0")
            yield os.fsdecode(name).partition(":")[2], text.decode("utf-8", "replace")

    def _matching(self, tree: str, pattern: str, globs: tuple[str, ...] = ()) -> list[str]:
        """Return paths whose text matches a POSIX pattern. Git skips paths that match none of the globs."""
        snapshot = self._tree(tree)
        if isinstance(snapshot.place, Walk):
            python = _translate(pattern)
            return [path for path in trees.list_paths(snapshot) if python.search(self._read(tree, path) or "")]
        words = ["grep", "-l", "-z", "-I", "-E", "-e", pattern, tree, "--", *globs]
        printed = snapshot.place.git().answer(words).out
        return [os.fsdecode(line).partition(":")[2] for line in printed.split(b"\0") if line]


def _leads_to(path: str, line: str, parts: Sequence[str]) -> bool:
    """Return whether a line of a file names one of these paths, or a folder around it, by the way from there."""
    joined = _JOINED.sub("/", _PARENT.sub("'../", line))
    for reference in _RELATIVE.findall(joined):
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), reference))
        if any(f"{part}/".startswith(place + "/") or part.startswith(place + ".") for part in parts):
            return True
    return False


def find_marked(paths: Sequence[str], marks: Sequence[str]) -> list[str]:
    """Return paths that contain one of these marks, ignoring case; a zero byte is the end of a path."""
    joined = "\0".join([*paths, ""])
    lowered = joined.lower()
    if len(lowered) != len(joined):  # letters whose small form is longer
        return [path for path in paths if any(mark in f"{path}\0".lower() for mark in marks)]
    spans: set[tuple[int, int]] = set()
    for mark in marks:
        at = lowered.find(mark)
        while at >= 0:
            end = lowered.find("\0", at)
            spans.add((lowered.rfind("\0", 0, at) + 1, end))
            at = lowered.find(mark, end)
    return [joined[start:end] for start, end in sorted(spans)]


def _translate(pattern: str) -> re.Pattern[str]:
    text = pattern.replace("[[:space:]]", r"\s").replace("[:alnum:]", r"\w")
    return re.compile(text, re.MULTILINE)


def _escape(word: str) -> str:
    return re.sub(r"([^\w/-])", r"\\\1", word)
