"""Read why a test failed: what its assertion expected and got, or that it could not run.

A test fails when its body ran and an assertion, or the product, failed. An error at the test's own lines about a
missing name, parameter or module only shows that test and code do not fit together."""

import re
from collections.abc import Callable

from ..patterns import compile_late
from ..value import Value

# What runners and compilers print about something missing; the first group is its name, if any. A leading name is
# bounded: output may contain a huge word.
_PATTERNS = (
    r"cannot import name '([\w.]+)'",
    r"No module named '([\w.]+)'",
    r"name '(\w+)' is not defined",
    r"has no attribute '(\w+)'",
    r"does not have the attribute '(\w+)'",
    r"got an unexpected keyword argument '(\w+)'",
    r"\b(\w{1,80})\(\) takes (?:from )?\d+ (?:to \d+ )?positional arguments? but",
    r"\b(\w{1,80})\(\) missing \d+ required",
    r"\b(\w{1,80}) is not a (?:function|constructor)",
    r"\b(\w{1,80}) is not defined",
    r"Cannot find (?:module|package) '([^']+)'",
    r"does not provide an export named '?([\w$]+)",
    r"Property '(\w+)' does not exist",
    r"has no exported member '?(\w+)",
    r"undefined: (?:\w+\.)?(\w+)",
    r"has no field or method (\w+)",
    r"unknown field '?(\w+)",
    r"(?:too many|not enough) arguments in call to (?:\w+\.)*(\w+)",
    r"no required module provides package (\S+?)[;\s]",
    r"cannot find (?:function|value|type|struct|macro|trait|crate|module)[^`]*`(\w+)`",
    r"unresolved imports? `([\w:]+)`",
    r"no (?:method|function or associated item|field|variant)[^`]* named `(\w+)`",
    r"this (?:function|method) takes \d+ arguments? but",
    r"cannot find symbol(?:[^\n]*\n){1,4}?[^\n]*\bsymbol: +\w+ (\w+)",
    r"cannot find symbol",
    r"undefined (?:local variable or )?method [`'](\w+[?!=]?)'",
    r"uninitialized constant (?:\w+::)*(\w+)",
    r"wrong number of arguments",
    r"undefined reference to [`'](\w+)'",
    r"implicit declaration of function .(\w+)",
    r"error: .(\w{1,80}). undeclared",
    r"has no member named .(\w+)",
    r"too (?:few|many) arguments to function .(\w+)",
    r"Could not find a declaration|Expected \d+ arguments?, but got \d+",
)
_MISSING = compile_late("|".join(f"(?:{pattern})" for pattern in _PATTERNS))
_PLACE = compile_late(r"^(\S+?):(\d+)(?::\d+)?:?\s\s")
# Where it was raised, if not in the test's file.
_RAISED = compile_late(r" \(in (\S+):\d+\)$")


def find_missing(text: str) -> str | None:
    """Return the name that a message calls missing, "" if it names none, None if nothing is missing."""
    match = _MISSING.search(text)
    if match is None:
        return None
    name = next((group for group in match.groups() if group), "")
    return name.rpartition(".")[2].rpartition("::")[2]


def list_missing_names(text: str) -> list[str]:
    """Return every name that an output calls missing."""
    names = (next(filter(None, match.groups()), "") for match in _MISSING.finditer(text))
    return list(dict.fromkeys(re.split(r"[.:]+", name)[-1] for name in names if name))


def find_failing_line(message: str) -> tuple[str, int] | None:
    """Return the file and line that a failure message begins with."""
    match = _PLACE.match(message)
    return (match[1], int(match[2])) if match else None


def is_unrunnable(message: str, is_test: Callable[[str], bool]) -> bool:
    """Whether a failed test only lacked something: the message calls a name missing, and it was raised at the test's
    own lines. `is_test` says whether a path belongs to the tests; a message without a place is taken as the test's
    own."""
    if find_missing(message) is None:
        return False
    raised, place = _RAISED.search(message), find_failing_line(message)
    where = raised[1] if raised else place[0] if place else ""
    return not where or is_test(where)


