"""Functions of Ruby by their lines: a `def` ends at the `end` with the same indentation.

That works for formatted code; a `def` without such an end is left alone."""

import re
from collections.abc import Iterator

from ...core.patterns import compile_late
from .source import FunctionText, SourceText, number_names

_DEF = compile_late(
    r"([ \t]*)(?:private |protected |public |module_function )?def ((?:self\.)?[\w?!=<>+\-*/%~^&|\[\]]+)"
)
_OWNER = compile_late(r"([ \t]*)(?:class|module)[ \t]+([A-Z][\w:]*)(?:[ \t]*(<)[^<\n]*)?")
_COMMENT = compile_late(r"[ \t]#(?!\{)[^\"'`]*$")
_DECLARED = compile_late(r"(?m)^[ \t]*(?:class|module)[ \t]+([\w:]+)|^[ \t]*([A-Z]\w*)[ \t]*=")
_WORD = compile_late(r"[@$]?[^\W\d]\w*[?!]?")
_INLINE_END = compile_late(r"\b(end)\s*(?:#.*)?$")
_LONGEST = 600  # lines
_HOOK_WORDS = (
    "initialize initialize_copy method_missing respond_to_missing? inherited included extended prepended"
    " method_added const_missing"
)
_HOOKS = frozenset(_HOOK_WORDS.split())
_EMPTY = compile_late(r"(?:return )?(?:nil|\[\]|\{\}|''|\"\"|Hash\.new|Array\.new|String\.new)?")
_UNWRITTEN = compile_late(
    r"raise\(?\s*(?:::)?NotImplementedError\b.*|raise\(?\s*[\"'].*not.{0,5}implemented.*", re.IGNORECASE
)


def parse(text: str) -> SourceText | None:
    lines = text.splitlines(keepends=True)
    functions = number_names(_list_methods(lines))
    declared = frozenset(name for pair in _DECLARED.findall(text) for name in pair if name)
    return SourceText(text, functions, declared)


def _list_methods(lines: list[str]) -> Iterator[FunctionText]:
    owners: list[tuple[str, str, bool]] = []
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("__END__"):
            return
        owner = _OWNER.match(line)
        if owner:
            owners = [outer for outer in owners if len(outer[0]) < len(owner[1])]
            owners.append((owner[1], owner[2], bool(owner[3])))
        match = _DEF.match(line)
        function = _read_method(lines, starts, number, match, owners) if match else None
        if function is not None:
            yield function
        number += 1


def _read_method(
    lines: list[str], starts: list[int], number: int, match: re.Match[str], owners: list[tuple[str, str, bool]]
) -> FunctionText | None:
    """Return a method; None without an `end` of its own (`def f = x`)."""
    indent, name = match[1], match[2].removeprefix("self.")
    text = "".join(lines[number : number + _LONGEST])
    place = _end_of_head(text, match.end())
    end = _find_end(text, place, indent)
    if end is None:
        return None
    own = [owner for owner in owners if len(owner[0]) < len(indent)]
    code = [_COMMENT.sub("", line).strip() for line in re.split(r"[\n;]", text[place:end])]
    code = [line for line in code if line and not line.startswith("#")]
    parameters = _WORD.findall(text[match.end() : place])
    start, after = starts[number] + place, starts[number] + end
    return FunctionText(
        name=".".join([*(owner[1] for owner in own), name]),
        lines=(number + 1, number + 1 + text.count("\n", 0, end)),
        span=(starts[number], after + len("end")),
        body=(start, after),
        head=" ".join(text[:place].split()),
        code="\n".join(code),
        block=text[place:end],
        zero=None if name in _HOOKS else (start, start, "; return nil"),
        parameters=dict.fromkeys(parameters, ""),
        needs=frozenset(_WORD.findall("\n".join(code))),
        trivial=_does_nothing(code, parameters) and (None if own and own[-1][2] else True),
    )


def _find_end(text: str, place: int, indent: str) -> int | None:
    """Return where the `end` begins: on the first line, or on its own line with the same indentation."""
    line = text[place:].partition("\n")[0]
    if line.lstrip().startswith(";"):
        inline = _INLINE_END.search(line)
        return place + inline.start(1) if inline else None
    if _COMMENT.sub("", line).strip():
        return None
    end = re.compile(rf"^{indent}end\b", re.MULTILINE).search(text, place)
    return end.end() - len("end") if end else None


def _end_of_head(text: str, place: int) -> int:
    """Return the place behind the parameters, with or without brackets."""
    if text[place : place + 1] != "(":
        line = text[place:].partition("\n")[0].partition(";")[0]
        return place + len(_COMMENT.sub("", line).rstrip())
    depth = 0
    for at in range(place, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at + 1
    return len(text)


def _does_nothing(code: list[str], parameters: list[str]) -> bool:
    only = "".join(code)
    if len(code) > 1:
        return False
    named = only.removeprefix("return ") in parameters
    plain = only.removeprefix("return ") in ("0", "false") and bool(parameters)
    return named or plain or bool(_EMPTY.fullmatch(only) or _UNWRITTEN.fullmatch(only))
