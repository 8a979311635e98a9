"""Functions of Rust by their tokens; only those with a simple zero value can be emptied."""

from collections.abc import Iterator, Sequence

from ..language.rust import RustItem, find_body, list_items
from ..language.tokens import WORD, CodeTokens, Token
from .braces import BracedFunction, BraceReader, join, make_source, parse_with, qualify, skip_angles, split_commas
from .source import SourceText

_DECLARES = ("struct", "enum", "trait", "type", "const", "static", "mod", "union")
_HARMLESS_MARKS = ("inline", "must_use", "allow", "expect", "doc", "cold", "cfg", "deprecated")
_INTEGERS = "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize"
_ZEROS = {**dict.fromkeys(_INTEGERS.split(), "0"), "f32": "0.0", "f64": "0.0", "bool": "false", "char": "'\\0'"}
_NEW = ("String", "Vec", "PathBuf", "OsString", "VecDeque", "HashMap", "HashSet", "BTreeMap", "BTreeSet")


def parse(text: str) -> SourceText | None:
    return parse_with(text, "rust", _Reader)


class _Reader(BraceReader):
    def __init__(self, text: str, code: CodeTokens) -> None:
        super().__init__(text, code)
        self._owners = dict(self._list_owners())

    def read(self) -> SourceText:
        items = list_items(self._code)
        skipped = self._mark_skipped(items)
        functions = [
            function
            for item in items
            if item.kind == "fn" and not skipped[item.at] and (function := self._read_function(item))
        ]
        owners = {brace: name for brace, (name, _) in self._owners.items()}
        owners |= {function.opens: function.name for function in functions}
        for function in functions:
            function.name = qualify(function.name, self._around[function.start], self._around, owners)
        return make_source(self._text, self._code, functions, self._list_declared())

    def _mark_skipped(self, items: Sequence[RustItem]) -> bytearray:
        """Return the tokens of macros and of modules of tests."""
        code = self._code
        opened = [item.opens for item in items if item.kind == "mod" and "test" in self._list_marks(item)]
        opened += [
            index + 1 + (code.text(index - 1) == "macro_rules")
            for index in range(1, len(code))
            if code.text(index) == "!" and code[index - 1].kind == WORD
        ]
        marks = bytearray(len(code))
        for opens in opened:
            closed = code.closing(opens) or opens
            marks[opens:closed] = b"\1" * (closed - opens)
        return marks

    def _list_marks(self, item: RustItem) -> set[str]:
        """Return the words of the attributes of an item, without those of the file."""
        own = [bracket for bracket in item.attributes if self._code.text(bracket - 1) == "#"]
        tokens = [token for bracket in own for token in self._code.between(bracket, self._code.after(bracket))]
        return {token.text for token in tokens if token.kind == WORD}

    def _read_function(self, item: RustItem) -> BracedFunction | None:
        code, marks = self._code, self._list_marks(item)
        left = skip_angles(code, item.at + 2)
        right = code.closing(left) if code.text(left) == "(" else None
        if right is None or code.text(item.opens) != "{" or item.opens < right or "test" in marks:
            return None
        modifiers = [token.text for token in code.between(item.begins, item.at)]
        result = self._find_result(right, item.opens)
        brace = self._around[item.begins]
        is_demanded = brace is not None and self._owners.get(brace, ("", False))[1]
        return BracedFunction(
            start=item.begins, left=left, right=right, opens=item.opens, end=item.end,
            name=item.name,
            zero=self._choose_zero(item.name, modifiers, marks, result),
            parameters=dict(self._list_parameters(left, right)),
            shape=" ".join(["fn", *modifiers, join(self._text, result)]),
            excused=bool(marks.difference(_HARMLESS_MARKS)) or is_demanded,
        )  # fmt: skip

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
            opens = find_body(code, index)
            if opens is None or code.text(opens) == ";" or code.text(index - 1) in ("->", ":", "<", "(", "&", ","):
                continue
            head = code.between(skip_angles(code, index + 1), opens)
            words = [part.text for part in head]
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