# By the words that runners print between the two values; `got` and `expected` say which is which.
_NAMED = tuple(
    re.compile(named, re.IGNORECASE)
    for named in (
        r"expected: ?<(?P<expected>.*?)> but was: ?<(?P<got>.*)>",
        r"expected:? (?P<expected>.+?),? (?:but )?(?:received|got|actual|was|found):? (?P<got>.+)",
        r"expected (?P<got>.+?) to (?:(?:deeply|strictly|loosely|be) )*(?:equal|eql|be) (?P<expected>.+)",
        r"(?:got|=) ?(?P<got>.+?)[,;] (?:want(?:ed)?|expected):? (?P<expected>.+)",
        r"left: (?P<got>.+?),? right: (?P<expected>.+)",
    )
)
_COMPARED = re.compile(r"(?:\w+Error: )?(?:[\w ]+ differ: |assert )?(?P<first>.+?) (?:!=|==) (?P<second>.+)")
_ASSERTED = re.compile(r"(?P<path>\S+):(?P<line>\d+)  (?P<said>.+)")
_LONGEST = 8  # lines of one assertion
_OPENED, _CLOSED = "([{", ")]}"


class FailedAssertion(Value):
    """`path` and `line` say where it is, `source` is its own text. `expected` and `got` are empty where neither the
    runner nor the source tells which is which."""

    said: str
    path: str = ""
    line: int = 0
    source: str = ""
    expected: str = ""
    got: str = ""

    def document(self) -> "dict[str, object]":
        return {**super().document(), "facts": [list(fact) for fact in self.facts]}

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Return what every screen shows, each with its label."""
        values = [("expected", self.expected), ("got", self.got)] if self.expected else []
        where = [("at", f"{self.path}:{self.line}")] if self.path else []
        source = [("assertion", self.source)] if self.source else []
        return [*where, *source, *(values or [("failed with", self.said)])]


def read_failure(message: str) -> FailedAssertion:
    """Return a failed assertion from the message of a test report, which begins with its place if that is known."""
    match = _ASSERTED.fullmatch(message)
    if match is None:
        return FailedAssertion(message)
    return FailedAssertion(match["said"], match["path"], int(match["line"]))


def find_statement(text: str, line: int) -> str:
    """Return the statement that begins at a line, up to where its brackets are closed."""
    lines = text.splitlines()[line - 1 : line - 1 + _LONGEST]
    open_brackets, kept = 0, []
    for source_line in lines:
        kept.append(source_line.strip())
        open_brackets += sum(map(source_line.count, _OPENED)) - sum(map(source_line.count, _CLOSED))
        if open_brackets <= 0:
            break
    return " ".join(kept)


def split_values(message: str, source: str) -> tuple[str, str]:
    """Return the expected value and the one that the test got; two empty texts if it cannot be told."""
    for named in _NAMED:
        match = named.search(message)
        if match:
            return match["expected"].strip(), match["got"].strip()
    match = _COMPARED.fullmatch(message)
    if match is None:
        return "", ""
    first, second = match["first"].strip(), match["second"].strip()
    # A test writes down what it expects; what it got was computed.
    written = list_operands(source)
    is_first, is_second = (_squeeze(value) in written for value in (first, second))
    if is_first == is_second:
        return "", ""
    return (first, second) if is_first else (second, first)


def list_operands(source: str) -> list[str]:
    """Return the sides of an assertion: the arguments of its call, or what stands beside `==`; without spaces."""
    text = _squeeze(source)
    if source.startswith("assert "):
        return re.split("[!=]=", text.removeprefix("assert"))
    parts, depth = [""], 0
    for sign in text[text.find("(") + 1 : text.rfind(")")]:
        depth += (sign in _OPENED) - (sign in _CLOSED)
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text).replace("'", '"')
