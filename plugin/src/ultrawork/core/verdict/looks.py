"""Things that only text analysis can see and a user should look at: words and patterns, as data. Nothing here refuses
anything.

Two have an effect elsewhere: code that asks whether a test is running is never *proved*, and a suppression under a
goal that asks for that check is tried without it."""

import re

from ..patterns import compile_late
from ..value import Value

# Names that only mean a running test.
_RUNNING = (
    "PYTEST_CURRENT_TEST", "PYTEST_VERSION", "JEST_WORKER_ID", "process.env.VITEST", "import.meta.vitest",
    "NODE_TEST_CONTEXT", "testing.Testing()", 'flag.Lookup("test.', "cfg!(test)", "cfg(not(test))",
)  # fmt: skip
_ASKS = compile_late(
    r"""["'](?:pytest|unittest|_pytest|jest|vitest|mocha)["']\s+(?:not\s+)?in\s+sys\.modules"""
    r"""|sys\.modules(?:\.get)?[\[(]\s*["'](?:pytest|unittest)"""
    r"""|(?:NODE|APP|RAILS|RACK|FLASK|DJANGO)_ENV\b["'\])]*\s*(?:,\s*["']\w*["']\)\s*)?[!=]==?\s*["']test(?:ing)?["']"""
    r"""|(?:sys\.argv|process\.argv|os\.Args|env::args)[^\n]*(?:pytest|jest|vitest|mocha|unittest|\.test\b|_test\b)"""
)
# Inspects the caller.
_CALLER = compile_late(
    r"\binspect\.(?:stack|currentframe|getframeinfo|getouterframes|trace)\b|\bsys\._getframe\b|\b_getframe\("
    r"|\btraceback\.(?:extract_stack|format_stack|walk_stack)\b|\bsys\._current_frames\b|\blinecache\.getline"
    r"|new Error\([^)]*\)\.stack|Error\.captureStackTrace|\bruntime\.Callers?\b|getStackTrace\(|StackWalker"
    r"|\bdebug_backtrace\(|\bcaller_locations\b|\bcaller\(\d"
)
# Code whose purpose is to inspect callers.
_TRACES = compile_late(r"(?i)(?:^|/)(?:[\w-]*(?:log|trace|debug|error|exception|warn|stack)[\w-]*)\.\w+$")
_COUNTS = compile_late(
    r"\b_?(?:call|invocation)s?_?count\w*\s*(?:\+=|\+\+|=\s*\w*count)|\b_?(?:calls|invocations)\s*\+=\s*1"
    r"|\.(?:calls|call_count|callCount|invocations)\s*(?:\+=|\+\+)"
)
_WAITS = compile_late(
    r"\b(?:time\.)?sleep\(|\bsetTimeout\(|\bwaitForTimeout\(|time\.Sleep\(|thread::sleep|Thread\.sleep"
    r"|\bflaky\b|\breruns?\b|\bretr(?:y|ies)\b|jest\.retryTimes|this\.retries"
)
_MARK = compile_late(r"\b(?:TODO|FIXME|XXX)\b")
_OWNED = compile_late(
    r"\b(?:TODO|FIXME|XXX)\b\s*(?:\([^)\s][^)]*\)|\[[^\]\s][^\]]*\]|:?\s*(?:@\w|#\d|[A-Z]{2,}-\d))|https?://"
)
_PARTED = compile_late(r"""["']\s*\+\s*["']""")
_CALL = compile_late(
    # No bracket in between: the call inside another one is not what is compared.
    r"""(?:assert[\w.!]*\s*\(?|expect\(|equal\()[^\n(]*?\b([\w.]+)\(([^()\n]*)\)\s*(?:\)?\s*(?:==|\.toBe\(|\.toEqual\(|,))\s*([^\n,)]+)"""
)


class AddedLine(Value):
    """A new line of a source file. `in_test`: of a test that was there before; `in_product`: of what is delivered."""

    path: str
    number: int
    text: str
    in_test: bool = False
    in_product: bool = False

    @property
    def where(self) -> str:
        return f"{self.path}:{self.number}"

    @property
    def words(self) -> dict[str, str]:
        return {"where": self.where}


def find_awareness(line: AddedLine) -> str:
    """Return what a product line uses to ask whether a test is running, or who calls."""
    whole = _PARTED.sub("", line.text) if line.in_product else ""
    question = next((sign for sign in _RUNNING if sign in whole), "")
    match = _ASKS.search(whole) or (None if _TRACES.search(line.path) else _CALLER.search(whole))
    return question or (match[0].strip() if match else "")


def is_counting_calls(line: AddedLine) -> bool:
    return line.in_product and _COUNTS.search(line.text) is not None


def is_waiting(line: AddedLine) -> bool:
    """Return whether a test sleeps or tries again."""
    return line.in_test and _WAITS.search(line.text) is not None


def find_mark(line: AddedLine) -> str:
    """Return a TODO, FIXME or XXX in a comment that names no issue, link or person."""
    match = _MARK.search(line.text) if line.in_product else None
    before = line.text[: match.start()] if match else ""
    if not match or not re.search(r"#|//|/\*|\*|--|<!--", before) or _OWNED.search(line.text):
        return ""
    return line.text[match.start() :].strip().removesuffix("*/").rstrip()[:60]


def find_contradiction(text: str) -> tuple[int, int] | None:
    """Return two lines that expect different constants from the same function with the same literals, with nothing
    but assertions between them. A method may answer anew at each call."""
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _CALL.search(line)
        if not match and line.strip():
            seen.clear()
        if (
            not match
            or not match[2].strip()
            or "." in match[1]
            or not re.fullmatch(r"[\s\d\w'\"\[\](),.:{}-]*", match[2])
        ):
            continue
        # Only literals: a name may have another value by the second line.
        if re.search(r"[A-Za-z_]\w*", re.sub(r"'[^']*'|\"[^\"]*\"|True|False|None|true|false|null", "", match[2])):
            continue
        key, value = (match[1], "".join(match[2].split())), match[3].strip().rstrip(";)")
        if re.search(r"[A-Za-z_]\w*\(", value):
            continue
        known = seen.setdefault(key, (value, number))
        if known[0] != value:
            return known[1], number
    return None
