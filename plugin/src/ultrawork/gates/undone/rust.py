"""Functions of Rust by their tokens; only those with a simple zero value can be emptied."""

from collections.abc import Iterator, Sequence

from ..testcode.tokens import TEXT, WORD, CodeTokens, Token
from .braces import BracedFunction, BraceReader, join, make_source, parse_with, qualify, skip_angles, split_commas
from .source import SourceText

_MODIFIERS = ("pub", "async", "unsafe", "const", "extern", "default")
_DECLARES = ("struct", "enum", "trait", "type", "const", "static", "mod", "union")
_HARMLESS_MARKS = ("inline", "must_use", "allow", "expect", "doc", "cold", "cfg", "deprecated")
_INTEGERS = "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize"
_ZEROS = {
    **dict.fromkeys(_INTEGERS.split(), "0"), "f32": "0.0", "f64": "0.0", "bool": "false", "char": "'\\0'",
}  # fmt: skip
_NEW = ("String", "Vec", "PathBuf", "OsString", "VecDeque", "HashMap", "HashSet", "BTreeMap", "BTreeSet")


def parse(text: str) -> SourceText | None:
    return parse_with(text, "rust", _Reader)


class _Reader(BraceReader):
    def __init__(self, text: str, code: CodeTokens) -> None:
        super().__init__(text, code)
        self._owners = dict(self._list_owners())

    def read(self) -> SourceText:
        code = self._code
        skipped = self._mark_skipped()
        functions = [
            function
            for index, token in enumerate(code.tokens)
            if token.text == "fn" and not skipped[index] and (function := self._read_function(index))
        ]
        owners = {brace: name for brace, (name, _) in self._owners.items()}
        owners |= {function.opens: function.name for function in functions}
        for function in functions:
            function.name = qualify(function.name, self._around[function.start], self._around, owners)
        return make_source(self._text, code, functions, self._list_declared())

    def _mark_skipped(self) -> bytearray:
        """Return the tokens of macros and of modules of tests."""
        code = self._code
        marks = bytearray(len(code))
        for index in range(len(code)):
            opens = None
            if code.text(index) == "!" and code[index - 1].kind == WORD:
                opens = index + 1 + (code.text(index - 1) == "macro_rules")
            elif code.text(index) == "mod" and "test" in self._list_marks(index):
                opens = index + 2
            closed = code.closing(opens) if opens is not None else None
            if opens is not None and closed is not None:
                marks[opens:closed] = b"\1" * (closed - opens)
        return marks

    def _list_marks(self, index: int) -> set[str]:
        """Return the words of the attributes before an item."""
        at = self._skip_modifiers(index)
        words: set[str] = set()
        while self._code.text(at - 1) == "]" and at - 1 in self._opening:
            opens = self._opening[at - 1]
            words |= {token.text for token in self._code.between(opens, at) if token.kind == WORD}
            at = opens - 1
        return words

    def _skip_modifiers(self, index: int) -> int:
        code = self._code
        at = index
        while at > 0:
            if code.text(at - 1) in _MODIFIERS or code[at - 1].kind == TEXT:
                at -= 1
            elif code.text(at - 1) == ")" and code.text(self._opening[at - 1] - 1) == "pub":
                at = self._opening[at - 1] - 1
            else:
                break
        return at

    def _read_function(self, index: int) -> BracedFunction | None:
        code = self._code
        angles = skip_angles(code, index + 2)
        right = code.closing(angles) if code.text(angles) == "(" else None
        opens = self._find_body(right) if right is not None else None
        end = code.closing(opens) if opens is not None else None
        marks = self._list_marks(index)
        if right is None or opens is None or end is None or "test" in marks:
            return None
        start = self._skip_modifiers(index)
        modifiers = [token.text for token in code.between(start, index)]
        result = self._find_result(right, opens)
        brace = self._around[start]
        return BracedFunction(
            start=start, left=angles, right=right, opens=opens, end=end,
            name=code.text(index + 1),
            zero=self._choose_zero(code.text(index + 1), modifiers, marks, result),
            parameters=dict(self._list_parameters(angles, right)),
            shape=" ".join(["fn", *modifiers, join(self._text, result)]),
            excused=bool(marks.difference(_HARMLESS_MARKS))
            or (brace is not None and self._owners.get(brace, ("", False))[1]),
        )  # fmt: skip

    def _find_body(self, at: int) -> int | None:
        code = self._code
        at += 1
        while at < len(code) and code.text(at) != ";":
            if code.text(at) == "{":
                return at
            closed = code.closing(at)
            at = at + 1 if closed is None else closed + 1
        return None

    def _find_result(self, right: int, opens: int) -> list[Token]:
        result = self._code.between(right + 2, opens) if self._code.text(right + 1) == "->" else []
        where = next((at for at, token in enumerate(result) if token.text == "where"), len(result))
        return result[:where]

    def _choose_zero(self, name: str, modifiers: Sequence[str], marks: set[str], result: Sequence[Token]) -> str | None:
        if name == "main" or "const" in modifiers or "proc_macro" in " ".join(marks):
            return None
        zero = _find_zero(result) if result else ""
        return None if zero is None else f" #![allow(unused)] return {zero};"

    def _list_parameters(self, left: int, right: int) -> Iterator[tuple[str, str]]:
        for part in split_commas(self._code.between(left + 1, right)):
            names = [token.text for token in part]
            colon = names.index(":") if ":" in names else 0
            if colon:
                yield names[colon - 1], " ".join(join(self._text, part[colon + 1 :]).split())
            elif "self" in names:
                yield "self", "".join(names)

    def _list_owners(self) -> Iterator[tuple[int, tuple[str, bool]]]:
        """Yield the brace of each impl, trait and module: its name, and whether others ask for its functions."""
        code = self._code
        for index, token in enumerate(code.tokens):
            if token.kind != WORD or token.text not in ("impl", "trait", "mod"):
                continue
            opens = self._find_body(index)
            if opens is None or (code.text(index - 1) in ("->", ":", "<", "(", "&", ",")):
                continue
            head = code.between(skip_angles(code, index + 1), opens)
            words = [one.text for one in head]
            named = head[words.index("for") + 1 :] if "for" in words else head
            yield opens, (_last_name(named), token.text == "trait" or "for" in words)

    def _list_declared(self) -> Iterator[str]:
        """Yield names of types, constants and imports."""
        code = self._code
        for index, token in enumerate(code.tokens):
            if token.text in _DECLARES and index + 1 < len(code):
                yield code.text(index + 1)
            elif token.text == "use":
                at = index + 1
                while at < len(code) and code.text(at) != ";":
                    if code[at].kind == WORD and code.text(at + 1) != "::":
                        yield code.text(at)
                    at += 1


