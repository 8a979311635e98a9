"""Undo functions: each gets its old body under its new head, or returns the zero value of its type.

A test that still passes does not notice what the function does. The text around the functions stays as it is, and it
compiles as far as the text shows."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from ..testcode.files import is_generated
from .source import Edit, FunctionText, SourceText, choose_outermost, pair_functions, replace_places, strip_number

ADDED = "added"
CHANGED = "changed"
OLD = "old"
ZERO = "zero"


@dataclass(frozen=True, slots=True)
class ChangedFunction:
    """A function of the new text. `name` is qualified (`Cart.total`); a second one of that name is `Cart.total#2`.
    `has_old_body`: the old body differs, and fits under the new head; `keeps_body`: only the head differs."""

    path: str
    name: str
    kind: str
    lines: tuple[int, int]
    can_zero: bool
    has_old_body: bool
    keeps_body: bool = False

    @property
    def whole_name(self) -> str:
        return strip_number(self.name)

    @property
    def own_name(self) -> str:
        """Its name without its class."""
        return self.whole_name.rpartition(".")[2]

    @property
    def can_undo(self) -> bool:
        """Return whether it can have its old body back, or do nothing if it is new."""
        return self.has_old_body if self.kind == CHANGED else self.can_zero


# Extension -> the module that reads the language, loaded with its first text. Beside `parse` a module may have
# `put_back` (writes an old body for its new place), `keep_imports` (repairs the file around old bodies) and
# `is_valid`.
_SCRIPTS = ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts")
_MODULES = {
    "py": "python", "java": "java", "rb": "ruby", "rs": "rust", "go": "go", "sh": "shell", "bash": "shell",
    **dict.fromkeys(_SCRIPTS, "javascript"),
}  # fmt: skip
# Its functions are read, but cannot be undone.
_ONLY_READ = "shell"
# Disable type checks in the test runner for undone code.
_FIRST_LINES = dict.fromkeys(("ts", "tsx", "mts", "cts"), "// @ts-nocheck\n")


def list_changed(path: str, before: str | None, after: str | None) -> list[ChangedFunction] | None:
    """Return functions that are new or whose head or body differs; comments, layout and docstrings do not count. None
    if the language is not supported or a text cannot be parsed."""
    if after is None:
        return []
    old, new = _read(path, before or ""), _read(path, after)
    if old is None or new is None:
        return None
    pairs = pair_functions(old.functions, new.functions)
    return [
        _describe(path, function, pairs.get(function.name), old, new)
        for function in new.functions
        if function.name not in pairs or _differ(pairs[function.name], function)
    ]


def is_undoable(path: str) -> bool:
    """Return whether functions of this language can be undone."""
    return _MODULES.get(_ending(path), _ONLY_READ) != _ONLY_READ


def list_functions(path: str, text: str) -> list[ChangedFunction] | None:
    """Return every function of a text, as if it were new."""
    return list_changed(path, None, text)


def undo(path: str, before: str | None, after: str, names: Collection[str], how: str) -> str | None:
    """Return the new text with the named functions undone; None if none can be. With OLD, a changed function without a
    fitting old body stays; of nested functions the outermost is undone."""
    old, new = _read(path, before or ""), _read(path, after)
    if old is None or new is None:
        return None
    work = _Work(_ending(path), old, new, how)
    chosen = [function for function in new.functions if function.name in names and work.replace(function)]
    while chosen:
        result = work.write(choose_outermost(chosen))
        if work.is_valid(result):
            return result
        # Edits that make the text unparsable are dropped.
        good = [function_text for function_text in chosen if work.is_valid(work.write([function_text]))]
        chosen = good if len(good) < len(chosen) else []
    return None


class _Work:
    """The edits of one file."""

    def __init__(self, ending: str, old: SourceText, new: SourceText, how: str) -> None:
        language = _load(ending)
        self._put_back = getattr(language, "put_back", None)
        self._keep_imports = getattr(language, "keep_imports", None)
        self._first_line = _FIRST_LINES.get(ending, "")
        self.is_valid: Callable[[str], bool] = getattr(language, "is_valid", bool)
        self._old = old
        self._new = new
        self._how = how
        self._pairs = pair_functions(old.functions, new.functions)

    def replace(self, function: FunctionText) -> Edit | None:
        was = self._pairs.get(function.name) if self._how == OLD else None
        if was is None:
            return function.zero
        if not _fits(was, function, self._old, self._new):
            return None
        block = was.block
        if self._put_back:
            block = self._put_back(was, function, self._list_imports(was))
        return *function.body, block

    def _list_imports(self, was: FunctionText) -> list[str]:
        return [self._old.imports[name] for name in sorted(_list_missing(was, self._old, self._new))]

    def write(self, functions: Sequence[FunctionText]) -> str:
        text = replace_places(self._new.text, filter(None, map(self.replace, functions)))
        back = [function for function in functions if function.name in self._pairs] if self._how == OLD else []
        if self._keep_imports:
            missing = {line for function_text in back for line in self._list_imports(self._pairs[function_text.name])}
            text = self._keep_imports(text, self._new, back, sorted(missing))
        shebang = text[: text.find("\n") + 1] if text.startswith("#!") else ""
        return shebang + self._first_line + text[len(shebang) :]


def is_trivial(path: str, text: str, name: str) -> bool | None:
    """Return whether a function does nothing: an empty body, an empty value or its own argument returned, or only "not
    implemented". Not where that may be intended: overrides, abstract, decorated or generated code, names that methods
    of several types share. None if it is unknown."""
    source = _read(path, text)
    function_text = next((function for function in source.functions if function.name == name), None) if source else None
    if source is None or function_text is None:
        return None
    if not function_text.trivial:
        return function_text.trivial
    shared = {other.owner for other in source.functions if other.last_name == function_text.last_name and other.owner}
    return not (function_text.owner and len(shared) > 1) and not is_generated(path, text)


def _ending(path: str) -> str:
    return "" if path.endswith(".d.ts") else path.rpartition(".")[2].lower()


def _read(path: str, text: str) -> SourceText | None:
    return _parse(_ending(path), text)


# A judge asks for the same two texts repeatedly.
@lru_cache(maxsize=16)
def _parse(ending: str, text: str) -> SourceText | None:
    language = _load(ending)
    return language.parse(text) if language else None


def _load(ending: str) -> Any:
    name = _MODULES.get(ending)
    return import_module(f"{__package__}.{name}") if name else None


def _differ(old: FunctionText, new: FunctionText) -> bool:
    return (old.head, old.code) != (new.head, new.code)


def _describe(
    path: str, function: FunctionText, was: FunctionText | None, old: SourceText, new: SourceText
) -> ChangedFunction:
    fits = was is not None and _fits(was, function, old, new)
    kind = ADDED if was is None else CHANGED
    keeps = was is not None and was.code == function.code
    return ChangedFunction(path, function.name, kind, function.lines, function.zero is not None, fits, keeps)


def _fits(was: FunctionText, function: FunctionText, old: SourceText, new: SourceText) -> bool:
    """Return whether an old body differs from the new one, and finds under the new head all that it needs."""
    if was.code == function.code or was.shape not in ("", function.shape):
        return False
    used = {name: kind for name, kind in was.parameters.items() if name in was.needs}
    if any(function.parameters.get(name) != kind for name, kind in used.items() if name not in new.names):
        return False
    return _list_missing(was, old, new) <= old.imports.keys()


def _list_missing(was: FunctionText, old: SourceText, new: SourceText) -> set[str]:
    """Return what an old body uses and the file no longer has."""
    gone = old.names - new.names - was.parameters.keys()
    inside = {function.last_name for function in old.functions if _is_inside(function, was)}
    return set(was.needs & gone) - inside


def _is_inside(inner: FunctionText, outer: FunctionText) -> bool:
    return outer.span[0] < inner.span[0] and inner.span[1] <= outer.span[1]
