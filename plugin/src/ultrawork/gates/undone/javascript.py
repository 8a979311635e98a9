"""Functions of JavaScript and TypeScript by their tokens: declarations, methods, and functions bound to a name.

Where a type is possible (`cb: (x: number) => void`), a function must be in a place that only a value can have."""

from collections.abc import Iterator, Sequence

from ..language.tokens import SIGN, TEXT, WORD, CodeTokens
from .braces import (
    BracedFunction,
    BraceReader,
    list_early,
    list_innermost,
    make_source,
    parse_with,
    qualify,
    skip_angles,
    skip_back_angles,
)
from .javascript_values import end_of_expression, end_of_type, write_zero
from .source import SourceText

_CONTROL = ("if", "for", "while", "switch", "catch", "with", "return", "await", "typeof", "super")
_MODIFIER_WORDS = "async static get set public private protected readonly override * export abstract"
_MODIFIERS = frozenset(_MODIFIER_WORDS.split())
_BEFORE_VALUE = "= ( , [ ? && || ?? default return ... yield await"
_VALUE_FOLLOWS = frozenset(_BEFORE_VALUE.split())
_TYPE_LENGTH = 300
_EXPORTS = ("exports", "module", "prototype", "this", "default", "globalThis", "window")


def parse(text: str) -> SourceText | None:
    return parse_with(text, "javascript", _Reader)


