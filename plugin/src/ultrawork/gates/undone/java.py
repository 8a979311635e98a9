"""Functions of Java by their tokens."""

from collections.abc import Iterator, Sequence

from ..language.tokens import TEXT, WORD, CodeTokens, Token
from .braces import (
    BracedFunction,
    BraceReader,
    join,
    list_early,
    make_source,
    parse_with,
    qualify,
    skip_back_angles,
    split_commas,
)
from .source import SourceText

_CONTROL = ("if", "for", "while", "switch", "catch", "synchronized", "try", "super", "this")
_NO_TYPE = ("new", "return", "else", "throw", "case", "assert", "do", "yield", "default")
_MODIFIER_WORDS = "public protected private static final abstract synchronized native strictfp default sealed"
_MODIFIERS = frozenset(_MODIFIER_WORDS.split())
_KINDS = ("class", "interface", "enum", "record")
_ZEROS = {
    **dict.fromkeys(("int", "long", "short", "byte", "char", "float", "double"), " 0"),
    "boolean": " false", "void": "",
}  # fmt: skip


def parse(text: str) -> SourceText | None:
    return parse_with(text, "java", _Reader)


class _Reader(BraceReader):
    def __init__(self, text: str, code: CodeTokens) -> None:
        super().__init__(text, code)
        self._classes = dict(self._list_classes())

    def read(self) -> SourceText:
        code = self._code
        functions = [
            function
            for index in range(1, len(code))
            if code.text(index) == "(" and (function := self._read_method(index))
        ]
        early = list_early(code, functions)
        owners = {brace: name for brace, (name, _) in self._classes.items()}
        owners |= {function.opens: function.name for function in functions}
        for function in functions:
            if function.name in early or function.name == "main":
                function.zero = None
            function.name = qualify(function.name, self._around[function.start], self._around, owners)
        declared = {name for name, _ in self._classes.values()} | set(self._list_bound())
        return make_source(self._text, code, functions, declared)

    def _read_method(self, left: int) -> BracedFunction | None:
        code = self._code
        name = code[left - 1]
        right = code.closing(left)
        brace = self._around[left - 1]
        if name.kind != WORD or name.text in _CONTROL or right is None or left < 2:
            return None
        opens = right + 1
        while code.text(opens) not in ("{", ";", "=", "") and self._is_throws(right, opens):
            opens += 1
        end = code.closing(opens) if code.text(opens) == "{" else None
        start = self._find_type(left - 2)
        makes = brace is not None and self._classes.get(brace, ("",))[0] == name.text
        if end is None or (start is None and not makes):
            return None
        kind = code.between(start, left - 1) if start is not None and not makes else []
        first, marks = self._list_marks(left - 1 if start is None else start)
        return BracedFunction(
            start=first, left=left, right=right, opens=opens, end=end, name=name.text,
            zero=None if makes else f" if (true) return{_find_zero(kind)};",
            parameters=dict(self._list_parameters(left, right)),
            shape=f"{join(self._text, kind)} {join(self._text, code.between(right + 1, opens))}!",
            excused=makes or marks or self._is_inherited(brace),
        )  # fmt: skip

    def _is_throws(self, right: int, at: int) -> bool:
        return self._code.text(right + 1) == "throws" or at == right

    def _find_type(self, at: int) -> int | None:
        """Return where the type that ends here begins; None if it is not a type."""
        code = self._code
        while code.text(at) == "]" and at in self._opening:
            at = self._opening[at] - 1
        at = skip_back_angles(code, at)
        if at < 0 or code[at].kind != WORD or code.text(at) in (*_NO_TYPE, *_MODIFIERS):
            return None
        if code.text(at).startswith("@"):
            return None
        while code.text(at - 1) == "." and code[at - 2].kind == WORD:
            at -= 2
        return at

    def _list_marks(self, at: int) -> tuple[int, bool]:
        """Return where the modifiers before a type begin, and whether one is an annotation."""
        code = self._code
        marked = False
        while at > 0:
            before = code[at - 1]
            called = code[self._opening.get(at - 1, at) - 1]
            if before.text in _MODIFIERS or before.text.startswith("@"):
                marked = marked or before.text.startswith("@")
                at -= 1
            elif before.text == ")" and called.text.startswith("@"):
                marked, at = True, self._opening[at - 1] - 1
            elif before.text == ">" and (opened := skip_back_angles(code, at - 1) + 1) < at:
                at = opened
            else:
                break
        return at, marked

    def _is_inherited(self, brace: int | None) -> bool | None:
        """Return whether the method is inherited; None if the class extends another, which may declare it."""
        owner = self._classes.get(brace) if brace is not None else None
        return True if owner is None else (None if owner[1] else False)

    def _list_parameters(self, left: int, right: int) -> Iterator[tuple[str, str]]:
        for part in split_commas(self._code.between(left + 1, right)):
            kept = [token for token in part if token.text != "final"]
            if len(kept) > 1:
                yield kept[-1].text, " ".join(join(self._text, kept[:-1]).split())

    def _list_classes(self) -> Iterator[tuple[int, tuple[str, bool]]]:
        """Yield the brace of each class with its name, and whether it builds on another or is an interface."""
        code = self._code
        for index, token in enumerate(code.tokens):
            if token.text not in _KINDS or code.text(index - 1) == "." or index + 1 >= len(code):
                continue
            at = index + 2
            while code.text(at) not in ("{", ";", "=", ""):
                at = code.after(at)
            if code.text(at) == "{" and code[index + 1].kind == WORD:
                head = {word.text for word in code.between(index, at)}
                builds = bool(head & {"extends", "implements", "interface"})
                yield at, (code.text(index + 1), builds)

    def _list_bound(self) -> Iterator[str]:
        """The names of imports and fields."""
        code = self._code
        for index, token in enumerate(code.tokens):
            in_class = self._around[index] in self._classes
            if token.kind == WORD and in_class and code.text(index + 1) in ("=", ";"):
                yield token.text
            elif token.text == ";" and self._around[index] is None and index:
                yield code.text(index - 1)


def _find_zero(kind: Sequence[Token]) -> str:
    words = [token.text for token in kind if token.kind != TEXT]
    return _ZEROS.get(words[0], " null") if len(words) == 1 else " null"
