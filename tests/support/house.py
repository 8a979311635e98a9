"""The shape of a tree of modules, as facts: lengths, names, circles. Takes sources, so that tests can plant them."""

import ast
import functools
import os
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

# Prefixes that make a name a predicate.
PREDICATE = re.compile(
    r"_?(?:is|has|can|may|needs|was|are|should|must|does|knows|wants"
    r"|asks|claims|covers|forbids|matches|names|speaks)_"
)
# First words that look like participles and are verbs.
_VERBS = frozenset(
    [
        "embed",
        "feed",
        "need",
        "proceed",
        "read",
        "run",
        "seed",
        "set",
        "shed",
        "speed",
        "spread",
        "succeed",
        "put",
        "cut",
    ]
)
_IRREGULAR = frozenset(
    [
        "told",
        "kept",
        "made",
        "found",
        "said",
        "taken",
        "held",
        "known",
        "shown",
        "begun",
        "left",
        "given",
        "written",
        "seen",
        "done",
        "gone",
        "begun",
        "meant",
        "sent",
        "built",
        "spent",
        "bound",
        "thought",
        "caught",
        "driven",
        "chosen",
        "spoken",
        "broken",
    ]
)
# Modules that hooks may load at import: the interpreter has them anyway, or they cost next to nothing.
CHEAP = frozenset(
    ["sys", "posix", "time", "errno", "fcntl", "os", "_json", "_sqlite3", "_thread", "_sha2", "_sha256", "gc"]
)


def read(root: str) -> dict[str, str]:
    """Return every module below a package's folder by its dotted name, without empty package files."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = f"{folder}/{name}"
            if name.endswith(".py") and os.path.getsize(path):
                dotted = os.path.relpath(path, os.path.dirname(root))[:-3].replace("/", ".")
                with open(path, encoding="utf-8") as file:
                    found[dotted] = file.read()
    return found


class House:
    """Parsed once, queried often."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.sources = sources
        self.trees = {name: ast.parse(text) for name, text in sources.items()}
        self._imports: dict[str, list[str]] = {}

    def lengths(self) -> dict[str, int]:
        return {name: text.count("\n") for name, text in self.sources.items()}

    def median(self) -> float:
        return statistics.median(self.lengths().values())

    def function_lengths(self) -> list[int]:
        return sorted(
            node.end_lineno - node.lineno + 1
            for tree in self.trees.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
        )

    def functions(self) -> Iterator[tuple[str, ast.FunctionDef]]:
        """Yield public module-level functions."""
        for name, tree in self.trees.items():
            for node in tree.body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    yield name, node

    def repeated_classes(self) -> list[str]:
        counted = Counter(
            node.name
            for tree in self.trees.values()
            for node in tree.body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        )
        return sorted(name for name, times in counted.items() if times > 1)

    def repeated_functions(self, leave_out: tuple[str, ...] = ()) -> dict[str, list[str]]:
        where = defaultdict(list)
        for module, node in self.functions():
            if not module.startswith(leave_out):
                where[node.name].append(module)
        return {name: modules for name, modules in where.items() if len(modules) > 1}

    def participles(self) -> list[str]:
        return sorted(f"{m}:{node.name}" for m, node in self.functions() if _is_participle(node.name))

    def unnamed_predicates(self) -> list[str]:
        return sorted(
            f"{module}:{node.name}"
            for module, node in self.functions()
            if isinstance(node.returns, ast.Name) and node.returns.id == "bool" and not PREDICATE.match(node.name)
        )

    def imports(self, name: str) -> list[str]:
        """Return what a module imports anywhere: our names, dotted, and others'."""
        if name not in self._imports:
            self._imports[name] = list(self._list_imports(name))
        return self._imports[name]

    def _list_imports(self, name: str) -> Iterator[str]:
        base = name.split(".") if name.endswith("__init__") else name.split(".")[:-1]
        base = [part for part in base if part != "__init__"]
        for node in ast.walk(self.trees[name]):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = base[: len(base) - node.level + 1] if node.level else []
                home = ".".join([*above, *([node.module] if node.module else [])])
                yield from (self._meant(home, alias.name) for alias in node.names)

    def _meant(self, home: str, name: str) -> str:
        for candidate in (f"{home}.{name}", f"{home}.{name}.__init__", home, f"{home}.__init__"):
            if candidate in self.sources:
                return candidate
        return home

    def circles(self) -> list[list[str]]:
        graph = {
            name: {one for one in self.imports(name) if one in self.sources and one != name} for name in self.sources
        }
        return _circles(graph)

    def slow_imports(self, hot: Iterable[str]) -> list[str]:
        """Modules of others that a hot module imports at its top."""
        return sorted(
            f"{name}: {imported}"
            for name in hot
            if name in self.sources
            for node in self._at_the_top(name)
            for imported in _names(node)
            if imported.split(".")[0] not in CHEAP | {"ultrawork"}
        )

    def _at_the_top(self, name: str) -> Iterator[ast.Import | ast.ImportFrom]:
        for node in self.trees[name].body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield node


def _names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [] if node.level else [node.module or ""]


def _is_participle(name: str) -> bool:
    first = name.split("_", maxsplit=1)[0]
    return first not in _VERBS and (first.endswith("ed") or first in _IRREGULAR)


def _circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that reach each other."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        waiting = list(graph[start])
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += graph[one]
        reach[start] = seen
    rings = {frozenset(other for other in reach[name] if name in reach[other]) for name in graph if name in reach[name]}
    return sorted(sorted(ring) for ring in rings)


@functools.cache
def read_house(root: str) -> House:
    return House(read(root))
