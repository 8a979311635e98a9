"""Which value a failed assertion expected and which it got, from what its runner prints and from its own line."""

import re

from ..value import Value

# By the words that runners print between the two values; `got` and `expected` say which is which.
_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"expected: ?<(?P<expected>.*?)> but was: ?<(?P<got>.*)>",
        r"expected:? (?P<expected>.+?),? (?:but )?(?:received|got|actual|was|found):? (?P<got>.+)",
        r"expected (?P<got>.+?) to (?:(?:deeply|strictly|loosely|be) )*(?:equal|eql|be) (?P<expected>.+)",
        r"(?:got|=) ?(?P<got>.+?)[,;] (?:want(?:ed)?|expected):? (?P<expected>.+)",
        r"left: (?P<got>.+?),? right: (?P<expected>.+)",
    )
)
_COMPARED = re.compile(r"(?:\w+Error: )?(?:[\w ]+ differ: |assert )?(?P<first>.+?) (?:!=|==) (?P<second>.+)")
_PLACE = re.compile(r"(?P<path>\S+):(?P<line>\d+)  (?P<said>.+)")
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
    match = _PLACE.fullmatch(message)
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
    for pattern in _NAMED:
        match = pattern.search(message)
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
