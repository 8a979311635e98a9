"""What each language reads from a text: its functions, their positions, and what can replace them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

Edit = tuple[int, int, str]  # from, to (characters), new text


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionText:
    """One function of a text. `zero` is the position and text of an inserted return of the zero value; the rest
    of the body stays after it, so that no import or variable becomes unused. `parameters` are names with their
    types, as far as the language compares types. `needs` are the words of the body. An old body fits only with
    the same `shape`: async, generator, result types. `indent` is that of the body's lines; `inline`: the body
    begins on the first line."""

    name: str
    lines: tuple[int, int]
    span: tuple[int, int]
    body: tuple[int, int]
    head: str
    code: str
    block: str
    zero: Edit | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()
    shape: str = ""
    indent: str = ""
    inline: bool = False
    trivial: bool | None = False

    @property
    def last_name(self) -> str:
        return strip_number(self.name).rpartition(".")[2]

    @property
    def owner(self) -> str:
        return self.name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class SourceText:
    """A parsed file. `declared` are names bound outside functions; `imports` those that one line can restore."""

    text: str
    functions: list[FunctionText]
    declared: frozenset[str] = frozenset()
    imports: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        return self.declared | {function.last_name for function in self.functions}


def strip_number(name: str) -> str:
    base, _, number = name.rpartition("#")
    return base if number.isdigit() else name


def number_names(functions: Iterable[FunctionText]) -> list[FunctionText]:
    """Return the functions by place; the second one of a name is `name#2`."""
    seen: dict[str, int] = {}
    function_texts = []
    for function in sorted(functions, key=lambda function_text: function_text.span):
        seen[function.name] = seen.get(function.name, 0) + 1
        number = seen[function.name]
        function_texts.append(function if number == 1 else replace(function, name=f"{function.name}#{number}"))
    return function_texts


def pair_functions(old: Sequence[FunctionText], new: Sequence[FunctionText]) -> dict[str, FunctionText]:
    """Return the old function for the name of each new one: of overloads, the one with the same head first."""
    functions = list(old)
    pairs: dict[str, FunctionText] = {}
    for same_head in (True, False):
        for function in new:
            if function.name in pairs:
                continue
            match = next((was for was in functions if _is_pair(was, function, same_head)), None)
            if match is not None:
                pairs[function.name] = match
                functions.remove(match)
    return pairs


def _is_pair(old: FunctionText, new: FunctionText, same_head: bool) -> bool:
    same = strip_number(old.name) == strip_number(new.name)
    return same and (old.head == new.head or not same_head)


def choose_outermost(functions: Iterable[FunctionText]) -> list[FunctionText]:
    function_texts: list[FunctionText] = []
    for function in sorted(functions, key=lambda function_text: (function_text.span[0], -function_text.span[1])):
        if not function_texts or function.span[0] >= function_texts[-1].span[1]:
            function_texts.append(function)
    return function_texts


def replace_places(text: str, edits: Iterable[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text