def _last_name(tokens: Sequence[Token]) -> str:
    """`Cart` of `shop::Cart<'a, T>` and `&mut Cart`."""
    name = ""
    for token in tokens:
        if token.text in ("<", "where", "+", ":"):
            break
        name = token.text if token.kind == WORD and token.text not in ("mut", "dyn") else name
    return name


def _find_zero(kind: Sequence[Token]) -> str | None:
    """Return the zero value; None for a type without a simple one."""
    words = [token.text for token in kind]
    if words[:1] == ["&"]:
        rest = [word for word in words[1:] if word != "'" and not _is_lifetime(words, word)]
        return '""' if rest == ["str"] else "&[]" if rest[:1] == ["["] and ";" not in rest else None
    if words[:1] == ["("] and words[-1:] == [")"]:
        zeros = [_find_zero(part) for part in split_commas(kind[1:-1])]
        return None if None in zeros else f"({', '.join(map(str, zeros))}{',' * (len(zeros) == 1)})"
    path, angle, _ = "".join(words).partition("<")
    last = path.rpartition("::")[2]
    inner = split_commas(kind[words.index("<") + 1 : -1]) if angle else []
    if last == "Option":
        return "None" if inner else None
    if last == "Result":
        zero = _find_zero(inner[0]) if inner else "()"
        return None if zero is None else f"Ok({zero})"
    if last in _NEW and len(inner) <= 2:
        return f"{path}::new()"
    return _ZEROS.get(path)


def _is_lifetime(words: Sequence[str], word: str) -> bool:
    at = words.index(word)
    return at > 0 and words[at - 1] == "'"