class _Reader(BraceReader):
    def __init__(self, text: str, code: CodeTokens) -> None:
        super().__init__(text, code)
        self._classes = dict(self._list_classes())

    def read(self) -> SourceText:
        functions = sorted(self._list_functions(), key=lambda function: (function.start, -function.end))
        self._unname_defaults(functions)
        called = [function for function in functions if not self._is_called_at_once(function)]
        early = list_early(self._code, called, {*self._classes, *self._list_interfaces()})
        inside = list_innermost(self._code, functions)
        for number, function in enumerate(functions):
            if function.name:
                own = [at for at in range(function.opens, function.end) if inside[at] == number]
                self._complete(function, own, early)
        owners = self._list_owners(functions)
        for function in functions:
            if function.name:
                function.name = qualify(function.name, self._around[function.start], self._around, owners)
        declared = {function.name.rpartition(".")[2] for function in functions}
        return make_source(self._text, self._code, functions, declared | set(self._list_bound()))

    def _unname_defaults(self, functions: Sequence[BracedFunction]) -> None:
        """A default in a parameter list (`onError = () => {}`) belongs to the head of its function."""
        within = bytearray(len(self._code))
        for function in functions:
            within[function.left + 1 : function.right] = b"\1" * max(0, function.right - function.left - 1)
        for function in functions:
            if within[function.start]:
                function.name = ""

    def _list_functions(self) -> Iterator[BracedFunction]:
        code = self._code
        types = self._mark_types()
        for index, token in enumerate(code.tokens):
            function = None
            if types[index]:
                continue
            if token.kind == WORD and token.text == "function":
                function = self._read_function(index)
            elif token.kind == SIGN and token.text == "=>":
                function = self._read_arrow(index)
            elif token.kind == SIGN and token.text == "(":
                function = self._read_method(index)
            if function is not None:
                yield function

    def _mark_types(self) -> bytearray:
        """Return the tokens of `type F = …`, where an arrow is not a function."""
        code = self._code
        marks = bytearray(len(code))
        for index, token in enumerate(code.tokens):
            if token.text == "type" and not marks[index]:
                equal = skip_angles(code, index + 2)
                if code.text(equal) == "=" and code[index + 1].kind == WORD:
                    end = end_of_type(code, equal + 1)
                    marks[index:end] = b"\1" * (end - index)
        return marks

    def _read_function(self, index: int) -> BracedFunction | None:
        code = self._code
        if code.text(index - 1) in (".", "?."):
            return None
        at = index + 1 + (code.text(index + 1) == "*")
        name = code.text(at) if at < len(code) and code[at].kind == WORD else ""
        angles = skip_angles(code, at + bool(name))
        opens = self._find_body(angles)
        if opens is None:
            return None
        return self._make(index, angles, opens, name or self._find_name(self._back(index)))

    def _read_method(self, index: int) -> BracedFunction | None:
        """Read `name(…) {` in a class or an object; only control flow looks the same."""
        code = self._code
        at = skip_back_angles(self._code, index - 1)
        if at < 0 or not (code[at].kind in (WORD, TEXT) or code.text(at) == "]"):
            return None
        before = code.text(at - 1)
        generator = before == "*" and code.text(at - 2) == "function"
        if generator or "function" in (before, code.text(at)) or before in (".", "?.", "new"):
            return None
        if code.text(at) in _CONTROL and not self._is_member(at):
            return None
        opens = self._find_body(index)
        start = self._opening[at] if code.text(at) == "]" else at
        if opens is None:
            return None
        name = code[at].value if code[at].kind != SIGN else code.text(at - 1)
        return self._make(start, index, opens, name)

    def _read_arrow(self, index: int) -> BracedFunction | None:
        code = self._code
        parameters = self._find_parameters(index)
        start = self._back(parameters)
        opens = index + 1
        if opens >= len(code):
            return None
        block = code.text(opens) == "{"
        closed = code.closing(opens) if block else end_of_expression(code, opens)
        if closed is None:
            return None
        right = code.closing(parameters) if code.text(parameters) == "(" else parameters
        right = parameters if right is None else right
        name = self._find_name(start)
        return BracedFunction(
            start=start, left=parameters, right=right, opens=opens, end=closed, name=name, block=block
        )

    def _make(self, start: int, left: int, opens: int, name: str) -> BracedFunction | None:
        right, end = self._code.closing(left), self._code.closing(opens)
        if right is None or end is None:
            return None
        return BracedFunction(start=self._back(start), left=left, right=right, opens=opens, end=end, name=name)

    def _back(self, index: int) -> int:
        """Return the position before `async`, type parameters and the like."""
        at = skip_back_angles(self._code, index - 1) + 1 if self._code.text(index) == "(" else index
        while self._code.text(at - 1) in _MODIFIERS and at > 0:
            at -= 1
        return at

    def _find_body(self, left: int) -> int | None:
        right = self._code.closing(left) if self._code.text(left) == "(" else None
        if right is None:
            return None
        at = right + 1
        if self._code.text(at) == ":":
            at = end_of_type(self._code, at + 1)
        return at if self._code.text(at) == "{" else None

    def _find_parameters(self, index: int) -> int:
        """Return where the parameters before an arrow begin: a name, or brackets with an optional type."""
        code = self._code
        if code.text(index - 1) == ")" and code.text(self._opening.get(index - 1, 0) - 1) != ":":
            return self._opening.get(index - 1, index - 1)
        at = index - 1
        while at > 0 and code.text(at) not in (";", "=>", "=", "{", "(", ","):
            if code.text(at) == ":" and code.text(at - 1) == ")":
                return self._opening.get(at - 1, at - 1)
            skipped = skip_back_angles(self._code, at)
            at = skipped if skipped < at else self._opening.get(at, at) - 1
        return self._opening.get(index - 1, index - 1)

    def _find_name(self, start: int) -> str:
        """Return the name that a function, class or object is bound to; empty if there is none."""
        code = self._code
        before = code.text(start - 1)
        if before == "(" and self._around[start - 1] is None:
            at = start - 2  # const f = wrap(async () => …): bound as what the call gives
            while at > 0 and (code[at].kind == WORD or code.text(at) == "."):
                at -= 1
            return self._find_name(at + 1) if at < start - 2 and code.text(at) == "=" else ""
        if before == "default":
            return "default"
        if before == ":":
            return self._find_key(start - 2)
        return self._find_target(start - 2) if before == "=" else ""

    def _find_key(self, at: int) -> str:
        """Return the key of an object property; a type may look the same, but not in these braces."""
        if at <= 0 or self._code[at].kind not in (WORD, TEXT):
            return ""
        brace = self._around[at]
        in_object = brace is not None and self._is_object(brace)
        return self._code[at].value if in_object and self._code.text(at - 1) in "{," else ""

    def _is_object(self, brace: int) -> bool:
        code = self._code
        if code.text(brace) != "{" or brace in self._classes:
            return False
        before = code.text(brace - 1)
        if before == ":":
            return bool(self._find_key(brace - 2)) or self._is_conditional(brace - 1)
        return before in _VALUE_FOLLOWS

    def _is_member(self, at: int) -> bool:
        brace = self._around[at]
        return brace is not None and (brace in self._classes or self._is_object(brace))

    def _is_conditional(self, colon: int) -> bool:
        around = self._around[colon]
        return any(
            self._code.text(at) == "?" and self._around[at] == around for at in range(colon - 1, max(0, colon - 60), -1)
        )

    def _find_target(self, at: int) -> str:
        """Return what is before `=`: a name, a path, or either with a type. Nothing for `type F = …`."""
        code = self._code
        path: list[str] = []
        while at >= 0 and code[at].kind == WORD:
            path.insert(0, code.text(at))
            at -= 1
            if code.text(at) != ".":
                break
            at -= 1
        if not path or code.text(at) in (":", "|", "&", "=>", "extends", "typeof", "keyof", "is"):
            return self._find_typed(at)
        if code.text(at) in ("type", "<"):
            return ""
        return ".".join(word for word in path if word not in _EXPORTS) or path[-1]

    def _find_typed(self, at: int) -> str:
        """Return the name before `: Type =`."""
        code = self._code
        for _ in range(_TYPE_LENGTH):
            if at <= 0 or code.text(at) in (";", "{", "(", "const", "let", "var", "=", "type"):
                return ""
            named = at - 1 - (code.text(at - 1) in ("?", "!"))
            if code.text(at) == ":" and code[named].kind == WORD:
                return code.text(named)
            at = self._opening.get(at, at) - 1
        return ""

    def _list_classes(self) -> Iterator[tuple[int, tuple[str, bool]]]:
        """Yield the brace of each class, with its name and whether it builds on another."""
        code = self._code
        for index, token in enumerate(code.tokens):
            if token.kind != WORD or token.text != "class" or code.text(index - 1) == ".":
                continue
            at, heritage = index + 1, False
            if code.text(at) == "{":
                opens = at
            else:
                named = code.text(at) if code.text(at) not in ("extends", "implements") else ""
                at = skip_angles(code, at + bool(named))
                heritage = code.text(at) in ("extends", "implements")
                opens = end_of_type(code, at + 1, also=("implements",)) if heritage else at
            if code.text(opens) == "{":
                own = code.text(index + 1) if code.text(index + 1) not in ("{", "extends") else ""
                yield opens, (own or self._find_name(index), heritage)

    def _list_interfaces(self) -> Iterator[int]:
        for index, token in enumerate(self._code.tokens):
            if token.kind == WORD and token.text == "interface":
                yield end_of_type(self._code, index + 1, also=("extends",))

    def _list_owners(self, functions: Sequence[BracedFunction]) -> dict[int, str]:
        """The names of functions, classes and objects by their braces."""
        code = self._code
        owners = {
            brace: self._find_name(brace)
            for brace in range(len(code))
            if code.text(brace) == "{" and self._is_object(brace)
        }
        owners |= {brace: name for brace, (name, _) in self._classes.items()}
        owners |= {function.opens: function.name.rpartition(".")[2] for function in functions if function.block}
        return {brace: name for brace, name in owners.items() if name not in _EXPORTS}

    def _complete(self, function: BracedFunction, own: Sequence[int], early: frozenset[str]) -> None:
        code = self._code
        head = [token.text for token in code.between(function.start, function.left)]
        generator = "*" in head
        function.shape = " ".join(["async"] * ("async" in head) + ["generator"] * generator)
        words = [token for token in code.between(function.left, function.right + 1) if token.kind == WORD]
        function.parameters = {token.text: "" for token in words}
        brace = self._around[function.start]
        owner = self._classes.get(brace) if brace is not None else None
        last = function.name.rpartition(".")[2]
        meant = "override" in head or last == "constructor" or self._is_decorated(function.start)
        function.excused = meant or (None if owner and owner[1] else False)
        if last != "constructor" and last not in early and not self._is_maker(function, last):
            function.zero = write_zero(code, function, own)

    def _is_decorated(self, start: int) -> bool:
        at = self._opening.get(start - 1, start) - 1
        return at >= 0 and self._code.text(at).startswith("@")

    def _is_maker(self, function: BracedFunction, name: str) -> bool:
        """`function Cart() { this.items = [] }` is a constructor."""
        return name[:1].isupper() and any(
            self._code.text(at) == "this" and self._code.text(at + 3) == "="
            for at in range(function.opens, function.end)
        )

    def _is_called_at_once(self, function: BracedFunction) -> bool:
        after = self._code.text(function.end + 1), self._code.text(function.end + 2)
        return not function.name and (after[0] == "(" or after == (")", "("))

    def _list_bound(self) -> Iterator[str]:
        """Yield names of imports, classes and variables, at the level of the file."""
        code = self._code
        for index, token in enumerate(code.tokens):
            if token.kind != WORD or self._around[index] is not None:
                continue
            if token.text == "import":
                at = index + 1
                while at < len(code) and code[at].kind != TEXT and code.text(at) not in (";", "("):
                    if code[at].kind == WORD:
                        yield code.text(at)
                    at += 1
            elif token.text in ("const", "let", "var", "class"):
                closed = code.closing(index + 1)
                inside = code.between(index + 1, (closed or index + 1) + 1)
                yield from (word.text for word in inside if word.kind == WORD)
